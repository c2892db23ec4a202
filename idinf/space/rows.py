"""Grouping equal rows of integer arrays: exact, by a hash that is checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray

#: Odd multipliers of the hash; any fixed odd numbers do, because equality is checked afterwards.
_MULTIPLIERS = np.array([pow(0x9E3779B97F4A7C15, k, 2**64) for k in range(1, 65)], dtype=np.uint64)


def group_rows(rows: NDArray[np.integer]) -> tuple[IntArray, IntArray]:
    """Find equal rows.

    Gives the index of the first row of every group, (G,), and the group of each of N rows, (N,).
    Rows are sorted by a 64-bit hash, and every row is compared with the first of its group; should two
    different rows ever collide, the rows themselves are sorted. The order of the groups means nothing.

    >>> first, group = group_rows(np.array([[1, 2], [0, 0], [1, 2]]))
    >>> first[group].tolist()
    [0, 1, 0]
    """
    if not len(rows) or not rows.shape[1]:
        return np.arange(min(len(rows), 1)), np.zeros(len(rows), dtype=np.int64)
    flat = np.ascontiguousarray(rows)
    spare = -(flat.itemsize * flat.shape[1]) % 8
    words = flat.view(np.uint8).reshape(len(flat), -1)
    if spare:
        words = np.pad(words, ((0, 0), (0, spare)))
    columns = np.ascontiguousarray(words).view(np.uint64)
    if columns.shape[1] == 1:
        _, first, group = np.unique(columns[:, 0], return_index=True, return_inverse=True)
        return first, group.reshape(-1)
    # Multiplied, high bits mixed down, and added; wrap-around is meant.
    mixed = columns * np.resize(_MULTIPLIERS, columns.shape[1])
    mixed ^= mixed >> np.uint64(29)
    hashes = (mixed * np.resize(_MULTIPLIERS[::-1], columns.shape[1])).sum(axis=1, dtype=np.uint64)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    if not np.array_equal(columns[first][group], columns):
        _, first, group = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    return first, group.reshape(-1)


def sort_distinct(values: NDArray[np.integer], axis: int | None = None) -> IntArray:
    """The distinct values in order, or the distinct rows with ``axis`` 0.

    As `numpy.unique`, which loads the masked arrays of numpy unless it is asked for places: milliseconds.
    Rows of a few small numbers are sorted as one number each, in the same order.

    >>> sort_distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    >>> sort_distinct(np.array([[1, 0], [0, 1], [1, 0]]), axis=0).tolist()
    [[0, 1], [1, 0]]
    """
    if axis == 0 and values.size:
        least, most = values.min(axis=0).tolist(), values.max(axis=0).tolist()
        widths = [(high - low).bit_length() for low, high in zip(least, most, strict=True)]
        if sum(widths) < 63:
            shifts = np.cumsum([0, *widths[:0:-1]])[::-1]
            packed = np.sort((values.astype(np.int64) - least) @ (1 << shifts))
            packed = packed[np.r_[True, packed[1:] != packed[:-1]]]
            return np.asarray((packed[:, None] >> shifts & (1 << np.array(widths)) - 1) + least)
    return np.asarray(np.unique(values, axis=axis, return_index=True)[0])


def spread_places(places: IntArray, most: int) -> IntArray:
    """At most so many of some places, at equal distances.

    >>> spread_places(np.arange(10, 17), 3).tolist(), spread_places(np.arange(2), 3).tolist()
    ([10, 13, 16], [0, 1])
    """
    return places[:: max(1, -(-len(places) // most))] if most else places[:0]


def list_members_of_groups(group: IntArray, number: int) -> list[IntArray]:
    """The places of the members of every group, ascending.

    >>> [places.tolist() for places in list_members_of_groups(np.array([1, 0, 1]), 2)]
    [[1], [0, 2]]
    """
    order = np.argsort(group, kind="stable")
    return np.split(order, np.searchsorted(group[order], np.arange(1, number))) if number else []


def repeat_places(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Every place as often as its count says, and which time it is.

    >>> [array.tolist() for array in repeat_places(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    place = np.repeat(np.arange(len(counts)), counts)
    return place, np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
