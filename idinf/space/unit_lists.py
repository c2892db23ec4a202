"""Lists of units that many lower layers share.

Which units a layer of one may have depends on the layers below it only by what those cost. What fits over
some of them is part of what fits over the cheapest, so one list serves all, and of equal functions the
costlier realisations are dropped once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from idinf.errors import BudgetError
from idinf.space.grid import IntArray
from idinf.space.layers import keep_units_alone
from idinf.space.reduction import LayerFilter
from idinf.space.units import (
    MAX_UNITS,
    RAW,
    ChannelReads,
    FloatArray,
    LayerBudget,
    Units,
    iter_unit_chunks,
)
from idinf.work.parallel import Learned, Workers

#: Units of one list at most, before and after the reduction, and lists that are remembered.
MOST_LISTED, MOST_KEPT, MOST_LISTS = 3_000_000, 400_000, 16


@dataclass(frozen=True, slots=True)
class UnitListRequest:
    """A list of units.

    ``key``: with the budget but for its total, all that the list and exact numbers depend on. ``wide``: that
    over the cheapest lower layers. ``exact``: equal numbers mean equal functions, as for
    `idinf.space.reduction.LayerFilter`. ``most``: as for `idinf.space.units.iter_unit_chunks`.
    """

    key: Hashable
    wide: LayerBudget
    heads: int
    exact: Callable[[Units], IntArray]
    most: int = MAX_UNITS

    @property
    def name(self) -> Hashable:
        """All but the total of the budget: a list of a larger one holds that of a smaller one."""
        wide = self.wide
        return self.key, wide.features, wide.precision, wide.rest, wide.aggregate, self.heads


@dataclass(eq=False)
class UnitLists:
    """Remembers reduced lists of units. Mutable: it keeps the last ones.

    ``beat`` is called while a list is made, and may raise to stop. It must count nothing that is reported,
    because which process makes a list is left to chance.
    """

    beat: Callable[[], None] = lambda: None
    most_listed: int = MOST_LISTED
    known: Learned[Hashable, UnitList] = field(default_factory=Learned)
    _asked: dict[Hashable, UnitListRequest] = field(default_factory=dict)
    _took_s: float = 0.0  #: seconds for what was asked for and lacking the last time

    def find(self, wanted: UnitListRequest) -> UnitList:
        """The units of a layer of one within a budget or a larger one, without those that others dominate."""
        if self._lacks(wanted):
            listed = self._listed(wanted)
            self.known.pop(wanted.name, None)
            while len(self.known) >= MOST_LISTS:
                del self.known[next(iter(self.known))]
            self.known[wanted.name] = listed
        return self.known[wanted.name]

    def _lacks(self, wanted: UnitListRequest) -> bool:
        known = self.known.get(wanted.name)
        return known is None or known.total < wanted.wide.total

    def ask(self, wanted: UnitListRequest) -> None:
        """Say that a list is going to be needed."""
        earlier = self._asked.get(wanted.name, wanted)
        self._asked[wanted.name] = max(earlier, wanted, key=lambda asked: asked.wide.total)

    def make_asked(self, workers: Workers) -> None:
        """Make what was asked for and is not known, each list by one process.

        Otherwise every process that comes to it makes it anew. A single process makes nothing in advance.
        """
        lacking = [wanted for wanted in self._asked.values() if self._lacks(wanted)]
        lacking.sort(key=lambda wanted: (wanted.wide.precision, wanted.wide.total), reverse=True)  # long ones
        self._asked.clear()
        if lacking and workers.jobs > 1:
            started = time.perf_counter()
            with closing(workers.map(self._make, lacking, self._took_s)) as made:
                deque(made, maxlen=0)
            self._took_s = time.perf_counter() - started

    def _make(self, wanted: UnitListRequest) -> None:
        self.find(wanted)

    def _listed(self, wanted: UnitListRequest) -> UnitList:
        """The reduced list, or that there is none because it would be too long."""
        wide, heads, most = wanted.wide, wanted.heads, wanted.most
        known = LayerFilter(
            lambda units: np.zeros(len(units), dtype=np.int64),
            wanted.exact,
            lambda tables: np.ones(len(tables), dtype=np.bool_),
            lambda tables: np.ones(len(tables), dtype=np.bool_),
            most=min(most, MOST_KEPT),
            checkpoint=self.beat,
        )
        chunks = iter_unit_chunks(wide, ChannelReads.alone(heads), min(most, self.most_listed // RAW))
        try:
            units, _ = keep_units_alone(chunks, heads, wide, known)
        except BudgetError:
            return UnitList(wide.total, None, np.zeros((0, 4)))
        return UnitList(wide.total, units, units.costs(wide.aggregate))


@dataclass(frozen=True, eq=False)
class UnitList:
    """Units within a total of R, cheapest first, with their costs; None if they are too many."""

    total: float
    units: Units | None
    costs: FloatArray

    def within(self, budget: LayerBudget, heads: int, most: int = MAX_UNITS) -> Iterator[Units]:
        """The units within a smaller budget, listed anew if there is no list."""
        if self.units is None:
            yield from iter_unit_chunks(budget, ChannelReads.alone(heads), most)
            return
        index = np.flatnonzero(budget.fits(*self.costs.T))
        if len(index):
            yield self.units.take(index)
