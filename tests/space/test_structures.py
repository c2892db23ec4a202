"""Structures: their floors against the least R of what they contain, and the order they are visited in."""

from __future__ import annotations

import itertools
import math

import pytest

from idinf.space.structures import Cost, LayerShape, Structure, structures
from idinf.spec.bounds import SpaceBounds
from idinf.transformers.gated import GatedHead, GatedLayer, GatedTransformer, GatedUnit
from idinf.transformers.regularizer import Aggregate, r_terms
from idinf.words import Alphabet


def cheapest(structure):
    """Dense nets that look cheapest: shortest channels, read once or shared, and no other weights."""
    options, features, one = [], 3, 2**structure.precision
    for layer in structure.layers:
        short = tuple(int(k == 0) for k in range(features))
        zero = (0,) * features
        if layer.heads == 0:
            options.append([GatedLayer((), (GatedUnit((), zero, 0),) * layer.units)])
        else:
            alone = (GatedUnit(((0, 0, one),), zero, 0), GatedUnit((), zero, 0))[: layer.units]
            choices = [GatedLayer((GatedHead((short,)),), alone)]
            if layer.units == 2:
                choices.append(GatedLayer((GatedHead((short,)),), (GatedUnit(((0, 0, 1),), zero, 0),) * 2))
            options.append(choices)
        features += layer.units
    top = structure.layers[-1].units
    for layers in itertools.product(*options):
        yield GatedTransformer(Alphabet(("a", "b")), structure.precision, layers, (1,) * top, 0)


@pytest.mark.parametrize("aggregate", Aggregate)
def test_floor_is_the_r_of_the_cheapest_net(aggregate):
    bounds = SpaceBounds.from_preset("nope", layers=3, units=2, precision=2)
    for structure in structures(bounds, aggregate):
        least = min(r_terms(net.to_dense(), aggregate).total for net in cheapest(structure))
        assert structure.floor(aggregate) == pytest.approx(least, abs=1e-12)


def test_every_shape_is_listed_once_in_order():
    bounds = SpaceBounds.from_preset("nope", layers=3, units=2, precision=1)
    listed = structures(bounds, Aggregate.MAX)
    shapes = [(h, m) for h in (0, 1) for m in (1, 2)]
    want = {
        (layers, p)
        for depth in (1, 2, 3)
        for layers in itertools.product(shapes, repeat=depth)
        if depth == 1 or layers[-1][1] == 1
        for p in (0, 1)
    }
    have = [(tuple((x.heads, x.units) for x in s.layers), s.precision) for s in listed]
    assert len(have) == len(set(have))
    assert set(have) == want
    keys = [(s.floor(Aggregate.MAX), s.order_key) for s in listed]
    assert keys == sorted(keys)


def test_bounds_are_upper_bounds():
    bounds = SpaceBounds.from_preset("nope", layers=2, units=1, heads=0, precision=2)
    listed = structures(bounds, Aggregate.SUM)
    assert {s.precision for s in listed} == {0, 1, 2}
    assert {s.depth for s in listed} == {1, 2}
    assert all(s.heads == 0 and s.units == s.depth for s in listed)


@pytest.mark.parametrize("aggregate", Aggregate)
def test_rest_floor_leaves_one_layer_out(aggregate):
    structure = Structure((LayerShape(1, 2), LayerShape(0, 1), LayerShape(1, 1)), 1)
    parts = [layer.floor(1) for layer in structure.layers]
    for without in range(3):
        rest = [part for k, part in enumerate(parts) if k != without]
        want = rest[0].join(rest[1], aggregate)
        assert structure.rest_floor(without, aggregate) == want
    assert structure.rest_floor(-1, Aggregate.SUM).rank == 2.0
    assert structure.rest_floor(-1, Aggregate.MAX).norm_A == 1.0


def test_join():
    one, other = Cost(1.0, 2.0, 3.0, 4.0), Cost(2.0, 1.0, 5.0, 0.0)
    assert one.join(other, Aggregate.MAX) == Cost(2.0, 2.0, 5.0, 4.0)
    assert one.join(other, Aggregate.SUM) == Cost(3.0, 3.0, 8.0, 4.0)
    assert one.total == 10.0


def test_base_by_hand():
    structure = Structure((LayerShape(0, 2), LayerShape(1, 1)), 2)
    # L + H = 3, p = 2, ‖U‖ = 1, ‖E‖ = 1, and ‖B‖ = √2 or √2 + 1.
    assert structure.base(Aggregate.MAX) == pytest.approx(7 + math.sqrt(2))
    assert structure.base(Aggregate.SUM) == pytest.approx(8 + math.sqrt(2))
