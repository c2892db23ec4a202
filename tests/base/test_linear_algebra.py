"""Exact linear algebra against brute force over small vectors."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from idinf.base.linear_algebra import find_orthogonal, find_span, solve_exactly


def combinations_of(basis, size, largest):
    """All integer combinations with small factors."""
    every = product(range(-largest, largest + 1), repeat=len(basis))
    return {
        tuple(sum(f * v[k] for f, v in zip(factors, basis, strict=True)) for k in range(size))
        for factors in every
    }


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(10))
def test_orthogonal_vectors_are_integer_combinations(seed):
    rng = np.random.default_rng([11, seed])
    rows = rng.integers(-3, 4, (int(rng.integers(0, 3)), 3)).tolist()
    basis = find_orthogonal(rows, 3)
    assert len(basis) == 3 - np.linalg.matrix_rank(np.array(rows).reshape(-1, 3))
    reached = combinations_of(basis, 3, 12)
    for vector in product(range(-2, 3), repeat=3):
        is_orthogonal = all(np.dot(vector, row) == 0 for row in rows)
        assert not is_orthogonal or vector in reached
    assert all(np.dot(vector, row) == 0 for vector in basis for row in rows)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(10))
def test_the_span_is_saturated(seed):
    rng = np.random.default_rng([12, seed])
    rows = (rng.integers(-2, 3, (2, 3)) * int(rng.integers(1, 4))).tolist()
    basis = find_span(rows, 3)
    rank = np.linalg.matrix_rank(np.array(rows))
    assert len(basis) == rank
    reached = combinations_of(basis, 3, 12)
    for vector in product(range(-2, 3), repeat=3):
        inside = np.linalg.matrix_rank(np.array([*rows, vector])) == rank
        assert inside == (vector in reached)


def test_equations():
    half, one = Fraction(1, 2), Fraction(1)
    assert solve_exactly([(2, 1, 3), (0, 1, 1)], [one, one, Fraction(2)]) == [half, half]
    assert solve_exactly([(2, 1), (0, 1)], [one, Fraction(0)]) == [half, -half]
    assert solve_exactly([(1, 1), (2, 2)], [one, one]) is None  # more than one solution
    assert solve_exactly([(1, 1)], [one, half]) is None
    assert solve_exactly([], [Fraction(0)]) == []
