"""Slopes: the least separating length by trying all counts, and the programs by comparing them."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

import idinf
from idinf.targets.slopes import iter_neighbours, separate, write_slope_program

SLOPES = sorted({Fraction(a, b) for a in range(9) for b in range(1, 7)})


@pytest.mark.slow
def test_all_pairs_of_small_slopes_by_trying_all_counts() -> None:
    for low, high in itertools.combinations(SLOPES, 2):
        tried = ((k + m, m, k) for m in range(1, 40) for k in range(80) if low * m < k <= high * m)
        found = separate(high, low)
        assert (found.length, found.zeros, found.ones) == min(tried), (low, high)
        assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize(("one", "other"), [("1", "5/4"), ("0", "1/3"), ("2/3", "3/4"), ("1.5", "2")])
def test_the_programs_differ_first_on_that_word(one: str, other: str) -> None:
    found = idinf.separate(one, other)
    low, high = (idinf.program(write_slope_program(slope)) for slope in (found.low, found.high))
    difference = low.difference(high)
    assert difference.word == "0" * found.zeros + "1" * found.ones
    assert difference.accepted_by == low.name


def test_each_bit_doubles_the_length() -> None:
    lengths = [found.length for _, found in iter_neighbours(Fraction(1), 64)]
    assert lengths == [2 ** (p + 1) + 1 for p in range(65)]
