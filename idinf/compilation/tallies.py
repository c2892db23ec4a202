"""Counts of the direct construction: sums of C/(i + 1), of Booleans as 0 or 1, and of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd

from idinf.affine import ONE, ZERO, Affine, combination
from idinf.compilation.stream import Stream

#: Booleans that a conditional puts its condition to one by one; more become one ReLU unit.
MAX_GATED = 2


@dataclass(frozen=True, slots=True)
class Tally:
    """A count."""

    rate: Affine = ZERO  # of dimensions that hold counts over i + 1, and a number, not yet over i + 1
    indicators: tuple[tuple[Affine, int], ...] = ()  # Booleans and what each adds where it holds


def added(left: Tally, right: Tally, factor: int = 1) -> Tally:
    """C + factor · C'.

    Examples
    --------
    >>> added(Tally(Affine((), 1)), Tally(Affine((), 2)), -3)
    Tally(rate=Affine(terms=(), constant=-5), indicators=())
    """
    indicators = dict(left.indicators)
    for held, weight in right.indicators:
        indicators[held] = indicators.get(held, 0) + factor * weight
    kept = tuple((held, weight) for held, weight in indicators.items() if weight)
    return Tally(combination([(left.rate, 1), (right.rate, factor)]), kept)


@dataclass
class Tallies:
    """Counts over a stream."""

    stream: Stream
    _rates: dict[Tally, Affine] = field(default_factory=dict)

    def indicator(self, held: Affine, weight: int = 1) -> Tally:
        """A number where a Boolean holds, 0 elsewhere."""
        if held in (ZERO, ONE):
            return Tally(Affine((), weight * held.constant))
        return Tally(ZERO, ((held, weight),)) if weight else Tally()

    def counted(self, held: Affine) -> Tally:
        """#P, by uniform attention to P less its value at SOS."""
        return Tally(self.stream.averaged(self.stream.without_sos(held)))

    def rate(self, tally: Tally) -> Affine:
        """C/(i + 1). A Boolean over i + 1 is ReLU(1/(i + 1) − 1 + P), since 1/(i + 1) is at most 1."""
        if tally not in self._rates:
            inverse = self.stream.inverse
            parts = [(tally.rate.plus(-tally.rate.constant), 1), (inverse, tally.rate.constant)]
            for held, weight in tally.indicators:
                parts.append((self.stream.relu(inverse + held - ONE, 1), weight))
            self._rates[tally] = combination(parts)
        return self._rates[tally]

    def positive(self, tally: Tally) -> Affine:
        """Whether C > 0."""
        if not tally.rate.terms:
            return self._positive_number(tally)
        number = tally.rate.constant
        rest = self.rate(Tally(tally.rate.plus(-number), tally.indicators))
        low, high = self.stream.range_of(rest)
        if low >= 0 and number > 0:
            return ONE
        if high <= 0 and number <= 0:
            return ZERO
        if rest.terms[0][1] < 0:  # one of C > 0 and 1 − C > 0 is a unit, the other 1 less it
            return ONE - self._exceeds(rest.times(-1), 1 - number)
        return self._exceeds(rest, number)

    def _exceeds(self, rest: Affine, number: int) -> Affine:
        """Whether Σ c · C + n > 0: with g = gcd(c) this is Σ (c/g) · C + ⌈n/g⌉ > 0."""
        divisor = gcd(*(c for _, c in rest.terms))
        form = Affine(tuple((d, c // divisor) for d, c in rest.terms))
        number = -(-number // divisor)
        return self.stream.heaviside(form + self.stream.inverse.times(number) if number else form)

    def _positive_number(self, tally: Tally) -> Affine:
        """The same where only Booleans and a number are added up: nothing is divided."""
        number = tally.rate.constant
        if len(tally.indicators) == 1:
            ((held, weight),) = tally.indicators
            if (number > 0) == (number + weight > 0):
                return ONE if number > 0 else ZERO
            return held if weight > 0 else ONE - held
        low = number + sum(weight for _, weight in tally.indicators if weight < 0)
        high = number + sum(weight for _, weight in tally.indicators if weight > 0)
        if low > 0 or high <= 0:
            return ONE if low > 0 else ZERO
        return self.stream.heaviside(combination(tally.indicators).plus(number))

    def chosen(self, condition: Affine, then: Tally, otherwise: Tally) -> Tally:
        """C if P else C', which is C' + (P ? E : 0) with E = C − C'.

        With static bounds low ≤ E/(i + 1) ≤ high, P ? E : 0 is
        ReLU(E/(i + 1) − high · (1 − P)) − ReLU(−E/(i + 1) + low · (1 − P)).
        """
        if condition in (ZERO, ONE):
            return then if condition == ONE else otherwise
        excess = added(then, otherwise, -1)
        if not excess.rate.terms and len(excess.indicators) <= MAX_GATED:
            total = added(otherwise, self.indicator(condition, excess.rate.constant))
            for held, weight in excess.indicators:
                total = added(total, self.indicator(self.stream.conjunction([condition, held]), weight))
            return total
        rate = self.rate(excess)
        low, high = self.stream.range_of(rate)
        shut = condition - ONE
        more = self.stream.relu(rate + shut.times(high), high)
        less = self.stream.relu(rate.times(-1) - shut.times(low), -low)
        return added(otherwise, Tally(more - less))

    def largest(self, left: Tally, right: Tally) -> Tally:
        """max(C, C') = C' + ReLU(C − C')."""
        excess = added(left, right, -1)
        if not excess.rate.terms and len(excess.indicators) <= MAX_GATED:
            return self.chosen(self.positive(excess), left, right)
        rate = self.rate(excess)
        low, high = self.stream.range_of(rate)
        return left if low >= 0 else added(right, Tally(self.stream.relu(rate, high)))
