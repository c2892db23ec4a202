"""The way through a space: slice by slice of R, over all its structures."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Generic

from idinf.errors import BudgetError
from idinf.inference.canonical import Canonical
from idinf.inference.table import BatchT, FailTable, SearchTable, StageTable
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON
from idinf.search.enumeration import Search
from idinf.search.slice_types import Counts, HypothesisBatch, Mode, SearchLimits, UsefulR
from idinf.spec.bounds import MOST_R, SpaceBounds
from idinf.work.limits import Ending, StopReason, tell_max_r

#: Width of a slice of R. Wider slices look at more hypotheses than the stop bound needs, narrower ones walk
#: the lower layers more often.
SLICE = 0.25

#: Below this R there are few hypotheses (two layers with heads start at 9), so slices may be wider.
COARSE_BELOW, COARSE_SLICE = 8.0, 0.5

#: A slice may be twice as wide as the one before up to this width, if nothing was found there and it took so
#: many steps, but at most so many times those of the one before it, where the same words counted: most steps
#: of narrow ones are walked again. Where steps are few they may become many at once. Not where
#: attention patterns are judged: their number grows too fast with R.
WIDEST, LONG, CALM = 1.0, 2000, 2.0

#: Factor by which lists for the report may be longer: few behaviours, but every realisation of them.
REPORT_FACTOR = 16

#: Joint states that a counterexample may take however small the memory bound: a hundred megabytes.
LEAST_REPORT_STATES = 250_000


class Walk(ABC, Generic[BatchT]):
    """The way of a search through a space, upwards in R: all of a run that depends on the kind of nets.

    Mutable: the table of hypotheses grows, and is complete up to R = `complete`; the walk is at R = `high`.
    """

    search: Any  #: the search that lists its nets
    table: FailTable[BatchT]
    complete = high = 0.0

    @abstractmethod
    def run(self) -> None:
        """Search until the stop bound or the end of the space; a limit that ends it raises.

        The next call continues where the last one was ended.
        """

    def allow(self, work: float) -> None:
        """Let `run` take so many steps in all, if it counts any."""

    @abstractmethod
    def goal(self) -> float:
        """Upper bound, by what is known, of the R up to which the walk has to be complete; or infinite."""

    @abstractmethod
    def reached(self) -> tuple[float, bool]:
        """The R up to which the report is complete, and a flag if that is the stop bound."""

    @abstractmethod
    def end(self) -> Ending:
        """Why a walk ended that no limit ended, and that did not come to the stop bound."""

    @property
    @abstractmethod
    def counts(self) -> Counts:
        """Numbers of things that were looked at."""

    @abstractmethod
    def answers(self, complete: float, has_time: bool = True) -> StageTable[BatchT]:
        """Answers for every n by the complete part of the table."""

    def allow_report(self, beat: Callable[[], None]) -> None:
        """Let the search take more than in the walk, as results are always reported; ``beat`` may end it."""

    def check_bound(self, hypothesis: OneHotTransformer) -> None:
        """Refuse an upper bound that is of the family, but not among the nets of this walk."""


def begin_ceiling(high: float, table: SearchTable, complete: float, needed: int) -> UsefulR:
    """The ceiling of a slice where a table is complete up to some R and words up to ``needed`` count."""
    is_open = table.r_star(needed, complete) is None
    return UsefulR(high, *table.windows(complete), needed, is_open, table.settles)


@dataclass(eq=False)
class SliceWalk(Walk[HypothesisBatch]):
    """The way through the one-hot family: slices of all structures of a space."""

    search: Search
    bounds: SpaceBounds
    table: SearchTable
    mode: Mode
    known: Callable[[], float | None]  #: the least R of the known hypotheses that are right up to max_n
    keep: Callable[[HypothesisBatch], None]  #: takes each listed batch, also where a limit ends the slice

    def __post_init__(self) -> None:
        self.complete = min(self.search.structures.floor, self.bounds.max_r) - SLICE
        self._width, self._spent, self._looked_for = SLICE, 0.0, -1
        self._before = replace(self.counts)  #: the counts before the slice that is being listed
        self._begun = -math.inf, math.inf  #: where that slice begins and ends

    def goal(self) -> float:
        """Upper bound, by what is known, of the R up to which the walk has to be complete; else infinite."""
        bound = self.table.stop_bound(math.inf, self.known())
        return min(self.bounds.max_r, math.inf if bound is None else bound)

    def allow(self, work: float) -> None:
        """Let `run` take so many steps in all."""
        self.search.meter.allowance = work

    def run(self) -> None:
        """Enumerate until the stop bound or the end of the budget.

        A slice that was ended is listed again; its remembered results are not worked out twice, and count
        once. Raises `WorkDone` if there was more to search than is allowed. `BudgetError` if it comes to R =
        `MOST_R`.
        """
        self.search.meter.counts = replace(self._before)
        while (last := self._look_up_to()) is not None:
            self._list_slice(last)
            self._before = replace(self.counts)

    def _look_up_to(self) -> float | None:
        """The R that the walk has to reach, by what is known now; None if it is there."""
        self.search.checkpoint()  # a slice may hold no work that checks the time
        if self.complete >= MOST_R:
            raise BudgetError(
                f"R = {MOST_R:g} is reached, and this version searches no further; the space may hold "
                "nothing right, so give larger bounds, such as --heads"
            )
        bound = self.table.stop_bound(self.complete)
        last = min(self.bounds.max_r, math.inf if bound is None else bound)
        if self.table.asks_for_nothing(self.complete):
            self.complete = max(self.complete, last)
            return None
        return None if self.complete >= last + EPSILON else min(last, self._known_end())

    def _list_slice(self, last: float) -> None:
        """Put the next slice into the table, if R = ``last`` is the most that is wanted."""
        needed = self.table.words_needed(self.complete)
        if self.complete < COARSE_BELOW:
            self._width = COARSE_SLICE
        # A slice takes in hypotheses that tie with the end of a window. Beyond that end more words count, and
        # so fewer hypotheses are right on all of them.
        last = min(last, self.table.needed_up_to(self.complete))
        # A slice that was ended continues with its end, as remembered results are those of this slice, unless
        # the end of the last slice is known by now.
        (begun, end), self.high = self._begun, self._end_of_slice(last, self._width)
        if begun == self.complete and (last == math.inf or math.isclose(end, self.high)):
            self.high = end
        self._begun = self.complete, self.high
        ceiling = UsefulR(self.high)
        if self.mode.use_ceiling:
            ceiling = begin_ceiling(self.high, self.table, self.complete, needed)
        slice_ = self.search.slice(self.complete, self.high, needed, self.mode, None, ceiling)
        batches = []
        with closing(slice_):
            for found in slice_:
                self.keep(found)
                batches.append(found)
        for found in batches:
            self.table.add(found)
        spent, earlier = self.counts.work - self._before.work, self._spent
        self.complete, self._spent = ceiling.high, spent
        is_calm = not batches and needed == self._looked_for and LONG <= spent <= CALM * earlier
        is_calm = is_calm and not self.bounds.logit_max
        self._looked_for = needed
        self._width = min(2 * self._width, WIDEST) if is_calm else SLICE

    def _end_of_slice(self, last: float, width: float) -> float:
        """End of the next slice, if R = ``last`` is the greatest that is needed now.

        A slice looks at all of R again and takes several times as long as the one before it. So slices are
        laid out from the last one back: one that ended a little below would take as long for nothing.
        """
        if last == math.inf:
            return self.complete + width
        further = max(round((last - self.complete) / width), 1) - 1
        return last - further * width if further else last + EPSILON

    def _known_end(self) -> float:
        """An upper bound of the stop bound, as a known right hypothesis bounds every unknown R*_n."""
        least = self.known() if self.mode.use_ceiling else None
        end = None if least is None else self.table.stop_bound(self.complete, least)
        return math.inf if end is None or end <= self.complete else end

    def reached(self) -> tuple[float, bool]:
        """The R up to which all structures are complete, not above the stop bound or ``max_r``."""
        bound = self.table.stop_bound(self.complete)
        decided = bound is not None and self.complete >= bound - EPSILON
        return max(min(self.complete, self.bounds.max_r, math.inf if bound is None else bound), 0.0), decided

    def end(self) -> Ending:
        """The end of the space."""
        return Ending(StopReason.MAX_R, tell_max_r(self.bounds.max_r))

    @property
    def counts(self) -> Counts:
        """The counts of the search."""
        return self.search.counts

    def answers(self, complete: float, has_time: bool = True) -> Canonical:
        """Slices are listed again for them, if there is time."""
        return Canonical(self.search, self.table, complete, has_time)

    def allow_report(self, beat: Callable[[], None]) -> None:
        """Thin slices with every realisation may take longer lists."""
        limits = self.search.limits
        states, most = max(limits.max_states, LEAST_REPORT_STATES), limits.most * REPORT_FACTOR
        self.search.limits = SearchLimits(states, most, beat, limits.enter)
        self.search.meter.allowance = math.inf
