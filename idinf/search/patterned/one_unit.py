"""One last unit over many sets of lower layers at once: over which some value vector serves every class.

All of `idinf.search.patterned.top` holds here; sets, columns of one norm and value vectors are arrays.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property

import numpy as np

from idinf.search.patterned.last import CALL, FAR, LastLayer, check_cells, y_costs
from idinf.search.patterned.lower import PHI, RANK, A, B, M, Stacks, V, join, total
from idinf.search.short_words.features import weight_table
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import group_rows, list_members_of_groups, sort_distinct
from idinf.space.units import SLACK, BoolArray, FloatArray


def _masked(x: FloatArray, kept: BoolArray, far: float) -> FloatArray:
    """Numbers of words, (W, K, S, C), moved far away where a word does not count over a set, (S, W)."""
    return x if kept.all() else x + np.where(kept, 0.0, far).T[:, None, :, None]


#: Numbers of one block of `OneUnit`.
CELLS = 1 << 22


class OneUnit:
    """One last unit over many sets of lower layers at once, for one φ: some v serves every class."""

    def __init__(
        self,
        top: LastLayer,
        stacks: Stacks,
        places: IntArray,
        least: FloatArray,
        cost: float,
        phi: tuple[int, ...],
    ) -> None:
        self.top, self.stacks, self.places, self.phi = top, stacks, places, phi
        self.base = join(least, top.floor)
        self.base[:, PHI] += cost
        self.step, self.one = 0.5**top.grid.precision, 1 << top.grid.precision
        self.size = stacks.inputs.size + stacks.bits.shape[1]

    def left(self) -> BoolArray:
        """Over which sets something may be right, in some reading, (S,)."""
        left = np.zeros(len(self.places), dtype=np.bool_)
        order = np.argsort(-self._spare, kind="stable")
        done = 0
        while done < len(order):
            # As much room as the first of a block has is what all of it is given.
            lists = self._lists(order[done:])
            cells = sum(len(columns) * len(vectors) for vectors, columns in lists)
            cells += sum(len(columns) for _, columns in lists) * self.size * 4
            block = order[done : done + max(1, CELLS // max(1, cells * len(self.top.ends.lengths)))]
            for readings in self.top.readings:
                rest = block[~left[block]]
                if len(rest):
                    left[rest] = self._block(rest, lists, readings)
            done += len(block)
        return left

    @cached_property
    def _spare(self) -> FloatArray:
        """Room beside the least of every term, (S,)."""
        return self.top.room + SLACK - total(self.base)

    def _lists(self, places: IntArray) -> list[tuple[IntArray, IntArray]]:
        """Columns of M of one norm with the v that there is room for beside them, shortest first."""
        base, top, spare = self.base[places], self.top, self._spare[places]
        if not top.heads:
            zero = np.zeros((1, self.size), dtype=np.int64)
            return [(zero, zero)]
        widest = float((spare + base[:, V]).max())
        vectors = list_grid_ball(self.size, find_largest_square(widest * self.one))[1:]
        values = np.sqrt((vectors**2).sum(axis=1)) * self.step
        columns = np.zeros((1, self.size), dtype=np.int64)
        most_M = float((spare + base[:, M]).max())
        ends = top.ends
        tokens, extra = ends.words.symbols + 1, self._extra
        if top.grid.content_max and most_M >= self.step:
            square = find_largest_square(most_M * math.sqrt(1 + extra) * self.one)
            columns = list_grid_ball(self.size, square, 0, (1 + extra) * top.grid.content_max * self.one)
            if self.size == tokens and all(x % self.one == 0 for x in self.phi):
                raised = (columns % self.one == 0).all(axis=1) & (columns.min(axis=1) > 0)
                columns = columns[~raised]
        squares = (columns**2).sum(axis=1)
        lists = []
        for square in sort_distinct(squares).tolist():
            norm = math.sqrt(square / (1 + extra)) * self.step
            left = float((spare + base[:, V] + base[:, M] - np.maximum(norm, base[:, M])).max())
            number = int(np.searchsorted(values, left + SLACK, side="right"))
            if number:
                lists.append((vectors[:number], columns[squares == square]))
        return lists

    @cached_property
    def _extra(self) -> int:
        """Features that a class may have beside its token."""
        units = self.stacks.inputs.size + self.stacks.bits.shape[1] - self._first_unit
        return int(units) + (self.top.ends.period > 1)

    @cached_property
    def _first_unit(self) -> int:
        ends = self.top.ends
        return ends.words.symbols + 1 + (ends.period if ends.period > 1 else 0)

    def _block(
        self, some: IntArray, lists: list[tuple[IntArray, IntArray]], readings: tuple[bool, ...]
    ) -> BoolArray:
        """Over which sets of a block some v serves every class."""
        ends = self.top.ends
        bits = self.stacks.bits[self.places[some]]  # (S, m, T)
        most = max((len(vectors) for vectors, _ in lists), default=0)
        alive = np.ones((len(some), most), dtype=np.bool_)
        here = np.arange(len(some))
        _, kinds = group_rows(self.stacks.inputs.last[:, ends.tree_rows[0]].T)
        members = list_members_of_groups(kinds, int(kinds.max()) + 1)
        members.sort(key=len)
        hard = [self.top.hard.among(words, readings) for words in members]
        stages = [*(few for few in hard if few is not None), *members]
        for words in stages:
            serves = self._serve(some[here], bits[here], words, lists, readings)
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

    def _serve(
        self,
        some: IntArray,
        bits: BoolArray,
        words: IntArray,
        lists: list[tuple[IntArray, IntArray]],
        readings: tuple[bool, ...],
    ) -> BoolArray:
        """Which v serve each class of words whose ends differ in the last lower layer, (S, K)."""
        top, ends, heads, step, base = self.top, self.top.ends, self.top.heads, self.step, self.base[some]
        words = words[np.argsort(ends.labels[words], kind="stable")]  # rejected words, then accepted ones
        rejected = int((~ends.labels[words]).sum())
        rows, real = ends.tree_rows[:, words], ends.real[:, words]
        first = self.stacks.inputs.last[:, rows].astype(np.float64) * real  # (f, D, W)
        own = bits[:, :, rows].astype(np.float64) * real  # (S, m, D, W)
        units = own.shape[1]
        code = np.zeros((len(some), len(words)), dtype=np.int64)
        for u in range(units):
            code += own[:, u, 0].astype(np.int64) << u
        below = int(first[:, 0, 0].sum()) - 1
        patterns = [pattern for pattern in range(1 << units) if (code == pattern).any()]
        classes = []
        for (number, pattern), reading in itertools.product(enumerate(patterns), readings):
            sides = slice(rejected, None), slice(rejected)
            classes.append(
                (number, below + bin(pattern).count("1"), code == pattern, sides[:: -1 if reading else 1])
            )
        most_K = max(len(vectors) for vectors, _ in lists)
        serves = np.zeros((len(patterns), len(some), most_K), dtype=np.bool_)
        room = top.room + SLACK - base[:, PHI] - base[:, RANK]
        paid = base[:, A] + base[:, B]
        is_start = bool(first[0, 0, 0])  # the query `$` sees itself alone, so its column does nothing
        for vectors, columns in lists[:1] if is_start else lists:
            used = columns[:1] if is_start else columns
            check_cells(len(vectors) * len(used) * len(words) * len(own))
            x = self._compared(vectors, used, first, own, real, words)
            top.cells.spend(CALL + x.size)
            values = np.maximum(np.sqrt((vectors**2).sum(axis=1)) * step, base[:, V, None])  # (S, K)
            norm = math.sqrt(float((columns[0] ** 2).sum())) * step
            for number, extra, of, (one, zero) in classes:
                ones, zeros = of[:, one], of[:, zero]
                costs = np.maximum(norm / math.sqrt(1 + extra), base[:, M])
                spare = (room - costs)[:, None] - values  # (S, K)
                most = max(0, int(max(0.0, float(spare.max())) * self.one * math.sqrt(1 + extra)) + 1)
                low = high = None
                smallest = np.zeros(())
                if ones.any():
                    low = np.floor(_masked(x[one], ones, -FAR).max(axis=0)) + 1
                    smallest = np.maximum(low, 0.0)
                if zeros.any():
                    high = np.floor(_masked(x[zero], zeros, FAR).min(axis=0))
                    smallest = np.maximum(smallest, -high)
                need = y_costs(extra, float(heads), 0.0, 0.0, most, step)
                # The least costs grow with y, so what is left of R says how large it may be.
                largest = np.searchsorted(need, spare, side="right") - 1
                largest[paid[:, None] > spare] = -1
                fits = smallest <= largest.T[:, :, None]
                if low is not None and high is not None:
                    fits &= low <= high
                    top.hard.learn(words, readings, x, of, (one, zero), low > high)
                if top.free:
                    alike = ~ones.any(axis=1) | ~zeros.any(axis=1)
                    fits |= (alike[:, None] & (np.maximum(need[0], paid)[:, None] <= spare)).T[:, :, None]
                serves[number, :, : len(vectors)] |= fits.any(axis=2).T
        return np.asarray(serves.all(axis=0))

    def _compared(
        self,
        vectors: IntArray,
        columns: IntArray,
        first: FloatArray,
        own: FloatArray,
        real: BoolArray,
        words: IntArray,
    ) -> FloatArray:
        """What y is compared with, −⟨v, sums⟩ / scale, (W, K, S, C): word by word, as words are compared."""
        top, known, units = self.top, len(first), own.shape[1]
        if not top.heads:
            return np.zeros((len(words), 1, len(own), 1))
        logits = np.tensordot(columns[:, :known], first, axes=(1, 0))[None]  # (1, C, D, W)
        if units and columns[:, known:].any():
            logits = logits + np.einsum("cu,sudw->scdw", columns[:, known:].astype(np.float64), own)
        logits = logits.astype(np.int64)
        for distance, value in enumerate(self.phi[: logits.shape[2]]):
            logits[:, :, distance] += value
        ends = top.ends
        table = weight_table(ends.words.length + 1, int(logits.max(initial=0)), top.grid.precision)
        weights = table[ends.lengths[words] + 1, logits] * real  # (1 or S, C, D, W)
        sums = np.einsum("scdw,fdw->wfsc", weights, first)
        shape = (len(words), len(vectors), *sums.shape[2:])
        x = (vectors[:, :known].astype(np.float64) @ sums.reshape(*sums.shape[:2], -1)).reshape(shape)
        if units:
            every = np.broadcast_to(weights, (len(own), *weights.shape[1:]))
            of_units = np.einsum("scdw,sudw->wusc", every, own)
            of_units = of_units.reshape(len(words), units, -1)
            more = vectors[:, known:].astype(np.float64) @ of_units
            x = x + more.reshape(len(words), len(vectors), len(own), -1)
        x /= -weights.sum(axis=2).transpose(2, 0, 1)[:, None]
        return np.broadcast_to(x, (*x.shape[:2], len(own), x.shape[3]))
