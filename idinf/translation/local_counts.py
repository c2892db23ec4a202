"""Theorem 9 for local predicates: a head that tells whether a Boolean held exactly k positions back.

For k ≥ 1 the head has φ(k) = a and φ = 0 elsewhere: of the weight that a query i spreads over the positions
0..i, which is N^a + i for i ≥ k and else i + 1, the key i − k has N^a. The head averages v, which is P at
positions j ≥ 1 and −x at SOS. The unit fires iff the average exceeds 1/2, that is iff 2 · (Σ weight · v)
exceeds the sum of the weights. It must fire iff i > k and P(i − k); for i ≤ k the answer is no, for SOS is
not counted.

*k ≤ 2: a = 1, x = 0.* Let m be the number of other positions where P holds, and 0 ≤ i ≤ N − 1.

- i > k and P(i − k): 2 · (N + m) ≥ 2N > 2N − 1 ≥ N + i. It fires.
- i > k and not P(i − k): SOS is another key of value 0, so m ≤ i − 1 and 2m ≤ 2i − 2 < N + i. It does not.
- i = k: the heavy key is SOS, of value 0, and m ≤ i, so 2m ≤ 2i < N + i. It does not.
- i < k: no key is heavy and 2m ≤ 2i ≤ i + 1, because i ≤ 1. It does not, at i = 1 only just.

*k ≥ 3: a = 2, x = k.* With a = 1 the last case would fail: 2/3 of the weight may hold P at k = 3, i = 2.

- i > k and P(i − k): 2 · (N² + m − k) > N² + i iff N² + 2m > 2k + i, and 2k + i ≤ 3i ≤ 3N − 3 < N² for
  every N, since N² − 3N + 3 has no real root. It fires.
- i > k and not P(i − k): m ≤ i − 1, so 2 · (m − k) < 2i < N² + i, because i < N ≤ N². It does not.
- i = k: SOS has the weight N² and m ≤ i = k: 2 · (m − k · N²) ≤ 2 · (k − k · N²) ≤ 0. It does not.
- i < k: m ≤ i < k, so the sum is negative. It does not.

So both hold for every N ≥ 1, from the empty word on, and weights N and N² are exact at every precision.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LocalHead", "local_head"]


@dataclass(frozen=True, slots=True)
class LocalHead:
    """How to look k positions back: the unit [2 · average − 1 > 0].

    Parameters
    ----------
    distance : int
        k ≥ 1.
    logit : int
        φ(k); φ is 0 at every other distance.
    at_sos : int
        −x, the value of SOS.
    """

    distance: int
    logit: int
    at_sos: int

    @property
    def phi(self) -> tuple[int, ...]:
        """φ(0)..φ(k)."""
        return (0,) * self.distance + (self.logit,)

    @property
    def least(self) -> int:
        """A bound that 2 · average − 1 never falls below; it never exceeds 1."""
        return 2 * self.at_sos - 1


def local_head(distance: int) -> LocalHead:
    """The head for a distance k ≥ 1; right for every N, see the module.

    Notes
    -----
    Implements the local case of Theorem 9 of [HYB25] with the bounds of its Appendix B.6.

    Examples
    --------
    >>> local_head(1), local_head(3).phi
    (LocalHead(distance=1, logit=1, at_sos=0), (0, 0, 0, 2))
    """
    return LocalHead(distance, 1, 0) if distance <= 2 else LocalHead(distance, 2, -distance)
