"""Corners of a budget: what is within it is below one of them, and what is below one is within it."""

import itertools

import numpy as np
import pytest

from idinf.nets.attention import UNIFORM
from idinf.nets.regularizer import Aggregate
from idinf.space import corners
from idinf.space.corners import Corners
from idinf.space.layers import compute_channel_costs
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import LayerBudget, Units, iter_unit_chunks


def listed(precision, heads, room):
    """Corners of a structure of one layer, and the costs of units within half more than its budget."""
    structure = Structure((LayerShape((UNIFORM,) * heads, 1),), precision)
    base = structure.base(Aggregate.MAX)
    within = LayerBudget(3, precision, heads + 1.5 * room, Cost(float(heads)), Aggregate.MAX)
    units = Units.concatenate(list(iter_unit_chunks(within, (True,) * heads, alone=True)))
    return Corners.of(structure, base + heads + room), units.costs(Aggregate.MAX), heads + room


@pytest.mark.parametrize("most", [64, 3])
@pytest.mark.parametrize("space", [(0, 1, 4.0), (1, 1, 2.9), (1, 0, 2.0)], ids=str)
def test_what_is_within_the_budget_is_below_a_corner(space, most, monkeypatch):
    monkeypatch.setattr(corners, "MOST_CORNERS", most)
    Corners.of.cache_clear()
    found, costs, room = listed(*space)
    below, within = found.masks(costs) != 0, costs.sum(axis=1) <= room + 1e-9
    assert within.any()
    assert not within.all()
    assert below[within].all()
    if most > len(found.points):  # none are joined
        assert np.array_equal(below, within)


def test_norms_between_those_of_integers_are_below_a_corner():
    """Two units by channels of a plane: the square of the spectral norm of V need not be an integer."""
    structure = Structure((LayerShape((UNIFORM,), 2), LayerShape((UNIFORM,), 1)), 0)
    rows = np.array(list(itertools.product(range(-2, 3), repeat=4))).reshape(-1, 2, 1, 2)
    rows = rows[(rows != 0).any(axis=3).all(axis=(1, 2))]
    costs = compute_channel_costs(rows, np.zeros((len(rows), 2, 1), dtype=np.int64), 0, Aggregate.MAX)
    costs = np.column_stack([costs, np.full(len(rows), np.sqrt(2.0)), np.zeros(len(rows))])
    for total in np.unique(costs.sum(axis=1)):
        found = Corners.of(structure, structure.base(Aggregate.MAX) + total)
        assert (found.masks(costs[costs.sum(axis=1) <= total]) != 0).all()
