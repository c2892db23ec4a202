"""Equal rows found by tables, by sorting and by hashes."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search import merging
from idinf.search.merging import distinct_rows, merge_rows


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("spread", [1, 10_000, 2**31])
@pytest.mark.parametrize("ordered", [True, False])
def test_first_of_each_row_and_union_of_its_sets(columns, spread, ordered):
    rng = np.random.default_rng([columns, spread])
    rows = rng.integers(-2, 3, (200, columns)) * spread
    masks = rng.integers(0, 2**63, 200).astype(np.uint64)
    want: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(rows.tolist()):
        want.setdefault(tuple(row), []).append(place)
    first, merged = merge_rows(rows, masks, ordered)
    assert sorted(first.tolist()) == [places[0] for places in want.values()]
    assert not ordered or first.tolist() == sorted(first.tolist())
    unions = {places[0]: int(np.bitwise_or.reduce(masks[places])) for places in want.values()}
    assert {int(f): int(m) for f, m in zip(first, merged, strict=True)} == unions
    assert merge_rows(rows, None, ordered)[1] is None


@pytest.mark.parametrize("table", [-(10**9), 10**9])
def test_groups_are_the_same_by_table_and_by_sorting(table, monkeypatch):
    monkeypatch.setattr(merging, "TABLE_PER_ROW", table)
    rows = np.random.default_rng(1).integers(0, 4, (300, 3))
    first, group = distinct_rows(rows)
    assert np.array_equal(rows[first][group], rows)
    assert len(first) == len(np.unique(rows, axis=0))
    assert all(not (rows[:f] == rows[f]).all(axis=1).any() for f in first)
