"""Matrices in units of 2^-p as integers: machine integers where they are sure to fit, else Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.nets.dense import Matrix

IntArray = NDArray[Any]  #: of int64 or of Python integers

#: Machine integers stay below this, also while they are summed up; their floats are good to 2^-53 of it.
_SAFE = 2.0**60


def to_integers(rows: Matrix, precision: int) -> IntArray:
    """A matrix in units of 2^-p.

    Examples
    --------
    >>> from fractions import Fraction
    >>> to_integers(((Fraction(1, 2), Fraction(3)),), 1).tolist()
    [[1, 6]]
    """
    one = 1 << precision
    entries = [[int(entry * one) if entry else 0 for entry in row] for row in rows]
    largest = max((abs(entry) for row in entries for entry in row), default=0)
    return np.array(entries, dtype=np.int64 if largest < _SAFE else object).reshape(len(rows), -1)


def times(one: IntArray, other: IntArray) -> IntArray:
    """The product of two integer matrices; exact.

    Examples
    --------
    >>> large = np.array([[2**59, 2**59]])
    >>> int(times(large, large.T)[0, 0]) == 2**119
    True
    """
    if not one.size or not other.size:
        return np.zeros((one.shape[0], other.shape[1]), dtype=np.int64)
    if one.dtype != object and other.dtype != object:
        most = float(np.abs(one).astype(np.float64).sum(axis=1).max()) * float(np.abs(other).max())
        if most < _SAFE:
            return np.asarray(np.matmul(one, other))
    return np.asarray(np.matmul(one.astype(object), other.astype(object)))


def scale(array: IntArray, bits: int) -> IntArray:
    """An integer matrix times 2^bits; exact.

    Examples
    --------
    >>> scale(np.array([[3, 1]]), 2).tolist()
    [[12, 4]]
    """
    factor = np.array([[1 << bits]], dtype=np.int64 if bits < 60 else object)
    return times(factor, array.reshape(1, -1)).reshape(array.shape) if bits else array
