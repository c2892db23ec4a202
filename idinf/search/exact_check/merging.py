"""Merging equal summaries, and the sizes that decide how the exact check goes about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
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
    cuts_from: int = (
        256  #: summaries from which on those are looked for that behave alike up to the last length
    )
    cuts: int = 1 << 22  #: cuts of one sum, and comparisons at one length, beyond which none are listed
    dominated_from: int = 256  #: summaries from which on those are dropped that others dominate
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


def union(parts: Sequence[MergedRows]) -> MergedRows:
    """Every distinct row of some part once, in the narrowest integer type.

    Of one part at least, all with masks or none, all with steps or none. The sets of equal rows are united.
    With steps, the first of equal rows in the order of steps stands for them, and rows are in that order;
    without, in no particular order.

    >>> one, two = np.array([[5, 0], [3, 1]]), np.array([[5, 0]])
    >>> sorted(union([MergedRows(one), MergedRows(two)]).rows.tolist())
    [[3, 1], [5, 0]]
    >>> sets = np.array([1, 1, 2], dtype=np.uint64)
    >>> sorted(union([MergedRows(one, sets[:2]), MergedRows(two, sets[2:])]).masks.tolist())
    [1, 3]
    """
    joint = MergedRows.concatenate(parts)
    rows = joint.rows
    kind = _narrowest(int(rows.min(initial=0)), int(rows.max(initial=0)))
    joint = replace(joint, rows=rows.astype(kind))
    if joint.steps is not None:
        joint = joint.take(np.lexsort((joint.steps[:, 1], joint.steps[:, 0])))
    first, group = group_rows(joint.rows)
    merged = joint.take(first)
    if joint.masks is not None and merged.masks is not None:
        merged.masks[:] = 0
        np.bitwise_or.at(merged.masks, group, joint.masks)  # over the rows of each group
    return merged if joint.steps is None else merged.take(np.argsort(first))


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
