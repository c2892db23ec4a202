"""A budget of R leaves its corners: a hypothesis is within it iff some corner is above all its layers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from idinf.nets.attention import UNIFORM
from idinf.nets.regularizer import Aggregate
from idinf.space import forms
from idinf.space.forms import Corners
from idinf.space.structures import LayerShape, Structure
from idinf.space.units import SLACK

SHAPES = [((0, 1), (0, 1)), ((1, 1), (1, 1)), ((1, 1), (0, 1), (1, 1)), ((1, 2), (1, 1))]


def layers_by_hand(heads, units, precision, most):
    """Costs that a layer may have: a few norms on the grid."""
    step = 0.5**precision
    ranks = range(1, units + 1) if heads else range(1)
    values = range(1, most) if heads else range(1)
    for rank, value, own, bias in itertools.product(ranks, values, range(most), range(3)):
        bias_norm = step * (bias if units == 1 else math.sqrt(bias))
        entries = heads * 4**precision if units == 1 else heads * 2
        yield float(rank), step * math.sqrt(value), step * math.sqrt(entries + own), bias_norm


def check_corners(shape, precision, high):
    structure = Structure(tuple(LayerShape((UNIFORM,) * heads, units) for heads, units in shape), precision)
    found = Corners.of(structure, high)
    of_layers = [np.array(list(layers_by_hand(*layer, precision, 5))) for layer in shape]
    masks = [found.masks(costs) for costs in of_layers]
    met = set()
    for places in itertools.product(*(range(0, len(costs), 3) for costs in of_layers)):
        joint = np.max([costs[k] for costs, k in zip(of_layers, places, strict=True)], axis=0)
        fits = structure.base(Aggregate.MAX) + joint.sum() <= high + SLACK
        assert fits == bool(np.bitwise_and.reduce([of[k] for of, k in zip(masks, places, strict=True)]))
        met.add(fits)
    return met


@pytest.mark.thinned(3)
@pytest.mark.parametrize("precision", [0, 1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_within_the_budget_iff_below_a_corner(shape, precision):
    floor = Structure(
        tuple(LayerShape((UNIFORM,) * heads, units) for heads, units in shape), precision
    ).floor(Aggregate.MAX)
    met = set().union(*(check_corners(shape, precision, floor + more) for more in (0.0, 0.5, 1.0)))
    assert met == {False, True}


def test_a_forgotten_corner_is_noticed(monkeypatch):
    """A planted fault: only one corner is kept."""
    right = forms.Corners.maximal
    monkeypatch.setattr(
        forms.Corners, "maximal", staticmethod(lambda points: Corners(right(points).points[:1]))
    )
    with pytest.raises(AssertionError):
        check_corners(SHAPES[1], 1, 10.5)
