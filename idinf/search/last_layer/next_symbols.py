"""Assignments of rows of U by which units of a last layer name next symbols, and conditions on the units.

The family: a row of U is ± one unit of the last layer, or zero; all rows that are not zero have one sign, and
every unit has a row.

* *Sets.* With + a symbol is a member where its unit is 1, with a zero row never; with − where its unit is 0,
  with a zero row always. Symbols with equal labels may share a unit. ‖U‖ is the root of the largest number of
  rows that read one unit.
* *One symbol.* The largest row wins, of equal ones the first, so rows are a decision list. With + row 0 is
  zero and is named where no unit is 1, and the first row whose unit is 1 wins. With − the first rows read
  units, the next one is zero and is named where all of them are 1; the first row whose unit is 0 wins. No two
  rows read one unit.

So over any lower layers, a right assignment needs each unit to be 1 on certain rows and 0 on others. These
*conditions* on single units are all that it needs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from idinf.space.grid import IntArray
from idinf.space.units import BoolArray
from idinf.spec.spec import Answer


@dataclass(frozen=True, eq=False)
class Condition:
    """Outputs that a unit must have on W rows: 1 on ``ones``, 0 on ``zeros``, any elsewhere; (W,) each."""

    ones: BoolArray
    zeros: BoolArray

    def met(self, outputs: BoolArray) -> BoolArray:
        """Mask of units that meet the condition, (N,), by outputs on its W rows and more, (N, ≥ W)."""
        outputs = outputs[:, : len(self.ones)]
        return np.asarray(outputs[:, self.ones].all(axis=1) & ~outputs[:, self.zeros].any(axis=1))

    def on(self, size: int) -> tuple[BoolArray, BoolArray]:
        """The same on more rows, of which nothing is asked."""
        ones, zeros = np.zeros((2, size), dtype=np.bool_)
        ones[: len(self.ones)], zeros[: len(self.zeros)] = self.ones, self.zeros
        return ones, zeros


@dataclass(frozen=True)
class Reading:
    """A way to read an answer off t units that may be right."""

    signs: IntArray  #: the row U on the units, (t,), or the K rows of next symbols, (K, t)
    threshold: int
    wanted: tuple[int, ...]  #: for every unit the number of its condition; empty if single units have none

    @property
    def least(self) -> int:
        """Number of literals that must hold, where the answer is acceptance."""
        return self.threshold + 1 + int((self.signs < 0).sum())


@dataclass(frozen=True)
class Readings:
    """All readings that some units could make right, and the conditions of these readings."""

    readings: tuple[Reading, ...]
    conditions: tuple[Condition, ...]


def next_readings(
    answer: Answer,
    labels: BoolArray,
    units: int,
    readers: int,
    checkpoint: Callable[[float], None] = lambda work: None,
) -> Readings:
    """List the assignments for ``units`` units, one of which has ``readers`` rows and none more.

    The labels, (W, K), are the right answers on some rows.

    The second and the third symbol have equal labels and share the one unit; the first is never a member.

    >>> labels = np.array([[False, True, True], [False, False, False]])
    >>> found = next_readings(Answer.SET, labels, 1, 2)
    >>> [(r.signs[:, 0].tolist(), r.threshold) for r in found.readings]
    [([0, 1, 1], 0)]
    >>> len(next_readings(Answer.SET, labels, 1, 1).readings)
    0
    """
    numbers: dict[tuple[bytes, bytes], int] = {}
    conditions: list[Condition] = []
    readings = []
    listed = _sets(labels, units, readers, checkpoint) if answer is Answer.SET else _symbols(labels, units)
    for assigned, sign, asked in listed:
        checkpoint(1 / 8)
        signs = np.zeros((labels.shape[1], units), dtype=np.int64)
        for row, unit in enumerate(assigned):
            if unit >= 0:
                signs[row, unit] = sign
        wanted = []
        for condition in asked:
            key = (condition.ones.tobytes(), condition.zeros.tobytes())
            if key not in numbers:
                numbers[key] = len(conditions)
                conditions.append(condition)
            wanted.append(numbers[key])
        threshold = -1 if sign < 0 and answer is Answer.SET else 0
        readings.append(Reading(signs, threshold, tuple(wanted)))
    return Readings(tuple(readings), tuple(conditions))


_Listed = Iterator[tuple[tuple[int, ...], int, list[Condition]]]


def _sets(labels: BoolArray, units: int, readers: int, checkpoint: Callable[[float], None]) -> _Listed:
    """Every unit of each row (−1: none), the sign, and the condition of every unit."""
    outputs = labels.shape[1]
    _, kind = np.unique(labels, axis=1, return_inverse=True)  # equal for rows that one unit can serve
    kinds = kind.reshape(-1).tolist()
    for sign in (-1, 1):
        zero_row = (labels == (sign < 0)).all(axis=0).tolist()  # outputs that a zero row is right for

        def grown(assigned: tuple[int, ...], zero_row: list[bool] = zero_row) -> Iterator[tuple[int, ...]]:
            checkpoint(1 / 64)
            sizes, row = [assigned.count(unit) for unit in range(units)], len(assigned)
            if sizes.count(0) > outputs - row or max(sizes) + outputs - row < readers:
                return
            if row == outputs:
                yield assigned
                return
            for unit in range(-1, units):
                of_kind = zero_row[row] if unit < 0 else sizes[unit] < readers
                if unit >= 0 and sizes[unit]:
                    of_kind = of_kind and kinds[assigned.index(unit)] == kinds[row]
                if of_kind:
                    yield from grown((*assigned, unit))

        for assigned in grown(()):
            first = [assigned.index(unit) for unit in range(units)]
            ones = [labels[:, k] if sign > 0 else ~labels[:, k] for k in first]
            yield assigned, sign, [Condition(each, ~each) for each in ones]


def _symbols(labels: BoolArray, units: int) -> _Listed:
    """The same for one symbol: of the rows that read units every choice, in every order of the units."""
    outputs = labels.shape[1]
    named = labels.argmax(axis=1)
    for sign in (-1, 1):
        default = units if sign < 0 else 0
        choices = itertools.combinations(range(1, outputs), units) if sign > 0 else [tuple(range(units))]
        for rows in choices:
            if not np.isin(named, (*rows, default)).all():
                continue
            for order in itertools.permutations(range(units)):
                assigned, asked = [-1] * outputs, {}
                for place, unit in enumerate(order):
                    fires = named == rows[place]
                    rests = np.isin(named, (*rows[place + 1 :], default))
                    asked[unit] = Condition(*((fires, rests) if sign > 0 else (rests, fires)))
                    assigned[rows[place]] = unit
                yield tuple(assigned), sign, [asked[unit] for unit in range(units)]
