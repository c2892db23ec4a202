"""Facets of hulls of integer points, against all small directions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from idinf.proofs.hulls import find_equations, find_facets


def meets(point, points, directions):
    return all(np.dot(d, point) >= (points @ np.array(d)).min() for d in directions)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(6))
def test_facets_describe_the_hull(seed):
    """Where no coefficient is left out: outside of the hull some facet says so."""
    rng = np.random.default_rng([21, seed])
    points = rng.integers(0, 3, (int(rng.integers(1, 9)), 3))
    directions = find_facets(points)
    every = [d for d in product(range(-4, 5), repeat=3) if any(d)]
    for point in product(range(-1, 4), repeat=3):
        assert meets(point, points, directions) == meets(point, points, every)


@pytest.mark.parametrize("seed", range(12))
def test_equations_are_exact(seed):
    rng = np.random.default_rng([22, seed])
    spread = rng.integers(-2, 3, (int(rng.integers(0, 3)), 4))
    points = rng.integers(0, 5, (7, len(spread))) @ spread + rng.integers(0, 9, 4)
    found = find_equations(points)
    rank = np.linalg.matrix_rank(points - points[0])
    assert len(found) == 2 * (4 - rank)
    assert np.linalg.matrix_rank(np.array(found).reshape(-1, 4)) == 4 - rank
    assert all(len(set((points @ np.array(d)).tolist())) == 1 for d in found)
