"""Attention patterns within a budget: every φ and every logit matrix M on the p-bit grid, by cost.

φ costs Σ φ(k)² and M its spectral norm ([HYB25] Definition 50). The spectral norm of a matrix without
negative entries does not fall when an entry grows (Perron), so matrices are built row by row and cut as soon
as the rows so far are too long.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.nets.attention import Attention, AttentionPattern
from idinf.space.grid import find_largest_square, list_grid_ball
from idinf.spec.bounds import SpaceBounds

#: Patterns of one head, at most: beyond that every structure would be visited for hours.
MAX_PATTERNS = 200_000

#: Patterns, or matrices, between two calls of the checkpoint: a millisecond.
LOOK = 64

Logits = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class PatternGrid:
    """Which attention patterns a space has, on the grid of 2^-precision.

    φ(k) may be non-zero for k ≤ ``reach``, up to ``logit_max``, and entries of M are at most ``content_max``.
    """

    precision: int
    reach: int
    logit_max: int
    content_max: int

    @classmethod
    def of(cls, bounds: SpaceBounds, precision: int, attention: Attention) -> PatternGrid:
        """The patterns of a space that depend on no more than an attention says."""
        logit_max = bounds.logit_max if attention >= Attention.LOCAL else 0
        content_max = bounds.content_max if attention >= Attention.CONTENT else 0
        return cls(precision, bounds.reach, logit_max, content_max)

    @property
    def least(self) -> float:
        """The cost of the cheapest pattern that is not uniform; infinite if there is none."""
        step = 0.5**self.precision
        return step * step if self.logit_max else step if self.content_max else math.inf


def list_attentions(bounds: SpaceBounds) -> tuple[Attention, ...]:
    """The kinds of attention that a space has, fewest patterns first.

    >>> [attention.name for attention in list_attentions(SpaceBounds(content_max=0))]
    ['UNIFORM', 'LOCAL']
    """
    given = True, bounds.logit_max > 0, bounds.content_max > 0
    return tuple(attention for attention, is_given in zip(Attention, given, strict=True) if is_given)


def list_patterns(
    grid: PatternGrid,
    features: int,
    tokens: int,
    room: float,
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[tuple[float, AttentionPattern], ...]:
    """List patterns with ‖M‖ + Σ φ² ≤ ``room``, with that cost, cheapest first: one of every normal form.

    *Lemma (idle columns).* The query `$` stands at position 0 and sees itself alone, so the column of M for
    the query `$` does nothing. Where all logits are integers, taking a number off a column, for all tokens as
    keys, divides every weight of that query by one power of N, which no average sees; so some token has the
    entry 0. Both make no entry larger, so ‖M‖ does not grow (Perron), nor does the place in the total order:
    a head with another M is a head of the list that answers alike and costs no more.

    ``features``, ``tokens``: number of features of the layer, the size of M, and how many of them are tokens,
    `$` first. Raises BudgetError if there are more than ``MAX_PATTERNS``.

    >>> [pattern.phi for _, pattern in list_patterns(PatternGrid(0, 1, 1, 0), 3, 3, 1.0)]
    [(), (0, 1), (1,)]
    >>> len(list_patterns(PatternGrid(0, 0, 1, 1), 3, 3, 1.0))  # φ(0), or no φ and one of 13 matrices
    14
    """
    one = 1 << grid.precision
    biases = list_local_biases(grid, room)
    norms, matrices = _logit_matrices(grid, features, room, checkpoint) if biases else (np.zeros(0), [])
    raised = np.array([_has_raised_column(matrix, tokens, one) for matrix in matrices], dtype=np.bool_)
    found: list[tuple[float, AttentionPattern]] = []
    for phi_cost, phi in biases:
        fits = norms <= (room - phi_cost) * one + 1e-9
        if all(value % one == 0 for value in phi):
            fits &= ~raised
        for place in np.flatnonzero(fits):
            if len(found) % LOOK == 0:
                checkpoint()
            found.append((phi_cost + float(norms[place] / one), AttentionPattern(matrices[place], phi)))
            if len(found) > MAX_PATTERNS:
                raise BudgetError(
                    f"more than {MAX_PATTERNS} attention patterns of one head within a cost of {room:.3f}; "
                    "lower --content-max, --logit-max, --reach, --precision or --max-r"
                )
    return tuple(sorted(found, key=lambda item: (item[0], item[1].logits, item[1].phi)))


def _has_raised_column(matrix: Logits, tokens: int, one: int) -> bool:
    """Whether a column of integers has no 0 among the tokens, and a query may see it with integers alone.

    Queries see single columns where tokens are all features there are.
    """
    columns = tuple(zip(*matrix, strict=True))
    whole = [all(x % one == 0 for x in column) for column in columns]
    if len(matrix) > tokens and not all(whole):
        return False
    return any(w and min(column[:tokens]) > 0 for w, column in zip(whole, columns, strict=True))


def list_local_biases(grid: PatternGrid, room: float) -> list[tuple[float, tuple[int, ...]]]:
    """Every φ with Σ φ² ≤ ``room``, without trailing zeros."""
    if grid.logit_max == 0 or room < 0:
        return [(0.0, ())] if room >= -1e-9 else []
    one = 1 << grid.precision
    square = int(room * one * one + 1e-6)
    found = []
    for values in list_grid_ball(grid.reach + 1, square, 0, grid.logit_max * one):
        phi = tuple(int(x) for x in np.trim_zeros(values, "b"))
        found.append((float(values @ values) / (one * one), phi))
    return found


def _logit_matrices(
    grid: PatternGrid, features: int, room: float, checkpoint: Callable[[], None]
) -> tuple[NDArray[np.float64], list[Logits]]:
    """Every M with ‖M‖ ≤ ``room`` and column 0 for the query `$`, and ‖M‖ in units of 2^-p.

    They grow column by column. The zero matrix is the empty tuple.
    """
    one = 1 << grid.precision
    if grid.content_max == 0 or room < 1.0 / one - 1e-9:
        return np.zeros(1), [()]
    square = find_largest_square(room * one)
    if sum(math.comb(features, ones) for ones in range(min(square, features) + 1)) > 20 * MAX_PATTERNS:
        raise _too_many_matrices(features)  # columns of 0 and 1 alone
    columns = list_grid_ball(features, square, 0, grid.content_max * one)
    matrices, norms = np.zeros((1, features, 1), dtype=np.int64), np.zeros(1)
    for width in range(2, features + 1):
        if len(matrices) * len(columns) > 20 * MAX_PATTERNS:
            raise _too_many_matrices(features)
        block = max(1, LOOK * 16 // (width * features))
        grown, of_grown = [], []
        for begin in range(0, len(matrices) * len(columns), block):
            checkpoint()
            places = np.arange(begin, min(begin + block, len(matrices) * len(columns)))
            place, column = np.divmod(places, len(columns))
            larger = np.concatenate([matrices[place], columns[column][:, :, None]], axis=2)
            squares = (larger**2).sum(axis=2).max(axis=1)  # of rows, none of which is longer than ‖M‖
            larger = larger[squares <= (room * one + 1e-6) ** 2]
            larger_norms = np.linalg.norm(larger.astype(np.float64), 2, axis=(1, 2))
            short = larger_norms <= room * one + 1e-9
            grown.append(larger[short])
            of_grown.append(larger_norms[short])
        matrices, norms = np.concatenate(grown), np.concatenate(of_grown)
    return norms, [tuple(map(tuple, matrix)) if any(map(any, matrix)) else () for matrix in matrices.tolist()]


def _too_many_matrices(features: int) -> BudgetError:
    return BudgetError(
        f"more than {20 * MAX_PATTERNS} logit matrices over {features} features to look at; lower "
        "--content-max, --precision or --max-r"
    )


def list_choices_of_heads(
    single: tuple[tuple[float, AttentionPattern], ...],
    heads: int,
    precision: int,
    room: float,
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[tuple[AttentionPattern, ...], ...]:
    """Every multiset of ``heads`` of the patterns whose φ terms leave room, by Σ φ² of all heads.

    Heads of a layer may be exchanged: every head keeps its pattern and its channels, units sum over heads in
    any order, and the terms of R are maxima or sums over heads. So one order of every multiset is enough.
    Heads of equal patterns can still exchange their channels; such layers are one function, as normal forms
    add up the values of equal patterns (`idinf.search.lower_layers.normal_form`).
    """
    if not heads:
        return ((),)
    if math.comb(len(single) + heads - 1, heads) > 20 * MAX_PATTERNS:
        raise BudgetError(
            f"{len(single)} attention patterns for each of {heads} heads are too many to combine; lower "
            "--content-max, --logit-max, --reach, --precision, --heads or --max-r"
        )
    most = (room + 1e-9) * 4**precision
    squares = [(pattern.phi_square(), pattern) for _, pattern in single]
    chosen = []
    for number, several in enumerate(itertools.combinations_with_replacement(squares, heads)):
        if number % LOOK == 0:
            checkpoint()
        square = sum(square for square, _ in several)
        if square <= most:
            chosen.append((square, tuple(pattern for _, pattern in several)))
    chosen.sort(key=lambda item: item[0])
    return tuple(several for _, several in chosen)
