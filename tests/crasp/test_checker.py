"""Names, sorts, locality, numbers: one fault at a time, with its place."""

import numpy as np
import pytest

import idinf
from idinf.base.words import Alphabet, words_up_to
from idinf.crasp import checker
from idinf.crasp.checker import MAX_REACH, check, read_program
from idinf.crasp.interpreter import compute_values
from idinf.crasp.parser import parse
from idinf.errors import ProgramError

SIGMA = Alphabet(("a", "b"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = y", "line 1, column 5: 'y' is not defined"),
        ("true = true", "line 1, column 1: 'true' is a word of the language"),
        ("x = 3 == true", "line 1, column 10: '==' has a Boolean here"),
        ('x = min("b", 1) > 0', "line 1, column 9: 'min' has a Boolean here"),
        ('b = "a"\nx = b <= 1', "line 2, column 5: '<=' has a Boolean here"),
        ('x = #[i = j-1] "a" > 0', "line 1, column 7: predicate of 'i' and 'j'"),
        (
            f'x = #[j = i-{MAX_REACH + 1}] "a" > 0',
            f"line 1, column 7: distance {MAX_REACH + 1}; expected at most",
        ),
        (f'c = {2**40} * # "a" + 1\nx = c > 0', "line 1, column 5: coefficients add up to 1099511627777"),
    ],
)
def test_one_fault_at_a_time(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=rf"^{message}") as caught:
        read_program(text, SIGMA)
    assert "\n" not in str(caught.value)


# Sorts, depth, counts, classes and alphabets of programs


@pytest.mark.parametrize(
    ("text", "class_name", "depth", "counts", "local", "reach", "period"),
    [
        ('x = "a"', "C-RASP[]", 0, 0, 0, 0, 1),
        ('x = # "a" <= # "b"', "C-RASP[]", 1, 2, 0, 0, 1),
        ('y = # "a" x = # (y > 1) > # "b"', "C-RASP[]", 2, 3, 0, 0, 1),
        ('y = # (# (# "a" > 0) > 0) x = "a"', "C-RASP[]", 0, 3, 0, 0, 1),
        ('x = #[j = i] "a" > 0', "C-RASP[local]", 1, 1, 1, 0, 1),
        ("x = i mod 4 == 1 || i mod 6 == 2", "C-RASP[periodic]", 0, 0, 0, 0, 12),
        ("x = i mod 1 == 0", "C-RASP[]", 0, 0, 0, 0, 1),
        (
            '#import pred3 #import pos_even x = # (pos_even && #[pred3] "a" > 0) > 1',
            "C-RASP[periodic,local]",
            2,
            2,
            1,
            3,
            2,
        ),
    ],
)
def test_numbers(
    text: str, class_name: str, depth: int, counts: int, local: int, reach: int, period: int
) -> None:
    facts = check(parse(text))
    assert (facts.class_name, facts.depth) == (class_name, depth)
    assert (facts.counts, facts.local_counts, facts.reach, facts.period) == (counts, local, reach, period)


def test_alphabets_are_the_named_symbols() -> None:
    assert check(parse('x = # "b" > # ("c" || "a")')).alphabet().symbols == ("a", "b", "c")
    spaced = check(parse('x = "right" || "l"')).alphabet()
    assert (spaced.symbols, spaced.spaced) == (("l", "right"), True)


# Bounds of counts hold on every word and are met by some


@pytest.mark.parametrize(
    ("count", "size"),
    [
        ('# "a"', 1),
        ('#[j >= i-3] "a"', 1),
        ("7", 7),
        ('3 * # "a" - 2 * # "b"', 5),
        ('-(# "a" - 4) * 3', 15),
        ('# "a" * (2 - 5)', 7),
        ('max(5 * # "a", 2) if "b" else # "b"', 5),
        ("0 * 9", 9),
    ],
)
def test_no_count_is_larger_than_its_bound(count: str, size: int) -> None:
    program = parse(f"c = {count} x = c > 0")
    assert check(program, SIGMA).size == size
    for word in words_up_to(2, 6):
        at = compute_values(program, SIGMA, word)[0].at
        assert np.abs(at).max() <= size * (len(word) + 1)


def test_a_run_parses_the_program_of_its_target_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr(
        checker, "parse", lambda text, alphabet: [parsed.append(text), parse(text, alphabet)][1]
    )
    checker.read_program.cache_clear()
    idinf.identify("majority", max_n=4)
    assert len(parsed) == 1
