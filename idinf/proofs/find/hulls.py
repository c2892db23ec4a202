"""Facets of the convex hull of integer points: floats propose directions, which integers then bound."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from idinf.base.linear_algebra import find_orthogonal, find_pivot_columns
from idinf.space.grid import IntArray
from idinf.space.rows import sort_distinct
from idinf.work.memory import make_room_for_a_library

#: Coefficients of a facet, at most, up to sign.
LARGEST = 12

#: Dimensions of a hull, at most: facets become many and thin.
MAX_DIMENSION = 6


def find_equations(points: IntArray) -> tuple[tuple[int, ...], ...]:
    """The integer directions in which all points have one value: a basis, and its negatives; exact.

    >>> find_equations(np.array([[0, 0, 1], [1, 2, 1], [2, 4, 1]]))
    ((-2, 1, 0), (2, -1, 0), (0, 0, 1), (0, 0, -1))
    """
    differences = points - points[0]
    size = points.shape[1]
    found: list[list[int]] = []
    basis = find_orthogonal(found, size)
    while basis:
        moving = np.flatnonzero((differences @ np.array(basis, dtype=np.int64).T).any(axis=1))
        if not len(moving):
            break
        found.append([int(entry) for entry in differences[moving[0]]])
        basis = find_orthogonal(found, size)
    return tuple(d for one in basis for d in (one, tuple(-entry for entry in one)))


def find_facets(points: IntArray) -> tuple[tuple[int, ...], ...]:
    """Directions whose least values describe the hull of some points, (V, k), and both of each equation.

    Facets with large coefficients are left out, and all of them if the hull has too many dimensions.

    >>> find_facets(np.array([[0, 0], [2, 0], [0, 1], [1, 0]]))
    ((-1, -2), (0, 1), (1, 0))
    >>> find_facets(np.array([[0, 1], [2, 1]]))
    ((0, 1), (0, -1), (-1, 0), (1, 0))
    """
    both = find_equations(points)
    size = points.shape[1]
    kept = _free(both[::2], size)
    if not kept or len(kept) > MAX_DIMENSION:
        return both
    projected = sort_distinct(points[:, kept], axis=0)
    if len(kept) == 1:
        normals = np.array([[1.0], [-1.0]])
    else:
        hull, flat = _library()
        try:
            normals = -hull(projected).equations[:, :-1]
        except flat:
            return both
    found = set()
    for normal in normals:
        direction = [0] * size
        for place, entry in zip(kept, _integers(normal), strict=False):
            direction[place] = entry
        if any(direction):
            found.add(tuple(direction))
    return both + tuple(sorted(found))


def _free(equal: tuple[tuple[int, ...], ...], size: int) -> list[int]:
    """Coordinates that decide all others by some equations."""
    # Counters of units, which come last, go first.
    decided = find_pivot_columns([[Fraction(entry) for entry in reversed(row)] for row in equal])
    return [place for place in range(size) if size - 1 - place not in decided]


def _integers(normal: np.ndarray[Any, np.dtype[np.float64]]) -> list[int]:
    """The shortest integer vector along a direction; nothing if it has large entries."""
    largest = np.abs(normal).max()
    for scale in range(1, LARGEST + 1):
        scaled = normal / largest * scale
        rounded = np.rint(scaled)
        if np.abs(scaled - rounded).max() < 1e-6:
            return [int(entry) for entry in rounded]
    return []


@cache
def _library() -> tuple[Any, type[Exception]]:
    """Convex hulls, and the error of points that are flat; loaded when they are first needed."""
    with make_room_for_a_library():
        from scipy.spatial import ConvexHull, QhullError
    return ConvexHull, QhullError
