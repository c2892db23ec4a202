"""The last layer by intervals against naive enumeration over all (v, s, b, reading)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from random_nets import random_target

from idinf.search.last_layer import LastLayer, total_r
from idinf.search.short_words import ShortWords
from idinf.space.structures import LayerShape, Structure
from idinf.transformers.regularizer import Aggregate

FRONTS = {
    "none": np.zeros((1, 4)),
    "one": np.array([[1.0, 1.0, 1.0, 0.5]]),
    "several": np.array([[0.0, 0.0, 1.0, 1.0], [1.0, 0.5, math.sqrt(0.5), 0.0]]),
}


def naive(structure, aggregate, high, fronts, features, labels):
    """Every (v, s, b, complement) with R ≤ high that gives all words their labels, with its R."""
    p, head = structure.precision, structure.layers[-1].heads > 0
    step, one = 2.0**-p, 2**p
    join = sum if aggregate is Aggregate.SUM else max
    base = structure.base(aggregate)
    widest = high - base - float(head) + 1e-6
    reach = int(widest / step)
    box = [
        v
        for v in itertools.product(range(-reach, reach + 1), repeat=features.size)
        if step * math.hypot(*v) <= widest
    ]

    def least(own):
        return base + min(sum(join(pair) for pair in zip(front, own, strict=True)) for front in fronts)

    found = {}
    for v in [v for v in box if any(v)] if head else [(0,) * features.size]:
        norm_v = step * math.hypot(*v)
        if least((float(head), norm_v, float(head), 0.0)) > high + 1e-9:
            continue
        for s in box:
            norm_a = step * math.hypot(one if head else 0, *s)
            for b in range(-reach, reach + 1):
                r = least((float(head), norm_v, norm_a, step * abs(b)))
                if r <= high:
                    y = features.last @ np.array(s) + b
                    unit = features.counts @ np.array(v) + features.positions * y > 0
                    for complement in (False, True):
                        if np.array_equal(unit != complement, labels):
                            found[(v, s, b, complement)] = r
    return found


CASES = [
    # size, lower units, head, p, spare above the floor
    (1, 0, True, 0, 1.3),
    (1, 0, True, 1, 0.8),
    (1, 1, True, 0, 1.0),
    (1, 1, False, 1, 1.2),
    (2, 0, True, 0, 0.9),
    (2, 0, False, 0, 2.0),
    (2, 1, False, 0, 1.5),
]


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("fronts", FRONTS)
@pytest.mark.parametrize(("size", "lower", "head", "precision", "spare"), CASES)
def test_exactly_the_right_units(size, lower, head, precision, spare, fronts, aggregate):
    rng = np.random.default_rng([size, lower, head, precision])
    shapes = (LayerShape(1, lower),) * bool(lower) + (LayerShape(int(head), 1),)
    structure = Structure(shapes, precision)
    fronts = FRONTS[fronts]
    own = np.array([[float(head), 2.0**-precision if head else 0.0, float(head), 0.0]])
    high = float(total_r(structure.base(aggregate), fronts, own, aggregate)[0]) + spare
    met = 0
    for _ in range(2):
        short = ShortWords.of(random_target(rng, size), 3)
        features = short.extend(short.tokens, rng.random((lower, len(short.parent))) < 0.5)
        count = short.up_to(int(rng.integers(0, 3)))
        labels = short.labels[:count]
        layer = LastLayer(structure, aggregate, size, high, fronts)
        found = layer.solve(features.head(count), labels)
        want = naive(structure, aggregate, high, fronts, features.head(count), labels)
        units = found.units
        have = {
            (tuple(v), tuple(s), b, c): r
            for v, s, b, c, r in zip(
                units.channel.tolist(),
                units.own.tolist(),
                units.bias.tolist(),
                found.complement.tolist(),
                found.r.tolist(),
                strict=True,
            )
        }
        assert len(have) == len(found)
        assert have.keys() == want.keys()
        for key, r in want.items():
            assert have[key] == pytest.approx(r, abs=1e-12)
        met += len(have)
    assert met


def test_total_r_is_the_least_over_fronts():
    own = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 3.0, 0.0]])
    fronts = np.array([[1.0, 0.0, 4.0, 0.0], [0.0, 1.0, 0.0, 2.0]])
    assert total_r(10.0, fronts, own, Aggregate.MAX).tolist() == [15.0, 15.0]
    assert total_r(10.0, fronts, own, Aggregate.SUM).tolist() == [17.0, 16.0]


def test_blocks_change_nothing(monkeypatch):
    short = ShortWords.of(random_target(np.random.default_rng(1), 2), 2)
    structure = Structure((LayerShape(1, 1),), 1)
    layer = LastLayer(structure, Aggregate.MAX, 2, 9.2, np.zeros((1, 4)))
    whole = layer.solve(short.tokens, short.labels)
    monkeypatch.setattr("idinf.search.last_layer.BLOCK", 1)
    monkeypatch.setattr("idinf.search.last_layer.BLOCK_CELLS", 9)
    parts = layer.solve(short.tokens, short.labels)

    def listed(found):
        columns = (found.units.channel, found.units.own, found.units.bias, found.complement, found.r)
        return sorted(zip(*(x.tolist() for x in columns), strict=True))

    assert listed(parts) == listed(whole) != []
