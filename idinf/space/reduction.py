"""Which units of a long list are kept: those that may occur and that no other one beats, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray
from idinf.space.units import CHUNK, MAX_UNITS, BoolArray, FloatArray, Units, check_size

#: Units of a list that are looked at in the time of one step of work, with what it takes to make the list.
UNITS_OF_STEP = 512


@dataclass(frozen=True, eq=False)
class LayerFilter:
    """The knowledge of the search about behaviours, so that hopeless layers are never built."""

    #: Table number of every unit of a list, (N,): its behaviour on short words.
    number: Callable[[Units], IntArray]
    #: Numbers within a list such that units with equal numbers agree on all words, (N,).
    exact: Callable[[Units], IntArray]
    #: Masks of the tables that may occur in a layer, and of the layers, (N, m) tables, that may occur.
    unit: Callable[[IntArray], BoolArray]
    layer: Callable[[IntArray], BoolArray]
    #: Whether a unit may be dropped when another with the same exact number is at most as costly in every
    #: term.
    reduce: bool = True
    most: int = MAX_UNITS  #: bound on every list of units or pairs
    #: For (N,) tables the conflicts that each misses, as an (N, bytes) bitset: a layer must hit all.
    missed: Callable[[IntArray], NDArray[np.uint8]] = lambda tables: np.zeros(
        (len(tables), 0), dtype=np.uint8
    )
    #: Mask of the units of a list that may occur as far as a quick look tells; others get no table.
    possible: Callable[[Units], BoolArray] = lambda units: np.ones(len(units), np.bool_)
    checkpoint: Callable[[], None] = lambda: None  #: called before every part of the work; may raise to stop


def find_undominated(
    groups: IntArray, first: FloatArray | IntArray, second: FloatArray | IntArray
) -> IntArray:
    """Indices of the entries that no other entry of their group beats in both keys; of equals the first.

    >>> find_undominated(np.array([0, 0, 0, 1]), np.array([1, 2, 2, 5]), np.array([3, 1, 4, 5])).tolist()
    [0, 1, 3]
    """
    if not len(groups):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((second, first, groups))
    _, ranks = np.unique(second[order], return_inverse=True)
    new_group = np.r_[True, np.diff(groups[order]) != 0]
    # Groups are pushed below one another, so one running minimum serves them all.
    pushed = ranks - np.cumsum(new_group) * (int(ranks.max()) + 1)
    keep = np.r_[True, pushed[1:] < np.minimum.accumulate(pushed)[:-1]]
    return np.sort(order[keep])


def keep_units(
    chunks: Iterable[Units], none: Units, known: LayerFilter, cheapest: Callable[[Units], IntArray]
) -> tuple[Units, IntArray]:
    """Keep the units of a list that may occur and that none beats, in their order, with their tables.

    ``chunks``: the list in consecutive parts. ``none``: the empty list. ``cheapest``: places of the units of
    a list that no other one beats, ascending; beating is transitive, and of equals the first beats the
    others. Raises BudgetError if more than ``known.most`` units are kept.

    What is beaten in a part of the list is beaten in the whole, by a unit that is kept. So chunks are reduced
    one by one, and again together whenever they have doubled what is kept: besides a chunk, at most twice the
    kept units are held.
    """

    def merged() -> tuple[Units, IntArray]:
        listed = [part for part in parts if len(part[0])] or parts[:1]
        units = Units.concatenate([units for units, _ in listed])
        tables = np.concatenate([tables for _, tables in listed])
        if not known.reduce or len(listed) == 1:
            return units, tables
        index = cheapest(units)
        return units.take(index), tables[index]

    parts: list[tuple[Units, IntArray]] = [(none, np.zeros(0, dtype=np.int64))]
    for chunk in chunks:
        for _ in range(1 + len(chunk) // UNITS_OF_STEP):
            known.checkpoint()
        chunk = chunk.take(np.flatnonzero(known.possible(chunk)))
        if not len(chunk):
            continue
        tables = known.number(chunk)
        keep = np.flatnonzero(known.unit(tables))
        if known.reduce and len(keep):
            keep = keep[cheapest(chunk.take(keep))]
        parts.append((chunk.take(keep), tables[keep]))
        size, settled = sum(len(units) for units, _ in parts), len(parts[0][0])
        if size > min(settled + max(settled, CHUNK), known.most):
            parts = [merged()]
            check_size(len(parts[0][0]), known.most)
    return merged()
