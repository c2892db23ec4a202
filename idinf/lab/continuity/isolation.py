"""Isolation: around a sequence that is learned lies a ball in which nothing else can be learned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from idinf.base.quoting import quote
from idinf.errors import SpecError
from idinf.lab.continuity.intervals import Interval, largest
from idinf.lab.continuity.learning import encode_prefix, find_limit_confidence
from idinf.lab.continuity.predictors import Predictor, check_confidence, enclose_gap
from idinf.lab.continuity.sequences import LimitDistance, Periodic, Sequence, change, find_limit

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
    inside: bool  #: whether b_k lies within the radius, so that it is proved not to be learned
    gap: Interval | None
    confidence: Interval


@dataclass(frozen=True, slots=True)
class Isolation:
    """The radius of isolation of a sequence that is learned; None if it is not learned at all."""

    confidence: Interval  #: the limit inferior of the confidence on the sequence itself
    radius: Fraction | None
    rows: tuple[ChangedRow, ...]


def isolate(
    predictor: Predictor, sequence: Sequence, changes: tuple[int, ...], assumed: Fraction | None = None
) -> Isolation:
    r"""Compute the radius of a sequence, and set it beside the same changed at every k-th place.

    With ``assumed`` it is taken as given that the sequence is learned with that confidence, and changes are
    not looked at. The radius is a δ such that nothing within d_H < δ of the sequence is learned, too.

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

    >>> from idinf.lab.continuity.predictors import laplace
    >>> from idinf.lab.continuity.sequences import parse_sequence
    >>> from idinf.base.words import Alphabet
    >>> found = isolate(laplace(Alphabet(("0", "1"))), parse_sequence("(0)"), (2, 4))
    >>> [(row.every, row.inside, str(row.gap.high), str(row.confidence.low)) for row in found.rows]
    [(2, False, '1/2', '0'), (4, True, '1/4', '-1/2')]
    """
    if assumed is not None:
        check_confidence(assumed)
        return Isolation(Interval.of(assumed), predictor.growth.find_radius(assumed), ())
    confidence = find_limit_confidence(predictor, sequence)
    if confidence is None or not isinstance(sequence, Periodic):
        raise SpecError(
            f"sequence {quote(str(sequence))} with {predictor.name}: no confidence is proved for all n, as "
            "isolation needs; expected START(PERIOD); assume one by --assume"
        )
    radius = predictor.growth.find_radius(confidence.low) if confidence.low > 0 else None
    return Isolation(
        confidence, radius, tuple(_beside(predictor, sequence, every, radius) for every in changes)
    )


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
