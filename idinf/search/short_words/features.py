"""Features that a layer reads on every short word (attended sums, own position), and outputs of its units.

The behaviour of units on short words is one bit per word; equal behaviours get one number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from idinf.errors import PrecisionError
from idinf.nets.attention import AttentionPattern, compute_scaled_weight
from idinf.search.short_words.prefix_trees import PrefixTree, ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import ArrayRecord, group_rows
from idinf.space.units import BoolArray, Units

FLOAT64_EXACT = 2**53  #: products run in float64 on integers; below 2^53 every sum is exact
MOST_WEIGHT = 2**43  #: attention weights from here on are refused


def check_exact(largest: int, what: str) -> None:
    """Refuse sums of integers, named by ``what``, whose bound leaves the range in which float64 is exact."""
    if largest >= FLOAT64_EXACT:
        raise PrecisionError(
            f"{what} reach {largest}, beyond exact floats; lower --logit-max, --content-max, --precision "
            "or --max-r"
        )


@dataclass(frozen=True, eq=False)
class Features(ArrayRecord):
    """Features that the units of one layer read on R rows, cleared of denominators.

    A unit with values v, own weights s and bias b is 1 iff ⟨v, sums⟩ + scale · (⟨s, last⟩ + b) > 0.
    """

    sums: IntArray  #: (R, H·f): for every head Σ_j w_ij features_j, times the other denominators
    last: IntArray  #: (R, f): the 0/1 features of the position itself
    scale: IntArray  #: (R,): product of the distinct denominators Σ_j w_ij of the heads: see `cleared`

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
class HeadWeights:
    """Attention weights of one head on R rows of a tree, as integers."""

    tree: PrefixTree
    rows: IntArray
    #: (D, R): weight of the key at distance d < D, less ``far``; 0 beyond the first position.
    near: IntArray
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
    deep: bool  #: True if rows are (N, prefix); otherwise they are words, and serve every N
    last: NDArray[np.int16]  #: (f, T): 0/1 features of the position at the end of each prefix
    counts: NDArray[np.int16]  #: (f, T): how often each was 1 so far

    @staticmethod
    @lru_cache(maxsize=8)
    def first(words: ShortWords, period: int) -> Inputs:
        """Features of the first layer: tokens, ``$`` first, and residues if Δ > 1; structures share them."""
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
        return Inputs(self.words, True, self.last[:, word], self.counts[:, word])

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
        """Inputs on the rows on which a hidden layer is read, and the features that it reads there."""
        inputs = self.under(heads)
        return inputs, inputs.everywhere(heads, precision)

    def everywhere(self, heads: tuple[AttentionPattern, ...], precision: int) -> Features:
        """Features that a layer with given heads reads on all rows."""
        rows = np.arange(len(self.tree))
        return self.read(self.weights(heads, precision, rows), rows)

    def under(self, heads: tuple[AttentionPattern, ...]) -> Inputs:
        """The same features on the rows on which a hidden layer with given heads reads them."""
        return self if all(pattern.uniform for pattern in heads) else self.lifted()

    def top(
        self, heads: tuple[AttentionPattern, ...], precision: int, words: IntArray | None = None
    ) -> Features:
        """Features that the last layer reads at the end of some words, (k,), or of every word."""
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
        near = compute_weights(total, logits, precision).astype(np.int64) - far
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


def cleared(
    weights: tuple[HeadWeights, ...], sums: list[IntArray], size: int
) -> tuple[IntArray, list[IntArray]]:
    """Bring the sums of any number of heads on ``size`` rows over one denominator.

    That is the product of their distinct totals: heads with equal totals on all rows share a factor.
    Raises PrecisionError if the integers could leave the range in which float64 is exact.
    """
    totals: list[IntArray] = []
    place = []  # the number of the distinct total of each head
    for head in weights:
        known = [k for k, total in enumerate(totals) if np.array_equal(total, head.total)]
        place += known or [len(totals)]
        if not known:
            totals.append(head.total)
    check_exact(math.prod(int(total.max(initial=0)) for total in totals), "attention weights of all heads")
    scale = np.ones(size, dtype=np.int64)
    others = [scale] * len(totals)  # of each total the product of the other ones
    for k, total in enumerate(totals):
        scale = scale * total
        others = [factor if k == other else factor * total for other, factor in enumerate(others)]
    return scale, [own * others[k] for own, k in zip(sums, place, strict=True)]


@lru_cache(maxsize=64)
def _weight_table(longest: int, logit: int, precision: int) -> NDArray[np.float64]:
    """round_p(N^a) in units of 2^-p for N from 1 on, (N + 1, logits); infinite beyond exact floats."""
    table = np.full((longest + 1, logit + 1), np.inf)
    for N, a in itertools.product(range(1, longest + 1), range(logit + 1)):
        weight = compute_scaled_weight(N, a, precision)
        table[N, a] = weight if weight < MOST_WEIGHT else np.inf
    return table


def compute_weights(total: IntArray, logits: NDArray[np.integer], precision: int) -> NDArray[np.float64]:
    """round_p(N^a) in units of 2^-p for arrays of N and a that fit each other, exactly.

    >>> compute_weights(np.array([2, 3]), np.array([[0, 1], [2, 2]]), 0).tolist()
    [[1.0, 3.0], [4.0, 9.0]]
    """
    table = _weight_table(int(total.max(initial=1)), int(logits.max(initial=0)), precision)
    weights: NDArray[np.float64] = table[total, logits]
    if math.isinf(weights.max(initial=0)):
        raise PrecisionError(
            f"attention weights of {MOST_WEIGHT} and more are beyond exact floats; lower --logit-max or "
            "--content-max"
        )
    return weights


FLOAT32_EXACT = 2**24  #: float32 products of integers are exact while every partial sum stays below 2^24
#: Rows times units of one block of a product: 8 MB of float32 keep the block in the cache.
BLOCK_CELLS = 2_000_000
#: Rows times units that are evaluated and numbered in a step of work.
CELLS_OF_STEP = 1 << 17


def unit_outputs(units: Units, features: Features, block_cells: int = BLOCK_CELLS) -> BoolArray:
    """Evaluate each of N units on each of W rows, (N, W).

    Raises PrecisionError if the integers could leave the range in which float64 products are exact.

    The product runs in float32 on integers, in float64 where they are larger; a bound on every partial sum
    is checked first, so each sign is that of an exact integer. Cost O(N · R · f).
    """
    one = 2**units.precision
    weights = np.concatenate([units.values, one * units.own, one * units.bias[:, None]], axis=1)
    scale = features.scale[:, None]
    rows = np.concatenate([features.sums, scale * features.last, scale], axis=1)
    largest = int(np.abs(weights).sum(axis=1, initial=0).max(initial=0)) * int(np.abs(rows).max(initial=0))
    check_exact(largest, "sums that units compare with 0")
    exact: type[np.floating] = np.float32 if largest < FLOAT32_EXACT else np.float64
    columns = rows.T.astype(exact)
    outputs = np.empty((len(units), len(rows)), dtype=np.bool_)
    step = max(1, block_cells // max(1, len(rows)))
    for begin in range(0, len(units), step):
        block = weights[begin : begin + step].astype(exact)
        with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
            # (block, W), over all that a unit reads: heads and features, own features, 1
            np.greater(block @ columns, 0, out=outputs[begin : begin + step])
    return outputs


@dataclass(frozen=True, eq=False)
class Behaviours:
    """Possible outputs of lower units on the rows (N, prefix) of all words up to a length."""

    length: int
    layers: tuple[NDArray[np.integer], ...]  #: for each of the first layers distinct packed rows, (B, bytes)


class TableRegistry:
    """Registry of the distinct behaviours (tables) of units on a fixed list of words, with numbers.

    Two units get the same number iff they agree on every word of the list. Mutable on purpose: the search
    adds tables as it meets them, and a number never changes.
    """

    def __init__(self, features: Features, checkpoint: Callable[[float], None] = lambda work: None) -> None:
        self._checkpoint = checkpoint
        self._first, self._inverse = features.rows
        self._rows = features.take(self._first)
        self._numbers: dict[bytes, int] = {}
        self._packed: list[bytes] = []
        self.seen = 0

    def __len__(self) -> int:
        return len(self._packed)

    def number(self, units: Units) -> IntArray:
        """Table number of every unit, (N,); new tables are added."""
        numbers = np.empty(len(units), dtype=np.int64)
        self.seen += len(units)
        for part, packed, group in self._said(units, self._rows):
            order = np.argsort(packed[0])  # numbers follow the list, however it is cut into parts
            known = np.empty(len(order), dtype=np.int64)
            known[order] = [self._number_of(row) for row in packed[1][order]]
            numbers[part] = known[group]
        return numbers

    def _said(
        self, units: Units, rows: Features
    ) -> Iterator[tuple[slice, tuple[IntArray, NDArray[np.uint8]], IntArray]]:
        """Part by part: the first unit of each behaviour, it packed, and the behaviour of each unit."""
        step = max(1, 4 * BLOCK_CELLS // max(1, len(self._first)))
        for begin in range(0, len(units), step):
            part = slice(begin, begin + step)
            self._checkpoint(1 / 2 + len(units.own[part]) * len(rows.scale) / CELLS_OF_STEP)
            packed = np.packbits(unit_outputs(units.take(part), rows), axis=1)
            first, group = group_rows(packed)
            yield part, (first, packed[first]), group

    def _number_of(self, packed: NDArray[np.uint8]) -> int:
        key = packed.tobytes()
        number = self._numbers.setdefault(key, len(self._packed))
        if number == len(self._packed):
            self._packed.append(key)  # the one object: there may be a million of them
        return number

    def having(self, units: Units, allowed: frozenset[bytes], rows: IntArray | None = None) -> BoolArray:
        """Mask of units whose behaviour is in a set, (N,); none gets a number.

        Behaviours are packed outputs on some rows, or on all.
        """
        kinds = self._inverse if rows is None else self._inverse[rows]
        used, first = np.unique(kinds, return_index=True)
        every = [np.unpackbits(np.frombuffer(each, dtype=np.uint8), count=len(kinds)) for each in allowed]
        known = {np.packbits(table[first]).tobytes() for table in every}
        found = np.zeros(len(units), dtype=np.bool_)
        for part, (_, packed), group in self._said(units, self._rows.take(used)):
            member = [row.tobytes() in known for row in packed]
            found[part] = np.array(member, dtype=np.bool_)[group]
        return found

    def tables(self, numbers: NDArray[np.integer]) -> BoolArray:
        """Outputs of the given tables on every word, (len(numbers), W)."""
        joined = b"".join([self._packed[int(k)] for k in numbers])
        packed = np.frombuffer(joined, dtype=np.uint8).reshape(len(numbers), -(-len(self._first) // 8))
        bits = np.unpackbits(packed, axis=1, count=len(self._first)).astype(np.bool_)
        return bits[:, self._inverse]
