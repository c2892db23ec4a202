"""All solutions of M·x = 0 over the rationals: found modulo a prime, lifted to integers, proved."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from idinf.errors import BudgetError
from idinf.targets.machine import IntArray

#: 2^e - 1 is prime for these e. The first fits int64 products; larger ones are for larger solutions.
EXPONENTS = (31, 127, 521, 2203, 9941, 44497)

#: Integers below this are exact in float64.
EXACT = 1 << 53

#: Integers as int64, or as Python objects where they are large.
Matrix = npt.NDArray[Any]


def solve_kernel(matrix: IntArray) -> Matrix:
    """A basis of the rational solutions of matrix · x = 0.

    The columns, (C, d), are independent integer solutions, and every rational solution is a combination of
    them; int64, or Python integers where one is large. A `BudgetError` says that one has more than 20,000
    bits.

    The columns are checked in integers: they solve the system, and each is the only one with an entry in
    its own free coordinate. The rank over the rationals is at least the rank modulo a prime, so there are no
    more than C less that rank independent solutions: they span all. A prime that gives another rank, or
    too few digits, fails the check, and the next one is tried.

    >>> solve_kernel(np.array([[2, -1, 0], [0, 1, -2]])).tolist()
    [[1], [2], [1]]
    """
    distinct = np.unique(matrix[matrix.any(axis=1)], axis=0)
    for exponent in EXPONENTS:
        prime = (1 << exponent) - 1
        numbers: Matrix = distinct if exponent == EXPONENTS[0] else distinct.astype(object)
        basis = _lifted(distinct, *_reduced(numbers % prime, prime), prime)
        if basis is not None:
            return basis
    raise BudgetError(
        f"a system of {distinct.shape[0]} equations in {distinct.shape[1]} unknowns has solutions of more "
        f"than {EXPONENTS[-1] // 2} bits; expected smaller ones; classify a smaller automaton"
    )


def _reduced(matrix: Matrix, prime: int) -> tuple[Matrix, list[int]]:
    """Reduced row echelon form modulo a prime, without zero rows, and its pivot columns."""
    pivots: list[int] = []
    for column in range(matrix.shape[1]):
        rank = len(pivots)
        choices = np.flatnonzero(matrix[rank:, column]) + rank
        if not len(choices):
            continue
        # The sparsest row keeps the others sparse, and rows without an entry are left alone.
        best = int(choices[np.argmin(np.count_nonzero(matrix[choices, column:], axis=1))])
        matrix[[rank, best]] = matrix[[best, rank]]
        matrix[rank, column:] = matrix[rank, column:] * pow(int(matrix[rank, column]), -1, prime) % prime
        others = np.flatnonzero(matrix[:, column])
        others = others[others != rank]
        change = matrix[others, column, None] * matrix[rank, column:]
        matrix[others, column:] = (matrix[others, column:] - change) % prime
        pivots.append(column)
    return matrix[: len(pivots)], pivots


def _lifted(matrix: IntArray, reduced: Matrix, pivots: list[int], prime: int) -> Matrix | None:
    """Integer solutions for the free columns; None if one does not solve the system."""
    columns = matrix.shape[1]
    free = np.setdiff1d(np.arange(columns), pivots)
    basis = np.zeros((columns, len(free)), dtype=reduced.dtype)
    residues = -reduced[:, free] % prime
    basis[pivots] = np.where(residues > prime // 2, residues - prime, residues)
    basis[free, np.arange(len(free))] = 1
    wrong = np.flatnonzero(multiply(matrix, basis).any(axis=0))
    for column in wrong.tolist():
        fractions = _common_denominator(residues[:, column].tolist(), prime)
        if fractions is None:
            return None
        numerators, denominator = fractions
        basis[pivots, column] = numerators
        basis[free[column], column] = denominator
    if len(wrong) and multiply(matrix, basis[:, wrong]).any():
        return None
    return basis


def multiply(matrix: IntArray, basis: Matrix) -> Matrix:
    """The product in integers, whatever their size.

    >>> multiply(np.array([[1, 2]]), np.array([[1 << 62], [1 << 62]])).tolist()
    [[13835058055282163712]]
    """
    if not matrix.size or not basis.size:
        return np.zeros((len(matrix), basis.shape[1]), dtype=np.int64)
    if int(abs(matrix).sum(axis=1).max()) * int(abs(basis).max()) < EXACT:
        # Sums of integers below 2^53 are exact in float64, and fast.
        return np.asarray((matrix.astype(np.float64) @ basis.astype(np.float64)).astype(np.int64))
    return np.asarray(matrix.astype(object) @ basis.astype(object))


def _common_denominator(residues: list[int], prime: int) -> tuple[list[int], int] | None:
    """Small integers n_i and d with n_i = d · residue_i modulo the prime; None if there are none."""
    bound = isqrt(prime // 2)
    denominator = 1
    for residue in residues:
        # Euclid's algorithm stops at the first remainder that is small enough to be the numerator.
        before, remainder = prime, residue * denominator % prime
        previous, factor = 0, 1
        while remainder > bound:
            quotient = before // remainder
            before, remainder = remainder, before - quotient * remainder
            previous, factor = factor, previous - quotient * factor
        denominator *= abs(factor)
        if not 0 < denominator <= bound:
            return None
    numerators = [residue * denominator % prime for residue in residues]
    return [n - prime if n > prime // 2 else n for n in numerators], denominator
