"""Which units of a list are kept, whatever the parts it comes in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from idinf.space.reduction import LayerFilter, find_undominated, keep_units
from idinf.space.units import Units


def every(tables):
    return np.ones(len(tables), dtype=np.bool_)


def signs(units):
    """A behaviour that many units share."""
    return np.sign(units.bias) + 1 + 3 * (np.sign(units.own).sum(axis=1) + 2)


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
    assert find_undominated(groups, first, second).tolist() == want
    assert find_undominated(groups, np.sqrt(first), np.sqrt(second)).tolist() == want


@given(st.data())
def test_parts_do_not_matter(data):
    size = data.draw(st.integers(0, 20))
    own = data.draw(hnp.arrays(np.int64, (size, 2), elements=st.integers(-2, 2)))
    bias = data.draw(hnp.arrays(np.int64, size, elements=st.integers(-1, 1)))
    whole = Units(0, np.zeros((size, 0), np.int64), np.zeros((size, 0), np.int64), own, bias)
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=4)))
    parts = [whole.take(slice(a, b)) for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
    known = LayerFilter(signs, signs, lambda tables: tables % 5 != 1, every)

    def cheapest(units):
        return find_undominated(signs(units), units.row_square, np.abs(units.bias))

    none = Units.none(2, 0, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idinf.space.reduction.CHUNK", data.draw(st.integers(0, 5)))
        units, tables = keep_units(parts, none, known, cheapest)
    allowed = whole.take(np.flatnonzero(signs(whole) % 5 != 1))
    want = allowed.take(cheapest(allowed))
    assert np.array_equal(units.own, want.own)
    assert np.array_equal(units.bias, want.bias)
    assert np.array_equal(tables, signs(want))
