"""Attention patterns: what the logits of a head depend on, as integers in units of 2^-p."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from idinf.nets.rounding import compute_rounded_weight


class Attention(IntEnum):
    """What the weights of heads may depend on; each holds the ones before it."""

    UNIFORM = 0  #: nothing: every key has the same weight
    LOCAL = 1  #: φ, the distance to the query
    CONTENT = 2  #: M as well, the features of key and query


@dataclass(frozen=True, slots=True, order=True)
class AttentionPattern:
    """The logits of one head: a(j, i) = M[features_j, features_i] + φ(i − j) for a key j and a query i.

    In units of 2^-p. M is (F, F), one row for each feature of the key; the empty tuple stands for zero.
    φ(0)..φ(τ) is without trailing zeros; beyond τ it is 0.

    Examples
    --------
    >>> AttentionPattern().uniform, AttentionPattern(phi=(0, 1)).reach
    (True, 1)
    """

    logits: tuple[tuple[int, ...], ...] = ()
    phi: tuple[int, ...] = ()

    @property
    def uniform(self) -> bool:
        """Whether every key has the same weight."""
        return not self.logits and not self.phi

    @property
    def attention(self) -> Attention:
        """What its weights depend on."""
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


def compute_scaled_weight(N: int, logit: int, precision: int) -> int:
    """round_p(N^a) for the logit a = ``logit`` · 2^-p, in units of 2^-p; exact ([HYB25] equation 3).

    Examples
    --------
    >>> compute_scaled_weight(2, 1, 1), compute_scaled_weight(5, 2, 0)
    (3, 25)
    """
    return int(compute_rounded_weight(N, logit, precision) * 2**precision)
