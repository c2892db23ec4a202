"""How far two sequences are from each other: prefixes, the limit, and whether they are equal in the end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from idinf.labs.continuity.sequences import Changed, Morphic, Periodic, Sequence
from idinf.labs.continuity.surds import Surd


@dataclass(frozen=True, slots=True)
class PrefixDistance:
    """Two prefixes of length n side by side.

    ``hamming`` is d_H, the share of places that differ. ``same_last`` is what Theorem 1 of [PP25]_ asks for.
    ``star`` is d*, which is 1 for different last symbols, and d_H of what is before them, n - 1 places.
    """

    n: int
    hamming: Fraction
    same_last: bool
    star: Fraction


def compare_prefixes(a: str, b: str) -> PrefixDistance:
    """Compare two words of one length of at least 1.

    Examples
    --------
    >>> compare_prefixes("0101", "0011")
    PrefixDistance(n=4, hamming=Fraction(1, 2), same_last=True, star=Fraction(2, 3))
    """
    n, unequal = len(a), [x != y for x, y in zip(a, b, strict=True)]
    before = Fraction(sum(unequal[:-1]), n - 1) if n > 1 else Fraction(0)
    return PrefixDistance(n, Fraction(sum(unequal), n), not unequal[-1], unequal[-1] + before)


@dataclass(frozen=True, slots=True)
class LimitDistance:
    """The limit of d_H, whose limit inferior the theorems are about; or a range.

    With ``proof`` both ends are the limit. Without, they are the least and the largest d_H of the prefixes of
    length n to 2n, which bounds neither limit.
    """

    lower: Surd
    upper: Surd
    proof: str | None
    n: int = 0

    def __str__(self) -> str:
        ends = str(self.lower) if self.lower == self.upper else f"{self.lower} to {self.upper}"
        return ends if self.proof else f"{ends} over [{self.n}, {2 * self.n}]; the limit is not known"


def find_limit(a: Sequence, b: Sequence, n: int = 1024) -> LimitDistance:
    r"""Find the limit inferior of d_H of prefixes, or its range over [n, 2n] if no closed form is known.

    Notes
    -----
    *Eventually periodic*: the share of places that differ in one common period.

    *Every k-th place changed*: 1/k.

    *Thue–Morse* t against a sequence that is periodic in the end, and against Fibonacci: 1/2 of the places
    where the other one has 0 or 1. For the sum of (-1)^{t(n)} e(nθ) over n < 2^k is the product of
    1 - e(2^jθ), j < k, in which two neighbours are at most 8 sin²x |cos x| <= 3.08 < 4 together; so it is
    o(2^k) for all θ alike, and with blocks of powers of two o(N) for every N. Hence t takes both values
    equally often in every residue class (Gelfond).
    The indicator of Fibonacci is a function of the fractional part of n/φ with two jumps, hence in mean
    as near as one likes to a trigonometric polynomial, against which (-1)^t averages to 0, too.

    *Fibonacci* against one that is periodic in the end: in every residue class the multiples of 1/φ are
    equidistributed (Weyl), so 1 has the share (3 - √5)/2 and 0 the share (√5 - 1)/2.

    Examples
    --------
    >>> from idinf.labs.continuity.sequences import parse_sequence as p
    >>> for one, other in [("(01)", "(0011)"), ("(0)", "(001)"), ("fibonacci", "(0)")]:
    ...     print(find_limit(p(one), p(other)))
    1/2
    1/3
    (3 - √5)/2
    """
    for one, other in ((a, b), (b, a)):
        if (found := _find_closed_form(one, other)) is not None:
            return found
    words = zip(a.prefix(2 * n), b.prefix(2 * n), strict=True)
    counts = accumulate(x != y for x, y in words)
    shares = [Fraction(count, m) for m, count in enumerate(counts, start=1) if m >= n]
    return LimitDistance(Surd(min(shares)), Surd(max(shares)), None, n)


def _find_closed_form(a: Sequence, b: Sequence) -> LimitDistance | None:
    match a, b:
        case _, _ if a == b:
            return _limit(Surd(Fraction(0)), "they are the same sequence")
        case Periodic(), Periodic():
            return _limit(Surd(_share_of_differences(a, b)), "the share of one common period")
        case Changed(of=of, every=every), _ if of == b:
            return _limit(Surd(Fraction(1, every)), f"every {every}-th place differs")
        case Morphic(name="thue-morse"), Morphic():
            return _limit(Surd(Fraction(1, 2)), "Thue-Morse does not correlate with Fibonacci")
        case Morphic(name="thue-morse"), Periodic():
            share = _share(b, "0") + _share(b, "1")
            return _limit(Surd(1 - share / 2), "Thue-Morse is balanced in every residue class (Gelfond)")
        case Morphic(name="fibonacci"), Periodic():
            zeros, ones = _share(b, "0"), _share(b, "1")
            rational = 1 - zeros - ones + (3 * zeros - ones) / 2
            return _limit(
                Surd(rational, (ones - zeros) / 2), "Fibonacci is equidistributed in residue classes"
            )
    return None


def _limit(value: Surd, proof: str) -> LimitDistance:
    return LimitDistance(value, value, proof)


def _share(b: Periodic, symbol: str) -> Fraction:
    return Fraction(b.period.count(symbol), len(b.period))


def _common(a: Periodic, b: Periodic) -> tuple[int, int]:
    """Where both are in their periods, and the length of a common one."""
    return max(len(a.start), len(b.start)), math.lcm(len(a.period), len(b.period))


def _share_of_differences(a: Periodic, b: Periodic) -> Fraction:
    start, length = _common(a, b)
    pairs = zip(a.prefix(start + length)[start:], b.prefix(start + length)[start:], strict=True)
    return Fraction(sum(x != y for x, y in pairs), length)


@dataclass(frozen=True, slots=True)
class EventualEquality:
    """Whether two sequences differ at finitely many places only: proved, or what was seen up to a length.

    ``equal`` is None where nothing is proved. ``last`` is the last place that differs, of those up to
    ``up_to`` where nothing is proved; None if none does or there is no last one.
    """

    equal: bool | None
    last: int | None
    up_to: int | None = None

    def __str__(self) -> str:
        if self.equal is None:
            seen = "no difference" if self.last is None else f"the last difference at place {self.last}"
            return f"not proved; {seen} up to {self.up_to}"
        if not self.equal:
            return "no, they differ at infinitely many places"
        return f"yes, from place {1 if self.last is None else self.last + 1} on"


def decide_equality(a: Sequence, b: Sequence, n: int = 1024) -> EventualEquality:
    """Decide whether a and b are equal in the end, a ~ b of [PP25]_.

    A limit inferior above 0 proves that they are not. Two sequences that are eventually periodic, and one
    that is compared with itself, are decided.

    Examples
    --------
    >>> from idinf.labs.continuity.sequences import parse_sequence as p
    >>> print(decide_equality(p("0010(0)"), p("(0)")))
    yes, from place 4 on
    """
    limit = find_limit(a, b, n)
    if limit.proof is not None and limit.lower != Surd(Fraction(0)):
        return EventualEquality(False, None)
    places = n
    if isinstance(a, Periodic) and isinstance(b, Periodic):
        places = _common(a, b)[0]
    pairs = zip(a.prefix(places), b.prefix(places), strict=True)
    last = max((place for place, (x, y) in enumerate(pairs, start=1) if x != y), default=None)
    return EventualEquality(True, last) if limit.proof is not None else EventualEquality(None, last, n)
