"""Integer arrays of many things: records of parallel arrays, and equal rows found by a checked hash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray

#: Metadata of a field that all N things have in common.
SHARED: Mapping[str, Any] = {"shared": True}


class ArrayRecord:
    """Base of frozen dataclasses whose fields hold one entry for each of N things.

    A field is an array with the things along its first axis, None, another such record, or a tuple of them,
    unless its metadata say that it stays as it is: `SHARED`.

    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True)
    ... class Points(ArrayRecord):
    ...     place: NDArray[np.int64]
    ...     unit: str = field(metadata=SHARED)
    >>> points = Points(np.array([3, 1, 2]), "mm")
    >>> len(points), points.take(points.place > 1)
    (3, Points(place=array([3, 2]), unit='mm'))
    >>> Points.concatenate([points.take(slice(2)), points.take(slice(0, 1))]).place
    array([3, 1, 3])
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __len__(self) -> int:
        for name, is_shared in _list_fields(type(self)):
            if not is_shared and isinstance(value := getattr(self, name), np.ndarray):
                return len(value)
        raise TypeError(f"{type(self).__name__} has no array along which its length could be read")

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Self:
        """The things at the given places."""
        taken: list[Any] = []
        for name, is_shared in _list_fields(type(self)):
            value = getattr(self, name)
            if is_shared or value is None:
                taken.append(value)
            elif isinstance(value, np.ndarray):
                taken.append(value[index])
            elif isinstance(value, tuple):
                taken.append(tuple([part.take(index) for part in value]))
            else:
                taken.append(value.take(index))
        return type(self)(*taken)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join at least one record; shared fields are those of the first."""
        return cls(*[_joined([getattr(part, name) for part in parts], s) for name, s in _list_fields(cls)])


#: The fields of a class, each with a flag if all rows share it.
_list_fields: Callable[[Any], tuple[tuple[str, bool], ...]] = cache(
    lambda record: tuple((item.name, bool(item.metadata)) for item in fields(record))
)


def _joined(values: list[Any], is_shared: bool) -> Any:
    first = values[0]
    if is_shared or first is None:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate(values)
    if isinstance(first, tuple):
        return tuple([type(column[0]).concatenate(column) for column in zip(*values, strict=True)])
    return type(first).concatenate(values)


@lru_cache(maxsize=256)
def _multipliers(number: int) -> NDArray[np.uint64]:
    """Odd multipliers of the hash, (2, number): any, because equality is checked afterwards."""
    powers = [(1 + k % 64, 64 - k % 64) for k in range(number)]
    return np.array([[pow(0x9E3779B97F4A7C15, k, 2**64) for k in row] for row in powers], dtype=np.uint64).T


#: Rows that are hashed and compared at once, as there may be many.
_BLOCK = 1 << 14


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
    blocks = [slice(begin, begin + _BLOCK) for begin in range(0, len(rows), _BLOCK)]
    hashes = np.concatenate([_hash_rows(rows[block]) for block in blocks])
    order = hashes.argsort()  # not stable, as that of `numpy.unique` is: a tenth of the time for many rows
    ordered, is_first = hashes[order], np.ones(len(rows), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    first, group = np.minimum.reduceat(order, is_first.nonzero()[0]), np.empty(len(rows), dtype=np.int64)
    group[order] = is_first.cumsum() - 1
    if not all(np.array_equal(rows[first[group[block]]], rows[block]) for block in blocks):
        _, first, group = np.unique(_as_words(rows), axis=0, return_index=True, return_inverse=True)
    return first, group.reshape(-1)


def _as_words(rows: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Rows as numbers of 64 bits, filled up with zeros."""
    flat = np.ascontiguousarray(rows)
    words = flat.view(np.uint8).reshape(len(flat), -1)
    if spare := -words.shape[1] % 8:
        words = np.pad(words, ((0, 0), (0, spare)))
    return np.ascontiguousarray(words).view(np.uint64)


def _hash_rows(rows: NDArray[np.integer]) -> NDArray[np.uint64]:
    """A number for every row; one of 64 bits or fewer has its own."""
    columns = _as_words(rows)
    if columns.shape[1] == 1:
        return columns[:, 0]
    # Multiplied, high bits mixed down, and added; wrap-around is meant.
    before, after = _multipliers(columns.shape[1])
    mixed = columns * before
    mixed ^= mixed >> np.uint64(29)
    mixed *= after
    return np.asarray(np.einsum("ij->i", mixed))  # as `sum`, in less time


def sort_distinct(values: NDArray[np.integer], axis: int | None = None) -> IntArray:
    """The distinct values in order, or the distinct rows with ``axis`` 0.

    As `numpy.unique` in less time: that loads the masked arrays of numpy, unless it sorts places as well.

    >>> sort_distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    >>> sort_distinct(np.array([[1, 0], [0, 1], [1, 0]]), axis=0).tolist()
    [[0, 1], [1, 0]]
    """
    if axis == 0 and values.size:
        distinct = values[group_rows(values)[0]]
        return np.asarray(distinct[np.lexsort(distinct.T[::-1])])
    if axis == 0:
        return np.asarray(values[:1])  # rows of nothing
    ordered = np.sort(values, axis=None)
    return np.asarray(ordered[np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]])


def find_undominated(group: IntArray, costs: NDArray[np.number]) -> IntArray:
    """Places of the costs, (N, k), that no other one of their group is below; of equals the first.

    >>> find_undominated(np.array([0, 0, 0, 1]), np.array([[1, 3], [2, 1], [2, 4], [5, 5]])).tolist()
    [0, 1, 3]
    """
    left, kept = np.lexsort((*costs.T[::-1], group)), [np.zeros(0, dtype=np.int64)]
    while len(left):  # the first that is left of each group is below some others, and none is below it
        new = np.r_[True, group[left[1:]] != group[left[:-1]]]
        kept.append(left[new])
        first = left[new][np.cumsum(new) - 1]
        left = left[(costs[first] > costs[left]).any(axis=1)]
    return np.sort(np.concatenate(kept))


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
