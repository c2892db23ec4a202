"""The last layer with one unit: every (v, s, b) that is right on all screened words, by integer intervals.

With the layers below and v fixed, the unit is 1 on a word iff y_g > −⟨v, counts⟩/(n+1), where g is the class
of the last position (token and lower units) and y_g = ⟨s, features⟩ + b. On the p-bit grid this is
y_g ≥ z(word) = ⌊−⟨v, counts⟩/(n+1)⌋ + 1, so accepted and rejected words of a class bound y_g from below and
above, and the s_σ of different tokens are independent given b and the weights on lower units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.search.short_words import Features
from idinf.space.grid import IntArray, grid_ball, largest_square
from idinf.space.structures import Structure
from idinf.space.units import SLACK, BoolArray, FloatArray, Units, joined
from idinf.transformers.regularizer import Aggregate

__all__ = ["LastLayer", "LastUnits", "total_r"]

#: Stands for "no bound"; grid values never come near it.
UNBOUNDED = 1 << 30

#: Cells (value vector × word) of one block: 16 MB of float64.
BLOCK_CELLS = 2_000_000

#: Candidates v whose own weights are listed in one block: a few MB of intervals.
BLOCK = 128


def total_r(base: float, fronts: FloatArray, own: FloatArray, aggregate: Aggregate) -> FloatArray:
    """R of each candidate layer over the cheapest of the given lower layers.

    Parameters
    ----------
    base : float
        Terms of R that the structure alone decides.
    fronts : (F, 4) ndarray of float64
        rank_V, ‖V‖, ‖A‖, ‖b‖ of the lower layers, one row per Pareto point.
    own : (N, 4) ndarray of float64
        The same terms of the candidates.

    Returns
    -------
    (N,) ndarray of float64
    """
    best = np.full(len(own), np.inf)
    for front in fronts:
        total = np.full(len(own), base)
        for column in range(4):
            total = total + joined(float(front[column]), own[:, column], aggregate)
        np.minimum(best, total, out=best)
    return best


@dataclass(frozen=True)
class LastUnits:
    """N last units that are right on all screened words.

    Attributes
    ----------
    units : Units
        Each on a channel of its own, or without one.
    complement : (N,) ndarray of bool
        Whether the word is accepted iff the unit is 0.
    r : (N,) ndarray of float64
        R of the whole hypothesis over the cheapest lower layers.
    """

    units: Units
    complement: BoolArray
    r: FloatArray

    def __len__(self) -> int:
        return len(self.r)

    def take(self, index: IntArray | BoolArray) -> LastUnits:
        """The units at the given places."""
        return LastUnits(self.units.take(index), self.complement[index], self.r[index])


@dataclass(frozen=True)
class LastLayer:
    """Solves the last layer of a structure over given lower layers, for R ≤ ``high``.

    Attributes
    ----------
    fronts : (F, 4) ndarray of float64
        Costs of the lower layers, one row per Pareto point.
    """

    structure: Structure
    aggregate: Aggregate
    symbols: int
    high: float
    fronts: FloatArray

    @property
    def head(self) -> bool:
        """Whether the last layer has a head."""
        return self.structure.layers[-1].heads > 0

    @cached_property
    def base(self) -> float:
        """Terms of R that the structure alone decides."""
        return self.structure.base(self.aggregate)

    def _room(self, column: int, own: FloatArray) -> FloatArray:
        """Largest value of one term that some lower layer leaves when the other terms are ``own``, (N,)."""
        room = np.full(len(own), -1.0)
        for front in self.fronts:
            total = np.full(len(own), self.base)
            for other in range(4):
                if other != column:
                    total = total + joined(float(front[other]), own[:, other], self.aggregate)
            left = self.high + SLACK - total
            fits = left >= front[column]
            left = left - front[column] if self.aggregate is Aggregate.SUM else left
            np.maximum(room, np.where(fits, left, -1.0), out=room)
        return room

    def _room_of_one(self, column: int, own: tuple[float, float, float, float]) -> float:
        return float(self._room(column, np.array([own]))[0])

    def solve(self, features: Features, labels: BoolArray) -> LastUnits:
        """List the last units that give every word its label.

        Parameters
        ----------
        features : Features
            What the unit reads on the W screened words.
        labels : (W,) ndarray of bool

        Notes
        -----
        Exact: z is the floor of a quotient of an integer below 2^31 by one below 2^20; the float64 quotient
        is within 2^-22 of the true one, which is an integer or at least 2^-20 away from one. An integer
        quotient is computed without error.
        """
        values = self.values(features.size)
        block = max(1, BLOCK_CELLS // len(features.positions))
        parts = [
            part
            for begin in range(0, len(values), block)
            for part in self._solve_block(values[begin : begin + block], features, labels)
        ]
        return _concatenate(parts, self.structure.precision, features.size)

    def _solve_block(self, values: IntArray, features: Features, labels: BoolArray) -> list[LastUnits]:
        """Units on a block of value vectors."""
        with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
            sums = values.astype(np.float64) @ features.counts.T.astype(np.float64)
        quotient = -sums / features.positions
        least = np.floor(quotient).astype(np.int64) + 1  # z, (v, W)
        parts = []
        of_true, of_false = self._extremes(least, features, labels), self._extremes(least, features, ~labels)
        for complement, (ones, zeros) in ((False, (of_true, of_false)), (True, (of_false, of_true))):
            lower, upper = ones[0], zeros[1] - 1
            alive = np.flatnonzero((lower <= upper).all(axis=(1, 2)))
            for begin in range(0, len(alive), BLOCK):
                some = alive[begin : begin + BLOCK]
                parts.append(self._own_weights(values[some], lower[some], upper[some], complement))
        return parts

    def values(self, size: int) -> IntArray:
        """All v whose norm alone fits the budget over some lower layer."""
        if not self.head:
            return np.zeros((1, size), dtype=np.int64)
        widest = self._room_of_one(1, (1.0, 0.0, 1.0, 0.0))
        return grid_ball(size, largest_square(widest * 2**self.structure.precision))[1:]

    def _extremes(self, least: IntArray, features: Features, chosen: BoolArray) -> tuple[IntArray, IntArray]:
        """Largest and smallest z of the chosen words of each class, two (v, tokens, patterns) arrays."""
        tokens = self.symbols + 1
        pattern = _pattern(features.last[:, tokens:])
        shape = (len(least), tokens, 2 ** (features.size - tokens))
        largest = np.full(shape, -UNBOUNDED, dtype=np.int64)
        smallest = np.full(shape, UNBOUNDED, dtype=np.int64)
        group = features.last[:, :tokens].argmax(axis=1) * shape[2] + pattern
        for g in np.unique(group[chosen]):
            columns = least[:, chosen & (group == g)]
            largest[:, g // shape[2], g % shape[2]] = columns.max(axis=1)
            smallest[:, g // shape[2], g % shape[2]] = columns.min(axis=1)
        return largest, smallest

    def _own_weights(self, values: IntArray, lower: IntArray, upper: IntArray, complement: bool) -> LastUnits:
        """All (s, b) inside the intervals of a block of v."""
        scale = 2**self.structure.precision
        size, tokens = values.shape[1], self.symbols + 1
        entry = float(self.head)
        norm_V = np.sqrt(np.einsum("vf,vf->v", values, values)) / scale
        narrow = float(norm_V.min(initial=np.inf))
        widest_b = self._room_of_one(3, (entry, narrow, entry, 0.0))
        widest_A = self._room_of_one(2, (entry, narrow, 0.0, 0.0))
        if min(widest_A, widest_b) < 0:
            return _none(self.structure.precision, size)
        lower_weights = grid_ball(size - tokens, largest_square(widest_A * scale))
        biases = np.arange(-int(widest_b * scale), int(widest_b * scale) + 1)
        bias = np.repeat(biases, len(lower_weights))
        weights = np.tile(lower_weights, (len(biases), 1))
        patterns = _bits(size - tokens)  # (P, m)
        shift = bias[:, None] + weights @ patterns.T  # (c, P)
        low = (lower[:, None] - shift[None, :, None, :]).max(axis=3)  # (v, c, tokens)
        high = (upper[:, None] - shift[None, :, None, :]).min(axis=3)
        smallest = np.maximum(np.maximum(low, -high), 0)
        used = np.einsum("cm,cm->c", weights, weights)[None, :] + np.einsum("vct,vct->vc", smallest, smallest)
        own = np.empty((*used.shape, 4))
        own[..., 0], own[..., 1] = entry, norm_V[:, None]
        own[..., 2] = np.sqrt(entry + used / scale**2)
        own[..., 3] = np.abs(bias) / scale
        possible = (low <= high).all(axis=2)
        v, c = np.nonzero(possible)
        room = self._room(2, own[v, c])
        cap = np.floor((room**2 - entry) * scale**2 + 1e-6).astype(np.int64)
        fits = (room >= 0) & (used[v, c] <= cap)
        v, c, cap = v[fits], c[fits], cap[fits]
        return self._expand(values[v], bias[c], weights[c], low[v, c], high[v, c], cap, complement)

    def _expand(
        self,
        values: IntArray,
        bias: IntArray,
        weights: IntArray,
        low: IntArray,
        high: IntArray,
        cap: IntArray,
        complement: bool,
    ) -> LastUnits:
        """List the s_σ inside their intervals, one token after the other, within the budget ``cap``."""
        smallest = np.maximum(np.maximum(low, -high), 0) ** 2
        later = np.cumsum(smallest[:, ::-1], axis=1)[:, ::-1]
        row = np.arange(len(values))
        left = cap - np.einsum("nm,nm->n", weights, weights)
        own = np.zeros((len(values), 0), dtype=np.int64)
        for token in range(low.shape[1]):
            rest = later[row, token] - smallest[row, token]
            reach = np.floor(np.sqrt(np.maximum(left - rest, 0)) + 1e-9).astype(np.int64)
            first = np.maximum(low[row, token], -reach)
            width = np.maximum(np.minimum(high[row, token], reach) - first + 1, 0)
            index = np.repeat(np.arange(len(row)), width)
            chosen = first[index] + np.arange(len(index)) - np.repeat(np.cumsum(width) - width, width)
            own = np.concatenate([own[index], chosen[:, None]], axis=1)
            left = left[index] - chosen**2
            row = row[index]
        entry = np.full(len(row), 2**self.structure.precision if self.head else 0, dtype=np.int64)
        units = Units(
            self.structure.precision,
            values[row],
            entry,
            np.concatenate([own, weights[row]], axis=1),
            bias[row],
        )
        r = total_r(self.base, self.fronts, units.costs, self.aggregate)
        wanted = r <= self.high
        return LastUnits(units.take(wanted), np.full(int(wanted.sum()), complement), r[wanted])


def _bits(size: int) -> IntArray:
    """All 0/1 vectors of a size, row k the binary digits of k, the first unit the lowest digit."""
    return (np.arange(2**size)[:, None] >> np.arange(size)[None, :]) & 1


def _pattern(last: IntArray) -> IntArray:
    """Number of the 0/1 row among ``_bits``."""
    return np.asarray(last @ (1 << np.arange(last.shape[1])), dtype=np.int64)


def _none(precision: int, size: int) -> LastUnits:
    return _concatenate([], precision, size)


def _concatenate(parts: list[LastUnits], precision: int, size: int) -> LastUnits:
    if not parts:
        return LastUnits(Units.none(size, precision), np.zeros(0, np.bool_), np.zeros(0))
    return LastUnits(
        Units.concatenate([part.units for part in parts]),
        np.concatenate([part.complement for part in parts]),
        np.concatenate([part.r for part in parts]),
    )
