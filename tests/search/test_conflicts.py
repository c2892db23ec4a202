"""Conflicts against pairs of words, and the soundness of the filter."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from random_nets import random_target

from idinf.search import conflicts as module
from idinf.search.conflicts import Conflicts
from idinf.search.last_layer import LastLayer
from idinf.search.short_words import ShortWords
from idinf.space.structures import LayerShape, Structure
from idinf.transformers.regularizer import Aggregate


def words_and_features(seed, size=2, length=4, lower=0):
    rng = np.random.default_rng(seed)
    short = ShortWords.of(random_target(rng, size), length)
    features = short.tokens
    if lower:
        features = short.extend(features, rng.random((lower, len(short.parent))) < 0.5)
    return rng, short, features


@pytest.mark.parametrize("lower", [0, 1])
@pytest.mark.parametrize("length", [0, 2, 4])
def test_conflicts_are_the_alike_pairs_of_different_labels(lower, length):
    for seed in range(6):
        _, short, features = words_and_features(seed, lower=lower)
        found = Conflicts(short, features, length)
        count = short.up_to(length)
        want = {
            (i, j)
            for i, j in itertools.product(range(count), repeat=2)
            if short.labels[i]
            and not short.labels[j]
            and features.counts[i].tolist() == features.counts[j].tolist()
            and features.last[i].tolist() == features.last[j].tolist()
        }
        assert {tuple(pair) for pair in found.pairs.tolist()} == want
        assert len(found) == len(want)


def test_separated_by_value_or_by_count():
    rng, short, features = words_and_features(1, length=5)
    found = Conflicts(short, features, 5)
    bits = rng.random((20, len(short.parent))) < 0.3
    counts = short.accumulate(bits.astype(np.int16))
    want = [
        [bool(b[i] != b[j] or c[i] != c[j]) for i, j in found.pairs]
        for b, c in zip(bits, counts, strict=True)
    ]
    assert found.separated(bits, counts).tolist() == want


def test_no_more_than_the_bound_and_the_shortest_first(monkeypatch):
    for seed in range(20):
        _, short, features = words_and_features(seed, length=5)
        every = Conflicts(short, features, 5)
        if len(every) > 8:
            monkeypatch.setattr(module, "MAX_CONFLICTS", 5)
            some = Conflicts(short, features, 5)
            assert some.pairs.tolist() == every.pairs[:5].tolist()
            assert (np.diff(every.pairs.max(axis=1)) >= 0).all()
            return
    pytest.fail("no target with conflicts")


@pytest.mark.parametrize("screened", [3, 4])
def test_the_filter_keeps_whatever_some_last_unit_serves(screened):
    """Sound: where the last layer has a right unit, the lower unit separates every conflict."""
    structure = Structure((LayerShape(1, 1), LayerShape(1, 1)), 0)
    kept = dropped = 0
    for seed in range(40):
        rng, drawn, tokens = words_and_features(seed)
        for planted in (False, True, False, True, True):
            weights = rng.integers(-2, 3, 3)
            bits = ((tokens.counts @ weights + rng.integers(-1, 2)) > 0)[None, :]
            features = drawn.extend(tokens, bits)
            # Every other time labels that count on the lower unit.
            labels = features.counts @ rng.integers(-1, 2, 4) > 0
            short = replace(drawn, labels=labels) if planted else drawn
            found = Conflicts(short, tokens, screened)
            passes = found.separated(bits, short.accumulate(bits.astype(np.int16))).all()
            count = short.up_to(screened)
            layer = LastLayer(structure, Aggregate.MAX, 2, 11.0, np.zeros((1, 4)))
            right = layer.solve(features.head(count), short.labels[:count])
            assert passes or not len(right)
            kept += bool(passes and len(right) and len(found))
            dropped += not passes
    assert kept
    assert dropped
