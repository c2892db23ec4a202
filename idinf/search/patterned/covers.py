"""Pairs of last units: what each may read, and whether two sets of words cover all that they have to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from idinf.search.patterned.lower import PHI, RANK, A, B, M, V, total
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import group_rows
from idinf.space.units import SLACK, BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class PairValues:
    """N values v = c·g that one of two units may read, in units of 4^-p, and what they cost at least.

    Attributes
    ----------
    vectors : (N, f)
    direction : (N,), optional
        The direction of each where the two units have to share a channel; −1 for v = 0.
    costs, norms, entries : (N,)
        ‖V‖ + ‖A‖ + ‖b‖, ‖V‖, and the squares of the entries of A that read channels.
    """

    vectors: IntArray
    direction: IntArray | None
    costs: FloatArray
    norms: FloatArray
    entries: FloatArray

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, kept: IntArray) -> PairValues:
        """Some of them."""
        direction = None if self.direction is None else self.direction[kept]
        numbers = (each[kept] for each in (self.costs, self.norms, self.entries))
        return PairValues(self.vectors[kept], direction, *numbers)

    def largest_y(self, left: float, paid_b: float, features: int, step: float) -> FloatArray:
        """Largest y = ⟨s, features⟩ + b of each value, in grid steps, (N,): all that is left of A goes to s.

        ``left`` is what there is for ‖V‖, ‖A‖ and ‖b‖, in a class of so many features.
        """
        norm_A = left - paid_b - self.norms
        s = np.sqrt(np.maximum(norm_A**2 - self.entries, 0.0))
        return np.floor((paid_b + math.sqrt(features) * s) / step + SLACK)


@lru_cache(maxsize=64)
def list_pair_values(
    size: int, precision: int, heads: int, paid: tuple[float, ...], room: float
) -> PairValues:
    """What a unit of a layer with f features may read, beside another one and what is ``paid``, (6,)."""
    base, one, step = np.array(paid), 1 << precision, 0.5**precision
    widest = room + SLACK - base[PHI] - base[RANK] - base[M] - base[B]
    if not heads:  # layers without heads see classes alone
        vectors = np.zeros((1, size), dtype=np.int64)
        return PairValues(vectors, None, *np.array([[base[V] + base[A] + base[B]], [base[V]], [0.0]]))
    smallest = max(step * math.sqrt(2.0), base[A]) if one > 1 else max(1.0, base[A])
    channels = list_grid_ball(size, find_largest_square((widest - smallest) / step))[1:]
    norms = np.maximum(np.sqrt((channels**2).sum(axis=1)) * step, base[V])
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
        return PairValues(vectors, None, *np.zeros((3, 0)))
    # Of a way to read v each term bounds that of all ways from below.
    first, group = group_rows(vectors)
    order = np.argsort(group, kind="stable")
    every = np.stack([ways + np.maximum(np.sqrt(entries), base[A]), ways, entries])[:, order]
    starts = np.searchsorted(group[order], np.arange(len(first)))
    total_cost, least_norms, least_entries = np.minimum.reduceat(every, starts, axis=1)
    vectors = vectors[first]
    direction = None
    if not can_own or total(base) + 1 > room + SLACK:
        prime = vectors // np.maximum(np.gcd.reduce(vectors, axis=1), 1)[:, None]
        sign = np.sign(prime[np.arange(len(prime)), (prime != 0).argmax(axis=1)])
        direction = np.where(vectors.any(axis=1), group_rows(prime * sign[:, None])[1], -1)
    return PairValues(vectors, direction, total_cost + base[B], least_norms, least_entries)


def literals(
    largest: FloatArray, least: FloatArray, zeros: FloatArray, most: FloatArray
) -> tuple[BoolArray, BoolArray]:
    """On which zeros units and their complements fail at most, (2, ...), and which may hold on all ones.

    A unit compares y with a number of each word: on the ones the ``largest`` and the ``least`` of them, on a
    zero that of ``zeros``. |y| is at most ``most``.
    """
    low = np.maximum(np.floor(largest) + 1, -most)
    high = np.minimum(np.floor(least), most)
    # A unit that is 1 on all ones fails where y is too small; a complement the other way round.
    return np.stack([zeros >= low, zeros < high]), np.stack([low <= most, high >= -most])


def covers(fails: BoolArray, direction: IntArray | None) -> bool:
    """Whether two of some sets of zeros, (n, zeros), are all of them; of one direction where that is given.

    The direction −1 goes with any other one.

    Examples
    --------
    >>> sets = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=bool)
    >>> covers(sets, None), covers(sets[1:], None), covers(sets, np.array([0, 0, 1]))
    (True, False, False)
    """
    if not fails.shape[1]:
        return bool(len(fails))
    if not len(fails) or not fails.any(axis=0).all():
        return False
    if fails.all(axis=1).any():
        return True
    packed = np.packbits(fails, axis=1)
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    words = np.ascontiguousarray(packed).view(np.int64)
    joint = words if direction is None else np.concatenate([words, direction[:, None]], axis=1)
    first, _ = group_rows(joint)
    words, fails = words[first], fails[first]
    full = np.bitwise_or.reduce(words, axis=0)
    hard = np.flatnonzero(fails[:, int(fails.sum(axis=0).argmin())])
    same = None if direction is None else direction[first]
    for begin in range(0, len(hard), 256):
        some = hard[begin : begin + 256]
        hit = np.ones((len(some), len(words)), dtype=np.bool_)
        if same is not None:
            hit = (same[some][:, None] == same[None]) | (same[some][:, None] < 0) | (same[None] < 0)
        for column in range(words.shape[1]):
            hit &= (words[some, column][:, None] | words[None, :, column]) == full[column]
        if hit.any():
            return True
    return False
