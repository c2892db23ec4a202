"""Forms of units: every unit within a budget is a realisation of one, and none fits below more corners."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from idinf.nets.attention import UNIFORM
from idinf.nets.regularizer import Aggregate
from idinf.space import forms
from idinf.space.forms import Corners, FormSpace, UnitForms
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import SLACK, LayerBudget, Units, iter_unit_chunks
from tests.asked_for import few

#: Tokens, Δ, p, heads, and room for ‖V‖ + ‖A‖ + ‖b‖.
SPACES = [
    (3, 1, 0, 1, 5.0),
    (3, 1, 1, 1, 3.3),
    (4, 1, 0, 1, 3.5),
    (3, 2, 0, 1, 3.5),
    (2, 3, 0, 1, 3.5),
    (3, 1, 0, 0, 4.0),
    (3, 3, 1, 0, 2.0),
]


def listed(tokens, period, precision, heads, room):
    """Space, budget and corners, and all units within the budget, one by one."""
    features = tokens + (period if period > 1 else 0)
    within = LayerBudget(features, precision, heads + room, Cost(float(heads)), Aggregate.MAX)
    units = Units.concatenate(list(iter_unit_chunks(within, (True,) * heads, alone=True)))
    corners = Corners.maximal([tuple(map(float, row)) for row in units.costs(Aggregate.MAX)])
    return FormSpace(tokens, features, precision, heads), within, corners, units


def form_of(space, values, own, bias):
    """What a unit computes: on every class of a position, by differences of v, and the sign at SOS."""
    tokens, features = space.tokens, space.features
    period = features - tokens or 1
    residues = range(tokens, features) if space.features > tokens else (None,)
    zero = values[0] + (values[tokens] if features > tokens else 0)

    def y(token, residue):
        shift = values[0] + own[token] + bias
        return int(shift if residue is None else shift + values[tokens] + own[residue])

    differences = [values[k] - values[0] for k in range(tokens)]
    differences += [values[k] - values[tokens] for k in range(tokens, features)]
    classes = [y(token, residue) for token in range(1, tokens) for residue in residues]
    at_sos = zero + own[0] + bias + (own[tokens] if features > tokens else 0) > 0
    assert len(classes) == (tokens - 1) * period
    return (*map(int, differences), *classes, bool(at_sos))


def forms_of(space, units):
    values = units.channel if space.heads else np.zeros((len(units), space.features), dtype=np.int64)
    return [form_of(space, *row) for row in zip(values, units.own, units.bias, strict=True)]


def check(space, within, corners, units):
    """Compare with the list of all units; returns how many forms there are."""
    found = UnitForms.concatenate(list(space.parts(corners)))
    masks = dict(zip(forms_of(space, found.units), found.masks.tolist(), strict=True))
    assert len(masks) == len(found)  # each form once
    costs = corners.masks(units.costs(Aggregate.MAX))
    for form, mask in zip(forms_of(space, units), costs.tolist(), strict=True):
        assert mask
        assert mask & ~masks[form] == 0
    again = Units.concatenate(
        [Units.none(space.features, space.precision, space.heads), *space.realisations(found.units, within)]
    )
    rows = [np.concatenate([u.channel, u.own, u.bias[:, None]], axis=1) for u in (units, again)]
    shortest: dict[tuple[object, ...], int] = {}
    keys = [
        (form, *row[: -1 - space.features].tolist(), *row[-space.features :].tolist())
        for form, row in zip(forms_of(space, units), rows[0], strict=True)
    ]
    for key, own in zip(keys, units.own[:, 0], strict=True):
        shortest[key] = min(shortest.get(key, 1 << 30), abs(int(own)))
    want = {
        tuple(row.tolist())
        for key, row, own in zip(keys, rows[0], units.own[:, 0], strict=True)
        if abs(int(own)) == shortest[key]
    }
    assert {tuple(row.tolist()) for row in rows[1]} == want
    assert len(again) == len(want)
    every = Units.concatenate(list(space.realisations(found.units, within, every=True)))
    assert len(every) == len(units)
    assert len(
        np.unique(np.concatenate([every.channel, every.own, every.bias[:, None]], axis=1), axis=0)
    ) == len(units)
    return len(found)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_every_unit_is_a_realisation_of_a_form_below_its_corners(space):
    assert check(*listed(*space)) > 0


def test_parts_are_the_whole(monkeypatch):
    space, _, corners, _ = listed(*SPACES[1])
    whole = UnitForms.concatenate(list(space.parts(corners)))
    monkeypatch.setattr(forms, "CELLS", 50)
    monkeypatch.setattr(forms, "FIRST_PART", 4)
    parts = list(space.parts(corners))
    assert len(parts) > 10
    some = UnitForms.concatenate(parts)
    assert sorted(forms_of(space, some.units)) == sorted(forms_of(space, whole.units))
    assert sorted(some.masks.tolist()) == sorted(whole.masks.tolist())


@pytest.mark.thinned(4)
@pytest.mark.parametrize("space", [space for space in SPACES if space[3]], ids=str)
def test_shares_hold_every_form_once(space):
    space, _, corners, _ = listed(*space)
    whole = [form for part in space.parts(corners) for form in forms_of(space, part.units)]
    for number in (2, 5, few(20, 1000)):
        shares = [space.parts(corners, (share, number)) for share in range(number)]
        found = [form for parts in shares for part in parts for form in forms_of(space, part.units)]
        assert sorted(found) == sorted(whole)


@pytest.mark.parametrize("fault", [(1, 0), (0, 1)])
def test_a_shift_too_few_is_noticed(fault, monkeypatch):
    """A planted fault: intervals of shifts are too short at an end."""
    whole = forms._shifts

    def shorter(*args):
        low, high = whole(*args)
        return low + fault[0], high - fault[1]

    monkeypatch.setattr(forms, "_shifts", shorter)
    with pytest.raises((AssertionError, KeyError)):
        check(*listed(*SPACES[0]))


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
