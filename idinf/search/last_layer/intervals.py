"""Own weights by intervals: every (s, b) that makes a unit right on all screened words, for given values.

With the layers below and v fixed, a unit is 1 on a word iff y_g > q = −⟨v, sums⟩/scale, where g is the class
of the last position (token and lower units) and y_g = ⟨s, features⟩ + b. On the p-bit grid this is y_g ≥
z(word) = ⌊q⌋ + 1, so words on which it has to be 1 and words on which it has to be 0 bound y_g from below
and above, and the s_σ of different tokens are independent given b and the weights on residues and lower
units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.search.short_words.features import Features, check_exact
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import ArrayRecord, group_rows, repeat_places, sort_distinct
from idinf.space.structures import SLACK, Structure
from idinf.space.units import MAX_UNITS, BoolArray, FloatArray, aggregate_terms, check_size

#: Cells (value vector × word) of one block: 2 MB of float64 stay in the cache. And those of a step of work.
BLOCK_CELLS, CELLS_OF_STEP = 1 << 18, 1 << 15
UNBOUNDED = 1 << 30  #: stands for "no bound"; grid values never come near it
#: Cells from which on equal words are looked at once: otherwise d-12 takes 1.2 times as long.
FEW_CELLS = 50_000
BLOCK = 128  #: candidates v whose own weights are listed in one block: a few MB of intervals


def total_r(base: float, lower_costs: FloatArray, own: FloatArray, aggregate: Aggregate) -> FloatArray:
    """R of N candidate layers over the cheapest of the given lower layers, (N,).

    ``base`` are the terms of R that the structure alone decides; rank_V, ‖V‖, ‖A‖, ‖b‖ are those of the lower
    layers, (F, 4), one row per Pareto point, and the candidates' ``own``, (N, 4).
    """
    every = [_added(base, point, own, aggregate) for point in lower_costs]
    return np.asarray(np.min(every, axis=0))


def _added(
    base: float, point: FloatArray, own: FloatArray, aggregate: Aggregate, without: int = -1
) -> FloatArray:
    """All terms of R but one over lower layers of one cost, (N,)."""
    total = np.full(len(own), base)
    for column in range(4):
        if column != without:
            total = total + aggregate_terms(float(point[column]), own[:, column], aggregate)
    return total


@dataclass(frozen=True, eq=False)
class ValueVectors(ArrayRecord):
    """V vectors v that a unit may read, with their least costs."""

    vectors: IntArray  #: (V, H·f)
    norms: FloatArray  #: (V,): ‖V‖ at least
    entries: IntArray  #: (V,): Σ of the squared entries of A beside s at least, in units of 4^-p


@dataclass(frozen=True, eq=False)
class OwnWeights(ArrayRecord):
    """N right units: the place of v in the list, s and b."""

    place: IntArray  #: (N,)
    own: IntArray  #: (N, f)
    bias: IntArray  #: (N,)

    @staticmethod
    def none(size: int) -> OwnWeights:
        """The empty list over ``size`` features."""
        none = np.zeros(0, dtype=np.int64)
        return OwnWeights(none, np.zeros((0, size), np.int64), none)


@dataclass(frozen=True, eq=False)
class LastLayerBudget:
    """Budget that given lower layers leave, within R ≤ ``high``, to the last layer of a structure."""

    structure: Structure
    aggregate: Aggregate
    symbols: int  #: |Σ|
    high: float
    lower_costs: FloatArray  #: (F, 4), as in `total_r`
    most: int = field(default=MAX_UNITS, kw_only=True)  #: bound on every list
    checkpoint: Callable[[float], None] = field(default=lambda work: None, kw_only=True)

    @property
    def heads(self) -> int:
        """Number of heads of the last layer."""
        return len(self.structure.layers[-1].heads)

    @property
    def rank(self) -> float:
        """rank_V of a last layer that reads one channel of every head."""
        return float(self.heads if self.aggregate is Aggregate.SUM else min(self.heads, 1))

    @cached_property
    def one(self) -> int:
        """1 in units of 2^-p."""
        return int(2**self.structure.precision)

    @cached_property
    def _base(self) -> float:
        return self.structure.base(self.aggregate)

    def r(self, own: FloatArray) -> FloatArray:
        """R of last layers with such terms, (N, 4), over the cheapest lower layers."""
        return total_r(self._base, self.lower_costs, own, self.aggregate)

    def fits(self, own: FloatArray) -> BoolArray:
        """Mask of last layers within the budget, by their terms, (N, 4), or by lower bounds of them."""
        return np.asarray(self.r(own) <= self.high + SLACK)

    def room(self, column: int, own: FloatArray) -> FloatArray:
        """Largest value of one term that some lower layer leaves when the other terms are ``own``, (N,)."""
        room = np.full(len(own), -1.0)
        for point in self.lower_costs:
            left = self.high + SLACK - _added(self._base, point, own, self.aggregate, column)
            fits = left >= point[column]
            left = left - point[column] if self.aggregate is Aggregate.SUM else left
            np.maximum(room, np.where(fits, left, -1.0), out=room)
        return room

    def room_of_one(self, column: int, *own: float) -> float:
        """The same for one layer."""
        return float(self.room(column, np.array([own]))[0])

    def list_own_weights(
        self,
        values: ValueVectors,
        features: Features,
        ones: BoolArray,
        zeros: BoolArray,
    ) -> OwnWeights:
        """List (s, b), in units of 2^-p, for which a unit is 1 on some words and 0 on others, (W,) each.

        It reads ``features`` on the W screened words, at least one; ⟨v, sums⟩ / scale is in units of 2^-p.

        Exact: z is the floor of a quotient a/d of integers with |a|, d < 2^53, which float64 holds. The
        quotient is off by at most |a/d| 2^-53 < 1/d, and a/d is an integer (then it is computed without
        error) or at least 1/d away from the next one, so no integer lies between the two. Raises
        PrecisionError if |a| or d could reach 2^53. Raises BudgetError if there are more than the bound on a
        list.
        """
        if not len(values):
            return OwnWeights.none(features.size)
        most = int(np.abs(values.vectors).sum(axis=1).max())
        largest = most * int(np.abs(features.sums).max(initial=0))
        check_exact(max(largest, int(features.scale.max(initial=0))), "attended sums")
        asked = np.flatnonzero(ones | zeros)
        if len(values) * len(asked) > FEW_CELLS:  # one row of each kind and value
            asked = asked[np.unique(features.rows[1][asked] * 2 + ones[asked], return_index=True)[1]]
        if not len(asked):  # nothing is asked of a single row
            asked = np.zeros(1, dtype=np.int64)
        features, ones, zeros, tokens = features.take(asked), ones[asked], zeros[asked], self.symbols + 1
        first, pattern = group_rows(features.last[:, tokens:])
        patterns = features.last[first, tokens:]
        group = features.last[:, :tokens].argmax(axis=1) * len(patterns) + pattern
        parts, size, block = [OwnWeights.none(features.size)], 0, max(1, BLOCK_CELLS // len(asked))
        for start in range(0, len(values), block):
            vectors = values.vectors[start : start + block].astype(np.float64)
            self.checkpoint(1 / 4 + len(vectors) * len(asked) / CELLS_OF_STEP)
            with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data
                sums = features.sums.astype(np.float64) @ vectors.T  # (W, v), over heads and features
            shape = (len(vectors), tokens, len(patterns))
            lower, upper = _bounds_of_y(sums / -features.scale[:, None], group, ones, zeros, shape)
            alive = np.flatnonzero((lower <= upper).all(axis=(1, 2)))  # over tokens and patterns
            for begin in range(0, len(alive), BLOCK):
                self.checkpoint(1)
                v = alive[begin : begin + BLOCK]
                parts.append(self._own_weights(values, start + v, lower[v], upper[v], patterns))
                size += len(parts[-1])
                check_size(size, self.most)
        return OwnWeights.concatenate(parts)

    def _own_weights(
        self,
        values: ValueVectors,
        places: IntArray,
        lower: IntArray,
        upper: IntArray,
        patterns: IntArray,
    ) -> OwnWeights:
        """All (s, b) inside the intervals of some v; s lists tokens, then the other features."""
        scale, others = self.one, patterns.shape[1]
        chosen = values.take(places)
        # The largest ‖A‖ and |b| within the budget, for the cheapest of these vectors.
        narrow, entries = float(chosen.norms.min()), math.sqrt(int(chosen.entries.min())) / scale
        widest_A = self.room_of_one(2, self.rank, narrow, 0.0, 0.0)
        widest_b = self.room_of_one(3, self.rank, narrow, entries, 0.0)
        if min(widest_A, widest_b) < 0:
            return OwnWeights.none(lower.shape[1] + others)
        lower_weights = list_grid_ball(others, find_largest_square(widest_A * scale))
        biases = np.arange(-int(widest_b * scale), int(widest_b * scale) + 1)
        bias = np.repeat(biases, len(lower_weights))
        weights = np.tile(lower_weights, (len(biases), 1))
        # v: vectors, c: choices of b and of the weights of other features, P: patterns of those features
        shift = bias[:, None] + weights @ patterns.T  # (c, P), over the other features
        low = (lower[:, None] - shift[None, :, None, :]).max(axis=3)  # (v, c, tokens), over the patterns
        high = (upper[:, None] - shift[None, :, None, :]).min(axis=3)
        smallest = np.maximum(np.maximum(low, -high), 0)
        # Squares of own weights at least, (v, c): over the other features m, and over the tokens t.
        used = np.einsum("cm,cm->c", weights, weights)[None, :] + np.einsum("vct,vct->vc", smallest, smallest)
        own = np.empty((*used.shape, 4))
        own[..., 0], own[..., 1] = self.rank, chosen.norms[:, None]
        own[..., 2] = np.sqrt((chosen.entries[:, None] + used) / scale**2)
        own[..., 3] = np.abs(bias) / scale
        possible = (low <= high).all(axis=2)  # over the tokens
        v, c = np.nonzero(possible)
        room = self.room(2, own[v, c])
        cap = np.floor(room**2 * scale**2 + 1e-6).astype(np.int64) - chosen.entries[v]
        fits = (room >= 0) & (used[v, c] <= cap)
        v, c, cap = v[fits], c[fits], cap[fits]
        row, tokens = _expand(low[v, c], high[v, c], cap - np.einsum("nm,nm->n", weights[c], weights[c]))
        v, c = v[row], c[row]
        return OwnWeights(places[v], np.concatenate([tokens, weights[c]], axis=1), bias[c])


def _expand(low: IntArray, high: IntArray, left: IntArray) -> tuple[IntArray, IntArray]:
    """All integer vectors inside intervals, (N, t), with squares of at most ``left``: row and vector."""
    smallest = np.maximum(np.maximum(low, -high), 0) ** 2
    later = np.cumsum(smallest[:, ::-1], axis=1)[:, ::-1]  # of this token and those after it
    row = np.arange(len(low))
    vectors = np.zeros((len(low), 0), dtype=np.int64)
    for token in range(low.shape[1]):
        rest = later[row, token] - smallest[row, token]
        reach = np.floor(np.sqrt(np.maximum(left - rest, 0)) + 1e-9).astype(np.int64)
        first = np.maximum(low[row, token], -reach)
        width = np.maximum(np.minimum(high[row, token], reach) - first + 1, 0)
        index, step = repeat_places(width)
        chosen = first[index] + step
        vectors = np.concatenate([vectors[index], chosen[:, None]], axis=1)
        left = left[index] - chosen**2
        row = row[index]
    return row, vectors


def _bounds_of_y(
    quotient: FloatArray,
    group: IntArray,
    ones: BoolArray,
    zeros: BoolArray,
    shape: tuple[int, int, int],
) -> tuple[IntArray, IntArray]:
    """Least and greatest y of each class, (v, tokens, patterns), by the quotients q of its words, (W, v)."""
    lower, upper = np.full(shape, -UNBOUNDED), np.full(shape, UNBOUNDED)
    for g in sort_distinct(group):
        place, here = np.s_[:, g // shape[2], g % shape[2]], group == g
        lower[place] = np.floor(quotient[ones & here].max(axis=0, initial=-UNBOUNDED)) + 1
        upper[place] = np.floor(quotient[zeros & here].min(axis=0, initial=UNBOUNDED))
    return lower, upper
