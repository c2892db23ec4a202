"""The last layer by intervals against naive enumeration over all (v, s, b, reading)."""

import itertools
import math

import numpy as np
import pytest

from idinf.errors import PrecisionError
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer.intervals import total_r
from idinf.search.last_layer.solver import OneUnitLayer
from idinf.search.short_words.features import Features
from idinf.space.structures import LayerShape, Structure
from tests.search.random_features import drawn_inputs, drawn_pattern

FRONTS = {
    "none": np.zeros((1, 4)),
    "one": np.array([[1.0, 1.0, 1.0, 0.5]]),
    "several": np.array([[0.0, 0.0, 1.0, 1.0], [1.0, 0.5, math.sqrt(0.5), 0.0]]),
}


def least_terms(heads, precision, aggregate):
    """rank_V, ‖V‖, ‖A‖, ‖b‖ of the cheapest unit that reads every head."""
    count = heads if aggregate is Aggregate.SUM else min(heads, 1)
    return float(count), count * 2.0**-precision, math.sqrt(heads), 0.0


def naive(structure, aggregate, high, lower_costs, features, labels):
    """Every (v, s, b, complement) with R ≤ high that gives all words their labels, with its R."""
    p, heads = structure.precision, len(structure.layers[-1].heads)
    step, one = 2.0**-p, 2**p
    join = sum if aggregate is Aggregate.SUM else max
    base = structure.base(aggregate)
    rank, norm_V, norm_A, _ = least_terms(heads, p, aggregate)

    def least(*own):
        return base + min(sum(join(pair) for pair in zip(point, own, strict=True)) for point in lower_costs)

    def box(fits, nonzero=False):
        """Vectors v with fits(‖v‖), coordinate by coordinate."""
        reach = max(r for r in range(200) if r == 0 or fits(step * r))
        vectors = itertools.product(range(-reach, reach + 1), repeat=features.size)
        return [v for v in vectors if fits(step * math.hypot(*v)) and any(v) >= nonzero]

    channels = box(lambda norm: least(rank, norm, norm_A, 0.0) <= high + 1e-6, nonzero=True)
    rows = box(lambda norm: least(rank, norm_V, math.hypot(norm_A, norm), 0.0) <= high + 1e-6)
    biases = [b for b in range(-200, 200) if least(rank, norm_V, norm_A, step * abs(b)) <= high + 1e-6]
    found = {}
    for v in itertools.product(channels, repeat=heads):
        norms = [step * math.hypot(*g) for g in v]
        norm = join(norms) if heads else 0.0
        if least(rank, norm, norm_A, 0.0) > high:
            continue
        attended = features.sums @ np.array(sum(v, ()), dtype=np.int64) if heads else 0
        for s in rows:
            norm_s = step * math.hypot(*(one,) * heads, *s)
            if least(rank, norm, norm_s, 0.0) > high:
                continue
            for b in biases:
                r = least(rank, norm, norm_s, step * abs(b))
                if r <= high:
                    unit = attended + features.scale * (features.last @ np.array(s) + b) > 0
                    for complement in (False, True):
                        if np.array_equal(unit != complement, labels):
                            found[(sum(v, ()), s, b, complement)] = r
    return found


def listed(layer, features, labels):
    have = {}
    for complement, ones in ((False, labels), (True, ~labels)):
        units, r = layer.solve(features, ones, ~ones)
        columns = (x.tolist() for x in (units.channel, units.own, units.bias, r))
        new = {(tuple(v), tuple(s), b, complement): r for v, s, b, r in zip(*columns, strict=True)}
        assert len(new) == len(units)
        assert (units.entry == 2**units.precision).all()
        have |= new
    return have


CASES = [
    # size, period, lower units, heads, p, spare above the floor
    (1, 1, 0, ("uniform",), 0, 1.3),
    (1, 1, 0, ("uniform",), 1, 0.8),
    (1, 1, 1, ("uniform",), 0, 1.0),
    (1, 1, 1, (), 1, 1.2),
    (2, 1, 0, ("uniform",), 0, 0.9),
    (2, 1, 0, (), 0, 2.0),
    (2, 1, 1, (), 0, 1.5),
    (1, 2, 0, (), 0, 1.5),
    (1, 2, 0, ("uniform",), 0, 0.9),
    (1, 3, 0, (), 1, 0.45),
    pytest.param(1, 3, 0, (), 1, 0.55, marks=pytest.mark.slow),
    (1, 1, 0, ("phi",), 0, 1.3),
    (1, 1, 0, ("phi",), 1, 0.8),
    (2, 1, 0, ("M",), 0, 0.9),
    (1, 2, 0, ("both",), 0, 0.9),
    (1, 1, 0, ("uniform", "uniform"), 0, 0.8),
    (1, 1, 0, ("uniform", "phi"), 0, 0.8),
    (1, 1, 1, ("phi", "uniform"), 0, 0.45),
    (1, 1, 0, ("M", "phi"), 1, 0.3),
    pytest.param(1, 1, 0, ("M", "phi"), 1, 0.35, marks=pytest.mark.slow),
]


@pytest.mark.thinned(39)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("lower_costs", FRONTS)
@pytest.mark.parametrize(("size", "period", "lower", "kinds", "precision", "spare"), CASES)
def test_exactly_the_right_units(size, period, lower, kinds, precision, spare, lower_costs, aggregate):
    rng = np.random.default_rng([size, period, lower, len(kinds), precision])
    lower_costs = FRONTS[lower_costs]
    met = 0
    for trial in range(2):
        inputs, _, _ = drawn_inputs(rng, size, 3, period, lower, bool(trial))
        heads = tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in kinds)
        shapes = (LayerShape((UNIFORM,), lower),) * bool(lower) + (LayerShape(heads, 1),)
        structure = Structure(shapes, precision, period)
        own = np.array([least_terms(len(heads), precision, aggregate)])
        high = float(total_r(structure.base(aggregate), lower_costs, own, aggregate)[0]) + spare
        count = inputs.words.up_to(int(rng.integers(0, 3)))
        features = inputs.top(heads, precision).take(slice(count))
        labels = inputs.words.labels[:count]
        have = listed(OneUnitLayer(structure, aggregate, size, high, lower_costs), features, labels)
        want = naive(structure, aggregate, high, lower_costs, features, labels)
        assert have.keys() == want.keys()
        assert have == pytest.approx(want, abs=1e-12)
        met += len(have)
    assert met


def test_sums_beyond_exact_quotients_are_refused():
    structure = Structure((LayerShape((AttentionPattern(phi=(1,)),), 1),), 0)
    high = structure.floor(Aggregate.MAX) + 0.2  # channels of norm 1
    layer = OneUnitLayer(structure, Aggregate.MAX, 1, high, np.zeros((1, 4)))
    most = 2**53 - 1
    for total, scale, fits in ((most, most, True), (most + 1, most, False), (most, most + 1, False)):
        features = Features(np.array([[0, total]]), np.array([[0, 1]]), np.array([scale]))
        if fits:
            units, _ = layer.solve(features, np.array([True]), np.array([False]))
            assert units.channel.tolist() == [[0, 1]]
        else:
            with pytest.raises(PrecisionError, match=rf"attended sums reach {2**53}, .*--logit-max"):
                layer.solve(features, np.array([True]), np.array([False]))
