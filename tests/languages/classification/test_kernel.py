"""Kernels against Gauss in fractions, with solutions too large for the first prime."""

import random
from fractions import Fraction

import numpy as np
import pytest

from idinf.languages.classification.membership import multiply, solve_kernel
from tests.languages.classification.classes_by_definition import (
    fraction_kernel,
)


def rank(rows: list[list[int]]) -> int:
    """The rank, by elimination of fractions."""
    width = len(rows[0]) if rows else 0
    return width - len(fraction_kernel([list(map(Fraction, row)) for row in rows], width))


def test_random_kernels_span_the_solutions() -> None:
    rng = random.Random(5)
    for _ in range(150):
        height, width, size = rng.randint(0, 5), rng.randint(1, 6), rng.choice((1, 3, 50))
        rows = [[rng.choice((0, rng.randint(-size, size))) for _ in range(width)] for _ in range(height)]
        matrix = np.array(rows, dtype=np.int64).reshape(height, width)
        basis = solve_kernel(matrix)
        expected = fraction_kernel([list(map(Fraction, row)) for row in rows], width)
        assert basis.shape == (width, len(expected))
        assert not multiply(matrix, basis).any()
        assert rank(basis.T.tolist()) == len(expected)


def doubling(length: int) -> np.ndarray:
    """x_(k+1) = 3 x_k - x_0 and the like: solutions grow by a digit a step."""
    rows = np.zeros((length - 1, length), dtype=np.int64)
    for k in range(length - 1):
        rows[k, k], rows[k, k + 1] = 3, -2
    return rows


@pytest.mark.parametrize("length", [5, 15, 60, 120])
def test_large_solutions_are_exact(length: int) -> None:
    basis = solve_kernel(doubling(length))
    assert basis[:, 0].tolist() == [2 ** (length - 1 - k) * 3**k for k in range(length)]


def test_a_prime_that_hides_the_rank_is_not_believed() -> None:
    """2^31 - 1 is 0 modulo the first prime, so the first answer has one solution too many."""
    assert solve_kernel(np.array([[2**31 - 1, 0], [0, 1]])).shape == (2, 0)
    assert solve_kernel(np.array([[2**31 - 1, 1]])).ravel().tolist() == [-1, 2**31 - 1]


def test_products_beyond_floats_are_exact() -> None:
    large = np.array([[2**53 + 1], [2**62]])
    assert multiply(np.array([[1, 0], [3, 3]]), large).ravel().tolist() == [
        2**53 + 1,
        3 * (2**62 + 2**53 + 1),
    ]
