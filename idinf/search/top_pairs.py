"""The last layer with two units: every pair and reading that is right on all screened words.

A reading of two units by signs ±1 and an integer threshold, other than a constant, is a conjunction or a
disjunction of two literals u or ¬u. In a conjunction each literal must hold on every accepted word, in a
disjunction each must fail on every rejected word: few tables pass, and pairs are formed of those only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.search.short_words import ShortWords
from idinf.search.tables import TableRegistry
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray

__all__ = ["READINGS", "PairScreen", "Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Accept iff signs · units > threshold; equivalently both (or one) of two literals hold.

    Attributes
    ----------
    signs : tuple of int
        The row U.
    threshold : int
    conjunction : bool
        Whether both literals must hold; a literal is u where the sign is +1 and ¬u where it is −1.
    """

    signs: tuple[int, int]
    threshold: int
    conjunction: bool


#: Every non-constant reading of two units, in file order (signs, then threshold).
READINGS = tuple(
    Reading((a, b), (a > 0) + (b > 0) - 2 + (1 if both else 0), both)
    for a in (-1, 1)
    for b in (-1, 1)
    for both in (False, True)
)


class PairScreen:
    """Masks of tables, and of pairs of tables, that can be right on all words up to a length.

    Mutable: bits are added as tables are met.
    """

    def __init__(self, words: ShortWords, registry: TableRegistry, length: int) -> None:
        self.registry = registry
        self.count = words.up_to(length)
        self.labels = words.labels[: self.count]
        self._bits: NDArray[np.uint8] = np.zeros((0, -(-self.count // 8)), dtype=np.uint8)
        self._necessary: BoolArray = np.zeros((0, 4), dtype=np.bool_)
        self._accepted = np.packbits(self.labels)
        self._rejected = np.packbits(~self.labels)

    def _update(self) -> None:
        new = np.arange(len(self._bits), len(self.registry))
        for begin in range(0, len(new), 4096):
            table = self.registry.tables(new[begin : begin + 4096])[:, : self.count]
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

    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that can be a literal of a right conjunction or disjunction."""
        self._update()
        return np.asarray(self._necessary[tables].any(axis=1))

    def right(self, reading: Reading, first: IntArray, second: IntArray) -> BoolArray:
        """Pairs of tables for which a reading is right on all screened words."""
        self._update()
        offset = 0 if reading.conjunction else 2
        masks = [
            self._necessary[tables, offset + (sign < 0)]
            for sign, tables in zip(reading.signs, (first, second), strict=True)
        ]
        keep = np.flatnonzero(masks[0] & masks[1])
        left, right = (
            self._bits[tables[keep]] ^ np.uint8(0 if sign > 0 else 255)
            for sign, tables in zip(reading.signs, (first, second), strict=True)
        )
        if reading.conjunction:
            clean = ~(left & right & self._rejected).any(axis=1)
        else:
            clean = ~(~(left | right) & self._accepted).any(axis=1)
        mask = np.zeros(len(first), dtype=np.bool_)
        mask[keep[clean]] = True
        return mask

    def together(self, first: IntArray, second: IntArray) -> BoolArray:
        """Pairs of tables for which some reading is right on all screened words."""
        mask = np.zeros(len(first), dtype=np.bool_)
        for reading in READINGS:
            mask |= self.right(reading, first, second)
        return mask
