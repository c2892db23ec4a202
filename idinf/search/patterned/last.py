"""The last layer of a shape as it is judged: its cost, how it is read, and which words are hard for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.errors import BudgetError
from idinf.nets.attention import Attention
from idinf.search.meter import CellMeter
from idinf.search.patterned.covers import PairValues, list_pair_values
from idinf.search.patterned.ends import WordEnds
from idinf.search.patterned.lower import M
from idinf.space.grid import IntArray
from idinf.space.structures import PatternGrid
from idinf.space.units import BoolArray, FloatArray

#: Numbers of an array at most, those that are made in a step of work, a millisecond, and what a call adds.
MOST_CELLS, OF_STEP, CALL = 1 << 28, 1 << 15, 1 << 13

#: What stands for no bound of y.
FAR = float(1 << 40)


#: Hard words of a class that are looked at before all others, few and more, and samples that tell which.
HARD, SAMPLES = (6, 12, 30), 16


def check_cells(cells: int) -> None:
    """Refuse an array that would not fit."""
    if cells > MOST_CELLS:
        raise BudgetError(
            f"{cells} numbers for attention patterns beside words and values are too many at once; lower "
            "--max-r, --precision or --content-max"
        )


class RefutingWords:
    """Words that decided that nothing serves: a class is looked at on these first. Mutable: it learns."""

    def __init__(self, words: int) -> None:
        self._scores = np.zeros((2, words))

    def among(self, words: IntArray, number: int, readings: tuple[bool, ...]) -> IntArray | None:
        """The hardest of some words; None if it is as well to look at all."""
        scores = self._scores[int(readings[-1]), words]
        order = np.argsort(-scores, kind="stable")[:number]
        return np.sort(words[order[scores[order] > 0]]) if 2 * number <= len(words) and scores.any() else None

    def note(self, words: IntArray, readings: tuple[bool, ...]) -> None:
        """Take note of words that excluded something, each as often as it is given."""
        np.add.at(self._scores[int(readings[-1])], words, 1)


def list_samples(which: BoolArray) -> tuple[IntArray, ...]:
    """Places of some that are, a few, spread over an array; as many as `SAMPLES` at most.

    Examples
    --------
    >>> list_samples(np.array([False, True, True]))
    (array([1, 2]),)
    """
    step = max(1, which.size // (4 * SAMPLES))
    places = np.flatnonzero(which.reshape(-1)[::step])[:SAMPLES] * step
    return tuple(np.unravel_index(places, which.shape))


@dataclass(frozen=True, eq=False)
class LastLayer:
    """The last layer of a shape, with one head or none: one unit, two, or more whose v are parallel.

    Attributes
    ----------
    room : float
        Bound on ‖M‖ + Σ φ² + rank_V + ‖V‖ + ‖A‖ + ‖b‖ of the whole net.
    free : bool
        Whether layers without heads stand above: they see classes and these units alone, so they may read
        the units otherwise in each class, and not at all where all words of a class have one label.
    xor : bool
        Whether they can say that two units differ, which one unit above, a threshold of both, cannot.
    least : Attention
        What its head has to attend to: with ``LOCAL`` φ is not 0, and with ``CONTENT`` M is not.
    """

    ends: WordEnds
    grid: PatternGrid
    heads: int
    units: int
    room: float
    count: Callable[[int], None]
    free: bool = False
    xor: bool = False
    least: Attention = Attention.UNIFORM

    @property
    def readings(self) -> tuple[tuple[bool, ...], ...]:
        """Ways to read the units: in each class one of several; True stands for complements."""
        return ((False, True),) if self.free else ((False,), (True,))

    @cached_property
    def cells(self) -> CellMeter:
        """Counts numbers of arrays as steps of work."""
        return CellMeter(self.count, OF_STEP)

    @cached_property
    def hard(self) -> RefutingWords:
        """Words that exclude most."""
        return RefutingWords(len(self.ends.lengths))

    def pair_values(self, features: int, paid: FloatArray) -> PairValues:
        """What one of two units may read of some features, beside what is paid, (6,)."""
        return list_pair_values(features, self.grid.precision, self.heads, tuple(paid.tolist()), self.room)

    @property
    def floor(self) -> FloatArray:
        """What the layer costs at least, (6,)."""
        floor = floor_of(self.heads, self.units, self.grid.precision)
        floor[M] = 0.5**self.grid.precision if self.least is Attention.CONTENT else 0.0  # an entry's norm
        return floor


def floor_of(heads: int, units: int, precision: int) -> FloatArray:
    """What a layer costs at least, (6,)."""
    step = 0.5**precision
    entry = 1.0 if units == 1 else min(1.0, math.sqrt(2.0) * step)
    return np.array([0.0, 0.0, min(heads, 1), step * heads, entry * math.sqrt(heads), 0.0])


def y_costs(extra: int, entry: float, paid_A: float, paid_b: float, most: int, step: float) -> FloatArray:
    """Least ‖A‖ + ‖b‖ of a unit with |y| ≥ m grid steps, for m = 0 to ``most``, (most + 1,).

    ``entry`` is the norm of the entries of A that read channels; other layers pay something anyway. b lies
    on the grid: for each |b| the rest of y is left for s, which has ``extra`` more entries than the token's.
    """
    m = np.arange(most + 1.0)[:, None]
    b = np.arange(most + 1.0)[None]
    s = np.maximum(m - b, 0.0) * step / math.sqrt(1 + extra)
    costs = np.maximum(np.sqrt(entry**2 + s**2), paid_A) + np.maximum(b * step, paid_b)
    return np.asarray(costs.min(axis=1))
