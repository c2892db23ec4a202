"""The last layer with one unit: every (v, s, b) that is right on all screened words, by integer intervals.

With the layers below and v fixed, the unit is 1 on a word iff y_g > −⟨v, counts⟩/(n+1), where g is the class
of the last position (token and lower units) and y_g = ⟨s, features⟩ + b. On the p-bit grid this is
y_g ≥ z(word) = ⌊−⟨v, counts⟩/(n+1)⌋ + 1, so accepted and rejected words of a class bound y_g from below and
above, and the s_σ of different tokens are independent given b and the weights on residues and lower units.
With other heads the quotient is that of their attended sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.errors import PrecisionError
from idinf.search.features import FLOAT64_EXACT, Features
from idinf.search.value_screen import Screen
from idinf.space.grid import IntArray, grid_ball, largest_square
from idinf.space.structures import Structure
from idinf.space.units import SLACK, BoolArray, FloatArray, Reads, Units, channel_lists, joined
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
    def heads(self) -> int:
        """Number of heads of the last layer; its one unit reads each of them."""
        return len(self.structure.layers[-1].heads)

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

    def solve(
        self,
        features: Features,
        ones: BoolArray,
        zeros: BoolArray | None = None,
        complements: tuple[bool, ...] = (False, True),
    ) -> LastUnits:
        """List the last units that are 1 on some words and 0 on others.

        Parameters
        ----------
        features : Features
            What the unit reads on the W screened words.
            At least one.
        ones : (W,) ndarray of bool
        zeros : (W,) ndarray of bool, optional
            All words that are not in ``ones`` if not given.
        complements : tuple of bool
            The readings: whether the unit is so, or its complement.

        Notes
        -----
        Exact: z is the floor of a quotient a/d of integers with |a| < 2^53. The float64 quotient is off by at
        most |a/d| 2^-53 < 1/d, and a/d is an integer (then it is computed without error) or at least 1/d away
        from the next one, so no integer lies between the two.

        Raises
        ------
        PrecisionError
            If some |a| could reach 2^53.
        """
        values, norms = self.values(features.size)
        largest = int(np.abs(values).sum(axis=1).max(initial=0)) * int(np.abs(features.sums).max(initial=0))
        if largest >= FLOAT64_EXACT:
            raise PrecisionError(
                f"attended sums up to {largest} leave the exact range; lower --precision, --logit-max "
                "or --max-r"
            )
        zeros = ~ones if zeros is None else zeros
        cared = np.flatnonzero(ones | zeros)
        if len(cared):
            largest_own = self._largest_own(features.size, norms)
            screen = Screen(features.take(cared), ones[cared], self.symbols + 1, largest_own)
            kept = screen.alive(values)
            values, norms = values[kept], norms[kept]
        block = max(1, BLOCK_CELLS // len(features.scale))
        parts = [
            part
            for begin in range(0, len(values), block)
            for part in self._solve_block(
                values[begin : begin + block],
                norms[begin : begin + block],
                features,
                ones,
                zeros,
                complements,
            )
        ]
        return self._concatenate(parts, features.size)

    def _largest_own(self, size: int, norms: FloatArray) -> float:
        """Bound on |⟨s, features⟩ + b| of every last unit within the budget, in units of 2^-p."""
        narrow, entries = float(norms.min(initial=np.inf)), math.sqrt(self.heads)
        widest_b = self._room_of_one(3, (self._rank, narrow, entries, 0.0))
        widest_A = self._room_of_one(2, (self._rank, narrow, 0.0, 0.0))
        # One token is set, at most one residue, and any lower unit: at most `size` entries of s count.
        return (max(widest_A, 0.0) * math.sqrt(size) + max(widest_b, 0.0)) * 2.0**self.structure.precision

    def _solve_block(
        self,
        values: IntArray,
        norms: FloatArray,
        features: Features,
        ones: BoolArray,
        zeros: BoolArray,
        complements: tuple[bool, ...],
    ) -> list[LastUnits]:
        """Units on a block of value vectors."""
        with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
            sums = values.astype(np.float64) @ features.sums.T.astype(np.float64)
        quotient = -sums / features.scale
        least = np.floor(quotient).astype(np.int64) + 1  # z, (v, W)
        parts = []
        tokens = self.symbols + 1
        patterns, pattern = np.unique(features.last[:, tokens:], axis=0, return_inverse=True)
        group = features.last[:, :tokens].argmax(axis=1) * len(patterns) + pattern.reshape(-1)
        shape = (len(least), tokens, len(patterns))
        of_ones, of_zeros = _extremes(least, group, ones, shape), _extremes(least, group, zeros, shape)
        for complement in complements:
            above, below = (of_zeros, of_ones) if complement else (of_ones, of_zeros)
            lower, upper = above[0], below[1] - 1
            alive = np.flatnonzero((lower <= upper).all(axis=(1, 2)))
            for begin in range(0, len(alive), BLOCK):
                some = alive[begin : begin + BLOCK]
                parts.append(
                    self._own_weights(
                        values[some], norms[some], lower[some], upper[some], patterns, complement
                    )
                )
        return parts

    def values(self, size: int) -> tuple[IntArray, FloatArray]:
        """All v, (V, H·f), whose ‖V‖ alone fits the budget over some lower layer, and ‖V‖ itself."""
        widest = self._room_of_one(1, (self._rank, 0.0, math.sqrt(self.heads), 0.0))
        one = 2.0**self.structure.precision
        values, norms = channel_lists(size, Reads.alone(self.heads), widest * one, self.aggregate)
        return values, norms / one

    @property
    def _rank(self) -> float:
        """rank_V of the last layer: one channel of every head."""
        return float(self.heads if self.aggregate is Aggregate.SUM else min(self.heads, 1))

    def _own_weights(
        self,
        values: IntArray,
        norms: FloatArray,
        lower: IntArray,
        upper: IntArray,
        patterns: IntArray,
        complement: bool,
    ) -> LastUnits:
        """All (s, b) inside the intervals of a block of v; s lists tokens, then the other features."""
        scale = 2**self.structure.precision
        others = patterns.shape[1]
        entries = float(self.heads)  # Σ c_h² of entries 1
        narrow = float(norms.min(initial=np.inf))
        widest_b = self._room_of_one(3, (self._rank, narrow, math.sqrt(entries), 0.0))
        widest_A = self._room_of_one(2, (self._rank, narrow, 0.0, 0.0))
        if min(widest_A, widest_b) < 0:
            return self._concatenate([], self.symbols + 1 + others)
        lower_weights = grid_ball(others, largest_square(widest_A * scale))
        biases = np.arange(-int(widest_b * scale), int(widest_b * scale) + 1)
        bias = np.repeat(biases, len(lower_weights))
        weights = np.tile(lower_weights, (len(biases), 1))
        shift = bias[:, None] + weights @ patterns.T  # (c, P)
        low = (lower[:, None] - shift[None, :, None, :]).max(axis=3)  # (v, c, tokens)
        high = (upper[:, None] - shift[None, :, None, :]).min(axis=3)
        smallest = np.maximum(np.maximum(low, -high), 0)
        used = np.einsum("cm,cm->c", weights, weights)[None, :] + np.einsum("vct,vct->vc", smallest, smallest)
        own = np.empty((*used.shape, 4))
        own[..., 0], own[..., 1] = self._rank, norms[:, None]
        own[..., 2] = np.sqrt(entries + used / scale**2)
        own[..., 3] = np.abs(bias) / scale
        possible = (low <= high).all(axis=2)
        v, c = np.nonzero(possible)
        room = self._room(2, own[v, c])
        cap = np.floor((room**2 - entries) * scale**2 + 1e-6).astype(np.int64)
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
        entry = np.full((len(row), self.heads), 2**self.structure.precision, dtype=np.int64)
        units = Units(
            self.structure.precision,
            values[row],
            entry,
            np.concatenate([own, weights[row]], axis=1),
            bias[row],
        )
        r = total_r(self.base, self.fronts, units.costs(self.aggregate), self.aggregate)
        wanted = r <= self.high
        return LastUnits(units.take(wanted), np.full(int(wanted.sum()), complement), r[wanted])

    def _concatenate(self, parts: list[LastUnits], size: int) -> LastUnits:
        """Join lists over ``size`` features."""
        none = Units.none(size, self.structure.precision, self.heads)
        parts = [LastUnits(none, np.zeros(0, np.bool_), np.zeros(0)), *parts]
        return LastUnits(
            Units.concatenate([part.units for part in parts]),
            np.concatenate([part.complement for part in parts]),
            np.concatenate([part.r for part in parts]),
        )


def _extremes(
    least: IntArray, group: IntArray, chosen: BoolArray, shape: tuple[int, int, int]
) -> tuple[IntArray, IntArray]:
    """Largest and smallest z of the chosen words of each class, two (v, tokens, patterns) arrays."""
    largest = np.full(shape, -UNBOUNDED, dtype=np.int64)
    smallest = np.full(shape, UNBOUNDED, dtype=np.int64)
    for g in np.unique(group[chosen]):
        columns = least[:, chosen & (group == g)]
        largest[:, g // shape[2], g % shape[2]] = columns.max(axis=1)
        smallest[:, g // shape[2], g % shape[2]] = columns.min(axis=1)
    return largest, smallest
