"""The last layer with several units: every layer and reading that is right on all screened words.

A reading of t units by signs ±1 and an integer threshold, other than a constant, says that at least k of t
literals hold, a literal being u where the sign is +1 and ¬u where it is −1. If all must hold (k = t), each
literal holds on every accepted word; if one suffices (k = 1), each fails on every rejected word. Few tables
pass, and for those two kinds of reading layers are formed of them only. Where all must hold, some literal has
to fail on each rejected word, and where one suffices, some literal has to hold on each accepted one: of two
units a layer is joined only of those that serve each other so: otherwise (ab)* takes three times as long.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from idinf.search.last_layer.next_symbols import Condition, Reading, Readings
from idinf.search.short_words.features import Features, TableRegistry, unit_outputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import spread_places
from idinf.space.units import BoolArray, Units

BLOCK = 4096  #: layers whose answers are computed in one block, and tables that are looked at in one
#: Words that units are joined by, at most: any of them are sound, and more cost more than they save.
MOST_SERVED = 512
#: Words of a quick look at a unit, at most; what passes is looked at on all words. Without it (ab|c)* takes
#: 1.07 times as long.
MOST_QUICK = 48


class LayerScreen:
    """Which tables, and layers of t tables, can be right on the words that conditions are about.

    Mutable: tables are looked at as they are met. This one serves next symbols, where conditions are all that
    is asked; the features are those that the registry numbers behaviours on.
    """

    def __init__(
        self, found: Readings, registry: TableRegistry, features: Features, block: int = BLOCK
    ) -> None:
        self.found, self.registry, self.block = found, registry, block
        asked = np.any([condition.ones | condition.zeros for condition in found.conditions], axis=0)
        self._quick = spread_places(np.flatnonzero(asked), MOST_QUICK)
        self._features = features.take(self._quick)
        self._is_free = not all(reading.wanted for reading in found.readings)
        self._fits: BoolArray = np.zeros((0, len(found.conditions)), dtype=np.bool_)

    def _update(self) -> None:
        for outputs in self.registry.blocks_from(len(self._fits), self.block):
            self._add(outputs)

    def _add(self, outputs: BoolArray) -> None:
        """Look at further tables."""
        fits = [condition.met(outputs) for condition in self.found.conditions]
        self._fits = np.concatenate([self._fits, np.stack(fits, axis=1)])

    def possible(self, units: Units) -> BoolArray:
        """Units that meet some condition on a few rows."""
        if self._is_free:
            return np.ones(len(units), dtype=np.bool_)
        outputs = unit_outputs(units, self._features)
        quick = (condition.take(self._quick) for condition in self.found.conditions)
        return np.asarray(np.any([condition.met(outputs) for condition in quick], axis=0))

    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that meet the condition of some unit of a right layer."""
        self._update()
        return np.asarray(self._fits[tables].any(axis=1) | self._is_free)

    def right(self, reading: Reading, tables: IntArray) -> BoolArray:
        """Layers, (N, t) arrays of tables, for which a reading is right on all screened words.

        Of fewer tables those that meet the conditions of the first units.
        """
        self._update()
        mask = np.ones(len(tables), dtype=np.bool_)
        for column, number in zip(tables.T, reading.wanted, strict=False):
            mask &= self._fits[column, number]
        return mask

    def each_right(self, tables: IntArray) -> Iterator[tuple[Reading, BoolArray]]:
        """Every reading with the mask of layers, (N, t) arrays of tables, for which it is right."""
        for reading in self.found.readings:
            yield reading, self.right(reading, tables)

    def together(self, tables: IntArray) -> BoolArray:
        """Layers for which some reading is right; of fewer tables, in any order, some beginning is.

        With a reading there is each one that has the units in another order.
        """
        mask = np.zeros(len(tables), dtype=np.bool_)
        for _, right in self.each_right(tables):
            mask |= right
        return mask

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of what some unit of a layer has to serve and a table does not, (N, bytes); here none."""
        return np.zeros((len(tables), 0), dtype=np.uint8)


def vote_readings(labels: BoolArray, units: int, least: int | None = None, at_zero: bool = False) -> Readings:
    """Every reading of a number of units that is not constant, in file order (signs, then threshold).

    With ``least`` those that ask for so many literals; all have the threshold 0 where that is asked.

    >>> labels = np.array([True, False])
    >>> [(r.signs.tolist(), r.threshold, r.least, r.wanted) for r in vote_readings(labels, 1).readings]
    [([-1], -1, 1, (1,)), ([1], 0, 1, (0,))]
    >>> [len(vote_readings(labels, units).readings) for units in (2, 4)]
    [8, 64]
    """
    none = np.zeros_like(labels)
    conditions: dict[int, tuple[Condition, Condition]] = {}  # of a unit, and of the complement of one
    if least in (None, 1):
        conditions[1] = Condition(none, ~labels), Condition(~labels, none)
    if least in (None, units):
        conditions[units] = Condition(labels, none), Condition(none, labels)
    begins = {number: 2 * place for place, number in enumerate(conditions)}
    readings = []
    for signs in itertools.product((-1, 1), repeat=units):
        for number in range(1, units + 1) if least is None else (least,):
            threshold = number - 1 - signs.count(-1)
            begin = begins.get(number)
            wanted = () if begin is None else tuple(begin + (sign < 0) for sign in signs)
            if not (at_zero and threshold):
                readings.append(Reading(np.array(signs), threshold, wanted))
    return Readings(tuple(readings), tuple(itertools.chain.from_iterable(conditions.values())))


class ReadingScreen(LayerScreen):
    """Those that can accept the right words: beside their conditions, literals have to add up.

    With ``least`` the readings are those that ask for so many literals, all t or one.
    """

    def __init__(
        self,
        words: ShortWords,
        registry: TableRegistry,
        features: Features,
        length: int,
        units: int,
        block: int = BLOCK,
        least: int | None = None,
        at_zero: bool = False,
    ) -> None:
        labels = words.labels[: words.up_to(length)]
        super().__init__(vote_readings(labels, units, least, at_zero), registry, features, block)
        self.labels, self.units, self.least = labels, units, least
        # Words on which not all literals have to hold, or to fail, but one of them.
        self._served = spread_places(np.flatnonzero(labels != (least == units)), MOST_SERVED)
        self._bits: NDArray[np.uint8] = np.zeros((0, -(-len(labels) // 8)), dtype=np.uint8)
        self._missed: NDArray[np.uint8] = np.zeros((0, -(-len(self._served) // 8)), dtype=np.uint8)

    def _add(self, outputs: BoolArray) -> None:
        known = len(self._fits)
        super()._add(outputs)
        self._bits = np.concatenate([self._bits, np.packbits(outputs[:, : len(self.labels)], axis=1)])
        if self.least:
            # What u does not serve, and what ¬u does not; a unit that may be either misses what both do.
            unserved = outputs[:, self._served] == (self.least == self.units)
            plain, complement = self._fits[known:].T[..., None]
            missed = np.packbits((unserved | ~plain) & (~unserved | ~complement), axis=1)
            self._missed = np.concatenate([self._missed, missed])

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of words on which another literal has to fail, or to hold, (N, bytes); none for others."""
        self._update()
        return self._missed[tables] if self.least else super().missed(tables)

    def right(self, reading: Reading, tables: IntArray) -> BoolArray:
        """Layers, (N, t) arrays of tables, for which a reading is right on all screened words."""
        may = super().right(reading, tables)
        if tables.shape[1] < self.units:
            return may
        keep = np.flatnonzero(may)
        accepted, rejected = np.packbits(self.labels), np.packbits(~self.labels)
        mask = np.zeros(len(tables), dtype=np.bool_)
        for begin in range(0, len(keep), self.block):
            part = keep[begin : begin + self.block]
            holds = self._holds(reading, tables[part])
            answers = holds[reading.least]
            wrong = (~answers & accepted).any(axis=1) | (answers & rejected).any(axis=1)
            mask[part[~wrong]] = True
        return mask

    def _holds(self, reading: Reading, tables: IntArray) -> list[NDArray[np.uint8]]:
        """Packed bits of layers: those in which at least k literals are set, for every k up to all."""
        holds = [np.full((len(tables), self._bits.shape[1]), 255, dtype=np.uint8)]
        for place, sign in enumerate(reading.signs):
            literal = self._bits[tables[:, place]] ^ np.uint8(0 if sign > 0 else 255)
            holds.append(np.zeros_like(literal))
            for k in range(len(holds) - 1, 0, -1):
                holds[k] = holds[k] | (holds[k - 1] & literal)
        return holds


def list_screens(
    words: ShortWords,
    registry: TableRegistry,
    features: Features,
    length: int,
    units: int,
    at_zero: bool = False,
) -> list[ReadingScreen]:
    """A screen of all readings; for two units one of those that ask for both literals, and one for one."""
    return [
        ReadingScreen(words, registry, features, length, units, BLOCK, least, at_zero)
        for least in ((2, 1) if units == 2 else (None,))
    ]
