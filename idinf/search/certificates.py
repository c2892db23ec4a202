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
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from idinf.search.features import FLOAT64_EXACT, Features
from idinf.space.grid import IntArray
from idinf.space.units import SLACK, BoolArray, FloatArray
from idinf.transformers.regularizer import Aggregate

__all__ = [
    "POOL",
    "TRIED",
    "Certificate",
    "Certificates",
    "LastCosts",
    "Proposal",
    "coefficients",
    "least_cost",
]

#: Largest weight of a word; rounding to integers loses no soundness, only a little of the bound.
WEIGHT = 2**20

#: Certificates of one pool; the one that was of use longest ago makes room.
POOL = 64

#: Certificates that are tried together.
TRIED = 8

#: Rounds of a proposal, words of its first round, and words added in each.
ROUNDS, FIRST_WORDS, MORE_WORDS = 8, 40, 16


@dataclass(frozen=True, slots=True)
class LastCosts:
    """What the other layers cost, and what is left for the last one.

    Attributes
    ----------
    fronts : (F, 4) ndarray of float64
        rank_V, ‖V‖, ‖A‖, ‖b‖ of the lower layers, one row per Pareto point.
    budget : float
        Bound on the sum of the four terms of the whole hypothesis.
    heads : int
        Heads of the last layer; its unit reads each with an entry 1 of A.
    """

    fronts: FloatArray
    budget: float
    heads: int
    aggregate: Aggregate


@dataclass(frozen=True, slots=True)
class Certificate:
    """Weights of words, for fixed words on which a unit is to be 1.

    Attributes
    ----------
    words : (k,) ndarray of int64
        Indices of the words, ascending.
    weights : (k,) ndarray of int64
        μ_w, positive on words where the unit is to be 1.
    """

    words: IntArray
    weights: IntArray

    @property
    def gain(self) -> int:
        """g in units of 2^-p."""
        return int(self.weights[self.weights > 0].sum())


def coefficients(
    certificates: list[Certificate], words: IntArray, features: Features, aggregate: Aggregate
) -> FloatArray:
    """α, γ and δ of each certificate over given features, exact but for square roots; NaN if too large.

    Parameters
    ----------
    certificates : list of Certificate
    words : (k,) ndarray of int64
        Words of all certificates, ascending.
    features : Features
        What the unit reads on these words.

    Returns
    -------
    (len(certificates), 3) ndarray of float64
    """
    weights = np.zeros((len(certificates), len(words)))
    for row, certificate in zip(weights, certificates, strict=True):
        row[np.searchsorted(words, certificate.words)] = certificate.weights
    scaled = weights * features.scale
    sums = (weights @ features.sums).reshape(len(weights), features.heads, features.size)
    norms = np.sqrt((sums**2).sum(axis=2))
    alpha = norms.max(axis=1, initial=0.0) if aggregate is Aggregate.SUM else norms.sum(axis=1)
    gamma = np.sqrt(((scaled @ features.last) ** 2).sum(axis=1))
    found = np.stack([alpha, gamma, np.abs(scaled.sum(axis=1))], axis=1)
    longest = features.scale + np.abs(features.sums).max(axis=1, initial=0)
    found[np.abs(weights) @ longest >= FLOAT64_EXACT] = math.nan
    return found


def least_cost(gain: float, alpha: float, gamma: float, delta: float, costs: LastCosts) -> float:
    """Lower bound of rank_V + ‖V‖ + ‖A‖ + ‖b‖ of whole hypotheses whose last unit has α‖V‖ + γ‖s‖ + δ|b| ≥ g.

    Parameters
    ----------
    gain, alpha, gamma, delta : float
        g, α, γ, δ ≥ 0.
    costs : LastCosts

    Notes
    -----
    For t ≥ 0 the cost is at least t g plus the least of (cost − t (α‖V‖ + γ‖s‖ + δ|b|)), where the three
    norms are free. With max(r, x) as the joined term, that is r (1 − tα) for t α ≤ 1, likewise for b, and for
    ‖A‖ = √(H + σ²) the value at σ = √H x / √(1 − x²), x = t γ < 1, or at the σ that other layers pay anyway.
    The sum is concave in t and its best t is in closed form. Any t is sound, so its rounding costs nothing.

    g and the integers under α, γ, δ are exact (`coefficients` refuses others). What is rounded are a few
    square roots and the formula itself, which is continuous, with t α, t δ, t γ ≤ 1: near a budget of size R
    it is off by some R · 2^-50, and the comparison leaves `SLACK`, ten thousand times that and more.

    Examples
    --------
    >>> costs = LastCosts(np.array([[1.0, 0.0, 0.0, 0.0]]), 9.0, 1, Aggregate.MAX)
    >>> least_cost(2.0, 1.0, 0.0, 0.0, costs)
    4.0
    >>> least_cost(1.0, 0.0, 0.0, 0.0, costs)
    inf
    """
    return min(_least_over(front, gain, alpha, gamma, delta, costs) for front in costs.fronts.tolist())


def _least_over(
    front: list[float], gain: float, alpha: float, gamma: float, delta: float, costs: LastCosts
) -> float:
    """The bound over one Pareto point of the lower layers."""
    rank, norm_V, norm_A, norm_b = front
    fixed, heads = 0.0, costs.heads
    if costs.aggregate is Aggregate.SUM:
        # What other layers cost is added whatever the last unit is.
        fixed = rank + norm_V + norm_A + norm_b + heads
        norm_V = norm_A = norm_b = 0.0
    else:
        fixed = max(rank, float(min(heads, 1)))
    norm_A = max(norm_A, math.sqrt(heads))
    paid = math.sqrt(max(norm_A**2 - heads, 0.0))  # ‖s‖ that costs nothing more
    missing = gain - norm_V * alpha - norm_b * delta - paid * gamma
    if missing <= 0:
        return fixed + norm_V + norm_A + norm_b
    if not alpha and not gamma and not delta:
        return math.inf
    largest = max(alpha, delta)
    t = 1.0 / largest if largest else math.inf
    if gamma:
        wanted = paid + missing / gamma
        t = min(t, wanted / (gamma * math.hypot(math.sqrt(heads), wanted)))
    x = t * gamma
    further = x * norm_A > paid  # √H x / √(1 − x²) > paid, squared and rearranged
    own_A = math.sqrt(heads * max(1.0 - x * x, 0.0)) if further else norm_A - x * paid
    bound = t * gain + norm_V * (1.0 - t * alpha) + norm_b * (1.0 - t * delta) + own_A
    return fixed + bound


class Certificates:
    """A pool of certificates on labelled words, for both readings of a unit. Mutable: it learns.

    Parameters
    ----------
    labels : (W,) ndarray of bool
        Membership of the words.
    precision : int
        p.
    """

    def __init__(self, labels: BoolArray, precision: int) -> None:
        self.precision = precision
        self._readings = tuple((labels ^ complement, list[Certificate]()) for complement in (False, True))

    def exclude(self, read: Callable[[IntArray | None], Features], costs: LastCosts) -> bool:
        """Whether no last unit over some features is right within the budget, in either reading.

        Parameters
        ----------
        read : callable
            What the unit reads on given ones of the W words, or on all for None.
        costs : LastCosts
        """
        return all(self._excluded(ones, pool, read, costs) for ones, pool in self._readings)

    def _excluded(
        self,
        ones: BoolArray,
        pool: list[Certificate],
        read: Callable[[IntArray | None], Features],
        costs: LastCosts,
    ) -> bool:
        """Whether no unit is 1 on just the given words within the budget; the pool learns what shows it."""
        for begin in range(0, len(pool), TRIED):
            found = self._first_that_exceeds(pool[begin : begin + TRIED], read, costs)
            if found is not None:
                pool.insert(0, pool.pop(begin + found))
                return True
        features = read(None)
        proposal = Proposal(features, ones, 0.5**self.precision, costs)
        for certificate in proposal.rounds(pool):
            if self._first_that_exceeds([certificate], features.take, costs) is not None:
                pool.insert(0, certificate)
                del pool[POOL:]
                return True
        return False

    def _first_that_exceeds(
        self, certificates: list[Certificate], read: Callable[[IntArray], Features], costs: LastCosts
    ) -> int | None:
        """The first certificate whose bound is above the budget."""
        words = np.unique(np.concatenate([certificate.words for certificate in certificates]))
        rows = coefficients(certificates, words, read(words), costs.aggregate).tolist()
        for place, (certificate, (alpha, gamma, delta)) in enumerate(zip(certificates, rows, strict=True)):
            bound = least_cost(0.5**self.precision * certificate.gain, alpha, gamma, delta, costs)
            if bound > costs.budget + SLACK:  # never true of a NaN
                return place
        return None


@dataclass(frozen=True)
class Proposal:
    """Proposes certificates over given features: cutting planes for the least norms of a right unit.

    Each round takes some words and finds the shortest (v, s, b), in a Euclidean norm that follows the norms
    of the last solution, that is right on them. That is least-distance programming, which non-negative
    least squares solve with the multipliers λ; if no (v, s, b) is right, they solve it with residual 0, and
    λ shows that. Words on which the solution is wrong are added.
    """

    features: Features
    ones: BoolArray
    margin: float
    costs: LastCosts

    def rounds(self, pool: list[Certificate]) -> Iterator[Certificate]:
        """Certificates, usually better from round to round; they end where the solution is right."""
        nnls = _solver()
        rows, least = self._inequalities()
        chosen = self._first_words(pool)
        stretch = np.ones(rows.shape[1])
        for _ in range(ROUNDS):
            system = np.concatenate([(rows[chosen] * stretch).T, least[None, chosen]])
            aim = np.zeros(len(system))
            aim[-1] = 1.0
            try:
                weights, _ = nnls(system, aim)
            except RuntimeError:  # no convergence: a proposal less
                return
            if not weights.any():
                return
            scaled = np.rint(weights * (WEIGHT / weights.max())).astype(np.int64)
            words = chosen[scaled > 0]
            yield Certificate(words, np.where(self.ones[words], 1, -1) * scaled[scaled > 0])
            residual = system @ weights - aim
            if residual[-1] > -1e-9:
                return
            x = stretch * residual[:-1] / -residual[-1]
            short = least - rows @ x
            worst = np.argsort(-short, kind="stable")[:MORE_WORDS]
            added = np.setdiff1d(worst[short[worst] > 1e-7 * self.margin], chosen)
            if not len(added):
                return
            chosen = np.sort(np.concatenate([chosen, added]))
            stretch = self._stretch(x)

    def _inequalities(self) -> tuple[FloatArray, FloatArray]:
        """Rows and right sides of ⟨row, (v, s, b)⟩ ≥ side, one for each word."""
        scale = self.features.scale[:, None]
        columns = np.concatenate([self.features.sums, scale * self.features.last, scale], axis=1)
        signs = np.where(self.ones, 1.0, -1.0)
        return columns * signs[:, None], np.where(self.ones, self.margin, 0.0)

    def _first_words(self, pool: list[Certificate]) -> IntArray:
        """The shortest words, and those of the last certificates that were of use."""
        known = [certificate.words for certificate in pool[:2]]
        return np.unique(np.concatenate([np.arange(min(FIRST_WORDS, len(self.ones))), *known]))

    def _stretch(self, x: FloatArray) -> FloatArray:
        """How cheap each entry is: the norm its term would have, at least what other layers pay anyway."""
        wide = self.features.sums.shape[1]
        paid = self.costs.fronts.min(axis=0)
        norm_V = max(float(np.linalg.norm(x[:wide])), float(paid[1]), self.margin)
        norm_A = max(
            math.hypot(math.sqrt(self.costs.heads), float(np.linalg.norm(x[wide:-1]))), float(paid[2]), 1.0
        )
        norm_b = max(abs(float(x[-1])), float(paid[3]), self.margin)
        norms = np.repeat((norm_V, norm_A, norm_b), (wide, len(x) - wide - 1, 1))
        return np.asarray(np.sqrt(norms))


def _solver() -> Callable[[FloatArray, FloatArray], tuple[FloatArray, float]]:
    """Non-negative least squares; loaded late, when a bound of memory may already hold."""
    try:
        from scipy.optimize import nnls
    except ImportError as error:  # scipy is installed with this package: it did not fit
        raise MemoryError(str(error)) from None
    solver: Callable[[FloatArray, FloatArray], tuple[FloatArray, float]] = nnls
    return solver
