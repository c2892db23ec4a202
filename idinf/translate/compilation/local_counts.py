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

*Several distances at once.* A head with φ = 1 at the r distances k..k + r − 1 and a unit that must fire
iff P holds at m of them or more, 1 ≤ m ≤ r. It reads v, which is s = c · (r + 1) where P holds and w at
SOS, and compares the average with t = c · m. Let h be at how many distances P holds, S the number of
the other positions j ≥ 1 where it does, W the sum of the weights and D = Σ weight · v − t · W, which
must be above 0 iff h ≥ m.

- i ≥ k + r: S ≤ i − r, W = rN + i + 1 − r and SOS has the weight 1. If h ≥ m, D ≥ t · (N − i − 1 + r) +
  w, at least t · r + w. If h < m, D ≤ w − t − c · (r + 1 − m) · (N − i + r), at most w − t − c · (r + 1
  − m) · (r + 1).
- k ≤ i < k + r: SOS and i − k positions are heavy, k others are not, so W = (i − k + 1) · N + k. If h ≥
  m, D is at least (s · m + w) · N − t · W. If h < m, then also h ≤ i − k and S ≤ k: D is at most (s · h
  + w) · N + s · k − t · W for the largest such h. Both are linear in N > i.
- i < k: no key is heavy and h = 0; D is at most s · i + w − t · (i + 1).

`find_telling` looks for c and w for which all these bounds have the right sign. With c = 1 and w = 0 they do
where m = r and k ≤ r + 1: whether P held at all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

#: Largest c that `find_telling` tries.
MAX_FACTOR = 4


@dataclass(frozen=True, slots=True)
class LocalHead:
    """A head that looks k positions back, for a unit [2 · average − 1 > 0], or for several distances."""

    distance: int  # k ≥ 1
    logit: int  # φ(k); φ is 0 at every other distance
    at_sos: int  # −x, the value of SOS; of one distance
    width: int = 1  # the number r of distances from k on

    @property
    def phi(self) -> tuple[int, ...]:
        """φ(0)..φ(k + r − 1)."""
        return (0,) * self.distance + (self.logit,) * self.width


@cache
def find_telling(distance: int, width: int, hits: int) -> tuple[int, int] | None:
    """The c and w of a unit over the head for several distances that is right for every N about m hits.

    The least c, then the w nearest to 0; None if there are none in reach.

    >>> find_telling(1, 2, 2), find_telling(1, 3, 2), find_telling(1, 4, 2)
    ((1, 0), (1, -1), None)
    """
    # Beyond these w the bounds at i = k and at i = k + r − 1 are wrong; m = r asks for nothing at the latter.
    most = hits * width if hits == width else hits
    for c in range(1, MAX_FACTOR + 1):
        for w in sorted(range(-c * most, c * hits + 1), key=abs):
            if _tells(distance, width, hits, c, w):
                return c, w
    return None


def _tells(k: int, r: int, m: int, c: int, w: int) -> bool:
    s, t = c * (r + 1), c * m
    if t * r + w <= 0 or w - t - c * (r + 1 - m) * (r + 1) > 0:
        return False
    if any(s * i + w - t * (i + 1) > 0 for i in range(k)):
        return False
    for heavy in range(1, r + 1):  # i = k + heavy − 1, and N ≥ i + 1
        N = k + heavy
        least = s * m + w - t * heavy
        if heavy > m and (least < 0 or least * N - t * k <= 0):
            return False
        most = s * min(m - 1, heavy - 1) + w - t * heavy
        if most > 0 or most * N + (s - t) * k > 0:
            return False
    return True


def build_local_head(distance: int, width: int = 1) -> LocalHead:
    """The head for a distance k ≥ 1, right for every N: see the module. For several: `find_telling`.

    Implements the local case of Theorem 9 of [HYB25] with the bounds of its Appendix B.6.

    >>> build_local_head(1), build_local_head(3).phi
    (LocalHead(distance=1, logit=1, at_sos=0, width=1), (0, 0, 0, 2))
    """
    if width > 1:
        return LocalHead(distance, 1, 0, width)
    return LocalHead(distance, 1, 0) if distance <= 2 else LocalHead(distance, 2, -distance)
