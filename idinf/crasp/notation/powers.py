"""Signs that hold for every N: polynomials in N with integer coefficients, decided for all N at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: Σ coefficient · N^exponent, by exponent.
Polynomial = Mapping[int, int]

#: Values of N that are tried one by one, below those where the leading term decides.
MAX_TRIED = 100_000


def at(polynomial: Polynomial, N: int) -> int:
    """The value at N.

    >>> at({2: 1, 0: -3}, 5)
    22
    """
    return sum(c * N**e for e, c in polynomial.items())


def plus(polynomials: Iterable[Polynomial]) -> dict[int, int]:
    """The sum, without zeros."""
    total: dict[int, int] = {}
    for polynomial in polynomials:
        for exponent, coefficient in polynomial.items():
            total[exponent] = total.get(exponent, 0) + coefficient
    return {e: c for e, c in total.items() if c}


def find_sign_from(polynomial: Polynomial, start: int) -> bool | None:
    """True if the value is above 0 at every N ≥ start, False if at none; None if neither, or too far.

    >>> find_sign_from({2: 1, 1: -3, 0: 3}, 1), find_sign_from({1: 1, 0: -5}, 5), find_sign_from({1: -1}, 0)
    (True, None, False)
    """
    settled = find_first_settled(polynomial)
    if settled is None:
        return None
    found = {at(polynomial, N) > 0 for N in range(start, max(start, settled) + 1)}
    return found.pop() if len(found) == 1 else None


def find_first_settled(polynomial: Polynomial) -> int | None:
    """An N from which on the leading term gives the sign, by Cauchy's bound on roots; None if too far."""
    kept = plus([polynomial])
    lead = abs(kept[max(kept)]) if kept else 1
    bound = 2 + max(map(abs, kept.values()), default=0) // lead
    return bound if bound <= MAX_TRIED else None
