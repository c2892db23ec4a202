"""Certificates for last layers whose units are each asked for other labels: lower bounds of the whole layer.

Next symbols with different labels are read off different units. A certificate (`idinf.search.certificates`)
of one label says of its unit, with row r = (c, s) of A, bias b and channels of norm at most ‖V‖, that

    ‖r‖ √(‖V‖² α² + γ²) + |b| δ ≥ g,    so    ‖(r, b)‖ ≥ t(‖V‖) = g / √(‖V‖² α² + γ² + δ²),

by Cauchy and Schwarz, also where the unit shares a channel and reads it by any entry c. Rows and biases of
different units add up in squares, so

    ‖A‖ + ‖b‖ ≥ √(‖A‖² + ‖b‖²) ≥ T(‖V‖) = √(Σ_labels t(‖V‖)²).

T falls with ‖V‖. On each interval of a partition ‖V‖ + T is at least the left end plus T at the right end, so
the least of these bounds the layer, for any choice of weights and of the partition. Values that are shared
are multiples of 4^-p, and so is what a right unit exceeds 0 by: g has the factor 4^-p where 2^-p serves one
unit.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from idinf.search.certificates import Certificate, LastCosts, coefficients
from idinf.search.exclusion import POOL, Proposal, Reading
from idinf.search.features import Features
from idinf.space.grid import IntArray
from idinf.space.units import SLACK, BoolArray, FloatArray
from idinf.transformers.regularizer import Aggregate

__all__ = ["JointCertificates"]

#: Certificates of one label that are tried before new ones are proposed.
TRIED = 8

#: Intervals of the partition of ‖V‖.
PARTS = 64


class JointCertificates:
    """Pools of certificates for each of several labels, in both readings. Mutable: it learns.

    Parameters
    ----------
    labels : (W, K) ndarray of bool
        Different columns that are not constant are read off units of their own.
    precision : int
        p.
    """

    def __init__(self, labels: BoolArray, precision: int) -> None:
        self._given, self.margin = labels, 0.25**precision
        self._pools: defaultdict[tuple[int, int], list[Certificate]] = defaultdict(list)

    @cached_property
    def labels(self) -> BoolArray:
        """The different labels that are not constant, (W, J)."""
        needed = self._given.any(axis=0) & ~self._given.all(axis=0)
        return np.unique(self._given[:, needed], axis=1)

    def excluded(self, reading: Reading, costs: list[LastCosts], signs: Sequence[int]) -> BoolArray:
        """Over which stacks no last layer is right within the budget, whichever sign its rows have; (S,).

        Parameters
        ----------
        reading : Reading
            Of S stacks, on the W rows.
        costs : list of S LastCosts
        signs : sequence of int
            1 where units may be the labels, −1 where they may be their complements.
        """
        return np.array(
            [
                all(self._excluded(sign, reading, place, costs[place]) for sign in signs)
                for place in range(len(costs))
            ],
            dtype=np.bool_,
        )

    def _excluded(self, sign: int, reading: Reading, place: int, costs: LastCosts) -> bool:
        number = self.labels.shape[1]
        squares: list[list[FloatArray]] = [
            [np.zeros(PARTS) for _ in costs.fronts] for _ in range(number)
        ]  # of t, the largest so far, for every front and interval
        for j in range(number):
            tried = self._pools[sign, j][:TRIED]
            if tried:
                words = np.unique(np.concatenate([certificate.words for certificate in tried]))
                self._raise(squares[j], tried, words, _on(reading, place, words), costs)
        if _exceeds(squares, costs):
            return True
        features = reading.alone(place)
        for j in range(number):
            pool = self._pools[sign, j]
            ones = self.labels[:, j] if sign > 0 else ~self.labels[:, j]
            for certificate in Proposal(features, ones, self.margin, costs).rounds(pool):
                words = certificate.words
                if self._raise(squares[j], [certificate], words, features.take(words), costs):
                    pool.insert(0, certificate)
                    del pool[POOL:]
                if _exceeds(squares, costs):
                    return True
        return False

    def _raise(
        self,
        squares: list[FloatArray],
        certificates: list[Certificate],
        words: IntArray,
        features: Features,
        costs: LastCosts,
    ) -> bool:
        """Raise t² of one label by some certificates; whether that changed anything."""
        raised = False
        columns = [
            found[0].tolist() for found in coefficients(certificates, words, [features], costs.aggregate)
        ]
        for certificate, alpha, gamma, delta in zip(certificates, *columns, strict=True):
            if math.isnan(alpha + gamma + delta) or not certificate.gain:
                continue
            for place, front in enumerate(costs.fronts.tolist()):
                ends = _ends(front, costs)
                if not len(ends):
                    continue
                below = (ends[1:] * alpha) ** 2 + gamma**2 + delta**2
                with np.errstate(divide="ignore"):
                    found = (self.margin * certificate.gain) ** 2 / below
                raised = raised or bool((found > squares[place]).any())
                squares[place] = np.maximum(squares[place], found)
        return raised


def _on(reading: Reading, place: int, words: IntArray) -> Features:
    return reading.together(np.array([place]), words)[0]


def _fixed(front: list[float], costs: LastCosts) -> float:
    """The least rank of all layers, with all that is added whatever the last one is."""
    rank, norm_V, norm_A, norm_b = front
    if costs.aggregate is Aggregate.SUM:
        return rank + norm_V + norm_A + norm_b + costs.heads
    return max(rank, float(min(costs.heads, 1)))


def _ends(front: list[float], costs: LastCosts) -> FloatArray:
    """Ends of the intervals of the last layer's ‖V‖ that the budget allows, (PARTS + 1,), or none."""
    _, norm_V, norm_A, norm_b = front
    rest = 0.0 if costs.aggregate is Aggregate.SUM else norm_A + norm_b
    low = 0.0 if costs.aggregate is Aggregate.SUM else norm_V
    high = costs.budget + SLACK - _fixed(front, costs) - rest
    return np.linspace(low, high, PARTS + 1) if high >= low else np.zeros(0)


def _exceeds(squares: list[list[FloatArray]], costs: LastCosts) -> bool:
    """Whether the bound is above the budget over every Pareto point of the lower layers."""
    for place, front in enumerate(costs.fronts.tolist()):
        ends = _ends(front, costs)
        if not len(ends):
            continue
        _, _, norm_A, norm_b = front
        own = np.sqrt(sum(of_label[place] for of_label in squares))
        paid = 0.0 if costs.aggregate is Aggregate.SUM else norm_A + norm_b
        least = float((ends[:-1] + np.maximum(own, paid)).min())
        if least + _fixed(front, costs) <= costs.budget + SLACK:
            return False
    return True
