"""Integer combinations of the features of a position, plus a number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Affine:
    """Σ coefficient · feature + constant; a feature is 0 or 1 and has a number.

    >>> (read_feature(3) - read_feature(1).times(2)).plus(1)
    Affine(terms=((1, -2), (3, 1)), constant=1)
    """

    terms: tuple[tuple[int, int], ...] = ()  #: (feature, coefficient), ascending, no coefficient zero
    constant: int = 0

    def __add__(self, other: Affine) -> Affine:
        return combine(((self, 1), (other, 1)))

    def __sub__(self, other: Affine) -> Affine:
        return combine(((self, 1), (other, -1)))

    def times(self, factor: int) -> Affine:
        """A multiple."""
        return combine(((self, factor),))

    def plus(self, number: int) -> Affine:
        """Itself and a number."""
        return Affine(self.terms, self.constant + number)

    def value(self, features: Mapping[int, int]) -> int:
        """The value where the named features have these values and the others are 0."""
        return self.constant + sum(c * features.get(f, 0) for f, c in self.terms)

    def norm(self) -> float:
        """The Euclidean norm of the coefficients; it only ranks choices."""
        return math.sqrt(sum(c * c for _, c in self.terms))


def read_feature(number: int) -> Affine:
    """One feature."""
    return Affine(((number, 1),))


def combine(parts: Iterable[tuple[Affine, int]]) -> Affine:
    """Σ factor · part.

    >>> combine([(read_feature(0), 2), (read_feature(0), -2), (ONE, 5)])
    Affine(terms=(), constant=5)
    """
    terms: dict[int, int] = {}
    constant = 0
    for part, factor in parts:
        constant += factor * part.constant
        for number, coefficient in part.terms:
            terms[number] = terms.get(number, 0) + factor * coefficient
    return Affine(tuple(sorted((f, c) for f, c in terms.items() if c)), constant)


ZERO, ONE = Affine(), Affine((), 1)
