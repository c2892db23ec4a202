"""Which units of a layer share channels, and what the stacked channels of a head cost.

Units of a head may share a channel g and read it with entries c_u ≠ 0 of A; a head then has one row g in V
instead of one per unit. A sharing numbers the shared channels: entry (h, u) is 0 where unit u has a channel
of its own on head h or none, else the number of the channel it shares with others.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from idinf.space.grid import IntArray
from idinf.space.units import FloatArray, aggregate_over_heads
from idinf.transformers.regularizer import Aggregate

#: One tuple of group numbers (one for each unit) for every head.
Sharing = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=64)
def list_sharings(units: int, heads: int) -> tuple[Sharing, ...]:
    """List the ways in which units may share channels, one for each orbit of permutations of the units.

    Units of a layer may be exchanged (the rows of A, entries of b, columns of B go along): no norm changes,
    and later layers read the exchanged features. So one sharing of every orbit is enough; units with equal
    columns stand next to each other in it.

    >>> list_sharings(2, 1)
    (((0, 0),), ((1, 1),))
    >>> len(list_sharings(3, 1)), len(list_sharings(4, 1)), len(list_sharings(2, 2))
    (3, 5, 4)
    """
    single = [
        groups
        for groups in itertools.product(range(units // 2 + 1), repeat=units)
        if _normal(groups) == groups
    ]
    kept = {_least(joint) for joint in itertools.product(single, repeat=heads)}
    return tuple(sorted(kept))


def _normal(groups: tuple[int, ...]) -> tuple[int, ...] | None:
    """Groups renumbered by first appearance; None if a group has a single unit."""
    names: dict[int, int] = {}
    for group in groups:
        if group and groups.count(group) < 2:
            return None
        if group:
            names.setdefault(group, len(names) + 1)
    return tuple(names.get(group, 0) for group in groups)


def _least(joint: Sharing) -> Sharing:
    """The least sharing of an orbit; among the first, equal columns are adjacent."""
    columns = list(zip(*joint, strict=True))
    candidates = []
    for order in itertools.permutations(columns):
        adjacent = sum(a == b for a, b in itertools.pairwise(order))
        renumbered = tuple(_normal(row) for row in zip(*order, strict=True))
        candidates.append((-adjacent, renumbered))
    return min(candidates)[1] if joint else joint  # type: ignore[return-value]


def compute_channel_costs(
    channels: IntArray, groups: IntArray, precision: int, aggregate: Aggregate
) -> FloatArray:
    """rank_V and ‖V‖ of layers, (N, 2).

    ``channels``, (N, m, H, f): the channel that each unit reads of each head, in units of 2^-p. ``groups``,
    (H, m): the sharing of all N layers.

    A shared channel is one row of V.
    """
    size, units, heads, _ = channels.shape
    ranks, norms = np.zeros((size, heads)), np.zeros((size, heads))
    for head in range(heads):
        rows = [u for u in range(units) if not groups[head, u] or groups[head, u] not in groups[head, :u]]
        stack = channels[:, rows, head, :]
        ranks[:, head], norms[:, head] = compute_ranks_and_norms(np.einsum("naf,nbf->nab", stack, stack))
    return np.stack(
        [aggregate_over_heads(ranks, aggregate), 2.0**-precision * aggregate_over_heads(norms, aggregate)],
        axis=1,
    )


def compute_ranks_and_norms(gram: IntArray) -> tuple[IntArray, FloatArray]:
    """Rank and spectral norm of N matrices from the products of their up to 4 rows, (N, m, m).

    Ranks are exact: the rank of a Gram matrix is the size of its largest non-zero principal minor, in
    integers. The largest eigenvalue is closed form up to two rows.

    >>> [array.tolist() for array in compute_ranks_and_norms(np.array([[[4, 0], [0, 9]], [[1, 1], [1, 1]]]))]
    [[2, 1], [3.0, 1.4142135623730951]]
    """
    rank = np.zeros(len(gram), dtype=np.int64)
    for size in range(1, gram.shape[1] + 1):
        for rows in itertools.combinations(range(gram.shape[1]), size):
            minor = _determinant(gram[:, rows][:, :, rows])
            rank[minor != 0] = size
    if gram.shape[1] == 1:
        largest = gram[:, 0, 0].astype(np.float64)
    elif gram.shape[1] == 2:
        a, c, d = gram[:, 0, 0], gram[:, 1, 1], gram[:, 0, 1]
        largest = np.asarray(0.5 * (a + c + np.sqrt((a - c) ** 2 + 4.0 * d * d)))
    else:
        largest = np.maximum(np.linalg.eigvalsh(gram.astype(np.float64))[:, -1], 0.0)
    return rank, np.sqrt(largest)


def _determinant(matrices: IntArray) -> IntArray:
    """Integer determinants by expansion along the first row; sizes up to 4."""
    size = matrices.shape[1]
    if size == 1:
        return np.asarray(matrices[:, 0, 0])
    total = np.zeros(len(matrices), dtype=np.int64)
    for column in range(size):
        others = [c for c in range(size) if c != column]
        total += (-1) ** column * matrices[:, 0, column] * _determinant(matrices[:, 1:][:, :, others])
    return total
