"""The way through a space that is given: slice by slice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from idinf.experiments.bounds import SpaceBounds
from idinf.inference.table import SearchTable
from idinf.report.value import Coverage
from idinf.search.ceiling import Ceiling
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.space.structures import StructureSource
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.regularizer import EPSILON
from idinf.upper_bound.bracket import UpperBound

#: Width of a slice of R. Wider slices look at more hypotheses than the stop bound asks for, narrower ones
#: walk the lower layers more often.
SLICE = 0.25

#: Below this R there are few hypotheses (two layers with heads start at 9), so slices may be wider.
COARSE_BELOW, COARSE_SLICE = 8.0, 0.5

#: A slice may be twice as wide as the one before up to this width, if nothing was found there and it took so
#: many steps, but at most so many times those of the one before it: most of what narrow ones take is walked
#: again. Where steps are few they may become many at once.
WIDEST, LONG, CALM = 1.0, 2000, 2.0

#: R up to which a given space is complete, and the steps of work that took, before an upper bound is looked
#: for: easy targets end before, and it takes half as much work itself. Without a time limit it waits for so
#: many times as many steps, and is little beside them.
FINDER_FROM, FINDER_AFTER, UNHURRIED = 10.0, 8000, 6


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """What a walk has reached, and can be reported on: of a given space.

    Attributes
    ----------
    table : SearchTable
        What was found in the structures that the answer is about.
    structures : StructureSource
        Those structures.
    complete : float
        R up to which they are complete; not above the stop bound or ``max_r``.
    decided : bool
        Whether that is the stop bound.
    """

    table: SearchTable
    structures: StructureSource
    complete: float
    decided: bool

    def holds(self, hypothesis: OneHotTransformer) -> bool:
        """Whether the answer is about structures that a hypothesis is one of."""
        return True

    def coverage(self, needs: str, known: Iterable[UpperBound]) -> Coverage | None:
        """What to say of the cells that an answer is about; nothing of a given space."""
        return None


@dataclass(eq=False)
class Walk:
    """The state of a run: what is searched, and what was found. Mutable."""

    search: Search
    bounds: SpaceBounds
    table: SearchTable
    mode: Mode
    look_above: Callable[[], None]  #: looks for an upper bound, once
    known: Callable[[], float | None]  #: the least R of the known hypotheses that are right up to max_n
    high: float = 0.0  #: upper end of the present slice

    def goal(self) -> float:
        """What the walk has to be complete to, at most, as far as that is known; else infinite."""
        bound = self.table.stop_bound(math.inf, self.known())
        return min(self.bounds.max_r, math.inf if bound is None else bound)


@dataclass(eq=False)
class Sweep(Walk):
    """A given space: slices of all its structures."""

    complete: float = 0.0  #: R up to which they are complete
    is_hurried: bool = True  #: whether a time limit may end it before the end of its budget

    def run(self) -> None:
        """Enumerate until the stop bound or the end of the budget.

        Raises
        ------
        WorkDone
            If there was more to search than a budget of work allows.
        """
        if self.bounds.work is not None:
            self.search.meter.allowance = self.bounds.work
        floor = self.search.structures.floor
        self.complete = min(floor, self.bounds.max_r) - SLICE
        width, spent = SLICE, 0
        finder_after = FINDER_AFTER * (1 if self.is_hurried else UNHURRIED)
        while True:
            bound = self.table.stop_bound(self.complete)
            last = min(self.bounds.max_r, math.inf if bound is None else bound)
            if self.complete >= last + EPSILON:
                if bound is None:
                    self.look_above()
                return
            if self.complete >= FINDER_FROM and self.search.counts.work >= finder_after:
                self.look_above()
            last = min(last, self._known_end())
            needed = self.table.words_needed(self.complete)
            if self.complete < COARSE_BELOW:
                width = COARSE_SLICE
            # The last slice takes in what ties with the end of a window.
            is_last = self.complete + width >= last - EPSILON
            self.high = last + EPSILON if is_last else self.complete + width
            before, earlier = self.search.counts.work, spent
            # A right hypothesis that is met bounds what matters from above, and what the slice lists.
            ends = partial(self.table.stop_bound, self.complete) if self.mode.use_ceiling else None
            ceiling = Ceiling(self.high, ends)
            slice_ = self.search.slice(self.complete, self.high, needed, self.mode, None, ends)
            with closing(slice_):
                batches = list(slice_)
            for found in batches:
                ceiling.meet(found.r, found.fail)
            for found in batches:
                self.table.add(found)
            self.complete, spent = ceiling.high, self.search.counts.work - before
            is_calm = not batches and LONG <= spent <= CALM * earlier
            width = min(2 * width, WIDEST) if is_calm else SLICE

    def _known_end(self) -> float:
        """What the stop bound is at most, as a known right hypothesis bounds every unknown R*_n."""
        least = self.known() if self.mode.use_ceiling else None
        end = None if least is None else self.table.stop_bound(self.complete, least)
        return math.inf if end is None or end <= self.complete else end

    def reached(self) -> Reached:
        """What the answer is about: the whole space."""
        bound = self.table.stop_bound(self.complete)
        decided = bound is not None and self.complete >= bound - EPSILON
        complete = max(min(self.complete, self.bounds.max_r, math.inf if bound is None else bound), 0.0)
        return Reached(self.table, self.search.structures, complete, decided)
