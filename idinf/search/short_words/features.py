"""What the units of a layer can read on every short word: attended sums, and their own position."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from idinf.errors import PrecisionError
from idinf.nets.attention import AttentionPattern, compute_scaled_weight
from idinf.search.short_words.prefix_trees import PrefixTree, ShortWords
from idinf.space.array_record import COLUMNS, SHARED, ArrayRecord
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray

FLOAT64_EXACT = 2**53  #: products run in float64 on integers; below 2^53 every sum is exact
#: Rows of a tree for which what layers read is remembered, and of how many heads.
FEW_ROWS, MOST_REMEMBERED = 1 << 12, 64
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Features(ArrayRecord):
    """What the units of one layer can read on R rows, cleared of denominators.

    A unit with values v, own weights s and bias b is 1 iff ⟨v, sums⟩ + scale · (⟨s, last⟩ + b) > 0.
    """

    sums: IntArray  #: (R, H·f): for every head Σ_j w_ij features_j, times the denominators of the other heads
    last: IntArray  #: (R, f): the 0/1 features of the position itself
    scale: IntArray  #: (R,): product of the denominators Σ_j w_ij of the heads

    @property
    def size(self) -> int:
        """Number f of features."""
        return int(self.last.shape[1])

    @property
    def heads(self) -> int:
        """H, the number of heads."""
        return int(self.sums.shape[1]) // self.size

    @cached_property
    def rows(self) -> tuple[IntArray, IntArray]:
        """Distinct rows: index of one row of each kind, and kind of each row."""
        return group_rows(np.concatenate([self.sums, self.last, self.scale[:, None]], axis=1))


@dataclass(frozen=True, eq=False)
class HeadWeights(ArrayRecord):
    """Attention weights of one head on R rows of a tree, as integers."""

    tree: PrefixTree = field(metadata=SHARED)
    rows: IntArray
    #: (D, R): weight of the key at distance d < D, less ``far``; 0 beyond the first position.
    near: IntArray = field(metadata=COLUMNS)
    far: IntArray  #: (R,): weight of every key at a distance of D or more
    total: IntArray  #: (R,): Σ_j w_ij

    def sums(self, bits: NDArray[np.integer], counts: NDArray[np.integer]) -> IntArray:
        """Σ_j w_ij bit_j on every row, (..., R).

        Bits, (..., T'), are given up to the last of the rows at least, and how often each was 1 so far.
        """
        total = self.far * counts[..., self.rows].astype(np.int64)
        for distance, weight in enumerate(self.near):
            total += weight * bits[..., self.tree.ancestor(distance)[self.rows]]
        return np.asarray(total)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The features of one layer on every row of a tree, before any head reads them."""

    words: ShortWords
    deep: bool  #: whether rows are (N, prefix); otherwise they are words, and serve every N
    last: NDArray[np.int16]  #: (f, T): 0/1 features of the position at the end of each prefix
    counts: NDArray[np.int16]  #: (f, T): how often each was 1 so far
    #: Whether many structures share these inputs, so that what is made of them is remembered.
    shared: bool = False

    @staticmethod
    def first(words: ShortWords, period: int) -> Inputs:
        """Features of the first layer: tokens, ``$`` first, and residues of the position if Δ > 1."""
        tree = words.tree
        last = (tree.symbol == np.arange(words.symbols + 1)[:, None]).astype(np.int16)
        if period > 1:
            residues = (tree.lengths % period == np.arange(period)[:, None]).astype(np.int16)
            last = np.concatenate([last, residues])
        return Inputs(words, False, last, tree.accumulate(last))

    @property
    def tree(self) -> PrefixTree:
        """The tree whose rows these are."""
        return self.words.forest if self.deep else self.words.tree

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.last)

    def lifted(self) -> Inputs:
        """The same features on the rows (N, prefix)."""
        return self if self.deep or self.words.every_N else self._lifted

    @cached_property
    def _lifted(self) -> Inputs:
        word = self.words.forest.word
        return Inputs(self.words, True, self.last[:, word], self.counts[:, word], self.shared)

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        return {}

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is made of these inputs; it is remembered by a key if they are shared and the rows are few."""
        if not self.shared or len(self.tree) > FEW_ROWS:
            return make()
        if key not in self._known:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = make()
        found: T = self._known[key]
        return found

    def extend(self, bits: BoolArray) -> Inputs:
        """Add units, (m, T) values, as features for later layers."""
        added = bits.astype(np.int16)
        return Inputs(
            self.words,
            self.deep,
            np.concatenate([self.last, added]),
            np.concatenate([self.counts, self.tree.accumulate(added)]),
        )

    def hidden(self, heads: tuple[AttentionPattern, ...], precision: int) -> tuple[Inputs, Features]:
        """What a layer below others reads, with the inputs on the rows where it is read."""
        inputs = self.under(heads)
        return inputs, inputs.everywhere(heads, precision)

    def everywhere(self, heads: tuple[AttentionPattern, ...], precision: int) -> Features:
        """What a layer with given heads reads on all rows."""

        def read() -> Features:
            rows = np.arange(len(self.tree))
            return self.read(self.weights(heads, precision, rows), rows)

        return self.remembered((heads, precision), read)

    def under(self, heads: tuple[AttentionPattern, ...]) -> Inputs:
        """The same features on the rows on which a hidden layer with given heads reads them."""
        return self if all(pattern.uniform for pattern in heads) else self.lifted()

    def top(
        self, heads: tuple[AttentionPattern, ...], precision: int, words: IntArray | None = None
    ) -> Features:
        """What the last layer reads at the end of some words, (k,), or of every word."""
        rows = self.tree.final if words is None else self.tree.final[words]
        return self.read(self.weights(heads, precision, rows), rows)

    def weights(
        self, heads: tuple[AttentionPattern, ...], precision: int, rows: IntArray
    ) -> tuple[HeadWeights, ...]:
        """Weights of all heads on the given rows."""
        return tuple(self._weights(pattern, precision, rows) for pattern in heads)

    def _weights(self, pattern: AttentionPattern, precision: int, rows: IntArray) -> HeadWeights:
        tree = self.tree
        lengths = tree.lengths[rows]
        if pattern.uniform:
            none = np.zeros((0, len(rows)), dtype=np.int64)
            return HeadWeights(tree, rows, none, np.ones(len(rows), dtype=np.int64), lengths + 1)
        total = tree.total[rows]
        distances = int(lengths.max(initial=0)) + 1 if pattern.logits else len(pattern.phi)
        zero = np.zeros(len(rows), dtype=np.int64)
        logits = np.zeros((distances, len(rows)), dtype=np.int64)
        query = self.last[:, rows].astype(np.int64)
        for d in range(distances):
            if pattern.logits:
                key = self.last[:, tree.ancestor(d)[rows]].astype(np.int64)
                logits[d] = np.einsum("kr,kr->r", key, np.array(pattern.logits, dtype=np.int64) @ query)
            logits[d] += pattern.phi_at(d)
        far = zero + 2**precision if not pattern.logits else zero
        near = _weights_of(total, logits, precision) - far
        near[np.arange(distances)[:, None] > lengths] = 0
        return HeadWeights(tree, rows, near, far, far * (lengths + 1) + near.sum(axis=0))

    def read(self, weights: tuple[HeadWeights, ...], rows: IntArray) -> Features:
        """Attended sums of all features on the given rows, cleared of denominators."""
        scale, sums = cleared(weights, [w.sums(self.last, self.counts) for w in weights], len(rows))
        columns = np.concatenate([np.zeros((0, len(rows)), dtype=np.int64), *sums])
        return Features(
            np.ascontiguousarray(columns.T),
            np.ascontiguousarray(self.last[:, rows].T.astype(np.int64)),
            scale,
        )


class FirstInputs:
    """Inputs of first layers, which many structures share. Mutable: it remembers those of the last words."""

    def __init__(self) -> None:
        self._words: ShortWords | None = None
        self._known: dict[int, Inputs] = {}

    def of(self, words: ShortWords, period: int) -> Inputs:
        """Those of some words, with residues if Δ > 1."""
        if self._words is not words:
            self._words, self._known = words, {}
        if period not in self._known:
            self._known[period] = replace(Inputs.first(words, period), shared=True)
        return self._known[period]


def cleared(
    weights: tuple[HeadWeights, ...], sums: list[IntArray], size: int
) -> tuple[IntArray, list[IntArray]]:
    """Bring the sums of all heads on ``size`` rows over one denominator; equal denominators count once.

    Raises PrecisionError if the integers could leave the range in which float64 is exact.
    """
    if not weights:
        return np.ones(size, dtype=np.int64), sums
    if len(weights) == 1 or np.array_equal(weights[0].total, weights[1].total):
        return weights[0].total, sums
    one, two = weights[0].total, weights[1].total
    largest = int(one.max(initial=0)) * int(two.max(initial=0))
    if largest >= FLOAT64_EXACT:
        raise PrecisionError(
            f"attention weights of two heads multiply to {largest}, beyond exact floats; lower --logit-max, "
            "--content-max or --precision"
        )
    return one * two, [sums[0] * two, sums[1] * one]


def _weights_of(total: IntArray, logits: IntArray, precision: int) -> IntArray:
    """round_p(N^a) for every row and distance, by one exact computation for each (N, a)."""
    lengths, place = np.unique(total, return_inverse=True)
    most = np.zeros(len(lengths), dtype=np.int64)
    np.maximum.at(most, place, logits.max(axis=0, initial=0))
    table = np.zeros((len(lengths), int(most.max(initial=0)) + 1), dtype=np.int64)
    for row, N, largest in zip(table, lengths.tolist(), most.tolist(), strict=True):
        row[: largest + 1] = [_small(N, a, precision) for a in range(largest + 1)]
    weights: IntArray = table[place, logits]
    return weights


@lru_cache(maxsize=1 << 14)
def _small(N: int, logit: int, precision: int) -> int:
    weight = compute_scaled_weight(N, logit, precision)
    if weight >= FLOAT64_EXACT // 2**10:
        raise PrecisionError(
            f"the attention weight {weight} is beyond exact floats; lower --logit-max or --content-max"
        )
    return weight


_TABLES: dict[tuple[int, int, int], NDArray[np.float64]] = {}


def weight_table(longest: int, logit: int, precision: int) -> NDArray[np.float64]:
    """round_p(N^a) in units of 2^-p for N ≤ ``longest`` and logits up to one, (N + 1, logits); exact."""
    key = longest, logit, precision
    if key not in _TABLES:
        table = np.zeros((longest + 1, logit + 1))
        for N in range(1, longest + 1):
            table[N] = [_small(N, a, precision) for a in range(logit + 1)]
        _TABLES[key] = table
    return _TABLES[key]
