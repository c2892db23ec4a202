"""Eventual learnability of a sequence: decided where counts settle, and followed up to a length elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.errors import SpecError
from idinf.lab.continuity.intervals import Interval, least
from idinf.lab.continuity.predictors import (
    AddConstant,
    Predictor,
    check_confidence,
    enclose_confidence,
)
from idinf.lab.continuity.sequences import Periodic, Sequence

#: Prompts that are asked one by one, at most, for an n0 that is proved.
MOST_PROMPTS = 1 << 14


@dataclass(frozen=True, slots=True)
class Learnability:
    """Whether a predictor eventually learns a sequence with confidence ε, and from which n0 on.

    ``n0`` is the least one, if the sequence is learned; None if more than `MOST_PROMPTS` prompts would have
    to be asked for it. If nothing is proved, it is the least n from which on the confidence was at least ε up
    to ``up_to``; None if it was not at ``up_to``.
    """

    epsilon: Fraction
    learned: bool | None  #: with that ε, proved for all n; None where nothing is proved
    n0: int | None
    limit: Interval | None  #: the limit inferior of the confidence; None where nothing is proved
    up_to: int  #: the largest n whose prompt was asked
    confidence: Interval  #: at that n

    @property
    def for_some(self) -> bool | None:
        """Whether the sequence is eventually learned with some ε > 0; None where that is not proved."""
        if self.limit is None or self.limit.low <= 0 < self.limit.high:
            return None
        return self.limit.low > 0


def list_confidences(predictor: Predictor, sequence: Sequence, n: int) -> Iterator[Interval]:
    """Enclose f_m(a_1 … a_m)(a_{m+1}) minus the largest other probability, for m = 1, …, n."""
    word = encode_prefix(predictor, sequence, n + 1)
    counts = [0] * len(predictor.alphabet)
    for last, coming in pairwise(word):
        counts[last] += 1
        yield enclose_confidence(predictor.at(last, counts), coming)


def decide_learnability(
    predictor: Predictor, sequence: Sequence, epsilon: Fraction, up_to: int
) -> Learnability:
    r"""Decide whether a sequence is eventually learned with confidence ε, the definition of [PP25]_.

    Let the sequence be eventually periodic, with a start of u symbols, a period of q, and shares p in it.

    *Laplace and Krichevsky–Trofimov.* At the place r of the period, after t periods, counts are linear in t.
    So the confidence is at least ε iff some linear inequalities in t hold, one for each other symbol, which
    decides every ε, and n0 (`_decide_by_counts`).

    *Nets of one layer*, with Lipschitz constant c and offset o. Counts of a prompt of length n are at most K
    = u + q away from np, so the answer is at most (cK + o)/n from F(last, p), and the confidence at most
    twice that from its limit at that place of the period. The limit inferior is the least of these limits.
    If it is above ε, the confidence is at least ε as soon as n >= 2(cK + o)/(limit - ε); smaller n are asked
    one by one, from which the least n0 follows. If it is below ε, ε fails infinitely often. If it equals ε,
    or is too near to tell, nothing is said for all n.

    >>> from idinf.lab.continuity.predictors import laplace
    >>> from idinf.lab.continuity.sequences import parse_sequence
    >>> from idinf.base.words import Alphabet
    >>> rule = laplace(Alphabet(("0", "1")))
    >>> found = decide_learnability(rule, parse_sequence("11(0)"), Fraction(1, 2), 8)
    >>> found.learned, found.n0, str(found.limit.low)
    (True, 10, '1')
    >>> decide_learnability(rule, parse_sequence("(001)"), Fraction(1, 2), 8).for_some
    False
    """
    check_confidence(epsilon)
    limit = find_limit_confidence(predictor, sequence)
    if isinstance(predictor, AddConstant) and isinstance(sequence, Periodic):
        n0 = _decide_by_counts(predictor, sequence, epsilon)
        *_, last = list_confidences(predictor, sequence, up_to)
        return Learnability(epsilon, n0 is not None, n0, limit, up_to, last)
    learned, bound, settled = None, up_to, 0
    if limit is not None and limit.high < epsilon:
        learned = False
    elif limit is not None and limit.low > epsilon:
        assert isinstance(sequence, Periodic)
        spread = len(sequence.start) + len(sequence.period)
        far = predictor.growth.constant * spread + predictor.offset
        learned, settled = True, math.ceil(2 * far / (limit.low - epsilon))
        bound = max(up_to, settled) if settled <= MOST_PROMPTS else up_to
    last_failure, last = 0, Interval.of(0)
    for n, last in enumerate(list_confidences(predictor, sequence, bound), start=1):
        if last.low < epsilon:
            last_failure = n
    is_known = last_failure < bound and (learned is None or (learned and bound >= settled))
    return Learnability(epsilon, learned, last_failure + 1 if is_known else None, limit, bound, last)


def _decide_by_counts(rule: AddConstant, sequence: Periodic, epsilon: Fraction) -> int | None:
    """Find the least n0 of counts plus a constant, in closed form; None if there is none.

    After n symbols the confidence is at least ε iff c_next - c_other - ε(n + β|Σ|) >= 0 for every other
    symbol. From the start on, at n, n + q, n + 2q, … of a period q this is a linear function.
    """
    first, period = max(1, len(sequence.start)), len(sequence.period)
    codes, offset = range(len(rule.alphabet)), rule.constant * len(rule.alphabet)
    counts, rows = [0 for _ in codes], [[Fraction(0)]]
    for n, (last, coming) in enumerate(pairwise(encode_prefix(rule, sequence, first + 2 * period)), start=1):
        counts[last] += 1
        needed = epsilon * (n + offset)
        rows.append([counts[coming] - counts[code] - needed for code in codes if code != coming])
    failures = [n for n in range(1, first) if min(rows[n], default=0) < 0]
    for n in range(first, first + period):
        for now, later in zip(rows[n], rows[n + period], strict=True):
            growth = later - now
            if growth < 0 or growth == 0 > now:
                return None
            if now < 0:
                failures.append(n + period * (math.ceil(-now / growth) - 1))
    return max(failures, default=0) + 1


def find_limit_confidence(predictor: Predictor, sequence: Sequence) -> Interval | None:
    """Enclose the limit inferior of the confidence; None unless the sequence is periodic in the end.

    An exact predictor, such as one by counts, gives an exact value.
    """
    if not isinstance(sequence, Periodic):
        return None
    period = encode_prefix(predictor, Periodic(sequence.symbols, "", sequence.period), len(sequence.period))
    shares = [Fraction(period.count(code), len(period)) for code in range(len(predictor.alphabet))]
    pairs = sorted(set(zip(period, (*period[1:], period[0]), strict=True)))
    return least([enclose_confidence(predictor.limit(last, shares), coming) for last, coming in pairs])


def encode_prefix(predictor: Predictor, sequence: Sequence, n: int) -> Word:
    """The first n symbols of a sequence as the predictor reads them."""
    codes = {symbol: code for code, symbol in enumerate(predictor.alphabet.symbols)}
    text = sequence.prefix(n)
    for symbol in sorted({*sequence.symbols, *text}):
        if symbol not in codes:
            raise SpecError(
                f"sequence {quote(str(sequence))}: symbol {quote(symbol)} is not in the alphabet of "
                f"{predictor.name}; the theorem is about sequences over one alphabet; use its symbols"
            )
    return tuple(map(codes.__getitem__, text))
