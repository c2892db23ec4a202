"""Slopes: the least separating length by trying all counts, and the programs by comparing them."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from click.testing import CliRunner

import idinf
from idinf.commands import main
from idinf.targets.slopes import MAX_SLOPE, iter_neighbours, read_slope, separate, write_slope_program
from tests.commands.refusals import refused

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


@pytest.mark.parametrize(
    "slope", ["-1", "x", "1/0", "1e9", "nan", str(MAX_SLOPE + 1), f"1/{2**40}", "9" * 99]
)
def test_what_is_no_slope(slope: str) -> None:
    with pytest.raises(idinf.ArgumentError, match=r"^slope .*; expected a number from 0 to"):
        read_slope(slope)


def test_the_command() -> None:
    def run(*arguments: str):
        return CliRunner().invoke(main, ["crasp", "slopes", *arguments], prog_name="idinf")

    assert "length  9: both" in run("1.25", "1").stdout
    refused(run("1", "1.0"), 2, "slope 1 is given twice; expected two")
    refused(run("1", "one"), 2, "slope 'one'; expected a number")
