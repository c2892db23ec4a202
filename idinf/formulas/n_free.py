"""Signs that hold for every N: polynomials in N with integer coefficients, decided for all N at once."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MAX_TRIED", "Polynomial", "at", "first_settled", "never_positive", "plus", "positive"]

#: Σ coefficient · N^exponent, by exponent.
Polynomial = Mapping[int, int]

#: Values of N that are tried one by one, below those where the leading term decides.
MAX_TRIED = 100_000


def at(polynomial: Polynomial, N: int) -> int:
    """The value at N.

    Examples
    --------
    >>> at({2: 1, 0: -3}, 5)
    22
    """
    return sum(c * N**e for e, c in polynomial.items())


def plus(*polynomials: Polynomial) -> dict[int, int]:
    """The sum, without zeros."""
    total: dict[int, int] = {}
    for polynomial in polynomials:
        for exponent, coefficient in polynomial.items():
            total[exponent] = total.get(exponent, 0) + coefficient
    return {e: c for e, c in total.items() if c}


def positive(polynomial: Polynomial, start: int) -> bool:
    """Whether the value is above 0 at every N ≥ start; False where that is not decided in reach.

    Examples
    --------
    >>> positive({2: 1, 1: -3, 0: 3}, 1), positive({1: 1, 0: -5}, 5)
    (True, False)
    """
    settled = first_settled(polynomial)
    if settled is None or _leading(polynomial) <= 0:
        return False
    return all(at(polynomial, N) > 0 for N in range(start, settled))


def never_positive(polynomial: Polynomial, start: int) -> bool:
    """Whether the value is at most 0 at every N ≥ start; False where that is not decided in reach."""
    settled = first_settled(polynomial)
    if settled is None or _leading(polynomial) > 0:
        return False
    return all(at(polynomial, N) <= 0 for N in range(start, settled))


def first_settled(polynomial: Polynomial) -> int | None:
    """An N from which on the leading term gives the sign, by Cauchy's bound on roots; None if too far."""
    kept = plus(polynomial)
    lead = abs(_leading(kept)) or 1
    bound = 2 + max(map(abs, kept.values()), default=0) // lead
    return bound if bound <= MAX_TRIED else None


def _leading(polynomial: Polynomial) -> int:
    kept = plus(polynomial)
    return kept[max(kept)] if kept else 0
