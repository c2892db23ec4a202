"""Attention patterns within a budget: every φ and every logit matrix M on the p-bit grid, by cost.

φ costs Σ φ(k)² and M its spectral norm ([HYB25] Definition 50). The spectral norm of a matrix without
negative entries does not fall when an entry grows (Perron), so matrices are built row by row and cut as soon
as the rows so far are too long.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from idinf.errors import BudgetError
from idinf.space.grid import grid_ball, largest_square
from idinf.transformers.attention import AttentionPattern

__all__ = ["MAX_PATTERNS", "PatternGrid", "choices_of_heads", "patterns"]

#: Patterns of one head, at most: beyond that every structure would be visited for hours.
MAX_PATTERNS = 200_000


@dataclass(frozen=True, slots=True)
class PatternGrid:
    """Which attention patterns a space has.

    Attributes
    ----------
    precision : int
        p; entries are multiples of 2^-p.
    reach, logit_max : int
        φ(k) may be non-zero for k ≤ ``reach``, up to ``logit_max``.
    content_max : int
        Largest entry of M.
    """

    precision: int
    reach: int
    logit_max: int
    content_max: int


@lru_cache(maxsize=256)
def patterns(grid: PatternGrid, features: int, room: float) -> tuple[tuple[float, AttentionPattern], ...]:
    """List every pattern with ‖M‖ + Σ φ² ≤ ``room``, with that cost, cheapest first.

    Parameters
    ----------
    features : int
        Number of features of the layer, the size of M.

    Raises
    ------
    BudgetError
        If there are more than ``MAX_PATTERNS``.

    Examples
    --------
    >>> [pattern.phi for _, pattern in patterns(PatternGrid(0, 1, 1, 0), 3, 1.0)]
    [(), (0, 1), (1,)]
    >>> len(patterns(PatternGrid(0, 0, 1, 1), 2, 1.0))  # no φ with M: the 7 partial permutations; φ(0) alone
    8
    """
    found = []
    for phi_cost, phi in _local_biases(grid, room):
        for norm, logits in _logit_matrices(grid, features, room - phi_cost):
            found.append((phi_cost + norm, AttentionPattern(logits, phi)))
            if len(found) > MAX_PATTERNS:
                raise BudgetError(
                    f"more than {MAX_PATTERNS} attention patterns of one head within a cost of {room:.3f}; "
                    "lower --content-max, --logit-max, --reach, --precision or --max-r"
                )
    return tuple(sorted(found))


def _local_biases(grid: PatternGrid, room: float) -> list[tuple[float, tuple[int, ...]]]:
    """Every φ with Σ φ² ≤ ``room``, without trailing zeros."""
    if grid.logit_max == 0 or room < 0:
        return [(0.0, ())] if room >= -1e-9 else []
    one = 1 << grid.precision
    square = int(room * one * one + 1e-6)
    found = []
    for values in grid_ball(grid.reach + 1, square):
        if values.min() >= 0 and values.max() <= grid.logit_max * one:
            phi = tuple(int(x) for x in np.trim_zeros(values, "b"))
            found.append((float(values @ values) / (one * one), phi))
    return found


@lru_cache(maxsize=256)
def _logit_matrices(
    grid: PatternGrid, features: int, room: float
) -> list[tuple[float, tuple[tuple[int, ...], ...]]]:
    """Every M with ‖M‖ ≤ ``room``; the zero matrix is the empty tuple."""
    if room < -1e-9:
        return []
    one = 1 << grid.precision
    if grid.content_max == 0 or room < 1.0 / one - 1e-9:
        return [(0.0, ())]
    rows = grid_ball(features, largest_square(room * one))
    rows = rows[((rows >= 0) & (rows <= grid.content_max * one)).all(axis=1)]
    matrices = np.zeros((1, 0, features), dtype=np.int64)
    for _ in range(features):
        if len(matrices) * len(rows) > 20 * MAX_PATTERNS:
            raise BudgetError(
                f"more than {20 * MAX_PATTERNS} logit matrices over {features} features to look at; lower "
                "--content-max, --precision or --max-r"
            )
        grown = np.concatenate(
            [
                np.repeat(matrices, len(rows), axis=0),
                np.tile(rows, (len(matrices), 1))[:, None, :],
            ],
            axis=1,
        )
        norms = np.linalg.norm(grown.astype(np.float64), 2, axis=(1, 2))
        matrices = grown[norms <= room * one + 1e-9]
    norms = np.linalg.norm(matrices.astype(np.float64), 2, axis=(1, 2)) / one
    return [
        (float(norm), tuple(tuple(int(x) for x in row) for row in matrix) if matrix.any() else ())
        for norm, matrix in zip(norms, matrices, strict=True)
    ]


@lru_cache(maxsize=256)
def choices_of_heads(
    grid: PatternGrid, features: int, heads: int, room: float
) -> tuple[tuple[AttentionPattern, ...], ...]:
    """Every multiset of ``heads`` patterns whose φ terms leave room, by Σ φ² of all heads.

    Notes
    -----
    Heads of a layer may be exchanged: every head keeps its pattern and its channels, units sum over heads in
    any order, and the terms of R are maxima or sums over heads. So one order of every multiset is enough.
    Heads of equal patterns can still exchange their channels; such layers are one function, as normal forms
    add up the values of equal patterns (`idinf.search.normal_form`).
    """
    if not heads:
        return ((),)
    single = [pattern for _, pattern in patterns(grid, features, room)]
    if math.comb(len(single) + heads - 1, heads) > 20 * MAX_PATTERNS:
        raise BudgetError(
            f"{len(single)} attention patterns for each of {heads} heads are too many to combine; lower "
            "--content-max, --logit-max, --reach, --precision, --heads or --max-r"
        )
    most = (room + 1e-9) * 4**grid.precision
    chosen = (
        (sum(pattern.phi_square() for pattern in several), several)
        for several in itertools.combinations_with_replacement(single, heads)
    )
    return tuple(several for _, several in sorted(c for c in chosen if c[0] <= most))
