"""Attention patterns against loops over every matrix and every φ."""

import itertools

import numpy as np
import pytest

from idinf.space.structures import PatternGrid, choose_heads, list_patterns


def reduced(matrix, phi, tokens, one):
    """What a list holds in place of M: nothing for the query `$`, no column that all tokens as keys raise.

    A column of numbers off the integers stays, and so do all columns where a query adds up several of them
    and one is off the integers.
    """
    matrix = matrix.copy()
    matrix[:, 0] = 0
    whole = (matrix % one == 0).all(axis=0) & all(x % one == 0 for x in phi)
    if tokens < len(matrix):
        whole &= whole.all()
    matrix[:tokens, whole] -= matrix[:tokens, whole].min(axis=0)
    return matrix


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("grid", "features", "tokens", "room"),
    [
        (PatternGrid(0, 1, 1, 1), 2, 2, 2.0),
        (PatternGrid(0, 1, 2, 1), 3, 3, 2.0),
        (PatternGrid(0, 1, 1, 1), 3, 2, 2.5),
        (PatternGrid(0, 2, 2, 0), 3, 3, 5.0),
        (PatternGrid(1, 1, 1, 1), 2, 2, 1.0),
        pytest.param(PatternGrid(1, 0, 1, 1), 3, 2, 1.2, marks=pytest.mark.slow),
        (PatternGrid(0, 0, 2, 2), 2, 2, 2.3),
        (PatternGrid(1, 0, 1, 1), 1, 1, 1.5),
        (PatternGrid(0, 3, 0, 0), 2, 2, 9.0),
    ],
)
def test_every_pattern_within_the_room(grid, features, tokens, room):
    """One of every normal form is listed, which costs no more than any pattern that it stands for."""
    one = 2**grid.precision

    def cost_of(phi, matrix):
        return sum(x * x for x in phi) / one**2 + np.linalg.norm(matrix.astype(float), 2) / one

    want = {}
    for phi in itertools.product(range(grid.logit_max * one + 1), repeat=grid.reach + 1):
        for flat in itertools.product(range(grid.content_max * one + 1), repeat=features * features):
            matrix = np.array(flat, dtype=int).reshape(features, features)
            if (cost := cost_of(phi, matrix)) <= room + 1e-9:
                matrix = reduced(matrix, phi, tokens, one)
                trimmed = phi
                while trimmed and not trimmed[-1]:
                    trimmed = trimmed[:-1]
                rows = tuple(map(tuple, matrix.tolist())) if matrix.any() else ()
                want[(rows, trimmed)] = cost_of(phi, matrix)
                assert want[(rows, trimmed)] <= cost + 1e-9
    listed = list_patterns(grid, features, tokens, room)
    assert {(pattern.logits, pattern.phi): cost for cost, pattern in listed} == pytest.approx(want)
    costs = [cost for cost, _ in listed]
    assert costs == sorted(costs)


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
    """‖M‖ is a maximum over heads, so it is looked at head by head."""
    listed = list_patterns(grid, features, features, room)
    single = [pattern for _, pattern in listed]
    pairs = [two for two, _ in choose_heads(listed, 2, grid.precision, room)]

    def square(*heads):
        return sum(x * x for pattern in heads for x in pattern.phi) / 4**grid.precision

    want = {frozenset(two) for two in itertools.product(single, repeat=2) if square(*two) <= room + 1e-9}
    assert {frozenset(two) for two in pairs} == want
    assert len(pairs) == len(want)
    assert all(
        left == pytest.approx(room - square(*two))
        for two, left in choose_heads(listed, 2, grid.precision, room)
    )
