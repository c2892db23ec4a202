"""The last layer with several units: every layer and reading that is right on all screened words.

A reading of t units by signs ±1 and an integer threshold, other than a constant, says that at least k of t
literals hold, a literal being u where the sign is +1 and ¬u where it is −1. If all must hold (k = t), each
literal holds on every accepted word; if one suffices (k = 1), each fails on every rejected word. Few tables
pass, and for those two kinds of reading layers are formed of them only. Where all must hold, some literal has
to fail on each rejected word, and where one suffices, some literal has to hold on each accepted one: of two
units a layer is joined only of those that serve each other so. `LayerScreen` serves other readings as well.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from idinf.search.short_words.features import Features, TableRegistry, unit_outputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import spread_places
from idinf.space.units import BoolArray, Units

BLOCK = 4096  #: layers whose answers are computed in one block, and tables that are looked at in one
#: Words that units are joined by, at most: any of them are sound, and more cost more than they save.
MOST_SERVED = 512
MOST_QUICK = 48  #: words of a quick look at a unit, at most; what passes is looked at on all words
R = TypeVar("R")


class LayerScreen(ABC, Generic[R]):
    """Masks of tables, and of layers of t tables, that can be right on all words up to a length.

    Mutable: tables are looked at as they are met. ``readings`` are the ways to read an answer off the units.
    """

    def __init__(self, readings: Sequence[R], registry: TableRegistry) -> None:
        self.readings, self.registry = readings, registry

    @abstractmethod
    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that some unit of a right layer can have."""

    @abstractmethod
    def right(self, reading: R, tables: IntArray) -> BoolArray:
        """Layers, (N, t) arrays of tables, for which a reading is right on all screened words."""

    def each_right(self, tables: IntArray) -> Iterator[tuple[R, BoolArray]]:
        """Every reading with the mask of layers, (N, t) arrays of tables, for which it is right."""
        for reading in self.readings:
            yield reading, self.right(reading, tables)

    def together(self, tables: IntArray) -> BoolArray:
        """Layers for which some reading is right on all screened words."""
        mask = np.zeros(len(tables), dtype=np.bool_)
        for _, right in self.each_right(tables):
            mask |= right
        return mask

    def possible(self, units: Units) -> BoolArray:
        """Units that may be right as far as a quick look tells; here it tells nothing."""
        return np.ones(len(units), dtype=np.bool_)

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of what some unit of a layer has to serve and a table does not, (N, bytes); here none."""
        return np.zeros((len(tables), 0), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class UnitReading:
    """Accept iff signs · units > threshold; equivalently at least ``least`` of the literals hold."""

    signs: tuple[int, ...]  #: the row U
    threshold: int

    @property
    def least(self) -> int:
        """How many literals must hold."""
        return self.threshold + 1 + sum(sign < 0 for sign in self.signs)


@lru_cache(maxsize=8)
def readings(units: int, at_zero: bool = False) -> tuple[UnitReading, ...]:
    """Every reading of a number of units that is not constant, in file order (signs, then threshold).

    All have the threshold 0 where that is asked.

    >>> [(r.signs, r.threshold, r.least) for r in readings(1)]
    [((-1,), -1, 1), ((1,), 0, 1)]
    >>> len(readings(2)), len(readings(4)), len(readings(2, at_zero=True))
    (8, 64, 3)
    """
    every = (
        UnitReading(signs, least - 1 - signs.count(-1))
        for signs in itertools.product((-1, 1), repeat=units)
        for least in range(1, units + 1)
    )
    return tuple(reading for reading in every if not (at_zero and reading.threshold))


class ReadingScreen(LayerScreen[UnitReading]):
    """Which tables, and layers of t tables, can accept the right words. Mutable: bits of tables are added.

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
        by_logits: bool = False,
    ) -> None:
        every = readings(units, at_zero)
        super().__init__([each for each in every if least in (None, each.least)], registry)
        self.at_zero, self.by_logits = at_zero, by_logits
        self.words, self.length, self.features = words, length, features
        self.units, self.block, self.least = units, block, least
        self.count = words.up_to(length)
        self.labels = words.labels[: self.count]
        # Words on which all literals have to hold, or to fail, and those on which one of them must not.
        alike = self.labels == (least == units) if least else np.zeros(0, dtype=np.bool_)
        self._served = spread_places(np.flatnonzero(~alike), MOST_SERVED)
        self._quick = features.take(spread_places(np.flatnonzero(alike), MOST_QUICK))
        self._bits: NDArray[np.uint8] = np.zeros((0, -(-self.count // 8)), dtype=np.uint8)
        self._missed: NDArray[np.uint8] = np.zeros((0, -(-len(self._served) // 8)), dtype=np.uint8)
        self._necessary: BoolArray = np.zeros((0, 4), dtype=np.bool_)
        self._accepted = np.packbits(self.labels)
        self._rejected = np.packbits(~self.labels)

    def possible(self, units: Units) -> BoolArray:
        """Units that are, or whose complement is, right on some words on which each literal has to be.

        A literal that has to hold on every accepted word is true of all of them, or its unit of none.
        """
        outputs = unit_outputs(units, self._quick)
        return np.asarray(outputs.all(axis=1) | ~outputs.any(axis=1))

    def _update(self) -> None:
        for outputs in self.registry.blocks_from(len(self._bits), self.block):
            table = outputs[:, : self.count]
            necessary = np.stack(
                [
                    table[:, self.labels].all(axis=1),
                    ~table[:, self.labels].any(axis=1),
                    ~table[:, ~self.labels].any(axis=1),
                    table[:, ~self.labels].all(axis=1),
                ],
                axis=1,
            )
            self._bits = np.concatenate([self._bits, np.packbits(table, axis=1)])
            self._necessary = np.concatenate([self._necessary, necessary])
            if self.least:
                # What u does not serve, and what ¬u does not; a unit that may be either misses what both do.
                unserved = table[:, self._served] == (self.least == self.units)
                plain, complement = (necessary[:, self._offset + k, None] for k in (0, 1))
                missed = np.packbits((unserved | ~plain) & (~unserved | ~complement), axis=1)
                self._missed = np.concatenate([self._missed, missed])

    @property
    def _offset(self) -> int:
        """Which of the conditions on tables are those of the literals that are asked for."""
        return 0 if self.least == self.units else 2

    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that can be a literal of a right reading; with three units or more any table can."""
        if self.units > 2:
            return np.ones(len(tables), dtype=np.bool_)
        self._update()
        some = self._necessary[tables]
        return np.asarray((some[:, self._offset : self._offset + 2] if self.least else some).any(axis=1))

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of words on which another literal has to fail, or to hold, (N, bytes)."""
        if not self.least:
            return super().missed(tables)
        self._update()
        return self._missed[tables]

    def right(self, reading: UnitReading, tables: IntArray) -> BoolArray:
        """Layers, (N, t) arrays of tables, for which a reading is right on all screened words."""
        self._update()
        keep = np.arange(len(tables))
        if reading.least in (1, self.units):
            offset = 0 if reading.least == self.units else 2
            for place, sign in enumerate(reading.signs):
                keep = keep[self._necessary[tables[keep, place], offset + (sign < 0)]]
        mask = np.zeros(len(tables), dtype=np.bool_)
        for begin in range(0, len(keep), self.block):
            part = keep[begin : begin + self.block]
            holds = self._holds(reading, tables[part])
            answers = holds[reading.least]
            wrong = (~answers & self._accepted).any(axis=1) | (answers & self._rejected).any(axis=1)
            if self.by_logits:  # just so many literals of accepted words, and one less of rejected ones
                more = holds[reading.least + 1] if reading.least < self.units else np.zeros_like(answers)
                wrong |= (more & self._accepted).any(axis=1)
                wrong |= (~holds[reading.least - 1] & self._rejected).any(axis=1)
            mask[part[~wrong]] = True
        return mask

    def _holds(self, reading: UnitReading, tables: IntArray) -> list[NDArray[np.uint8]]:
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
    by_logits: bool = False,
) -> list[ReadingScreen]:
    """A screen of all readings; for two units one of those that ask for both literals, and one for one."""
    return [
        ReadingScreen(words, registry, features, length, units, BLOCK, least, at_zero, by_logits)
        for least in ((2, 1) if units == 2 else (None,))
    ]
