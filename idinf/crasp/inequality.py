"""The normal form of linear inequalities between integers that are never negative."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import TypeVar

__all__ = ["least_terms"]

Unknown = TypeVar("Unknown")


def least_terms(coefficients: Mapping[Unknown, int], bound: int) -> tuple[dict[Unknown, int], int] | bool:
    """Σ coefficient · x ≥ bound for integers x ≥ 0: in least terms, or whether it is settled.

    Examples
    --------
    >>> least_terms({"x": 2, "y": -4, "z": 0}, 1), least_terms({"x": -1}, 1), least_terms({}, 0)
    (({'x': 1, 'y': -2}, 1), False, True)
    """
    kept = {unknown: c for unknown, c in coefficients.items() if c}
    if all(c > 0 for c in kept.values()) and bound <= 0:
        return True
    if all(c < 0 for c in kept.values()) and bound > 0:
        return False
    divisor = gcd(*kept.values())
    return {unknown: c // divisor for unknown, c in kept.items()}, -(-bound // divisor)
