"""One or two last units over many sets of lower layers at once, where φ and what they pay are the same.

All of `idinf.search.patterned.top` holds here; sets, columns of one norm and value vectors are arrays. What
is left is looked at set by set there.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from idinf.search.patterned.covers import PairValues, literals
from idinf.search.patterned.last import CALL, FAR, HARD, LastLayer, check_cells, list_samples, y_costs
from idinf.search.patterned.lower import PHI, RANK, A, B, M, Stacks, V, total
from idinf.search.short_words.features import weight_table
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import group_rows, list_members_of_groups, sort_distinct, spread_places
from idinf.space.units import SLACK, BoolArray, FloatArray

#: Numbers of one block of sets.
CELLS = 1 << 22

#: Words that are looked at, and the ways that units are read in.
_Stage = tuple[IntArray, tuple[bool, ...]]

#: Value vectors beside columns of M of one norm: (K, f) and (C, f).
Lists = list[tuple[IntArray, IntArray]]


def _masked(x: FloatArray, kept: BoolArray, far: float) -> FloatArray:
    """Numbers of words, (W, K, S, C), moved far away where a word does not count over a set, (S, W)."""
    return x if kept.all() else x + np.where(kept, 0.0, far).T[:, None, :, None]


class ManySets(ABC):
    """A last layer over many sets of lower layers that pay the same, for one φ.

    ``base`` are the six terms that every net of it pays at least, with those of φ.
    """

    def __init__(
        self, top: LastLayer, stacks: Stacks, places: IntArray, base: FloatArray, phi: tuple[int, ...]
    ) -> None:
        self.top, self.stacks, self.places, self.base, self.phi = top, stacks, places, base, phi
        self.step, self.one = 0.5**top.grid.precision, 1 << top.grid.precision
        self.size = stacks.inputs.size + stacks.bits.shape[1]
        self.spare = top.room + SLACK - float(total(base))

    @abstractmethod
    def lists(self) -> Lists:
        """What a unit may read, beside the columns of M of one norm, shortest first."""

    @abstractmethod
    def block(self, some: IntArray, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets of a block something may be right."""

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

    def columns(self) -> Iterator[tuple[float, IntArray]]:
        """Columns of M of one norm that there is room for, (C, f), with what ‖M‖ is at least, shortest first.

        A class may have several features: their columns add up.
        """
        top, ends, columns = self.top, self.top.ends, np.zeros((1, self.size), dtype=np.int64)
        tokens, residues = ends.words.symbols + 1, ends.period if ends.period > 1 else 0
        features = 1 + self.size - tokens - residues + (residues > 0)
        most = self.spare + float(self.base[M])
        if top.grid.content_max and most >= self.step:
            square = find_largest_square(most * math.sqrt(features) * self.one)
            columns = list_grid_ball(self.size, square, 0, features * top.grid.content_max * self.one)
            if self.size == tokens and all(x % self.one == 0 for x in self.phi):
                raised = (columns % self.one == 0).all(axis=1) & (columns.min(axis=1) > 0)
                columns = columns[~raised]
        squares = (columns**2).sum(axis=1)
        for square in sort_distinct(squares).tolist():
            yield math.sqrt(square / features) * self.step, columns[squares == square]

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

    def classes(
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
        ends, sets = self.top.ends, len(bits)
        if not self.top.heads:
            return np.zeros((len(words), 1, sets, 1))
        rows, real = ends.tree_rows[:, words], ends.real[:, words]
        first = self.stacks.inputs.last[:, rows].astype(np.float64) * real  # (f, D, W)
        own = bits[:, :, rows].astype(np.float64) * real  # (S, m, D, W)
        known, units = len(first), own.shape[1]
        logits = np.tensordot(columns[:, :known], first, axes=(1, 0))[None]  # (1, C, D, W)
        if units and columns[:, known:].any():
            logits = logits + np.einsum("cu,sudw->scdw", columns[:, known:].astype(np.float64), own)
        logits = logits.astype(np.int64)
        for distance, value in enumerate(self.phi[: logits.shape[2]]):
            logits[:, :, distance] += value
        table = weight_table(ends.words.length + 1, int(logits.max(initial=0)), self.top.grid.precision)
        weights = table[ends.lengths[words] + 1, logits] * real  # (1 or S, C, D, W)
        sums = np.einsum("scdw,fdw->wfsc", weights, first)
        shape = (len(words), len(vectors), *sums.shape[2:])
        x = (vectors[:, :known].astype(np.float64) @ sums.reshape(*sums.shape[:2], -1)).reshape(shape)
        if units:
            every = np.broadcast_to(weights, (sets, *weights.shape[1:]))
            of_units = np.einsum("scdw,sudw->wusc", every, own)
            of_units = of_units.reshape(len(words), units, -1)
            more = vectors[:, known:].astype(np.float64) @ of_units
            x = x + more.reshape(len(words), len(vectors), sets, -1)
        x /= -weights.sum(axis=2).transpose(2, 0, 1)[:, None]
        self.top.cells.spend(CALL + x.size)
        return np.broadcast_to(x, (*x.shape[:2], sets, x.shape[3]))


class OneUnit(ManySets):
    """One last unit: some v serves every class."""

    def lists(self) -> Lists:
        """Columns of M of one norm with the v that there is room for beside them, shortest first."""
        base, top = self.base, self.top
        if not top.heads:
            zero = np.zeros((1, self.size), dtype=np.int64)
            return [(zero, zero)]
        vectors = list_grid_ball(self.size, find_largest_square((self.spare + base[V]) * self.one))[1:]
        values = np.sqrt((vectors**2).sum(axis=1)) * self.step
        lists = []
        for norm, columns in self.columns():
            left = self.spare + base[V] + base[M] - max(norm, base[M])
            number = int(np.searchsorted(values, left + SLACK, side="right"))
            if number:
                lists.append((vectors[:number], columns))
        return lists

    def block(self, some: IntArray, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets of a block some v serves every class."""
        bits = self.stacks.bits[self.places[some]]  # (S, m, T)
        alive = np.ones((len(some), max(len(vectors) for vectors, _ in lists)), dtype=np.bool_)
        here = np.arange(len(some))
        for words in self.stages(readings):
            serves = self._serve(bits[here], words, lists, readings)
            alive = alive[:, : serves.shape[1]] & serves
            keep = np.flatnonzero(alive.any(axis=1))
            here, alive = here[keep], alive[keep]
            if not len(here):
                break
            # What serves nowhere any more is left out of all lists, each the first of one list of all v.
            kept = np.flatnonzero(alive.any(axis=0))
            alive = alive[:, kept]
            shorter = ((vectors[kept[kept < len(vectors)]], columns) for vectors, columns in lists)
            lists = [(vectors, columns) for vectors, columns in shorter if len(vectors)]
        left = np.zeros(len(some), dtype=np.bool_)
        left[here] = True
        return left

    def _serve(self, bits: BoolArray, words: IntArray, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Which v serve each class of some words, (S, K)."""
        top, base, step = self.top, self.base, self.step
        row = top.ends.tree_rows[0, words]
        first = self.stacks.inputs.last[:, row[0]]
        classes = list(self.classes(words, bits[:, :, row], readings))
        numbers = {number: k for k, number in enumerate(dict.fromkeys(number for number, *_ in classes))}
        serves = np.zeros((len(numbers), len(bits), max(len(v) for v, _ in lists)), dtype=np.bool_)
        room = top.room + SLACK - base[PHI] - base[RANK]
        is_start = bool(first[0])  # the query `$` sees itself alone, so its column does nothing
        for vectors, columns in lists[:1] if is_start else lists:
            used = columns[:1] if is_start else columns
            check_cells(len(vectors) * len(used) * len(words) * (top.ends.words.length + 1))
            x = self.compared(vectors, used, bits, words)
            values = np.maximum(np.sqrt((vectors**2).sum(axis=1)) * step, base[V])  # (K,)
            norm = math.sqrt(float((columns[0] ** 2).sum())) * step
            for number, of, (one, zero) in classes:
                extra = int(first.sum()) - 1 + number.bit_count()
                ones, zeros = of[:, one], of[:, zero]
                spare = room - max(norm / math.sqrt(1 + extra), base[M]) - values  # (K,)
                most = max(0, int(max(0.0, float(spare.max())) * self.one * math.sqrt(1 + extra)) + 1)
                low = high = None
                smallest = np.zeros(())
                if ones.any():
                    low = np.floor(_masked(x[one], ones, -FAR).max(axis=0)) + 1
                    smallest = np.maximum(low, 0.0)
                if zeros.any():
                    high = np.floor(_masked(x[zero], zeros, FAR).min(axis=0))
                    smallest = np.maximum(smallest, -high)
                need = y_costs(extra, float(top.heads), base[A], base[B], most, step)
                # The least costs grow with y, so what is left of R says how large it may be.
                fits = smallest <= (np.searchsorted(need, spare, side="right") - 1)[:, None, None]
                if low is not None and high is not None:
                    fits &= low <= high
                    self._learn((words, readings), x, of, (one, zero), np.asarray(low > high))
                if top.free:
                    alike = np.asarray(~ones.any(axis=1) | ~zeros.any(axis=1))
                    fits |= (alike[:, None] & (need[0] <= spare)).T[:, :, None]
                serves[numbers[number], :, : len(vectors)] |= fits.any(axis=2).T
        return np.asarray(serves.all(axis=0))

    def _learn(
        self, stage: _Stage, x: FloatArray, of: BoolArray, sides: tuple[slice, slice], apart: BoolArray
    ) -> None:
        """Note which two words left no y for a v, a set and a column, (K, S, C), some of those."""
        (words, readings), (k, s, c) = stage, list_samples(apart)
        for side, far, pick in zip(sides, (-FAR, FAR), (np.argmax, np.argmin), strict=True):
            seen = np.where(of[s, side].T, x[side][:, k, s, c], far)
            self.top.hard.note(words[side][pick(seen, axis=0)], readings)


class TwoUnits(ManySets):
    """Two last units: on every zero of each class some literal fails that holds on all ones."""

    def lists(self) -> Lists:
        """What one of the units may read beside columns of M of one norm."""
        return [(values.vectors, columns) for values, columns in self._beside]

    @cached_property
    def _beside(self) -> list[tuple[PairValues, IntArray]]:
        """Values that one of the units may read, beside columns of M of one norm, as many as fit a block."""
        beside = []
        for norm, columns in self.columns():
            values = self._values.take(np.flatnonzero(self._values.costs <= self._room(norm)))
            size = max(1, CELLS // max(1, len(values) * len(self.top.ends.lengths)))
            parts = range(0, len(columns) if len(values) else 0, size)
            beside += [(values, columns[begin : begin + size]) for begin in parts]
        return beside

    @cached_property
    def _values(self) -> PairValues:
        return self.top.pair_values(self.size, self.base)

    def _room(self, norm: float) -> float:
        """What there is for ‖V‖, ‖A‖ and ‖b‖ beside some ‖M‖."""
        base = self.base
        return float(self.top.room + SLACK - base[PHI] - base[RANK] - max(norm, base[M]))

    def block(self, some: IntArray, lists: Lists, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets of a block there are such literals."""
        left = np.ones(len(some), dtype=np.bool_)
        if self.top.xor and self._values.direction is None:
            return left
        bits = self.stacks.bits[self.places[some]]  # (S, m, T)
        for words in self.stages(readings):
            if len(here := np.flatnonzero(left)):
                left[here] = self._serve(bits[here], words, readings)
        return left

    def _serve(self, bits: BoolArray, words: IntArray, readings: tuple[bool, ...]) -> BoolArray:
        """Over which sets each class of some words is served by some column, in some reading, (S,)."""
        row = self.top.ends.tree_rows[0, words]
        first = self.stacks.inputs.last[:, row[0]]
        classes = list(self.classes(words, bits[:, :, row], readings))
        served = {number: np.zeros(len(bits), dtype=np.bool_) for number, *_ in classes}
        is_start = bool(first[0])  # the query `$` sees itself alone, so its column does nothing
        for values, columns in self._beside[:1] if is_start else self._beside:
            # In units of 4^-p, as values are.
            x = self.compared(values.vectors, columns, bits, words) / self.one
            norm = math.sqrt(float((columns[0] ** 2).sum())) * self.step
            for number, of, sides in classes:
                features = int(first.sum()) + number.bit_count()
                room = self._room(norm / math.sqrt(features))
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
