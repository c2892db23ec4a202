"""Languages as values: membership, equality and inclusion against all words, and honest refusals."""

from __future__ import annotations

import itertools
import random

import pytest

import idinf
from idinf.equivalence.machines import intersect
from idinf.library.languages import Language
from idinf.proofs import languages as proofs
from idinf.targets.machine import accepts
from idinf.words import words_up_to


def all_words(symbols: str, length: int) -> list[str]:
    return ["".join(word) for n in range(length + 1) for word in itertools.product(symbols, repeat=n)]


SIDES = {
    "regular": lambda: idinf.target(regex="(ab)*", alphabet="ab"),
    "shipped": lambda: idinf.target("dyck-1"),
    "program": lambda: idinf.target(program='accept = # "b" <= # "a"'),
    "hypothesis": lambda: idinf.compile("dyck-1"),
}


@pytest.mark.parametrize("side", SIDES)
def test_words_are_those_that_are_in_the_language(side: str) -> None:
    language = SIDES[side]()
    assert list(language.words(up_to=6)) == [word for word in all_words("ab", 6) if word in language]
    assert len(language.words(up_to=6)) > 1


def test_membership_by_hand() -> None:
    dyck = idinf.target("dyck-1")
    assert ["" in dyck, "ab" in dyck, "ba" in dyck, ("a", "b") in dyck] == [True, True, False, True]
    with pytest.raises(idinf.AlphabetMismatchError, match="'c' at position 2"):
        _ = "ac" in dyck
    with pytest.raises(idinf.AlphabetMismatchError, match="'c' at position 2"):
        _ = ["a", "c"] in dyck


def test_longer_symbols_make_words_sequences() -> None:
    doors = idinf.target(program='accept = # "open" == # "shut"', alphabet=["open", "shut"])
    assert doors.words(up_to=2) == ((), ("open", "shut"), ("shut", "open"))
    assert ("open", "shut") in doors
    assert "open shut" in doors


REGEXES = ("(ab)*", "(ab)*a", "a*b*", "(a|b)*", "()", "(a|b)*a", "((a|b)(a|b))*", "(ab|ba)*", "a*")


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations_with_replacement(REGEXES, 2)))
def test_equality_and_inclusion_of_regular_languages(one: str, other: str) -> None:
    """Of minimal automata with at most 4 states words up to length 8 decide."""
    a, b = (idinf.target(regex=regex, alphabet="ab") for regex in (one, other))
    first, second = set(a.words(up_to=8)), set(b.words(up_to=8))
    assert (a == b) is (first == second)
    assert (a <= b) is (first <= second)
    assert (a >= b) is (first >= second)
    assert (a < b) is (first < second)
    assert (a > b) is (first > second)


ENDS_IN_ANY = "(a|b)*."


def test_languages_are_compared_over_the_alphabet_that_was_given() -> None:
    over_ab, over_abc = (idinf.target(regex=ENDS_IN_ANY, alphabet=symbols) for symbols in ("ab", "abc"))
    is_open = idinf.target(regex=ENDS_IN_ANY)
    for compared in (over_ab.__eq__, over_ab.__le__, over_ab.difference):
        with pytest.raises(idinf.AlphabetMismatchError, match="alphabet a b c; expected that of"):
            compared(over_abc)
    assert over_ab == is_open
    assert over_abc == is_open
    only_a = idinf.target(regex="a*", alphabet="abc").difference(idinf.target(regex="(a|b)*"))
    assert (only_a.alphabet, only_a.word) == (("a", "b", "c"), "b")
    assert idinf.target(regex=".*", alphabet="abc").difference(idinf.target(regex="(a|b)*")).word == "c"
    assert idinf.target(regex="a*").difference(idinf.target(regex="b*")).alphabet == ("a", "b")


@pytest.mark.parametrize("wide", ["abc", "ab"])
def test_a_program_keeps_the_alphabet_it_was_given(wide: str) -> None:
    """At least as many a as b: with c in the alphabet ``.*`` has words of c as well."""
    few = idinf.program('accept = # "b" <= # "a"', alphabet=wide)
    every = idinf.target(regex=".*", alphabet="ab")
    if wide == "ab":
        assert few.difference(every).word == "b"
    else:
        with pytest.raises(idinf.AlphabetMismatchError):
            few.difference(every)


def test_inclusion_of_programs_is_proved_by_integer_programs() -> None:
    few = idinf.target(program='accept = 2 * # "b" <= # "a"')
    more = idinf.target(program='accept = # "b" <= # "a"')
    assert few <= more
    assert not more <= few
    assert few != more
    assert more == idinf.target(program='x = 3 * # "b" <= 3 * # "a"')


def test_a_target_beside_a_program() -> None:
    """Python asks the program first, which is a kind of language."""
    more = idinf.target(program='accept = # "b" <= # "a"')
    few, same = idinf.program('accept = 2 * # "b" <= # "a"'), idinf.program('accept = 3 * # "b" <= 3 * # "a"')
    assert (few <= more, few < more, few >= more, few > more) == (True, True, False, False)
    assert (more <= few, more < few, more >= few, more > few) == (False, False, True, True)
    assert (more <= same, more < same, more >= same, more > same) == (True, False, True, False)


@pytest.mark.slow
def test_a_hypothesis_equals_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    net = idinf.compile("dyck-1")
    assert net == idinf.target("dyck-1")
    monkeypatch.setattr(proofs, "MAX_GOALS", 0)
    found = net.difference(idinf.target("dyck-1"), max_n=12)
    assert (found.equal, found.up_to, found.word) == (True, 12, None)
    with pytest.raises(idinf.UndecidedError, match=r"up to length 64.*expected a proof"):
        _ = net == idinf.target("dyck-1")


def test_languages_are_compared_with_languages_only() -> None:
    one = idinf.target("dyck-1")
    assert one != "dyck-1"
    with pytest.raises(TypeError):
        _ = one <= "dyck-1"  # type: ignore[operator]
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_a_difference_says_all_there_is_to_know() -> None:
    found = idinf.target("d-3").difference(idinf.target("dyck-1"))
    assert (found.word, found.accepted_by, found.equal, found.proved, found.is_least) == (
        "aaaabbbb",
        "dyck-1",
        False,
        True,
        True,
    )
    assert str(found) == "different  aaaabbbb  (length 8): accepted by dyck-1 alone  (all pairs of states)"
    assert found.to_dict()["format"] == "idinf-diff/1"
    assert idinf.diff("d-3", "dyck-1") == found


def test_the_length_of_a_word_counts_symbols() -> None:
    doors = [
        idinf.target(program=f'accept = {few} <= # "open"', alphabet=["open", "shut"]) for few in ("1", "2")
    ]
    assert "open  (length 1)" in str(doors[0].difference(doors[1]))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, idinf.SpecError, "nothing given; expected one of a target, regex=, program="),
        ({"source": "dyck-1", "regex": "a"}, idinf.SpecError, "a target and regex given"),
        ({"source": "dick-1"}, idinf.SpecError, "did you mean 'dyck-1'"),
        ({"regex": "(a"}, idinf.SpecError, r"\('? ?is never closed|never closed"),
        ({"regex": "()"}, idinf.SpecError, "no symbol is named"),
        ({"program": "accept = "}, idinf.ProgramError, "line 1"),
        ({"program": "nowhere"}, idinf.ProgramError, "unknown program 'nowhere'"),
        ({"source": "ge-k-j"}, idinf.SpecError, "a family with the parameters k, j"),
        ({"regex": "ab", "alphabet": "a"}, idinf.SpecError, "symbol 'b'"),
    ],
)
def test_refusals(arguments: dict[str, str], error: type[idinf.IdinfError], message: str) -> None:
    with pytest.raises(error, match=message):
        idinf.target(**arguments)


def test_random_pairs_of_languages() -> None:
    """Random regexes: equality and inclusion are those of all words up to twice the states."""
    rng = random.Random(7)
    compared = 0
    for _ in range(20):
        one, other = (idinf.target(regex=regex(rng, 3), alphabet="ab") for _ in range(2))
        first, second = set(one.words(up_to=9)), set(other.words(up_to=9))
        if first == second:
            continue  # might differ later
        compared += 1
        assert one != other
        assert first <= second or not one <= other
    assert compared > 10


def regex(rng: random.Random, depth: int) -> str:
    if not depth:
        return rng.choice(["a", "b", "()"])
    kind = rng.choice(["star", "or", "then"])
    inner = regex(rng, depth - 1)
    if kind == "star":
        return f"({inner})*"
    return f"({inner}{'|' if kind == 'or' else ''}{regex(rng, depth - 1)})"


def test_repr_is_short() -> None:
    long = idinf.target(regex="a" * 500)
    assert repr(idinf.target("dyck-1")) == "<target dyck-1 over a b>"
    assert len(repr(long)) < 120
    assert isinstance(long, Language)


def test_inclusion_of_a_regular_language_among_counters() -> None:
    """Where the regular one cannot accept any more, counts that grow further do not matter."""
    assert idinf.target("d-2") <= idinf.target("dyck-1")
    assert idinf.target("d-12") < idinf.target("dyck-1")
    assert not idinf.target("dyck-1") <= idinf.target("d-2")
    assert idinf.target("tomita-2") <= idinf.target("majority")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("regex", ["(ab)*", "a*b*", "(a|b)*a", "ab.*", "aab|b*", "(a(ab)*b)*", "..", "b.*|a"])
@pytest.mark.parametrize("program", ['# "b" <= # "a"', '# "a" == # "b"', '# "b" <= 1'])
def test_inclusion_beside_all_short_words(regex: str, program: str) -> None:
    few, more = (
        idinf.target(regex=regex, alphabet="ab"),
        idinf.target(program=f"accept = {program}", alphabet="ab"),
    )
    both = intersect(few._language, more._language)
    for word in words_up_to(2, 7):
        assert accepts(both, word) == (accepts(few._language, word) and accepts(more._language, word))
    try:
        assert (few <= more) is all(word in more for word in few.words(up_to=8))
    except idinf.UndecidedError:
        assert all(word in more for word in few.words(up_to=8))
