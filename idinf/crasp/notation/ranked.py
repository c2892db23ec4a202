"""The sign of an average with logits by content, where keys of higher weight outrank all lower ones.

The logits give a key the weight N^e with an exponent e that its features fix. With G_e = Σ a_j over the keys
of exponent e, the sum is Σ_e N^e · G_e. If G_e is not 0, |G_e| is at least g, the greatest common divisor of
the a_j there, and some key has that exponent, so at most i ≤ N − 1 keys have lower ones. If these have
|a_j| ≤ g, they add less than N^e · g: the first G_e that is not 0 gives the sign, for every N.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.local import Unsettled


@dataclass(frozen=True, slots=True)
class Rank:
    """The keys of one exponent."""

    exponent: int
    added: Mapping[s.Expression, int]  # what keys j ≥ 1 add, by where they do
    at_sos: int | None  # what SOS adds; None if it has another exponent

    @property
    def sizes(self) -> tuple[int, ...]:
        """|a| for all kinds of keys."""
        return tuple(abs(a) for a in (*self.added.values(), self.at_sos or 0))

    def above(self, sign: int) -> s.Expression:
        """Whether sign · G is above 0."""
        added = {where: sign * a for where, a in self.added.items()}
        return b.compared(b.count(added), s.Relation.GT, -sign * (self.at_sos or 0))


def write_ranked_sign(ranks: Sequence[Rank], last: bool) -> s.Expression:
    """Whether the sum over ranks of different exponents is above 0; ``last``: where N = i + 1.

    Raises `Unsettled` if lower keys may outweigh higher ones, by no sum of counts.

    Some a decides, whatever the others are:

    >>> from idinf.crasp.printer import format_expression
    >>> here = s.TextPlace(1, 1)
    >>> ranks = [Rank(0, {s.Symbol("b", here): -1}, 0), Rank(1, {s.Symbol("a", here): 1}, None)]
    >>> format_expression(write_ranked_sign(ranks, False))
    '# "a" >= 1'
    """
    ordered = sorted((rank for rank in ranks if any(rank.sizes)), key=lambda rank: -rank.exponent)
    if not ordered:
        return b.FALSE
    top, *lower = ordered
    if not lower:
        return top.above(1)
    if max(size for rank in lower for size in rank.sizes) <= gcd(*top.sizes):
        rest = write_ranked_sign(lower, last)
        return b.any_of((top.above(1), b.all_of((b.negated(top.above(-1)), rest))))
    below = lower[0]
    if last and not top.added and len(lower) == 1 and top.exponent == below.exponent + 1:
        # N · a + G with N = i + 1.
        constant = top.at_sos or 0
        counts = [*b.count(below.added), (b.length, constant)]
        return b.compared(counts, s.Relation.GT, -(below.at_sos or 0) - constant)
    raise Unsettled()
