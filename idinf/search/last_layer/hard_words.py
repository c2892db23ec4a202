"""Pairs of last units by the words that one of them has to serve.

Where both literals of two have to hold on the accepted words, one of them has to fail on every rejected word,
and where one literal suffices the other way round. Let a word be hard: few units serve it and are right on
the words on which every literal has to be. One unit of each right pair is one of these few, and the other one
serves what they all miss. So the few are split by words that some of them serve, case by case, until nothing
serves what is missed, or so few pairs are left that each of them can be tried. Intervals list the units
(`idinf.search.last_layer.next_units`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.search.last_layer.intervals import OwnWeights
from idinf.search.last_layer.next_symbols import Condition, NextReading, NextReadings
from idinf.search.last_layer.next_units import RightUnits
from idinf.search.short_words.behaviours import unit_outputs
from idinf.search.short_words.features import Features
from idinf.space.array_record import COLUMNS, ArrayRecord
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, sort_distinct, spread_places
from idinf.space.units import BoolArray, FloatArray, check_size

#: Vectors v that tell which word is hard, and literals that tell which word splits a case, at most.
TOLD_BY, SAMPLED = 256, 256

#: Words that literals are told apart by, at most.
FEW = 256

#: Pairs that are tried one by one, and cases that are looked at, at most.
MOST_PAIRS, MOST_CASES = 1 << 16, 256

Bits: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Literals(ArrayRecord):
    """N units that are alike where all have to be, whatever each of them is there.

    Attributes
    ----------
    weights : OwnWeights
    shares : (N, 3)
        What each takes of a layer at least, as `RightUnits.shares_of` says.
    served : (K, N)
        Bitsets, as K numbers each, of the words that each serves, of those that are looked at.
    """

    weights: OwnWeights
    shares: FloatArray
    served: Bits = field(metadata=COLUMNS)

    @property
    def missed(self) -> Bits:
        """The words that none of them serves, (K,)."""
        missed: Bits = ~np.bitwise_or.reduce(self.served, axis=1)
        return missed

    @property
    def disputed(self) -> Bits:
        """The words that some of them serve and others do not, (K,)."""
        disputed: Bits = ~self.missed & ~np.bitwise_and.reduce(self.served, axis=1)
        return disputed


def _pack(words: BoolArray) -> Bits:
    """Bitsets of some of W words, (N, W), as (K, N); what is beyond the words counts as one of them."""
    padded = np.ones((len(words), -(-words.shape[1] // 64) * 64), dtype=np.bool_)
    padded[:, : words.shape[1]] = words
    return np.ascontiguousarray(np.packbits(padded, axis=1).view(np.uint64).T)


def _unpack(bits: Bits) -> BoolArray:
    """The words of N bitsets, (N, 64 K)."""
    return np.unpackbits(np.ascontiguousarray(bits.T).view(np.uint8), axis=-1).astype(np.bool_)


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

    def pairs(self) -> RightUnits | None:
        """The units of all pairs that may be right; None where they are too many to be listed."""
        with suppress(BudgetError):
            hardest = self._serving(np.arange(len(self.alike)) == self._hardest())
            parts = [(hardest.take(slice(0)),) * 2, *self._cases(hardest)]
            ones, others = (Literals.concatenate(each).weights for each in zip(*parts, strict=True))
            found = self._asking((), ((0, 1),), (ones, others))
            check_size(len(found), found.most)  # lists them, so that too many are noticed here
            return found
        return None

    def _cases(self, hardest: Literals) -> Iterator[tuple[Literals, Literals]]:
        """Case by case the literals of which a right pair has one, beside those of which it has the other."""
        left: list[tuple[Literals, Literals | None]] = [(hardest, None)]
        for seen in itertools.count():
            if not left:
                return
            self._listing.checkpoint()
            first, second = left.pop()
            if not len(first):
                continue
            if second is None:
                second = self._other(first)
            if second is not None:
                first, second = self._joint(first, second)
                if len(first) * len(second) <= MOST_PAIRS:
                    yield self._matched(first, second)
                    continue
            parts = self._split(first) if seen < MOST_CASES else []
            if parts:
                left += [(part, second) for part in parts]
            elif second is not None:
                yield first, second
            else:
                raise BudgetError("too many pairs of units to be listed")

    def _other(self, first: Literals) -> Literals | None:
        """Those that serve whatever none of some serves; None where they are too many.

        Where nothing is missed either, literals that can be told apart are told apart first.
        """
        if not first.missed.any() and first.disputed.any():
            return None
        words = np.zeros(len(self.alike), dtype=np.bool_)
        words[self._told] = _unpack(first.missed)[: len(self._told)]
        with suppress(BudgetError):
            return self._serving(words, (first.weights,))
        return None

    def _joint(self, first: Literals, second: Literals) -> tuple[Literals, Literals]:
        """Those of both lists that serve what the other one misses, and fit the budget beside its least."""
        size = -1
        while size != len(first) + len(second):
            size = len(first) + len(second)
            second = second.take(self._fit_beside(second, first))
            first = first.take(self._fit_beside(first, second))
        return first, second

    def _fit_beside(self, ones: Literals, others: Literals) -> BoolArray:
        """Which of some literals may be right together with one of others."""
        if not len(others):
            return np.zeros(len(ones), dtype=np.bool_)
        fit = self._listing.fit_beside(ones.shares, others.shares.min(axis=0))
        missed = others.missed
        serve = ((ones.served & missed[:, None]) == missed[:, None]).all(axis=0)
        return np.asarray(fit & serve)

    def _matched(self, first: Literals, second: Literals) -> tuple[Literals, Literals]:
        """Those of both lists that serve all words together with one of the other, within the budget."""
        either = first.served[:, :, None] | second.served[:, None]
        one, other = np.nonzero((either == ~np.uint64(0)).all(axis=0))
        fit = self._listing.fit_beside(first.shares[one], second.shares[other])
        return first.take(sort_distinct(one[fit])), second.take(sort_distinct(other[fit]))

    def _split(self, literals: Literals) -> list[Literals]:
        """Those that serve the word that the fewest serve, and the others; nothing if all are alike."""
        disputed = _unpack(literals.disputed)
        if not disputed.any():
            return []
        some = literals.take(spread_places(np.arange(len(literals)), SAMPLED))
        number = np.where(disputed, _unpack(some.served).sum(axis=0), len(some) + 1)
        word = int(number.argmin())
        serves = _unpack(literals.served[word // 64][None])[:, word % 64]
        return [literals.take(~serves), literals.take(serves)]

    def _serving(self, words: BoolArray, beside: tuple[OwnWeights, ...] = ()) -> Literals:
        """Those that serve some words, and fit the budget alone, or beside one of some own weights."""
        conditions, others = (Condition(self.alike, words), Condition(words, self.alike)), len(beside)
        wanted = tuple((*range(others), others + which) for which in range(2))
        found = OwnWeights.concatenate(self._asking(conditions, wanted, beside).meeting()[others:])
        read = self.features.take(np.append(self.alike.argmax(), self._told))
        outputs = unit_outputs(self._listing.functions(found), read)
        served = _pack(outputs[:, 1:] != outputs[:, :1])
        return Literals(found, self._listing.shares_of(found), served)

    def _asking(
        self,
        conditions: tuple[Condition, ...] = (),
        wanted: tuple[tuple[int, ...], ...] = (),
        given: tuple[OwnWeights, ...] = (),
    ) -> RightUnits:
        """What is given, and units that meet conditions: those of each choice together within the budget."""
        either, none = Condition(*np.zeros((2, len(self.alike)), dtype=np.bool_)), np.zeros((1, 0), np.int64)
        readings = tuple(NextReading(none, 0, each) for each in wanted)
        asked = self.right_units(NextReadings(readings, (either,) * len(given) + conditions))
        return replace(asked, given=given)

    @cached_property
    def _told(self) -> IntArray:
        """Words that literals are told apart by."""
        return spread_places(self.served, FEW)

    @cached_property
    def _listing(self) -> RightUnits:
        """What units read within the budget, whatever they are."""
        return self._asking()

    def _hardest(self) -> int:
        """The word that units serve for the fewest of some v, whatever their own weights cost."""
        chosen = spread_places(self._listing.values, TOLD_BY).astype(np.float64)
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
        return int(self.served[possible.sum(axis=0).argmin()])
