"""Grouping equal rows, also when every hash collides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from idinf.space import rows as module
from idinf.space.rows import group_rows, sort_distinct

TABLES = st.one_of(
    hnp.arrays(kind, st.tuples(st.integers(0, 12), st.integers(0, 19)), elements=elements)
    for kind, elements in (
        (np.int64, st.integers(-2, 1)),
        (np.int64, st.sampled_from([-(2**62), 0, 2**62])),
        (np.uint8, st.integers(0, 1)),
        (np.int16, st.integers(-1, 1)),
    )
)


def check(rows):
    first, group = group_rows(rows)
    texts = [tuple(row) for row in rows.tolist()]
    seen = {}
    for place, text in enumerate(texts):
        seen.setdefault(text, place)
    assert [texts[first[g]] for g in group] == texts
    assert sorted(first.tolist()) == sorted(seen.values())  # one group per row, the first row of each


@given(TABLES)
def test_groups_are_those_of_equal_rows(rows):
    check(rows)


@given(TABLES)
def test_groups_are_right_when_every_hash_is_the_same(rows):
    multipliers = module._MULTIPLIERS
    try:
        module._MULTIPLIERS = np.zeros_like(multipliers)
        check(rows)
    finally:
        module._MULTIPLIERS = multipliers


def test_collisions_do_happen_with_zero_multipliers(monkeypatch):
    """Without the check of the hash, all rows would be one group."""
    monkeypatch.setattr(module, "_MULTIPLIERS", np.zeros(64, dtype=np.uint64))
    monkeypatch.setattr(module.np, "array_equal", lambda *_: True)
    assert len(group_rows(np.arange(12).reshape(4, 3))[0]) == 1


@pytest.mark.parametrize("step", [1, 2, -1])
def test_rows_need_not_be_contiguous(step):
    rows = np.arange(60).reshape(6, 10)[:, ::step] % 2
    check(rows)


def test_more_columns_than_multipliers():
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.integers(0, 2, (5, 150)), 3, axis=0)
    rows[7, 149] ^= 1
    check(rows)


@given(TABLES)
def test_distinct_rows_are_in_order(rows):
    texts = sorted({tuple(row) for row in rows.tolist()})
    assert [tuple(row) for row in sort_distinct(rows, axis=0).tolist()] == texts


def test_numbers_too_large_for_one_are_in_order_too():
    rows = np.array([[2**62, 1], [-(2**62), 2], [0, 0], [2**62, 0]])
    assert sort_distinct(rows, axis=0).tolist() == sorted(rows.tolist())
