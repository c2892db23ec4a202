"""The last layer with one unit: every (v, s, b) that is right on all screened words, by integer intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idinf.search.last_layer.intervals import Intervals, OverLowerLayers, ValueVectors, total_r
from idinf.search.short_words.features import Features
from idinf.space.array_record import ArrayRecord
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray, ChannelReads, FloatArray, Units, list_channels
from idinf.transformers.regularizer import Aggregate


@dataclass(frozen=True, eq=False)
class LastUnits(ArrayRecord):
    """N last units that are right on all screened words."""

    #: Each on a channel of its own, or without one.
    units: Units
    #: (N,): whether the word is accepted iff the unit is 0.
    complement: BoolArray
    #: (N,): R of the whole hypothesis over the cheapest lower layers.
    r: FloatArray


@dataclass(frozen=True, eq=False)
class OneUnitLayer(OverLowerLayers):
    """Solves a last layer of one unit, which reads every head."""

    checkpoint: Callable[[], None] = lambda: None

    def solve(
        self,
        features: Features,
        ones: BoolArray,
        zeros: BoolArray | None = None,
        complements: tuple[bool, ...] = (False, True),
    ) -> LastUnits:
        """List the last units that are 1 on some words and 0 on others, by default all others; (W,) each.

        The other arguments are as in `Intervals.solve`. Raises PrecisionError if the integers could leave the
        range in which the intervals are exact.
        """
        vectors, norms = self.values(features.size)
        precision = self.structure.precision
        values = ValueVectors(vectors, norms, np.full(len(norms), self.heads * 4**precision, dtype=np.int64))
        intervals = Intervals(self.room, precision, self.symbols + 1, self._rank, checkpoint=self.checkpoint)
        zeros = ~ones if zeros is None else zeros
        found = intervals.solve(values, features, ones, zeros, complements)
        entry = np.full((len(found), self.heads), 2**precision, dtype=np.int64)
        units = Units(precision, vectors[found.place], entry, found.own, found.bias)
        r = total_r(self.room.base, self.lower_costs, units.costs(self.aggregate), self.aggregate)
        return LastUnits(units, found.complement, r).take(r <= self.high)

    def values(self, size: int) -> tuple[IntArray, FloatArray]:
        """All v, (V, H·f), whose ‖V‖ alone fits the budget over some lower layer, and ‖V‖ itself."""
        widest = self.room.of_one(1, (self._rank, 0.0, math.sqrt(self.heads), 0.0))
        one = 2.0**self.structure.precision
        values, norms = list_channels(size, ChannelReads.alone(self.heads), widest * one, self.aggregate)
        return values, norms / one

    @property
    def _rank(self) -> float:
        """rank_V of the last layer: one channel of every head."""
        return float(self.heads if self.aggregate is Aggregate.SUM else min(self.heads, 1))
