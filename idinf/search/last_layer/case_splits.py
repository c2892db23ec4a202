"""Certificates for two units of a last layer: cases that leave no way out, each excluded by weights of words.

A reading that depends on both units says that two literals hold, or of the complement that two others do. So
each literal holds on every word of one side, and on each word of the other side one of them fails. A *case*
says of some words of the other side which literal fails there. A *split* is a list of cases that leaves no
way out: for example on the word 10 either the first literal fails, or the second. In a case both units are
told what to be on some words, and as for one unit (`idinf.search.last_layer.certificates`) weights λ ≥ 0 of
units and words give

    Σ_u (⟨v_u, a_u⟩ + ⟨s_u, c_u⟩ + b_u d_u) ≥ Σ_u g_u,

where g_u is Σ λ over the words on which unit u is to be 1, times what its t is a multiple of. By Cauchy and
Schwarz the terms of s and b are at most γ ‖s‖ + δ ‖b‖ with γ² = Σ ‖c_u‖², δ² = Σ d_u². Let α_u = ‖a_u‖.
Units that read a channel g of the one head by entries k_u of A, v_u = k_u g, have

    Σ_u ⟨v_u, a_u⟩ ≤ ‖V‖ (|k_1| α_1 + |k_2| α_2),

also where one of them reads alone, its k being 1 and the other 0; and channels of their own, k = 1 twice,
have no more than one that they share. t_u is a multiple of gcd(k_u, 1) 2^-p. So each (|k_1|, |k_2|) gives one
inequality in ‖V‖, ‖s‖ and ‖b‖, with ‖A‖² = k_1² + k_2² + ‖s‖². Large entries are treated together: t_u is a
multiple of 4^-p, and Σ_u ⟨v_u, a_u⟩ ≤ ‖V‖ C α with C² = k_1² + k_2² and α² = α_1² + α_2².
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from idinf.search.last_layer.certificates import Certificate, LastCosts, least_costs
from idinf.space.grid import IntArray
from idinf.space.rows import repeat_places
from idinf.space.units import SLACK, BoolArray, FloatArray
from idinf.transformers.regularizer import Aggregate


@dataclass(frozen=True, eq=False)
class CaseSplit:
    """Cases that leave no way out, and the weights that may exclude each of them."""

    #: (k,): indices of the words, ascending.
    words: IntArray
    #: (cases, 2, k): μ of each unit, positive on words where it is to be 1.
    weights: IntArray

    @staticmethod
    def of(weights: IntArray) -> CaseSplit:
        """Of weights of all words, (cases, 2, W)."""
        words = np.flatnonzero(weights.any(axis=(0, 1)))
        return CaseSplit(words, weights[:, :, words])

    @property
    def gains(self) -> FloatArray:
        """Σ λ over the words on which a unit is to be 1, (cases, 2)."""
        return np.asarray(np.maximum(self.weights, 0).sum(axis=2), dtype=np.float64)

    @property
    def certificates(self) -> list[Certificate]:
        """The weights of the first and of the second unit in the first case, and so on."""
        return [Certificate(self.words, weights) for case in self.weights for weights in case]

    def excludes(self, found: FloatArray, costs: LastCosts, precision: int) -> BoolArray:
        """Which cases leave no right layer within the budget over which of S lists, (S, cases).

        ``found`` are α, γ and δ of all certificates, (3, S, 2 · cases); never where one is NaN.
        """
        alphas, gammas, deltas = found.reshape(*found.shape[:2], -1, 2)
        several = len(costs.lower_costs) > len(costs.sizes)
        if several:
            place, _ = repeat_places(costs.sizes)
            alphas, gammas, deltas = alphas[place], gammas[place], deltas[place]
        gamma, delta = (np.hypot(both[..., 0], both[..., 1]) for both in (gammas, deltas))
        reads, gains = Reads.of(precision, costs.heads), self.gains
        least = least_costs(
            gains @ reads.multiples.T,
            alphas @ reads.entries.T,
            gamma[..., None],
            delta[..., None],
            costs.lower_costs[:, None, None],
            costs.heads,
            costs.aggregate,
            reads.square,
        )
        mask = (least > costs.budget + SLACK).all(axis=2)
        if costs.heads:
            alpha = np.hypot(alphas[..., 0], alphas[..., 1])
            most = most_by_large_entries(alpha, gamma, delta, costs, LARGE + 0.25**precision)
            mask &= 0.25**precision * gains.sum(axis=1) > most
        if several:
            mask = np.logical_and.reduceat(mask, np.cumsum(costs.sizes) - costs.sizes, axis=0)
        return np.asarray(mask)


#: Entries of A whose squares have a larger sum are treated together.
LARGE = 2


@dataclass(frozen=True, eq=False)
class Reads:
    """Ways in which two units read channels of one head, or the one way to have none.

    Examples
    --------
    >>> Reads.of(0, 1).entries.tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> Reads.of(1, 1).multiples[2:].tolist()  # entries (½, ½), (½, 1), (1, ½) and (1, 1)
    [[0.25, 0.25], [0.25, 0.5], [0.5, 0.25], [0.5, 0.5]]
    """

    #: (Q, 2): entries of A.
    entries: FloatArray
    #: (Q, 2): t of a unit is a multiple of this.
    multiples: FloatArray

    @property
    def square(self) -> FloatArray:
        """C², (Q,)."""
        return np.asarray((self.entries**2).sum(axis=1))

    @staticmethod
    @cache
    def of(precision: int, heads: int) -> Reads:
        """All with C² ≤ `LARGE`."""
        if not heads:
            return Reads(np.zeros((1, 2)), np.full((1, 2), 0.5**precision))
        one = 2**precision
        shared = [(k1, k2) for k1 in range(1, 2 * one) for k2 in range(1, 2 * one)]
        small = [(k1, k2) for k1, k2 in shared if k1**2 + k2**2 <= LARGE * one**2]
        entries = np.array([(one, 0), (0, one), *small])
        return Reads(entries / one, np.gcd(entries, one) / one**2)


def most_by_large_entries(
    alpha: FloatArray, gamma: FloatArray, delta: FloatArray, costs: LastCosts, square: float
) -> FloatArray:
    """The largest α‖V‖C + γ‖s‖ + δ‖b‖ of a last layer within the budget with C² ≥ ``square``; −∞ if none is.

    Coefficients are (F, cases), for F Pareto points of the lower layers.

    Notes
    -----
    Let V, A, b be the joined norms. For a given A the best C gives A √(α²V² + γ²) + δ b at most. For a
    given V that is linear in A and b, so either b is the least that lower layers pay anyway, or A is its
    least; then it is convex in V and b, and V or b is the least. With the least b, and K left for V + A, it
    is (K − V) √(α²V² + γ²), largest at an end or at V = (K + √(K² − 8γ²/α²)) / 4. The budget holds `SLACK`,
    and what a budget T allows grows at a relative rate of 1/T at least, far above any rounding.

    Examples
    --------
    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> costs = LastCosts(np.array([[1.0, 0.0, 0.0, 0.0]]), np.array([1]), 5.0, 1, Aggregate.MAX)
    >>> most_by_large_entries(one, zero, zero, costs, 1.0).round(6).tolist()  # ‖V‖ = C = 2
    [[4.0]]
    """
    rank, norm_V, norm_A, norm_b = costs.lower_costs.T[:, :, None]
    fixed = np.maximum(rank, min(costs.heads, 1))
    if costs.aggregate is Aggregate.SUM:
        fixed = costs.lower_costs.sum(axis=1)[:, None] + costs.heads
        norm_V = norm_A = norm_b = np.zeros_like(fixed)
    norm_A = np.maximum(norm_A, math.sqrt(square))
    both = costs.budget + SLACK - fixed - norm_b  # K
    spare = both - norm_V - norm_A
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = (both + np.sqrt(both**2 - 8 * (gamma / alpha) ** 2)) / 4
    # NaN where no V is better than its neighbours
    inner = np.where(inner > norm_V, np.minimum(inner, norm_V + spare), norm_V)
    at_V = [(both - V) * np.hypot(alpha * V, gamma) for V in (norm_V, inner)]
    at_b = norm_A * np.hypot(alpha * norm_V, gamma) + delta * spare
    most = delta * norm_b + np.maximum(np.maximum(*at_V), at_b)
    return np.asarray(np.where(spare < 0, -math.inf, most))
