"""Which units of a list are kept, whatever the parts it comes in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from idinf.errors import BudgetError
from idinf.space.layers import list_layer_choices
from idinf.space.reduction import UNITS_OF_STEP, LayerFilter, find_undominated, keep_units
from idinf.space.structures import Cost, LayerShape
from idinf.space.units import LayerBudget, Units
from idinf.transformers.attention import UNIFORM
from idinf.transformers.regularizer import Aggregate


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


def test_long_lists_count_as_work_before_they_are_looked_at():
    """A few steps of work stop a long list, however few its units would be after a look at it."""
    size, steps = 4 * UNITS_OF_STEP, 0
    none = np.zeros((size, 0), np.int64)
    whole = Units(0, none, none, np.zeros((size, 2), np.int64), np.zeros(size, np.int64))

    def count():
        nonlocal steps
        steps += 1

    def look(units):
        assert steps == 5
        return every(units)

    known = LayerFilter(signs, signs, every, every, possible=look, checkpoint=count)
    units, _ = keep_units([whole], Units.none(2, 0, 0), known, lambda units: np.arange(1))
    assert len(units) == 1


def test_only_what_is_kept_counts_against_the_bound(monkeypatch):
    """Thousands of units, a few behaviours."""
    monkeypatch.setattr("idinf.space.units.RAW", 10**6)
    for module in ("units", "reduction"):
        monkeypatch.setattr(f"idinf.space.{module}.CHUNK", 64)
    shape = LayerShape((UNIFORM,), 1)

    def choices(reduce, most):
        known = LayerFilter(signs, signs, every, every, reduce, most)
        return list_layer_choices(shape, LayerBudget(2, 1, 5.0, Cost(), Aggregate.MAX), known)

    kept = len(choices(True, 10**7))
    assert len(choices(False, 10**7)) > 10 * kept
    assert len(choices(True, 2 * kept)) == kept
    with pytest.raises(BudgetError, match=f"more than {kept // 2} realisations"):
        choices(True, kept // 2)
    monkeypatch.setattr("idinf.space.units.RAW", 2)
    with pytest.raises(BudgetError, match=r"units within the budget of R, too many to look at"):
        choices(True, kept)
