"""The way through a space that the tool chooses: cell by cell."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property

from idinf.errors import BudgetError
from idinf.inference.agenda import PATIENCE, Agenda, Settled, Task
from idinf.inference.table import SearchTable
from idinf.inference.walks import Reached, Walk
from idinf.report.value import CellSizes, Coverage, round_r
from idinf.search.found import WorkDone
from idinf.search.gathered import Begun
from idinf.space.cells import Cell, find_maximal, floor_beyond, order_by_extent
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.regularizer import EPSILON
from idinf.upper_bound.bracket import UpperBound

#: The steps of work in a chosen space before an upper bound is looked for; the same for every budget, so that
#: a run with a larger one goes on where another ended.
FIRST_LOOK = 3000

#: The part of the work that a decided answer is carried to further cells with.
WIDENING_PART = 0.5

#: Bytes of what slices that were given up have found, which are kept until they go on.
MOST_KEPT = 64 * 2**20

#: Structures that are listed in the time of one step of work.
LOOKS = 32


@dataclass(frozen=True, slots=True, eq=False)
class ReachedCells(Reached):
    """What was reached of a chosen space.

    Attributes
    ----------
    settled : Settled
        The cells that the answer is about.
    """

    settled: Settled

    @property
    def is_whole(self) -> bool:
        """Whether nothing else of the family has so small an R."""
        return self.settled.rest > self.complete + EPSILON

    def holds(self, hypothesis: OneHotTransformer) -> bool:
        """Whether the answer is about structures that a hypothesis is one of."""
        return self.is_whole or Cell.of_net(hypothesis) in self.settled.cells

    def coverage(self, needs: str, known: Iterable[UpperBound]) -> Coverage:
        """What to say of the cells that an answer is about."""
        cells = order_by_extent(find_maximal(self.settled.cells), self.settled.cells)
        least = next((row.r for row in self.table.levels if row.fail is None), math.inf)
        other = min((bound.r for bound in known if not self.holds(bound.hypothesis)), default=math.inf)
        return Coverage(
            tuple(CellSizes(*cell.sizes) for cell in cells),
            None if self.is_whole else round_r(self.settled.rest),
            needs,
            round_r(other) if other < least - EPSILON else None,
        )


@dataclass(eq=False)
class Exploration(Walk):
    """A space that the tool chooses: slices of single cells."""

    right: Callable[[], Iterable[OneHotTransformer]] = tuple  #: known right hypotheses, the least R first
    weigh: Callable[[Cell], float] = lambda cell: 1.0
    core: tuple[Cell, ...] = ()  #: cells that are searched first, before anything is known
    patience: float = PATIENCE  #: of the agenda
    _decided_at: float = math.inf  #: steps of work after which an answer was decided
    _looks: int = 0
    #: Slices that were given up, by cell, R and how far they list, and what they gave.
    _begun: dict[Cell, tuple[tuple[float, float, int], Begun]] = field(default_factory=dict)

    @cached_property
    def agenda(self) -> Agenda:
        """What is searched next."""
        search = self.search
        how = (search.aggregate, search.symbols, search.structures.answer, self.weigh)
        return Agenda(self.bounds, *how, search.checkpoint, self._look, self.patience)

    def _look(self) -> None:
        """Count the structures that are listed: many take as long as one step of the search."""
        self._looks += 1
        if self._looks % LOOKS == 0:
            self.search.checkpoint()

    @property
    def complete(self) -> float:
        """R up to which the whole family is complete."""
        return self.agenda.complete

    def run(self) -> None:
        """Search cell by cell until all of use is complete, or the work is done.

        Raises
        ------
        WorkDone
            If there was more to search.
        """
        search = self.search
        while True:
            if self.table.stop_bound(math.inf) is None and search.counts.work > FIRST_LOOK:
                self.look_above()
            self.agenda.want(self._promising())
            done = search.counts.work
            most = work = math.inf if self.bounds.work is None else float(self.bounds.work)
            if self._decided_at < math.inf:
                most = min(work, max(self._decided_at * 2, self._decided_at + WIDENING_PART * work))
            search.meter.allowance = most
            task = self.agenda.next(self.table, most - done, self.known())
            if task is None:
                return
            self.high = task.high
            needed = self.table.words_needed(task.low)
            begun = self._begun_before(task, needed)
            # What was taken before is recalled, and counts again: it was counted already.
            search.counts.work = done - begun.spent
            search.meter.allowance = min(done + task.allowance, most)
            before = search.counts.copy()
            try:
                structures = self.agenda.structures_of(task.cell, task.high)
                slice_ = search.slice(task.low, task.high, needed, self.mode, structures, begun=begun)
                with closing(slice_):
                    batches = list(slice_)
            except (WorkDone, BudgetError) as end:
                search.meter.counts = before
                others = sum(other.size for _, other in self._begun.values() if other is not begun)
                begun.give_up(int(search.meter.allowance) - search.counts.work, MOST_KEPT - others)
                search.counts.work = int(search.meter.allowance)
                if isinstance(end, WorkDone) and search.counts.work >= most:
                    raise
                self.agenda.failed(task, too_large=isinstance(end, BudgetError))
                continue
            del self._begun[task.cell]
            for found in batches:
                self.table.add(found)
            self.agenda.done(task, needed, search.counts.work - before.work)
            search.counts.work = max(search.counts.work, done)
            if math.isinf(self._decided_at) and self._is_decided():
                self._decided_at = float(search.counts.work)

    def _begun_before(self, task: Task, needed: int) -> Begun:
        """What a slice gave before it was given up; nothing if its ends, or what it lists, changed."""
        what = task.low, task.high, needed
        if self._begun.get(task.cell, (None,))[0] != what:
            self._begun[task.cell] = what, Begun()
        return self._begun[task.cell][1]

    def _promising(self) -> Iterator[Cell]:
        """The cells that are worth most: those of what is found or known, and those that the language needs.

        None at all while an answer is decided; a wider set may have a cheaper hypothesis, and another answer.
        """
        if not self._is_decided():
            if math.isinf(self._decided_at):
                yield from self.core
            if self.table.stop_bound(math.inf) is not None:
                yield from (Cell.of(row.found.structure) for row in self.table.levels)
            else:
                nearest = itertools.islice(self._cells_above(), 1)
                yield from (cell for cell in nearest if cell == cell.within(self.bounds))

    def _cells_above(self) -> Iterator[Cell]:
        return (Cell.of_net(hypothesis) for hypothesis in self.right())

    def _is_decided(self) -> bool:
        """Whether all cells below those of the least levels are complete to the stop bound."""
        bound = self.table.stop_bound(math.inf)
        if bound is None:
            return False
        holding = {Cell.of(row.found.structure) for row in self.table.levels}
        return self.agenda.are_complete(holding, bound)

    def _floor_beyond(self, table: SearchTable, high: float) -> float:
        """R up to which the family holds nothing that needs larger sizes than the bounds, as far as ``high``.

        Nets without heads are none of that where symbols and residues alone are wrong on words that count.
        """
        search = self.search
        shapes = (search.symbols, search.aggregate, search.structures.answer)
        least = floor_beyond(self.bounds, *shapes, headless=True)
        needed = table.words_needed(min(least, high))
        periods = range(1, math.ceil(high))  # a larger Δ costs more than all of R
        if all(search.words.is_confused(period, needed) for period in periods):
            return floor_beyond(self.bounds, *shapes, headless=False)
        return least

    def reached(self) -> ReachedCells:
        """What the answer is about: the largest set of cells for which it is decided, or complete to an R."""
        settled = self.agenda.settled(self.table)
        if settled is None:
            beyond = self._floor_beyond(self.table, self.complete)
            # A set that holds a known hypothesis has a bracket with two ends.
            settled = self.agenda.undecided(self.table, tuple(self._cells_above()) or self.core, beyond)
        chosen = set(settled.cells)
        table = self.table.where(lambda found: Cell.of(found.structure) in chosen)
        rest = min(settled.rest, self._floor_beyond(table, settled.bound))
        structures = self.agenda.union(settled.cells)
        complete = max(settled.bound, 0.0)
        return ReachedCells(table, structures, complete, settled.decided, replace(settled, rest=rest))
