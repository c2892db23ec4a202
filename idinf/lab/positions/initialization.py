"""Proposition 54: the term of φ in R of a transformer that has just been initialized, exactly and sampled.

Positions p_1..p_N and the d × d matrices K and Q of one head have independent normal entries of mean 0 and
variance 1/d. Equation (8) adds up the squares of p_1^T K^T Q p_j over all j; the variant takes
all queries i, each with its keys j ≤ i, and here their mean over i, as a sum over all pairs grows with N.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idinf.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Sampled:
    """The mean over some draws, and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class InitialPenalty:
    """What the term of φ in R is for one head that has just been initialized."""

    positions: int
    width: int
    expected: Fraction  #: of equation (8): the squares of p_1^T K^T Q p_j, summed over all j
    drawn: Sampled
    expected_of_all: Fraction  #: over keys j ≤ i, as the mean over all queries i
    drawn_of_all: Sampled


def initial_penalty(
    positions: int, width: int | None = None, *, draws: int = 200, seed: int = 0
) -> InitialPenalty:
    """Compute the expected term of φ exactly, and draw it; the width is as many as positions by default.

    Raises
    ------
    ArgumentError
        If a number is not positive, or there are fewer than 2 draws.

    Examples
    --------
    >>> initial_penalty(100, 50, draws=2).expected
    Fraction(2501, 1250)
    """
    wide = positions if width is None else width
    if min(positions, wide, draws - 1) < 1 or seed < 0:
        raise ArgumentError(
            f"positions = {positions}, width = {wide}, draws = {draws}, seed = {seed}; expected positive "
            "numbers and at least 2 draws; choose larger ones"
        )
    return InitialPenalty(
        positions,
        wide,
        compute_expected_penalty(positions, wide),
        sample_penalty(positions, wide, draws, seed),
        compute_expected_causal_penalty(positions, wide),
        sample_penalty(positions, wide, draws, seed, causal=True),
    )


def compute_expected_penalty(positions: int, width: int) -> Fraction:
    """E Σ_j (p_1^T K^T Q p_j)² of one head, which is N/d + 2/d².

    The entries of M = K^T Q are uncorrelated and have variance d/d² = 1/d. So each j ≠ 1 has the sum of
    (1/d) (1/d) (1/d) over d² entries, 1/d, and j = 1 has (1/d) E‖p_1‖⁴ = (1/d) (1 + 2/d), as d‖p_1‖² is χ²
    with d degrees of freedom. Proposition 54 of [HYB25]_ bounds this by O(1) for d that grows like N.
    """
    return Fraction(positions, width) + Fraction(2, width**2)


def compute_expected_causal_penalty(positions: int, width: int) -> Fraction:
    """E (1/N) Σ_{j ≤ i} (p_i^T K^T Q p_j)² of one head: N(N − 1)/2 pairs that differ, and N that do not."""
    return Fraction(positions + 1, 2 * width) + Fraction(2, width**2)


def sample_penalty(positions: int, width: int, draws: int, seed: int, causal: bool = False) -> Sampled:
    """Draw parameters again and again, and take the mean of either sum; a seed gives the same draws."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        rows, keys, queries = (
            rng.normal(scale=1 / math.sqrt(width), size=(size, width)) for size in (positions, width, width)
        )
        products = (rows @ queries.T) @ (rows @ keys.T).T
        penalty = (np.tril(products) ** 2).sum() / positions if causal else (products[0] ** 2).sum()
        found.append(float(penalty))
    return Sampled(float(np.mean(found)), float(np.std(found, ddof=1) / math.sqrt(draws)))
