"""Certificates: signed combinations of words that bound R of a last layer with one unit from below.

Let λ_w ≥ 0 be weights of words, μ_w = λ_w where the unit is to be 1 on w and −λ_w where it is to be 0. With
cleared denominators the unit is 1 on w iff t_w = Σ_h ⟨v_h, sums_{w,h}⟩ + scale_w (⟨s, last_w⟩ + b) > 0, and
t_w is a multiple of 2^-p. So a unit that is right has μ_w t_w ≥ 2^-p λ_w on the first kind of word and ≥ 0
on the other, and the sum over all words reads

    Σ_h ⟨v_h, a_h⟩ + ⟨s, c⟩ + b d ≥ g,    a_h = Σ μ_w sums_{w,h},  c = Σ μ_w scale_w last_w,
                                          d = Σ μ_w scale_w,       g = 2^-p Σ_{unit 1 on w} λ_w.

By Cauchy and Schwarz α ‖V‖ + γ ‖s‖ + δ |b| ≥ g with α = Σ_h ‖a_h‖ (the largest ‖a_h‖ where the norms of
heads add up), γ = ‖c‖, δ = |d|. The least ‖V‖ + ‖A‖ + ‖b‖ under this one inequality is a lower bound, in
closed form, for *any* λ: whatever a floating-point solver proposes is only a choice of λ, rounded to
integers first. If a, c and d vanish while g does not, no v, s, b exists at all (Farkas); conflicts are such
certificates of two words. A certificate depends on the words and their labels only: what is learned over one
list of lower units bounds every other list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.search.short_words.features import FLOAT64_EXACT, Features
from idinf.space.grid import IntArray
from idinf.space.rows import repeat_places
from idinf.space.units import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class LastCosts:
    """What the other layers cost over each of S lists of lower units, and what is left for the last one."""

    #: (P, 4): rank_V, ‖V‖, ‖A‖, ‖b‖ of the lower layers, one row per Pareto point, list by list.
    lower_costs: FloatArray
    sizes: IntArray  #: (S,): how many points each list has, at least one
    budget: float  #: bound on the sum of the four terms of the whole hypothesis
    heads: int  #: heads of the last layer; its unit reads each with an entry 1 of A
    aggregate: Aggregate

    @staticmethod
    def of(lists: Sequence[FloatArray], budget: float, heads: int, aggregate: Aggregate) -> LastCosts:
        """Of lists with given Pareto points, (F, 4) each."""
        sizes = np.array([len(points) for points in lists], dtype=np.int64)
        return LastCosts(np.concatenate(lists), sizes, budget, heads, aggregate)

    def take(self, places: IntArray) -> LastCosts:
        """Of the lists at given places."""
        if len(self.lower_costs) == len(self.sizes):
            return replace(self, lower_costs=self.lower_costs[places], sizes=self.sizes[places])
        place, step = repeat_places(self.sizes[places])
        rows = (np.cumsum(self.sizes) - self.sizes)[places][place] + step
        return replace(self, lower_costs=self.lower_costs[rows], sizes=self.sizes[places])


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """Weights of words, for fixed words on which a unit is to be 1."""

    words: IntArray  #: (k,): indices of the words, ascending
    weights: IntArray  #: (k,): μ_w, positive on words where the unit is to be 1

    @property
    def gain(self) -> int:
        """g in units of 2^-p."""
        return int(self.weights[self.weights > 0].sum())


def coefficients(
    certificates: list[Certificate], words: IntArray, features: list[Features], aggregate: Aggregate
) -> FloatArray:
    """α, γ and δ of C certificates over S features, (3, S, C), exact but for square roots; NaN if too large.

    ``words`` are those of all certificates, (k,), ascending. The unit reads the features on these words, over
    S lists of lower units of one size.
    """
    weights = weights_on(certificates, words)
    scale = np.stack([item.scale for item in features])
    sums = np.stack([item.sums for item in features])
    last = np.stack([item.last for item in features]) * scale[:, :, None]
    heads, size = features[0].heads, features[0].size
    norms = _norms(np.matmul(weights, sums).reshape(len(features), len(weights), heads, size))
    alpha = norms.max(axis=2, initial=0.0) if aggregate is Aggregate.SUM else norms.sum(axis=2)
    found = np.stack([alpha, _norms(np.matmul(weights, last)), np.abs(scale @ weights.T)])
    longest = scale + np.abs(sums).max(axis=2, initial=0)
    found[:, longest @ np.abs(weights).T >= FLOAT64_EXACT] = math.nan
    return found


def all_words(certificates: list[Certificate]) -> IntArray:
    """The words of some certificates, ascending."""
    return np.unique(np.concatenate([certificate.words for certificate in certificates]))


def weights_on(certificates: list[Certificate], words: IntArray) -> FloatArray:
    """Weights of C certificates on their words, (C, k), exact."""
    weights = np.zeros((len(certificates), len(words)))
    for row, certificate in zip(weights, certificates, strict=True):
        row[np.searchsorted(words, certificate.words)] = certificate.weights
    return weights


def _norms(rows: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt((rows**2).sum(axis=-1)))


def least_costs(
    gain: FloatArray,
    alpha: FloatArray,
    gamma: FloatArray,
    delta: FloatArray,
    lower_costs: FloatArray,
    heads: int,
    aggregate: Aggregate,
    entries: FloatArray | None = None,
) -> FloatArray:
    """Lower bounds of rank_V + ‖V‖ + ‖A‖ + ‖b‖ where the last unit has α‖V‖ + γ‖s‖ + δ|b| ≥ g.

    g, α, γ, δ ≥ 0 are broadcast against each other and against Pareto points of the lower layers, (..., 4),
    but for their last axis. NaN where a coefficient is. ``entries`` are C², the sum of squares
    of A's entries that read channels; by default one entry 1 for each head.

    For t ≥ 0 the cost is at least t g plus the least of (cost − t (α‖V‖ + γ‖s‖ + δ|b|)), where the three
    norms are free. With max(r, x) as the joined term, that is r (1 − tα) for t α ≤ 1, likewise for b, and for
    ‖A‖ = √(C² + σ²) the value at σ = C x / √(1 − x²), x = t γ < 1, or at the σ that other layers pay anyway.
    The sum is concave in t and its best t is in closed form. Any t is sound, so its rounding costs nothing.

    g and the integers under α, γ, δ are exact (`coefficients` refuses others). What is rounded are a few
    square roots and the formula itself, which is continuous, with t α, t δ, t γ ≤ 1: near a budget of size R
    it is off by some R · 2^-50, and the comparison leaves `SLACK`, ten thousand times that and more.

    >>> point = np.array([1.0, 0.0, 0.0, 0.0])
    >>> zero, one, two = (np.array(float(k)) for k in range(3))
    >>> float(least_costs(two, one, zero, zero, point, 1, Aggregate.MAX))
    4.0
    >>> float(least_costs(one, zero, zero, zero, point, 1, Aggregate.MAX))
    inf
    """
    square = float(heads) if entries is None else entries
    read = np.sqrt(square)
    rank, norm_V, norm_A, norm_b = (lower_costs[..., k] for k in range(4))
    fixed = np.maximum(rank, min(heads, 1))
    if aggregate is Aggregate.SUM:
        # What other layers cost is added whatever the last unit is.
        fixed = lower_costs.sum(axis=-1) + heads
        norm_V = norm_A = norm_b = np.zeros_like(fixed)
    norm_A = np.maximum(norm_A, read)
    paid = np.sqrt(np.maximum(norm_A * norm_A - square, 0.0))  # ‖s‖ that costs nothing more
    others = norm_V + norm_b
    by_s = gain - norm_V * alpha - norm_b * delta
    missing = by_s - paid * gamma
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = paid + missing / gamma
        at_gamma = wanted / (gamma * np.sqrt(square + wanted * wanted))
        t = np.minimum(1.0 / np.maximum(alpha, delta), np.where(gamma > 0, at_gamma, math.inf))
        x = t * gamma
        # C x / √(1 − x²) > paid, squared and rearranged
        own_A = np.where(x * norm_A > paid, read * np.sqrt(np.maximum(1.0 - x * x, 0.0)), norm_A - x * paid)
        bound = np.where(t < math.inf, others + t * by_s + own_A, t)  # NaN stays
    return np.asarray(fixed + np.where(missing <= 0, others + norm_A, bound))
