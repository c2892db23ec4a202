"""Structures: their floors against the least R of what they contain, and the order they are visited in."""

import itertools

import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.space.structures import LayerShape, Structure, StructureSpace
from tests.spaces import list_structures, small_space


def cheapest(structure):
    """Dense nets that look cheapest: shortest channels, read once or shared, and no other weights."""
    features, one = 3 + (structure.period if structure.period > 1 else 0), 2**structure.precision
    options = []
    for layer in structure.layers:
        short = tuple(int(k == 0) for k in range(features))
        zero = (0,) * features
        heads = tuple(OneHotHead((short,), pattern) for pattern in layer.heads)
        plain = (OneHotUnit((), zero, 0),) * layer.units
        places = range(len(heads))
        alone = OneHotUnit(tuple((h, 0, one) for h in places), zero, 0)
        choices = [OneHotLayer(heads, (alone, *plain[1:]))]
        if heads and layer.units > 1:
            shared = OneHotUnit(tuple((h, 0, 1) for h in places), zero, 0)
            choices.append(OneHotLayer(heads, (shared, shared, *plain[2:])))
        options.append(choices)
        features += layer.units
    top = structure.layers[-1].units
    for layers in itertools.product(*options):
        yield OneHotTransformer(
            Alphabet(("a", "b")), structure.precision, layers, (1,) * top, 0, structure.period
        )


def least(structure, aggregate):
    return min(compute_r_terms(net.to_dense(), aggregate).total for net in cheapest(structure))


LOCAL = AttentionPattern(phi=(0, 2))
CONTENT = AttentionPattern(logits=((0, 0, 0), (1, 2, 0), (0, 0, 1)))
BOTH = AttentionPattern(CONTENT.logits, LOCAL.phi)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("precision", [0, 1, 2])
def test_floor_with_patterns_periods_and_two_heads(precision, aggregate):
    """On the first layer, where M has three features; uniform heads above it."""
    for heads in [(LOCAL,), (CONTENT,), (UNIFORM, LOCAL), (BOTH, UNIFORM), (LOCAL, LOCAL), (BOTH, CONTENT)]:
        for units, above in itertools.product((1, 2, 4), ((), (LayerShape((UNIFORM, UNIFORM), 1),))):
            structure = Structure((LayerShape(heads, units), *above), precision)
            assert structure.floor(aggregate) == pytest.approx(least(structure, aggregate), abs=1e-12)
    for period, heads in itertools.product((2, 3, 4), ((), (LOCAL,), (UNIFORM, LOCAL))):
        structure = Structure((LayerShape(heads, 2), LayerShape((), 1)), precision, period)
        assert structure.floor(aggregate) == pytest.approx(least(structure, aggregate), abs=1e-12)


def test_every_shape_is_listed_once_in_order():
    bounds = small_space(layers=3, units=2, precision=1)
    listed = list_structures(StructureSpace(bounds, Aggregate.MAX, 2), 99)
    shapes = [(h, m) for h in (0, 1) for m in (1, 2)]
    want = {
        (layers, p)
        for depth in (1, 2, 3)
        for layers in itertools.product(shapes, repeat=depth)
        for p in (0, 1)
    }
    have = [(tuple((len(x.heads), x.units) for x in s.layers), s.precision) for s in listed]
    assert len(have) == len(set(have))
    assert set(have) == want
    keys = [(s.floor(Aggregate.MAX), s.order_key) for s in listed]
    assert keys == sorted(keys)


@pytest.mark.parametrize("aggregate", Aggregate)
def test_patterns_within_the_bound(aggregate):
    bounds = small_space(layers=2, units=1, precision=1, reach=1, logit_max=1, period=2)
    space = StructureSpace(bounds, aggregate, 2)
    few, many = list_structures(space, 10.0), list_structures(space, 11.0)
    assert {s.period for s in many} == {1, 2}
    assert set(few) == {s for s in many if s.floor(aggregate) <= 10.0 + 1e-9}
    local = [s for s in many if s.layers == (LayerShape((AttentionPattern(phi=(1, 1)),), 1),)]
    # Floors 8 + 1/2 with Σ φ² = 1/2 (p = 1 costs 1, ‖V‖ saves 1/2), and 8 + 2; Δ = 2 costs 3 more.
    assert [(s.precision, s.period, s.floor(aggregate)) for s in local] == [(1, 1, 9.0), (0, 1, 10.0)]
    assert len(set(many)) == len(many)
