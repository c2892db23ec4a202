"""Infinite sequences of symbols, and how far two of them are from each other."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from idinf.base.quoting import quote, suggest
from idinf.errors import ArgumentError, SpecError

#: Places that are looked at, at most.
MOST_PLACES = 1 << 16

_PERIODIC = re.compile(r"([^()@\s]*)\(([^()@\s]+)\)")
_CHANGED = re.compile(r"(.+)@([1-9][0-9]{0,8})")

#: Longest prefixes that are compared.
MOST_PREFIX = 1 << 14

#: The sequence that has a name.
THUE_MORSE = "thue-morse"


@dataclass(frozen=True)
class Sequence:
    """An infinite sequence a_1 a_2 … over some symbols of one character each."""

    symbols: str  #: of the alphabet, in order

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Periodic(Sequence):
    """A start, and then a period again and again.

    >>> Periodic("01", "1", "001").prefix(8), str(Periodic("01", "1", "001"))
    ('10010010', '1(001)')
    """

    start: str
    period: str

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        return (self.start + self.period * (n // len(self.period) + 1))[:n]

    def share(self, symbol: str) -> Fraction:
        """The share of a symbol in the period."""
        return Fraction(self.period.count(symbol), len(self.period))

    def __str__(self) -> str:
        return f"{self.start}({self.period})"


@dataclass(frozen=True)
class ThueMorse(Sequence):
    """The parity of the ones in 0, 1, 2, … written in binary.

    >>> ThueMorse("01").prefix(8)
    '01101001'
    """

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        return "".join("01"[place.bit_count() % 2] for place in range(n))

    def __str__(self) -> str:
        return THUE_MORSE


@dataclass(frozen=True)
class Changed(Sequence):
    """Another sequence with the symbol at every k-th place changed into the next one of the alphabet."""

    of: Sequence
    every: int

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        written, symbols = list(self.of.prefix(n)), self.symbols
        for place in range(self.every - 1, n, self.every):
            written[place] = symbols[(symbols.index(written[place]) + 1) % len(symbols)]
        return "".join(written)

    def __str__(self) -> str:
        return f"{self.of}@{self.every}"


def change(sequence: Sequence, every: int) -> Sequence:
    """Change every k-th place of a sequence; one that is eventually periodic stays so.

    >>> str(change(Periodic("01", "", "0"), 3)), str(change(Periodic("01", "1", "01"), 3))
    ('(001)', '1(000111)')
    """
    changed = Changed(sequence.symbols, sequence, every)
    if not isinstance(sequence, Periodic):
        return changed
    start, length = len(sequence.start), len(sequence.period) * every
    word = changed.prefix(start + length)
    period = word[start:]
    sizes = (size for size in range(1, length + 1) if length % size == 0)
    least = next(size for size in sizes if period == period[:size] * (length // size))
    return Periodic(sequence.symbols, word[:start], period[:least])


def sequence(text: str | Sequence, *, alphabet: str | None = None) -> Sequence:
    """Take an infinite sequence: ``1(01)``, ``thue-morse``, or one with ``@k`` behind it.

    ``1(01)`` is 1 and then 01 again and again; ``@k`` changes every k-th place. Without an alphabet the
    symbols are its own, or 01.

    Raises
    ------
    SpecError
        If it is none, or has a symbol outside of the alphabet.

    Examples
    --------
    >>> sequence("(0)@3").prefix(7), str(sequence("(0)@4")), sequence("x(y)").symbols
    ('0010010', '(0001)', 'xy')
    """
    if isinstance(text, Sequence):
        return text
    text = str(text)
    if match := _CHANGED.fullmatch(text):
        of, every = sequence(match[1], alphabet=alphabet), int(match[2])
        if len(of.symbols) < 2:
            raise SpecError(
                f"sequence {quote(text)}: alphabet {of.symbols}; expected two symbols, one to change into; "
                "name them by --alphabet"
            )
        if every * (len(of.period) if isinstance(of, Periodic) else 1) > MOST_PLACES:
            raise SpecError(f"sequence {quote(text)}: k is too large; expected at most {MOST_PLACES} places")
        return change(of, every)
    found: Sequence
    if text == THUE_MORSE:
        found, used = ThueMorse("01"), "01"
    elif (match := _PERIODIC.fullmatch(text)) and len(text) <= MOST_PLACES:
        used = "".join(sorted({*match[1], *match[2]}))
        found = Periodic("01" if set(used) <= {"0", "1"} else used, match[1], match[2])
    else:
        hint = suggest(text, (THUE_MORSE,))
        raise SpecError(
            f"sequence {quote(text)}: cannot be read; {hint and f'{hint} '}expected START(PERIOD) as in "
            f"1(01), {THUE_MORSE}, or one with @k behind it; correct it"
        )
    if alphabet is None:
        return found
    for symbol in used:
        if symbol not in alphabet:
            raise SpecError(
                f"sequence {quote(text)}: symbol {quote(symbol)} is not in the alphabet {quote(alphabet)}; "
                "the theorem compares sequences over one alphabet; use its symbols"
            )
    return replace(found, symbols=alphabet)


@dataclass(frozen=True, slots=True)
class PrefixDistance:
    """Two prefixes of length n side by side."""

    n: int
    hamming: Fraction  #: d_H, the share of places that differ
    same_last: bool  #: the premise of Theorem 1 of [PP25]
    star: Fraction  #: d*, which is 1 for different last symbols, and d_H of the n - 1 places before them


def compare_prefixes(a: str, b: str) -> PrefixDistance:
    """Compare two words of one length of at least 1.

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

    lower: Fraction
    upper: Fraction
    proof: str | None
    n: int = 0

    def __str__(self) -> str:
        ends = str(self.lower) if self.lower == self.upper else f"{self.lower} to {self.upper}"
        return ends if self.proof else f"{ends} over [{self.n}, {2 * self.n}]; the limit is not known"


def find_limit(a: Sequence, b: Sequence, n: int = 1024) -> LimitDistance:
    r"""Find the limit inferior of d_H of prefixes, or its range over [n, 2n] if no closed form is known.

    *Eventually periodic*: the share of places that differ in one common period.

    *Every k-th place changed*: 1/k.

    *Thue–Morse* t against a sequence that is periodic in the end: 1/2 of the places where the other one has 0
    or 1. For the sum of (-1)^{t(n)} e(nθ) over n < 2^k is the product of 1 - e(2^jθ), j < k, in which two
    neighbours are at most 8 sin²x |cos x| <= 3.08 < 4 together; so it is o(2^k) for all θ alike, and with
    blocks of powers of two o(N) for every N. Hence t takes both values equally often in every residue class
    (Gelfond).

    >>> str(find_limit(sequence("(0)"), sequence("(001)")))
    '1/3'
    """
    for one, other in ((a, b), (b, a)):
        if (found := _find_closed_form(one, other)) is not None:
            return LimitDistance(found[0], found[0], found[1])
    words = zip(a.prefix(2 * n), b.prefix(2 * n), strict=True)
    counts = accumulate(x != y for x, y in words)
    shares = [Fraction(count, m) for m, count in enumerate(counts, start=1) if m >= n]
    return LimitDistance(min(shares), max(shares), None, n)


def _find_closed_form(a: Sequence, b: Sequence) -> tuple[Fraction, str] | None:
    match a, b:
        case _, _ if a == b:
            return Fraction(0), "they are the same sequence"
        case Periodic(), Periodic():
            start, length = _common(a, b)
            pairs = zip(a.prefix(start + length)[start:], b.prefix(start + length)[start:], strict=True)
            return Fraction(sum(x != y for x, y in pairs), length), "the share of one common period"
        case Changed(of=of, every=every), _ if of == b:
            return Fraction(1, every), f"every {every}-th place differs"
        case ThueMorse(), Periodic():
            share = 1 - (b.share("0") + b.share("1")) / 2
            return share, "Thue-Morse is balanced in every residue class (Gelfond)"
    return None


def _common(a: Periodic, b: Periodic) -> tuple[int, int]:
    """Place from which on both are in their periods, and the length of a common one."""
    return max(len(a.start), len(b.start)), math.lcm(len(a.period), len(b.period))


@dataclass(frozen=True, slots=True)
class EventualEquality:
    """Verdict if two sequences differ at finitely many places only: proved, or seen up to a length.

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
    """Decide if a and b are equal in the end, a ~ b of [PP25]_.

    A limit inferior above 0 proves that they are not. Two sequences that are eventually periodic, and one
    that is compared with itself, are decided.

    >>> print(decide_equality(sequence("0010(0)"), sequence("(0)")))
    yes, from place 4 on
    """
    limit = find_limit(a, b, n)
    if limit.proof is not None and limit.lower:
        return EventualEquality(False, None)
    places = _common(a, b)[0] if isinstance(a, Periodic) and isinstance(b, Periodic) else n
    pairs = zip(a.prefix(places), b.prefix(places), strict=True)
    last = max((place for place, (x, y) in enumerate(pairs, start=1) if x != y), default=None)
    return EventualEquality(True, last) if limit.proof is not None else EventualEquality(None, last, n)


@dataclass(frozen=True, slots=True)
class SequenceComparison:
    """Two sequences: prefixes of length n, the limit of their distance, and equality in the end."""

    prefix: PrefixDistance
    limit: LimitDistance
    equal: EventualEquality


def compare_sequences(a: Sequence | str, b: Sequence | str, *, n: int = 1024) -> SequenceComparison:
    """Compare two sequences: prefixes of length n, the limit inferior of d_H, and equality in the end.

    Raises
    ------
    SpecError, ArgumentError
        If one is none, they are over different alphabets, or n is not from 1 to `MOST_PREFIX`.

    Examples
    --------
    >>> found = compare_sequences("(01)", "(0011)", n=8)
    >>> str(found.prefix.hamming), str(found.limit), str(found.equal)
    ('1/2', '1/2', 'no, they differ at infinitely many places')
    """
    one, other = sequence(a), sequence(b)
    if one.symbols != other.symbols:
        raise SpecError(
            f"sequences {quote(str(one))} over {one.symbols} and {quote(str(other))} over "
            f"{other.symbols}; expected one alphabet, as d_H does; name it by --alphabet"
        )
    check_range("n", n, 1, MOST_PREFIX)
    prefix = compare_prefixes(one.prefix(n), other.prefix(n))
    return SequenceComparison(prefix, find_limit(one, other, n), decide_equality(one, other, n))


def check_range(name: str, value: int, least: int, most: int) -> None:
    """Refuse a value that is no number of a range; ArgumentError."""
    if not isinstance(value, int) or not least <= value <= most:
        raise ArgumentError(f"{name} = {quote(str(value))}; expected one from {least} to {most}; correct it")
