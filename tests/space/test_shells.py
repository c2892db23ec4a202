"""Triples by the sum of their norms, against a sort of all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.space.units import EqualRuns, Shells

NUMBERS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.25, 2.0]), min_size=1, max_size=6).map(sorted)


@given(NUMBERS, NUMBERS, NUMBERS, st.sampled_from([-1.0, 0.0, 1.25, 2.5, 9.0]), st.integers(1, 9), st.data())
def test_every_triple_within_the_budget_once_the_least_first(first, second, third, budget, most, data):
    lists = (first, second, third)
    shells = Shells(*(EqualRuns.of(np.array(numbers)) for numbers in lists), budget)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idinf.space.units.BAND", data.draw(st.sampled_from([1, 4, 1 << 20])))
        parts = list(shells.members(most))
    assert all(0 < len(part[0]) <= most for part in parts)
    found = [place for part in parts for place in zip(*(each.tolist() for each in part), strict=True)]

    def total(place):
        return sum(numbers[k] for numbers, k in zip(lists, place, strict=True))

    want = [p for p in itertools.product(*(range(len(n)) for n in lists)) if total(p) <= budget]
    assert sorted(found) == want
    assert len(found) == shells.size
    sums = [total(place) for place in found]
    assert sums == sorted(sums)
    for _, shell in itertools.groupby(found, lambda p: tuple(n[k] for n, k in zip(lists, p, strict=True))):
        places = list(shell)
        assert places == sorted(places, key=lambda p: (p[2], p[0], p[1]))
