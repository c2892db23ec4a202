"""Cells of the family: all structures of one size, and sets of cells that are closed downwards.

The family of one-hot Limit Transformers has no bounds of its own; floors of R grow with every size, so below
any R there are finitely many cells. What a run has searched is a set of cells that holds with each cell all
smaller ones. Such a set is named by its largest cells, as "up to 2 layers, 1 head, 2 units, p = 1".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from idinf.experiments.bounds import AUTO, RANGES, SpaceBounds
from idinf.experiments.spec import Answer
from idinf.space.headless import bound_headless
from idinf.space.structures import LayerShape, Structure
from idinf.transformers.attention import UNIFORM
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.regularizer import EPSILON, Aggregate

#: The bounds that tell cells apart.
SIZES = tuple(RANGES)


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """All structures that need exactly these bounds; names as in `idinf.experiments.bounds.SpaceBounds`.

    Examples
    --------
    >>> small, large = Cell(1, 1, 1, 0), Cell(2, 1, 1, 1)
    >>> small.is_within(large), large.is_within(small)
    (True, False)
    """

    layers: int
    heads: int
    units: int
    precision: int
    period: int = 1
    reach: int = 0
    logit_max: int = 0
    content_max: int = 0

    @staticmethod
    def of(structure: Structure) -> Cell:
        """The cell of a structure; entries of φ and M count as the next whole number."""
        one = 1 << structure.precision
        patterns = [pattern for layer in structure.layers for pattern in layer.heads]
        biases = max((value for pattern in patterns for value in pattern.phi), default=0)
        entries = max((x for pattern in patterns for row in pattern.logits for x in row), default=0)
        content = -(-entries // one)
        return Cell(
            structure.depth,
            structure.heads,
            max(layer.units for layer in structure.layers),
            structure.precision,
            structure.period,
            max((pattern.reach for pattern in patterns), default=0),
            max(-(-biases // one), content),
            content,
        )

    @staticmethod
    def of_net(net: OneHotTransformer) -> Cell:
        """The cell of a hypothesis.

        Examples
        --------
        >>> from idinf.compilation.compiler import compile_program
        >>> from idinf.crasp.parser import parse
        >>> from idinf.words import Alphabet
        >>> Cell.of_net(compile_program(parse('accept = # "0" <= # "1"'), Alphabet(("0", "1"))))
        Cell(layers=1, heads=1, units=1, precision=0, period=1, reach=0, logit_max=0, content_max=0)
        """
        layers = tuple(
            LayerShape(tuple(head.pattern for head in layer.heads), len(layer.units)) for layer in net.layers
        )
        return Cell.of(Structure(layers, net.precision, net.period))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Every bound, in the order of the fields."""
        return tuple(getattr(self, key) for key in SIZES)

    @property
    def bounds(self) -> SpaceBounds:
        """The space of the structures that are within the cell."""
        return SpaceBounds.from_preset(AUTO, **{key: getattr(self, key) for key in SIZES})

    def within(self, bounds: SpaceBounds) -> Cell:
        """The cell with no size above some bounds."""
        return Cell(*(min(getattr(self, key), getattr(bounds, key)) for key in SIZES))

    def is_within(self, other: Cell) -> bool:
        """Whether no bound is larger than the other's."""
        return all(a <= b for a, b in zip(self.sizes, other.sizes, strict=True))

    def next_larger(self, bounds: SpaceBounds) -> Iterator[Cell]:
        """The cells within some bounds that are larger than this one, with none between."""
        for key in SIZES:
            size = getattr(self, key)
            if key == "content_max" and size == self.logit_max:
                if size < min(bounds.content_max, bounds.logit_max) and self.heads:
                    yield replace(self, logit_max=size + 1, content_max=size + 1)
                continue
            is_idle = (key.endswith("max") and not self.heads) or (key == "reach" and not self.logit_max)
            if size < getattr(bounds, key) and not is_idle:
                yield replace(self, **{key: size + 1})

    def floor(self, aggregate: Aggregate, answer: Answer = Answer.ACCEPT) -> float:
        """Lower bound of R over its structures; it does not fall when a bound grows.

        Some layer has ``heads`` heads, some has ``units`` units, and other layers cost at least what one unit
        without heads costs. Of φ one entry is above ``logit_max`` − 1, of M one above ``content_max`` − 1.

        Examples
        --------
        >>> Cell(1, 1, 1, 0).floor(Aggregate.MAX), Cell(1, 1, 1, 0, 1, 0, 1, 0).floor(Aggregate.MAX)
        (8.0, 9.0)
        """
        one = 1 << self.precision
        least = min(structure.floor(aggregate) for structure in self._cheapest(answer))
        phi = M = 0.0
        if self.content_max:
            M = ((self.content_max - 1) * one + 1) / one
        if self.logit_max > self.content_max or (self.reach and not self.content_max):
            phi = (((self.logit_max - 1) * one + 1) / one) ** 2
        elif self.reach:
            phi = 1 / one**2
        return least + phi + M

    def bound_new(self, symbols: int, aggregate: Aggregate, answer: Answer) -> float:
        """R above which no function of its hypotheses is new, as `bound_headless` has it.

        For next symbols that depends on how many rows read a unit, so nothing is claimed of whole cells.
        """
        if answer is not Answer.ACCEPT:
            return math.inf
        return max(bound_headless(structure, symbols, aggregate) for structure in self._cheapest(answer))

    def holds_new(self, symbols: int, aggregate: Aggregate, answer: Answer) -> bool:
        """Whether some function of its hypotheses may be new.

        Examples
        --------
        >>> [Cell(1, 0, units, 0).holds_new(2, Aggregate.MAX, Answer.ACCEPT) for units in (1, 2, 3)]
        [True, True, False]
        """
        return self.floor(aggregate, answer) <= self.bound_new(symbols, aggregate, answer) + EPSILON

    def _cheapest(self, answer: Answer) -> Iterator[Structure]:
        """The structures of uniform heads among which one has the least floor."""
        readers = int(answer is not Answer.ACCEPT)
        for layers in self._cheapest_layers():
            yield Structure(layers, self.precision, self.period, answer, readers)

    def _cheapest_layers(self) -> Iterator[tuple[LayerShape, ...]]:
        plain, heads = LayerShape((), 1), (UNIFORM,) * self.heads
        for place, wide in itertools.product({0, self.layers - 1}, repeat=2):
            layers = [plain] * self.layers
            layers[place] = LayerShape(heads, 1)
            layers[wide] = replace(layers[wide], units=self.units)
            yield tuple(layers)


def list_cells(
    bounds: SpaceBounds, symbols: int, aggregate: Aggregate, answer: Answer, high: float
) -> tuple[Cell, ...]:
    """List the cells within some bounds that hold new functions of R at most ``high``, by floor.

    Examples
    --------
    >>> bounds = SpaceBounds.from_preset("nope", layers=2, units=1)
    >>> [cell.sizes[:4] for cell in list_cells(bounds, 2, Aggregate.MAX, Answer.ACCEPT, 5.0)]
    [(1, 0, 1, 0), (1, 0, 1, 1), (2, 0, 1, 0)]
    """
    least = Cell(1, 0, 1, 0)
    met, waiting = {least}, [least]
    found = []
    while waiting:
        cell = waiting.pop()
        if (floor := cell.floor(aggregate, answer)) > high + EPSILON:
            continue  # and so is every larger one
        if cell.holds_new(symbols, aggregate, answer):
            found.append((floor, cell))
        larger = [other for other in cell.next_larger(bounds) if other not in met]
        met.update(larger)
        waiting += larger
    return tuple(cell for _, cell in sorted(found))


def find_maximal(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Those that are within no other: the names of a set that is closed downwards, largest first.

    Examples
    --------
    >>> find_maximal([Cell(1, 1, 1, 0), Cell(2, 1, 1, 0), Cell(1, 1, 2, 0)])
    (Cell(layers=2, heads=1, units=1, precision=0, period=1, reach=0, logit_max=0, content_max=0), \
Cell(layers=1, heads=1, units=2, precision=0, period=1, reach=0, logit_max=0, content_max=0))
    """
    every = sorted(set(cells), reverse=True)
    return tuple(
        cell for cell in every if not any(cell is not other and cell.is_within(other) for other in every)
    )


def close_downwards(cells: Iterable[Cell], every: Iterable[Cell]) -> tuple[Cell, ...]:
    """Those of some cells of which all smaller ones among ``every`` are there, too."""
    chosen = set(cells)
    missing = [cell for cell in every if cell not in chosen]
    return tuple(sorted(c for c in chosen if not any(other.is_within(c) for other in missing)))


def order_by_extent(cells: Iterable[Cell], every: Iterable[Cell]) -> tuple[Cell, ...]:
    """Order cells by how many cells with heads among ``every`` are within them, most first."""
    inner = [cell for cell in every if cell.heads]
    return tuple(sorted(cells, key=lambda cell: (-sum(other.is_within(cell) for other in inner), cell)))


def floor_beyond(
    bounds: SpaceBounds, symbols: int, aggregate: Aggregate, answer: Answer, headless: bool = True
) -> float:
    """Lower bound of R over all new functions that need more than this version searches.

    ``reach`` aside: φ to any distance costs the same. Bounds that were given are no concern here.

    Parameters
    ----------
    headless : bool
        Whether nets without heads are among those that may be of interest.

    Examples
    --------
    >>> bounds = SpaceBounds.from_preset("auto")
    >>> [floor_beyond(bounds, 2, Aggregate.MAX, Answer.ACCEPT, headless) for headless in (True, False)]
    [9.47213595499958, 10.47213595499958]
    """
    least = math.inf
    for key, (_, most) in RANGES.items():
        if key == "reach" or getattr(bounds, key) < most:
            continue
        for heads, period in itertools.product((0, 1) if headless else (1,), (1, 2)):
            sizes = {"layers": 1, "heads": heads, "units": 1, "precision": 0, "period": period}
            sizes |= {"logit_max": 0, "content_max": 0, key: most + 1}
            sizes["logit_max"] = max(sizes["logit_max"], sizes["content_max"])
            cell = Cell(**sizes)
            if cell.logit_max and not cell.heads:
                continue
            if answer is not Answer.ACCEPT or cell.holds_new(symbols, aggregate, answer):
                least = min(least, cell.floor(aggregate, answer))
    return least
