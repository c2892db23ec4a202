"""Prefixes that arrive at a position, with the values of N that they occur for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idinf.search.exact_check.layer_reader import Prefixes
from idinf.search.exact_check.merging import Masks
from idinf.space.array_record import ArrayRecord
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray

#: Values of N of one block, at most: the bits of a uint64.
MAX_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Arrivals(ArrayRecord):
    """Prefixes extended by one symbol; ``source`` is the summary that each of them extends."""

    read: Prefixes
    states: IntArray
    masks: Masks | None
    source: IntArray


def blocks(horizon: int) -> list[range]:
    """Split N = 1..horizon + 1 into blocks, short ones first: most hypotheses fail early.

    >>> [(block[0], block[-1]) for block in blocks(128)]
    [(1, 8), (9, 24), (25, 88), (89, 129)]
    """
    out, begin, size = [], 1, 8
    while begin <= horizon + 1:
        out.append(range(begin, min(begin + size, horizon + 2)))
        begin += size
        size = min(MAX_BLOCK, 2 * size if size < 16 else MAX_BLOCK)
    return out


def all_of(block: range) -> Masks:
    """The set of all N of a block."""
    return np.array([(1 << len(block)) - 1], dtype=np.uint64)


def split(now: Arrivals, out: BoolArray, group: IntArray, masks: Masks, begin: int, units: slice) -> Arrivals:
    """One summary for every answer of a layer, ``out[group]``, that occurs among the N of a summary."""
    parts, places = [], []
    for answer in range(1 << out.shape[2]):
        wanted = (answer >> np.arange(out.shape[2])) & 1
        # (prefixes, N, units): a prefix agrees for an N if all units do.
        agreeing = _packed((out == wanted.astype(np.bool_)).all(axis=2)) << np.uint64(begin)
        agreeing = agreeing[group] & masks
        index = np.flatnonzero(agreeing)
        if len(index):
            places.append((index, wanted))
            parts.append(agreeing[index])
    index = np.concatenate([found for found, _ in places])
    split = now.take(index)
    split.read.bits[:, units] = np.concatenate([np.tile(w, (len(found), 1)) for found, w in places])
    return Arrivals(split.read, split.states, np.concatenate(parts), split.source)


def _packed(flags: BoolArray) -> Masks:
    """Rows of at most 64 flags as the bits of one integer, the first one lowest."""
    padded = np.zeros((len(flags), MAX_BLOCK), dtype=np.bool_)
    padded[:, : flags.shape[1]] = flags
    packed = np.packbits(padded, axis=1, bitorder="little").view("<u8")[:, 0]
    return packed.astype(np.uint64)
