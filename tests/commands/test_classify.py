"""``idinf classify``: its text and its object, every kind of target, and one line per mistake."""

from __future__ import annotations

import json

import pytest

from tests.commands.refusals import refused, runner

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
    result = run("tomita-4")
    lines = result.stdout.splitlines()
    assert lines[0] == "tomita-4 over 0 1: minimal complete DFA 4 states, syntactic monoid 12 elements"
    assert [line[:32].split() for line in lines[1:]] == [
        ["star-free", "yes"],
        ["in", "AC0", "yes"],
        ["R-trivial", "no"],
        ["piecewise", "testable", "no"],
        ["in", "DA", "no"],
        ["dot-depth", "1"],
        ["C-RASP[]", "no"],
        ["C-RASP[periodic,local]", "yes"],
        ["depth", "of", "counts", "1", "to", "6"],
    ]
    assert "once every position i shows the 2 symbols before it" in lines[-2]
    assert run("majority").stdout.startswith("majority over 0 1: not a regular language\n")
    lines = run("dyck-1").stdout.splitlines()
    assert lines[0] == "dyck-1 over a b: not a regular language"
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
    sort = run("sort").stdout.splitlines()
    assert sort[0] == "sort over a b c #: minimal complete DFA 17 states, syntactic monoid 62 elements"
    assert sort[1] == "language: u#v, where v are the symbols of u in increasing order, each once"
    assert sort[-3].endswith("(over 3 symbols and #; over more the same program with as many lines for each)")
    copy = classified("copy-repeat")
    assert (copy["alphabet"], copy["states"]) == (["0", "1", "#"], None)
    assert "at lengths n = 1, 3, … at least 2^(⌊n/2⌋ - 1) first halves" in copy["crasp"]["reason"]
    interleaved = classified("majority-interleave")
    assert interleaved["crasp"]["reason"].startswith(
        "long words with n mod 3 = 0 and last symbol 0 are accepted"
    )
    assert "Stockmeyer" in interleaved["ac0"]["reason"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "Missing argument 'TARGET|TASK'"),
        (("regex:(a",), 3, "(a: line 1, column 1: '(' is never closed; add ')'"),
        (("parity", "--alphabet", "012"), 2, "an alphabet is given, but parity has its own"),
        (("addition", "--set", "k=1"), 2, "addition is a task with its own alphabet"),
        (("missing.toml",), 3, "missing.toml: no such file; expected a spec"),
        (("regex:a", "--alphabet", "aa"), 2, "symbol 'a' is listed twice"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], code: int, message: str) -> None:
    refused(run(*arguments), code, message)
