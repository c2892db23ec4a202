"""What a prefix is summarised by, and the units of a layer read off summaries for many N at once.

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
every head leaves its sign. A sum runs in float64 where a bound below 2^53 is proved for it, in int64 below
2^63, and in Python integers beyond; all three are exact."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.nets.attention import compute_scaled_weight
from idinf.search.exact_check.merging import DEFAULT_SIZES, CheckSizes
from idinf.search.exact_check.nets import FeatureSpace, JointHead, JointLayer, RecentCodes, decoded
from idinf.space.grid import IntArray
from idinf.space.rows import SHARED, ArrayRecord, group_rows
from idinf.space.units import BoolArray

#: Different logit columns of one head, at most; beyond that its sums would not fit any memory bound.
MAX_COLUMNS = 1024


@dataclass(frozen=True, eq=False)
class Sums:
    """Σ over the positions before i with logit k of ⟨v, features⟩, for V vectors v, from kept sums.

    The sum is kept @ weights + Σ_r known[r] · #{j < i: j ≡ r} + sos for i > 0.
    """

    weights: IntArray  #: (C, V)
    known: IntArray  #: (period, V)
    sos: IntArray  #: (V,)


def levels_of(space: FeatureSpace, column: IntArray) -> list[int]:
    """Values that ⟨column, features⟩ can take, ascending.

    >>> levels_of(FeatureSpace(2, 1, 1), np.array([0, 1, 0, 2]))
    [0, 1, 2, 3]
    """
    residues = column[space.tokens : space.first_unit] if space.period > 1 else np.zeros(1, np.int64)
    inner = {int(t + r) for t in column[1 : space.tokens] for r in residues} | {int(column[0] + residues[0])}
    for weight in column[space.first_unit :]:
        inner |= {level + int(weight) for level in inner}
    return sorted(inner)


def query_columns(space: FeatureSpace, head: JointHead, most: int = MAX_COLUMNS) -> list[IntArray]:
    """Columns of logits that the queries of a head can have, (F,) each; a zero column for M = 0.

    Raises BudgetError if there are more than ``most``.
    """
    if head.logits is None:
        return [np.zeros(space.size, dtype=np.int64)]
    starts = space.all_rows(np.zeros((1, space.units), dtype=np.int64))
    columns = np.unique(starts @ head.logits.T, axis=0)
    for unit in range(space.first_unit, space.size):
        if head.logits[:, unit].any():
            columns = np.unique(np.concatenate([columns, columns + head.logits[:, unit]]), axis=0)
        if len(columns) > most:
            raise BudgetError(
                f"exact check: the queries of one head have more than {most} different logits; "
                "lower --content-max, --layers or --units"
            )
    return list(columns)


def _requirements(space: FeatureSpace, layers: Sequence[JointLayer]) -> Iterator[tuple[IntArray, IntArray]]:
    """Every (column, distinct vectors) that some head of some layer asks for."""
    for layer in layers:
        for head in layer.heads:
            vectors = head.values[np.sort(group_rows(head.values)[0])]
            for column in query_columns(space, head):
                yield column, vectors


class LinearForms:
    """Exactly the sums that some unit asks for, each once. Immutable after construction.

    ``layers`` are all whose attention has to be decided.

    A vector v is kept modulo a constant on all tokens, constants on residues and the weight of $, where these
    are known (c = 0), modulo a constant on all tokens otherwise, and divided by its common divisor.
    """

    def __init__(self, space: FeatureSpace, layers: Sequence[JointLayer]) -> None:
        self.space = space
        self._place: dict[tuple[bytes, int, bytes], int] = {}
        kept: list[tuple[IntArray, int, IntArray]] = []
        ones = _token_ones(space)
        for column, vectors in _requirements(space, layers):
            counted = levels_of(space, column)[1:]
            wanted = [(k, ones) for k in counted]
            reduced, factors = _primitive(_modulo_known(space, vectors, bool(column.any())))
            distinct = reduced[factors != 0]
            wanted += [(k, vector) for vector in distinct for k in levels_of(space, column)]
            for k, vector in wanted:
                key = (column.tobytes(), k, vector.tobytes())
                if key not in self._place:
                    self._place[key] = len(kept)
                    kept.append((column, k, vector))
        size = (len(kept), space.size)
        self._columns = np.array([c for c, _, _ in kept], dtype=np.int64).reshape(size)
        self._levels = np.array([k for _, k, _ in kept], dtype=np.int64)
        self._vectors = np.array([v for _, _, v in kept], dtype=np.int64).reshape(size)
        self._restricted = self._columns.any(axis=1)

    @property
    def largest(self) -> IntArray:
        """Largest absolute value that one position adds to each sum, (C,)."""
        return _largest_product(self.space, self._vectors)

    def increments(self, rows: IntArray) -> IntArray:
        """What positions with given features add, (S, F) → (S, C)."""
        added: IntArray = rows @ self._vectors.T  # over the features
        if self._restricted.any():
            added *= (rows @ self._columns.T == self._levels) | ~self._restricted
        return added

    def sums(self, column: IntArray, vectors: IntArray) -> list[tuple[int, Sums]]:
        """The sums of V vectors, (V, F), for each logit that a key can have in a column, (F,)."""
        space, levels, restricted = self.space, levels_of(self.space, column), bool(column.any())
        reduced, factors = _primitive(_modulo_known(space, vectors, restricted))
        ones, name = _token_ones(space), column.tobytes()
        counts = [self._place[name, k, ones.tobytes()] for k in levels[1:]]
        out = []
        for k in levels:
            weights = np.zeros((len(self._levels), len(vectors)), dtype=np.int64)
            known = np.zeros((space.period, len(vectors)), dtype=np.int64)
            sos = np.zeros(len(vectors), dtype=np.int64)
            for v in np.flatnonzero(factors):
                weights[self._place[name, k, reduced[v].tobytes()], v] = factors[v]
            if not restricted:
                known += vectors[:, 1]
                sos += vectors[:, 0] - vectors[:, 1]
                if space.period > 1:
                    known += vectors[:, space.tokens : space.first_unit].T
            elif k == levels[0]:  # all positions but those of the other logits
                known += vectors[:, 1]
                weights[counts] -= vectors[:, 1]
            else:
                weights[self._place[name, k, ones.tobytes()]] += vectors[:, 1]
            out.append((k, Sums(weights, known, sos)))
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


def _largest_product(space: FeatureSpace, vectors: IntArray) -> IntArray:
    """Largest |⟨v, features⟩| over all classes of features, bounded part by part, (V,)."""
    size = np.abs(vectors)
    largest: IntArray = size[:, : space.tokens].max(axis=1, initial=0)
    largest = largest + size[:, space.tokens : space.first_unit].max(axis=1, initial=0)
    return np.asarray(largest + size[:, space.first_unit :].sum(axis=1))


MAX_ALIKE = 64  #: kept sums beyond which comparing prefixes costs more than reading them

Exact = NDArray[Any]  #: float64, int64 or Python integers; exact in each by the bounds above


@dataclass(frozen=True, eq=False)
class Prefixes(ArrayRecord):
    """S prefixes that end at one position with one token."""

    position: int = field(metadata=SHARED)
    token: int = field(metadata=SHARED)
    kept: IntArray  #: (S, C): sums over the positions before this one
    #: (S, τ): codes of the features of the last positions, the nearest first: token + (|Σ| + 1) · unit bits.
    recent: IntArray
    bits: IntArray  #: (S, units): outputs of the lower units at this position; 0 where not yet known

    def codes(self, space: FeatureSpace) -> IntArray:
        """Codes of the features of this position, (S,)."""
        codes = np.full(len(self), self.token, dtype=np.int64)
        for u in range(space.units):
            codes += self.bits[:, u] * (space.tokens << u)
        return codes


@lru_cache(maxsize=1 << 16)
def _weight(N: int, logit: int, precision: int) -> int:
    return compute_scaled_weight(N, logit, precision)


@dataclass(frozen=True, eq=False)
class _Column:
    """One head at queries with one column of logits, for every N of a block."""

    #: As in Sums, with the weights of the logits of each N; the last of the V vectors gives Z.
    weights: Exact  #: (C, B, V)
    known: Exact  #: (period, B, V)
    sos: Exact  #: (B, V)
    largest: int  #: bound on every partial sum of num; ``most`` one on Z
    most: int

    def astype(self, kind: type) -> _Column:
        return replace(
            self, weights=self.weights.astype(kind), known=self.known.astype(kind), sos=self.sos.astype(kind)
        )


class LayerReader:
    """Computes the units of one layer. Mutable: it keeps the coefficients of the present block of N."""

    def __init__(
        self, space: FeatureSpace, layer: JointLayer, summary: LinearForms, sizes: CheckSizes = DEFAULT_SIZES
    ) -> None:
        self.space, self.layer, self.summary, self.sizes = space, layer, summary, sizes
        ones = (np.arange(space.size) < space.tokens).astype(np.int64)
        self._vectors, self._which = [], []
        for head in layer.heads:
            first, which = group_rows(head.values)
            self._vectors.append(np.concatenate([head.values[first], ones[None]]))
            self._which.append(which)
        self._asking = _asking_units(space, layer)
        self._largest_own = int(np.abs(layer.own).sum(axis=1).max(initial=0))
        self._sums: dict[tuple[int, bytes], list[tuple[int, Sums]]] = {}
        self._block: tuple[int, ...] = ()
        self._columns: dict[tuple[int, bytes, type], _Column] = {}
        self._tables: dict[tuple[object, ...], Exact] = {}
        self._position = -1
        self._recent = RecentCodes(space, [layer])
        self._read_sums: IntArray | None = None

    def outputs(self, read: Prefixes, block: tuple[int, ...], begin: int = 0) -> BoolArray:
        """Compute the units, (S, B, U), for B values of N: those of a block from ``begin`` on.

        A uniform layer has the same units whatever N is, and B = 1.
        """
        if block != self._block:
            self._block = block
            self._columns.clear()
            self._tables.clear()
        if self.layer.uniform and read.position != self._position:
            self._position = read.position
            self._tables.clear()
        width = 1 if self.layer.uniform else len(block) - begin
        out = np.empty((len(read), width, len(self.layer)), dtype=np.bool_)
        most = max(1, self.sizes.reader_cells // (width * (len(self.layer) + 1)))
        for start in range(0, len(read), most):
            part = slice(start, start + most)
            chosen = read if len(read) <= most else read.take(part)
            if self.layer.uniform:
                out[part, 0] = self._uniform(chosen)
            else:
                self._fill(out[part], chosen, begin)
        return out

    def alike(self, read: Prefixes) -> tuple[IntArray, IntArray]:
        """Prefixes that this layer cannot tell apart: one of each kind, (G,), and the kind of each, (S,)."""
        if read.kept.shape[1] > MAX_ALIKE:
            return np.arange(len(read)), np.arange(len(read))
        if self._read_sums is None:
            used = np.zeros(read.kept.shape[1], dtype=np.bool_)
            for h, head in enumerate(self.layer.heads):
                for column in query_columns(self.space, head):
                    for _, sums in self._levels(h, column):
                        used |= sums.weights.any(axis=1)
            self._read_sums = np.flatnonzero(used)
        kept, bits = read.kept[:, self._read_sums], read.bits[:, : self.layer.first]
        return group_rows(np.concatenate([kept, self._recent.reduced(read.recent), bits], axis=1))

    def _uniform(self, read: Prefixes) -> BoolArray:
        """One uniform head or none: (i + 1) · ⟨own, features_i⟩ + ⟨v, features_i⟩ is a table."""
        positions = read.position + 1
        if not self.layer.heads:
            kind = self._kind(positions * self._largest_own)
            own = self._tabulated(("own",), read, 0, lambda rows: rows @ self.layer.own.T)
            return own.astype(kind) > 0
        values = self.layer.heads[0].values
        zero = np.zeros(self.space.size, dtype=np.int64)
        [(_, sums)] = self._levels(0, zero)
        largest = _bound([1], [sums], self.summary.largest, read.position)
        size = int(np.abs(values).sum(axis=1).max(initial=0))
        kind = self._kind(largest + size + positions * self._largest_own)
        which = self._which[0]
        weights: Exact = sums.weights[:, which].astype(kind)
        known = known_part(self.space, sums.known.astype(kind), sums.sos.astype(kind), read.position)[which]
        last = self._tabulated(
            ("last", kind),
            read,
            0,
            lambda rows: (rows @ values.T).astype(kind) + positions * (rows @ self.layer.own.T).astype(kind),
        )
        with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
            # (S, U), over the kept sums
            return np.asarray(read.kept.astype(kind) @ weights + known + last > 0)

    def _fill(self, out: BoolArray, read: Prefixes, begin: int) -> None:
        """Prefixes with equal queries together."""
        if not len(self._asking):
            out[:] = self._asked(read, begin)
            return
        query = read.bits[:, self._asking] @ (1 << np.arange(len(self._asking)))
        for value in np.unique(query):
            places = np.flatnonzero(query == value)
            out[places] = self._asked(read.take(places), begin)

    def _asked(self, read: Prefixes, begin: int) -> BoolArray:
        """Prefixes whose queries have one column of logits at every head."""
        query = self.space.rows(read.token, read.position, read.bits[:1])[0]
        columns = [
            np.zeros(self.space.size, dtype=np.int64) if head.logits is None else head.logits @ query
            for head in self.layer.heads
        ]
        exact = [self._column(h, column, np.int64) for h, column in enumerate(columns)]
        largest = self._largest_own * math.prod(c.most for c in exact)
        for h, column in enumerate(exact):
            largest += column.largest * math.prod(c.most for g, c in enumerate(exact) if g != h)
        kind = self._kind(largest)
        sums = [self._attended(h, column, kind, read, begin) for h, column in enumerate(columns)]
        own = self._tabulated(("own", kind), read, 0, lambda rows: (rows @ self.layer.own.T).astype(kind))
        # (S, B, U): s and b times all Z, then the numerator of each head times the Z of the others
        total = own[:, None, :] * math.prod(part[:, :, -1:] for part in sums)
        for h, part in enumerate(sums):
            others = [other[:, :, -1:] for g, other in enumerate(sums) if g != h]
            total = total + math.prod(others, start=part[:, :, self._which[h]])
        return np.asarray(total > 0)

    def _attended(self, h: int, column: IntArray, kind: type, read: Prefixes, begin: int) -> Exact:
        """num of every vector and Z, (S, B, V + 1)."""
        head, prepared = self.layer.heads[h], self._column(h, column, kind)
        weights = prepared.weights[:, begin:]
        flat = weights.reshape(len(weights), math.prod(weights.shape[1:]))
        with np.errstate(invalid="ignore"):  # as above
            total: Exact = read.kept.astype(kind) @ flat  # (S, B · (V + 1)), over the kept sums
        total = total.reshape(len(read), *weights.shape[1:])
        known = known_part(self.space, prepared.known[:, begin:], prepared.sos[begin:], read.position)
        total = total + known
        for lag in range(min(len(head.phi), read.position + 1) or 1):
            if lag and not head.phi[lag]:
                continue
            name = ("lag", h, column.tobytes(), lag, kind)
            near = self._tabulated(name, read, lag, partial(self._near, h, column, lag, kind))
            total += near[:, begin:]
        return total

    def _near(self, h: int, column: IntArray, lag: int, kind: type, rows: IntArray) -> Exact:
        """What a recent position adds to the kept sums, (n, B, V + 1)."""
        head = self.layer.heads[h]
        bias = head.phi[lag] if lag < len(head.phi) else 0
        logits, place = np.unique(rows @ column, return_inverse=True)
        weights = self._weights(head, [int(k) + bias for k in logits])
        if lag:
            weights = weights - self._weights(head, [int(k) for k in logits])
        vectors = rows @ self._vectors[h].T  # (n, V + 1), over the features
        near: Exact = weights[place][:, :, None] * vectors.astype(weights.dtype)[:, None, :]
        return near.astype(kind)

    def _weights(self, head: JointHead, logits: Sequence[int]) -> Exact:
        """W(N, k) for every k and every N of the block, (K, B)."""
        numbers = [[_weight(N, k, head.precision) for N in self._block] for k in logits]
        largest = max((number for row in numbers for number in row), default=0)
        size = max((int(np.abs(v).sum(axis=1).max()) for v in self._vectors), default=0)
        return np.array(numbers, dtype=np.int64 if largest * (size + 2) < self.sizes.int64_exact else object)

    def _kind(self, largest: int) -> type:
        """The fastest type in which integers up to a bound are exact."""
        if largest < self.sizes.float64_exact:
            return np.float64
        return np.int64 if largest < self.sizes.int64_exact else object

    def _levels(self, h: int, column: IntArray) -> list[tuple[int, Sums]]:
        key = (h, column.tobytes())
        if key not in self._sums:
            self._sums[key] = self.summary.sums(column, self._vectors[h])
        return self._sums[key]

    def _column(self, h: int, column: IntArray, kind: type) -> _Column:
        """Coefficients of a column for the block, in a given type."""
        key = (h, column.tobytes(), kind)
        if key not in self._columns:
            if kind is np.int64:
                self._columns[key] = self._exact_column(h, column)
            else:
                self._columns[key] = self._column(h, column, np.int64).astype(kind)
        return self._columns[key]

    def _exact_column(self, h: int, column: IntArray) -> _Column:
        """Coefficients as integers: int64 where they fit, Python integers where they do not."""
        head, levels = self.layer.heads[h], self._levels(h, column)
        most = self._block[-1]
        logits = [k for k, _ in levels]
        top = max(logits) + max(head.phi, default=0)
        heaviest = _weight(most, top, head.precision)
        size = int(np.abs(self._vectors[h]).sum(axis=1).max())
        weights = self._weights(head, logits)
        sums = [s for _, s in levels]
        largest = _bound([int(max(row)) for row in weights], sums, self.summary.largest, most)
        largest += 2 * max(len(head.phi), 1) * heaviest * size
        kind: type = np.int64 if largest < self.sizes.int64_exact else object
        parts = []
        for arrays in ([s.weights for s in sums], [s.known for s in sums], [s.sos[None] for s in sums]):
            shape = (len(arrays[0]), len(self._block), arrays[0].shape[1])
            total: Exact = np.zeros(shape, dtype=kind)
            for row, array in zip(weights, arrays, strict=True):
                total += row.astype(kind)[None, :, None] * array.astype(kind)[:, None, :]  # (C, B, V + 1)
            parts.append(total)
        return _Column(parts[0], parts[1], parts[2][0], largest, heaviest * most)

    def _tabulated(
        self, name: tuple[object, ...], read: Prefixes, lag: int, build: Callable[[IntArray], Exact]
    ) -> Exact:
        """A function of the features at a recent position, computed once for each value of them."""
        space, position = self.space, read.position - lag
        codes = read.recent[:, lag - 1] if lag else read.codes(space)
        if space.tokens << space.units > min(self.sizes.table, 4 * len(read)):
            present, place = np.unique(codes, return_inverse=True)
            return build(decoded(space, present, position))[place]
        key = (*name, position % space.period)
        if key not in self._tables:
            every = np.arange(space.tokens << space.units)
            self._tables[key] = build(decoded(space, every, position))
        return self._tables[key][codes]


def _asking_units(space: FeatureSpace, layer: JointLayer) -> IntArray:
    """The lower units whose value at the query changes a logit."""
    asked = np.zeros(space.units, dtype=np.bool_)
    for head in layer.heads:
        if head.logits is not None:
            asked |= head.logits[:, space.first_unit :].any(axis=0)
    return np.flatnonzero(asked)


def known_part(space: FeatureSpace, known: Exact, sos: Exact, position: int) -> Exact:
    """The part of the sums over the positions before ``position`` that the length decides."""
    if not position:
        return sos * 0
    total = sos
    for r in range(space.period):
        total = total + known[r] * ((position - 1 - r) // space.period + 1)
    return total


def _bound(weights: Sequence[int], sums: Sequence[Sums], largest: IntArray, positions: int) -> int:
    """Bound on the partial sums of num over the kept sums of up to ``positions`` positions; exact."""
    total = 0
    for weight, part in zip(weights, sums, strict=True):
        kept = (np.abs(part.weights).max(axis=1, initial=0) * largest).sum()
        known = np.abs(part.known).max(axis=1, initial=0).sum() + np.abs(part.sos).max(initial=0)
        total += weight * positions * int(kept + known)
    return total
