"""The last layer of a shape as it is judged: values that its units may read, with costs; hard words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from idinf.errors import BudgetError
from idinf.search.patterned.lower import PHI, RANK, A, B, M, V
from idinf.space.grid import IntArray, find_largest_square, find_shortest, list_grid_ball
from idinf.space.rows import ArrayRecord, group_rows
from idinf.space.structures import SLACK
from idinf.space.units import BoolArray, FloatArray

#: Numbers of an array at most, and three times the numbers that are made in a step of work.
MOST_CELLS, OF_STEP = 1 << 28, 1 << 16

#: Value that stands for no bound of y.
FAR = float(1 << 40)


#: Numbers of hard words of a class that are looked at before all others; and of the samples that find them.
HARD, SAMPLES = (6, 12, 30), 16


def check_cells(cells: int) -> None:
    """Refuse an array that would not fit."""
    if cells > MOST_CELLS:
        raise BudgetError(
            f"{cells} numbers for attention patterns beside words and values are too many at once; lower "
            "--max-r, --precision or --content-max"
        )


class RefutingWords:
    """Words that decided that nothing serves: a class is looked at on these first. Mutable: it learns."""

    def __init__(self, words: int) -> None:
        self._scores = np.zeros((2, words))

    def among(self, words: IntArray, number: int, readings: tuple[bool, ...]) -> IntArray | None:
        """The hardest of some words; None if it is as well to look at all."""
        scores = self._scores[int(readings[-1]), words]
        order = np.argsort(-scores, kind="stable")[:number]
        return np.sort(words[order[scores[order] > 0]]) if 2 * number <= len(words) and scores.any() else None

    def note(self, words: IntArray, reading: bool) -> None:
        """Take note of words that excluded something, each as often as it is given."""
        np.add.at(self._scores[int(reading)], words, 1)


@dataclass(frozen=True, eq=False)
class UnitValues(ArrayRecord):
    """N values v = c·g that one of some units may read, in units of 4^-p, and their least costs."""

    vectors: IntArray  #: (N, f)
    #: (N,): the direction of each where two units have to share a channel; −1 for v = 0.
    direction: IntArray | None
    costs: FloatArray  #: (N,): ‖V‖ + ‖A‖ + ‖b‖
    norms: FloatArray  #: (N,): ‖V‖
    entries: FloatArray  #: (N,): the squares of the entries of A that read channels

    def largest_y(self, left: float, paid_b: float, features: int, step: float) -> FloatArray:
        """Largest y = ⟨s, features⟩ + b of each value, in grid steps, (N,); −1 where the value is too dear.

        The rest of A goes to s: an entry of it costs no more than one of b. ``left`` is the room for ‖V‖, ‖A‖
        and ‖b‖ together, in a class of so many features.
        """
        norm_A = left - paid_b - self.norms
        s = np.sqrt(np.maximum(norm_A**2 - self.entries, 0.0))
        return np.where(self.costs <= left, np.floor((paid_b + math.sqrt(features) * s) / step + SLACK), -1.0)


@lru_cache(maxsize=64)
def list_values(
    size: int, precision: int, heads: int, units: int, paid: tuple[float, ...], room: float
) -> UnitValues:
    """Values that a unit of a layer with f features may read, where costs of (6,) are ``paid`` already.

    For a single unit they stand cheapest first; of three units or more only the directions are listed.
    """
    base, one, step = np.array(paid), 1 << precision, 0.5**precision
    widest = room + SLACK - base[PHI] - base[RANK] - base[M] - base[B]
    if not heads:  # layers without heads see classes alone
        vectors = np.zeros((1, size), dtype=np.int64)
        return UnitValues(vectors, None, *np.array([[base[V] + base[A] + base[B]], [base[V]], [0.0]]))
    smallest = max(step * math.sqrt(2.0), base[A]) if units == 2 and one > 1 else base[A]
    channels = list_grid_ball(size, find_largest_square((widest - smallest) / step))[1:]
    norms = np.maximum(np.sqrt((channels**2).sum(axis=1)) * step, base[V])
    if units != 2:
        some = slice(None) if units == 1 else (find_shortest(channels) == channels).all(axis=1)
        costs = norms[some] + base[A] + base[B]
        return UnitValues(one * channels[some], None, costs, norms[some], np.ones(len(costs)))
    # Alone on its channel a unit reads it by 1, the other one reading another channel or none.
    own = norms + max(1.0, base[A]) <= widest + SLACK
    entry = np.arange(1, max(1, int((widest / step) + 1)))
    shared = norms[:, None] + np.maximum(np.hypot(entry, 1) * step, base[A]) <= widest + SLACK
    channel, place = np.nonzero(shared)
    vectors = np.concatenate([one * channels[own], entry[place, None] * channels[channel]])
    ways = np.concatenate([norms[own], norms[channel]])
    entries = np.concatenate([np.ones(int(own.sum())), (entry[place] ** 2 + 1) * step**2])
    can_own = bool(own.any())
    if can_own:
        vectors = np.concatenate([vectors, np.zeros((1, size), dtype=np.int64)])
        ways, entries = np.append(ways, norms[own].min()), np.append(entries, 1.0)
    if not len(vectors):
        return UnitValues(vectors, None, *np.zeros((3, 0)))
    # Of a way to read v each term bounds that of all ways from below.
    first, group = group_rows(vectors)
    order = np.argsort(group, kind="stable")
    every = np.stack([ways + np.maximum(np.sqrt(entries), base[A]), ways, entries])[:, order]
    starts = np.searchsorted(group[order], np.arange(len(first)))
    total_cost, least_norms, least_entries = np.minimum.reduceat(every, starts, axis=1)
    vectors = vectors[first]
    direction = None
    if not can_own or base.sum() + 1 > room + SLACK:
        direction = np.where(vectors.any(axis=1), group_rows(find_shortest(vectors))[1], -1)
    return UnitValues(vectors, direction, total_cost + base[B], least_norms, least_entries)


def covers(fails: BoolArray, can: BoolArray, direction: IntArray | None) -> bool:
    """True if two possible literals cover all zeros: one of them fails on each.

    Flags are ``fails``, (2, zeros, n), and ``can``, (2, n). Both literals have one ``direction``, (n,), if it
    is given; −1 goes with any other one.

    >>> fails = np.array([[[1, 0, 0], [1, 1, 0], [0, 0, 1]], [[0, 0, 0]] * 3], dtype=bool)
    >>> covers(fails, fails.any(axis=1), None), covers(fails, fails.any(axis=1), np.array([0, 1, 1]))
    (True, False)
    """
    fails = fails.transpose(0, 2, 1)[can]
    if not len(fails) or not fails.any(axis=0).all():
        return False
    if fails.all(axis=1).any():
        return True
    missed = (~fails).astype(np.float32)
    some = np.flatnonzero(fails[:, fails.sum(axis=0).argmin()])  # one of the two fails on the hardest zero
    for begin in range(0, len(some), 256):
        one = some[begin : begin + 256]
        apart = missed[one] @ missed.T > 0
        if direction is not None:
            of = np.tile(direction, 2)[can.reshape(-1)]
            apart |= (of[one, None] != of) & (of[one, None] >= 0) & (of >= 0)
        if not apart.all():
            return True
    return False
