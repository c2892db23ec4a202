"""Languages as values: membership, equality and inclusion against all words, and honest refusals."""

from __future__ import annotations

import itertools

import pytest

import idinf
from idinf import crasp, errors
from idinf.base.words import words_up_to
from idinf.languages.equivalence.comparison import intersect
from idinf.targets.machine import accepts


def all_words(symbols: str, length: int) -> list[str]:
    return ["".join(word) for n in range(length + 1) for word in itertools.product(symbols, repeat=n)]


SIDES = {
    "regular": lambda: idinf.target("regex:(ab)*", alphabet="ab"),
    "shipped": lambda: idinf.target("dyck-1"),
    "program": lambda: idinf.target('accept = # "b" <= # "a"'),
    "hypothesis": lambda: crasp.compile("dyck-1"),
}


@pytest.mark.parametrize("side", SIDES)
def test_words_are_those_that_are_in_the_language(side: str) -> None:
    language = SIDES[side]()
    assert list(language.words(up_to=6)) == [word for word in all_words("ab", 6) if word in language]
    assert len(language.words(up_to=6)) > 1


def test_membership_by_hand() -> None:
    dyck = idinf.target("dyck-1")
    assert ["" in dyck, "ab" in dyck, "ba" in dyck, ("a", "b") in dyck] == [True, True, False, True]
    with pytest.raises(errors.AlphabetMismatchError, match="'c' at position 2"):
        _ = "ac" in dyck
    with pytest.raises(errors.AlphabetMismatchError, match="'c' at position 2"):
        _ = ["a", "c"] in dyck


REGEXES = ("(ab)*", "(ab)*a", "a*b*", "(a|b)*", "()", "(a|b)*a", "((a|b)(a|b))*", "(ab|ba)*", "a*")


@pytest.mark.thinned(9)
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations_with_replacement(REGEXES, 2)))
def test_equality_and_inclusion_of_regular_languages(one: str, other: str) -> None:
    """Of minimal automata with at most 4 states words up to length 8 decide."""
    a, b = (idinf.target(f"regex:{regex}", alphabet="ab") for regex in (one, other))
    first, second = set(a.words(up_to=8)), set(b.words(up_to=8))
    assert (a == b) is (first == second)
    assert (a <= b) is (first <= second)
    assert (a >= b) is (first >= second)
    assert (a < b) is (first < second)
    assert (a > b) is (first > second)


def test_inclusion_of_programs_is_proved_by_integer_programs() -> None:
    few = idinf.target('accept = 2 * # "b" <= # "a"')
    more = idinf.target('accept = # "b" <= # "a"')
    assert few <= more
    assert not more <= few
    assert few != more
    assert more == idinf.target('x = 3 * # "b" <= 3 * # "a"')


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": len}, errors.ArgumentError, "write a function of words as one of these"),
        ({"source": "(ab)*"}, errors.SpecError, "did you mean 'regex:"),
        ({"source": "dick-1"}, errors.SpecError, "did you mean 'dyck-1'"),
        ({"source": "regex:()"}, errors.SpecError, "no symbol is named"),
        ({"source": "program:nowhere"}, errors.ProgramError, "unknown program 'nowhere'"),
        ({"source": "regex:ab", "alphabet": "a"}, errors.SpecError, "symbol 'b'"),
    ],
)
def test_refusals(arguments: dict[str, str], error: type[idinf.IdinfError], message: str) -> None:
    with pytest.raises(error, match=message):
        idinf.target(**arguments)


@pytest.mark.thinned(9)
@pytest.mark.parametrize("regex", ["(ab)*", "a*b*", "(a|b)*a", "ab.*", "aab|b*", "(a(ab)*b)*", "..", "b.*|a"])
@pytest.mark.parametrize("program", ['# "b" <= # "a"', '# "a" == # "b"', '# "b" <= 1'])
def test_inclusion_beside_all_short_words(regex: str, program: str) -> None:
    few, more = (
        idinf.target(f"regex:{regex}", alphabet="ab"),
        idinf.target(f"accept = {program}", alphabet="ab"),
    )
    both = intersect(few.decider, more.decider)
    for word in words_up_to(2, 7):
        assert accepts(both, word) == (accepts(few.decider, word) and accepts(more.decider, word))
    try:
        assert (few <= more) is all(word in more for word in few.words(up_to=8))
    except errors.UndecidedError:
        assert all(word in more for word in few.words(up_to=8))
