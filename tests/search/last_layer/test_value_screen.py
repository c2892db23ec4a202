"""The screen of value vectors against intervals in Fractions: none is lost that could serve."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from idinf.search.last_layer import intervals as module
from idinf.search.last_layer.intervals import SCREEN_SLACK, Screen
from idinf.search.short_words.features import Features
from tests.search.random_features import drawn_inputs, drawn_pattern


def may_serve(features, labels, v, largest, slack):
    """Whether every class of last positions has room for an integer y, for one of the two readings."""
    bounds = {}
    for row, label in enumerate(labels):
        read = sum(int(x) * int(s) for x, s in zip(v, features.sums[row], strict=True))
        q = Fraction(-read, int(features.scale[row]))
        bounds.setdefault(tuple(features.last[row]), {True: [], False: []})[bool(label)].append(q)

    def room(above, below):
        first = max([math.floor(q - slack) + 1 for q in above] + [math.ceil(-largest - slack)])
        last = min([math.floor(q + slack) for q in below] + [math.floor(largest + slack)])
        return first <= last

    return any(all(room(q[one], q[not one]) for q in bounds.values()) for one in (True, False))


KINDS = [("uniform",), ("phi",), ("both",), ("uniform", "phi"), ("phi", "M")]


@pytest.mark.thinned(22)
@pytest.mark.parametrize("stages", [module.STAGES, (3, 5, 1 << 30)], ids=["stages", "short"])
@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
@pytest.mark.parametrize(("size", "length", "period", "lower"), [(1, 6, 1, 1), (2, 3, 1, 0), (2, 3, 2, 1)])
def test_nothing_that_could_serve_is_lost(size, length, period, lower, kinds, stages):
    met = set()
    for seed in range(4):
        rng = np.random.default_rng([size, length, period, lower, len(kinds), seed])
        inputs, _, _ = drawn_inputs(rng, size, length, period, lower, True)
        features = inputs.top(tuple(drawn_pattern(rng, inputs.size, 1, kind) for kind in kinds), 1)
        values = rng.integers(-3, 4, (50, features.sums.shape[1]))
        # Labels that the first vector gives, some of them changed.
        labels = features.sums @ values[0] + features.scale * rng.integers(-2, 3) > 0
        labels ^= rng.random(len(labels)) < (0.0, 0.05)[seed % 2]
        for largest in (0.5, 2.9, 7.0):
            have = set(Screen(features, labels, largest, stages, 60).alive(values).tolist())
            sure = {k for k, v in enumerate(values) if may_serve(features, labels, v, largest, 0)}
            wide = {
                k
                for k, v in enumerate(values)
                if may_serve(features, labels, v, largest, 2 * Fraction(SCREEN_SLACK))
            }
            assert sure <= have <= wide
            met |= {bool(sure), len(have) == len(values)}
    assert met == {True, False}


def test_long_vectors_widen_the_slack():
    """At 2^24 single precision does not tell neighbours apart; the vector is kept all the same."""
    big = 2**24
    features = Features(np.array([[big + 1, 1], [big, 1]]), np.array([[1, 0], [1, 0]]), np.array([1, 1]))
    values = np.array([[-1, 0]])
    labels = np.array([False, True])
    # q = big + 1 for the rejected word, big for the accepted one: y = big + 1 serves.
    assert 0 in Screen(features, labels, 2.0 * big).alive(values)
