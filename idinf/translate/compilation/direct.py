"""Theorem 9 of [HYB25] word for word: one dimension for each operation, conditionals by ReLU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.meaning import Algebra, find_common_period, list_needed_definitions
from idinf.errors import BudgetError, ProgramError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.translate.compilation.direct_layers import stack_layers
from idinf.translate.compilation.local_counts import build_local_head
from idinf.translate.compilation.stream import Stream

#: Largest Δ: a file has a row for each residue.
MAX_POSITIONS = 1 << 14

#: Booleans that a conditional puts its condition to one by one; more become one ReLU unit.
MAX_GATED = 2


def compile_directly(program: s.ProgramTree, alphabet: Alphabet, precision: int = 0) -> LimitTransformer:
    """Compile a program by the construction of the theorem, however many conditionals it has.

    The alphabet has every symbol it names; the empty word is accepted alike. Integer parameters for precision
    p = 0; with p > 0 what Heaviside units read is divided by 2^p, which can lower R. No φ without local
    counts, no positions without periodic predicates. The result need not lie in the searched family.

    Raises `ProgramError` if the program breaks a rule of `check`, or its moduli have a common multiple above
    `MAX_POSITIONS`. `BudgetError` if it needs too many dimensions or entries.

    Implements Theorem 9 of [HYB25]. A head for each distance of a layer of counting, and uniform attention
    for all other counts of it. A layer without heads is added where a Boolean joins several made in one
    layer, where a conditional is compared or asks for one made in the layer of its counts, and where the
    truth value of a Boolean is added to counts.

    >>> from idinf.crasp.parser import parse
    >>> text = 'accept = max(# "a", # "b") > 2'
    >>> net = compile_directly(parse(text), Alphabet(("a", "b")))
    >>> net.depth, [kind.value for kind in net.layers[0].mlp.activation]
    (2, ['relu'])
    """
    check(program, alphabet)
    period = find_common_period(program, MAX_POSITIONS, ProgramError, "the positions repeat no sooner")
    reading = _Direct(alphabet, period)
    try:
        decision = reading.decision(list_needed_definitions(program))
    except RecursionError:
        raise BudgetError(
            "the program is nested too deep to be compiled; expected fewer brackets in each other; "
            "name its parts as operations"
        ) from None
    return stack_layers(alphabet, reading.stream, decision, precision)


@dataclass(frozen=True, slots=True)
class _Tally:
    """A count: a sum of C/(i + 1), of Booleans as 0 or 1, and of numbers."""

    rate: Affine = ZERO  # of dimensions that hold counts over i + 1, and a number, not yet over i + 1
    indicators: tuple[tuple[Affine, int], ...] = ()  # Booleans and what each adds where it holds


def _added(left: _Tally, right: _Tally, factor: int = 1) -> _Tally:
    """C + factor · C'."""
    indicators = dict(left.indicators)
    for held, weight in right.indicators:
        indicators[held] = indicators.get(held, 0) + factor * weight
    kept = tuple((held, weight) for held, weight in indicators.items() if weight)
    return _Tally(combine([(left.rate, 1), (right.rate, factor)]), kept)


class _Direct(Algebra[Affine, _Tally]):
    """Booleans are combinations of dimensions of a stream, counts tallies."""

    def __init__(self, alphabet: Alphabet, period: int) -> None:
        super().__init__(alphabet)
        self.period = period
        self.stream = Stream(1 + len(alphabet))
        self._rates: dict[_Tally, Affine] = {}

    def symbol(self, code: int) -> Affine:
        return read_feature(1 + code)

    def truth(self, value: bool) -> Affine:
        return ONE if value else ZERO

    def residue(self, modulus: int, residue: int) -> Affine:
        return self.stream.of_residue(tuple(r % modulus == residue for r in range(self.period)))

    def negated(self, operand: Affine) -> Affine:
        return ONE - operand

    def conjunction(self, parts: Sequence[Affine]) -> Affine:
        return self.stream.conjunction(parts)

    def disjunction(self, parts: Sequence[Affine]) -> Affine:
        return self.stream.disjunction(parts)

    def one_of(self, left: Affine, right: Affine) -> Affine:
        return left + right

    def number(self, value: int) -> _Tally:
        return _Tally(Affine((), value))

    def value_of(self, total: _Tally) -> int | None:
        return None if total.rate.terms or total.indicators else total.rate.constant

    def added(self, left: _Tally, right: _Tally, factor: int) -> _Tally:
        return _added(left, right, factor)

    def windowed(self, low: int, high: int, operand: Affine) -> _Tally:
        recalled = (self._recalled(distance, operand) for distance in range(low, high + 1))
        return reduce(_added, map(self._indicator, recalled), _Tally())

    def _recalled(self, distance: int, held: Affine) -> Affine:
        """Whether a Boolean held so far back, at a position of the word: a local head and its threshold."""
        values = self.stream.without_sos(held)
        if distance == 0 or values == ZERO:
            return values
        head = build_local_head(distance)
        average = self.stream.averaged(values + read_feature(0).times(head.at_sos), distance)
        return self.stream.heaviside(average.times(2) - ONE)

    def _indicator(self, held: Affine, weight: int = 1) -> _Tally:
        """A number where a Boolean holds, 0 elsewhere."""
        if held in (ZERO, ONE):
            return _Tally(Affine((), weight * held.constant))
        return _Tally(ZERO, ((held, weight),)) if weight else _Tally()

    def counted(self, operand: Affine) -> _Tally:
        """#P, by uniform attention to P less its value at SOS."""
        return _Tally(self.stream.averaged(self.stream.without_sos(operand)))

    def _rate(self, tally: _Tally) -> Affine:
        """C/(i + 1). A Boolean over i + 1 is ReLU(1/(i + 1) − 1 + P), since 1/(i + 1) is at most 1."""
        if tally not in self._rates:
            inverse = self.stream.inverse
            parts = [(tally.rate.plus(-tally.rate.constant), 1), (inverse, tally.rate.constant)]
            for held, weight in tally.indicators:
                parts.append((self.stream.relu(inverse + held - ONE, 1), weight))
            self._rates[tally] = combine(parts)
        return self._rates[tally]

    def positive(self, total: _Tally) -> Affine:
        """Whether C > 0."""
        if not total.rate.terms:
            return self._positive_number(total)
        number = total.rate.constant
        rest = self._rate(_Tally(total.rate.plus(-number), total.indicators))
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

    def _positive_number(self, tally: _Tally) -> Affine:
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
        return self.stream.heaviside(combine(tally.indicators).plus(number))

    def chosen(self, condition: Affine, then: _Tally, otherwise: _Tally) -> _Tally:
        """C if P else C', which is C' + (P ? E : 0) with E = C − C'.

        With static bounds low ≤ E/(i + 1) ≤ high, P ? E : 0 is
        ReLU(E/(i + 1) − high · (1 − P)) − ReLU(−E/(i + 1) + low · (1 − P)).
        """
        if condition in (ZERO, ONE):
            return then if condition == ONE else otherwise
        excess = _added(then, otherwise, -1)
        if not excess.rate.terms and len(excess.indicators) <= MAX_GATED:
            total = _added(otherwise, self._indicator(condition, excess.rate.constant))
            for held, weight in excess.indicators:
                total = _added(total, self._indicator(self.stream.conjunction([condition, held]), weight))
            return total
        rate = self._rate(excess)
        low, high = self.stream.range_of(rate)
        shut = condition - ONE
        more = self.stream.relu(rate + shut.times(high), high)
        less = self.stream.relu(rate.times(-1) - shut.times(low), -low)
        return _added(otherwise, _Tally(more - less))

    def largest(self, left: _Tally, right: _Tally) -> _Tally:
        """max(C, C') = C' + ReLU(C − C')."""
        excess = _added(left, right, -1)
        if not excess.rate.terms and len(excess.indicators) <= MAX_GATED:
            return self.chosen(self.positive(excess), left, right)
        rate = self._rate(excess)
        low, high = self.stream.range_of(rate)
        return left if low >= 0 else _added(right, _Tally(self.stream.relu(rate, high)))
