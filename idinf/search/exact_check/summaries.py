"""Summaries of prefixes, equal ones merged; and the units read off summaries for many N at once.

For a query whose logits are the column c = M · features_i, the attention of a head is decided by the sums
Σ_{j: ⟨c, features_j⟩ = k} ⟨v, features_j⟩, one for each logit k and each vector v that a unit reads; v = 1 on
every token gives the normaliser. They do not depend on N, which only enters as the weight of each k. A
uniform head and one with φ alone have c = 0 and k = 0. Sums that the length decides are not kept: a symbol's
and a residue's share follow from the others.

With W(N, k) = round_p(N^k) in units of 2^-p, a head's output at position i is num / Z for the integers

    num = Σ_k W(N, k) · (sum of v over j < i with logit k)                        the kept sums
          + W(N, k_0 + φ(0)) · ⟨v, features_i⟩                                   the position itself
          + Σ_{1 ≤ d ≤ τ} (W(N, k_d + φ(d)) − W(N, k_d)) · ⟨v, features_{i−d}⟩      the last τ positions

and Z the same with v = 1. Logits are ≥ 0, so weights are ≥ 1 and Z > 0: multiplying a unit by the Z of
every head leaves its sign. Numbers are int64 where a bound below 2^62 is proved for all of them, and Python
integers beyond."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
from idinf.errors import BudgetError
from idinf.nets.attention import compute_scaled_weight
from idinf.search.exact_check.nets import JointHead, JointLayer, decoded
from idinf.space.grid import IntArray
from idinf.space.rows import SHARED, ArrayRecord, group_rows, sort_distinct
from idinf.space.structures import FeatureSpace
from idinf.space.units import BoolArray


@dataclass(frozen=True, slots=True)
class CheckSizes:
    """Sizes at which the exact check takes one of several equal ways."""

    chunk: int = 1 << 15  #: summaries that are extended at a time
    waiting: int = 1 << 18  #: arrivals that may wait to be merged with the others, however few the others are
    #: Numbers that one reading of a layer may hold, prefixes × N × units: 8 MB, and a few such temporaries.
    cells: int = 1 << 20
    cuts_from: int = 256  #: summaries from which on those are merged that behave alike to the last length
    cuts: int = 1 << 22  #: cuts of one sum, and comparisons at one length, beyond which none are listed
    dominated_from: int = 256  #: summaries from which on those are dropped that others dominate
    float64_exact: int = 2**53  #: integers that stay below are of float64, which is the fastest
    int64_exact: int = 2**62  #: integers that stay below are of int64, with one bit as a margin


DEFAULT_SIZES = CheckSizes()  #: what every run uses; tests take other sizes to meet each way on short words


Masks = NDArray[np.uint64]  #: sets of up to 64 values of N, as bits

Steps = NDArray[np.int32]  #: pairs (parent, symbol)

#: Different logit columns of one head, at most; beyond that its sums would not fit any memory bound.
MAX_COLUMNS = 1024


def values_of(space: FeatureSpace, forms: IntArray) -> IntArray:
    """Joint values of K linear forms of the features of a position, (K, F): all of them, (n, K), ascending.

    Raises BudgetError if there are more than `MAX_COLUMNS`.

    >>> values_of(FeatureSpace(2, 1, 1), np.array([[0, 1, 0, 2]])).tolist()
    [[0], [1], [2], [3]]
    """
    starts = space.all_rows(np.zeros((1, space.units), dtype=np.int64))
    values = sort_distinct(starts @ forms.T, axis=0)
    for unit in forms[:, space.first_unit :].T:
        if unit.any():
            values = sort_distinct(np.concatenate([values, values + unit]), axis=0)
        if len(values) > MAX_COLUMNS:
            raise BudgetError(
                f"exact check: one head has more than {MAX_COLUMNS} different logits; "
                "lower --content-max, --layers or --units"
            )
    return values


def levels_of(space: FeatureSpace, column: IntArray) -> list[int]:
    """Logits that keys can have in a column, ascending."""
    return [int(level) for [level] in values_of(space, column[None])]


_Name = tuple[bytes, int, bytes]  #: of a sum: a column, a logit and a vector


class LinearForms:
    """Exactly the sums that some unit reads, each once. Immutable after construction.

    ``layers`` are all whose attention has to be decided.

    A vector v is kept modulo a constant on all tokens, constants on residues and the weight of $, where these
    are known (c = 0), modulo a constant on all tokens otherwise, and divided by its common divisor.
    """

    def __init__(self, space: FeatureSpace, layers: Sequence[JointLayer]) -> None:
        self.space = space
        asked = self._asked([head for layer in layers for head in layer.heads])
        self._place = {name: place for place, name in enumerate(asked)}
        size = (len(asked), space.size)
        self._columns = np.array([c for c, _, _ in asked.values()], dtype=np.int64).reshape(size)
        self._levels = np.array([k for _, k, _ in asked.values()], dtype=np.int64)
        self._vectors = np.array([v for _, _, v in asked.values()], dtype=np.int64).reshape(size)
        self._restricted = self._columns.any(axis=1)
        tokens, residues, units = np.split(np.abs(self._vectors), [space.tokens, space.first_unit], 1)
        #: Largest absolute value that one position adds to each sum, bounded part by part, (C,).
        self.largest = tokens.max(axis=1) + residues.max(axis=1, initial=0) + units.sum(axis=1)

    def _asked(self, heads: Sequence[JointHead]) -> dict[_Name, tuple[IntArray, int, IntArray]]:
        """Columns, logits and vectors of the sums that some unit asks some heads for."""
        asked = list[tuple[IntArray, int, IntArray]]()
        for head in heads:
            vectors = head.values[np.sort(group_rows(head.values)[0])]
            # The columns of logits that its queries can have; a zero column for M = 0.
            none = np.zeros((1, self.space.size), dtype=np.int64)
            for column in none if head.logits is None else values_of(self.space, head.logits):
                levels = levels_of(self.space, column)
                reduced, factors = _primitive(_modulo_known(self.space, vectors, bool(column.any())))
                asked += [(column, k, _token_ones(self.space)) for k in levels[1:]]
                asked += [(column, k, vector) for vector in reduced[factors != 0] for k in levels]
        return {(column.tobytes(), k, vector.tobytes()): (column, k, vector) for column, k, vector in asked}

    def known(self, position: int) -> IntArray:
        """Numbers of positions before one with each residue, then 1 if `$` is among them, (Δ + 1,)."""
        counts = (position - 1 - np.arange(self.space.period)) // self.space.period + 1
        return np.append(counts, int(position > 0))

    def increments(self, rows: IntArray) -> IntArray:
        """Increments of all sums at positions with given features, (S, F) → (S, C)."""
        added: IntArray = rows @ self._vectors.T  # over the features
        if self._restricted.any():
            added *= (rows @ self._columns.T == self._levels) | ~self._restricted
        return added

    def sums(self, column: IntArray, vectors: IntArray) -> list[tuple[int, IntArray]]:
        """Σ over the positions before i with logit k of ⟨v, features⟩, for each k that keys have in a column.

        With each k the matrix, (C + Δ + 1, V), that gives the sums of V vectors, (V, F), from the kept ones
        and `known`.
        """
        space, levels, restricted = self.space, levels_of(self.space, column), bool(column.any())
        reduced, factors = _primitive(_modulo_known(space, vectors, restricted))
        ones, name, kept = _token_ones(space), column.tobytes(), len(self.largest)
        counts = [self._place[name, k, ones.tobytes()] for k in levels[1:]]
        out = []
        for k in levels:
            sums = np.zeros((kept + space.period + 1, len(vectors)), dtype=np.int64)
            for v in np.flatnonzero(factors):
                sums[self._place[name, k, reduced[v].tobytes()], v] = factors[v]
            if restricted and k != levels[0]:
                sums[self._place[name, k, ones.tobytes()]] += vectors[:, 1]
            else:
                sums[kept:-1] += vectors[:, 1]
            if not restricted:
                sums[-1] = vectors[:, 0] - vectors[:, 1]
                if space.period > 1:
                    sums[kept:-1] += vectors[:, space.tokens : space.first_unit].T
            elif k == levels[0]:  # all positions but those of the other logits
                sums[counts] -= vectors[:, 1]
            out.append((k, sums))
        return out


@lru_cache(maxsize=64)
def _token_ones(space: FeatureSpace) -> IntArray:
    """The vector that is 1 on every position: 1 on all tokens."""
    ones = (np.arange(space.size) < space.tokens).astype(np.int64)
    ones.setflags(write=False)
    return ones


def _modulo_known(space: FeatureSpace, vectors: IntArray, restricted: bool) -> IntArray:
    """Vectors without what the length decides: the part that is constant on tokens, and more if c = 0."""
    reduced = vectors - vectors[:, [1]] * _token_ones(space)
    if not restricted:
        reduced[:, 0] = 0
        reduced[:, space.tokens : space.first_unit] = 0
    return reduced


def _primitive(vectors: IntArray) -> tuple[IntArray, IntArray]:
    """Each vector as factor times a vector of common divisor 1 whose first entry not 0 is positive."""
    divisor = np.gcd.reduce(vectors, axis=1)
    leading = np.argmax(vectors != 0, axis=1)
    sign = np.sign(vectors[np.arange(len(vectors)), leading])
    factors = divisor * sign
    return vectors // np.where(factors == 0, 1, factors)[:, None], factors


Exact = NDArray[Any]  #: int64, or Python integers where numbers may leave int64


_Features = tuple[IntArray, IntArray]  #: of S positions each class of features once, (n, F), and places, (S,)


@dataclass(frozen=True, eq=False)
class Prefixes(ArrayRecord):
    """S prefixes that end at one position, those of one length in the order of their least words."""

    position: int = field(metadata=SHARED)
    tokens: IntArray  #: (S,): the last one of each
    kept: IntArray  #: (S, C): sums over the positions before this one
    recent: IntArray  #: (S, τ): codes of the features of the last positions, the nearest first
    bits: IntArray  #: (S, units): outputs of the lower units at this position; 0 where not yet known
    states: IntArray  #: (S, k): of the target
    masks: Masks  #: (S,): for which N of a block some word leads to the prefix
    source: IntArray  #: (S,): the summary that each extends by its token

    def where(self, flags: BoolArray) -> Prefixes:
        """Prefixes that have a flag; no copy is made where all have it."""
        return self if flags.all() else self.take(flags.nonzero()[0])

    def codes(self, space: FeatureSpace) -> IntArray:
        """Codes of the features of this position, token + (|Σ| + 1) · unit bits, (S,)."""
        return np.asarray(self.tokens + self.bits @ (space.tokens << np.arange(space.units)))

    def features(self, space: FeatureSpace, lag: int = 0) -> _Features:
        """Features at a recent position, 0 for the last one: each once, (n, F), and one place per prefix."""
        codes = place = self.recent[:, lag - 1] if lag else self.codes(space)
        if (every := space.tokens << space.units) <= len(codes):
            return decoded(space, np.arange(every), self.position - lag), place
        present, place = np.unique(codes, return_inverse=True)
        return decoded(space, present, self.position - lag), place


@lru_cache(maxsize=1 << 14)
def _weights(block: tuple[int, ...], logit: int, precision: int) -> Exact:
    """W(N, k) of one logit for every N of a block, (B,), as Python integers."""
    return np.array([compute_scaled_weight(N, logit, precision) for N in block], dtype=object)


class LayerReader:
    """Computes the units of one layer. Mutable: it keeps the coefficients of the present block of N."""

    def __init__(
        self, space: FeatureSpace, layer: JointLayer, summary: LinearForms, sizes: CheckSizes = DEFAULT_SIZES
    ) -> None:
        self.space, self.layer, self.summary, self.sizes = space, layer, summary, sizes
        self._vectors, self._which = [], []
        for head in layer.heads:
            first, which = group_rows(head.values)
            self._vectors.append(np.concatenate([head.values[first], _token_ones(space)[None]]))
            self._which.append(which)
        self._block: tuple[int, ...] = ()
        self._coefficients: dict[bytes, list[Exact]] = {}

    def outputs(self, read: Prefixes, block: Sequence[int], begin: int = 0) -> BoolArray:
        """Compute the units, (S, B, U), for B values of N: those of a block from ``begin`` on.

        A uniform layer has the same units whatever N is, and B = 1.
        """
        # All weights of a uniform head are one, as those of N = 1 are.
        block, begin = ((1,), 0) if self.layer.uniform else (tuple(block), begin)
        if block != self._block:
            self._block = block
            self._coefficients.clear()
        out = np.empty((len(read), len(block) - begin, len(self.layer)), dtype=np.bool_)
        most = max(1, self.sizes.cells // (len(block) * (len(self.layer) + 1)))
        for start in range(0, len(read), most):
            part = read.take(slice(start, start + most))
            rows, place = part.features(self.space)
            columns = (rows @ head.logits.T for head in self.layer.heads if head.logits is not None)
            first, group = group_rows(np.concatenate([rows[:, :0], *columns], axis=1))
            for number in sort_distinct(group[place]).tolist():  # prefixes with equal columns of logits
                alike = group[place] == number
                asked = part.where(alike), (rows, place[alike]), rows[first[number]]
                out[start : start + most][alike] = self._asked(*asked, begin)
        return out

    def _asked(self, read: Prefixes, features: _Features, query: IntArray, begin: int) -> BoolArray:
        """Prefixes whose queries have the columns of logits of one of them, (F,)."""
        heads = self.layer.heads
        columns = [0 * query if head.logits is None else head.logits @ query for head in heads]
        coefficients = self._prepared(columns)
        sums = [
            self._attended(h, column, coefficients[h], read, features, begin)
            for h, column in enumerate(columns)
        ]
        rows, place = features
        own = (rows @ self.layer.own.T)[place][:, None]
        # (S, B, U): s and b times all Z, then the numerator of each head times the Z of the others
        total = own * math.prod(part[:, :, -1:] for part in sums)
        for h, part in enumerate(sums):
            others = [other[:, :, -1:] for g, other in enumerate(sums) if g != h]
            total = total + math.prod(others, start=part[:, :, self._which[h]])
        return np.asarray(total > 0)

    def _attended(
        self,
        h: int,
        column: IntArray,
        coefficients: Exact,
        read: Prefixes,
        features: _Features,
        begin: int,
    ) -> Exact:
        """num of every vector and Z, (S, B, V + 1)."""
        head = self.layer.heads[h]
        known = np.broadcast_to(self.summary.known(read.position), (len(read), self.space.period + 1))
        kept = np.concatenate([read.kept, known], axis=1).astype(coefficients.dtype, copy=False)
        total: Exact = np.tensordot(kept, coefficients[:, begin:], axes=1)
        for lag in range(min(len(head.phi), read.position + 1) or 1):
            if lag and not head.phi[lag]:
                continue
            rows, place = read.features(self.space, lag) if lag else features
            bias = head.phi[lag] if lag < len(head.phi) else 0
            logits, which = np.unique(rows @ column, return_inverse=True)
            each = self._weighed(head, logits + bias)
            if lag:  # it is among the kept sums, without a bias
                each = each - self._weighed(head, logits)
            vectors = rows @ self._vectors[h].T
            total += (each[which, begin:, None].astype(total.dtype) * vectors[:, None])[place]
        return total

    def _weighed(self, head: JointHead, logits: IntArray) -> Exact:
        """W(N, k) for every k and every N of the block, (K, B)."""
        precision = 0 if self.layer.uniform else head.precision
        return np.stack([_weights(self._block, k, precision) for k in logits.tolist()])

    def _prepared(self, columns: Sequence[IntArray]) -> list[Exact]:
        """For each head `LinearForms.sums` with the weights of the block, over all logits of a column.

        They are (C + Δ + 1, B, V + 1), where the last vector gives Z; of int64 if all numbers to come stay
        below a bound, else Python integers.
        """
        key = b"".join(column.tobytes() for column in columns)
        if key not in self._coefficients:
            made = [self._weighted(h, column) for h, column in enumerate(columns)]
            every = math.prod(most for _, _, most in made)
            largest = int(np.abs(self.layer.own).sum(axis=1).max(initial=0)) * every
            largest += sum(reach * every // most for _, reach, most in made)
            kind = np.int64 if self.layer.uniform or largest < self.sizes.int64_exact else object
            kind = np.float64 if largest < self.sizes.float64_exact else kind
            self._coefficients[key] = [coefficients.astype(kind) for coefficients, _, _ in made]
        return self._coefficients[key]

    def _weighted(self, h: int, column: IntArray) -> tuple[Exact, int, int]:
        """Weighted sums of one head; a bound on every partial sum of num or Z, and one on Z."""
        head, levels = self.layer.heads[h], self.summary.sums(column, self._vectors[h])
        weights, positions = self._weighed(head, np.array([k for k, _ in levels])), self._block[-1]
        heaviest = self._weighed(head, np.array([levels[-1][0] + max(head.phi, default=0)])).max()
        reach = 2 * max(len(head.phi), 1) * heaviest * int(np.abs(self._vectors[h]).sum(axis=1).max())
        adds = np.append(self.summary.largest, np.ones(self.space.period + 1, dtype=np.int64))
        for weight, (_, sums) in zip(weights, levels, strict=True):
            reach += weight.max() * positions * int((adds @ np.abs(sums)).max())
        parts = [weight[:, None] * sums[:, None] for weight, (_, sums) in zip(weights, levels, strict=True)]
        return np.asarray(sum(parts)), reach, heaviest * positions


@dataclass(frozen=True, eq=False)
class Summaries(ArrayRecord):
    """Summaries of one length, in the order of their least words."""

    rows: NDArray[np.signedinteger]  #: (S, k): sums, codes of recent positions, state of the target
    masks: Masks  #: (S,): for which N of a block some word leads to it
    steps: Steps  #: (S, 2): parent and symbol of the least word of each


def union(parts: Sequence[Summaries]) -> Summaries:
    """Every distinct row of some parts once, in the narrowest integer type.

    The sets of equal rows are united, and the first of them stands for all. Parts follow each other in the
    order of least words.

    >>> rows, masks = np.array([[5], [3], [5]]), np.array([1, 1, 2], dtype=np.uint64)
    >>> merged = union([Summaries(rows, masks, np.zeros((3, 2), dtype=np.int32))])
    >>> merged.rows.tolist(), merged.masks.tolist()
    ([[5], [3]], [3, 1])
    """
    joint = Summaries.concatenate(parts)
    narrow = np.min_scalar_type(min(int(joint.rows.min(initial=0)), -1 - int(joint.rows.max(initial=0))))
    joint = replace(joint, rows=joint.rows.astype(narrow, copy=False))
    first, group = group_rows(joint.rows)
    masks = np.zeros(len(first), dtype=np.uint64)
    np.bitwise_or.at(masks, group, joint.masks)  # over the rows of each group
    order = np.argsort(first)
    return replace(joint.take(first[order]), masks=masks[order])


def word_of(trail: Sequence[Steps], place: int, symbol: int) -> Word:
    """The word whose last symbol extends the row at a place, by the steps that led there; -1 is no symbol.

    >>> word_of([np.array([[0, 1]], dtype=np.int32)], 0, 2), word_of([], 0, -1)
    ((1, 2), ())
    """
    codes = []
    for steps in reversed(trail):
        codes.append(symbol)
        place, symbol = steps[place].tolist()
    codes.append(symbol)
    return tuple(code for code in reversed(codes) if code >= 0)
