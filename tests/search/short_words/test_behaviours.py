"""Behaviours of units against Fractions; numbers are equal iff behaviours are."""

from fractions import Fraction

import numpy as np
import pytest

from idinf.search.short_words import features as module
from idinf.search.short_words.features import FLOAT64_EXACT, Features, unit_outputs
from idinf.space.units import Units
from tests.search.random_features import average, drawn_inputs, drawn_pattern


def random_units(rng, number, features, precision, heads):
    """Units with small weights, most on channels with any entry of A."""
    entry = rng.integers(-3, 4, (number, heads))
    channel = rng.integers(-3, 4, (number, heads, features)) * (entry != 0)[:, :, None]
    own = rng.integers(-2, 3, (number, features))
    bias = rng.integers(-3, 4, number)
    return Units(precision, channel.reshape(number, -1), entry, own, bias)


def value(units, k, averages, last):
    """Input of a unit, from the averages of all heads."""
    one = Fraction(1, 2**units.precision)
    read = sum(
        one * int(c) * sum(one * int(g) * a for g, a in zip(channel, average, strict=True))
        for c, channel, average in zip(units.entry[k], units.channels[k], averages, strict=True)
    )
    own = sum(one * int(s) * x for s, x in zip(units.own[k], last, strict=True))
    return read + own + one * int(units.bias[k])


KINDS = [(), ("uniform",), ("uniform", "uniform"), ("phi",), ("both",), ("uniform", "phi"), ("phi", "M")]


@pytest.mark.thinned(21)
@pytest.mark.parametrize("precision", [0, 1, 2])
@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
@pytest.mark.parametrize(
    ("size", "length", "period", "lower"), [(1, 5, 1, 1), (2, 3, 1, 0), (2, 2, 3, 2), (3, 2, 1, 1)]
)
def test_outputs_are_signs_of_fractions(size, length, period, lower, kinds, precision):
    rng = np.random.default_rng([size, length, lower, len(kinds), precision])
    deep = bool(set(kinds) - {"uniform"})
    inputs, words, of_row = drawn_inputs(rng, size, length, period, lower, deep)
    heads = tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in kinds)
    features = inputs.top(heads, precision)
    units = random_units(rng, 15, features.size, precision, len(heads))
    averages = [[average(h, precision, of_row, len(w) + 1, w) for h in heads] for w in words]
    inner = [
        [value(units, k, averages[row], of_row[len(w) + 1, w]) for row, w in enumerate(words)]
        for k in range(len(units))
    ]
    # In several blocks.
    assert unit_outputs(units, features, block_cells=70).tolist() == [[z > 0 for z in row] for row in inner]
    assert any(z == 0 for row in inner for z in row) or precision or deep


def unit(values, own=(0, 0), bias=0):
    """A unit on one head that reads a channel with entry 1, at p = 0."""
    return Units(0, np.array([values]), np.array([[1]]), np.array([own]), np.array([bias]))


@pytest.mark.parametrize("exact", [module.FLOAT32_EXACT, FLOAT64_EXACT])
def test_signs_are_exact_up_to_the_guard(exact):
    """One above and one below zero at the largest weights that each kind of float is used for."""
    weight = (exact - 1) // 8 // 2 - 1
    features = Features(np.array([[4, 4]]), np.array([[1, 0]]), np.array([8]))
    cases = {(weight, -weight - 1): False, (weight + 1, -weight): True, (weight, -weight): False}
    for v, want in cases.items():
        assert unit_outputs(unit(v), features).tolist() == [[want]]
    odd = Features(np.array([[7, 7]]), np.array([[1, 0]]), np.array([1]))
    for bias, want in ((1, True), (0, False), (-1, False)):
        assert unit_outputs(unit((weight, -weight), bias=bias), odd).tolist() == [[want]]
