"""Grouping equal rows, also when every hash collides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from idinf.space import rows as module
from idinf.space.rows import find_undominated, group_rows, sort_distinct

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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_multipliers", lambda number: np.zeros((2, number), dtype=np.uint64))
        check(rows)


@given(TABLES)
def test_distinct_rows_are_in_order(rows):
    texts = sorted({tuple(row) for row in rows.tolist()})
    assert [tuple(row) for row in sort_distinct(rows, axis=0).tolist()] == texts


@given(st.data())
def test_undominated_keeps_exactly_the_pareto_points(data):
    size = data.draw(st.integers(0, 14))
    columns = [data.draw(hnp.arrays(np.int64, size, elements=st.integers(0, 3))) for _ in range(3)]
    groups, first, second = columns
    want = []
    for i in range(size):
        beaten = any(
            groups[j] == groups[i]
            and first[j] <= first[i]
            and second[j] <= second[i]
            and ((first[j], second[j]) != (first[i], second[i]) or j < i)
            for j in range(size)
            if j != i
        )
        if not beaten:
            want.append(i)
    costs = np.stack([first, second], axis=1)
    assert (
        find_undominated(groups, costs).tolist() == find_undominated(groups, np.sqrt(costs)).tolist() == want
    )
