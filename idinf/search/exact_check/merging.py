"""Merging equal summaries: exact, by one packed integer for each row where the ranges allow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
from idinf.space.grid import IntArray
from idinf.space.rows import ArrayRecord, group_rows


@dataclass(frozen=True, slots=True)
class CheckSizes:
    """Sizes at which the exact check takes one of several equal ways."""

    chunk: int = 1 << 15  #: summaries that are extended at a time
    waiting: int = 1 << 18  #: arrivals that may wait to be merged with the others, however few the others are
    readout_cells: int = 1 << 22  #: numbers that one reading of the last layer may hold, prefixes × units
    #: Numbers of one chunk of prefixes × N × units: 8 MB, and a few such temporaries.
    reader_cells: int = 1 << 20
    table: int = 512  #: feature codes are tabulated up to this many; beyond, only those that occur are
    #: A table over all packed integers has up to this many entries for each row; beyond, the integers are
    #: sorted.
    table_per_row: int = 16
    #: Summaries from which on those are looked for that behave alike up to the last length only.
    saturated_from: int = 256
    comparisons_per_summary: int = 100  #: comparisons that are tabulated for this in the time of one summary
    dominated_from: int = 256  #: summaries from which on those are dropped that others dominate
    #: Cells of the cuts of one sum, lengths × values; a sum that takes more is kept as it is.
    cut_cells: int = 1 << 24
    #: Comparisons, lengths × classes of features × units, beyond which nothing is tabulated.
    comparisons: int = 1 << 24
    cuts_exact: int = 2**58  #: comparisons are tabulated while the numbers in them stay below this
    #: Sums of integers below these bounds are exact in the kernels of each type; one bit is left as a margin.
    #: Smaller ones only make the check slower.
    float64_exact: int = 2**52
    int64_exact: int = 2**62


DEFAULT_SIZES = CheckSizes()  #: what every run uses; tests take other sizes to meet each way on short words


Masks = NDArray[np.uint64]  #: sets of up to 64 values of N, as bits

Steps = NDArray[np.int32]  #: pairs (parent, symbol)


@dataclass(frozen=True, eq=False)
class MergedRows(ArrayRecord):
    """Rows with their sets and last steps."""

    rows: NDArray[np.signedinteger]  #: (S, k)
    masks: Masks | None = None  #: (S,)
    #: (S, 2): parent and symbol of the least word of each row; the order of rows is then by these.
    steps: Steps | None = None


def distinct_rows(
    rows: IntArray, table_per_row: int = DEFAULT_SIZES.table_per_row
) -> tuple[IntArray, IntArray]:
    """Find equal rows among S ≥ 1 ones, (S, k).

    Returns the index of the first of each distinct row, (G,), in no particular order, and the place of each
    row's equal among those, (S,).

    >>> first, group = distinct_rows(np.array([[5, 0], [3, 1], [5, 0]]))
    >>> first[group].tolist()
    [0, 1, 0]
    """
    packing = _Packing.of([rows])
    if packing is None:
        return group_rows(rows)
    keys = packing.keys(rows)
    if packing.size > table_per_row * len(rows) + 4096:
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        return first, group
    present = np.zeros(packing.size, dtype=np.bool_)
    present[keys] = True
    place = np.cumsum(present) - 1
    group = place[keys]
    first = np.empty(int(place[-1]) + 1, dtype=np.int64)
    first[group[::-1]] = np.arange(len(rows) - 1, -1, -1)  # the last one written is the first row
    return first, group


def union(parts: Sequence[MergedRows], table_per_row: int = DEFAULT_SIZES.table_per_row) -> MergedRows:
    """Every distinct row of some part once, in the narrowest integer type.

    Of one part at least, all with masks or none, all with steps or none. The sets of equal rows are united.
    With steps, the first of equal rows in the order of steps stands for them, and rows are in that order;
    without, in no particular order.

    Without sets and steps, rows are packed into integers, and the distinct integers are unpacked: nothing
    but 8 bytes for each row and as many again for sorting is held.

    >>> one, two = np.array([[5, 0], [3, 1]]), np.array([[5, 0]])
    >>> sorted(union([MergedRows(one), MergedRows(two)]).rows.tolist())
    [[3, 1], [5, 0]]
    >>> sets = np.array([1, 1, 2], dtype=np.uint64)
    >>> sorted(union([MergedRows(one, sets[:2]), MergedRows(two, sets[2:])]).masks.tolist())
    [1, 3]
    """
    parts = [part for part in parts if len(part)] or parts[:1]
    if not len(parts[0]):
        return parts[0]
    if parts[0].masks is None and parts[0].steps is None:
        packing = _Packing.of([part.rows for part in parts])
        if packing is not None:
            return MergedRows(packing.rows(_distinct(packing, parts, table_per_row)))
    joint = MergedRows.concatenate(parts)
    if joint.steps is not None:
        joint = joint.take(np.lexsort((joint.steps[:, 1], joint.steps[:, 0])))
    first, group = distinct_rows(joint.rows, table_per_row)
    merged = joint.take(first)
    if joint.masks is not None and merged.masks is not None:
        merged.masks[:] = 0
        np.bitwise_or.at(merged.masks, group, joint.masks)  # over the rows of each group
    merged = merged if joint.steps is None else merged.take(np.argsort(first))
    rows = merged.rows
    kind = _narrowest(int(rows.min(initial=0)), int(rows.max(initial=0)))
    return replace(merged, rows=rows.astype(kind))


def _distinct(packing: _Packing, parts: Sequence[MergedRows], table_per_row: int) -> IntArray:
    """The distinct integers of the rows of some parts, ascending."""
    keys = np.concatenate([packing.keys(part.rows) for part in parts])
    if packing.size <= table_per_row * len(keys) + 4096:
        present = np.zeros(packing.size, dtype=np.bool_)
        present[keys] = True
        return np.flatnonzero(present)
    keys.sort()
    return np.asarray(keys[np.concatenate([[True], keys[1:] != keys[:-1]])])


def word_of(trail: Sequence[Steps], place: int, symbol: int) -> Word:
    """The word whose last symbol extends the row at a place, by the steps that led there; -1 is no symbol.

    >>> word_of([np.array([[0, 1]], dtype=np.int32)], 0, 2), word_of([], 0, -1)
    ((1, 2), ())
    """
    codes = []
    for steps in reversed(trail):
        codes.append(symbol)
        place, symbol = steps[place].tolist()
    codes.append(symbol)
    return tuple(code for code in reversed(codes) if code >= 0)


def _narrowest(low: int, high: int) -> np.dtype[np.signedinteger]:
    """The narrowest type of integers that holds two numbers and their difference."""
    kinds = (np.int16, np.int32)
    return np.dtype(next((kind for kind in kinds if high - low <= np.iinfo(kind).max), np.int64))


@dataclass(frozen=True, eq=False)
class _Packing:
    """Rows as integers below ``size``, equal iff the rows are: columns are digits of mixed bases."""

    low: IntArray  #: (k,): the least number of each column
    kind: np.dtype[np.signedinteger]  #: of the rows
    digits: tuple[tuple[int, int, int], ...]  #: column, factor and width of each digit
    size: int

    @staticmethod
    def of(parts: Sequence[NDArray[np.signedinteger]]) -> _Packing | None:
        """That of the rows of some parts, none of which is empty; None if ranges are too wide."""
        low = np.min([part.min(axis=0) for part in parts], axis=0).astype(np.int64)
        high = np.max([part.max(axis=0) for part in parts], axis=0).astype(np.int64)
        digits, size = [], 1
        for k, (least, most) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            if most > least:
                digits.append((k, size, most - least + 1))
                size *= most - least + 1
        kind = _narrowest(int(low.min(initial=0)), int(high.max(initial=0)))
        return None if size >= 2**62 else _Packing(low, kind, tuple(digits), size)

    def keys(self, rows: NDArray[np.signedinteger]) -> IntArray:
        """Their integers, (S,)."""
        keys = np.zeros(len(rows), dtype=np.int64)
        for k, factor, _ in self.digits:
            keys += (rows[:, k].astype(np.int64) - self.low[k]) * factor
        return keys

    def rows(self, keys: IntArray) -> NDArray[np.signedinteger]:
        """The rows of integers, (S, k), in the narrowest type."""
        rows = np.empty((len(keys), len(self.low)), dtype=self.kind)
        rows[:] = self.low
        for k, factor, width in self.digits:
            rows[:, k] += (keys // factor % width).astype(rows.dtype)
        return rows
