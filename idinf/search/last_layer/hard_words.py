"""Pairs of last units by a hard word, which one of them has to serve and few can.

Where both literals of two have to hold on the accepted words, one of them has to fail on every rejected word,
and where one literal suffices the other way round. Let a word be hard: few units serve it and are right on
the words on which every literal has to be. Each right pair has one of these few, so two units that share a
channel read one that some of the few read, and the other unit serves what one of the few misses. If nothing
serves the word, no pair is right. The few are listed by intervals (`idinf.search.last_layer.next_units`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from idinf.search.last_layer.next_symbols import Condition, NextReading, NextReadings
from idinf.search.last_layer.next_units import RightUnits
from idinf.search.short_words.behaviours import unit_outputs
from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, spread_places
from idinf.space.units import BoolArray, Units

#: Hard words that are tried, vectors v that tell which are hard, and words that servers seldom serve.
TRIED, TOLD_BY, HARD = 3, 256, 12

#: Words that are looked at first for such words, and units times words that are looked at, at most.
FEW, MOST_CELLS = 512, 1 << 28

#: What the few miss is looked at in so many ways, and told apart in so many, at most.
MOST_TOLD, MOST_WAYS = 2000, 32


@dataclass(frozen=True, eq=False)
class Servers:
    """Units one of which every right pair has, and what the other unit of a pair has to serve.

    Attributes
    ----------
    units : Units
    read : Features
        What a last unit reads on a word where literals are alike, and then on H other words.
    missed : (P, H)
        The other unit serves every word of a row.
    """

    units: Units
    read: Features
    missed: BoolArray

    @property
    def channels(self) -> frozenset[tuple[int, ...]]:
        """The channels that they read, which alone are worth sharing."""
        return frozenset(map(tuple, self.units.channel.tolist()))

    def possible(self, units: Units) -> BoolArray:
        """Which units serve all that some server misses, or the first word as servers do."""
        serves = find_served(units, self.read)
        possible = serves[:, 0].copy()
        for missed in self.missed:
            possible |= serves[:, missed].all(axis=1)
        return possible


def find_served(units: Units, read: Features) -> BoolArray:
    """On which words beyond the first one N units differ from what they are on the first one, (N, H)."""
    outputs = unit_outputs(units, read)
    return np.asarray(outputs[:, 1:] != outputs[:, :1])


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
        Words on which every literal has to hold, or every one has to fail. At least one.
    served : (S,)
        The other words: on each of them some literal must not. At least one.
    """

    right_units: Callable[[NextReadings], RightUnits]
    features: Features
    alike: BoolArray
    served: IntArray

    def servers(self) -> Servers:
        """The units one of which every right pair has: of the hardest words those of the one with the fewest.

        Each is right where literals have to be alike, itself or its complement, and fits the budget alone.
        """
        word, units = min(self._tried(), key=lambda tried: len(tried[1]))
        read = self.features.take(self._seldom_served(word, units))
        return Servers(units, read, _least_sets(~find_served(units, read)))

    def _tried(self) -> Iterator[tuple[int, Units]]:
        """Some of the hardest words, each with the units that serve it, until nothing serves one."""
        for word in self._hardest().tolist():
            serving = np.arange(len(self.alike)) == word
            conditions = Condition(self.alike, serving), Condition(serving, self.alike)
            units = Units.concatenate(self._asking(conditions).meeting())
            yield word, units
            if not len(units):
                return

    def _seldom_served(self, word: int, units: Units) -> IntArray:
        """A word where literals are alike, the one that all units serve, and some that none serves all of.

        Each of the latter is the one that the fewest serve of the units that serve those before it.
        """
        alike = int(self.alike.argmax())
        words, rest = [alike, word], units
        for some in (spread_places(self.served, FEW), self.served):
            if len(rest) * len(some) > MOST_CELLS:
                break
            serve = find_served(rest, self.features.take(np.append(alike, some)))
            while len(rest) and len(words) < HARD:
                seldom = int(serve.sum(axis=0).argmin())
                serving = np.flatnonzero(serve[:, seldom])
                if len(serving) == len(rest):
                    break
                words.append(int(some[seldom]))
                rest, serve = rest.take(serving), serve[serving]
        return np.array(words)

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


def _least_sets(rows: BoolArray) -> BoolArray:
    """Sets, (N, H), such that each given one contains one of them, (P, H): few, and as large as may be."""
    common = np.logical_and.reduce(rows, axis=0, keepdims=True)
    distinct = rows[group_rows(np.packbits(rows, axis=1))[0]]
    if len(distinct) > MOST_TOLD:
        return common
    contains = (distinct[:, None] | ~distinct[None]).all(axis=2)  # whether the first one contains the second
    least = distinct[contains.sum(axis=1) == 1]
    return least if len(least) <= MOST_WAYS else common
