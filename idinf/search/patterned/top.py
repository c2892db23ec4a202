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

*Many sets.* Lower layers that pay the same are judged together first, for one φ: sets, columns of one norm,
and value vectors are arrays. What is left is looked at set by set, in the same way.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from idinf.nets.attention import Attention, AttentionPattern
from idinf.search.patterned.last import (
    CALL,
    FAR,
    HARD,
    LastLayer,
    PairValues,
    check_cells,
    covers,
    least_squares,
    list_samples,
    literals,
    y_costs,
)
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
from idinf.search.short_words.features import check_exact, compute_weights
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import group_rows, list_members_of_groups, sort_distinct, spread_places
from idinf.space.structures import Logits, list_local_biases
from idinf.space.units import SLACK, BoolArray, FloatArray

#: Numbers of one block of sets.
CELLS = 1 << 22

#: Averages with denominators up to the first number are equal if they are as near as the second.
MOST_SCALE, NEAR = 2.0**14, 2.0**-32

#: Ways to choose v, b and the weights of residues and units that a second look looks at, about.
MOST_LOOKED_AT = 1 << 14

#: Second looks that exclude nothing before no further one is taken.
MOST_IN_VAIN = 64

#: Classes and columns whose literals are kept.
MOST_KNOWN = 1024

#: Words that are looked at, and the ways that units are read in.
_Stage = tuple[IntArray, tuple[bool, ...]]

#: Value vectors beside columns of M of one norm: (K, f) and (C, f).
Lists = list[tuple[IntArray, IntArray]]


@dataclass(frozen=True, eq=False)
class TopPatterns(LastLayer):
    """Tells which patterns of a last layer may be right over which lower layers."""

    @cached_property
    def _phis(self) -> list[tuple[float, tuple[int, ...]]]:
        if not self.heads:
            return [(0.0, ())]
        listed = list_local_biases(self.grid, self.room - float(total(self.floor)))
        return [item for item in listed if item[1] or self.least is not Attention.LOCAL]

    def left(self, stacks: Stacks) -> Iterator[tuple[int, AttentionPattern, BoolArray]]:
        """Sets of lower layers with a pattern that may be right over them; UNIFORM without a head.

        And beside which points of the set it may be, as `Stacks.points_of` lists them.
        """
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
            confused = self.ends.confused(stacks.bits.take(fits), reach, below)
            for cost, phi in by_reach[reach]:
                some = fits[~confused & (most[fits] >= cost)]
                some = some[self._left_together(stacks, some, least[some], cost, phi)]
                for k in some.tolist():
                    found.setdefault(k, []).append((cost, phi))
            open_ = np.setdiff1d(open_, fits[confused])
        for k in sorted(found):
            for cost, phi in sorted(found[k]):
                judge = self._judge(stacks, np.array([k]), self._paid(least[k], cost), phi)
                for pattern, points in judge.patterns():
                    yield k, pattern, points

    def _paid(self, least: FloatArray, cost: float) -> FloatArray:
        """What every net over some sets pays at least beside a φ of given cost, (..., 6)."""
        base = join(least, self.floor)
        base[..., PHI] += cost
        return base

    def _judge(self, stacks: Stacks, places: IntArray, base: FloatArray, phi: tuple[int, ...]) -> Judge:
        kind = OneUnit if self.units == 1 else TwoUnits if self.units == 2 else ManyUnits
        return kind(self, stacks, places, base, phi)

    def _left_together(
        self, stacks: Stacks, places: IntArray, least: FloatArray, cost: float, phi: tuple[int, ...]
    ) -> BoolArray:
        """Over which sets a φ may be right, as far as many sets are judged together, (S,)."""
        base = self._paid(least, cost)
        left = np.ones(len(places), dtype=np.bool_)
        if len(places):
            first, group = group_rows(base.view(np.int64))
            for pays, members in zip(base[first], list_members_of_groups(group, len(first)), strict=True):
                left[members] = self._judge(stacks, places[members], pays, phi).left()
        return left


def _masked(x: FloatArray, kept: BoolArray, far: float) -> FloatArray:
    """Numbers of words, (W, K, S, C), moved far away where a word does not count over a set, (S, W)."""
    return x if kept.all() else x + np.where(kept, 0.0, far).T[:, None, :, None]


def _is_longer(matrix: IntArray, length: float) -> bool:
    """Whether the spectral norm of a matrix without negative entries is above a length.

    Its square is at most the largest sum of a row times that of a column.
    """
    square = float(matrix.sum(axis=0).max() * matrix.sum(axis=1).max())
    return square > length**2 and float(np.linalg.svd(matrix, compute_uv=False)[0]) > length


def _mixed(said: BoolArray, apart: BoolArray) -> BoolArray:
    """Whether some run of words that are not apart has both labels, (..., W) and (..., W − 1) to (...)."""
    return np.asarray(((said[..., 1:] != said[..., :-1]) & ~apart).any(axis=-1))


@dataclass(frozen=True, eq=False)
class _End:
    """Words that end in one class, rejected ones first."""

    words: IntArray
    query: IntArray  #: (f,): what is 1 at the end
    rejected: int  #: how many are rejected

    @property
    def is_start(self) -> bool:
        """Whether it is that of `$`, which sees itself alone: its column of M does nothing."""
        return bool(self.query[0])

    @property
    def features(self) -> int:
        """How many features are 1."""
        return int(self.query.sum())


class Judge(ABC):
    """A last layer over sets of lower layers that pay the same, for one φ.

    ``base`` are the six terms that every net of it pays at least, with those of φ.
    """

    def __init__(
        self, top: LastLayer, stacks: Stacks, places: IntArray, base: FloatArray, phi: tuple[int, ...]
    ) -> None:
        self.top, self.stacks, self.places, self.base, self.phi = top, stacks, places, base, phi
        self.step, self.one = 0.5**top.grid.precision, 1 << top.grid.precision
        self.size = stacks.inputs.size + stacks.bits.shape[1]
        self.tokens = top.ends.words.symbols + 1
        self.spare = top.room + SLACK - float(total(base))

    @abstractmethod
    def lists(self) -> Lists:
        """What a unit may read, beside the columns of M of one norm, shortest first."""

    @abstractmethod
    def serves(self, end: _End, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Which of what units may read, beside which columns, serve a class over the first set, (K, C)."""

    def block(self, some: IntArray, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets of a block something may be right; here it is not looked at."""
        return np.ones(len(some), dtype=np.bool_)

    def without(self, lists: Lists, kept: IntArray) -> Lists:
        """Lists of what serves so far alone, each the first of one list; all lists stay."""
        return [(vectors[kept[kept < len(vectors)]], columns) for vectors, columns in lists]

    def confirms(self, matrix: IntArray, readings: tuple[bool, ...]) -> BoolArray:
        """Beside which points of the first set a second look leaves an M, (P,)."""
        return np.ones(len(self.points), dtype=np.bool_)

    @cached_property
    def points(self) -> FloatArray:
        """What nets over the first set pay at least beside each of its points, with those of φ, (P, 6)."""
        points = join(self.stacks.points[self.stacks.points_of(int(self.places[0]))], self.top.floor)
        points[:, PHI] += sum(value * value for value in self.phi) * self.step**2
        return points

    def left(self) -> BoolArray:
        """Over which sets something may be right, in some reading, (S,)."""
        left = np.zeros(len(self.places), dtype=np.bool_)
        lists = self.lists()
        cells = sum(len(columns) * len(vectors) for vectors, columns in lists)
        cells += sum(len(columns) for _, columns in lists) * self.size * 4
        size = max(1, CELLS // max(1, cells * len(self.top.ends.lengths)))
        for begin in range(0, len(left) if lists else 0, size):
            block = np.arange(begin, min(begin + size, len(left)))
            for readings in self.top.readings:
                rest = block[~left[block]]
                if len(rest):
                    left[rest] = self.block(rest, lists, readings)
        return left

    def patterns(self) -> list[tuple[AttentionPattern, BoolArray]]:
        """The patterns that may be right over the first set, in some reading, and beside which points."""
        matrices: dict[Logits, BoolArray] = {}
        for readings in self.top.readings:
            for matrix, points in self._matrices(readings):
                matrices[matrix] = points | matrices.get(matrix, False)
        return [(AttentionPattern(matrix, self.phi), points) for matrix, points in matrices.items()]

    def _alive(self, lists: Lists, readings: tuple[bool, ...]) -> list[BoolArray]:
        """For each class of the first set what serves, (K, C), of what serves all; none if nothing does."""
        alive: list[BoolArray] = []
        for end in self.classes:
            serves = self.serves(end, lists, readings)
            kept = np.flatnonzero(serves.any(axis=1))
            if not len(kept):
                return []
            alive = [part[kept] for part in (*alive, serves)]
            lists = self.without(lists, kept)
        return alive

    def _matrices(self, readings: tuple[bool, ...]) -> Iterator[tuple[Logits, BoolArray]]:
        """Every M all of whose columns are alive for one v; () for 0."""
        lists = self.lists()
        alive = self._alive(lists, readings) if lists else []
        if not alive:
            return
        columns = np.concatenate([columns for _, columns in lists])
        widest = (self.spare + float(self.base[M]) + SLACK) / self.step
        place = {tuple(column): k for k, column in enumerate(columns.tolist())}
        largest = columns.max(axis=1) <= self.top.grid.content_max * self.one
        short = np.flatnonzero((np.sqrt((columns**2).sum(axis=1)) <= widest) & largest).tolist()
        # Columns of units and residues first, as several classes have them; then those of tokens.
        queries = [*range(self.tokens, self.size), *range(1, self.tokens)]
        chosen = np.zeros((self.size, self.size), dtype=np.int64)

        def grow(depth: int, left: BoolArray) -> Iterator[tuple[Logits, BoolArray]]:
            if depth == len(queries):
                points = self.confirms(chosen, readings)
                if points.any():
                    yield tuple(map(tuple, chosen.tolist())) if chosen.any() else (), points
                return
            query = queries[depth]
            concerned = (
                [k for k, c in enumerate(self.classes) if c.query[query]] if query < self.tokens else []
            )
            for column in short:
                self.top.cells.spend(0)  # lets a limit end what takes less than a step
                chosen[:, query] = columns[column]
                if _is_longer(chosen, widest):
                    continue
                rest = left
                for k in concerned:  # all its other columns are known
                    number = place.get(tuple((chosen @ self.classes[k].query).tolist()))
                    if number is None:
                        rest = np.zeros_like(left)
                        break
                    rest = rest & alive[k][:, number]
                if rest.any():
                    yield from grow(depth + 1, rest)
            chosen[:, query] = 0

        start = np.ones(alive[0].shape[0], dtype=np.bool_)
        for of_class, c in zip(alive, self.classes, strict=True):
            if c.is_start:  # any column serves as 0 does
                start = start & of_class[:, 0]
        yield from grow(0, start)

    @cached_property
    def classes(self) -> list[_End]:
        """The classes of the first set; what says most comes first."""
        row, labels = self.top.ends.tree_rows[0], self.top.ends.labels
        bits = self.stacks.bits[self.places[0]][:, row]
        query = np.concatenate([self.stacks.inputs.last[:, row], bits]).astype(np.int64)
        first, group = group_rows(query.T)
        found = []
        for words in list_members_of_groups(group, len(first)):
            words = words[np.argsort(labels[words], kind="stable")]
            found.append(_End(words, query[:, words[0]], int((~labels[words]).sum())))
        return sorted(found, key=lambda c: -min(c.rejected, len(c.words) - c.rejected))

    @cached_property
    def columns(self) -> list[tuple[float, IntArray]]:
        """Columns of M of one norm that there is room for, (C, f), with what ‖M‖ is at least, shortest first.

        A class may have several features: their columns add up.
        """
        top, ends, columns = self.top, self.top.ends, np.zeros((1, self.size), dtype=np.int64)
        residues = ends.period if ends.period > 1 else 0
        features = 1 + self.size - self.tokens - residues + (residues > 0)
        most = self.spare + float(self.base[M])
        if top.heads and top.grid.content_max and most >= self.step:
            square = find_largest_square(most * math.sqrt(features) * self.one)
            columns = list_grid_ball(self.size, square, 0, features * top.grid.content_max * self.one)
            if self.size == self.tokens and all(x % self.one == 0 for x in self.phi):
                raised = (columns % self.one == 0).all(axis=1) & (columns.min(axis=1) > 0)
                columns = columns[~raised]
        squares = (columns**2).sum(axis=1)
        return [
            (math.sqrt(square / features) * self.step, columns[squares == square])
            for square in sort_distinct(squares).tolist()
        ]

    def room(self, columns: IntArray, features: int) -> float:
        """What there is for ‖V‖, ‖A‖ and ‖b‖ beside columns of one norm, of a class of so many features."""
        norm = math.sqrt(float((columns[0] ** 2).sum())) * self.step / math.sqrt(features)
        fixed = self.base[PHI] + self.base[RANK] + max(norm, self.base[M])
        return float(self.top.room + SLACK - fixed)

    def stages(self, readings: tuple[bool, ...]) -> list[IntArray]:
        """Words that end in one token, residue and class of the layers further below, rejected ones first.

        Some hard words of each come before all.
        """
        _, kinds = group_rows(self.stacks.inputs.last[:, self.top.ends.tree_rows[0]].T)
        members = list_members_of_groups(kinds, int(kinds.max()) + 1)
        members.sort(key=len)
        hard = [self.top.hard.among(words, number, readings) for number in HARD for words in members]
        stages = (*(few for few in hard if few is not None), *members)
        labels = self.top.ends.labels
        return [words[np.argsort(labels[words], kind="stable")] for words in stages]

    def split(
        self, words: IntArray, own: BoolArray, readings: tuple[bool, ...]
    ) -> Iterator[tuple[int, BoolArray, tuple[slice, slice]]]:
        """Classes of words of a stage by the units of the last lower layer, in every reading.

        Of each its number, which words are of it over which sets, (S, W), and the places of ones and zeros.
        """
        rejected = int((~self.top.ends.labels[words]).sum())
        sides = slice(rejected, None), slice(rejected)
        code = np.zeros((len(own), len(words)), dtype=np.int64)
        for u in range(own.shape[1]):
            code += own[:, u].astype(np.int64) << u
        for number, reading in itertools.product(range(1 << own.shape[1]), readings):
            of = code == number
            if of.any():
                yield number, of, (sides[1], sides[0]) if reading else sides

    def compared(self, vectors: IntArray, columns: IntArray, bits: BoolArray, words: IntArray) -> FloatArray:
        """What y is compared with, −⟨v, sums⟩ / scale, (W, K, S, C): word by word, as words are compared."""
        sums, scale = self.attended(vectors, columns, bits, words)
        sums /= -scale
        return np.broadcast_to(sums, (*sums.shape[:2], len(bits), sums.shape[3]))

    def attended(
        self, vectors: IntArray, columns: IntArray, bits: BoolArray, words: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """⟨v, sums⟩, (W, K, S, C), and scale, (W, 1, S, C); S may be 1 where all sets have the same.

        Exact: no sum of a feature is above the scale, which bounds every partial sum. Raises PrecisionError
        where that bound reaches 2^53; below it quotients have the floors that `Intervals.solve` argues.
        """
        ends, sets = self.top.ends, len(bits)
        if not self.top.heads:
            return np.zeros((len(words), 1, 1, 1)), np.ones((len(words), 1, 1, 1))
        rows, real = ends.tree_rows[:, words], ends.real[:, words]
        first = self.stacks.inputs.last[:, rows].astype(np.float64) * real  # (f, D, W)
        own = bits[:, :, rows].astype(np.float64) * real  # (S, m, D, W)
        known, units = len(first), own.shape[1]
        exponents = np.tensordot(columns[:, :known], first, axes=(1, 0))[None]  # (1, C, D, W)
        if units and columns[:, known:].any():
            exponents = exponents + np.einsum("cu,sudw->scdw", columns[:, known:].astype(np.float64), own)
        logits = exponents.astype(np.int64)
        for distance, value in enumerate(self.phi[: logits.shape[2]]):
            logits[:, :, distance] += value
        weights = compute_weights(ends.lengths[words] + 1, logits, self.top.grid.precision)
        weights *= real  # (1 or S, C, D, W)
        scale = weights.sum(axis=2)
        most = max(1, int(np.abs(vectors).sum(axis=1).max(initial=0)))
        check_exact(most * int(scale.max(initial=0)), "attended sums")
        sums = np.einsum("scdw,fdw->wfsc", weights, first)
        shape = (len(words), len(vectors), *sums.shape[2:])
        x = (vectors[:, :known].astype(np.float64) @ sums.reshape(*sums.shape[:2], -1)).reshape(shape)
        if units:
            every = np.broadcast_to(weights, (sets, *weights.shape[1:]))
            of_units = np.einsum("scdw,sudw->wusc", every, own)
            of_units = of_units.reshape(len(words), units, -1)
            more = vectors[:, known:].astype(np.float64) @ of_units
            x = x + more.reshape(len(words), len(vectors), sets, -1)
        self.top.cells.spend(CALL + x.size)
        return x, scale.transpose(2, 0, 1)[:, None]


class OneUnit(Judge):
    """One last unit: some v serves every class."""

    in_vain = 0  #: second looks one after the other that excluded nothing

    def lists(self) -> Lists:
        """Columns of M of one norm with the v that there is room for beside them, shortest first."""
        base, top = self.base, self.top
        if not top.heads:
            zero = np.zeros((1, self.size), dtype=np.int64)
            return [(zero, zero)]
        vectors = list_grid_ball(self.size, find_largest_square((self.spare + base[V]) * self.one))[1:]
        values = np.sqrt((vectors**2).sum(axis=1)) * self.step
        lists = []
        for norm, columns in self.columns:
            left = self.spare + base[V] + base[M] - max(norm, base[M])
            number = int(np.searchsorted(values, left + SLACK, side="right"))
            if number:
                lists.append((vectors[:number], columns))
        return lists

    def block(self, some: IntArray, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets of a block some v serves every class."""
        bits = self.stacks.bits[self.places[some]]  # (S, m, T)
        alive = np.ones((len(some), len(lists[0][0])), dtype=np.bool_)
        here = np.arange(len(some))
        for words in self.stages(readings):
            of_class: dict[int, BoolArray] = {}  # (S, K)
            for number, _, fits in self._fits(bits[here], words, lists, readings):
                serves = of_class.setdefault(number, np.zeros_like(alive))
                serves[:, : len(fits)] |= fits.any(axis=2).T
            alive = np.logical_and.reduce([alive, *of_class.values()])
            keep = np.flatnonzero(alive.any(axis=1))
            here, alive = here[keep], alive[keep]
            if not len(here):
                break
            kept = np.flatnonzero(alive.any(axis=0))
            alive, lists = alive[:, kept], self.without(lists, kept)
        left = np.zeros(len(some), dtype=np.bool_)
        left[here] = True
        return left

    def serves(self, end: _End, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Which v, beside which columns, serve a class over the first set, (K, C)."""
        serves = np.zeros((len(lists[0][0]), sum(len(columns) for _, columns in lists)), dtype=np.bool_)
        for _, place, fits in self._fits(self.stacks.bits[self.places[:1]], end.words, lists, readings):
            serves[: len(fits), place] |= fits[:, 0]
        return serves

    def _fits(
        self, bits: BoolArray, words: IntArray, lists: Lists, readings: tuple[bool, ...]
    ) -> Iterator[tuple[int, slice, BoolArray]]:
        """Which v serve a class of some words over some sets beside some columns, (K, S, C).

        Of every class, reading and list; the places of its columns among those of all lists come along.
        """
        top, base = self.top, self.base
        row = top.ends.tree_rows[0, words]
        first = self.stacks.inputs.last[:, row[0]]
        classes = list(self.split(words, bits[:, :, row], readings))
        is_start, end = bool(first[0]), 0  # the query `$` sees itself alone, so its column does nothing
        for vectors, columns in lists[:1] if is_start else lists:
            used, place, end = columns, slice(end, end + len(columns)), end + len(columns)
            if is_start:
                used, place = columns[:1], slice(None)
            if not len(vectors):
                continue
            check_cells(len(vectors) * len(used) * len(words) * (top.ends.words.length + 1))
            x = self.compared(vectors, used, bits, words)
            values = np.maximum(np.sqrt((vectors**2).sum(axis=1)) * self.step, base[V])  # (K,)
            for number, of, (one, zero) in classes:
                features = int(first.sum()) + number.bit_count()
                ones, zeros = of[:, one], of[:, zero]
                spare = self.room(columns, features) - values  # (K,)
                most = max(0, int(max(0.0, float(spare.max())) * self.one * math.sqrt(features)) + 1)
                low = high = None
                smallest = np.zeros(())
                if ones.any():
                    low = np.floor(_masked(x[one], ones, -FAR).max(axis=0)) + 1
                    smallest = np.maximum(low, 0.0)
                if zeros.any():
                    high = np.floor(_masked(x[zero], zeros, FAR).min(axis=0))
                    smallest = np.maximum(smallest, -high)
                need = y_costs(features - 1, float(top.heads), base[A], base[B], most, self.step)
                # The least costs grow with y, so what is left of R says how large it may be.
                fits = smallest <= (np.searchsorted(need, spare, side="right") - 1)[:, None, None]
                if low is not None and high is not None:
                    fits &= low <= high
                    self._learn((words, readings), x, of, (one, zero), np.asarray(low > high))
                if top.free:
                    alike = np.asarray(~ones.any(axis=1) | ~zeros.any(axis=1))
                    fits = fits | (alike[:, None] & (need[0] <= spare)).T[:, :, None]
                yield number, place, fits

    def _learn(
        self, stage: _Stage, x: FloatArray, of: BoolArray, sides: tuple[slice, slice], apart: BoolArray
    ) -> None:
        """Note which two words left no y for a v, a set and a column, (K, S, C), some of those."""
        (words, readings), (k, s, c) = stage, list_samples(apart)
        for side, far, pick in zip(sides, (-FAR, FAR), (np.argmax, np.argmin), strict=True):
            seen = np.where(of[s, side].T, x[side][:, k, s, c], far)
            self.top.hard.note(words[side][pick(seen, axis=0)], readings)

    def confirms(self, matrix: IntArray, readings: tuple[bool, ...]) -> BoolArray:
        """Beside which points one v, s and b serve all classes, each with its column of M: exactly.

        Where there is much room it excludes nothing and takes long, so then all are left.
        """
        every, entry = super().confirms(matrix, readings), float(self.top.heads)
        if self.top.free or self.in_vain > MOST_IN_VAIN:
            return every
        base, step = self.base, self.step
        norm_M = max(float(np.linalg.norm(matrix, 2)) * step, base[M])
        left = self.top.room + SLACK - base[PHI] - base[RANK] - norm_M - np.maximum(self._norms, base[V])
        most = max(float(left.max()), max(entry, base[A]) + base[B])
        biases = np.arange(int((most - max(entry, base[A])) * self.one + SLACK) + 1)
        biases = np.concatenate([-biases[:0:-1], biases])
        square = find_largest_square(math.sqrt((most - base[B]) ** 2 - entry) * self.one)
        own = (2 * math.isqrt(square) + 1) ** (self.size - self.tokens) * len(biases)
        if own * len(left) > MOST_LOOKED_AT:
            return every
        columns = [tuple((matrix @ end.query).tolist()) for end in self.classes]
        known = [self._limits(k, column, readings[0]) for k, column in enumerate(columns)]
        low, high = np.array(known).swapaxes(0, 1)  # (classes, K)
        some = np.flatnonzero((low <= high).all(axis=0) & (left >= max(entry, base[A]) + base[B]))
        if not len(some):
            self.in_vain = 0
            return ~every
        query = np.array([end.query for end in self.classes])
        squares = least_squares(low[:, some], high[:, some], query, self.tokens, square, biases)
        norm_A, points = np.sqrt(entry + squares * step**2), self.points[:, None, None]  # (K, biases)
        paid = np.maximum(points[..., A], norm_A) + np.maximum(points[..., B], np.abs(biases) * step)
        paid += np.maximum(points[..., V], self._norms[some, None])
        paid += np.maximum(points[..., M], norm_M) + points[..., PHI] + points[..., RANK]
        found = np.asarray((paid <= self.top.room + SLACK).any(axis=(1, 2)))
        self.in_vain = self.in_vain + 1 if found.all() else 0
        return found

    @cached_property
    def _vectors(self) -> IntArray:
        """All v that there is room for, (K, f)."""
        return self.lists()[0][0]

    @cached_property
    def _norms(self) -> FloatArray:
        """‖V‖ of each, (K,)."""
        return np.asarray(np.sqrt((self._vectors**2).sum(axis=1)) * self.step)

    @cached_property
    def _limits(self) -> Callable[[int, tuple[int, ...], bool], tuple[FloatArray, FloatArray]]:
        """Least and largest y of every v by class, column and reading, (K,) each."""

        def look(k: int, column: tuple[int, ...], reading: bool) -> tuple[FloatArray, FloatArray]:
            end, bits = self.classes[k], self.stacks.bits[self.places[:1]]
            x = np.floor(self.compared(self._vectors, np.array([column]), bits, end.words)[:, :, 0, 0])
            rejected, accepted = x[: end.rejected], x[end.rejected :]
            ones, zeros = (rejected, accepted) if reading else (accepted, rejected)
            return ones.max(axis=0, initial=-FAR) + 1, zeros.min(axis=0, initial=FAR)

        return lru_cache(MOST_KNOWN)(look)


class ManyUnits(Judge):
    """Three last units or more, whose v are parallel: how often the label changes along a direction."""

    def lists(self) -> Lists:
        """All directions beside all columns."""
        square = find_largest_square((self.spare + float(self.base[V])) * self.one)
        vectors = list_grid_ball(self.size, square)[1:]
        vectors = vectors[np.gcd.reduce(vectors, axis=1) == 1]
        vectors = vectors[vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)] > 0]
        return [(vectors, np.concatenate([columns for _, columns in self.columns]))] if len(vectors) else []

    def serves(self, end: _End, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Which directions, beside which columns, serve a class over the first set, (K, C)."""
        [(vectors, columns)] = lists
        used = columns[:1] if end.is_start else columns
        check_cells(len(vectors) * len(used) * len(end.words))
        sums, scale = self.attended(vectors, used, self.stacks.bits[self.places[:1]], end.words)
        serves = np.ones((len(vectors), len(columns)), dtype=np.bool_)
        if float(scale.max()) > MOST_SCALE:
            return serves
        x = (sums / scale)[:, :, 0].transpose(1, 2, 0)  # (K, C, W)
        order = np.argsort(x, axis=2)
        x, said = np.take_along_axis(x, order, axis=2), (np.arange(len(end.words)) >= end.rejected)[order]
        change, apart = said[:, :, 1:] != said[:, :, :-1], x[:, :, 1:] - x[:, :, :-1] > NEAR
        # Words with the same average have one label, so every change is between two averages.
        serves &= ~_mixed(said, apart) & (change.sum(axis=2) <= self.top.units)
        return serves


class TwoUnits(Judge):
    """Two last units: two literals that hold on all ones, of which one fails on each zero."""

    def lists(self) -> Lists:
        """What one of the units may read beside columns of M of one norm."""
        return [(values.vectors, columns) for values, columns in self._beside]

    def without(self, lists: Lists, kept: IntArray) -> Lists:
        """The same: which units serve is asked of pairs."""
        return lists

    @cached_property
    def _beside(self) -> list[tuple[PairValues, IntArray]]:
        """Values that one of the units may read, beside columns of M of one norm, as many as fit a block."""
        beside = []
        for norm, columns in self.columns:
            left = self.top.room + SLACK - self.base[PHI] - self.base[RANK] - max(norm, self.base[M])
            values = self._values.take(np.flatnonzero(self._values.costs <= left))
            size = max(1, CELLS // max(1, len(values) * len(self.top.ends.lengths)))
            parts = range(0, len(columns) if len(values) else 0, size)
            beside += [(values, columns[begin : begin + size]) for begin in parts]
        return beside

    @cached_property
    def _values(self) -> PairValues:
        """What a unit that stands beside another one may read."""
        return self.top.pair_values(self.size, self.base)

    @property
    def _differ(self) -> bool:
        """Whether two units that differ may be read, along one direction: on an interval or outside of one.

        That is a pair of literals. Of any directions nothing is said then.
        """
        return self.top.xor and self._values.direction is None

    def block(self, some: IntArray, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets of a block there are such literals, as far as single ones tell."""
        left = np.ones(len(some), dtype=np.bool_)
        if self._differ:
            return left
        bits = self.stacks.bits[self.places[some]]  # (S, m, T)
        for words in self.stages(readings):
            if len(here := np.flatnonzero(left)):
                left[here] = self._single(bits[here], words, readings)
        return left

    def _single(self, bits: BoolArray, words: IntArray, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets, (S,), some literal fails on each zero of every class, in some reading."""
        row = self.top.ends.tree_rows[0, words]
        first = self.stacks.inputs.last[:, row[0]]
        classes = list(self.split(words, bits[:, :, row], readings))
        served = {number: np.zeros(len(bits), dtype=np.bool_) for number, *_ in classes}
        is_start = bool(first[0])  # the query `$` sees itself alone, so its column does nothing
        for values, columns in self._beside[:1] if is_start else self._beside:
            # In units of 4^-p, as values are.
            x = self.compared(values.vectors, columns, bits, words) / self.one
            for number, of, sides in classes:
                features = int(first.sum()) + number.bit_count()
                room = self.room(columns, features)
                most = values.largest_y(room, float(self.base[B]), features, self.step)
                served[number] |= self._covered((words, readings), x, of, sides, most)
        return np.asarray(np.logical_and.reduce(list(served.values())))

    def _covered(
        self, stage: _Stage, x: FloatArray, of: BoolArray, sides: tuple[slice, slice], most: FloatArray
    ) -> BoolArray:
        """Over which sets literals fail on all zeros of a class, some on each, with some column, (S,)."""
        (words, readings), (one, zero) = stage, sides
        ones, zeros = of[:, one], of[:, zero]
        largest = _masked(x[one], ones, -FAR).max(axis=0, initial=-FAR)
        least = _masked(x[one], ones, FAR).min(axis=0, initial=FAR)
        fails, can = literals(largest, least, x[zero], most[:, None, None])  # (2, Z, N, S, C), (2, N, S, C)
        open_ = zeros.T[..., None] & ~(fails & can[:, None]).any(axis=(0, 2))  # (Z, S, C)
        serves = np.asarray(can.any(axis=(0, 1)) & ~open_.any(axis=0))  # (S, C)
        covered = np.asarray(serves.any(axis=1))
        if self.top.free:
            covered |= ~ones.any(axis=1) | ~zeros.any(axis=1)
        # A zero that stays open is hard, and so are the ones that are the bounds of some values.
        if zeros.any() and ones.any():
            note = self.top.hard.note
            (s,) = list_samples(~covered)
            note(words[zero][open_[:, s, 0].argmax(axis=0)], readings)
            for k in spread_places(np.arange(len(most)), 3).tolist():
                for far, pick in ((-FAR, np.argmax), (FAR, np.argmin)):
                    note(words[one][pick(np.where(ones[s].T, x[one, k, s, 0], far), axis=0)], readings)
        return covered

    def serves(self, end: _End, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Beside which columns some pair serves a class over the first set, (1, C)."""
        serves = []
        is_alike = self.top.free and end.rejected in (0, len(end.words))
        for values, columns in self._beside:
            some = np.flatnonzero(values.costs <= self.room(columns, end.features))
            alike = np.full(len(columns), self._differ or is_alike) & (len(some) > 0)
            if len(some) and not alike.all():
                used = columns[:1] if end.is_start else columns
                for reading in readings:
                    fails, can = self._literals(values.take(some), used, end, reading)
                    for c in np.flatnonzero(~alike[: len(used)]).tolist():
                        alike[c] = self._cover(fails[..., c], can[..., c], values.take(some))
            serves.append(alike)
        found = np.concatenate(serves)[None]
        return np.broadcast_to(found[:, :1], found.shape) if end.is_start else found

    def confirms(self, matrix: IntArray, readings: tuple[bool, ...]) -> BoolArray:
        """All, if one pair serves all classes, each with its column of M; where one reading is for all."""
        points = super().confirms(matrix, readings)
        if self.top.free:
            return points
        columns = [matrix @ end.query for end in self.classes]
        rooms = [self.room(c[None], end.features) for c, end in zip(columns, self.classes, strict=True)]
        some = np.flatnonzero(self._values.costs <= min(rooms))
        known = [self._known(k, tuple(column.tolist()), readings[0]) for k, column in enumerate(columns)]
        able = np.logical_and.reduce([can[:, some] for _, can in known])
        fails = np.concatenate([fails[:, :, some] for fails, _ in known], axis=1)
        return points & (len(some) > 0 and self._cover(fails, able, self._values.take(some)))

    @cached_property
    def _known(self) -> Callable[[int, tuple[int, ...], bool], tuple[BoolArray, BoolArray]]:
        """Literals of all values by class, column and reading; of no use where a value does not fit."""

        def look(k: int, column: tuple[int, ...], reading: bool) -> tuple[BoolArray, BoolArray]:
            fails, can = self._literals(self._values, np.array([column]), self.classes[k], reading)
            return fails[..., 0], can[..., 0]

        return lru_cache(MOST_KNOWN)(look)

    def _literals(
        self, values: PairValues, columns: IntArray, end: _End, reading: bool
    ) -> tuple[BoolArray, BoolArray]:
        """On which zeros of a class units, and their complements, fail at most, (2, zeros, n, C).

        And which of them may hold on all ones, (2, n, C).
        """
        x = self.compared(values.vectors, columns, self.stacks.bits[self.places[:1]], end.words)[:, :, 0]
        x = x / self.one  # in units of 4^-p, as values are
        rejected, accepted = x[: end.rejected], x[end.rejected :]
        ones, zeros = (rejected, accepted) if reading else (accepted, rejected)
        most = values.largest_y(
            self.room(columns, end.features), float(self.base[B]), end.features, self.step
        )
        largest, least = ones.max(axis=0, initial=-FAR), ones.min(axis=0, initial=FAR)
        return literals(largest, least, zeros, most[:, None])

    @staticmethod
    def _cover(fails: BoolArray, can: BoolArray, values: PairValues) -> bool:
        """Whether two literals that can be fail on all zeros, (2, zeros, n) and (2, n), of some values."""
        kept = can.reshape(-1)
        same = None if values.direction is None else np.tile(values.direction, 2)[kept]
        return covers(fails.transpose(0, 2, 1).reshape(len(kept), -1)[kept], same)
