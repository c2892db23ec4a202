"""Attention patterns of a last layer that may be right over given lower layers, judged class by class.

Words whose last position has one class (token, residue, lower units) see one *column* of M alone: the sum of
the columns of M for the features that are 1 there. So for given φ a last layer is looked at class by class:
for each value vector v and each column, the words of the class bound the numbers y = ⟨s, features⟩ + b that
serve, as in `idinf.search.last_layer.intervals`. A pattern is left if some v serves every class with some
column.

*Lemma (columns).* A column c of a class with k features beside its token has ‖M‖ ≥ ‖c‖ / √(1 + k), as c is M
times a vector of that norm. And y has |y| ≤ √(1 + k) ‖s‖ + |b|. Both bound R from below.

*Lemma (covers).* An answer by two units says that two literals, each a unit or its complement, hold on all
*ones* (accepted words, or for the other reading rejected ones), and that on every *zero* one of them fails.
For one v, column and kind of literal, "holds on all ones" bounds y from one side, so at the extreme y it
fails on the most zeros. If no two of these sets of zeros are all zeros of some class, nothing is right, for
any s and b. Where R has no room for rank_V = 2, and where units can share a channel only, v are parallel.

*Lemma (lines).* Let all v of m units be parallel to one direction. In a class every unit compares the average
along that direction with a number, so m units together change at most m times along the words of the class in
the order of that average, and not at all between words with the same one.

*Many sets.* Lower layers that pay the same are judged together first, for one φ: sets, columns of one norm,
and value vectors are arrays. The sets that are left are looked at one by one, in the same way.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from idinf.nets.attention import UNIFORM, Attention, AttentionPattern
from idinf.search.patterned.ends import WordEnds
from idinf.search.patterned.last import (
    FAR,
    HARD,
    OF_STEP,
    SAMPLES,
    RefutingWords,
    UnitValues,
    check_cells,
    covers,
    list_values,
)
from idinf.search.patterned.lower import (
    PHI,
    RANK,
    B,
    M,
    Stacks,
    floor_of,
    join,
)
from idinf.search.short_words.features import check_exact, compute_weights
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import ArrayRecord, group_rows, list_members_of_groups, sort_distinct, spread_places
from idinf.space.structures import SLACK, LayerShape, Logits, PatternGrid, list_local_biases
from idinf.space.units import BoolArray, FloatArray

#: Numbers of one block of sets.
CELLS = 1 << 22

#: Averages with denominators up to the first number are equal if they are as near as the second.
MOST_SCALE, NEAR = 2.0**14, 2.0**-32

MOST_KNOWN = 1024  #: classes and columns whose literals are kept

#: Values beside columns of M of one norm, (C, f).
Lists = list[tuple[UnitValues, IntArray]]


@dataclass(frozen=True, eq=False)
class TopPatterns:
    """Finds the patterns of a last layer that may be right over some lower layers.

    It has one head or none, and one unit, two, or more whose v are parallel.
    """

    ends: WordEnds
    grid: PatternGrid
    heads: int
    units: int
    room: float  #: bound on ‖M‖ + Σ φ² + rank_V + ‖V‖ + ‖A‖ + ‖b‖ of the whole net
    count: Callable[[float], None]  #: counts steps of work
    #: True if layers without heads stand above: they see classes and these units alone, so they may read
    #: the units differently in each class, and not at all where all words of a class have one label.
    free: bool = False
    #: True if they can say that two units differ, which one unit above, a threshold of both, cannot.
    xor: bool = False
    #: Least attention of its head: with ``LOCAL`` φ is not 0, and with ``CONTENT`` M is not.
    least: Attention = Attention.UNIFORM

    @property
    def readings(self) -> tuple[tuple[bool, ...], ...]:
        """Ways to read the units: in each class one of several; True stands for complements."""
        return ((False, True),) if self.free else ((False,), (True,))

    @cached_property
    def hard(self) -> RefutingWords:
        """Words that exclude most."""
        return RefutingWords(len(self.ends.lengths))

    def values(self, features: int, paid: FloatArray) -> UnitValues:
        """Values that a unit may read of some features, where costs of (6,) are paid already."""
        asked = self.grid.precision, self.heads, self.units, tuple(paid.tolist()), self.room
        return list_values(features, *asked)

    @property
    def floor(self) -> FloatArray:
        """Least costs of the layer, (6,)."""
        floor = floor_of(self.grid.precision, LayerShape((UNIFORM,) * self.heads, self.units))
        floor[M] = 0.5**self.grid.precision if self.least is Attention.CONTENT else 0.0  # an entry's norm
        return floor

    @cached_property
    def _phis(self) -> dict[int, list[tuple[float, tuple[int, ...]]]]:
        """Every φ that there is room for, with its cost, by its reach."""
        room = self.room - float(self.floor.sum())
        by_reach: dict[int, list[tuple[float, tuple[int, ...]]]] = {}
        for cost, phi in list_local_biases(self.grid, room) if self.heads else [(0.0, ())]:
            if phi or self.least is not Attention.LOCAL or not self.heads:
                by_reach.setdefault(max(len(phi) - 1, 0), []).append((cost, phi))
        return by_reach

    def left(self, stacks: Stacks) -> Iterator[tuple[int, AttentionPattern]]:
        """Sets of lower layers with a pattern that may be right over them; UNIFORM without a head."""
        least = stacks.least(stacks.points)
        most = self.room - stacks.least(join(stacks.points, self.floor).sum(axis=1)) + SLACK
        self.count(1 / 2 + len(stacks) / 256)
        open_ = np.flatnonzero(most >= 0)
        below = stacks.inputs.last[self.ends.first.size :]
        clear: dict[int, IntArray] = {}  # by the reach of a φ, sets that are not confused
        # Confusion at a reach excludes all smaller ones at once.
        for reach, phis in sorted(self._phis.items(), reverse=True):
            fits = open_[most[open_] >= min(cost for cost, _ in phis)]
            if len(fits):
                confused = self.ends.confused(stacks.bits.take(fits), reach, below)
                clear[reach], open_ = fits[~confused], np.setdiff1d(open_, fits[confused])
        by_cost: dict[float, list[tuple[int, tuple[int, ...]]]] = {}
        for reach, fits in clear.items():
            for cost, phi in self._phis[reach]:
                by_cost.setdefault(cost, []).extend((k, phi) for k in fits[most[fits] >= cost].tolist())
        found: dict[int, list[tuple[float, tuple[int, ...]]]] = {}
        for cost, pairs in by_cost.items():
            for (k, phi), is_left in zip(pairs, self._left_together(stacks, least, pairs, cost), strict=True):
                if is_left:
                    found.setdefault(k, []).append((cost, phi))
        for k in sorted(found):
            for cost, phi in sorted(found[k]):
                judge = self._judge(stacks, [(k, phi)], self._paid(least[k], cost))
                yield from ((k, pattern) for pattern in judge.patterns())

    def _paid(self, least: FloatArray, cost: float) -> FloatArray:
        """Least costs of every net over some sets with a φ of given cost, (..., 6)."""
        base = join(least, self.floor)
        base[..., PHI] += cost
        return base

    def _judge(self, stacks: Stacks, pairs: list[tuple[int, tuple[int, ...]]], base: FloatArray) -> Judge:
        kind = OneUnit if self.units == 1 else TwoUnits if self.units == 2 else ManyUnits
        return kind(self, stacks, pairs, base)

    def _left_together(
        self, stacks: Stacks, least: FloatArray, pairs: list[tuple[int, tuple[int, ...]]], cost: float
    ) -> BoolArray:
        """Mask of sets, each with a φ of one cost, that may be right after judging them together."""
        left = np.ones(len(pairs), dtype=np.bool_)
        if pairs:
            base = self._paid(least[[k for k, _ in pairs]], cost)
            first, group = group_rows(base.view(np.int64))
            for pays, members in zip(base[first], list_members_of_groups(group, len(first)), strict=True):
                some = [pairs[member] for member in members.tolist()]
                left[members] = self._judge(stacks, some, pays).left()
        return left


@dataclass(frozen=True, eq=False)
class _Class:
    """Words that end in one class, among some words and over each of S sets, as one reading takes them."""

    words: IntArray  #: (W,): all of the words, rejected ones first
    rejected: int  #: how many of them are rejected
    query: IntArray  #: (f,): features that are 1 at the end
    of: BoolArray  #: (S, W): which words are of the class
    reading: bool

    @property
    def features(self) -> int:
        """Number of features that are 1."""
        return int(self.query.sum())

    @property
    def sides(self) -> tuple[slice, slice]:
        """Places of the ones and of the zeros."""
        sides = slice(self.rejected, None), slice(self.rejected)
        return sides[::-1] if self.reading else sides

    @property
    def alike(self) -> BoolArray:
        """Over which sets there are no ones, or no zeros, (S,)."""
        return np.asarray(np.logical_or.reduce([~self.of[:, side].any(axis=1) for side in self.sides]))

    def first(self) -> _Class:
        """The words of the class over the first set alone."""
        kept = np.flatnonzero(self.of[0])
        rejected = int(np.searchsorted(kept, self.rejected))
        return replace(self, words=self.words[kept], rejected=rejected, of=self.of[:1, kept])

    def masked(self, x: FloatArray, side: slice, far: float) -> FloatArray:
        """Numbers of the words of one side, moved far away where a word is not of the class."""
        kept, x = self.of[:, side], x[side]
        return x if kept.all() else x + np.where(kept, 0.0, far).T[:, None, :, None]

    def bounds(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Least and largest y of a unit that is 1 where y is above a number of each word, (K, S, C) each."""
        one, zero = self.sides
        low = np.floor(self.masked(x, one, -FAR).max(axis=0, initial=-FAR)) + 1
        return low, np.floor(self.masked(x, zero, FAR).min(axis=0, initial=FAR))


@dataclass(frozen=True, eq=False)
class _Sets(ArrayRecord):
    """Sets of lower layers with a φ each."""

    bits: BoolArray  #: (S, m, T): outputs of their units
    phis: IntArray  #: (S, D)


class Judge(ABC):
    """A last layer over sets of lower layers, each with a φ, that pay the same.

    ``pairs`` are places of sets with a φ; ``base`` are the six terms that every net pays at least, with those
    of φ.
    """

    def __init__(
        self, top: TopPatterns, stacks: Stacks, pairs: list[tuple[int, tuple[int, ...]]], base: FloatArray
    ) -> None:
        self.top, self.stacks, self.base, self.phi = top, stacks, base, pairs[0][1]
        self.places = np.array([k for k, _ in pairs])
        longest = top.ends.words.length + 1
        self.phis = np.zeros((len(pairs), longest), dtype=np.int64)  #: (S, D)
        for row, (_, phi) in zip(self.phis, pairs, strict=True):
            row[: len(phi)] = phi[:longest]
        self.step, self.one = 0.5**top.grid.precision, 1 << top.grid.precision
        self.size = stacks.inputs.size + stacks.bits.shape[1]
        self.tokens = top.ends.words.symbols + 1
        self.spare = top.room + SLACK - float(base.sum())

    #: True if several values serve a class together, so that they may differ from class to class.
    is_joint = False
    #: True if only one set by itself is looked at.
    is_slow = False

    @abstractmethod
    def serves(
        self, values: UnitValues, x: FloatArray, most: FloatArray, end: _Class, scale: float
    ) -> BoolArray:
        """Mask of values that serve a class over S sets, (K, S, C); (1, S, C) where they do so together.

        They are compared with ``x``, (W, K, S, C), quotients with denominators up to ``scale``. |y| is at
        most ``most``, (K, 1, 1), and values are too dear where that is negative.
        """

    def confirms(self, matrix: IntArray, reading: bool) -> bool:
        """True if a second look leaves an M, where one reading is for all classes."""
        return True

    def _sets(self, some: IntArray | slice) -> _Sets:
        return _Sets(self.stacks.bits[self.places[some]], self.phis[some])

    @cached_property
    def values(self) -> UnitValues:
        """Values that a unit may read."""
        return self.top.values(self.size, self.base)

    @cached_property
    def lists(self) -> Lists:
        """Values that a unit may read beside blocks of columns of M of one norm, shortest columns first."""
        lists: Lists = []
        for norm, columns in self.columns:
            left = self.top.room + SLACK - self.base[PHI] - self.base[RANK] - max(norm, self.base[M])
            values = self.values.take(np.flatnonzero(self.values.costs <= left))
            size = max(1, CELLS // max(1, len(values) * len(self.top.ends.lengths)))
            parts = range(0, len(columns) if len(values) else 0, size)
            lists += [(values, columns[begin : begin + size]) for begin in parts]
        return lists

    def left(self) -> BoolArray:
        """Over which sets something may be right, in some reading, (S,)."""
        left, lists = np.zeros(len(self.phis), dtype=np.bool_), self.lists
        if self.is_slow or not lists:
            return left | bool(lists)
        cells = sum(len(columns) * len(values) for values, columns in lists)
        cells += sum(len(columns) for _, columns in lists) * self.size * 4
        size = max(1, CELLS // max(1, cells * len(self.top.ends.lengths)))
        for begin in range(0, len(left), size):
            for readings in self.top.readings:
                some = begin + np.flatnonzero(~left[begin : begin + size])
                left[self._serving(some, readings)[0]] = True
        return left

    def _serving(
        self, some: IntArray, readings: tuple[bool, ...], each: bool = False
    ) -> tuple[IntArray, list[BoolArray]]:
        """Sets, of some, over which some value serves every class.

        The second result has the masks of values that serve each class, in the order of `classes`, beside
        ``each`` column, (K, S, C); without ``each`` it is empty.
        """
        sets, lists, served = self._sets(some), self.lists, list[BoolArray]()
        number = sum(len(columns) for _, columns in lists) if each else 1
        alive = np.ones((1 if self.is_joint else len(lists[0][0]), len(some)), dtype=np.bool_)
        for words in self.stages(None if each else readings):
            if not len(some):
                break
            of_class: dict[bytes, BoolArray] = {}
            for end, place, fits in self._fits(sets, words, lists, readings):
                key = end.query.tobytes()
                if key not in of_class:
                    of_class[key] = np.zeros((*alive.shape, number), dtype=np.bool_)
                if not each:
                    fits, place = np.asarray(fits.any(axis=2, keepdims=True)), slice(None)
                of_class[key][: len(fits), :, place] |= fits
            served += of_class.values() if each else ()
            for serves in of_class.values():
                alive &= serves.any(axis=2)
            ways, left = np.flatnonzero(alive.any(axis=1)), np.flatnonzero(alive.any(axis=0))
            some, sets, alive = some[left], sets.take(left), alive[np.ix_(ways, left)]
            served = [serves[ways][:, left] for serves in served]
            if not self.is_joint:
                lists = [(values.take(ways[ways < len(values)]), columns) for values, columns in lists]
        return some, served

    def _fits(
        self, sets: _Sets, words: IntArray, lists: Lists, readings: tuple[bool, ...]
    ) -> Iterator[tuple[_Class, slice, BoolArray]]:
        """Masks of `serves` for every class of a stage, reading and list of columns.

        The places of these among the columns of all lists come along.
        """
        classes, last = list(self.split(words, sets.bits, readings)), 0
        for values, columns in lists:
            place, last = slice(last, last + len(columns)), last + len(columns)
            if not len(values):
                continue
            check_cells(len(values) * len(columns) * len(words) * (self.top.ends.words.length + 1))
            x, scale = self.compared(values.vectors, columns, sets, words)
            for end in classes:
                most = self._largest_y(values, columns, end)
                fits = self.serves(values, x, most, end, scale)
                if self.top.free:
                    able = (most >= 0).any(axis=0, keepdims=True) if self.is_joint else most >= 0
                    fits = fits | (able & end.alike[:, None])
                yield end, place, fits

    def _largest_y(self, values: UnitValues, columns: IntArray, end: _Class) -> FloatArray:
        """Largest |y| of each value beside columns of one norm, (K, 1, 1)."""
        norm = math.sqrt(float((columns[0] ** 2).sum())) * self.step / math.sqrt(end.features)
        left = self.top.room + SLACK - self.base[PHI] - self.base[RANK] - max(norm, self.base[M])
        return values.largest_y(float(left), float(self.base[B]), end.features, self.step)[:, None, None]

    def patterns(self) -> list[AttentionPattern]:
        """The patterns that may be right over the first set, in some reading."""
        matrices = itertools.chain.from_iterable(map(self._matrices, self.top.readings))
        return [AttentionPattern(matrix, self.phi) for matrix in dict.fromkeys(matrices)]

    def _matrices(self, readings: tuple[bool, ...]) -> Iterator[Logits]:
        """Every M all of whose columns are alive for one v; () for 0."""
        if not self.lists:
            return
        some, alive = self._serving(np.zeros(1, dtype=np.int64), readings, True)
        if not len(some):
            return
        columns = np.concatenate([columns for _, columns in self.lists])
        widest = (self.spare + float(self.base[M]) + SLACK) / self.step
        place = {tuple(column): k for k, column in enumerate(columns.tolist())}
        largest = columns.max(axis=1) <= self.top.grid.content_max * self.one
        short = np.flatnonzero((np.sqrt((columns**2).sum(axis=1)) <= widest) & largest).tolist()
        # Columns of units and residues first, as several classes have them; then those of tokens.
        queries = [*range(self.tokens, self.size), *range(1, self.tokens)]
        chosen = np.zeros((self.size, self.size), dtype=np.int64)

        def grow(depth: int, left: BoolArray) -> Iterator[Logits]:
            if depth == len(queries):
                if self.top.free or self.confirms(chosen, *readings):
                    yield tuple(map(tuple, chosen.tolist())) if chosen.any() else ()
                return
            query = queries[depth]
            concerned = (
                [k for k, c in enumerate(self.classes) if c.query[query]] if query < self.tokens else []
            )
            for column in short:
                self.top.count(1 / 32)
                chosen[:, query] = columns[column]
                # ‖M‖ is at most the root of the sum of squares, which is quick.
                if int((chosen**2).sum()) > widest**2 and np.linalg.norm(chosen, 2) > widest:
                    continue
                rest = left
                for k in concerned:  # all its other columns are known
                    number = place.get(tuple((chosen @ self.classes[k].query).tolist()))
                    if number is None:
                        rest = np.zeros_like(left)
                        break
                    rest = rest & alive[k][:, 0, number]
                if rest.any():
                    yield from grow(depth + 1, rest)
            chosen[:, query] = 0

        start = np.ones(alive[0].shape[0], dtype=np.bool_)
        for of_class, c in zip(alive, self.classes, strict=True):
            if c.query[0]:  # `$` sees itself alone, so any column serves as 0 does
                start = start & of_class[:, 0, 0]
        yield from grow(0, start)

    @cached_property
    def classes(self) -> list[_Class]:
        """The classes of the first set."""
        bits = self.stacks.bits[self.places[:1]]
        return [end.first() for words in self.stages() for end in self.split(words, bits, (False,))]

    @cached_property
    def columns(self) -> list[tuple[float, IntArray]]:
        """Columns of M of one norm that fit into the room, (C, f), with the least ‖M‖, shortest first.

        A class may have several features: their columns add up.
        """
        top, ends, columns = self.top, self.top.ends, np.zeros((1, self.size), dtype=np.int64)
        residues = ends.period if ends.period > 1 else 0
        features = 1 + self.size - self.tokens - residues + (residues > 0)
        most = self.spare + float(self.base[M])
        if top.heads and top.grid.content_max and most >= self.step:
            square = find_largest_square(most * math.sqrt(features) * self.one)
            columns = list_grid_ball(self.size, square, 0, features * top.grid.content_max * self.one)
            if self.size == self.tokens and not (self.phis % self.one).any():
                raised = (columns % self.one == 0).all(axis=1) & (columns.min(axis=1) > 0)
                columns = columns[~raised]
        squares = (columns**2).sum(axis=1)
        return [
            (math.sqrt(square / features) * self.step, columns[squares == square])
            for square in sort_distinct(squares).tolist()
        ]

    def stages(self, readings: tuple[bool, ...] | None = None) -> list[IntArray]:
        """Words that end in one token, residue and class of the layers further below, rejected ones first.

        Some hard words of each come before all, where readings are given.
        """
        _, kinds = group_rows(self.stacks.inputs.last[:, self.top.ends.tree_rows[0]].T)
        members = list_members_of_groups(kinds, int(kinds.max()) + 1)
        members.sort(key=len)
        numbers = HARD if readings else ()
        hard = [self.top.hard.among(words, n, readings or ()) for n in numbers for words in members]
        stages = (*(few for few in hard if few is not None), *members)
        labels = self.top.ends.words.labels
        return [words[np.argsort(labels[words], kind="stable")] for words in stages]

    def split(self, words: IntArray, bits: BoolArray, readings: tuple[bool, ...]) -> Iterator[_Class]:
        """Classes of words of a stage by the units of the last lower layer, in every reading."""
        row = self.top.ends.tree_rows[0, words]
        rejected, below = int((~self.top.ends.words.labels[words]).sum()), self.stacks.inputs.last[:, row[0]]
        own = bits[:, :, row]
        for said in itertools.product((False, True), repeat=bits.shape[1]):
            of = (own == np.array(said, dtype=np.bool_)[:, None]).all(axis=1)
            if of.any():
                query = np.concatenate([below, said]).astype(np.int64)
                yield from (_Class(words, rejected, query, of, reading) for reading in readings)

    def compared(
        self, vectors: IntArray, columns: IntArray, sets: _Sets, words: IntArray
    ) -> tuple[FloatArray, float]:
        """Bounds of y, −⟨v, sums⟩ / scale in grid steps, (W, K, S, C); and the largest scale."""
        sums, scale = self.attended(vectors, columns, sets, words)
        sums /= scale * -self.one
        return np.broadcast_to(sums, (*sums.shape[:2], len(sets), sums.shape[3])), float(scale.max())

    def attended(
        self, vectors: IntArray, columns: IntArray, sets: _Sets, words: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """⟨v, sums⟩, (W, K, S, C), and scale, (W, 1, S, C); S may be 1 where all sets have the same.

        Exact: no sum of a feature is above the scale, which bounds every partial sum. Raises PrecisionError
        where that bound reaches 2^53; below it quotients have the floors that `Intervals.solve` argues.
        """
        ends = self.top.ends
        if not self.top.heads:
            return np.zeros((len(words), 1, 1, 1)), np.ones((len(words), 1, 1, 1))
        rows, real = ends.tree_rows[:, words], ends.real[:, words]
        first = self.stacks.inputs.last[:, rows].astype(np.float64) * real  # (f, D, W)
        own = sets.bits[:, :, rows].astype(np.float64) * real  # (S, m, D, W)
        known, units = len(first), own.shape[1]
        exponents = np.tensordot(columns[:, :known], first, axes=(1, 0))[None]  # (1, C, D, W)
        if units and columns[:, known:].any():
            exponents = exponents + np.einsum("cu,sudw->scdw", columns[:, known:].astype(np.float64), own)
        phis = sets.phis if (sets.phis != sets.phis[:1]).any() else sets.phis[:1]
        logits = exponents.astype(np.int64) + phis[:, None, :, None]
        weights = compute_weights(ends.lengths[words] + 1, logits, self.top.grid.precision)
        weights *= real  # (1 or S, C, D, W)
        scale = weights.sum(axis=2)
        most = max(1, int(np.abs(vectors).sum(axis=1).max(initial=0)))
        check_exact(most * int(scale.max(initial=0)), "attended sums")
        sums = np.einsum("scdw,fdw->wfsc", weights, first)
        shape = (len(words), len(vectors), *sums.shape[2:])
        x = (vectors[:, :known].astype(np.float64) @ sums.reshape(*sums.shape[:2], -1)).reshape(shape)
        if units:
            every = np.broadcast_to(weights, (len(sets), *weights.shape[1:]))
            of_units = np.einsum("scdw,sudw->wusc", every, own)
            of_units = of_units.reshape(len(words), units, -1)
            more = vectors[:, known:].astype(np.float64) @ of_units
            x = x + more.reshape(len(words), len(vectors), len(sets), -1)
        self.top.count(3 / 8 + 3 * x.size / OF_STEP)
        return x, scale.transpose(2, 0, 1)[:, None]


class OneUnit(Judge):
    """One last unit: some v serves every class."""

    def serves(
        self, values: UnitValues, x: FloatArray, most: FloatArray, end: _Class, scale: float
    ) -> BoolArray:
        """Mask of v that leave some y that serves a class, (K, S, C)."""
        low, high = end.bounds(x)
        self._learn(x, end, low > high)
        return np.asarray(np.maximum(low, -most) <= np.minimum(high, most))

    def _learn(self, x: FloatArray, end: _Class, apart: BoolArray) -> None:
        """Note which two words left no y for a v, a set and a column, (K, S, C), some of those."""
        k, s, c = np.unravel_index(spread_places(np.flatnonzero(apart), SAMPLES), apart.shape)
        for side, far, pick in zip(end.sides, (-FAR, FAR), (np.argmax, np.argmin), strict=True):
            seen = np.where(end.of[s, side].T, x[side][:, k, s, c], far)
            if len(seen) and len(k):
                self.top.hard.note(end.words[side][pick(seen, axis=0)], end.reading)


class ManyUnits(Judge):
    """Three last units or more, whose v are parallel: how often the label changes along a direction."""

    is_slow = True

    def serves(
        self, values: UnitValues, x: FloatArray, most: FloatArray, end: _Class, scale: float
    ) -> BoolArray:
        """Mask of directions that serve a class over one set, (K, 1, C)."""
        if scale > MOST_SCALE:
            return np.ones(x.shape[1:], dtype=np.bool_)
        x = x[end.of[0], :, 0].transpose(1, 2, 0)  # (K, C, W)
        order = np.argsort(x, axis=2)
        accepted = (np.arange(len(end.words)) >= end.rejected)[end.of[0]]
        x, said = np.take_along_axis(x, order, axis=2), accepted[order]
        change, apart = said[:, :, 1:] != said[:, :, :-1], x[:, :, 1:] - x[:, :, :-1] > NEAR
        # Words with the same average have one label, so every change is between two averages.
        return np.asarray((apart | ~change).all(axis=2) & (change.sum(axis=2) <= self.top.units))[:, None]


class TwoUnits(Judge):
    """Two last units: two literals that hold on all ones, of which one fails on each zero."""

    is_joint = True

    @property
    def is_slow(self) -> bool:  # type: ignore[override]
        """True if units above may ask whether two units differ, and these may read several directions.

        Then no set is excluded here. Along one direction a pair of literals says that two units differ.
        """
        return self.top.xor and self.values.direction is None

    def serves(
        self, values: UnitValues, x: FloatArray, most: FloatArray, end: _Class, scale: float
    ) -> BoolArray:
        """Mask of sets where each zero of a class has a failing literal, (1, S, C); two for a single set."""
        if self.is_slow:
            return np.asarray((most >= 0).any(axis=0, keepdims=True))
        fails, can = self.told(x, most, end)
        ones, zeros = (end.of[:, side] for side in end.sides)
        open_ = zeros.T[..., None] & ~(fails & can[:, None]).any(axis=(0, 2))  # (Z, S, C)
        serves = np.asarray(can.any(axis=(0, 1)) & ~open_.any(axis=0))  # (S, C)
        # A zero that stays open is hard, and so are the ones that are the bounds of some values.
        if zeros.any() and ones.any():
            one, zero = end.sides
            s = spread_places(np.flatnonzero(~serves.any(axis=1)), SAMPLES)
            self.top.hard.note(end.words[zero][open_[:, s, 0].argmax(axis=0)], end.reading)
            for k in spread_places(np.arange(len(most)), 3).tolist():
                for far, pick in ((-FAR, np.argmax), (FAR, np.argmin)):
                    seen = np.where(ones[s].T, x[one, k, s, 0], far)
                    self.top.hard.note(end.words[one][pick(seen, axis=0)], end.reading)
        if len(serves) == 1:
            for c in np.flatnonzero(serves[0]).tolist():
                serves[0, c] = covers(fails[:, zeros[0]][..., 0, c], can[..., 0, c], values.direction)
        return serves[None]

    def confirms(self, matrix: IntArray, reading: bool) -> bool:
        """True if one pair serves all classes, each with its column of M."""
        columns = [tuple((matrix @ end.query).tolist()) for end in self.classes]
        known = [self._known(k, column, reading) for k, column in enumerate(columns)]
        fails, can = zip(*known, strict=True)
        return covers(np.concatenate(fails, axis=1), np.logical_and.reduce(can), self.values.direction)

    @cached_property
    def _known(self) -> Callable[[int, tuple[int, ...], bool], tuple[BoolArray, BoolArray]]:
        """Function with the result of `told` for all values, by class, column and reading."""

        def look(k: int, column: tuple[int, ...], reading: bool) -> tuple[BoolArray, BoolArray]:
            end, columns = replace(self.classes[k], reading=reading), np.array([column])
            x, _ = self.compared(self.values.vectors, columns, self._sets(slice(1)), end.words)
            fails, can = self.told(x, self._largest_y(self.values, columns, end), end)
            return fails[..., 0, 0], can[..., 0, 0]

        return lru_cache(MOST_KNOWN)(look)

    def told(self, x: FloatArray, most: FloatArray, end: _Class) -> tuple[BoolArray, BoolArray]:
        """Mask of zeros of a class on which units, and their complements, can fail, (2, zeros, K, S, C).

        And a mask of those that may hold on all ones, (2, K, S, C): a unit is 1 where y is above a number of
        the word.
        """
        one, zero = end.sides
        largest = end.masked(x, one, -FAR).max(axis=0, initial=-FAR)
        least = end.masked(x, one, FAR).min(axis=0, initial=FAR)
        low, high = np.maximum(np.floor(largest) + 1, -most), np.minimum(np.floor(least), most)
        # A unit that is 1 on all ones fails where y is too small; a complement the other way round.
        return np.stack([x[zero] >= low, x[zero] < high]), np.stack([low <= most, high >= -most])
