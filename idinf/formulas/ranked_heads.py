"""The sign of a unit over a head with a logit matrix M, where keys of higher weight outrank all lower ones.

For one kind of query, M gives a key the weight N^e with an exponent e that its features fix. With G_e = Σ a_j
over the keys of exponent e, the unit fires iff T = Σ_e N^e · G_e > 0. If G_e is not 0, |G_e| is at least g,
the greatest common divisor of the a_j there, and some key has that exponent, so at most i ≤ N − 1 keys have
lower ones. If these have |a_j| ≤ g, they add less than N^e · g: the first G_e that is not 0 gives the sign,
for every N.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from idinf.compilation.circuit import UnitCircuit
from idinf.compilation.diagrams import FALSE, TRUE, Node
from idinf.formulas.local_heads import Unsettled

__all__ = ["Rank", "ranked_sign"]


@dataclass(frozen=True, slots=True)
class Rank:
    """The keys of one exponent.

    Parameters
    ----------
    exponent : int
    added : tuple of (Node, int)
        What keys j ≥ 1 add, by where they do.
    at_sos : int or None
        What SOS adds; None if it has another exponent.
    """

    exponent: int
    added: tuple[tuple[Node, int], ...]
    at_sos: int | None

    @property
    def sizes(self) -> tuple[int, ...]:
        """|a| for all kinds of keys."""
        return tuple(abs(a) for a in (*(a for _, a in self.added), self.at_sos or 0))


def ranked_sign(circuit: UnitCircuit, ranks: list[Rank], last: bool) -> Node:
    """Whether the unit fires.

    Parameters
    ----------
    circuit : UnitCircuit
    ranks : list of Rank
        With different exponents.
    last : bool
        Whether N = i + 1.

    Raises
    ------
    Unsettled
        If lower keys may outweigh higher ones, by no sum of counts.

    Examples
    --------
    Some a decides, whatever the others are:

    >>> circuit = UnitCircuit(2, 1)
    >>> a, b = circuit.symbol(0), circuit.symbol(1)
    >>> sign = ranked_sign(circuit, [Rank(0, ((b, -1),), 0), Rank(1, ((a, 1),), None)], False)
    >>> sign == circuit.above([(a, 1)], 0)
    True
    """
    ordered = sorted((rank for rank in ranks if any(rank.sizes)), key=lambda rank: -rank.exponent)
    if not ordered:
        return FALSE
    top, *lower = ordered
    counts, constant = list(top.added), top.at_sos or 0
    positive = circuit.above(counts, -constant)
    if not lower:
        return positive
    if max(size for rank in lower for size in rank.sizes) <= gcd(*top.sizes):
        opposite = [(node, -a) for node, a in counts]
        negative = circuit.above(opposite, constant)
        rest = circuit.diagrams.choice(negative, FALSE, ranked_sign(circuit, lower, last))
        return circuit.diagrams.choice(positive, TRUE, rest)
    below = lower[0]
    if last and not top.added and len(lower) == 1 and top.exponent == below.exponent + 1:
        # N · a + G with N = i + 1 = #true + 1.
        return circuit.above([*below.added, (TRUE, constant)], -(below.at_sos or 0) - constant)
    raise Unsettled
