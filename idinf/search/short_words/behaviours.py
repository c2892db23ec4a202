"""The behaviour of units on short words: one bit per word, numbered so that equal behaviour is met once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from idinf.errors import PrecisionError
from idinf.search.short_words.features import FLOAT64_EXACT, Features
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray, Units

FLOAT32_EXACT = 2**24  #: float32 products of integers are exact while every partial sum stays below 2^24
#: Rows times units of one block of a product: 8 MB of float32 keep the block in the cache.
BLOCK_CELLS = 2_000_000


def unit_outputs(units: Units, features: Features, block_cells: int = BLOCK_CELLS) -> BoolArray:
    """Evaluate each of N units on each of W rows, (N, W).

    Raises PrecisionError if the integers could leave the range in which float64 products are exact.

    The product runs in float32 on integers, in float64 where they are larger; a bound on every partial sum
    is checked first, so each sign is that of an exact integer. Cost O(N · R · f).
    """
    one = 2**units.precision
    weights = np.concatenate([units.values, one * units.own, one * units.bias[:, None]], axis=1)
    scale = features.scale[:, None]
    rows = np.concatenate([features.sums, scale * features.last, scale], axis=1)
    largest = int(np.abs(weights).sum(axis=1, initial=0).max(initial=0)) * int(np.abs(rows).max(initial=0))
    if largest >= FLOAT64_EXACT:
        raise PrecisionError(
            f"unit weights up to {largest} leave the exact range of the product; lower --precision, "
            "--logit-max or --max-r"
        )
    exact: type[np.floating] = np.float32 if largest < FLOAT32_EXACT else np.float64
    columns = rows.T.astype(exact)
    outputs = np.empty((len(units), len(rows)), dtype=np.bool_)
    step = max(1, block_cells // max(1, len(rows)))
    for begin in range(0, len(units), step):
        block = weights[begin : begin + step].astype(exact)
        with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
            # (block, W), over all that a unit reads: heads and features, own features, 1
            np.greater(block @ columns, 0, out=outputs[begin : begin + step])
    return outputs


class TableRegistry:
    """Numbers the distinct behaviours (tables) of units on a fixed list of words.

    Two units get the same number iff they agree on every word of the list. Mutable on purpose: tables are
    met while the search goes on, and a number never changes.
    """

    def __init__(self, features: Features, checkpoint: Callable[[], None] = lambda: None) -> None:
        self._checkpoint = checkpoint
        self._first, self._inverse = features.rows
        self._rows = features.take(self._first)
        self._numbers: dict[bytes, int] = {}
        self._packed: list[bytes] = []
        self.seen = 0

    def __len__(self) -> int:
        return len(self._packed)

    def number(self, units: Units) -> IntArray:
        """Table number of every unit, (N,); new tables are added."""
        numbers = np.empty(len(units), dtype=np.int64)
        self.seen += len(units)
        step = max(1, 4 * BLOCK_CELLS // max(1, len(self._first)))
        for begin in range(0, len(units), step):
            self._checkpoint()
            part = slice(begin, begin + step)
            packed = np.packbits(unit_outputs(units.take(part), self._rows), axis=1)
            first, group = group_rows(packed)
            known = np.empty(len(first), dtype=np.int64)
            for k in np.argsort(first).tolist():  # numbers follow the list, however it is cut into parts
                known[k] = self._number_of(packed[first[k]])
            numbers[part] = known[group]
        return numbers

    def _number_of(self, packed: NDArray[np.uint8]) -> int:
        key = packed.tobytes()
        number = self._numbers.setdefault(key, len(self._packed))
        if number == len(self._packed):
            self._packed.append(key)  # the one object: there may be a million of them
        return number

    def blocks_from(self, number: int, size: int) -> Iterator[BoolArray]:
        """Outputs of the tables from a number on, in blocks of at most ``size``, (≤ size, W) each."""
        new = np.arange(number, len(self))
        for begin in range(0, len(new), size):
            yield self.tables(new[begin : begin + size])

    def among(self, numbers: IntArray, allowed: frozenset[bytes]) -> BoolArray:
        """Which of the given tables are in a set of behaviours (packed outputs on every word)."""
        known = np.unique(numbers)
        member = [packed.tobytes() in allowed for packed in np.packbits(self.tables(known), axis=1)]
        return np.isin(numbers, known[np.array(member, dtype=np.bool_)])

    def having(self, units: Units, allowed: frozenset[bytes]) -> BoolArray:
        """Which units have a behaviour of a set, as in `among`, (N,); none gets a number."""
        count = len(self._inverse)
        every = [np.unpackbits(np.frombuffer(each, dtype=np.uint8), count=count) for each in allowed]
        known = {np.packbits(table[self._first]).tobytes() for table in every}
        found = np.zeros(len(units), dtype=np.bool_)
        step = max(1, 4 * BLOCK_CELLS // max(1, len(self._first)))
        for begin in range(0, len(units), step):
            self._checkpoint()
            part = slice(begin, begin + step)
            packed = np.packbits(unit_outputs(units.take(part), self._rows), axis=1)
            first, group = group_rows(packed)
            member = [packed[k].tobytes() in known for k in first.tolist()]
            found[part] = np.array(member, dtype=np.bool_)[group]
        return found

    def tables(self, numbers: NDArray[np.integer]) -> BoolArray:
        """Outputs of the given tables on every word, (len(numbers), W)."""
        joined = b"".join([self._packed[int(k)] for k in numbers])
        packed = np.frombuffer(joined, dtype=np.uint8).reshape(len(numbers), -(-len(self._first) // 8))
        bits = np.unpackbits(packed, axis=1, count=len(self._first)).astype(np.bool_)
        return bits[:, self._inverse]
