"""Own weights by intervals: every (s, b) that makes a unit right on all screened words, for given values.

With the layers below and v fixed, a unit is 1 on a word iff y_g > q = −⟨v, sums⟩/scale, where g is the class
of the last position (token and lower units) and y_g = ⟨s, features⟩ + b. On the p-bit grid this is y_g ≥
z(word) = ⌊q⌋ + 1, so words on which it has to be 1 and words on which it has to be 0 bound y_g from below
and above, and the s_σ of different tokens are independent given b and the weights on residues and lower
units.

Which v leave room for some y in every class is screened first, in the hot loop: products run in float32 on
quotients that were divided once, and a vector is dropped only if it misses by more than `SCREEN_SLACK`,
which is above every rounding error, so none that could serve is lost. What is left is decided exactly: where
all is, d-12 takes 1.8 times as long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.nets.regularizer import Aggregate
from idinf.search.short_words.features import Features, check_exact
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import ArrayRecord, group_rows, repeat_places, sort_distinct
from idinf.space.structures import Structure
from idinf.space.units import MAX_UNITS, SLACK, BoolArray, FloatArray, aggregate_terms, check_size

STAGES = (32, 128, 1 << 30)  #: distinct rows of the stages: most vectors fail on the first few dozen words
#: Vectors of one block: 2 MB of float32 for the rows of a class keep the reductions in the cache.
SCREEN_CELLS = 500_000
#: Tolerance of the comparisons, beside a relative error of f · 2^-22 that is added for long vectors.
SCREEN_SLACK = 1e-3

_Float32 = NDArray[np.float32]


class Screen:
    """Screens value vectors over the same lower layers, by features of W words, and where a unit is 1, (W,).

    ``largest`` bounds |y|. How far each stage reads, and how much it does at a time, changes no answer.
    """

    def __init__(
        self,
        features: Features,
        ones: BoolArray,
        largest: float,
        stages: tuple[int, ...] = STAGES,
        block_cells: int = SCREEN_CELLS,
    ) -> None:
        # One row of each kind and value, the shortest words first.
        keys = features.rows[1] * 2 + ones
        _, index = np.unique(keys, return_index=True)
        index.sort()
        self.rows = (-features.sums[index] / features.scale[index, None]).astype(np.float32)
        self.ones = ones[index]
        _, self.group = np.unique(features.last[index], axis=0, return_inverse=True)
        self.group = self.group.reshape(-1)
        self.largest, self.stages, self.block_cells = largest, stages, block_cells

    def alive(self, values: IntArray) -> IntArray:
        """Indices of the (V, H·f) value vectors that may serve, increasing."""
        columns = np.ascontiguousarray(values.T.astype(np.float32))
        # The longest vector, over heads and features, bounds every rounding error of a product with it.
        longest = float(np.abs(columns).sum(axis=0).max(initial=0.0)) * float(
            np.abs(self.rows).max(initial=0.0)
        )
        slack = SCREEN_SLACK + longest * len(columns) * 2.0**-22
        alive = np.arange(len(values))
        begin = 0
        for end in self.stages:
            if begin >= len(self.rows) or not len(alive):
                break
            # The rows of earlier stages come along: an interval is that of all words of its class.
            alive = self.stage(columns, alive, slice(0, end), slack)
            begin = end
        return alive

    def stage(self, columns: _Float32, alive: IntArray, stage: slice, slack: float) -> IntArray:
        """Those of the vectors ``alive``, columns of an (H·f, V) array, that a slice of the rows leaves."""
        rows, labels, group = self.rows[stage], self.ones[stage], self.group[stage]
        parts = [(rows[(group == g) & labels], rows[(group == g) & ~labels]) for g in sort_distinct(group)]
        block = max(1, self.block_cells // max(1, max(len(a) + len(b) for a, b in parts)))
        kept = []
        for begin in range(0, len(alive), block):
            index = alive[begin : begin + block]
            kept.append(index[self._right(np.take(columns, index, axis=1), parts, slack)])
        return np.concatenate(kept)

    def _right(self, columns: _Float32, parts: list[tuple[_Float32, _Float32]], slack: float) -> BoolArray:
        """Vectors for which every class has room for some y."""
        right = np.ones(columns.shape[1], dtype=np.bool_)
        for ones, zeros in parts:
            right &= self._room(
                _largest_quotients(ones, columns), -_largest_quotients(-zeros, columns), slack
            )
        return right

    def _room(self, above: _Float32, below: _Float32, slack: float) -> BoolArray:
        """Whether some integer y with |y| ≤ ``largest`` has above < y ≤ below, up to the slack."""
        first = np.maximum(np.floor(above - slack) + 1.0, np.ceil(-self.largest - slack))
        last = np.minimum(np.floor(below + slack), np.floor(self.largest + slack))
        return np.asarray(first <= last)


def _largest_quotients(rows: _Float32, columns: _Float32) -> _Float32:
    """Largest q of some rows, for every vector."""
    if not len(rows):
        return np.full(columns.shape[1], -np.inf, dtype=np.float32)
    with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
        # (rows, V), over heads and features, then over the rows
        return np.asarray((rows @ columns).max(axis=0))


UNBOUNDED = 1 << 30  #: stands for "no bound"; grid values never come near it
BLOCK_CELLS = 2_000_000  #: cells (value vector × word) of one block: 16 MB of float64
CELLS_OF_STEP = 1 << 15  #: such cells that are solved in a step of work
FEW_CELLS = 50_000  #: cells that are not worth a screen in single precision first
BLOCK = 128  #: candidates v whose own weights are listed in one block: a few MB of intervals


def total_r(base: float, lower_costs: FloatArray, own: FloatArray, aggregate: Aggregate) -> FloatArray:
    """R of N candidate layers over the cheapest of the given lower layers, (N,).

    ``base`` are the terms of R that the structure alone decides; rank_V, ‖V‖, ‖A‖, ‖b‖ are those of the lower
    layers, (F, 4), one row per Pareto point, and the candidates' ``own``, (N, 4).
    """
    best = np.full(len(own), np.inf)
    for point in lower_costs:
        total = np.full(len(own), base)
        for column in range(4):
            total = total + aggregate_terms(float(point[column]), own[:, column], aggregate)
        np.minimum(best, total, out=best)
    return best


@dataclass(frozen=True, eq=False)
class LastLayerBudget:
    """What some lower layers leave of R ≤ ``high`` for the terms of a last layer; fields as in `total_r`."""

    base: float
    lower_costs: FloatArray  #: (F, 4)
    high: float
    aggregate: Aggregate

    def fits(self, own: FloatArray) -> BoolArray:
        """Whether terms of the last layer, (N, 4), or bounds from below, are within the budget."""
        return np.asarray(total_r(self.base, self.lower_costs, own, self.aggregate) <= self.high + SLACK)

    def of(self, column: int, own: FloatArray) -> FloatArray:
        """Largest value of one term that some lower layer leaves when the other terms are ``own``, (N,)."""
        room = np.full(len(own), -1.0)
        for point in self.lower_costs:
            total = np.full(len(own), self.base)
            for other in range(4):
                if other != column:
                    total = total + aggregate_terms(float(point[other]), own[:, other], self.aggregate)
            left = self.high + SLACK - total
            fits = left >= point[column]
            left = left - point[column] if self.aggregate is Aggregate.SUM else left
            np.maximum(room, np.where(fits, left, -1.0), out=room)
        return room

    def of_one(self, column: int, own: tuple[float, float, float, float]) -> float:
        """The same for one layer."""
        return float(self.of(column, np.array([own]))[0])


@dataclass(frozen=True, eq=False)
class OverLowerLayers:
    """The last layer of a structure over given lower layers, for R ≤ ``high``."""

    structure: Structure
    aggregate: Aggregate
    symbols: int  #: |Σ|
    high: float
    lower_costs: FloatArray  #: (F, 4), as in `total_r`

    @property
    def heads(self) -> int:
        """Number of heads of the last layer."""
        return len(self.structure.layers[-1].heads)

    @cached_property
    def room(self) -> LastLayerBudget:
        """What the terms of the layer may be."""
        return LastLayerBudget(
            self.structure.base(self.aggregate), self.lower_costs, self.high, self.aggregate
        )


@dataclass(frozen=True, eq=False)
class ValueVectors(ArrayRecord):
    """V vectors v that a unit may read, with what they cost at least."""

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
class Intervals:
    """Lists own weights on the p-bit grid within a budget."""

    room: LastLayerBudget
    precision: int  #: p
    tokens: int  #: |Σ| + 1
    rank: float  #: rank_V of the layer at least
    most: int = MAX_UNITS  #: bound on every list
    checkpoint: Callable[[float], None] = lambda work: None

    def solve(
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
        most = int(np.abs(values.vectors).sum(axis=1).max(initial=0))
        largest = most * int(np.abs(features.sums).max(initial=0))
        check_exact(max(largest, int(features.scale.max(initial=0))), "attended sums")
        cared = np.flatnonzero(ones | zeros)
        if len(cared) < len(ones):
            rows = cared if len(cared) else np.zeros(1, dtype=np.int64)  # nothing is asked of a single row
            features, ones, zeros = features.take(rows), ones[rows], zeros[rows]
        kept = np.arange(len(values))
        if len(values) * len(cared) > FEW_CELLS:
            kept = Screen(features, ones, self._largest_own(features.size, values)).alive(values.vectors)
        block = max(1, BLOCK_CELLS // len(features.scale))
        parts, size = [OwnWeights.none(features.size)], 0
        for begin in range(0, len(kept), block):
            some = kept[begin : begin + block]
            for part in self._solve_block(values, some, features, ones, zeros):
                parts.append(part)
                size += len(part)
                check_size(size, self.most)
        return OwnWeights.concatenate(parts)

    def _widest(self, values: ValueVectors) -> tuple[float, float]:
        """The largest ‖A‖ and |b| within the budget, for the cheapest of all vectors."""
        narrow = float(values.norms.min(initial=np.inf))
        entries = float(values.entries.min(initial=UNBOUNDED)) * 0.25**self.precision
        widest_b = self.room.of_one(3, (self.rank, narrow, math.sqrt(entries), 0.0))
        return self.room.of_one(2, (self.rank, narrow, 0.0, 0.0)), widest_b

    def _largest_own(self, size: int, values: ValueVectors) -> float:
        """Bound on |⟨s, features⟩ + b| of every unit within the budget, in units of 2^-p."""
        widest_A, widest_b = self._widest(values)
        # One token is set, at most one residue, and any lower unit: at most `size` entries of s count.
        return (max(widest_A, 0.0) * math.sqrt(size) + max(widest_b, 0.0)) * 2.0**self.precision

    def _solve_block(
        self,
        values: ValueVectors,
        block: IntArray,
        features: Features,
        ones: BoolArray,
        zeros: BoolArray,
    ) -> Iterator[OwnWeights]:
        """Own weights for the vectors at some places."""
        self.checkpoint(1 / 2 + len(block) * len(features.scale) / CELLS_OF_STEP)
        with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
            # (v, W), over heads and features
            sums = values.vectors[block].astype(np.float64) @ features.sums.T.astype(np.float64)
        quotient = -sums / features.scale
        least = np.floor(quotient).astype(np.int64) + 1  # z, (v, W)
        tokens = self.tokens
        first, pattern = group_rows(features.last[:, tokens:])
        patterns = features.last[first, tokens:]
        group = features.last[:, :tokens].argmax(axis=1) * len(patterns) + pattern
        shape = (len(least), tokens, len(patterns))
        lower, upper = _bounds_of_y(least, group, ones, zeros, shape)
        alive = np.flatnonzero((lower <= upper).all(axis=(1, 2)))  # over tokens and patterns
        for begin in range(0, len(alive), BLOCK):
            self.checkpoint(1)
            some = alive[begin : begin + BLOCK]
            yield self._own_weights(values, block[some], lower[some], upper[some], patterns)

    def _own_weights(
        self,
        values: ValueVectors,
        places: IntArray,
        lower: IntArray,
        upper: IntArray,
        patterns: IntArray,
    ) -> OwnWeights:
        """All (s, b) inside the intervals of some v; s lists tokens, then the other features."""
        scale = 2**self.precision
        others = patterns.shape[1]
        chosen = values.take(places)
        widest_A, widest_b = self._widest(chosen)
        if min(widest_A, widest_b) < 0:
            return OwnWeights.none(self.tokens + others)
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
        room = self.room.of(2, own[v, c])
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
    least: IntArray, group: IntArray, ones: BoolArray, zeros: BoolArray, shape: tuple[int, int, int]
) -> tuple[IntArray, IntArray]:
    """What y is at least and at most in each class, by z of its words, two (v, tokens, patterns) arrays."""
    lower, upper = np.full(shape, -UNBOUNDED), np.full(shape, UNBOUNDED)
    for g in sort_distinct(group):
        place = np.s_[:, g // shape[2], g % shape[2]]
        lower[place] = least[:, ones & (group == g)].max(axis=1, initial=-UNBOUNDED)
        upper[place] = least[:, zeros & (group == g)].min(axis=1, initial=UNBOUNDED) - 1
    return lower, upper
