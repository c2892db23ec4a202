"""Joint reachability of two step machines against all words up to a length, one at a time."""

import re
from itertools import product

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.languages.equivalence.comparison import compare_all_pairs, find_first_difference
from idinf.languages.equivalence.conditions import WordSlice
from idinf.search.exact_check.summaries import CheckSizes
from tests.languages.equivalence.languages_by_words import least_difference, program, random_regex, regex
from tests.targets.random_programs import random_program


def varied(text, rng):
    """A program with one of its numbers or relations changed, but not inside of a periodic predicate."""
    places = [match.span(1) for match in re.finditer(r"(?<!mod)(?<!==)(?<!\[j) (\d|<=|>=|!=|<|>) ", text)]
    if not places:
        return text
    begin, end = places[int(rng.integers(len(places)))]
    new = str(int(rng.integers(0, 4))) if text[begin].isdigit() else str(rng.choice(["<=", ">=", "!="]))
    return f"{text[:begin]}{new}{text[end:]}"


@pytest.mark.thinned(10)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("sizes", [CheckSizes(chunk=1, waiting=3), CheckSizes()], ids=["few", "many"])
def test_random_programs(seed, sizes):
    rng = np.random.default_rng([41, seed])
    symbols, length = ("ab", 6) if rng.random() < 0.7 else ("abc", 4)
    text = random_program(rng, symbols)
    one, other = program(text, symbols), program(varied(text, rng), symbols)
    wanted = least_difference(one, other, length)
    for horizon in range(length + 1):
        found = find_first_difference(one, other, horizon, 10_000, sizes=sizes)
        assert found == (None if wanted is None or len(wanted) > horizon else wanted)
    closed = compare_all_pairs(one, other, 300)
    assert closed == wanted or wanted is None or closed is False
    assert closed is not True or find_first_difference(one, other, 12, 10_000) is None


def test_random_regexes_are_always_decided():
    rng = np.random.default_rng(42)
    verdicts = {True: 0, False: 0}
    for _ in range(40):
        one = regex(random_regex(rng, "ab", int(rng.integers(2, 6))))
        other = regex(random_regex(rng, "ab", int(rng.integers(2, 6))))
        closed = compare_all_pairs(one, other, 10_000)
        wanted = least_difference(one, other, 6)
        assert closed == (True if wanted is None else wanted)
        # Minimal tables with states in order of their least words are equal iff the languages are.
        assert (closed is True) == np.array_equal(one.table, other.table) or wanted is not None
        verdicts[closed is True] += 1
    assert min(verdicts.values()) > 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("one", "other", "symbols", "word"),
    [
        # 7 · #1 ≥ 6 · #0 holds without the majority first at seven 0s and six 1s.
        ('x = # "1" >= # "0"', 'x = 7 * # "1" >= 6 * # "0"', "01", "0000000111111"),
        ('x = # "a" <= 30', 'x = # "a" <= 31', "ab", "a" * 31),
        ('x = #[j = i-9] "a" >= 1', "x = # true < 0", "ab", "aaaaaaaaaa"),
        ("x = i mod 11 == 0", "x = # true == 0", "ab", "a" * 11),
        ("x = # true >= 0", "x = # true > 0", "ab", ""),
    ],
)
def test_planted_differences(one, other, symbols, word):
    codes = tuple(map(symbols.index, word))
    for sides in ((one, other), (other, one)):
        found = find_first_difference(*(program(side, symbols) for side in sides), 40, 10_000)
        assert found is not None
        assert len(found) == len(word)
        assert found <= codes
    assert least_difference(program(one, symbols), program(other, symbols), 4) == (None if word else ())
    for horizon in range(max(len(word) - 1, 0), len(word)):
        assert find_first_difference(program(one, symbols), program(other, symbols), horizon, 10_000) is None


def test_saturating_counters_are_a_finite_machine():
    assert compare_all_pairs(program('x = # "a" >= 3'), regex("b*ab*ab*a.*"), 500) is True
    assert compare_all_pairs(program('x = #[j = i-1] "a" == 1 && "b"'), regex(".*ab"), 500) is True
    assert compare_all_pairs(program("x = i mod 2 == 0"), regex("(..)*"), 500) is True


def point_of(part, word):
    counts = [0] * (part.symbols * part.modulus)
    for position, code in enumerate(word, start=1):
        counts[code * part.modulus + position % part.modulus] += 1
    return (*counts, len(word) // part.modulus)[: part.size]


@pytest.mark.parametrize(
    ("symbols", "modulus", "length"), [(1, 1, 5), (2, 1, 5), (2, 2, 6), (1, 3, 7), (2, 3, 5)]
)
def test_words_are_the_points_of_their_slice(symbols, modulus, length):
    for last, residue in product(range(symbols), range(modulus)):
        part = WordSlice(symbols, modulus, last, residue)
        rows = part.words()
        reached = {}
        for word in words_up_to(symbols, length):
            point = point_of(part, word)
            inside = all(row.holds(point) for row in rows)
            belongs = bool(word) and len(word) % modulus == residue
            assert inside or not (belongs and word[-1] == last)
            if belongs and word[-1] == last:
                reached.setdefault(point, word)  # shortlex: the least of its length comes first
                assert sum(c * x for c, x in zip(part.costs, point, strict=True)) == len(word)
                value = sum(k * x for k, x in zip(part.positions, (*point, 1), strict=True))
                assert value == len(word) + 1
        for point, word in reached.items():
            assert part.least_word(point) == word
        top = range(4)
        for point in product(top, repeat=part.size if part.size < 5 else 0):
            if point and all(row.holds(point) for row in rows):
                assert point_of(part, part.least_word(point)) == point
