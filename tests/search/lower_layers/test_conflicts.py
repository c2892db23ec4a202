"""Conflicts against pairs of words in Fractions, and the soundness of the filter."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.lower_layers.stacks import Conflicts
from idinf.space.structures import LayerShape
from tests.asked_for import few
from tests.search.random_features import average, drawn_inputs, drawn_pattern, weights_of

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


def seen(top, precision, of_row, word):
    """All that a last unit reads of a word, and the denominators."""
    N = len(word) + 1
    averages = [average(head, precision, of_row, N, word) for head in top.heads]
    totals = [sum(weights_of(head, precision, of_row, N, word)) for head in top.heads]
    return (averages, of_row[N, word]), totals


@pytest.mark.thinned(5)
@pytest.mark.parametrize(("kinds", "deep"), TOPS, ids=str)
@pytest.mark.parametrize("length", [0, 2, 4])
def test_conflicts_are_alike_pairs_of_different_labels(kinds, deep, length):
    for seed, lower, precision in ((1, 0, 0), (2, 1, 0), (3, 0, 1)):
        _, inputs, words, of_row, top = drawn(seed, kinds, deep, lower=lower, precision=precision)
        short = inputs.words
        found = Conflicts(LastLayerInputs(inputs, top.heads, precision), length)
        reads = [seen(top, precision, of_row, word) for word in words[: short.up_to(length)]]
        alike = {
            (i, j)
            for i, j in itertools.product(range(len(reads)), repeat=2)
            if short.labels[i] != short.labels[j] and reads[i][0] == reads[j][0]
        }
        pairs = {tuple(pair) for pair in found.pairs.tolist()}
        assert len(pairs) == len(found)
        assert pairs <= alike
        # Every word that is like an earlier one of the other label is in a pair with such a one. Words whose
        # weights have other denominators may be left out: any subset is a sound filter.
        wanted = {max(i, j) for i, j in alike if reads[i][1] == reads[j][1]}
        assert wanted <= {i for i, _ in pairs}
        assert all(i > j for i, j in pairs)


@pytest.mark.parametrize(("kinds", "deep"), TOPS, ids=str)
def test_separated_by_the_last_value_or_by_an_average(kinds, deep):
    met = set()
    for seed, precision in itertools.product(range(6), (0, 1)):
        rng, inputs, words, of_row, top = drawn(seed, kinds, deep, length=3, precision=precision)
        found = Conflicts(LastLayerInputs(inputs, top.heads, precision), 3)
        tree = inputs.tree
        bits = rng.random((12, len(tree))) < 0.3
        bits[:2] = [[False], [True]]
        value = [
            {
                (N, prefix): int(row[k])
                for k, index in enumerate(tree.word)
                for prefix in [words[index]]
                for N in ([int(tree.total[k])] if deep else range(len(prefix) + 1, 5))
            }
            for row in bits
        ]

        def read(k, word, value=value, of_row=of_row, top=top, precision=precision):
            N = len(word) + 1
            averages = []
            for head in top.heads:
                weights = weights_of(head, precision, of_row, N, word)
                ones = sum(w * value[k][N, word[:j]] for j, w in enumerate(weights))
                averages.append(Fraction(ones, sum(weights)))
            return value[k][N, word], averages

        want = [[read(k, words[i]) != read(k, words[j]) for i, j in found.pairs] for k in range(len(bits))]
        assert found.separated(bits).tolist() == want
        met |= set(itertools.chain(*want))
    assert met == {False, True} or "phi" in kinds


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
