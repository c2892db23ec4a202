"""Rounding to the p-bit grid, half to even, decided in integers only."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from idinf.errors import BudgetError

#: Longest integer, in bits, a single rounding may build: roots and quotients of such numbers take
#: about 0.1 s. Precision 12 with logits up to 8 fits; R counts precision, so no search goes there.
MAX_BITS = 1 << 19


def find_grid_index(x: Fraction, p: int) -> int:
    """Find the integer k for which k/2^p is nearest to x, half to even; exact.

    Raises
    ------
    BudgetError
        If x is not 0 and p is above ``MAX_BITS``.

    Examples
    --------
    >>> [find_grid_index(Fraction(k, 24), 2) for k in (8, 3, 9)]
    [1, 0, 2]
    """
    if not x:
        return 0
    _check_bits(p, p)
    return round(x * (1 << p))  # round() of a Fraction is exact and takes ties to even


@lru_cache(maxsize=1 << 16)
def compute_rounded_weight(N: int, k: int, p: int) -> Fraction:
    """Compute the attention weight round_p(N^a) of the logit a = k/2^p, half to even; exact.

    N >= 1 is the length of the whole input with SOS; k may be negative.

    Raises
    ------
    BudgetError
        If the integers to compare would be longer than ``MAX_BITS`` bits.

    Notes
    -----
    With k/2^p = a/2^q in lowest terms and m = ⌊2^p · N^(a/2^q)⌋, the value is nearer to m + 1 iff
    (2m + 1)^(2^q) < 2^((p+1) · 2^q) · N^a, and a tie iff they are equal. Nested integer square roots
    give m, because ⌊√⌊x⌋⌋ = ⌊√x⌋.

    Examples
    --------
    N^(1/2) and N^-1 for N = 2 with one fractional bit: 1.414 → 1.5, and 0.5 is on the grid.

    >>> compute_rounded_weight(2, 1, 1), compute_rounded_weight(2, -2, 1)
    (Fraction(3, 2), Fraction(1, 2))
    """
    if k == 0 or N == 1:
        return Fraction(1)
    num_halvings = min(p, (k & -k).bit_length() - 1)
    a, q = k >> num_halvings, p - num_halvings
    _check_bits(q, p)  # before 2^q is used as a size
    if -a * (N.bit_length() - 1) > (p + 1) << q:  # N^(a/2^q) < 2^-(p+1), whatever the rest says
        return Fraction(0)
    _check_bits((p << q) + abs(a) * N.bit_length(), p)
    root = 1 << q
    numerator, denominator = (N**a, 1) if a > 0 else (1, N**-a)
    scaled = numerator << (p * root)
    m = scaled // denominator
    for _ in range(q):
        m = math.isqrt(m)
    middle, value = (2 * m + 1) ** root * denominator, scaled << root
    rounds_up = middle < value or (middle == value and m % 2 == 1)
    return Fraction(m + rounds_up, 1 << p)


def _check_bits(bits: int, p: int) -> None:
    if bits > MAX_BITS:
        shown = str(bits) if bits.bit_length() < 64 else f"2^{bits.bit_length() - 1}"
        raise BudgetError(
            f"rounding at precision {p} needs integers of {shown} bits; expected at most {MAX_BITS}; "
            "lower precision or the logits"
        )
