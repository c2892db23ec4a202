"""Answers of random nets along u y^k change no more often than the bound says, and some as often."""

from __future__ import annotations

import math

import numpy as np
import pytest

from idinf.space.alternation import bound_changes
from idinf.space.structures import UNIFORM, LayerShape, Structure
from idinf.transformers.attention import AttentionPattern

LOCAL = AttentionPattern((), (0, 1))

SYMBOLS, BLOCKS = 2, 40


def answers(rng, shapes, period, word):
    """The last layer of a net with random parameters, position by position from the definition, (n, m)."""
    rows = [[1, 0, 0, *(int(r == 0) for r in range(period))]]
    rows += [
        [0, *(int(code == c) for c in range(SYMBOLS)), *(int(i % period == r) for r in range(period))]
        for i, code in enumerate(word, start=1)
    ]
    features = np.array(rows)
    sizes = np.arange(1, len(features) + 1)[:, None]
    for heads, units in shapes:
        v, s = (rng.integers(-4, 5, (features.shape[1], units)) for _ in range(2))
        b = rng.integers(-2, 3, units)
        attended = np.cumsum(features @ v, axis=0) if heads else 0
        bits = (attended + sizes * ((features @ s) + b) > 0).astype(int)
        features = np.concatenate([features, bits], axis=1)
    return bits[1:]


def most_changes(shapes, period, loop, tries, seed=0):
    """The most changes of an answer, the OR of the last units, in one class of u y^k, over random nets."""
    rng, q = np.random.default_rng(seed), math.lcm(len(loop), period)
    most = 0
    for _ in range(tries):
        before = tuple(rng.integers(0, SYMBOLS, rng.integers(0, 6)))
        word = before + loop * (BLOCKS * q // len(loop))
        answer = answers(rng, shapes, period, word)[len(before) :].any(axis=1).reshape(BLOCKS, q)
        most = max(most, int((answer[1:] != answer[:-1]).sum(axis=0).max()))
    return most


def structure_of(shapes, period=1):
    return Structure(tuple(LayerShape((UNIFORM,) * heads, units) for heads, units in shapes), 0, period)


#: Heads and units of the layers, Δ, y, and changes that some random net has.
CASES = [
    (((0, 2), (0, 1)), 2, (0, 1), 0),
    (((1, 1),), 1, (0, 1), 1),
    (((1, 2),), 1, (1,), 1),
    (((0, 1), (1, 1)), 2, (0,), 1),
    (((1, 1), (0, 2)), 1, (0, 1), 1),
    (((1, 1), (1, 1)), 1, (0,), 2),
    (((1, 1), (1, 1)), 1, (0, 1), 2),
    (((1, 1), (1, 1)), 2, (0, 0, 1), 1),
    (((1, 2), (0, 1), (1, 1)), 1, (1,), 2),
    (((1, 1), (1, 1), (1, 1)), 1, (1,), 2),
]


@pytest.mark.thinned(6)
@pytest.mark.parametrize(("shapes", "period", "loop", "reached"), CASES)
def test_no_net_changes_more_often(shapes, period, loop, reached):
    bound = bound_changes(structure_of(shapes, period), math.lcm(len(loop), period))
    assert reached <= most_changes(shapes, period, loop, 400) <= bound


def test_other_heads_have_no_bound():
    local = LayerShape((LOCAL,), 1)
    assert bound_changes(Structure((local, LayerShape((UNIFORM,), 1)), 0), 2) is None


def test_a_bound_without_the_last_layer_is_refuted():
    """A planted fault: the changes inside the runs are forgotten."""
    for shapes in (((1, 1),), ((1, 1), (1, 1))):
        below = bound_changes(structure_of(shapes), 1) // 2
        assert most_changes(shapes, 1, (0,), 400) > below
