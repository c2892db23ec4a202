"""What a prefix is summarised by: sums over its positions that decide every later attention output.

For a query whose logits are the column c = M · features_i, the attention of a head is decided by the sums
Σ_{j: ⟨c, features_j⟩ = k} ⟨v, features_j⟩, one for each logit k and each vector v that a unit reads; v = 1 on
every token gives the normaliser. They do not depend on N, which only enters as the weight of each k. A
uniform head and one with φ alone have c = 0 and k = 0.

Sums that the length decides are not kept: a symbol's and a residue's share follow from the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from idinf.errors import BudgetError
from idinf.search.exact_check.joint_layers import FeatureSpace, JointHead, JointLayer
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows

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
