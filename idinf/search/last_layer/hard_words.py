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
from idinf.search.short_words.features import Features, unit_outputs
from idinf.space.grid import IntArray
from idinf.space.rows import COLUMNS, ArrayRecord, group_rows, sort_distinct, spread_places
from idinf.space.units import BoolArray, FloatArray, check_size

#: Vectors v that tell which word is hard, and literals that tell which word splits a case, at most.
TOLD_BY, SAMPLED = 256, 256
FEW = 256  #: words that literals are told apart by, at most
#: Pairs that are tried one by one, cases that are looked at, and literals of a list, at most.
MOST_PAIRS, MOST_CASES, MOST_LITERALS = 1 << 16, 256, 1 << 19
#: Literals times words that are looked at for words that tell apart, and lists that may be too long, at most.
MOST_CELLS, MOST_TOO_LONG = 1 << 22, 8

Bits: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Literals(ArrayRecord):
    """N units that are alike where all have to be, whatever each of them is there."""

    weights: OwnWeights
    shares: FloatArray  #: (N, 3): what each takes of a layer at least, as `RightUnits.shares_of` says
    #: (K, N): bitsets, as K numbers each, of the words that each serves, of those that they are told apart
    #: by.
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


@dataclass(frozen=True, eq=False)
class _Case:
    """Literals of which a right pair has one, and those of which it has the other, if they are listed.

    Both are told apart by the same words.
    """

    told: IntArray
    one: Literals
    other: Literals | None = None
    is_told_anew: bool = False  #: whether the words were chosen for this case

    @property
    def missed(self) -> IntArray:
        """The words that none of the first ones serves, of those that tell apart."""
        return self.told[_unpack(self.one.missed)[: len(self.told)]]


def _distinct(parts: tuple[OwnWeights, ...]) -> OwnWeights:
    """All of some lists, each once."""
    whole = OwnWeights.concatenate(list(parts))
    return whole.take(group_rows(np.column_stack([whole.place, whole.own, whole.bias]))[0])


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
    """Where literals have to be alike on some words, and at least one has to serve each of others."""

    #: The units that can meet the conditions of some assignments, within the budget.
    right_units: Callable[[NextReadings], RightUnits]
    features: Features  #: what a last unit reads on all words that count, at least on one
    #: (W,): words on which every literal has to hold, or every one has to fail. At least one.
    alike: BoolArray
    served: IntArray  #: (S,): the other words: on each of them some literal must not. At least one.

    def pairs(self) -> RightUnits | None:
        """The units of all pairs that may be right; None where they are too many to be listed."""
        with suppress(BudgetError):
            none = self._whole.one.weights.take(slice(0))
            parts = [(none, none), *self._cases()]
            found = self._asking((), ((0, 1),), tuple(map(_distinct, zip(*parts, strict=True))))
            check_size(len(found), found.most)  # lists them, so that too many are noticed here
            return found
        return None

    @cached_property
    def _whole(self) -> _Case:
        """The literals that serve the hardest word."""
        hardest = self._serving(self._hardest, self._hardest)
        return self._told_anew(_Case(self._hardest, hardest))

    def _cases(self) -> Iterator[tuple[OwnWeights, OwnWeights]]:
        """Case by case the literals of which a right pair has one, beside those of which it has the other."""
        left, too_long = [self._whole], 0
        for seen in itertools.count():
            if not left:
                return
            self._listing.checkpoint()
            case = left.pop()
            if not len(case.one):
                continue
            # Before anything is asked of the other unit, those that can be told apart are.
            serves_all = case.is_told_anew and not case.one.disputed.any()
            if case.other is None and (case.one.missed.any() or serves_all):
                case = self._with_other(case)
                too_long += case.other is None
            if case.other is not None:
                one, other = self._joint(case.one, case.other)
                if len(one) * len(other) <= MOST_PAIRS:
                    yield self._matched(one, other)
                    continue
                case = replace(case, one=one, other=other)
            parts = self._parts(case) if seen < MOST_CASES and too_long < MOST_TOO_LONG else []
            left += parts
            if not parts and case.other is None:
                raise BudgetError("too many pairs of units to be listed")
            if not parts and case.other is not None:
                yield case.one.weights, case.other.weights

    def _with_other(self, case: _Case) -> _Case:
        """The same with those that serve whatever none of some serves, unless they are too many."""
        with suppress(BudgetError):
            return replace(case, other=self._serving(case.missed, case.told, (case.one.weights,)))
        return case

    def _joint(self, one: Literals, other: Literals) -> tuple[Literals, Literals]:
        """Those of both lists that serve what the other one misses, and fit the budget beside its least."""
        size = -1
        while size != len(one) + len(other):
            size = len(one) + len(other)
            other = other.take(self._fit_beside(other, one))
            one = one.take(self._fit_beside(one, other))
        return one, other

    def _fit_beside(self, ones: Literals, others: Literals) -> BoolArray:
        """Which of some literals may be right together with one of others."""
        if not len(others):
            return np.zeros(len(ones), dtype=np.bool_)
        fit = self._listing.fit_beside(ones.shares, others.shares.min(axis=0))
        missed = others.missed
        serve = ((ones.served & missed[:, None]) == missed[:, None]).all(axis=0)
        return np.asarray(fit & serve)

    def _matched(self, one: Literals, other: Literals) -> tuple[OwnWeights, OwnWeights]:
        """Those of both lists that serve all words together with one of the other, within the budget."""
        either = one.served[:, :, None] | other.served[:, None]
        row, column = np.nonzero((either == ~np.uint64(0)).all(axis=0))
        fit = self._listing.fit_beside(one.shares[row], other.shares[column])
        places = sort_distinct(row[fit]), sort_distinct(column[fit])
        return one.weights.take(places[0]), other.weights.take(places[1])

    def _parts(self, case: _Case) -> list[_Case]:
        """Those that serve the word that the fewest serve, and the others.

        Where all are alike, or too many serve what they miss, other words are to tell them apart first.
        """
        one = case.one
        disputed = _unpack(one.disputed)
        is_told = case.is_told_anew or (disputed.any() and (case.other is not None or not one.missed.any()))
        if not is_told:
            return [self._told_anew(case)]
        if not disputed.any():
            return []
        some = one.take(spread_places(np.arange(len(one)), SAMPLED))
        number = np.where(disputed, _unpack(some.served).sum(axis=0), len(some) + 1)
        word = int(number.argmin())
        serves = _unpack(one.served[word // 64][None])[:, word % 64]
        return [_Case(case.told, one.take(chosen), case.other) for chosen in (~serves, serves)]

    def _told_anew(self, case: _Case) -> _Case:
        """The same told apart by words that some of its literals do not serve, if there are any."""
        number = max(MOST_CELLS // len(self.served), 1)
        some = case.one.weights.take(spread_places(np.arange(len(case.one)), number))
        serving = self._serves(some, self.served).sum(axis=0)
        missed = self._hardest_of(self.served[serving == 0], FEW // 2)
        told = np.append(missed, spread_places(self.served[(serving > 0) & (serving < len(some))], FEW // 2))
        if not len(told):
            return replace(case, is_told_anew=True)
        other = None if case.other is None else self._literals(case.other.weights, told)
        return _Case(told, self._literals(case.one.weights, told), other, is_told_anew=True)

    def _serving(self, words: IntArray, told: IntArray, beside: tuple[OwnWeights, ...] = ()) -> Literals:
        """Those that serve some words, and fit the budget alone, or beside one of some own weights."""
        serving, others = np.isin(np.arange(len(self.alike)), words), len(beside)
        conditions = Condition(self.alike, serving), Condition(serving, self.alike)
        wanted = tuple((*range(others), others + which) for which in range(2))
        asked = self._asking(conditions, wanted, beside)
        found = replace(asked, most=min(asked.most, MOST_LITERALS)).meeting()[others:]
        return self._literals(OwnWeights.concatenate(found), told)

    def _literals(self, weights: OwnWeights, told: IntArray) -> Literals:
        """Literals with some weights, told apart by some words."""
        return Literals(weights, self._listing.shares_of(weights), _pack(self._serves(weights, told)))

    def _serves(self, weights: OwnWeights, words: IntArray) -> BoolArray:
        """Which words each literal serves, (N, W): there it is not what it is where all are alike."""
        read = self.features.take(np.append(self.alike.argmax(), words))
        outputs = unit_outputs(self._listing.functions(weights), read)
        return np.asarray(outputs[:, 1:] != outputs[:, :1])

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
    def _listing(self) -> RightUnits:
        """What units read within the budget, whatever they are."""
        return self._asking()

    @property
    def _hardest(self) -> IntArray:
        """The word that units serve for the fewest of some v, whatever their own weights cost, (1,)."""
        return self._hardest_of(self.served, 1)

    def _hardest_of(self, words: IntArray, number: int) -> IntArray:
        """Those of some words that units serve for the fewest of some v, so many at most."""
        return words[np.argsort(self._serving_values[words], kind="stable")[:number]]

    @cached_property
    def _serving_values(self) -> IntArray:
        """For how many of some v, whatever own weights cost, units serve a word, (W,)."""
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
        return np.asarray(((short > most[:, group]) | (-short > least[:, group])).sum(axis=0))
