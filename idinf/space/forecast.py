"""What a space holds before anything is listed: structures, and the longest list of units of one layer.

Grid vectors are counted by their norm (coefficients of a power of Jacobi's theta series), never listed.
Counting ends after a fixed amount of work, not after a time, so it is the same on every machine; what was
counted until then is a lower bound, and says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from idinf.errors import BudgetError, UnsupportedBoundError
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Answer
from idinf.space.structures import Cost, LayerShape, Structure, StructureSource, StructureSpace
from idinf.space.units import SLACK, FloatArray, LayerBudget, aggregate_terms
from idinf.transformers.attention import UNIFORM
from idinf.transformers.regularizer import Aggregate

#: Bytes that one unit of a list takes, with what is computed from it.
BYTES_PER_UNIT = 500

#: Steps of work that each of two counts may take, about half a second, and that of a warning.
STEPS, FEW_STEPS = 8_000_000, 4_000_000

#: Steps that looking at one structure takes, or at some attention patterns.
STEPS_OF_LOOK = 1500

#: Vectors are counted up to this squared norm, in units of 4^-p, and structures up to this R.
MOST_SQUARE, MOST_R = 8192, 1e6

#: Counts of vectors stop here, so that products of three of them are floats.
MANY = 1e100


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a space holds up to its budget ``max_r``.

    Attributes
    ----------
    floor : float
        Least floor of a structure.
    structures : tuple of (int, int)
        Number of layers, and how many structures of that depth have a floor within the budget.
    largest : float
        Units in the longest list of one layer, at most; it is made in parts, and distinct units are kept.
    structure : Structure or None
        A structure with that list.
    all_structures, all_units : bool
        Whether everything was counted. Otherwise there are more than that.
    """

    floor: float
    structures: tuple[tuple[int, int], ...]
    largest: float
    structure: Structure | None
    all_structures: bool
    all_units: bool

    @property
    def total(self) -> int:
        """Number of structures."""
        return sum(number for _, number in self.structures)

    @property
    def memory_bytes(self) -> float:
        """What the longest list would take if all its units were distinct: an upper bound of what is kept."""
        return self.largest * BYTES_PER_UNIT


def check_not_empty(space: StructureSource, max_r: float) -> None:
    """Refuse a budget below every hypothesis.

    Raises
    ------
    UnsupportedBoundError
    """
    if space.floor > max_r + SLACK:
        raise UnsupportedBoundError(
            f"max_r = {max_r:g}: the space is empty, its least R is at least {space.floor:.9g}; raise --max-r"
        )


def forecast(
    bounds: SpaceBounds, aggregate: Aggregate, symbols: int, answer: Answer = Answer.ACCEPT
) -> Forecast:
    """Count what a space holds up to its ``max_r``.

    Raises
    ------
    UnsupportedBoundError
        If the space is empty.

    Examples
    --------
    >>> bounds = SpaceBounds.from_preset("nope", layers=1, units=1, precision=0, max_r=8.5)
    >>> small = forecast(bounds, Aggregate.MAX, 2)
    >>> small.structures, small.largest, small.all_units
    (((1, 2),), 949.0, True)
    >>> vast = forecast(SpaceBounds.from_preset("full", max_r=1e308), Aggregate.MAX, 2)
    >>> vast.largest > 1e15, vast.all_units
    (True, False)
    """
    lists, listed = _SizeCount(STEPS), _SizeCount(STEPS)
    high = min(bounds.max_r, MOST_R)
    space = StructureSpace(bounds, aggregate, symbols, answer, lists.look)
    check_not_empty(space, bounds.max_r)
    lists.lists(space, itertools.chain(_even_structures(space), (s for _, s in space.skeletons(high))), high)
    space = StructureSpace(bounds, aggregate, symbols, answer, listed.look)
    depths: dict[int, int] = {}
    try:
        for skeleton in space.skeletons(high):
            for _, structure in space.with_patterns(skeleton, high):
                depths[structure.depth] = depths.get(structure.depth, 0) + 1
    except (_Enough, BudgetError):
        listed.exact = False
    return Forecast(
        space.floor, tuple(depths.items()), lists.longest, lists.structure, listed.exact, lists.exact
    )


def measure_longest_list(
    bounds: SpaceBounds, aggregate: Aggregate, symbols: int, answer: Answer = Answer.ACCEPT
) -> tuple[float, bool]:
    """Units in the longest list of one layer, of a few structures, and whether there are no more.

    So few are looked at that a search starts at once. Where every layer has one unit and one head or none, at
    most two layers list no units: a last one is solved for, and below it they come by what they compute.
    """
    count = _SizeCount(FEW_STEPS)
    space = StructureSpace(bounds, aggregate, symbols, answer)
    structures = _even_structures(space)
    if bounds.units == 1 and aggregate is Aggregate.MAX:
        structures = [each for each in structures if each.depth > 2 or each.heads > 1]
    count.lists(space, structures, min(bounds.max_r, MOST_R))
    return count.longest, count.exact


def _even_structures(space: StructureSpace) -> list[Structure]:
    """A few structures with long lists: equal layers of one unit, of each depth, precision and period."""
    bounds = space.bounds
    shapes = [LayerShape((UNIFORM,) * heads, 1) for heads in range(bounds.heads + 1)]
    return [
        space.structure((shape,) * depth, precision, period)
        for depth in range(1, bounds.layers + 1)
        for shape in shapes
        for precision in range(bounds.precision + 1)
        for period in range(1, bounds.period + 1)
    ]


class _Enough(Exception):
    """The work that a count may take is done; never shown."""


@dataclass(eq=False)
class _SizeCount:
    """The longest list so far. Mutable: it remembers what was counted, and how much work is left."""

    left: int
    longest: float = 0.0
    structure: Structure | None = None
    exact: bool = True
    _known: dict[tuple[LayerBudget, int], float] = field(default_factory=dict)

    def look(self) -> None:
        """Look at one structure, or at some patterns."""
        self.spend(STEPS_OF_LOOK)

    def spend(self, steps: int) -> None:
        """Take steps from those that are left, before they are done."""
        if steps > self.left:
            raise _Enough
        self.left -= steps

    def lists(self, space: StructureSpace, structures: Iterable[Structure], max_r: float) -> None:
        """Take in the lists of all layers of some structures: units that read every head of their layer."""
        try:
            for structure in structures:
                self.look()
                budget = round(max_r - structure.base(space.aggregate), 9)
                for index, layer in enumerate(structure.layers):
                    rest = structure.rest_floor(index, space.aggregate)
                    features = structure.num_features(space.symbols, index)
                    within = LayerBudget(features, structure.precision, budget, rest, space.aggregate)
                    list_ = within, len(layer.heads)
                    if list_ not in self._known:
                        self._known[list_] = self._units(*list_)
                    if self._known[list_] > self.longest:
                        self.longest, self.structure = self._known[list_], structure
        except _Enough:
            self.exact = False

    def _units(self, within: LayerBudget, heads: int) -> float:
        """Units of a layer that read all heads."""
        rest, aggregate, one = within.rest, within.aggregate, 2**within.precision
        rank = float(heads if aggregate is Aggregate.SUM else min(heads, 1))
        spare = max(within.total + SLACK - rest.join(Cost(rank), aggregate).rank, 0.0)
        # Squared norms in units of 4^-p: of one channel, and of the unit's row of A.
        widest = int((spare * one) ** 2 + 1e-6)
        if widest > MOST_SQUARE:
            widest, self.exact = MOST_SQUARE, False
        self.spend((widest + 500) * (math.isqrt(widest) + 1))
        count = np.minimum(np.cumsum(_vectors(within.features)[: widest + 1]), MANY)
        norms = np.sqrt(np.arange(widest + 1)) / one
        longest = (count - 1.0) ** heads  # channels of all heads whose longest is at most so long
        channels = np.diff(longest, prepend=0.0)
        norm_V = aggregate_terms(rest.norm_V, norms, aggregate)
        norm_A = aggregate_terms(rest.norm_A, np.sqrt(norms**2 + heads), aggregate)
        total = 0.0
        for bias in range(min(int(spare * one), math.isqrt(MOST_SQUARE)) + 1):
            norm_b = rest.join(Cost(norm_b=bias / one), aggregate).norm_b
            place = np.searchsorted(norm_A, spare - norm_b - norm_V, side="right") - 1
            fitting = np.where(place >= 0, count[np.maximum(place, 0)], 0.0)
            total += (1 if bias == 0 else 2) * float(channels @ fitting)
        return total


@lru_cache(maxsize=256)
def _vectors(dimension: int) -> FloatArray:
    """How many integer vectors have each squared norm 0..``MOST_SQUARE``; float64, exact below 2^53."""
    counts = np.eye(1, MOST_SQUARE + 1)[0]
    if dimension:
        fewer = _vectors(dimension - 1)
        counts = fewer.copy()
        for x in range(1, math.isqrt(MOST_SQUARE) + 1):
            counts[x * x :] += 2.0 * fewer[: MOST_SQUARE + 1 - x * x]
    return np.asarray(np.minimum(counts, MANY))
