"""Conflicts against pairs of words in Fractions, and the soundness of the filter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from idinf.search.lower_layers.stacks import Conflicts
from idinf.search.short_words.features import LastLayerInputs
from idinf.space.structures import LayerShape
from tests.asked_for import few
from tests.search.random_features import drawn_inputs, drawn_pattern

#: Heads of the last layer, and whether weights below it depend on N.
TOPS = [
    ((), False),
    (("uniform",), False),
    (("uniform",), True),
    (("uniform", "uniform"), False),
    (("phi",), False),
    (("phi",), True),
    (("uniform", "phi"), True),
    (("phi", "phi"), False),
]


def drawn(seed, kinds, deep, length=4, lower=0, precision=0):
    """Random inputs and labels of words over two symbols, and a last layer of the given heads."""
    rng = np.random.default_rng([seed, len(kinds), deep])
    inputs, words, of_row = drawn_inputs(rng, 2, length, 1, lower, deep)
    inputs = replace(inputs, words=replace(inputs.words, labels=rng.random(len(words)) < 0.5))
    heads = tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in kinds)
    return rng, inputs, words, of_row, LayerShape(heads, 1)


@pytest.mark.thinned(8)
@pytest.mark.parametrize(("kinds", "deep"), TOPS, ids=str)
@pytest.mark.parametrize("screened", [2, 4])
def test_the_filter_keeps_whatever_some_last_layer_serves(kinds, deep, screened):
    """Sound: where last units give the labels, the units they read separate every conflict."""
    met = 0
    for seed in range(few(13, 40)):
        rng, inputs, _, _, top = drawn(seed, kinds, deep)
        weights = rng.integers(-2, 3, (2, 3))
        bits = weights @ inputs.counts + rng.integers(-1, 2, (2, 1)) > 0
        features = inputs.extend(bits).top(top.heads, 0)
        v = rng.integers(-1, 2, (2, features.size * len(top.heads)))
        s, b = rng.integers(-2, 3, (2, features.size)), rng.integers(-1, 2, (2, 1))
        units = v @ features.sums.T + features.scale * (s @ features.last.T + b) > 0
        # One unit, its complement, or two units that must both be 1.
        labels = (units[0], ~units[0], units.all(axis=0))[seed % 3]
        short = replace(inputs.words, labels=labels)
        found = Conflicts(LastLayerInputs(replace(inputs, words=short), top.heads, 0), screened)
        assert found.separated(bits).any(axis=0).all()
        assert not found.separated(bits & False).any()  # a constant unit serves nothing
        met += bool(len(found))
    assert met or (screened == 2 and kinds)
