"""Kernels against Gauss in fractions, with solutions too large for the first prime."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from idinf.languages.classification.membership import multiply, solve_kernel
from idinf.languages.classification.monoid import build_monoid
from tests.languages.classification.classes_by_definition import (
    fraction_kernel,
    letters,
    minimal,
    monoid,
    random_dfa,
    then,
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


# The listed monoid against plain closure; words and Cayley tables


def machines(count: int, seed: int) -> list[tuple[tuple[int, ...], ...]]:
    rng = random.Random(seed)
    return [minimal(*random_dfa(rng, 4, rng.randint(1, 3)))[0] for _ in range(count)]


@pytest.mark.parametrize("table", machines(40, 1))
def test_elements_words_and_products(table: tuple[tuple[int, ...], ...]) -> None:
    found = build_monoid(np.array(table))
    rows = list(map(tuple, found.rows.tolist()))
    assert found.is_complete
    assert rows == monoid(table)  # both list elements by their least words
    for element, row in enumerate(rows):
        word = found.word(element)
        assert len(word) == found.lengths[element]
        assert row == tuple(_read(table, state, word) for state in range(len(table)))
        for code, letter in enumerate(letters(table)):
            assert rows[found.right[element, code]] == then(row, letter)
            assert rows[found.left[element, code]] == then(letter, row)
    assert [then(row, row) == row for row in rows] == found.is_idempotent.tolist()


def _read(table: tuple[tuple[int, ...], ...], state: int, word: tuple[int, ...]) -> int:
    for code in word:
        state = table[state][code]
    return state
