"""Equal rows found by tables, by sorting and by hashes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from idinf.search.exact_check.merging import MergedRows, distinct_rows, union


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
    steps = np.stack([np.arange(200), np.zeros(200)], axis=1).astype(np.int32) if ordered else None
    whole = MergedRows(rows, masks, steps)
    parts = [whole.take(slice(a, a + 70)) for a in (140, 0, 70)]
    got = union(parts)
    unions = {row: int(np.bitwise_or.reduce(masks[places])) for row, places in want.items()}
    assert dict(zip(map(tuple, got.rows.tolist()), got.masks.tolist(), strict=True)) == unions
    assert len(got) == len(want)
    if ordered:
        assert got.steps[:, 0].tolist() == [places[0] for places in want.values()]
    without = union([replace(part, masks=None) for part in parts])
    assert without.masks is None
    assert sorted(map(tuple, without.rows.tolist())) == sorted(want)
    assert not ordered or without.rows.tolist() == got.rows.tolist()


@pytest.mark.parametrize("table", [-(10**9), 10**9])
def test_groups_are_the_same_by_table_and_by_sorting(table):
    rows = np.random.default_rng(1).integers(0, 4, (300, 3))
    first, group = distinct_rows(rows, table)
    assert np.array_equal(rows[first][group], rows)
    assert len(first) == len(np.unique(rows, axis=0))
    assert all(not (rows[:f] == rows[f]).all(axis=1).any() for f in first)
