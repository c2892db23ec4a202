"""Summaries of one length, merged; and the sizes that decide how the exact check goes about it."""

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
    #: Numbers that one reading of a layer may hold, prefixes × N × units: 8 MB, and a few such temporaries.
    cells: int = 1 << 20
    cuts_from: int = 256  #: summaries from which on those are merged that behave alike to the last length
    cuts: int = 1 << 22  #: cuts of one sum, and comparisons at one length, beyond which none are listed
    dominated_from: int = 256  #: summaries from which on those are dropped that others dominate
    int64_exact: int = 2**62  #: integers that stay below are of int64, with one bit as a margin


DEFAULT_SIZES = CheckSizes()  #: what every run uses; tests take other sizes to meet each way on short words


Masks = NDArray[np.uint64]  #: sets of up to 64 values of N, as bits

Steps = NDArray[np.int32]  #: pairs (parent, symbol)


@dataclass(frozen=True, eq=False)
class Summaries(ArrayRecord):
    """Summaries of one length, in the order of their least words."""

    rows: NDArray[np.signedinteger]  #: (S, k): sums, codes of recent positions, state of the target
    masks: Masks  #: (S,): for which N of a block some word leads to it
    steps: Steps  #: (S, 2): parent and symbol of the least word of each


def union(parts: Sequence[Summaries]) -> Summaries:
    """Every distinct row of some parts once, in the narrowest integer type.

    The sets of equal rows are united, and the first of them stands for all. Parts follow each other in the
    order of least words.

    >>> rows, masks = np.array([[5], [3], [5]]), np.array([1, 1, 2], dtype=np.uint64)
    >>> merged = union([Summaries(rows, masks, np.zeros((3, 2), dtype=np.int32))])
    >>> merged.rows.tolist(), merged.masks.tolist()
    ([[5], [3]], [3, 1])
    """
    joint = Summaries.concatenate(parts)
    narrow = np.min_scalar_type(min(int(joint.rows.min(initial=0)), -1 - int(joint.rows.max(initial=0))))
    joint = replace(joint, rows=joint.rows.astype(narrow, copy=False))
    first, group = group_rows(joint.rows)
    masks = np.zeros(len(first), dtype=np.uint64)
    np.bitwise_or.at(masks, group, joint.masks)  # over the rows of each group
    order = np.argsort(first)
    return replace(joint.take(first[order]), masks=masks[order])


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
