"""Integer vectors by norm: the p-bit grid in units of 2^-p, listed shortest first.

Every parameter of a one-hot Limit Transformer is an integer times 2^-p; a ball of the grid is a finite list
of integer vectors. Lists are sorted by squared norm, ties lexicographically, so a radius is a prefix.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError

#: A ball with more vectors than this (about 2 GB with its temporaries) is refused before it is built; in more
#: than 32 dimensions one with as many coordinates.
MAX_VECTORS = 10_000_000
MAX_RADIUS = 1e100  #: squares of floats up to this one are floats; balls of such a radius are refused anyway

IntArray = NDArray[np.int64]


def find_largest_square(radius: float) -> int:
    """Largest integer m with √m ≤ radius, widened by 1e-9 so that no boundary vector is lost; -1 if none.

    >>> find_largest_square(2.0), find_largest_square(1.5), find_largest_square(-0.1)
    (4, 2, -1)
    """
    if radius < -1e-9:
        return -1
    return int((min(max(radius, 0.0), MAX_RADIUS) + 1e-9) ** 2 + 1e-9)


@lru_cache(maxsize=64)
def list_grid_ball(dimension: int, square: int, low: int | None = None, high: int | None = None) -> IntArray:
    """Return all integer vectors of squared norm at most ``square``, shortest first, ties lexicographic.

    Gives (N, dimension), read-only. Dimension 0 has one (empty) vector, and a negative square none.
    Coordinates are between ``low`` ≤ 0 and ``high`` ≥ 0. Raises BudgetError if there are too many, before
    they are made. Time and memory are linear in the number of vectors times the dimension.

    >>> list_grid_ball(2, 1).tolist()
    [[0, 0], [-1, 0], [0, -1], [0, 1], [1, 0]]
    >>> list_grid_ball(2, 4, low=0, high=1).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    reach = math.isqrt(max(square, 0))
    least, most = -reach if low is None else max(low, -reach), reach if high is None else min(high, reach)
    number = min(MAX_VECTORS, MAX_VECTORS * 32 // max(dimension, 1))
    if dimension and most - least >= number:
        raise _too_many(number, dimension, square)
    bound = min(square, dimension * max(least**2, most**2))
    norms = np.zeros(int(square >= 0), dtype=np.int64)
    columns, parents = [], []  # of every coordinate its values, and the vectors that they continue
    for _ in range(dimension):
        furthest = np.sqrt(bound - norms).astype(np.int64)  # the floor of the root, as squares are below 2^52
        begin, end = np.maximum(-furthest, least), np.minimum(furthest, most)
        fits = end - begin + 1
        if int(fits.sum()) > number:
            raise _too_many(number, dimension, square)
        rows = np.repeat(np.arange(len(norms)), fits)
        values = np.arange(len(rows)) + np.repeat(begin - (np.cumsum(fits) - fits), fits)
        norms = norms[rows] + values**2
        columns.append(values)
        parents.append(rows)
    place = np.argsort(norms, kind="stable")  # they are in lexicographic order already
    ball = np.empty((len(norms), dimension), dtype=np.int64)
    for k in reversed(range(dimension)):
        ball[:, k] = columns[k][place]
        place = parents[k][place]
    ball.setflags(write=False)
    return ball


def find_leading(vectors: IntArray) -> IntArray:
    """The first entry of each vector that is not 0; 0 if there is none."""
    return np.asarray(vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)])


def find_shortest(vectors: IntArray) -> IntArray:
    """The shortest integer vector of the direction of each, g and −g being one."""
    prime = vectors // np.maximum(np.gcd.reduce(vectors, axis=1), 1)[:, None]
    return np.asarray(prime * np.sign(find_leading(prime))[:, None])


def _too_many(number: int, dimension: int, square: int) -> BudgetError:
    return BudgetError(
        f"more than {number} grid vectors of squared norm {square} in {dimension} dimensions; "
        "lower --max-r or --precision"
    )
