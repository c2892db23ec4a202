"""Merging equal summaries: exact, by one packed integer for each row where the ranges allow it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray
from idinf.space.rows import group_rows

__all__ = ["distinct_rows", "merge_rows"]

#: A table over all packed integers is used up to this many entries per row; beyond, the integers are sorted.
TABLE_PER_ROW = 16


def distinct_rows(rows: IntArray) -> tuple[IntArray, IntArray]:
    """Find equal rows.

    Parameters
    ----------
    rows : (S, k) ndarray of int64
        S ≥ 1.

    Returns
    -------
    first : (G,) ndarray of int64
        Index of the first of each distinct row, in no particular order.
    group : (S,) ndarray of int64
        Place of each row's equal in ``first``.

    Examples
    --------
    >>> first, group = distinct_rows(np.array([[5, 0], [3, 1], [5, 0]]))
    >>> first[group].tolist()
    [0, 1, 0]
    """
    keys, size = _packed(rows)
    if keys is None:
        return group_rows(rows)
    if size > TABLE_PER_ROW * len(rows) + 4096:
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        return first, group
    present = np.zeros(size, dtype=np.bool_)
    present[keys] = True
    place = np.cumsum(present) - 1
    group = place[keys]
    first = np.empty(int(place[-1]) + 1, dtype=np.int64)
    first[group[::-1]] = np.arange(len(rows) - 1, -1, -1)  # the last one written is the first row
    return first, group


def merge_rows(
    rows: IntArray, masks: NDArray[np.uint64] | None, ordered: bool
) -> tuple[IntArray, NDArray[np.uint64] | None]:
    """Find the distinct rows, and the union of the sets of each.

    Parameters
    ----------
    rows : (S, k) ndarray of int64
        S ≥ 1.
    masks : (S,) ndarray of uint64, optional
        A set for each row.
    ordered : bool
        Whether the result must be in ascending order.

    Returns
    -------
    first : (G,) ndarray of int64
        Index of the first of each distinct row.
    merged : (G,) ndarray of uint64 or None
        Union of the sets of its equals.

    Examples
    --------
    >>> first, merged = merge_rows(np.array([[5], [3], [5]]), np.array([1, 1, 2], dtype=np.uint64), True)
    >>> first.tolist(), merged.tolist()
    ([0, 1], [3, 1])
    """
    first, group = distinct_rows(rows)
    merged = None
    if masks is not None:
        merged = np.zeros(len(first), dtype=np.uint64)
        np.bitwise_or.at(merged, group, masks)
    if ordered:
        places = np.argsort(first)
        first = first[places]
        merged = None if merged is None else merged[places]
    return first, merged


def _packed(rows: IntArray) -> tuple[IntArray | None, int]:
    """One integer for each row, equal iff the rows are, and a bound on them; None if ranges are too wide."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    size, keys = 1, np.zeros(len(rows), dtype=np.int64)
    for k in range(rows.shape[1]):
        width = int(high[k]) - int(low[k]) + 1
        if size * width >= 2**62:
            return None, 0
        if width > 1:
            keys += (rows[:, k] - low[k]) * size
            size *= width
    return keys, size
