"""Pairs of last units by a hard word, which one of them has to serve and few can.

Where both literals of two have to hold on the accepted words, one of them has to fail on every rejected word,
and where one literal suffices the other way round. Let a word be hard: few units serve it and are right on
the words on which every literal has to be. Each right pair has one of these few, so two units that share a
channel read one that some of the few read; and if nothing serves the word, no pair is right. The few are
listed by intervals (`idinf.search.last_layer.next_units`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from idinf.search.last_layer.next_symbols import Condition, NextReading, NextReadings
from idinf.search.last_layer.next_units import RightUnits
from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, spread_places
from idinf.space.units import BoolArray, Units

#: Hard words that are tried, and vectors v that tell which words are hard.
TRIED, TOLD_BY = 3, 256


@dataclass(frozen=True, eq=False)
class HardWords:
    """Where literals have to be alike on some words, and at least one has to serve each of others.

    Attributes
    ----------
    right_units : callable
        The units that can meet the conditions of some assignments, within the budget.
    features : Features
        What a last unit reads on all words that count, at least on one.
    alike : (W,)
        Words on which every literal has to hold, or every one has to fail.
    served : (S,)
        Some of the other words: on each of them some literal must not. At least one.
    """

    right_units: Callable[[NextReadings], RightUnits]
    features: Features
    alike: BoolArray
    served: IntArray

    def servers(self) -> Units:
        """The units one of which every right pair has: of the hardest words those of the one with the fewest.

        Each is right where literals have to be alike, itself or its complement, and fits the budget alone.
        """
        fewest: Units | None = None
        for word in self._hardest():
            serving = np.arange(len(self.alike)) == word
            conditions = Condition(self.alike, serving), Condition(serving, self.alike)
            units = Units.concatenate(self._asking(conditions).meeting())
            if fewest is None or len(units) < len(fewest):
                fewest = units
            if not len(fewest):
                break
        assert fewest is not None
        return fewest

    def _asking(self, conditions: tuple[Condition, ...]) -> RightUnits:
        """Units that meet one of some conditions."""
        none = np.zeros((1, 0), dtype=np.int64)
        readings = tuple(NextReading(none, 0, (number,)) for number in range(len(conditions)))
        return self.right_units(NextReadings(readings, conditions))

    def _hardest(self) -> IntArray:
        """The words that units serve for the fewest of some v, whatever their own weights cost."""
        values = self._asking(()).values
        chosen = spread_places(values, TOLD_BY).astype(np.float64)
        features = self.features
        # What s and b have to make up for is more than −⟨v, sums⟩/scale, or at most that.
        short = -(chosen @ features.sums.T.astype(np.float64)) / features.scale
        first, group = group_rows(features.last)
        most, least = np.full((2, len(chosen), len(first)), -np.inf)
        for g in range(len(first)):
            of_class = short[:, self.alike & (group == g)]
            most[:, g] = of_class.max(axis=1, initial=-np.inf)
            least[:, g] = (-of_class).max(axis=1, initial=-np.inf)
        own, of = short[:, self.served], group[self.served]
        possible = (own > most[:, of]) | (-own > least[:, of])
        return self.served[np.argsort(possible.sum(axis=0), kind="stable")[:TRIED]]
