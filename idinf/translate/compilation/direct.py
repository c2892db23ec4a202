"""Theorem 9 of [HYB25] word for word: one dimension for each operation, conditionals by ReLU.

A dimension is written once, by the embedding, the positional encoding, a head or a unit. A Boolean is a
combination of dimensions with the values 0 and 1; a count C is held as C/(i + 1).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.building import add_up
from idinf.crasp.checker import check
from idinf.crasp.meaning import Algebra, find_common_period
from idinf.crasp.syntax import find_reached, list_needed_definitions
from idinf.errors import BudgetError, ProgramError
from idinf.nets.dense import Activation, Head, Layer, Mlp, Vector, matrix, sparse_row
from idinf.nets.limit_transformer import LimitTransformer, find_least_period
from idinf.translate.compilation.local_counts import build_local_head
from idinf.translate.compilation.units import check_size

#: Widest stream: matrices have its square as entries.
MAX_DIMENSIONS = 2000


class Writer(enum.Enum):
    """The part of a net that writes a dimension."""

    TOKEN = enum.auto()  # the embedding: 1 at one token
    RESIDUE = enum.auto()  # the positional encoding: a Boolean of i mod Δ
    AVERAGE = enum.auto()  # a head: the average of values over 0..i
    HEAVISIDE = enum.auto()  # a unit: whether a combination is above 0
    RELU = enum.auto()  # a unit: the combination where it is above 0, else 0


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension: its writer, and what is known of it before any word is read."""

    writer: Writer
    form: Affine = ZERO  # what is averaged, of tokens, residues and Heaviside units, or what a unit reads
    distance: int = 0  # of an average: that of its local head; 0 for uniform attention
    held: tuple[bool, ...] = (False,)  # of a residue; false for residue 0, so that SOS needs no positions
    layer: int = field(default=0, compare=False)  # the one that writes it; 0 for what is there at first
    at_sos: int = field(default=0, compare=False)
    low: int = field(default=0, compare=False)
    high: int = field(default=1, compare=False)

    @property
    def of_unit(self) -> bool:
        """True if a unit writes the dimension."""
        return self.writer in (Writer.HEAVISIDE, Writer.RELU)


@dataclass
class Stream:
    """All dimensions so far, each made once; the first ones are the 1 + |Σ| tokens, 0 being SOS.

    #1/(i + 1) is written by a head of layer 1 and may be compared there:

    >>> stream = Stream(3)
    >>> ones = stream.averaged(read_feature(2))
    >>> more = stream.heaviside(ones.times(2) - stream.inverse)
    >>> stream.written(more), stream.at_sos(more), stream.range_of(ones.times(-2))
    (1, 0, (-2, 0))
    """

    num_tokens: int
    dimensions: list[Dimension] = field(default_factory=list)
    _numbers: dict[Dimension, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tokens = range(self.num_tokens)
        self.dimensions += [Dimension(Writer.TOKEN, at_sos=int(token == 0)) for token in tokens]

    # Dimensions

    def of_token(self, values: Iterable[int]) -> Affine:
        """A number for every token."""
        return Affine(tuple((token, value) for token, value in enumerate(values) if value))

    def of_residue(self, held: tuple[bool, ...]) -> Affine:
        """A Boolean of the residue."""
        if all(held) or not any(held):
            return ONE if held[0] else ZERO
        if held[0]:
            return ONE - self.of_residue(tuple(not value for value in held))
        return self._write(Dimension(Writer.RESIDUE, held=held))

    @property
    def inverse(self) -> Affine:
        """1/(i + 1): the average of [$]."""
        return self.averaged(read_feature(0))

    def averaged(self, values: Affine, distance: int = 0) -> Affine:
        """The average of values over the positions so far, in the first layer that can know it."""
        # The constant as a multiple of Σ tokens, which is 1 everywhere.
        values = values.plus(-values.constant) + self.of_token([values.constant] * self.num_tokens)
        if values == ZERO:
            return ZERO
        layer, (low, high) = 1 + self.written(values), self.range_of(values)
        at_sos = self.at_sos(values)
        return self._write(
            Dimension(Writer.AVERAGE, values, distance, layer=layer, at_sos=at_sos, low=low, high=high)
        )

    def heaviside(self, form: Affine) -> Affine:
        """A Boolean that is 1 where a combination is above 0."""
        low, high = self.range_of(form)
        if low > 0 or high <= 0:
            return ONE if low > 0 else ZERO
        layer, at_sos = self.readable(form), int(self.at_sos(form) > 0)
        return self._write(Dimension(Writer.HEAVISIDE, form, layer=layer, at_sos=at_sos))

    def relu(self, form: Affine, high: int) -> Affine:
        """The combination where it is above 0, else 0; `high` bounds it from above."""
        if high <= 0:
            return ZERO
        layer, at_sos = self.readable(form), max(0, self.at_sos(form))
        return self._write(Dimension(Writer.RELU, form, layer=layer, at_sos=at_sos, high=high))

    def _write(self, dimension: Dimension) -> Affine:
        if dimension not in self._numbers:
            if len(self.dimensions) >= MAX_DIMENSIONS:
                raise BudgetError(
                    f"the program needs more than {MAX_DIMENSIONS} dimensions; expected fewer distinct "
                    "operations; split the program"
                )
            self._numbers[dimension] = len(self.dimensions)
            self.dimensions.append(dimension)
        return read_feature(self._numbers[dimension])

    # What is known of a combination

    def written(self, form: Affine) -> int:
        """The last layer that writes a dimension of it: heads above read it, and units above."""
        return max((self.dimensions[d].layer for d, _ in form.terms), default=0)

    def readable(self, form: Affine) -> int:
        """The first layer whose units can read it; what a head writes is read in the same layer."""
        read = [self.dimensions[d] for d, _ in form.terms]
        return max([1, *(dimension.layer + dimension.of_unit for dimension in read)])

    def at_sos(self, form: Affine) -> int:
        """The value at SOS, which no word changes."""
        return form.constant + sum(c * self.dimensions[d].at_sos for d, c in form.terms)

    def range_of(self, form: Affine) -> tuple[int, int]:
        """Bounds on the value at every position of every word."""
        tokens = [0] * self.num_tokens
        low = high = form.constant
        for number, c in form.terms:
            if number < self.num_tokens:
                tokens[number] = c
                continue
            ends = (c * self.dimensions[number].low, c * self.dimensions[number].high)
            low, high = low + min(ends), high + max(ends)
        return low + min(tokens), high + max(tokens)

    def is_whole(self, form: Affine) -> bool:
        """True if a form reads Booleans alone, so that it is an integer everywhere."""
        return not any(self.dimensions[d].writer in (Writer.AVERAGE, Writer.RELU) for d, _ in form.terms)

    def without_sos(self, form: Affine) -> Affine:
        """The same values at positions j ≥ 1, and 0 at SOS."""
        return form - read_feature(0).times(self.at_sos(form))

    # Booleans

    def conjunction(self, parts: Iterable[Affine]) -> Affine:
        """All of some Booleans.

        Where one alone is the last to be known and is made of units, these are gated by the others: no
        layer is added. Else one unit counts the parts, in the first layer that can read all.
        """
        rest = self._joined(list(dict.fromkeys(parts)))
        if ZERO in rest or any(ONE - part in rest for part in rest):
            return ZERO
        if len(rest) <= 1:
            return rest[0] if rest else ONE
        last = max(map(self.written, rest))
        late = [part for part in rest if self.written(part) == last]
        if last and len(late) == 1 and all(self.dimensions[d].layer == last for d, _ in late[0].terms):
            early = [part for part in rest if part is not late[0]]
            gated = [(self._gated(d, early), c) for d, c in late[0].terms]
            return combine([(self.conjunction(early), late[0].constant), *gated])
        return self.heaviside(combine((part, 1) for part in rest).plus(1 - len(rest)))

    def disjunction(self, parts: Iterable[Affine]) -> Affine:
        """Any of some Booleans."""
        return ONE - self.conjunction([ONE - part for part in parts])

    def _joined(self, parts: list[Affine]) -> list[Affine]:
        """The parts, where all of the token alone are one and all of the residue alone another; no ONE."""
        tokens, residues, others = [True] * self.num_tokens, list[tuple[bool, ...]](), list[Affine]()
        for part in parts:
            held = self._of_residue_alone(part)
            if all(number < self.num_tokens for number, _ in part.terms):
                here = dict(part.terms)
                tokens = [old and part.constant + here.get(t, 0) != 0 for t, old in enumerate(tokens)]
            elif held is not None:
                residues.append(held)
            else:
                others.append(part)
        if residues:
            others.insert(0, self.of_residue(tuple(map(all, zip(*residues, strict=True)))))
        if not all(tokens):
            others.insert(0, self.of_token(map(int, tokens)))
        return [part for part in others if part != ONE]

    def _of_residue_alone(self, form: Affine) -> tuple[bool, ...] | None:
        """Its value at every residue, None if it is no single dimension of this kind or 1 less it."""
        if len(form.terms) != 1:
            return None
        ((number, c),) = form.terms
        dimension = self.dimensions[number]
        is_residue = dimension.writer is Writer.RESIDUE
        return tuple(held == (c == 1) for held in dimension.held) if is_residue else None

    def _gated(self, number: int, gates: list[Affine]) -> Affine:
        """A Heaviside unit that also asks for Booleans known before its layer."""
        dimension = self.dimensions[number]
        if dimension.writer is not Writer.HEAVISIDE:
            raise TypeError(f"dimension {number} is no Boolean of a unit")
        _, high = self.range_of(dimension.form)
        return self.heaviside(combine([(dimension.form, 1), *((gate - ONE, high) for gate in gates)]))


def stack_layers(alphabet: Alphabet, stream: Stream, decision: Affine, precision: int) -> LimitTransformer:
    """The Limit Transformer that accepts where a Boolean holds; what that does not need is left out.

    What Heaviside units read is divided by 2^precision, which changes no sign. Raises `BudgetError` if it has
    more than `MAX_ENTRIES` numbers.
    """
    read = _read_by_output(stream, decision)
    first = [*range(stream.num_tokens), *(d for d, _ in read.terms)]
    kept = sorted(find_reached(first, lambda number: [d for d, _ in stream.dimensions[number].form.terms]))
    matrices = _Matrices(stream, kept, precision)
    dimensions, width = [stream.dimensions[number] for number in kept], len(kept)
    period = max(len(dimension.held) for dimension in dimensions)
    residues = matrix([int(d.held[i % len(d.held)]) for d in dimensions] for i in range(period))
    positions = residues[: find_least_period(residues)]
    heads = {(d.layer, d.distance) for d in dimensions if d.writer is Writer.AVERAGE}
    units = sum(dimension.of_unit for dimension in dimensions)
    check_size(len(heads), width, units, len(positions), "use shorter windows")
    return LimitTransformer(
        alphabet,
        precision,
        tuple(sparse_row(width, {token: 1}) for token in range(stream.num_tokens)),
        positions,
        tuple(matrices.layer(number) for number in range(1, max(1, stream.written(read)) + 1)),
        (matrices.row(read),),
        threshold=-read.constant,
    )


def _read_by_output(stream: Stream, decision: Affine) -> Affine:
    """A combination that is above 0 iff a Boolean holds: a last unit that adds up Booleans is left to U."""
    if len(decision.terms) == 1:
        ((number, c),) = decision.terms
        last = stream.dimensions[number]
        if last.of_unit and stream.is_whole(last.form):
            return last.form if c > 0 else ONE - last.form
    return decision


class _Matrices:
    """Some dimensions of a stream, at their places in the result."""

    def __init__(self, stream: Stream, kept: list[int], precision: int) -> None:
        self.dimensions = [stream.dimensions[number] for number in kept]
        self.places = {number: place for place, number in enumerate(kept)}
        self.precision = precision

    def row(self, form: Affine, scale: int = 1) -> Vector:
        """The coefficients over a scale."""
        return sparse_row(len(self.places), {self.places[d]: Fraction(c, scale) for d, c in form.terms})

    def layer(self, number: int) -> Layer:
        """The output of one layer: heads by distance, units in the order in which they were made."""
        written = {place: d for place, d in enumerate(self.dimensions) if d.layer == number}
        distances = sorted({d.distance for d in written.values() if d.writer is Writer.AVERAGE})
        units = {place: dimension for place, dimension in written.items() if dimension.of_unit}
        A, b = [], []
        for unit in units.values():
            scale = 1 if unit.writer is Writer.RELU else 1 << self.precision
            A.append(self.row(unit.form, scale))
            b.append(Fraction(unit.form.constant, scale))
        B = matrix([int(place == unit) for unit in units] for place in range(len(self.places)))
        activation = tuple(Activation[unit.writer.name] for unit in units.values())
        return Layer(tuple(self._head(k, written) for k in distances), Mlp(tuple(A), tuple(b), B, activation))

    def _head(self, distance: int, written: dict[int, Dimension]) -> Head:
        zero = self.row(ZERO)
        V = [zero] * len(self.places)
        for place, dimension in written.items():
            if dimension.writer is Writer.AVERAGE and dimension.distance == distance:
                V[place] = self.row(dimension.form)
        phi = build_local_head(distance).phi if distance else ()
        return Head((zero,), (zero,), tuple(V), tuple(map(Fraction, phi)))


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

    def plus(self, other: _Tally, factor: int = 1) -> _Tally:
        """C + factor · C'."""
        more = ((held, factor * weight) for held, weight in other.indicators)
        indicators = add_up([*self.indicators, *more])
        return _Tally(combine([(self.rate, 1), (other.rate, factor)]), tuple(indicators.items()))


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
        return left.plus(right, factor)

    def windowed(self, low: int, high: int, operand: Affine) -> _Tally:
        recalled = (self._recalled(distance, operand) for distance in range(low, high + 1))
        return reduce(_Tally.plus, map(self._indicator, recalled), _Tally())

    def _recalled(self, distance: int, held: Affine) -> Affine:
        """The Boolean so far back, if that is a position of the word: a local head and its threshold."""
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
        """A Boolean that is 1 where C > 0."""
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
        """A Boolean for Σ c · C + n > 0: with g = gcd(c) this is Σ (c/g) · C + ⌈n/g⌉ > 0."""
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
        excess = then.plus(otherwise, -1)
        if not excess.rate.terms and len(excess.indicators) <= MAX_GATED:
            total = otherwise.plus(self._indicator(condition, excess.rate.constant))
            for held, weight in excess.indicators:
                total = total.plus(self._indicator(self.stream.conjunction([condition, held]), weight))
            return total
        rate = self._rate(excess)
        low, high = self.stream.range_of(rate)
        shut = condition - ONE
        more = self.stream.relu(rate + shut.times(high), high)
        less = self.stream.relu(rate.times(-1) - shut.times(low), -low)
        return otherwise.plus(_Tally(more - less))

    def largest(self, left: _Tally, right: _Tally) -> _Tally:
        """max(C, C') = C' + ReLU(C − C')."""
        excess = left.plus(right, -1)
        if not excess.rate.terms and len(excess.indicators) <= MAX_GATED:
            return self.chosen(self.positive(excess), left, right)
        rate = self._rate(excess)
        low, high = self.stream.range_of(rate)
        return left if low >= 0 else right.plus(_Tally(self.stream.relu(rate, high)))
