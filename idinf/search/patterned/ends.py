"""Words that no last layer can tell apart at their ends, for any attention patterns.

*Lemma (confusion).* A head with any M and any φ of reach ≤ τ weighs a key by its class, by the class of the
query, by N, and by their distance if that is at most τ. The class of a position are its token, its residue
and the units below. So every average at the end of a word, and with it the answer of any last layer, is a
function of N, of how often each class occurred, and of the classes of the last τ + 1 positions. Where two
words agree in all of that and have different labels, no last layer over these lower units is right, for any
M, φ of that reach, heads, units, p and R. Without lower units this holds for all nets whose heads stand in
one layer, since layers without heads see classes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.search.patterned.lower import PackedBits
from idinf.search.short_words.features import Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, list_members_of_groups, spread_places
from idinf.space.units import BoolArray

#: Pairs of words of different labels that look alike without lower units, for each reach.
MOST_PAIRS = 512

#: One of so many pairs is looked at first.
FEW = 32

#: Numbers of one block of sets.
CELLS = 1 << 22

#: Units below that a number of a class has room for.
MOST_UNITS = 40

#: Multipliers of a hash of classes, and of their distances: powers of odd numbers; its results are checked.
_ODD = np.array([[0x9E3779B97F4A7C15], [0xBF58476D1CE4E5B9]], dtype=np.uint64)
_POWERS = np.cumprod(np.broadcast_to(_ODD, (2, 1 << 12)), axis=1)


@dataclass(frozen=True, eq=False)
class WordEnds:
    """The words that count, position by position back from their ends."""

    words: ShortWords
    period: int

    @cached_property
    def tree_rows(self) -> IntArray:
        """(D, W): row of the prefix at each distance from the end; that of ε beyond the first."""
        tree = self.words.forest
        final = tree.final
        return np.stack([tree.ancestor(d)[final] for d in range(self.words.length + 1)])

    @cached_property
    def lengths(self) -> IntArray:
        """(W,): lengths of the words."""
        tree = self.words.forest
        return tree.lengths[tree.final]

    @cached_property
    def real(self) -> BoolArray:
        """(D, W): mask of distances at which there is a position."""
        return np.arange(self.words.length + 1)[:, None] <= self.lengths

    @cached_property
    def first(self) -> Inputs:
        """Tokens and residues on the rows (N, prefix)."""
        return Inputs.first(self.words, self.period).lifted()

    @cached_property
    def row_kinds(self) -> IntArray:
        """(T,): number of the token and residue of each row."""
        tree = self.words.forest
        return np.asarray(1 + tree.symbol * self.period + tree.lengths % self.period)

    @property
    def num_kinds(self) -> int:
        """One more than the largest kind."""
        return 1 + (self.words.symbols + 1) * self.period

    @cached_property
    def pairs(self) -> Callable[[int], tuple[IntArray, IntArray]]:
        """Pairs of words, for a reach, with different labels but equal counts of classes and equal last ones.

        Classes are tokens with residues. A reach of −1 stands for uniform heads without M or φ, for which
        not even distance 0 matters.
        """
        return cache(self._find_pairs)

    def _find_pairs(self, reach: int) -> tuple[IntArray, IntArray]:
        kinds = np.where(self.real, self.row_kinds[self.tree_rows], 0)  # 0 where there is no position
        histogram = np.stack([(kinds == kind).sum(axis=0) for kind in range(1, self.num_kinds)])
        first, group = group_rows(np.concatenate([histogram, kinds[: reach + 1]]).T)
        labels = self.words.labels
        some, others = [], []
        for members in list_members_of_groups(group, len(first)):
            ones, zeros = members[labels[members]], members[~labels[members]]
            if len(ones) and len(zeros):
                some.append(np.repeat(ones, len(zeros)))
                others.append(np.tile(zeros, len(ones)))
        if not some:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        one, other = np.concatenate(some), np.concatenate(others)
        # Words of every length, as few units separate long ones and many short ones.
        order = np.argsort(self.lengths[one], kind="stable")
        chosen = spread_places(order, MOST_PAIRS)
        return one[chosen], other[chosen]

    def confused(
        self, bits: BoolArray | PackedBits, reach: int, below: NDArray[np.integer] | None = None
    ) -> BoolArray:
        """Mask of sets of m lower units over which no last layer of a reach is right, (B, m, T) to (B,).

        ``below`` are the units of the layers below these, (k, T), the same for all sets: the last layer sees
        them, too. Not all pairs of words are looked at, so it may miss some sets.
        """
        one, other = self.pairs(reach)
        fixed = np.zeros((0, 1), dtype=np.int64) if below is None else below
        if not len(one) or not len(bits) or bits.shape[1] + len(fixed) > MOST_UNITS:
            return np.zeros(len(bits), dtype=np.bool_)
        if not bits.shape[1] + len(fixed):
            return np.ones(len(bits), dtype=np.bool_)
        confused = np.zeros(len(bits), dtype=np.bool_)
        for some in (slice(None, None, FEW), slice(None)):  # a few pairs suffice over most sets
            words, place = np.unique(np.concatenate([one[some], other[some]]), return_inverse=True)
            left, step = np.flatnonzero(~confused), max(1, CELLS // (len(self.tree_rows) * len(words)))
            for begin in range(0, len(left), step):
                part = left[begin : begin + step]
                confused[part] = self._confused_by(words, place, bits[part], reach, fixed)
        return confused

    def _confused_by(
        self, words: IntArray, place: IntArray, bits: BoolArray, reach: int, fixed: NDArray[np.integer]
    ) -> BoolArray:
        """Over which sets the words of some pair look alike; half of ``place`` are the first of each pair.

        They have the same classes in the window, and as often everywhere.
        """
        rows, place = np.where(self.real, self.tree_rows, -1)[:, words], place.reshape(2, -1)
        used, row = np.unique(rows, return_inverse=True)
        row = row.reshape(rows.shape)
        units, first = bits.shape[1], int(used[0] < 0)  # there may be no position at a distance: class 0
        classes = np.zeros((len(bits), len(used)), dtype=np.int64)
        for u in range(len(fixed)):
            classes += fixed[u][used].astype(np.int64) << units + u
        for u in range(units):
            classes += bits[:, u, used].astype(np.int64) << u
        classes = classes * self.num_kinds + self.row_kinds[used]
        classes[:, :first] = 0
        table = _POWERS[0][classes % _POWERS.shape[1]]
        table[:, :first] = 0
        hashes = np.zeros((len(bits), len(words)), dtype=np.uint64)
        for d in range(len(rows)):
            hashes += table[:, row[d]] * (_POWERS[1][d] + np.uint64(1) if d <= reach else np.uint64(1))
        hit = hashes[:, place[0]] == hashes[:, place[1]]
        some = np.flatnonzero(hit.any(axis=1))
        pair = hit[some].argmax(axis=1)
        left, right = (classes[some[:, None], row[:, words_of[pair]].T] for words_of in place)
        confused = np.zeros(len(bits), dtype=np.bool_)
        same_window = (left[:, : reach + 1] == right[:, : reach + 1]).all(axis=1)
        confused[some] = same_window & (np.sort(left, axis=1) == np.sort(right, axis=1)).all(axis=1)
        return confused
