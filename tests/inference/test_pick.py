"""What is said of the canonical pick where no time was left to list what it is picked from."""

from __future__ import annotations

import itertools

import pytest

from idinf.inference.canonical import Canonical
from idinf.inference.table import FailTable
from idinf.report.value import find_n0
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.spaces import small_space

MAX_N = 8


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["majority", "tomita-1", "dyck-1", "contains-ab", "parity"])
def test_a_late_pick_is_known_in_part_and_never_otherwise(name):
    search = Search(build_target(load(name)), small_space(precision=1), 2 * MAX_N)
    table = FailTable(search.words.length, MAX_N, lambda n: 1 / (2 * n))
    high = 9.0
    for low, end in itertools.pairwise((0.0, 4.5, 5.5, 7.0, 8.0, high)):
        for found in list(search.slice(low, end, table.words_needed(low), Mode())):
            table.add(found)

    calm, late = Canonical(search, table, high), Canonical(search, table, high, has_time=False)
    stages = [calm.stage(n) for n in range(1, MAX_N + 1)]
    whole, part = (list(map(canonical.pick_is_good, stages)) for canonical in (calm, late))
    assert all(less in (None, more) for less, more in zip(part, whole, strict=True))
    assert [value is None for value in whole] == [stage.r_star is None for stage in stages]
    assert all(value for value, stage in zip(part, stages, strict=True) if stage.good)
    n0, pick = find_n0([stage.good for stage in stages]), find_n0(part)
    assert pick in (None, find_n0(whole))
    assert n0 is None or find_n0(whole) <= n0
    assert late.limit == "no time was left to list realisations" or stages[0].r_star is None
