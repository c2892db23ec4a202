"""Attention patterns against loops over every matrix and every φ."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from idinf.errors import BudgetError
from idinf.space import patterns as module
from idinf.space.patterns import PatternGrid, list_choices_of_heads, list_patterns


@pytest.mark.parametrize(
    ("grid", "features", "room"),
    [
        (PatternGrid(0, 1, 1, 1), 2, 2.0),
        (PatternGrid(0, 2, 2, 0), 3, 5.0),
        (PatternGrid(1, 1, 1, 1), 2, 1.0),
        (PatternGrid(0, 0, 2, 2), 2, 2.3),
        (PatternGrid(1, 0, 1, 1), 1, 1.5),
        (PatternGrid(0, 3, 0, 0), 2, 9.0),
    ],
)
def test_every_pattern_within_the_room(grid, features, room):
    one = 2**grid.precision
    want = {}
    for phi in itertools.product(range(grid.logit_max * one + 1), repeat=grid.reach + 1):
        for flat in itertools.product(range(grid.content_max * one + 1), repeat=features * features):
            matrix = np.array(flat, dtype=float).reshape(features, features)
            cost = sum(x * x for x in phi) / one**2 + np.linalg.norm(matrix, 2) / one
            if cost <= room + 1e-9:
                trimmed = phi
                while trimmed and not trimmed[-1]:
                    trimmed = trimmed[:-1]
                rows = tuple(map(tuple, matrix.astype(int).tolist())) if any(flat) else ()
                want[(rows, trimmed)] = cost
    have = {(pattern.logits, pattern.phi): cost for cost, pattern in list_patterns(grid, features, room)}
    assert have == pytest.approx(want)
    costs = [cost for cost, _ in list_patterns(grid, features, room)]
    assert costs == sorted(costs)


def test_heads_are_multisets():
    grid = PatternGrid(0, 1, 1, 0)
    single = list_patterns(grid, 3, 2.0)
    pairs = list_choices_of_heads(single, 2, 0, 2.0)
    assert len(single) == 4
    assert len(pairs) == len(set(pairs)) == 7  # 10 multisets of 4; three of them cost 3 or 4
    assert list_choices_of_heads((), 0, 0, 2.0) == ((),)


@pytest.mark.parametrize(
    ("grid", "features", "room"),
    [
        (PatternGrid(0, 2, 2, 0), 3, 5.0),
        (PatternGrid(1, 1, 1, 0), 3, 1.6),
        (PatternGrid(0, 1, 1, 1), 2, 2.0),
        (PatternGrid(1, 0, 1, 1), 1, 1.5),
    ],
)
def test_every_pair_of_heads_whose_phi_leaves_room(grid, features, room):
    """By Σ φ² of both heads; ‖M‖ is a maximum over heads, so it is looked at head by head."""
    listed = list_patterns(grid, features, room)
    single = [pattern for _, pattern in listed]
    pairs = list_choices_of_heads(listed, 2, grid.precision, room)

    def square(*heads):
        return sum(x * x for pattern in heads for x in pattern.phi) / 4**grid.precision

    want = {frozenset(two) for two in itertools.product(single, repeat=2) if square(*two) <= room + 1e-9}
    assert {frozenset(two) for two in pairs} == want
    assert len(pairs) == len(want)
    assert [square(*two) for two in pairs] == sorted(square(*two) for two in pairs)


def test_too_many_pairs_of_heads_are_refused(monkeypatch):
    single = list_patterns(PatternGrid(0, 1, 1, 0), 3, 2.0)
    assert len(list_choices_of_heads(single, 2, 0, 2.0)) == 7
    monkeypatch.setattr(module, "MAX_PATTERNS", 0.49)
    with pytest.raises(BudgetError, match=r"4 attention patterns for each of 2 heads are too many"):
        list_choices_of_heads(single, 2, 0, 2.0)
    monkeypatch.setattr(module, "MAX_PATTERNS", 0.5)
    assert len(list_choices_of_heads(single, 2, 0, 2.0)) == 7


def test_too_many_patterns_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_PATTERNS", 10)
    with pytest.raises(BudgetError, match=r"more than 10 attention patterns .*--content-max"):
        list_patterns(PatternGrid(0, 0, 1, 1), 2, 1.5)
