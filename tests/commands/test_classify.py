"""``idinf classify``: its text and its object, and every kind of target."""

import json

from tests.commands.refusals import runner

KEYS = [
    *("format", "target", "alphabet", "states", "monoid_size", "star_free", "ac0", "r_trivial"),
    *("piecewise_testable", "da", "crasp", "crasp_periodic_local", "dot_depth", "count_depth"),
]

run = runner("classify")


def classified(*arguments: str) -> dict[str, object]:
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert list(found) == KEYS
    for key in KEYS[5:]:
        assert set(found[key]) == {"verdict", "reason"} | ({"least", "most"} if key == KEYS[-1] else set())
        assert found[key]["reason"]
    return found


def verdict(found: dict[str, object], key: str) -> str:
    return found[key]["verdict"]


def test_the_text() -> None:
    lines = run("tomita-4").stdout.splitlines()
    assert lines[0] == "tomita-4 over 0 1: minimal complete DFA 4 states, syntactic monoid 12 elements"
    assert [line[:32].split()[-1] for line in lines[1:]] == [
        *("yes", "yes", "no", "no", "no", "1", "no", "yes", "6"),
    ]
    assert "once every position i shows the 2 symbols before it" in lines[-2]
    assert run("majority").stdout.startswith("majority over 0 1: not a regular language\n")
    lines = run("dyck-1").stdout.splitlines()
    assert "not regular: a^i and a^j, 0 < i < j, are told apart by b^i" in lines[1]
    assert [line[:32].split()[-1] for line in lines[1:]] == ["no"] * 5 + ["none", "yes", "yes", "2"]
    assert "not given as a regular language" in run("majority-next").stdout.splitlines()[0]


def test_contains_ab_over_two_and_three_letters() -> None:
    two = classified("regex:.*ab.*")
    three = classified("regex:.*ab.*", "--alphabet", "cba")
    assert (two["target"], two["alphabet"], three["alphabet"]) == (".*ab.*", ["a", "b"], ["c", "b", "a"])
    assert (verdict(two, "crasp"), verdict(two, "piecewise_testable")) == ("yes", "yes")
    assert (verdict(three, "crasp"), verdict(three, "piecewise_testable")) == ("no", "no")
    assert verdict(three, "crasp_periodic_local") == "yes"
    assert verdict(classified("contains-ab-abc"), "crasp") == "no"


def test_programs_and_families() -> None:
    majority = classified("majority")
    assert (majority["states"], majority["monoid_size"]) == (None, None)
    assert (verdict(majority, "crasp"), verdict(majority, "star_free")) == ("yes", "no")
    member = classified("ge-k-j", "--set", "k=3", "--set", "j=2")
    assert (member["target"], verdict(member, "crasp"), verdict(member, "ac0")) == ("ge-3-2", "yes", "no")
    dyck = classified("dyck-1")
    assert (verdict(dyck, "crasp"), verdict(dyck, "star_free")) == ("yes", "no")
    assert "are told apart by b^i" in dyck["star_free"]["reason"]
    regular = classified("at-least-3-ones")
    assert (regular["states"], verdict(regular, "piecewise_testable")) == (4, "yes")


def test_tasks() -> None:
    assert (
        run("sort")
        .stdout.splitlines()[-3]
        .endswith("over more the same program with as many lines for each)")
    )
    copy = classified("copy-repeat")
    assert (copy["alphabet"], copy["states"]) == (["0", "1", "#"], None)
    assert "at lengths n = 1, 3, … at least 2^(⌊n/2⌋ - 1) first halves" in copy["crasp"]["reason"]
    interleaved = classified("majority-interleave")["crasp"]["reason"]
    assert interleaved.startswith("long words with n mod 3 = 0 and last symbol 0 are accepted")
