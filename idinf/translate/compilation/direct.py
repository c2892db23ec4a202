"""Theorem 9 of [HYB25] word for word: one dimension for each operation, conditionals by ReLU.

A dimension is written once, by the embedding, the positional encoding, a head or a unit. A Boolean is a
combination of dimensions with the values 0 and 1; a count C is held as C/(i + 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd

from idinf.base.affine import ONE, ZERO, Affine, combine, read_feature
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.meaning import Algebra, find_common_period
from idinf.crasp.syntax import list_needed_definitions
from idinf.errors import BudgetError, ProgramError
from idinf.nets.dense import Activation, Head, Layer, Matrix, Mlp, Vector, matrix
from idinf.nets.limit_transformer import LimitTransformer, find_least_period
from idinf.translate.compilation.diagrams import find_reached
from idinf.translate.compilation.local_counts import build_local_head
from idinf.translate.compilation.units import check_size

#: Widest stream: matrices have its square as entries.
MAX_DIMENSIONS = 2000


@dataclass(frozen=True, slots=True)
class ResidueTruth:
    """A Boolean of i mod Δ; false for residue 0, so that SOS needs no positions."""

    held: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class HeadAverage:
    """The output of a head: the average of values over 0..i, for a distance with the local head for it."""

    values: Affine  # over dimensions on the grid: tokens, residues, Heaviside units
    distance: int = 0  # 0 for uniform attention


@dataclass(frozen=True, slots=True)
class UnitOutput:
    """The output of a unit: ReLU or Heaviside of a combination."""

    form: Affine
    relu: bool = False


Source = ResidueTruth | HeadAverage | UnitOutput


@dataclass(frozen=True, slots=True)
class Dimension:
    """Facts about a dimension before any word is read."""

    source: Source | None  # None: 1 at one token
    layer: int  # the one that writes it; 0 for what is there at first
    at_sos: int
    low: int
    high: int

    @property
    def reads(self) -> Affine:
        """The combination that writes it."""
        match self.source:
            case HeadAverage(form) | UnitOutput(form):
                return form
        return ZERO


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
    _numbers: dict[Source, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.dimensions += [Dimension(None, 0, int(token == 0), 0, 1) for token in range(self.num_tokens)]

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
        return self._write(ResidueTruth(held), 0, 0)

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
        layer = 1 + self.written(values)
        return self._write(HeadAverage(values, distance), layer, self.at_sos(values), self.range_of(values))

    def heaviside(self, form: Affine) -> Affine:
        """Whether a combination is above 0."""
        low, high = self.range_of(form)
        if low > 0 or high <= 0:
            return ONE if low > 0 else ZERO
        return self._write(UnitOutput(form), self.readable(form), int(self.at_sos(form) > 0))

    def relu(self, form: Affine, high: int) -> Affine:
        """The combination where it is above 0, else 0; `high` bounds it from above."""
        if high <= 0:
            return ZERO
        at_sos = max(0, self.at_sos(form))
        return self._write(UnitOutput(form, True), self.readable(form), at_sos, (0, high))

    def _write(self, source: Source, layer: int, at_sos: int, bounds: tuple[int, int] = (0, 1)) -> Affine:
        if source not in self._numbers:
            if len(self.dimensions) >= MAX_DIMENSIONS:
                raise BudgetError(
                    f"the program needs more than {MAX_DIMENSIONS} dimensions; expected fewer distinct "
                    "operations; split the program"
                )
            self._numbers[source] = len(self.dimensions)
            self.dimensions.append(Dimension(source, layer, at_sos, *bounds))
        return read_feature(self._numbers[source])

    # What is known of a combination

    def written(self, form: Affine) -> int:
        """The last layer that writes a dimension of it: heads above read it, and units above."""
        return max((self.dimensions[d].layer for d, _ in form.terms), default=0)

    def readable(self, form: Affine) -> int:
        """The first layer whose units can read it; what a head writes is read in the same layer."""
        read = [self.dimensions[d] for d, _ in form.terms]
        return max([1, *(dimension.layer + isinstance(dimension.source, UnitOutput) for dimension in read)])

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
        """Whether it reads Booleans alone, so that it is an integer everywhere."""
        sources = [self.dimensions[d].source for d, _ in form.terms]
        return not any(isinstance(s, HeadAverage) or (isinstance(s, UnitOutput) and s.relu) for s in sources)

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
        source = self.dimensions[number].source
        return tuple(held == (c == 1) for held in source.held) if isinstance(source, ResidueTruth) else None

    def _gated(self, number: int, gates: list[Affine]) -> Affine:
        """A Heaviside unit that also asks for Booleans known before its layer."""
        source = self.dimensions[number].source
        if not isinstance(source, UnitOutput) or source.relu:
            raise TypeError(f"dimension {number} is no Boolean of a unit")
        _, high = self.range_of(source.form)
        return self.heaviside(combine([(source.form, 1), *((gate - ONE, high) for gate in gates)]))


def stack_layers(alphabet: Alphabet, stream: Stream, decision: Affine, precision: int) -> LimitTransformer:
    """The Limit Transformer that accepts where a Boolean holds; what that does not need is left out.

    What Heaviside units read is divided by 2^precision, which changes no sign.

    Raises `BudgetError` if it has more than `MAX_ENTRIES` numbers.
    """
    read = _read_by_output(stream, decision)
    first = [*range(stream.num_tokens), *(d for d, _ in read.terms)]
    kept = find_reached(first, lambda number: [d for d, _ in stream.dimensions[number].reads.terms])
    matrices = _Matrices(stream, {number: place for place, number in enumerate(kept)}, precision)
    depth = max(1, stream.written(read))
    positions = matrices.positions()
    matrices.check_size(len(positions))
    return LimitTransformer(
        alphabet,
        precision,
        matrix([[int(place == token) for place in range(len(kept))] for token in range(stream.num_tokens)]),
        positions,
        tuple(matrices.layer(number) for number in range(1, depth + 1)),
        (matrices.row(read),),
        threshold=-read.constant,
    )


def _read_by_output(stream: Stream, decision: Affine) -> Affine:
    """A combination that is above 0 iff a Boolean holds: a last unit that adds up Booleans is left to U."""
    if len(decision.terms) == 1:
        ((number, c),) = decision.terms
        source = stream.dimensions[number].source
        if isinstance(source, UnitOutput) and stream.is_whole(source.form):
            return source.form if c > 0 else ONE - source.form
    return decision


@dataclass(frozen=True)
class _Matrices:
    """Dimensions of a stream at their places in the result."""

    stream: Stream
    places: dict[int, int]
    precision: int

    def row(self, form: Affine, scale: int = 1) -> Vector:
        """The coefficients over a scale."""
        entries = [Fraction(0)] * len(self.places)
        for number, c in form.terms:
            entries[self.places[number]] = Fraction(c, scale)
        return tuple(entries)

    def positions(self) -> Matrix:
        """p_i for one least period."""
        sources = [self.stream.dimensions[number].source for number in self.places]
        held = [source.held if isinstance(source, ResidueTruth) else (False,) for source in sources]
        period = max(map(len, held))
        rows = matrix([int(holds[i % len(holds)]) for holds in held] for i in range(period))
        return rows[: find_least_period(rows)]

    def check_size(self, period: int) -> None:
        """Refuse what would not fit a file."""
        sources = [self.stream.dimensions[number] for number in self.places]
        heads = {(d.layer, d.source.distance) for d in sources if isinstance(d.source, HeadAverage)}
        units = sum(isinstance(d.source, UnitOutput) for d in sources)
        check_size(len(heads), len(self.places), units, period, "use shorter windows")

    def layer(self, number: int) -> Layer:
        """The output of one layer: heads by distance, units in the order in which they were made."""
        averages: dict[int, dict[int, HeadAverage]] = {}
        units: dict[int, UnitOutput] = {}
        for dimension, place in self.places.items():
            written = self.stream.dimensions[dimension]
            if written.layer == number and isinstance(written.source, HeadAverage):
                averages.setdefault(written.source.distance, {})[place] = written.source
            if written.layer == number and isinstance(written.source, UnitOutput):
                units[place] = written.source
        return Layer(tuple(self._head(k, averages[k]) for k in sorted(averages)), self._mlp(units))

    def _head(self, distance: int, averages: dict[int, HeadAverage]) -> Head:
        zero = self.row(ZERO)
        V = tuple(self.row(averages[p].values) if p in averages else zero for p in range(len(self.places)))
        phi = build_local_head(distance).phi if distance else ()
        return Head((zero,), (zero,), V, tuple(map(Fraction, phi)))

    def _mlp(self, units: dict[int, UnitOutput]) -> Mlp:
        A, b, activation = [], [], []
        for unit in units.values():
            scale = 1 if unit.relu else 1 << self.precision
            A.append(self.row(unit.form, scale))
            b.append(Fraction(unit.form.constant, scale))
            activation.append(Activation.RELU if unit.relu else Activation.HEAVISIDE)
        B = matrix([int(place == written) for written in units] for place in range(len(self.places)))
        return Mlp(tuple(A), tuple(b), B, tuple(activation))


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
