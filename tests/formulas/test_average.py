"""Averages by hand, and their order by what they imply."""

from __future__ import annotations

from fractions import Fraction

from idinf.formulas.average import UNWEIGHTED, Weighting, read_average
from idinf.formulas.condition import TRUE, all_of, any_of, negated
from tests.formulas.on_words import Prefix, holds

#: The prefix ab of an input with N = 5; a unit, place 2, holds at the b.
AB = Prefix(1, (1, 1, 1), (True,), ((1, 0, 0), (0, 1, 1)), 5)


def test_shares_and_own_units_are_added() -> None:
    local = Weighting(phi=(0, 1))
    # #a has share 5/7 one back, #b a third of a plain mean
    assert holds(read_average({local: {0: 7}, UNWEIGHTED: {1: 3}}, 5), AB)
    assert not holds(read_average({local: {0: 7}, UNWEIGHTED: {1: 3}}, 6), AB)
    assert holds(read_average({local: {0: 7}}, 5, {0: 1}), AB)
    assert not holds(read_average({local: {0: 7}}, 5, {0: 0}), AB)
    assert read_average({local: {0: 7}}, 5, {0: -1}) == read_average({local: {0: 14}}, 10, {0: -2})


def test_at_sos_everything_is_0() -> None:
    start = Prefix(None, (0, 0), (False,))
    assert holds(read_average({Weighting(start=2): {0: 1}}, -1), start)
    assert not holds(read_average({Weighting(start=2): {0: 1}}, 0), start)


def test_bounds_of_one_average_imply_each_other() -> None:
    low, high = read_average({UNWEIGHTED: {0: 6, 1: -2}}, 1), read_average({UNWEIGHTED: {0: 3, 1: -1}}, 2)
    assert (low.bound, high.bound) == (Fraction(1, 2), 2)
    assert all_of([low, high]) == high
    assert any_of([low, high]) == low
    assert all_of([negated(low), negated(high)]) == negated(low)
    assert any_of([low, negated(high)]) == TRUE
