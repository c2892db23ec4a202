"""The sign of an average for every N: by distance, with bounds on light keys; by content, where keys outrank.

*A local head.* At a position i a head with φ gives the key i − k the weight N^φ(k), and 1 to every other one,
SOS among them. With c more at every key and the value 0 at SOS, the sum is Σ_k N^φ(k) · (x_{i−k} + c) +
Σ_{other j} (x_j + c). The heavy values of one exponent come in as their sum H, a count that has few values.
Given these, the sum is a polynomial in N, but for the others, each between two bounds. They must not be able
to change the sign, whatever N is; in the condition of acceptance the only position that counts is the last
one, so there N = i + 1, and what they add is a count. At positions within the reach of φ there are few
others.

*Logits by content.* The logits give a key the weight N^e with an exponent e that its features fix. With G_e =
Σ a_j over the keys of exponent e, the sum is Σ_e N^e · G_e. If G_e is not 0, |G_e| is at least g, the
greatest common divisor of the a_j there, and some key has that exponent, so at most i ≤ N − 1 keys have lower
ones. If these have |a_j| ≤ g, they add less than N^e · g: the first G_e that is not 0 gives the sign, for
every N.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import gcd, prod

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.errors import BudgetError

#: Σ coefficient · N^exponent, by exponent.
Polynomial = Mapping[int, int]

#: Values of N that are tried one by one, below those where the leading term decides.
MAX_TRIED = 100_000


def at(polynomial: Polynomial, N: int) -> int:
    """The value at N."""
    return sum(c * N**e for e, c in polynomial.items())


def plus(polynomials: Iterable[Polynomial]) -> dict[int, int]:
    """The sum, without zeros."""
    return b.add_up(term for polynomial in polynomials for term in polynomial.items())


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


#: Lengths of the input that are compared one by one, where the leading term of N does not decide yet.
MAX_EXCEPTIONS = 32

#: Sums of heavy values that are told apart.
MAX_SUMS = 4096

#: For the sum of the heavy values of every exponent, whether the whole sum is above 0.
_Table = dict[tuple[int, ...], s.Expression]


class Unsettled(Exception):
    """Why no comparison of counts expresses the sign of an average."""

    def __init__(self, why: str = "whose effect depends on N, the length of the whole word + 1") -> None:
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class LocalSum:
    """Σ_j weight · (x_j + c) at positions where c is one number; x is Σ coefficient · feature, 0 at SOS.

    `here` says what x can be at the position i itself: where i is given, and where it is beyond the reach of
    φ (None). At a position that is no key the sign does not matter.
    """

    terms: Mapping[s.Expression, int]
    exponents: Mapping[int, int]  # φ(k) > 0 by distance k, at least one
    more: int  # c
    values: Sequence[int]  # what x can be at positions of the word, ascending
    here: Mapping[int | None, Sequence[int]]
    last: bool  # whether N = i + 1

    @property
    def levels(self) -> list[int]:
        """The exponents, highest first."""
        return sorted(set(self.exponents.values()), reverse=True)

    def positive(self) -> s.Expression:
        """A formula that holds where the sum is above 0.

        Raises `Unsettled` if that depends on N.
        """
        table: _Table = self._table(None) if None in self.here else {}
        apart: list[tuple[int, _Table]] = []
        for position in range(max(self.exponents), -1, -1):
            if position in self.here:
                found = self._table(position)
                if all(table.get(sums, sign) == sign for sums, sign in found.items()):
                    table.update(found)  # what cannot be elsewhere is free there
                else:
                    apart.append((position, found))
        node = self._read(table, self.levels)
        for position, found in apart:
            here = b.compared([(b.length, 1)], s.Relation.EQ, position)
            node = b.chosen(here, self._read(found, self.levels), node)
        return node

    def _table(self, position: int | None) -> _Table:
        """The signs at one position, or at those beyond the reach of φ."""
        distances = [k for k in sorted(self.exponents) if position is None or k < position]
        sums = [
            self._sums([k for k in distances if self.exponents[k] == level], position)
            for level in self.levels
        ]
        size = prod(map(len, sums))
        if size > MAX_SUMS:
            raise BudgetError(
                f"a local average has {size} sums of heavy values; expected at most {MAX_SUMS}; "
                "use fewer distances or values"
            )
        sign = self._beyond if position is None else self._near
        return {heavy: sign(heavy, distances, position or 0) for heavy in product(*sums)}

    def _sums(self, distances: Iterable[int], position: int | None) -> list[int]:
        """The sums that values at some distances can have."""
        total = {0}
        for distance in distances:
            values = self.values if distance else self.here[position]
            total = {old + value for old in total for value in values}
        return sorted(total)

    def _weighed(self, heavy: Sequence[int], distances: Sequence[int]) -> dict[int, int]:
        """Σ N^φ(k) · (x_{i−k} + c) over heavy keys of the word."""
        counted = plus({self.exponents[k]: self.more} for k in distances)
        return plus([counted, *({level: h} for level, h in zip(self.levels, heavy, strict=True))])

    def _near(self, heavy: tuple[int, ...], distances: Sequence[int], position: int) -> s.Expression:
        """The sign at one position i, where SOS is the key at the distance i."""
        at_sos = {self.exponents.get(position, 0): self.more}
        others = position - len(distances)
        fixed = plus([self._weighed(heavy, distances), at_sos, {0: others * self.more}])
        low, high = (plus([fixed, {0: others * value}]) for value in (self.values[0], self.values[-1]))
        start = position + 1
        if self.last:
            if (sign := at(low, start) > 0) or at(high, start) <= 0:
                return s.Truth(sign)
            return self._others_exceed(heavy, -at(fixed, start))
        if find_sign_from(low, start) or find_sign_from(high, start) is False:
            return s.Truth(find_sign_from(low, start) is True)
        sums = [0]
        for _ in range(others):
            sums = sorted({old + value for old in sums for value in self.values})
        above = [_settled(plus([fixed, {0: total}]), start) for total in sums]
        return self._others_exceed(heavy, sums[above.index(True)] - 1)

    def _beyond(self, heavy: tuple[int, ...], distances: Sequence[int], _: int) -> s.Expression:
        """The sign at positions i beyond the reach of φ, from N = reach + 2 on."""
        start = max(self.exponents) + 2
        weighed = self._weighed(heavy, distances)
        # The others are i − r keys of the word, and SOS: at most N − 1 − r, and exactly so many in the last.
        ends = []
        for value in (self.values[0] + self.more, self.values[-1] + self.more):
            longest = plus([weighed, {1: value, 0: self.more - (1 + len(distances)) * value}])
            fewest = plus([weighed, {0: self.more + (start - 1 - len(distances)) * value}])
            ends.append([longest] if self.last else [longest, fewest])
        if all(find_sign_from(end, start) for end in ends[0]):
            return b.TRUE
        if all(find_sign_from(end, start) is False for end in ends[1]):
            return b.FALSE
        if not weighed:
            return self._at_any(heavy, distances, 0)
        if not self.last:
            raise Unsettled()
        if set(weighed) == {1}:
            return self._at_any(heavy, distances, weighed[1])
        return self._at_the_end(heavy, distances, weighed, ends[0][0], ends[1][0])

    def _at_the_end(
        self,
        heavy: tuple[int, ...],
        distances: Sequence[int],
        weighed: Polynomial,
        low: Polynomial,
        high: Polynomial,
    ) -> s.Expression:
        """With N = i + 1, cases of small N and the rest."""
        start = max(
            MAX_TRIED if N is None else N for N in (find_first_settled(low), find_first_settled(high))
        )
        tail = True if find_sign_from(low, start) else find_sign_from(high, start)
        first = max(self.exponents) + 2
        if tail not in (True, False) or start > first + MAX_EXCEPTIONS:
            raise Unsettled()
        node: s.Expression = s.Truth(tail)
        for N in range(start - 1, first - 1, -1):
            fixed = at(weighed, N) + (N - len(distances)) * self.more
            here = self._others_exceed(heavy, -fixed)
            node = b.chosen(b.compared([(b.length, 1)], s.Relation.GE, N), node, here)
        return node

    def _at_any(self, heavy: tuple[int, ...], distances: Sequence[int], per_position: int) -> s.Expression:
        """Others + c · (i + 1 − r) + d · (i + 1) > 0."""
        slope = self.more + per_position
        return self._others_exceed(heavy, self.more * len(distances) - slope, slope)

    def _others_exceed(self, heavy: tuple[int, ...], threshold: int, slope: int = 0) -> s.Expression:
        """A formula: the sum of the light keys, all less the heavy ones, with slope · i is above a number."""
        counts = [*b.count(self.terms), (b.length, slope)]
        return b.compared(counts, s.Relation.GT, threshold + sum(heavy))

    def _read(self, table: _Table, levels: Sequence[int]) -> s.Expression:
        """A table as comparisons of the sums of heavy values, level by level."""
        if not table:
            return b.FALSE
        if not levels:
            return table[()]
        level, *further = levels
        signs = []
        for first, rows in groupby(sorted(table), key=lambda sums: sums[0]):
            signs.append((first, self._read({row[1:]: table[row] for row in rows}, further)))
        terms = [
            (b.back(k, e), c)
            for k, own in sorted(self.exponents.items())
            if own == level
            for e, c in self.terms.items()
        ]
        return b.stepwise(terms, signs)


def _settled(polynomial: Polynomial, start: int) -> bool:
    sign = find_sign_from(polynomial, start)
    if sign is None:
        raise Unsettled()
    return sign


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
        """A formula that holds where sign · G is above 0."""
        added = {where: sign * a for where, a in self.added.items()}
        return b.compared(b.count(added), s.Relation.GT, -sign * (self.at_sos or 0))


def write_ranked_sign(ranks: Sequence[Rank], last: bool) -> s.Expression:
    """A formula: the sum over ranks of different exponents is above 0; ``last``: where N = i + 1.

    Raises `Unsettled` if lower keys may outweigh higher ones, by no sum of counts.
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
