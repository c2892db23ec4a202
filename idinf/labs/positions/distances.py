"""Functions of the distance between two positions: named ones, and those that become periodic."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idinf.errors import ArgumentError
from idinf.numbers import read_fraction
from idinf.quoting import quote

#: Numbers of a list, and the largest of them and of their denominators.
MOST_NUMBERS, LARGEST = 1000, 10**6


@dataclass(frozen=True, slots=True)
class Distances:
    """φ(0), φ(1), …: the numbers of ``head``, and then those of ``tail`` again and again."""

    name: str
    head: tuple[Fraction, ...] = ()
    tail: tuple[Fraction, ...] = ()
    rule: Callable[[int], bool] | None = None  #: where φ is 1 and not 0, in place of both

    def at(self, distance: int) -> Fraction:
        """φ at a distance of at least 0."""
        if self.rule is not None:
            return Fraction(self.rule(distance))
        if distance < len(self.head):
            return self.head[distance]
        return self.tail[(distance - len(self.head)) % len(self.tail)]

    def bound_for_all(self) -> float | None:
        """A number that γ2 of no context exceeds where pairs with the key behind are free; None if unknown.

        Shifts and characters of ℤ/Δ have γ2 = 1, since their entries are products of unit vectors. With c the
        periodic function that φ becomes, φ is Σ_k (φ(k) − c(k)) times the shift by k, over the head, and
        the sum of the characters times the Fourier coefficients of c (float).

        >>> [read_distances(text).bound_for_all() for text in ("ones", "0,1", "|1,0", "squares")]
        [1.0, 1.0, 1.0, None]
        """
        if self.rule is not None:
            return None
        period, size = len(self.tail), len(self.head)
        periodic = [self.tail[(k - size) % period] for k in range(max(size, period))]
        coefficients = np.fft.fft([float(value) for value in periodic[:period]]) / period
        differences = sum(abs(a - b) for a, b in zip(self.head, periodic, strict=False))
        return float(np.abs(coefficients).sum() + float(differences))


def _is_prime(k: int) -> bool:
    return k > 1 and all(k % q for q in range(2, math.isqrt(k) + 1))


_RULES: dict[str, Callable[[int], bool]] = {
    "squares": lambda k: math.isqrt(k) ** 2 == k,
    "primes": _is_prime,
    "thue-morse": lambda k: k.bit_count() % 2 == 1,
}

#: Names that `read_distances` knows.
NAMES = ("ones", *_RULES)


def read_distances(text: str) -> Distances:
    """Read φ: a name, or numbers between commas, of which those behind a bar repeat; without one 0 does.

    Raises ArgumentError if it is none of these.

    >>> [int(read_distances("primes").at(k)) for k in range(6)]
    [0, 0, 1, 1, 0, 1]
    >>> [str(read_distances("3|0,1/2").at(k)) for k in range(4)]
    ['3', '0', '1/2', '0']
    """
    if text in _RULES:
        return Distances(text, rule=_RULES[text])
    head, bar, tail = ("", "|", "1") if text == "ones" else text.partition("|")
    try:
        numbers = [tuple(map(read_fraction, part.split(","))) if part else () for part in (head, tail)]
    except (ValueError, ZeroDivisionError):
        raise _refusal(text) from None
    sizes = [max(abs(entry.numerator), entry.denominator) for part in numbers for entry in part]
    if bool(bar) != bool(numbers[1]) or not sizes or len(sizes) > MOST_NUMBERS or max(sizes) > LARGEST:
        raise _refusal(text)
    return Distances(text, numbers[0], numbers[1] or (Fraction(0),))


def _refusal(text: str) -> ArgumentError:
    return ArgumentError(
        f"phi = {quote(text)}; expected {', '.join(NAMES)} or numbers up to {LARGEST} as in 1,0|1/2,0, those "
        "behind the bar repeating; correct it"
    )
