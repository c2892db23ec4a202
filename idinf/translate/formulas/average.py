"""Weighted averages of a prefix: what a head with logits computes, as a condition of a formula."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

#: (place, coefficient other than 0) in ascending order of place.
Terms = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, order=True)
class Weighting:
    """How a head weighs positions for one kind of query; logits are integers in units of 2^-p.

    If all logits are whole numbers, p is 0 and they are in units of 1: their weights are never rounded.
    """

    start: int = 0  # logit of SOS, without φ
    keys: Terms = ()  # logit that each place adds where it is 1
    phi: tuple[int, ...] = ()  # logit by distance; 0 beyond
    #: (unit, value, start, keys): logits to add for a query where the unit has that value.
    asked: tuple[tuple[int, bool, int, Terms], ...] = ()
    precision: int = 0  # p

    def list_entries(self) -> list[tuple[str, int, tuple[int, bool] | None, Fraction]]:
        """Keys $, # with a place and φ with a distance; the unit a key is asked with; logits other than 0.

        The last one is p where weights are rounded.
        """
        found: list[tuple[str, int, tuple[int, bool] | None, int]] = [("$", 0, None, self.start)]
        found += [("#", place, None, logit) for place, logit in self.keys]
        for unit, value, start, keys in self.asked:
            given = unit, value
            found += [("$", 0, given, start), *(("#", place, given, logit) for place, logit in keys)]
        found += [("φ", distance, None, logit) for distance, logit in enumerate(self.phi)]
        scale = 1 << self.precision
        found.append(("p", 0, None, self.precision * scale))
        return [(sign, key, given, Fraction(logit, scale)) for sign, key, given, logit in found if logit]


#: Every position weighs the same.
UNWEIGHTED = Weighting()


@dataclass(frozen=True, slots=True)
class Average:
    """Σ of weighted averages + Σ of units > bound, or not; at SOS every place is 0.

    There are parts or own terms, and all coefficients together have no common divisor.
    """

    parts: tuple[tuple[Weighting, Terms], ...]  # in ascending order, the terms of each not empty
    bound: Fraction
    positive: bool = True  # False: the sum is at most the bound
    own: Terms = ()  # (unit, coefficient): what units that hold at the last position add


def read_average(
    parts: Mapping[Weighting, Mapping[int, int]], bound: int, own: Mapping[int, int] | None = None
) -> Average:
    """The condition Σ averages + Σ own units > bound in least terms; some coefficient is not 0.

    >>> condition = read_average({UNWEIGHTED: {0: 4, 1: -2, 2: 0}}, 2)
    >>> condition.parts[0][1], condition.bound, condition.positive
    (((0, 2), (1, -1)), Fraction(1, 1), True)
    """
    kept = {weighting: terms for weighting, weights in parts.items() if (terms := list_terms(weights))}
    units = list_terms(own or {})
    divisor = math.gcd(*(factor for terms in (units, *kept.values()) for _, factor in terms))
    reduced = [
        (weighting, tuple((place, factor // divisor) for place, factor in terms))
        for weighting, terms in sorted(kept.items())
    ]
    reduced_own = tuple((unit, factor // divisor) for unit, factor in units)
    return Average(tuple(reduced), Fraction(bound, divisor), own=reduced_own)


def list_terms(weights: Mapping[int, int]) -> Terms:
    """Coefficients other than 0 by ascending place.

    >>> list_terms({2: 1, 0: -1, 1: 0})
    ((0, -1), (2, 1))
    """
    return tuple((place, factor) for place, factor in sorted(weights.items()) if factor)
