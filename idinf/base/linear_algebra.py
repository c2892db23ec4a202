"""Small exact linear algebra: affine forms, elimination in fractions, and lattices of integer vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


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


_ZERO = Fraction(0)


def dot(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    """Σ x_k y_k, passing over zeros.

    >>> dot((Fraction(1, 2), Fraction(3)), (Fraction(2), Fraction(0)))
    Fraction(1, 1)
    """
    return sum((a * b for a, b in zip(x, y, strict=True) if a and b), _ZERO)


def multiply(rows: Sequence[Sequence[Fraction]], y: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """A matrix, given by its rows, times a vector, passing over zeros.

    >>> multiply([(Fraction(1), Fraction(2))], (Fraction(0), Fraction(1, 2)))
    (Fraction(1, 1),)
    """
    entries = [(place, entry) for place, entry in enumerate(y) if entry]
    return tuple(sum((row[c] * entry for c, entry in entries if row[c]), _ZERO) for row in rows)


def find_pivot_columns(rows: Iterable[Sequence[Fraction]]) -> set[int]:
    """The columns in which some combination of the rows begins; their number is the rank.

    >>> find_pivot_columns([(Fraction(0), Fraction(2), Fraction(1)), (Fraction(0), Fraction(1), Fraction(1))])
    {1, 2}
    """
    return set(_reduced(rows))


def solve_exactly(columns: Sequence[Sequence[int]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """The factors with Σ factor · column = right, if there is exactly one solution."""
    rows = [[*(Fraction(column[k]) for column in columns), entry] for k, entry in enumerate(right)]
    pivots = _reduced(rows)
    if sorted(pivots) != list(range(len(columns))):
        return None  # a pivot to the right of the factors is the equation 0 = 1
    return [pivots[place][-1] for place in range(len(columns))]


def _reduced(rows: Iterable[Sequence[Fraction]]) -> dict[int, list[Fraction]]:
    """Reduced rows that span the same space, each by the column of its leading 1, where the others have 0."""
    pivots: dict[int, list[Fraction]] = {}
    for row in rows:
        rest = list(row)
        for place, other in pivots.items():
            _clear(rest, other, place)
        lead = next((place for place, entry in enumerate(rest) if entry), None)
        if lead is None:
            continue
        rest = [entry / rest[lead] if entry else entry for entry in rest]
        for other in pivots.values():
            _clear(other, rest, lead)
        pivots[lead] = rest
    return pivots


def _clear(row: list[Fraction], other: Sequence[Fraction], place: int) -> None:
    """Subtract the multiple of a row with a 1 at a place that makes the entry there 0."""
    factor = row[place]
    if factor:
        row[:] = [a - factor * b if b else a for a, b in zip(row, other, strict=True)]


def find_span(rows: Sequence[Sequence[int]], size: int) -> tuple[tuple[int, ...], ...]:
    """A basis of the integer vectors in the rational span of some rows."""
    return find_orthogonal(find_orthogonal(rows, size), size)


def find_orthogonal(rows: Sequence[Sequence[int]], size: int) -> tuple[tuple[int, ...], ...]:
    """A basis of the integer vectors orthogonal to all rows.

    >>> find_orthogonal([(2, 4, 0)], 3)
    ((-2, 1, 0), (0, 0, 1))
    """
    basis = [[int(j == k) for j in range(size)] for k in range(size)]
    for row in rows:  # Euclid's algorithm, until one vector alone has a product with it
        values = [sum(a * b for a, b in zip(row, vector, strict=True)) for vector in basis]
        while len(live := [k for k, value in enumerate(values) if value]) > 1:
            least = min(live, key=lambda k: (abs(values[k]), k))
            for k in live:
                if k != least:
                    factor = values[k] // values[least]
                    values[k] -= factor * values[least]
                    basis[k] = [a - factor * b for a, b in zip(basis[k], basis[least], strict=True)]
        if live:
            del basis[live[0]]
    return tuple(tuple(vector) for vector in basis)


def is_positive_definite(rows: Sequence[Sequence[int]]) -> bool:
    """True if a symmetric matrix of integers is positive definite; exact, O(n³) integer operations.

    By Sylvester's criterion: all leading minors are above 0, which are the pivots of Bareiss' elimination.

    >>> is_positive_definite([[2, -1], [-1, 2]]), is_positive_definite([[1, 1], [1, 1]])
    (True, False)
    """
    rest, before = [list(row) for row in rows], 1
    while rest:
        pivot, *first = rest[0]
        if pivot <= 0:
            return False
        rest = [
            [(pivot * entry - row[0] * above) // before for entry, above in zip(row[1:], first, strict=True)]
            for row in rest[1:]
        ]
        before = pivot
    return True
