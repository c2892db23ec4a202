"""What certificates say of candidates on a few rows is what they say of them on all words."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer import sieve as candidates
from idinf.search.last_layer.certificates import Certificate, all_words, coefficients
from idinf.search.last_layer.sieve import Candidates, WordSamples
from idinf.search.short_words.features import LastLayerInputs, unit_outputs
from idinf.space.units import Units
from tests.asked_for import few
from tests.search.random_features import drawn_inputs, drawn_pattern

#: Heads of the layer of the candidates and of the last one.
KINDS = [
    ((), ("uniform",)),
    (("uniform",), ()),
    (("uniform",), ("uniform",)),
    (("phi",), ("uniform",)),
    (("M",), ("phi",)),
    (("uniform",), ("uniform", "phi")),
    (("uniform",), ("uniform", "phi", "phi")),
    (("uniform", "uniform", "phi"), ("uniform", "uniform", "phi")),
]


def drawn_units(rng, number, size, heads, precision):
    channel = rng.integers(-2, 3, (number, heads * size))
    entry = np.full((number, heads), 2**precision)
    return Units(precision, channel, entry, rng.integers(-2, 3, (number, size)), rng.integers(-1, 2, number))


def drawn_certificates(rng, words):
    for _ in range(4):
        chosen = np.sort(rng.choice(words, size=min(words, int(rng.integers(1, 6))), replace=False))
        yield Certificate(chosen, rng.integers(-9, 10, len(chosen)))


def check_candidates(kinds, aggregate, seed):
    rng = np.random.default_rng([seed, len(kinds[0]), len(kinds[1])])
    precision = seed % 2
    every = kinds[0] + kinds[1]
    deep = any(kind != "uniform" for kind in every)
    inputs, _, _ = drawn_inputs(rng, 2, 4, int(rng.integers(1, 3)), int(rng.integers(0, 2)), deep)
    own, last = (tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in part) for part in kinds)
    features = inputs.hidden(own, precision)[1]
    last_inputs = LastLayerInputs(inputs, last, precision)
    units = drawn_units(rng, 7, inputs.size, len(own), precision)
    count = len(inputs.words.labels)
    tried = Candidates(units, last_inputs, WordSamples(own), lambda: features, count, aggregate)
    read = last_inputs.over_each([bits[None] for bits in unit_outputs(units, features)])
    places = rng.permutation(7)[:5]
    certificates = list(drawn_certificates(rng, count))
    words = all_words(certificates)
    want = coefficients(certificates, words, [read[k].take(words) for k in places], aggregate)
    np.testing.assert_allclose(tried.coefficients(certificates, places), want, rtol=1e-12, atol=1e-9)
    alone = tried.alone(3)
    assert np.array_equal(alone.sums, read[3].sums)
    assert np.array_equal(alone.last, read[3].last)


def check_several(kinds, aggregate, number):
    for seed in range(number):
        check_candidates(kinds, aggregate, seed)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("kinds", KINDS, ids=str)
def test_coefficients_on_a_few_rows_are_those_on_all_words(kinds, aggregate):
    check_several(kinds, aggregate, few(4, 20))


@pytest.mark.parametrize("kinds", [KINDS[2], KINDS[5]], ids=str)
def test_a_forgotten_prefix_is_noticed(kinds, monkeypatch):
    """A planted fault: the value at SOS does not count."""
    right = candidates._counted

    def wrong(tree, last, rows, ends):
        return right(tree, last, rows, ends) * (tree.lengths[rows] > 0)[:, None]

    monkeypatch.setattr(candidates, "_counted", wrong)
    with pytest.raises(AssertionError):
        check_several(kinds, Aggregate.MAX, 8)


@pytest.mark.parametrize("kinds", KINDS[6:], ids=str)
def test_a_head_that_is_not_cleared_is_noticed(kinds, monkeypatch):
    """A planted fault: the third head keeps its own denominator where a few rows are read."""
    right = candidates.cleared

    def wrong(weights, sums, size):
        scale, found = right(weights, sums, size)
        return scale, [*found[:2], *sums[2:]]

    monkeypatch.setattr(candidates, "cleared", wrong)
    with pytest.raises(AssertionError):
        check_several(kinds, Aggregate.MAX, 4)


def test_sums_beyond_exact_floats_say_nothing():
    rng = np.random.default_rng(1)
    inputs, _, _ = drawn_inputs(rng, 2, 3, 1, 0, False)
    uniform = drawn_pattern(rng, inputs.size, 0, "uniform")
    features = inputs.hidden((uniform,), 0)[1]
    units = drawn_units(rng, 3, inputs.size, 1, 0)
    tried = Candidates(
        units,
        LastLayerInputs(inputs, (uniform,), 0),
        WordSamples((uniform,)),
        lambda: features,
        4,
        Aggregate.MAX,
    )
    large = Certificate(np.array([0, 3]), np.array([2**52, -(2**52)]))
    assert np.isnan(tried.coefficients([large], np.arange(3))).all()
