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

import numpy as np
from numpy.typing import NDArray

from idinf.search.last_layer.next_symbols import Condition, Reading, Readings
from idinf.search.short_words.features import TableRegistry
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import spread_places
from idinf.space.units import BoolArray

BLOCK = 4096  #: layers whose answers are computed in one block, and tables that are looked at in one
#: Words that units are joined by, at most: any of them are sound, and more cost more than they save.
MOST_SERVED = 512


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
    if units == 1:
        conditions[1] = Condition(labels, ~labels), Condition(~labels, labels)
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


class LayerScreen:
    """Test whether tables, and layers of t tables, can be right on screened words, by given readings.

    Mutable: tables are looked at as they are met. For next symbols units need to meet conditions alone. For
    acceptance ``labels`` are given, and literals have to add up, too; with ``least`` the readings are those
    that need so many literals, all t or one.
    """

    def __init__(
        self,
        found: Readings,
        registry: TableRegistry,
        labels: BoolArray | None = None,
        least: int | None = None,
        block: int = BLOCK,
    ) -> None:
        self.found, self.registry, self.block = found, registry, block
        self.labels, self.least = labels, least
        self._is_free = not all(reading.wanted for reading in found.readings)
        self._fits: BoolArray = np.zeros((0, len(found.conditions)), dtype=np.bool_)
        self._bits: NDArray[np.uint8] = np.zeros((0, 0 if labels is None else -(-len(labels) // 8)), np.uint8)
        served = np.zeros(0, dtype=np.int64)
        if labels is not None and least is not None:
            # Words on which not all literals have to hold, or to fail, but one of them.
            served = spread_places(np.flatnonzero(labels == (least == 1)), MOST_SERVED)
        self._served = served
        self._missed: NDArray[np.uint8] = np.zeros((0, -(-len(served) // 8)), dtype=np.uint8)

    def _update(self) -> None:
        """Look at further tables."""
        for begin in range(len(self._fits), len(self.registry), self.block):
            outputs = self.registry.tables(np.arange(begin, min(begin + self.block, len(self.registry))))
            fits = np.stack([condition.met(outputs) for condition in self.found.conditions], axis=1)
            self._fits = np.concatenate([self._fits, fits])
            if self.labels is not None:
                packed = np.packbits(outputs[:, : len(self.labels)], axis=1)
                self._bits = np.concatenate([self._bits, packed])
            missed = np.zeros((len(outputs), 0), dtype=np.bool_)
            if self.least:
                # Words that u, or that ¬u, does not serve; a unit that may be either misses those of both.
                unserved = outputs[:, self._served] != (self.least == 1)
                plain, complement = fits.T[..., None]
                missed = (unserved | ~plain) & (~unserved | ~complement)
            self._missed = np.concatenate([self._missed, np.packbits(missed, axis=1)])

    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that meet the condition of some unit of a right layer."""
        self._update()
        return np.asarray(self._fits[tables].any(axis=1) | self._is_free)

    def right(self, reading: Reading, tables: IntArray) -> BoolArray:
        """Layers, (N, t) arrays of tables, for which a reading is right on all screened words.

        Of fewer tables those that meet the conditions of the first units.
        """
        self._update()
        may = np.ones(len(tables), dtype=np.bool_)
        for column, number in zip(tables.T, reading.wanted, strict=False):
            may &= self._fits[column, number]
        if self.labels is None or tables.shape[1] < len(reading.signs):
            return may
        keep = np.flatnonzero(may)
        accepted, rejected = np.packbits(self.labels), np.packbits(~self.labels)
        mask = np.zeros(len(tables), dtype=np.bool_)
        for begin in range(0, len(keep), self.block):
            part = keep[begin : begin + self.block]
            answers = self._holds(reading, tables[part])[reading.least]
            wrong = (~answers & accepted).any(axis=1) | (answers & rejected).any(axis=1)
            mask[part[~wrong]] = True
        return mask

    def together(self, tables: IntArray) -> BoolArray:
        """Layers for which some reading is right; of fewer tables, in any order, some beginning is.

        With a reading there is each one that has the units in another order.
        """
        mask = np.zeros(len(tables), dtype=np.bool_)
        for reading in self.found.readings:
            mask |= self.right(reading, tables)
        return mask

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of words on which another literal has to fail, or to hold, (N, bytes).

        They are empty where readings ask for any number of literals, or for conditions alone.
        """
        self._update()
        return self._missed[tables]

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
    words: ShortWords, registry: TableRegistry, length: int, units: int, at_zero: bool = False
) -> list[LayerScreen]:
    """A screen of all readings; for two units one of those that ask for both literals, and one for one."""
    labels = words.labels[: words.up_to(length)]
    return [
        LayerScreen(vote_readings(labels, units, least, at_zero), registry, labels, least)
        for least in ((2, 1) if units == 2 else (None,))
    ]
