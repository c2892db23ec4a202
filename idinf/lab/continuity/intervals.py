"""Interval arithmetic in fractions: every result encloses the value that is meant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

#: Ends that are no sums and products of exact numbers lie on the grid of 2^-BITS, rounded outwards.
BITS = 160

#: Logits of attention and of the output are at most this; arguments of exp are differences of two.
MOST_EXPONENT = 256

_ONE = 1 << BITS


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from ``low`` to ``high``; an exact number has both ends equal.

    >>> Interval.of(3) * Interval(Fraction(-1), Fraction(2)) - Interval.of(1)
    Interval(low=Fraction(-4, 1), high=Fraction(5, 1))
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: Fraction | int) -> Interval:
        """Take an exact number."""
        exact = Fraction(value)
        return cls(exact, exact)

    @property
    def is_exact(self) -> bool:
        """Whether it holds one number."""
        return self.low == self.high

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        if self.is_exact and other.is_exact:
            return Interval.of(self.low * other.low)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return _outwards(min(ends), max(ends))

    def __truediv__(self, other: Interval) -> Interval:
        """Divide by an interval above 0."""
        if self.is_exact and other.is_exact:
            return Interval.of(self.low / other.low)
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return _outwards(min(ends), max(ends))

    def __abs__(self) -> Interval:
        if self.low >= 0:
            return self
        negated = Interval(-self.high, -self.low)
        return negated if negated.low >= 0 else Interval(Fraction(0), max(-self.low, self.high))

    def relu(self) -> Interval:
        """Take max(0, x)."""
        return Interval(max(self.low, Fraction(0)), max(self.high, Fraction(0)))

    def exp(self) -> Interval:
        """Enclose exp of all its numbers."""
        if self.is_exact:
            return exp(self.low)
        return Interval(exp(_floor(self.low)).low, exp(-_floor(-self.high)).high)


def _floor(value: Fraction) -> Fraction:
    return Fraction(math.floor(value * _ONE), _ONE)


def _outwards(low: Fraction, high: Fraction) -> Interval:
    return Interval(_floor(low), -_floor(-high))


def total(parts: Iterable[Interval]) -> Interval:
    """Add intervals; none are 0."""
    return sum(parts, Interval.of(0))


def dot(row: Sequence[Fraction], y: Sequence[Interval]) -> Interval:
    """Enclose a scalar product with an exact vector; products with 0 are left out."""
    pairs = [(a, b) for a, b in zip(row, y, strict=True) if a]
    low = sum((a * (b.low if a > 0 else b.high) for a, b in pairs), Fraction(0))
    high = sum((a * (b.high if a > 0 else b.low) for a, b in pairs), Fraction(0))
    return Interval(low, high)


def largest(parts: Sequence[Interval]) -> Interval:
    """Enclose the maximum of some numbers, each in one of the intervals."""
    return Interval(max(part.low for part in parts), max(part.high for part in parts))


def least(parts: Sequence[Interval]) -> Interval:
    """Enclose the minimum of some numbers, each in one of the intervals."""
    return Interval(min(part.low for part in parts), min(part.high for part in parts))


def round_up(value: Fraction) -> Fraction:
    """Round up to a multiple of 2^-20, which is enough for a bound.

    >>> round_up(Fraction(1, 3)) > Fraction(1, 3), round_up(Fraction(2))
    (True, Fraction(2, 1))
    """
    return Fraction(math.ceil(value * 2**20), 2**20)


@lru_cache(maxsize=1 << 14)
def exp(x: Fraction) -> Interval:
    """Enclose exp(x) for \\|x\\| <= 2 `MOST_EXPONENT`.

    For x > 0 let y = x / 2^m <= 2^-8. The sum of y^i / i! for i <= t, every term rounded down, is at most
    exp(y). Rounded up, and with the term number t twice more, it is at least that, since later terms are at
    most halves of those before. m squarings follow, rounded in the same direction. exp(-x) is 1 / exp(x).

    >>> exp(Fraction(0)), float(exp(Fraction(1)).low)
    (Interval(low=Fraction(1, 1), high=Fraction(1, 1)), 2.718281828459045)
    """
    if x == 0:
        return Interval.of(1)
    if x < 0:
        positive = exp(-x)
        return _outwards(1 / positive.high, 1 / positive.low)
    halvings = math.ceil(x).bit_length() + 8
    scaled = x * _ONE / 2**halvings
    low, high = _taylor(math.floor(scaled), 0), _taylor(math.ceil(scaled), 1)
    for _ in range(halvings):
        low, high = low * low >> BITS, -(-high * high >> BITS)
    return Interval(Fraction(low, _ONE), Fraction(high, _ONE))


def _taylor(y: int, up: int) -> int:
    """The sum of y^i / i! in units of 2^-BITS, rounded down, or up if ``up`` is 1."""
    term, result, i = _ONE, _ONE, 0
    while term > 1:
        i += 1
        term = term * y // (i * _ONE) + up
        result += term
    return result + 2 * term * up
