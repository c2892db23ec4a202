"""Which attention patterns of a last layer may be right over given lower layers, class by class.

Words whose last position has one class (token, residue, lower units) see one *column* of M alone: the sum of
the columns of M for what is 1 there. So for given φ a last layer is looked at class by class: for each value
vector v and each column, the words of the class say which numbers y = ⟨s, features⟩ + b serve, as in
`idinf.search.last_layer.intervals`. A pattern is left if some v serves every class with some column.

*Lemma (columns).* A column c of a class with k features beside its token has ‖M‖ ≥ ‖c‖ / √(1 + k), as c is M
times a vector of that norm. And y has |y| ≤ √(1 + k) ‖s‖ + |b|. Both bound R from below.

*Lemma (covers).* An answer by two units says that two literals, each a unit or its complement, hold on all
*ones* (accepted words, or for the other reading rejected ones), and that on every *zero* one of them fails.
Of one v, column and kind of literal, "holds on all ones" bounds y from one side, so at the extreme y it fails
on the most zeros. If no two of these sets of zeros are all zeros of some class, nothing is right, whatever s
and b are. Where R has no room for rank_V = 2, and where units can share a channel only, their v are parallel.

*Lemma (lines).* Let all v of m units be parallel to one direction. In a class every unit compares the average
along that direction with a number, so m units together change at most m times along the words of the class in
the order of that average, and not at all between words with the same one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from idinf.nets.attention import Attention, AttentionPattern
from idinf.search.patterned.covers import PairValues, covers, literals
from idinf.search.patterned.last import CALL, FAR, LastLayer, check_cells, y_costs
from idinf.search.patterned.lower import (
    PHI,
    RANK,
    A,
    B,
    M,
    Stacks,
    V,
    join,
    least_points,
    least_totals,
    total,
)
from idinf.search.patterned.many_sets import OneUnit, TwoUnits
from idinf.search.short_words.features import weight_table
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import group_rows, list_members_of_groups
from idinf.space.structures import list_local_biases
from idinf.space.units import SLACK, BoolArray, FloatArray

#: Averages with denominators up to the first number are equal if they are as near as the second.
MOST_SCALE, NEAR = 2.0**14, 2.0**-32

#: Classes and columns whose literals are kept.
MOST_KNOWN = 1024


@dataclass(frozen=True, eq=False)
class _Class:
    """Words that end in one class."""

    words: IntArray
    #: (f,): what is 1 at the end.
    query: IntArray
    extra: int  #: features beside the token


@dataclass(frozen=True, eq=False)
class TopPatterns(LastLayer):
    """Tells which patterns of a last layer may be right over which lower layers."""

    @cached_property
    def _phis(self) -> list[tuple[float, tuple[int, ...]]]:
        if not self.heads:
            return [(0.0, ())]
        listed = list_local_biases(self.grid, self.room - float(total(self.floor)))
        return [item for item in listed if item[1] or self.least is not Attention.LOCAL]

    def left(self, stacks: Stacks) -> Iterator[tuple[int, tuple[AttentionPattern, ...]]]:
        """Sets of lower layers with the patterns that may be right over them; (UNIFORM,) without a head."""
        least, totals = least_points(stacks), least_totals(stacks, self.floor)
        most = self.room - totals + SLACK
        by_reach: dict[int, list[tuple[float, tuple[int, ...]]]] = {}
        for item in self._phis:
            by_reach.setdefault(max(len(item[1]) - 1, 0), []).append(item)
        self.count(1 + len(stacks) // 256)
        open_ = np.flatnonzero(most >= 0)
        below = stacks.inputs.last[self.ends.first.size :]
        found: dict[int, list[tuple[float, tuple[int, ...]]]] = {}
        # Confusion at a reach excludes all smaller ones at once.
        for reach in sorted(by_reach, reverse=True):
            fits = open_[most[open_] >= by_reach[reach][0][0]]
            if not len(fits):
                continue
            confused = self.ends.confused(stacks.bits[fits], reach, below)
            for cost, phi in by_reach[reach]:
                some = fits[~confused & (most[fits] >= cost)]
                some = some[self._left_together(stacks, some, least[some], cost, phi)]
                for k in some.tolist():
                    found.setdefault(k, []).append((cost, phi))
            open_ = np.setdiff1d(open_, fits[confused])
        for k in sorted(found):
            patterns = _LastLayerOver(self, stacks, k, least[k]).patterns(sorted(found[k]))
            if patterns:
                yield k, tuple(patterns)

    def _left_together(
        self, stacks: Stacks, places: IntArray, least: FloatArray, cost: float, phi: tuple[int, ...]
    ) -> BoolArray:
        """Over which sets a φ may be right, as far as many sets are judged together, (S,)."""
        base = join(least, self.floor)
        base[:, PHI] += cost
        left = np.ones(len(places), dtype=np.bool_)
        judge = {1: OneUnit, 2: TwoUnits}.get(self.units)
        if judge is None or not len(places):
            return left
        first, group = group_rows(base.view(np.int64))
        for pays, members in zip(base[first], list_members_of_groups(group, len(first)), strict=True):
            left[members] = judge(self, stacks, places[members], pays, phi).left()
        return left


class _LastLayerOver:
    """The last layer over one set of lower layers."""

    def __init__(self, top: TopPatterns, stacks: Stacks, stack: int, least: FloatArray) -> None:
        self.top, self.ends, self.least = top, top.ends, least
        self.precision = top.grid.precision
        self.one, self.step = 1 << self.precision, 0.5**self.precision
        bits = stacks.bits[stack]
        last = np.concatenate([stacks.inputs.last, bits.astype(np.int16)])
        ends = self.ends
        #: (f, D, W): features of the position at each distance from the end; 0 where there is none.
        self.keys = last[:, ends.tree_rows].astype(np.float64) * ends.real
        query = last[:, ends.tree_rows[0]].astype(np.int64)
        first, group = group_rows(query.T)
        self.classes = [
            _Class(words, query[:, words[0]], int(query[:, words[0]].sum()) - 1)
            for words in list_members_of_groups(group, len(first))
        ]
        # What says most comes first.
        labels = ends.labels
        self.classes.sort(key=lambda c: -min(int(labels[c.words].sum()), int((~labels[c.words]).sum())))
        self.size = len(last)
        self.most_extra = max(c.extra for c in self.classes)
        self.N = ends.lengths + 1

    def patterns(self, phis: list[tuple[float, tuple[int, ...]]]) -> list[AttentionPattern]:
        """The patterns with some φ that may be right."""
        found: list[AttentionPattern] = []
        for cost, phi in phis:
            base = join(self.least, self.top.floor)
            base[PHI] += cost
            found += self._with_phi(phi, base)
        return found

    def _columns(self, base: FloatArray, phi: tuple[int, ...]) -> tuple[IntArray, FloatArray]:
        """Columns of M, (C, f), and their norms, shortest first; the first is 0."""
        grid, room = self.top.grid, self.top.room
        widest = room + SLACK - (total(base) - base[M])
        if not grid.content_max or not self.top.heads or widest < self.step:
            return np.zeros((1, self.size), dtype=np.int64), np.zeros(1)
        # A class may have several features: their columns add up.
        extra, tokens = self.most_extra, self.ends.words.symbols + 1
        square = find_largest_square(widest * math.sqrt(1 + extra) * self.one)
        columns = list_grid_ball(self.size, square, 0, (1 + extra) * grid.content_max * self.one)
        if self.size == tokens and all(x % self.one == 0 for x in phi):
            raised = (columns % self.one == 0).all(axis=1) & (columns[:, :tokens].min(axis=1) > 0)
            columns = columns[~raised]
        return columns, np.sqrt((columns**2).sum(axis=1)) * self.step

    def _with_phi(self, phi: tuple[int, ...], base: FloatArray) -> list[AttentionPattern]:
        columns, norms = self._columns(base, phi)
        judge_by = _Single if self.top.units == 1 else _Pair if self.top.units == 2 else _Line
        matrices: dict[tuple[tuple[int, ...], ...], None] = {}
        for readings in self.top.readings:
            judge = judge_by(self, base, columns, norms, phi, readings)
            alive = judge.alive()
            if alive is not None:
                matrices |= dict.fromkeys(self._matrices(judge, alive))
        return [AttentionPattern(matrix, phi) for matrix in matrices]

    def _matrices(self, judge: _Judge, alive: list[BoolArray]) -> Iterator[tuple[tuple[int, ...], ...]]:
        """Every M all of whose columns are alive, (K, C) for each class, for one v; () for 0."""
        columns, norms, base = judge.columns, judge.norms, judge.base
        tokens = self.ends.words.symbols + 1
        widest = self.top.room + SLACK - (total(base) - base[M])
        place = {tuple(column): k for k, column in enumerate(columns.tolist())}
        largest = columns.max(axis=1) <= self.top.grid.content_max * self.one
        short = np.flatnonzero((norms <= widest + SLACK) & largest).tolist()
        # Columns of units and residues first, as several classes have them; then those of tokens.
        queries = [*range(tokens, self.size), *range(1, tokens)]
        chosen = np.zeros((self.size, self.size), dtype=np.int64)
        numbers = [0] * len(self.classes)

        def grow(depth: int, left: BoolArray) -> Iterator[tuple[tuple[int, ...], ...]]:
            if depth == len(queries):
                if judge.confirms(numbers):
                    rows = tuple(map(tuple, chosen.tolist()))
                    yield rows if chosen.any() else ()
                return
            query = queries[depth]
            concerned = [k for k, c in enumerate(self.classes) if c.query[query]] if query < tokens else []
            for column in short:
                self.top.cells.spend(0)  # lets a limit end what takes less than a step
                chosen[:, query] = columns[column]
                if _is_longer(chosen, (widest + SLACK) / self.step):
                    continue
                rest = left
                for k in concerned:  # all its other columns are known
                    number = place.get(tuple((chosen @ self.classes[k].query).tolist()))
                    if number is None:
                        rest = np.zeros_like(left)
                        break
                    numbers[k] = number
                    rest = rest & alive[k][:, number]
                if rest.any():
                    yield from grow(depth + 1, rest)
            chosen[:, query] = 0

        start = np.ones(alive[0].shape[0], dtype=np.bool_)
        for k, c in enumerate(self.classes):
            if c.query[0]:  # the query `$` sees itself alone: any column serves as 0 does
                start = start & alive[k][:, 0]
        yield from grow(0, start)

    def sums(self, words: IntArray, columns: IntArray, phi: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        """Attended sums of all features, (C, W, f), and denominators, (C, W), by columns of words."""
        keys, real = self.keys[:, :, words], self.ends.real[:, words]
        logits = np.tensordot(columns, keys, axes=(1, 0)).astype(np.int64)  # (C, D, W)
        for distance, value in enumerate(phi[: logits.shape[1]]):
            logits[:, distance] += value
        table = weight_table(int(self.N.max()), int(logits.max(initial=0)), self.precision)
        weights = table[self.N[words], logits] * real
        sums = np.einsum("cdw,fdw->cwf", weights, keys)
        return sums, weights.sum(axis=1)


def _is_longer(matrix: IntArray, length: float) -> bool:
    """Whether the spectral norm of a matrix without negative entries is above a length.

    Its square is at most the largest sum of a row times that of a column.
    """
    square = float(matrix.sum(axis=0).max() * matrix.sum(axis=1).max())
    return square > length**2 and float(np.linalg.svd(matrix, compute_uv=False)[0]) > length


class _Judge(ABC):
    """Decides for each v, column and class whether some y serves."""

    @abstractmethod
    def alive(self) -> list[BoolArray] | None:
        """For each class which v and columns serve, (K, C), for v that serve all; None if none does."""

    def __init__(
        self,
        above: _LastLayerOver,
        base: FloatArray,
        columns: IntArray,
        norms: FloatArray,
        phi: tuple[int, ...],
        readings: tuple[bool, ...],
    ) -> None:
        self.above, self.base, self.columns, self.norms, self.phi = above, base, columns, norms, phi
        self.ones = [above.ends.labels ^ reading for reading in readings]
        self.top = above.top
        self.room = self.top.room + SLACK

    def confirms(self, numbers: list[int]) -> bool:
        """Whether a second look leaves the M with given columns, one for each class."""
        return True


class _Single(_Judge):
    """One last unit."""

    def alive(self) -> list[BoolArray] | None:
        """For each class which v and columns serve, (K, C), for v that serve all; None if none does."""
        above, base, heads = self.above, self.base, self.top.heads
        fixed = base[PHI] + base[RANK]
        widest = self.room - fixed - base[M] - base[A] - base[B]
        vectors = np.zeros((1, above.size), dtype=np.int64)
        if heads:
            vectors = list_grid_ball(above.size, find_largest_square(widest * above.one))[1:]
        values = np.maximum(np.sqrt((vectors**2).sum(axis=1)) * above.step, base[V])
        widest_y = (self.room - fixed - base[M] - base[V]) * above.one * math.sqrt(1 + above.most_extra)
        most = max(0, int(widest_y) + 1)
        found: list[BoolArray] = []
        kept = np.arange(len(vectors))
        for c in above.classes:
            costs_y = y_costs(c.extra, float(heads), base[A], base[B], most, above.step)
            column_costs = np.maximum(self.norms / math.sqrt(1 + c.extra), base[M])
            left = self.room - fixed - values[kept][:, None] - column_costs[None]  # (K, C), for ‖A‖ + ‖b‖
            columns = np.flatnonzero(left.max(axis=0) >= costs_y[0] - SLACK)
            if c.query[0]:
                columns = columns[:1]
            serves = np.zeros(left.shape, dtype=np.bool_)
            if len(columns):
                check_cells(len(kept) * len(columns) * len(c.words))
                sums, scale = above.sums(c.words, self.columns[columns], self.phi)
                if heads:
                    x = -(vectors[kept] @ sums.reshape(-1, above.size).T).reshape(len(kept), *scale.shape)
                    x /= scale
                else:
                    x = np.zeros((1, *scale.shape))
                for labels in self.ones:
                    ones = labels[c.words]
                    low = np.floor(x[:, :, ones].max(axis=2, initial=-FAR)) + 1
                    high = np.floor(x[:, :, ~ones].min(axis=2, initial=FAR))
                    smallest = np.maximum(np.maximum(low, -high), 0.0)
                    possible = (low <= high) & (smallest <= most)
                    need = costs_y[np.minimum(smallest, most).astype(np.int64)]
                    if self.top.free and (ones.all() or not ones.any()):
                        possible, need = np.ones_like(possible), costs_y[:1]
                    serves[:, columns] |= possible & (need <= left[:, columns])
                self.top.cells.spend(CALL + x.size)
            if c.query[0]:
                serves[:] = serves[:, :1]
            alive = serves.any(axis=1)
            if not alive.any():
                return None
            found = [part[alive] for part in (*found, serves)]
            kept = kept[alive]
        return found


class _Line(_Judge):
    """Three last units or more, whose v are parallel."""

    def alive(self) -> list[BoolArray] | None:
        """For each class which directions and columns serve, (K, C), for directions that serve all."""
        above, base = self.above, self.base
        widest = self.room - (total(base) - base[V])
        vectors = list_grid_ball(above.size, find_largest_square(widest * above.one))[1:]
        vectors = vectors[np.gcd.reduce(vectors, axis=1) == 1]
        positive = vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)] > 0
        vectors = vectors[positive]
        labels = self.ones[0]
        found: list[BoolArray] = []
        kept = np.arange(len(vectors))
        for c in above.classes:
            columns = np.arange(1 if c.query[0] else len(self.norms))
            check_cells(len(kept) * len(columns) * len(c.words))
            sums, scale = above.sums(c.words, self.columns[columns], self.phi)
            if float(scale.max()) > MOST_SCALE:
                return [np.ones((1, len(self.norms)), dtype=np.bool_) for _ in above.classes]
            x = (vectors[kept] @ sums.reshape(-1, above.size).T).reshape(len(kept), *scale.shape) / scale
            self.top.cells.spend(CALL + x.size)
            order = np.argsort(x, axis=2)
            x, said = np.take_along_axis(x, order, axis=2), labels[c.words][order]
            change, apart = said[:, :, 1:] != said[:, :, :-1], x[:, :, 1:] - x[:, :, :-1] > NEAR
            # Words with the same average have one label, so every change is between two averages.
            serves = ~_mixed(said, apart) & (change.sum(axis=2) <= self.top.units)
            serves = np.broadcast_to(serves, (len(kept), len(self.norms)))
            alive = serves.any(axis=1)
            if not alive.any():
                return None
            found = [part[alive] for part in (*found, serves)]
            kept = kept[alive]
        return found


def _mixed(said: BoolArray, apart: BoolArray) -> BoolArray:
    """Whether some run of words that are not apart has both labels, (..., W) and (..., W − 1) to (...)."""
    return np.asarray(((said[..., 1:] != said[..., :-1]) & ~apart).any(axis=-1))


class _Pair(_Judge):
    """Two last units: two literals that hold on all ones, of which one fails on each zero."""

    def alive(self) -> list[BoolArray] | None:
        """For each class which columns serve, (1, C), some pair of literals; None if none does."""
        above = self.above
        if not len(self._values):
            return None
        found = []
        # Along one direction two units differ on an interval or outside of one: that is a pair of literals.
        differ = self.top.xor and self._values.direction is None
        for c in above.classes:
            serves = np.zeros(len(self.norms), dtype=np.bool_)
            labels = self.ones[0][c.words]
            alike = differ or (self.top.free and bool(labels.all() or not labels.any()))
            for column in [0] if c.query[0] else range(len(self.norms)):
                some = self._affordable(c, column)
                if not len(some):
                    break  # columns are sorted by norm
                serves[column] = alike or any(
                    self._covers(*self._literals(c, column, some, labels), some) for labels in self.ones
                )
            if c.query[0]:
                serves[:] = serves[0]
            if not serves.any():
                return None
            found.append(serves[None])
        return found

    def confirms(self, numbers: list[int]) -> bool:
        """Whether one pair serves all classes, each with the column of M; where one reading is for all."""
        if self.top.free:
            return True
        some = np.arange(len(self._values))
        for c, column in zip(self.above.classes, numbers, strict=True):
            some = np.intersect1d(some, self._affordable(c, column), assume_unique=True)
        if not len(some):
            return False
        known = [self._known_literals(k, column) for k, column in enumerate(numbers)]
        able = np.logical_and.reduce([can[:, some] for _, can in known])
        return self._covers(np.concatenate([fails[:, some] for fails, _ in known], axis=2), able, some)

    @cached_property
    def _known_literals(self) -> Callable[[int, int], tuple[BoolArray, BoolArray]]:
        """Literals of all values by class and column; where a value does not fit beside it, of no use."""
        classes, every, ones = self.above.classes, np.arange(len(self._values)), self.ones[0]
        return lru_cache(MOST_KNOWN)(lambda k, column: self._literals(classes[k], column, every, ones))

    def _left(self, c: _Class, column: int) -> float:
        paid = max(float(self.norms[column]) / math.sqrt(1 + c.extra), float(self.base[M]))
        return float(self.room - self.base[PHI] - self.base[RANK] - paid)

    def _affordable(self, c: _Class, column: int) -> IntArray:
        """The values that fit beside a column of a class."""
        return np.flatnonzero(self._values.costs <= self._left(c, column))

    def _literals(
        self, c: _Class, column: int, some: IntArray, labels: BoolArray
    ) -> tuple[BoolArray, BoolArray]:
        """On which zeros of a class some units, and their complements, fail at most, (2, n, zeros).

        And which of them may hold on all ones, (2, n).
        """
        above, values = self.above, self._values
        sums, scale = above.sums(c.words, self.columns[[column]], self.phi)
        x = -(sums[0] @ values.vectors[some].T) / (scale[0] * above.one)[:, None]  # (W, n)
        self.top.cells.spend(CALL + x.size)
        most = values.largest_y(self._left(c, column), float(self.base[B]), 1 + c.extra, above.step)[some]
        ones = labels[c.words]
        largest, least = x[ones].max(axis=0, initial=-FAR), x[ones].min(axis=0, initial=FAR)
        fails, can = literals(largest, least, x[~ones], most)
        return fails.transpose(0, 2, 1), can

    @cached_property
    def _values(self) -> PairValues:
        """What a unit that stands beside another one may read."""
        return self.top.pair_values(self.above.size, self.base)

    def _covers(self, fails: BoolArray, can: BoolArray, some: IntArray) -> bool:
        """Whether two literals that can be fail on all zeros, (2, n, zeros) and (2, n), of some values."""
        kept = can.reshape(-1)
        direction = self._values.direction
        same = None if direction is None else np.tile(direction[some], 2)[kept]
        return covers(fails.reshape(len(kept), -1)[kept], same)
