"""Lists of units that many lower layers share.

Which units a layer of one may have depends on the layers below it only by what those cost. What fits over
some of them is part of what fits over the cheapest, so one list serves all, and of equal functions the
costlier realisations are dropped once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field

import numpy as np

from idinf.errors import BudgetError
from idinf.runtime.learned import Learned
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

#: Units of one list at most, before and after the reduction, and lists that are remembered.
MOST_LISTED, MOST_KEPT, MOST_LISTS = 3_000_000, 400_000, 16


@dataclass(eq=False)
class UnitLists:
    """Remembers reduced lists of units. Mutable: it keeps the last ones.

    ``beat`` is called while a list is made, and may raise to stop. It must count nothing that is reported,
    because which process makes a list is left to chance.
    """

    beat: Callable[[], None] = lambda: None
    most_listed: int = MOST_LISTED
    known: Learned[Hashable, UnitList] = field(default_factory=Learned)

    def find(
        self,
        key: Hashable,
        wide: LayerBudget,
        heads: int,
        exact: Callable[[Units], IntArray],
        most: int = MAX_UNITS,
    ) -> UnitList:
        """The units of a layer of one within a budget or a larger one, but for those that another dominates.

        Parameters
        ----------
        key
            With the budget but for its total, all that the list and exact numbers depend on.
        wide : LayerBudget
            That over the cheapest lower layers.
        exact : callable
            Equal numbers mean equal functions, as for `idinf.space.reduction.LayerFilter`.
        most : int
            As for `idinf.space.units.iter_unit_chunks`.
        """
        key = (key, wide.features, wide.precision, wide.rest, wide.aggregate, heads)
        known = self.known.get(key)
        if known is None or known.total < wide.total:
            known = self._listed(wide, heads, exact, most)
            self.known.pop(key, None)
            while len(self.known) >= MOST_LISTS:
                del self.known[next(iter(self.known))]
            self.known[key] = known
        return known

    def _listed(
        self,
        wide: LayerBudget,
        heads: int,
        exact: Callable[[Units], IntArray],
        most: int,
    ) -> UnitList:
        """The reduced list, or that there is none because it would be too long."""
        known = LayerFilter(
            lambda units: np.zeros(len(units), dtype=np.int64),
            exact,
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
        """Those within a smaller budget, listed anew if there is no list."""
        if self.units is None:
            yield from iter_unit_chunks(budget, ChannelReads.alone(heads), most)
            return
        index = np.flatnonzero(budget.fits(*self.costs.T))
        if len(index):
            yield self.units.take(index)
