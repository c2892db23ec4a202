"""Attention patterns: the logits of a head, and the weights they give, rounded to p bits.

Rounding to the grid of 2^-p is half to even and decided in integers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache

import numpy as np

from idinf.errors import BudgetError

#: Longest integer, in bits, a single rounding may build: roots and quotients of such numbers take
#: about 0.1 s. Precision 12 with logits up to 8 fits; R counts precision, so no search goes there.
MAX_BITS = 1 << 19


class Attention(IntEnum):
    """Parts of a head that its weights may depend on; each value includes the ones before it."""

    UNIFORM = 0  #: nothing: every key has the same weight
    LOCAL = 1  #: φ, the distance to the query
    CONTENT = 2  #: M as well, the features of key and query


@dataclass(frozen=True, slots=True, order=True)
class AttentionPattern:
    """The logits of one head: a(j, i) = M[features_j, features_i] + φ(i − j) for a key j and a query i.

    In units of 2^-p. M is (F, F), one row for each feature of the key; the empty tuple stands for zero.
    φ(0)..φ(τ) is without trailing zeros; beyond τ it is 0.
    """

    logits: tuple[tuple[int, ...], ...] = ()
    phi: tuple[int, ...] = ()

    @property
    def uniform(self) -> bool:
        """True if every key has the same weight."""
        return not self.logits and not self.phi

    @property
    def attention(self) -> Attention:
        """The parts that its weights depend on."""
        return Attention.CONTENT if self.logits else Attention.LOCAL if self.phi else Attention.UNIFORM

    @property
    def reach(self) -> int:
        """τ, the largest distance with φ(τ) ≠ 0; 0 without φ."""
        return max(len(self.phi) - 1, 0)

    def phi_at(self, distance: int) -> int:
        """φ at a distance i − j ≥ 0."""
        return self.phi[distance] if distance < len(self.phi) else 0

    def phi_square(self) -> int:
        """Σ φ(k)², in units of 4^-p."""
        return sum(value * value for value in self.phi)

    def norm_KQ(self, precision: int) -> float:
        """‖K^T Q‖, the spectral norm of M."""
        if not self.logits:
            return 0.0
        norm = np.linalg.svd(np.array(self.logits, dtype=np.float64), compute_uv=False).max()
        return float(norm) / float(2**precision)


#: The pattern of a head that averages over all positions up to the query.
UNIFORM = AttentionPattern()


def find_grid_index(x: Fraction, p: int) -> int:
    """The integer k for which k/2^p is nearest to x, half to even.

    Raises `BudgetError` if x is not 0 and p is above `MAX_BITS`.

    >>> [find_grid_index(Fraction(k, 24), 2) for k in (8, 3, 9)]
    [1, 0, 2]
    """
    if not x:
        return 0
    _check_bits(p, p)
    return round(x * (1 << p))  # round() of a Fraction is exact and takes ties to even


@lru_cache(maxsize=1 << 16)
def compute_rounded_weight(N: int, k: int, p: int) -> Fraction:
    """The attention weight round_p(N^a) of the logit a = k/2^p, half to even; k may be negative.

    N ≥ 1 is the length of the whole input with SOS. Raises `BudgetError` if the integers to compare would be
    longer than `MAX_BITS` bits.

    With k/2^p = a/2^q in lowest terms and m = ⌊2^p · N^(a/2^q)⌋, the value is nearer to m + 1 iff
    (2m + 1)^(2^q) < 2^((p+1) · 2^q) · N^a, and a tie iff they are equal. Nested integer square roots
    give m, because ⌊√⌊x⌋⌋ = ⌊√x⌋.

    N^(1/2) and N^-1 for N = 2 with one fractional bit: 1.414 → 1.5, and 0.5 is on the grid.

    >>> compute_rounded_weight(2, 1, 1), compute_rounded_weight(2, -2, 1)
    (Fraction(3, 2), Fraction(1, 2))
    """
    if k == 0 or N == 1:
        return Fraction(1)
    num_halvings = min(p, (k & -k).bit_length() - 1)
    a, q = k >> num_halvings, p - num_halvings
    _check_bits(q, p)  # before 2^q is used as a size
    if -a * (N.bit_length() - 1) > (p + 1) << q:  # N^(a/2^q) < 2^-(p+1) for any rest
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


def compute_scaled_weight(N: int, logit: int, precision: int) -> int:
    """round_p(N^a) for the logit a = ``logit`` · 2^-p, in units of 2^-p; exact ([HYB25] equation 3)."""
    return int(compute_rounded_weight(N, logit, precision) * 2**precision)


def _check_bits(bits: int, p: int) -> None:
    if bits > MAX_BITS:
        shown = str(bits) if bits.bit_length() < 64 else f"2^{bits.bit_length() - 1}"
        raise BudgetError(
            f"rounding at precision {p} needs integers of {shown} bits; expected at most {MAX_BITS}; "
            "lower precision or the logits"
        )
