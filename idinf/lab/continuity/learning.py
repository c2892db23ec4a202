"""Learning by a predictor: learnability of a sequence, its isolation, and the modulus of continuity.

Learnability is decided where counts settle, and followed up to a length elsewhere. Around a sequence that is
learned lies a ball in which no other one can be learned (isolation). The modulus is the largest distance of
answers to prompts that differ at few places.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from idinf.base.numbers import read_fraction
from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.errors import ArgumentError, BudgetError, SpecError
from idinf.lab.continuity.predictors import (
    AddConstant,
    Interval,
    Predictor,
    PredictorLike,
    check_confidence,
    enclose_confidence,
    enclose_gap,
    largest,
    least,
)
from idinf.lab.continuity.predictors import predictor as take_predictor
from idinf.lab.continuity.sequences import LimitDistance, Periodic, Sequence, change, check_range, find_limit
from idinf.lab.continuity.sequences import sequence as take_sequence

#: Prompts that are asked one by one, at most, for an n0 that is proved.
MOST_PROMPTS = 1 << 14


Number: TypeAlias = Fraction | int | str


@dataclass(frozen=True, slots=True)
class Learnability:
    """Verdict on a predictor that may eventually learn a sequence with confidence ε, and the least n0.

    If the sequence is learned, ``n0`` is None if it would take more than `MOST_PROMPTS` prompts. If nothing
    is proved, it is the least n from which on the confidence was at least ε up to ``up_to``; None if it was
    not at ``up_to``.
    """

    epsilon: Fraction
    learned: bool | None  #: with that ε, proved for all n; None where nothing is proved
    n0: int | None
    limit: Interval | None  #: the limit inferior of the confidence; None where nothing is proved
    up_to: int  #: the largest n whose prompt was asked
    confidence: Interval  #: at that n

    @property
    def for_some(self) -> bool | None:
        """True if the sequence is eventually learned with some ε > 0; None where that is not proved."""
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


def learnability(
    source: PredictorLike, a: Sequence | str, *, epsilon: Number = Fraction(1, 2), up_to: int = 64
) -> Learnability:
    r"""Decide if a predictor eventually learns a sequence with confidence ε, and find the least n0.

    It is decided for all n where the sequence is periodic in the end; else it is followed up to a length.
    Eventual learnability is the definition of [PP25]_.

    Let the sequence be eventually periodic, with a start of u symbols, a period of q, and shares p in it.

    *Laplace and Krichevsky–Trofimov.* At the place r of the period, after t periods, counts are linear in t.
    So the confidence is at least ε iff some linear inequalities in t hold, one for each other symbol, which
    decides every ε, and n0 (`_decide_by_counts`).

    *Nets of one layer*, with Lipschitz constant c and offset o. Counts of a prompt of length n are at most K
    = u + q away from np, so the answer is at most (cK + o)/n from F(last, p), and the confidence at most
    twice that from its limit at that place of the period. The limit inferior is the least of these limits.
    If it is above ε, the confidence is at least ε as soon as n >= 2(cK + o)/(limit - ε); smaller n are asked
    one by one, from which the least n0 follows. If it is below ε, ε fails infinitely often. If it equals ε,
    or is too near to decide, nothing is said for all n.

    Examples
    --------
    >>> found = learnability("laplace", "11(0)")
    >>> found.learned, found.n0, str(found.limit.low)
    (True, 10, '1')
    >>> learnability("laplace", "(001)").for_some
    False
    """
    check_range("up_to", up_to, 1, MOST_PROMPTS)
    predictor, sequence = take_predictor(source), take_sequence(a)
    epsilon = check_confidence(_fraction(epsilon, "epsilon"))
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


#: Largest k of a change at every k-th place.
MOST_EVERY = 512


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A sequence a beside b_k, which is a changed at every k-th place.

    ``gap`` is the limit superior of the differences of answers where the next symbols differ and the last
    ones agree: both can only be learned if it stays above 0. It is None if there is no such place.
    ``confidence`` is the limit inferior of the confidence of the predictor on b_k, above 0 iff it is
    eventually learned."""

    every: int
    distance: LimitDistance
    inside: bool  #: True if b_k lies within the radius, so that it is proved not to be learned
    gap: Interval | None
    confidence: Interval


@dataclass(frozen=True, slots=True)
class Isolation:
    """The radius of isolation of a sequence that is learned; None if it is not learned at all."""

    confidence: Interval  #: the limit inferior of the confidence on the sequence itself
    radius: Fraction | None
    rows: tuple[ChangedRow, ...]


def isolation(
    source: PredictorLike,
    a: Sequence | str,
    *,
    every: Iterable[int] = (2, 3, 4, 8, 16),
    assume: Number | None = None,
) -> Isolation:
    r"""Compute the radius around a learned sequence, and change the sequence at every k-th place.

    With ``assume`` it is taken as given that the sequence is learned with that confidence, as where it never
    becomes periodic; then there are no rows. The radius is a δ such that nothing within d_H < δ of the
    sequence is learned, too.

    It is about every sequence b that differs from a at infinitely many places. A smaller confidence ε is met
    by a from some n on; the given one may be the limit inferior itself.

    Theorem 2 of [PP25]_, with its constant. Let ω(δ) <= ε/2, let d_H(a, b) < δ <= 1 and let b be learned with
    confidence ε' > 0. Call n a *run start* if a_n = b_n and a_{n+1} ≠ b_{n+1}.

    *Infinitely many run starts n have d_H(a_1…a_n, b_1…b_n) < δ.* Since the limit inferior is below δ, so
    is d_H of the prefixes of infinitely many lengths m, and a and b agree infinitely often, too. If m + 1
    is not in the middle of a run of differences, go forward to the next run start n >= m: no place between
    differs, so d_H falls. Else go back to the start of that run: all places behind it up to m differ, so
    leaving them out lowers the mean. As m grows, so does n, for every run is finite.

    *There the two confidences contradict each other.* Let s = a_{n+1} and t = b_{n+1}. For large n, f(a)(s)
    - f(a)(t) >= ε and f(b)(t) - f(b)(s) >= ε'. The sum of these is f(a)(s) - f(b)(s) + f(b)(t) - f(a)(t),
    at most 2ω(δ) <= ε < ε + ε'.

    *The limit inferior ε\* as ε.* If d_H(a, b) < δ and ω(δ) <= ε\*/2, there is d between d_H(a, b) and δ,
    and as the bound of ω rises strictly below 1, ω(d) <= ε/2 for some ε < ε\*, which a is learned with.

    Examples
    --------
    >>> found = isolation("laplace", "(0)", every=(2, 4))
    >>> [(row.every, row.inside, str(row.gap.high), str(row.confidence.low)) for row in found.rows]
    [(2, False, '1/2', '0'), (4, True, '1/4', '-1/2')]
    """
    for k in every:
        check_range("every", k, 1, MOST_EVERY)
    predictor, sequence = take_predictor(source), take_sequence(a)
    if assume is not None:
        given = check_confidence(_fraction(assume, "assume"))
        return Isolation(Interval.of(given), predictor.growth.find_radius(given), ())
    confidence = find_limit_confidence(predictor, sequence)
    if confidence is None or not isinstance(sequence, Periodic):
        raise SpecError(
            f"sequence {quote(str(sequence))} with {predictor.name}: no confidence is proved for all n, as "
            "isolation needs; expected START(PERIOD); assume one by --assume"
        )
    radius = predictor.growth.find_radius(confidence.low) if confidence.low > 0 else None
    return Isolation(confidence, radius, tuple(_beside(predictor, sequence, k, radius) for k in every))


def _beside(predictor: Predictor, a: Periodic, every: int, radius: Fraction | None) -> ChangedRow:
    b = change(a, every)
    confidence = find_limit_confidence(predictor, b)
    assert isinstance(b, Periodic)
    assert confidence is not None
    distance = find_limit(a, b)
    inside = radius is not None and distance.lower < radius
    start, length = len(a.start), math.lcm(len(a.period), len(b.period))
    one, other = (encode_prefix(predictor, of, start + length + 2)[start:] for of in (a, b))
    shares = [
        [Fraction(word[:length].count(code), length) for code in range(len(predictor.alphabet))]
        for word in (one, other)
    ]
    lasts = {one[i] for i in range(length) if one[i] == other[i] and one[i + 1] != other[i + 1]}
    gaps = [
        enclose_gap(predictor.limit(last, shares[0]), predictor.limit(last, shares[1]))
        for last in sorted(lasts)
    ]
    return ChangedRow(every, distance, inside, largest(gaps) if gaps else None, confidence)


#: Longest prompts.
MOST_LENGTH = 256

#: Pairs of counts that are compared, at most.
MOST_PAIRS = 1 << 19


@dataclass(frozen=True, slots=True)
class Modulus:
    """The largest gap of answers to prompts of length n with one last symbol that differ at k places or less.

    It lies in ``gap``, which is a single fraction for counts, and else as narrow as the arithmetic. The gap
    of ``pair`` is at least the lower end.
    """

    n: int
    differences: int
    gap: Interval
    pair: tuple[str, str]


#: A gap, with the counts of two prompts that have it and their last symbol.
Found = tuple[Interval, tuple[tuple[int, ...], tuple[int, ...], int]]


def modulus(
    source: PredictorLike, *, n: int, differences: int = 1, delta: Number | None = None
) -> list[Modulus]:
    r"""Find the largest distance of answers to prompts of one length and last symbol, by their differences.

    It is the maximum over all prompts. There is a row for 1, 2, …, ``differences`` places, or the share
    ``delta`` of n.

    The answer depends on the last symbol σ and on the counts c. Two prompts with counts c and c' that both
    end in σ differ at no fewer than d = Σ \|c - c'\| / 2 places, and at exactly d if common symbols stand
    at the same places. So the maximum over prompts with at most k differences is that over counts with d <= k
    and c_σ, c'_σ >= 1.

    Raises
    ------
    ArgumentError, BudgetError, SpecError
        If n is not from 2 to 256, there are more pairs of counts than `MOST_PAIRS`, or delta is no share.

    Examples
    --------
    >>> [(str(row.gap.high), row.pair) for row in modulus("laplace", n=4, differences=2)]
    [('1/6', ('0000', '1000')), ('1/3', ('0000', '1100'))]
    """
    predictor = take_predictor(source)
    check_range("n", n, 2, MOST_LENGTH)
    if delta is not None:
        share = _fraction(delta, "delta")
        if not 0 < share <= 1 or share * n < 1:
            raise SpecError(
                f"delta = {quote(str(share))}; expected from 1/{n} to 1, as d_H is a share of {n} places; "
                "choose one such as 1/8"
            )
        differences = math.floor(share * n)
    check_range("differences", differences, 1, MOST_LENGTH)
    if len(predictor.alphabet) < 2:
        raise ArgumentError(
            "an alphabet of one symbol; expected two, one to stand among the other; name both"
        )
    differences = min(differences, n - 1)
    size = len(predictor.alphabet)
    moves = _moves(size, differences) if (2 * differences + 1) ** (size - 1) <= MOST_PAIRS else []
    if not moves or math.comb(n + size - 1, size - 1) * len(moves) * size > MOST_PAIRS:
        raise BudgetError(
            f"prompts of length {n} over {size} symbols with {differences} differences need more than "
            f"{MOST_PAIRS} pairs of counts; expected fewer; choose a smaller length or fewer differences"
        )
    best: dict[int, Found] = {}  # by how many places differ, exactly
    for last in range(size):
        answers = {counts: predictor.at(last, counts) for counts in _counts(size, n) if counts[last]}
        for counts, answer in answers.items():
            for distance, move in moves:
                other = tuple(count + step for count, step in zip(counts, move, strict=True))
                if other in answers:
                    gap = enclose_gap(answer, answers[other])
                    old = best.get(distance)
                    if old is None or gap.low > old[0].low or gap.high > old[0].high:
                        best[distance] = _larger(old, (gap, (counts, other, last)))
    rows: list[Modulus] = []
    total, decode = None, predictor.alphabet.decode
    for k in sorted(best):
        total = _larger(total, best[k])
        one, beside = _write(*total[1])
        rows.append(Modulus(n, k, total[0], (decode(one), decode(beside))))
    return rows


def _larger(old: Found | None, new: Found) -> Found:
    """The maximum lies between the largest lower end, whose pair is kept, and the largest upper end."""
    if old is None:
        return new
    gap = Interval(max(old[0].low, new[0].low), max(old[0].high, new[0].high))
    return gap, old[1] if old[0].low >= new[0].low else new[1]


def _counts(size: int, n: int) -> Iterator[tuple[int, ...]]:
    """All counts of words of length n, one symbol after the other."""
    if size == 1:
        yield (n,)
        return
    for first in range(n, -1, -1):
        for rest in _counts(size - 1, n - first):
            yield (first, *rest)


def _moves(size: int, differences: int) -> list[tuple[int, tuple[int, ...]]]:
    """Differences of two counts, one of each pair of opposite ones, with how many places they take."""
    found = []
    for head in itertools.product(range(-differences, differences + 1), repeat=size - 1):
        move = (*head, -sum(head))
        distance = sum(map(abs, move)) // 2
        if 0 < distance <= differences and next(step for step in move if step) < 0:
            found.append((distance, move))
    return found


def _write(counts: tuple[int, ...], other: tuple[int, ...], last: int) -> tuple[Word, Word]:
    """Two prompts of these counts with one last symbol that differ at as few places as they can."""
    shared = [min(pair) for pair in zip(counts, other, strict=True)]
    shared[last] -= 1

    def word(own: tuple[int, ...], beside: tuple[int, ...]) -> Word:
        begin = (max(0, a - b) for a, b in zip(own, beside, strict=True))
        parts = (enumerate(begin), enumerate(shared))
        return (*(code for part in parts for code, count in part for _ in range(count)), last)

    return word(counts, other), word(other, counts)


def _fraction(value: Number, name: str) -> Fraction:
    """A fraction as in 1/2 or 0.5, exactly; ArgumentError."""
    if isinstance(value, Fraction):
        return value
    text = str(value)
    try:
        return read_fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"{name} = {quote(text)}; expected a fraction such as 1/2; correct it") from None
