"""Integer vectors by norm: the p-bit grid in units of 2^-p, listed shortest first.

Every parameter of a gated Limit Transformer is an integer times 2^-p; a ball of the grid is a finite list
of integer vectors. Lists are sorted by squared norm, ties lexicographically, so a radius is a prefix.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError

__all__ = ["IntArray", "grid_ball", "largest_square"]

#: A ball with more vectors than this (about 2 GB with its temporaries) is refused before it is built.
MAX_VECTORS = 10_000_000

IntArray = NDArray[np.int64]


def largest_square(radius: float) -> int:
    """Largest integer m with √m ≤ radius, widened by 1e-9 so that no boundary vector is lost; -1 if none.

    Examples
    --------
    >>> largest_square(2.0), largest_square(1.5), largest_square(-0.1)
    (4, 2, -1)
    """
    return -1 if radius < -1e-9 else int((max(radius, 0.0) + 1e-9) ** 2 + 1e-9)


@lru_cache(maxsize=64)
def grid_ball(dimension: int, square: int) -> IntArray:
    """Return all integer vectors of squared norm at most ``square``, shortest first, ties lexicographic.

    Parameters
    ----------
    dimension : int
        Number of coordinates, ≥ 0; dimension 0 has one (empty) vector.
    square : int
        Largest squared norm; a negative one gives the empty list.

    Returns
    -------
    (N, dimension) ndarray of int64, read-only

    Notes
    -----
    Exact integer arithmetic. Time and memory are linear in the number of vectors times the dimension.

    Examples
    --------
    >>> grid_ball(2, 1).tolist()
    [[0, 0], [-1, 0], [0, -1], [0, 1], [1, 0]]
    """
    if square < 0:
        empty = np.zeros((0, dimension), dtype=np.int64)
        empty.setflags(write=False)
        return empty
    vectors = np.zeros((1, 0), dtype=np.int64)
    norms = np.zeros(1, dtype=np.int64)
    reach = int(square**0.5) + 1
    steps = np.arange(-reach, reach + 1, dtype=np.int64)
    for _ in range(dimension):
        sums = norms[:, None] + steps[None, :] ** 2
        inside = sums <= square
        if int(inside.sum()) > MAX_VECTORS:
            raise BudgetError(
                f"more than {MAX_VECTORS} grid vectors of squared norm {square} in {dimension} dimensions; "
                "lower --max-r or --precision"
            )
        rows, columns = np.nonzero(inside)
        vectors = np.concatenate([vectors[rows], steps[columns, None]], axis=1)
        norms = sums[rows, columns]
    order = np.argsort(norms, kind="stable")  # rows are lexicographic already
    ball = vectors[order]
    ball.setflags(write=False)
    return ball
