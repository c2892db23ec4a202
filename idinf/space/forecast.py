"""What a space holds before anything is listed: structures, and the longest list of units of one layer.

Grid vectors are counted by their norm (coefficients of a power of Jacobi's theta series), never listed, so a
forecast of an astronomically large space is as fast as one of a small space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from idinf.errors import BudgetError, UnsupportedBoundError
from idinf.space.structures import Cost, LayerShape, Structure, StructureSpace
from idinf.space.units import SLACK, FloatArray
from idinf.transformers.attention import UNIFORM
from idinf.transformers.regularizer import Aggregate

__all__ = [
    "BYTES_PER_UNIT",
    "Forecast",
    "check_not_empty",
    "even_structures",
    "forecast",
    "longest_list",
]

#: Bytes that one unit of a list takes, with what is computed from it.
BYTES_PER_UNIT = 500


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a space holds up to its budget ``max_r``.

    Attributes
    ----------
    floor : float
        Least floor of a structure.
    structures : tuple of (int, int or None)
        Number of layers, and how many structures of that depth have a floor within the budget; None where
        there are too many attention patterns to list.
    largest : float
        Units in the longest list of one layer, at most; it is made in parts, and distinct units are kept.
    structure : Structure or None
        A structure with that list.
    memory_bytes : float
        What that list would take if all its units were distinct: an upper bound of what is kept of it.
    """

    floor: float
    structures: tuple[tuple[int, int | None], ...]
    largest: float
    structure: Structure | None
    memory_bytes: float

    @property
    def total(self) -> int | None:
        """Number of structures; None if there are too many to list."""
        known = [number for _, number in self.structures if number is not None]
        return sum(known) if len(known) == len(self.structures) else None


def check_not_empty(space: StructureSpace, max_r: float) -> None:
    """Refuse a budget below every hypothesis.

    Raises
    ------
    UnsupportedBoundError
    """
    if space.floor > max_r + SLACK:
        raise UnsupportedBoundError(
            f"max_r = {max_r:g}: the space is empty, its least R is at least {space.floor:.9g}; raise --max-r"
        )


def forecast(space: StructureSpace, max_r: float) -> Forecast:
    """Count what a space holds up to ``max_r``.

    Examples
    --------
    >>> from idinf.spec.bounds import SpaceBounds
    >>> bounds = SpaceBounds.from_preset("nope", layers=1, units=1, precision=0)
    >>> small = forecast(StructureSpace(bounds, Aggregate.MAX, 2), 8.5)
    >>> small.structures, small.largest
    (((1, 2),), 949.0)
    """
    check_not_empty(space, max_r)
    try:
        within = [structure for _, structure in space.skeletons(max_r)]
    except BudgetError:
        within = even_structures(space)
    longest, at = longest_list(space, within, max_r)
    depths = sorted({structure.depth for structure in within})
    try:
        listed = [structure.depth for structure in space.up_to(max_r)]
        numbers: list[int | None] = [listed.count(depth) for depth in depths]
    except BudgetError:
        numbers = [None] * len(depths)
    return Forecast(
        space.floor, tuple(zip(depths, numbers, strict=True)), longest, at, longest * BYTES_PER_UNIT
    )


def longest_list(
    space: StructureSpace, structures: list[Structure], max_r: float
) -> tuple[float, Structure | None]:
    """Units in the longest list of one layer of some structures, at most, and a structure that has it."""
    longest, at = 0.0, None
    for structure in structures:
        size = max(_units(space, structure, index, max_r) for index in range(structure.depth))
        if size > longest:
            longest, at = size, structure
    return longest, at


def even_structures(space: StructureSpace) -> list[Structure]:
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


def _units(space: StructureSpace, structure: Structure, index: int, max_r: float) -> float:
    """Units of one layer within the budget, those that read every head; an upper bound of the list."""
    residues = structure.period if structure.period > 1 else 0
    features = 1 + space.symbols + residues + sum(layer.units for layer in structure.layers[:index])
    return _number_of_units(
        features,
        structure.precision,
        len(structure.layers[index].heads),
        round(max_r - structure.base(space.aggregate), 9),
        structure.rest_floor(index, space.aggregate),
        space.aggregate,
    )


@lru_cache(maxsize=4096)
def _number_of_units(
    features: int, precision: int, heads: int, budget: float, rest: Cost, aggregate: Aggregate
) -> float:
    """Units over ``features`` features that read all heads, with rank + ‖V‖ + ‖A‖ + ‖b‖ ≤ ``budget``."""
    adding = aggregate is Aggregate.SUM
    rank = float(heads if adding else min(heads, 1))
    spare = budget + SLACK - (rest.rank + rank if adding else max(rest.rank, rank))
    one = 2**precision
    # Squared norms in units of 4^-p: of one channel, and of the unit's row of A.
    widest = max(int((max(spare, 0.0) * one) ** 2 + 1e-6), 0)
    count = np.cumsum(_vectors(features, widest))
    norms = np.sqrt(np.arange(widest + 1)) / one

    def joined(base: float, own: FloatArray) -> FloatArray:
        return base + own if adding else np.maximum(base, own)

    if heads:
        longest = (count - 1.0) ** heads  # channels of all heads whose longest is at most so long
        channels = np.diff(longest, prepend=0.0)
    else:
        channels = np.zeros(widest + 1)
        channels[0] = 1.0
    norm_V = joined(rest.norm_V, norms)
    norm_A = joined(rest.norm_A, np.sqrt(norms**2 + heads))
    total = 0.0
    for bias in range(int(max(spare, 0.0) * one) + 1):
        norm_b = float(joined(rest.norm_b, np.array([bias / one]))[0])
        place = np.searchsorted(norm_A, spare - norm_b - norm_V, side="right") - 1
        within = np.where(place >= 0, count[np.maximum(place, 0)], 0.0)
        total += (1 if bias == 0 else 2) * float(channels @ within)
    return total


@lru_cache(maxsize=256)
def _vectors(dimension: int, square: int) -> FloatArray:
    """How many integer vectors have each squared norm 0..``square``; float64, exact below 2^53."""
    counts = np.zeros(square + 1)
    counts[0] = 1.0
    for _ in range(dimension):
        grown = counts.copy()
        for x in range(1, math.isqrt(square) + 1):
            grown[x * x :] += 2.0 * counts[: square + 1 - x * x]
        counts = grown
    return counts
