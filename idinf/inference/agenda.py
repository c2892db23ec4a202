"""What is searched next, and of which structures the answer holds.

A space that is given is searched as a whole, slice by slice of R. A space that the tool chooses is searched
cell by cell (`idinf.space.cells`): every cell has a level of R up to which it is complete, and the next slice
is that of the cell whose slice is expected to take the least work. So cheap cells are complete far up while
costly ones wait, and what is complete is known for each.

The answer holds for a set of cells that is closed downwards. Let r_n be the least R found for n, S the
largest r_n + window, and let all cells below those of the r_n be complete to S. Then R*_n = r_n in any closed
set that contains them and whose cells are complete to S, and nothing above S can be selected there. A slice
leaves out what is wrong on a word so short that some hypothesis found before rules it out; levels r_n only
fall, so what was left out stays out.

Of the rest of the family it is said up to which R nothing in it can change the answer: every other cell is
complete up to there, as far as the levels of the set ask for, and holds nothing found that would be selected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Answer
from idinf.inference.table import SearchTable
from idinf.inference.walks import SLICE
from idinf.space.cells import Cell, close_downwards, list_cells
from idinf.space.structures import Structure, StructureSpace, order_structures
from idinf.transformers.regularizer import EPSILON, Aggregate

#: Steps of work that the first slice of a cell is expected to take, how many times as many each further one
#: does, and how many times as many as expected it may take before others have their turn. It goes on later
#: where it stopped.
FIRST_WORK, GROWTH, PATIENCE = 50.0, 2.5, 6.0

#: Steps of a slice that is done in its turn by R, however little it takes or is worth.
LEAST_WORK = 250.0

#: Slices of few steps below this R come before all others: with φ it is the floor of few cells.
FEW = 9.0 - 2 * EPSILON

#: How many times as many steps a cell may take that is wanted.
NEAR = 20.0

#: How much more a slice has to be worth for every 1 of R that it lies above the least complete cell.
STEEPNESS = 1.7

#: Cells are listed up to this R at first, and by this much further when all of those are complete.
FIRST_CEILING, MORE_CEILING = 9.5, 0.5


@dataclass(frozen=True, slots=True)
class Task:
    """A slice of one cell: low < R ≤ high."""

    cell: Cell
    low: float
    high: float
    allowance: float  #: steps of work that it may take


@dataclass
class _Progress:
    """How far a cell is searched. Mutable."""

    complete: float  #: every structure of it is complete up to here
    last: float  #: nothing above is new
    expected: float = FIRST_WORK  #: steps of its next slice, about
    #: Of each slice its lower end, and up to which length what it lists is right.
    slices: list[tuple[float, int]] = field(default_factory=list)
    is_stuck: bool = False  #: its next slice does not fit the memory bound


@dataclass(frozen=True, slots=True)
class Settled:
    """What an answer rests on: a set of cells, closed downwards, that is complete up to an R.

    Attributes
    ----------
    cells : tuple of Cell
    bound : float
        The stop bound, or the R up to which all of them are complete.
    rest : float
        Nothing with R up to here in other cells can change the answer; infinite if nothing at all can.
    decided : bool
        Whether ``bound`` is the stop bound.
    """

    cells: tuple[Cell, ...]
    bound: float
    rest: float
    decided: bool


class Agenda:
    """Chooses cells within some bounds. Mutable: it learns what they take.

    Parameters
    ----------
    weigh : callable
        How much less a cell is worth than its work says, at least 1.
    patience : float
        How many times as many steps as expected a slice may take before others have their turn.
    """

    def __init__(
        self,
        bounds: SpaceBounds,
        aggregate: Aggregate,
        symbols: int,
        answer: Answer,
        weigh: Callable[[Cell], float],
        checkpoint: Callable[[], None] = lambda: None,
        look: Callable[[], None] = lambda: None,
        patience: float = PATIENCE,
    ) -> None:
        self.bounds, self.aggregate, self.answer, self.weigh = bounds, aggregate, answer, weigh
        self._patience = patience
        self._symbols, self._checkpoints = symbols, (checkpoint, look)
        self._ceiling = 0.0
        self._cells: dict[Cell, _Progress] = {}
        self._structures: dict[Cell, tuple[float, tuple[Structure, ...]]] = {}
        self._wanted, self._near = frozenset[Cell](), set[Cell]()
        self._family = symbols, aggregate, answer
        self._list_up_to(FIRST_CEILING)

    def _list_up_to(self, ceiling: float) -> None:
        """Take in the cells with a floor up to an R; each is complete up to just below its floor."""
        self._ceiling = ceiling
        high = min(ceiling, self.bounds.max_r)
        self._take_in(list_cells(self.bounds, *self._family, high))

    def _take_in(self, cells: Iterable[Cell]) -> None:
        for cell in cells:
            if cell not in self._cells:
                floor = cell.floor(self.aggregate, self.answer)
                last = cell.bound_new(*self._family)
                self._cells[cell] = _Progress(floor - 2 * EPSILON, last + 2 * EPSILON)

    def structures_of(self, cell: Cell, high: float) -> tuple[Structure, ...]:
        """The structures of a cell with a floor of at most ``high``, by floor."""
        listed, structures = self._structures.get(cell, (-math.inf, ()))
        if listed < high:
            listed = high + SLICE
            space = StructureSpace(
                cell.bounds, self.aggregate, self._symbols, self.answer, *self._checkpoints
            )
            every = space.up_to(listed)
            structures = tuple(structure for structure in every if Cell.of(structure) == cell)
            self._structures[cell] = listed, structures
        return tuple(s for s in structures if s.floor(self.aggregate) <= high + EPSILON)

    def next(self, table: SearchTable, left: float, known: float | None = None) -> Task | None:
        """The next slice, by what was found so far; None if all cells are complete as far as is of use.

        Of use is what has R up to the stop bound. While that is not known, ``known``, the R of a hypothesis
        that is right up to ``max_n``, says what it is at most.
        """
        bound = table.stop_bound(math.inf, known)
        last = min(self.bounds.max_r, math.inf if bound is None else bound) + EPSILON
        while True:
            open_ = [
                (self._cost(cell, progress), progress.complete, cell)
                for cell, progress in self._cells.items()
                if progress.complete < last - EPSILON and not progress.is_stuck
            ]
            _, low, cell = min(open_, default=(0.0, math.inf, None))
            if cell is not None and (self._ceiling >= min(low, last) or cell in self._near):
                break
            if self._ceiling >= last:
                return None
            self._list_up_to(self._ceiling + MORE_CEILING)
        high = min(math.floor(low / SLICE + 1.0 + 1e-6) * SLICE, last)
        allowance = min(self._patience * max(self._cells[cell].expected, LEAST_WORK), left)
        return Task(cell, low, high, allowance)

    def _cost(self, cell: Cell, progress: _Progress) -> float:
        """What the next slice of a cell is expected to cost; the least is the next one."""
        if progress.complete < FEW and progress.expected <= LEAST_WORK:
            return progress.complete
        cost = max(progress.expected * self.weigh(cell), LEAST_WORK) * math.pow(STEEPNESS, progress.complete)
        return cost / NEAR if cell in self._near else cost

    def want(self, cells: Iterable[Cell]) -> None:
        """Search what is within these cells first: where right hypotheses are known, or to be expected.

        They are listed even where their floors are above the ceiling.
        """
        if self._wanted != (wanted := frozenset(cells)):
            self._wanted = wanted
            for cell in sorted(wanted):
                self._take_in(list_cells(cell.bounds, *self._family, math.inf))
            self._near = {cell for cell in self._cells if any(map(cell.is_within, wanted))}

    def done(self, task: Task, needed: int, work: int) -> None:
        """Take note that a slice is complete; it lists what is right up to length ``needed``."""
        progress = self._cells[task.cell]
        progress.complete = task.high if task.high < progress.last else math.inf
        progress.slices.append((task.low, needed))
        progress.expected = max(FIRST_WORK, GROWTH * work)

    def failed(self, task: Task, too_large: bool) -> None:
        """Take note that a slice takes more work than it was allowed, or more memory than there is."""
        progress = self._cells[task.cell]
        progress.expected = max(progress.expected, task.allowance) * GROWTH
        progress.is_stuck = too_large

    @property
    def complete(self) -> float:
        """R up to which every cell is complete."""
        return min([self._ceiling, *(progress.complete for progress in self._cells.values())])

    def are_complete(self, cells: Iterable[Cell], bound: float) -> bool:
        """Whether all cells below some are complete up to an R."""
        below = [c for c in self._cells if any(c.is_within(cell) for cell in cells)]
        return all(self._cells[cell].complete >= bound - EPSILON for cell in below)

    def union(self, cells: Iterable[Cell]) -> Union:
        """The structures of some cells."""
        return Union(self, tuple(cells))

    def settled(self, table: SearchTable) -> Settled | None:
        """The cells for which the answer is decided, if there are any.

        Where a cell that holds some least R is not complete, larger sets without it may be: the cells of such
        levels are left out one after the other, and the levels of what remains are looked at.
        """
        without: list[Cell] = []
        while True:
            cells = [cell for cell in self._cells if not any(out.is_within(cell) for out in without)]
            part = self._part(table, cells)
            bound = part.stop_bound(math.inf)
            if bound is None:
                return None
            ready = [cell for cell in cells if self._sound(cell, part) >= bound - EPSILON]
            closed = close_downwards(ready, self._cells)
            holding = {Cell.of(row.found.structure) for row in part.levels}
            if holding <= set(closed):
                return Settled(closed, bound, self._rest(closed, bound, table), True)
            without.append(max(holding - set(closed)))

    @staticmethod
    def _part(table: SearchTable, cells: Iterable[Cell]) -> SearchTable:
        chosen = set(cells)
        return table.where(lambda found: Cell.of(found.structure) in chosen)

    def _sound(self, cell: Cell, table: SearchTable) -> float:
        """R up to which a cell is complete as far as the levels of a table ask for."""
        progress = self._cells[cell]
        lacking = (low for low, needed in progress.slices if needed > table.words_needed(low))
        return next(lacking, progress.complete)

    def _rest(self, closed: tuple[Cell, ...], bound: float, table: SearchTable) -> float:
        """R up to which nothing in other cells than those of a closed set can change its answer."""
        part, chosen = self._part(table, closed), set(closed)
        levels = [self._sound(cell, part) for cell in self._cells if cell not in chosen]
        if self._ceiling < bound:
            levels.append(self._ceiling)  # larger cells are not listed yet
        others = (row for row in table.rows() if Cell.of(row.found.structure) not in chosen)
        levels += [row.r - 2 * EPSILON for row in others if part.would_change(row)]
        return min(levels, default=math.inf)

    def undecided(self, table: SearchTable, wanted: Iterable[Cell], beyond: float) -> Settled:
        """What is complete to one level where nothing is decided: as far as a wanted cell, or else all.

        What needs larger sizes than the bounds has R from ``beyond`` on, so that all means the family.
        """
        for cell in wanted:
            if cell not in self._cells:
                continue
            level = min(p.complete for other, p in self._cells.items() if other.is_within(cell))
            ready = [other for other, progress in self._cells.items() if progress.complete >= level]
            closed = close_downwards(ready, self._cells)
            part = self._part(table, closed)
            level = min(level, self.bounds.max_r, *(self._sound(other, part) for other in closed))
            if level > self.complete + EPSILON:
                return Settled(closed, level, self._rest(closed, level, table), False)
        level = min(self.complete, self.bounds.max_r, beyond - 2 * EPSILON)
        return Settled(tuple(sorted(self._cells)), level, math.inf, False)


@dataclass(frozen=True)
class Union:
    """The structures of several cells, a source like `idinf.space.structures.StructureSpace`."""

    agenda: Agenda
    cells: tuple[Cell, ...]

    @property
    def answer(self) -> Answer:
        """What hypotheses answer."""
        return self.agenda.answer

    @property
    def floor(self) -> float:
        """The least floor of all structures."""
        return min(cell.floor(self.agenda.aggregate, self.answer) for cell in self.cells)

    def up_to(self, high: float) -> tuple[Structure, ...]:
        """Every structure with a floor of at most ``high``, by floor."""
        every = [s for cell in self.cells for s in self.agenda.structures_of(cell, high)]
        return order_structures(every, self.agenda.aggregate, high)
