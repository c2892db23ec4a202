"""The units that a compiled program is made of, each written once, and packed into layers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from math import gcd

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.base.words import Alphabet
from idinf.crasp.syntax import find_reached
from idinf.errors import BudgetError
from idinf.nets.attention import AttentionPattern
from idinf.nets.limit_transformer import find_least_period
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.translate.compilation.local_counts import build_local_head, find_telling

#: Of `CompiledUnit.head`: no head at all, and the one that averages over all positions.
NO_HEAD, UNIFORM_HEAD = (-1, 0), (0, 0)

#: Most units that are made, also for a result that needs few of them.
MAX_UNITS = 3000


@dataclass(frozen=True, slots=True)
class CompiledUnit:
    """[ average of `values` over the positions up to here + `own` here > 0 ]."""

    layer: int  # from 1
    head: tuple[int, int]  # or the least distance that a local head looks back, and how many it does
    values: Affine  # over the features of attended positions; its constant is 0
    own: Affine  # over the features of the unit's own position; its constant is the bias b


@dataclass(eq=False)
class CompiledUnits:
    """All units so far, and the numbers of all features.

    Features are the tokens, 0 being SOS, then the residues of the position, then the units in the order in
    which they were made.
    """

    num_tokens: int  # 1 + |Σ|
    period: int  # Δ, the number of residues
    made: list[CompiledUnit] = field(default_factory=list)
    _numbers: dict[CompiledUnit, int] = field(default_factory=dict)
    _tokens: dict[int, frozenset[int]] = field(default_factory=dict)
    _at_sos: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._at_sos.update({0: 1, self.num_tokens: 1})

    @property
    def first(self) -> int:
        """The number of the feature that the first unit is."""
        return self.num_tokens + self.period

    @property
    def all_tokens(self) -> Affine:
        """Σ tokens, SOS included: 1 at every position."""
        return Affine(tuple((token, 1) for token in range(self.num_tokens)))

    def make(self, unit: CompiledUnit, tokens: frozenset[int] | None = None) -> int:
        """The feature of a unit, which may fire at some tokens; None stands for all.

        Raises `BudgetError` beyond `MAX_UNITS`.
        """
        if unit not in self._numbers:
            if len(self.made) >= MAX_UNITS:
                raise BudgetError(
                    f"the program splits into more than {MAX_UNITS} units; expected fewer; shorten it"
                )
            number = self.first + len(self.made)
            self._numbers[unit] = number
            self._tokens[number] = frozenset(range(self.num_tokens)) if tokens is None else tokens
            self.made.append(unit)
            self._at_sos[number] = int(self.at_sos(unit.values) + self.at_sos(unit.own) > 0)
        return self._numbers[unit]

    def unit(self, number: int) -> CompiledUnit:
        """The unit that a feature is."""
        return self.made[number - self.first]

    def layer(self, form: Affine) -> int:
        """The last layer that a form reads, 0 if it reads no unit."""
        return max((self.unit(f).layer for f, _ in form.terms if f >= self.first), default=0)

    def at_sos(self, form: Affine) -> int:
        """The value at SOS, which no word changes: residue 0, and units that see SOS alone."""
        return form.value(self._at_sos)

    def without_sos(self, form: Affine) -> Affine:
        """The form that has the same values at positions j ≥ 1, and value 0 at SOS; without constant."""
        spread = form.plus(-form.constant) + self.all_tokens.times(form.constant)
        return spread - read_feature(0).times(self.at_sos(spread))

    def range_of(self, form: Affine) -> tuple[int, int]:
        """Bounds on the values at positions j ≥ 1."""
        coefficients = dict(form.terms)
        residues = [coefficients.get(self.num_tokens + r, 0) for r in range(self.period)]
        lows, highs = [], []
        for token in range(1, self.num_tokens):
            here = [c for f, c in form.terms if f >= self.first and token in self._tokens[f]]
            base = form.constant + coefficients.get(token, 0)
            lows.append(base + min(residues) + sum(c for c in here if c < 0))
            highs.append(base + max(residues) + sum(c for c in here if c > 0))
        return min(lows), max(highs)

    def tokens_above(self, forms: list[Affine]) -> frozenset[int]:
        """Tokens at which the forms that read nothing but the token add up to more than 0."""
        pure = [form for form in forms if all(f < self.num_tokens for f, _ in form.terms)]
        total = combine((form, 1) for form in pure) if pure else ZERO
        return frozenset(token for token in range(self.num_tokens) if total.value({token: 1}) > 0)


@dataclass(frozen=True, slots=True)
class CountCombination:
    """A combination L of counts, Σ of `values` over the positions 1..i; low · i ≤ L ≤ high · i."""

    values: Affine  # 0 at SOS
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class RecallCount:
    """At how many positions of the word, from `distance` back on, a Boolean holds."""

    values: Affine  # the Boolean, but 0 at SOS
    distance: int  # at least 1
    width: int = 1  # distances that are asked for; one, or as many as `find_telling` admits


@dataclass(frozen=True, slots=True)
class Gate:
    """Forms that are never negative and fix the answer where positive; no position is in both lists."""

    off: tuple[Affine, ...] = ()  # the answer is no where their sum is above 0
    on: tuple[Affine, ...] = ()  # the answer is yes where their sum is above 0

    @property
    def flipped(self) -> Gate:
        """The gate of the opposite answer."""
        return Gate(self.on, self.off)


def build_threshold_unit(
    units: CompiledUnits,
    layer: int,
    counted: CountCombination | RecallCount | None,
    threshold: int,
    gate: Gate,
) -> Affine:
    """The Boolean [counted > threshold] behind a gate, as u or 1 − u for one unit u, whichever is smaller.

    None is counted for a gate alone: the answer is no where it is off, and yes elsewhere. The threshold of a
    `RecallCount` is 0, or one below what `find_telling` finds. The gate is of features of earlier layers.

    A count L is read as L/(i+1) and a threshold t as t · [$]: the unit sees (L − t)/(i + 1), since SOS is
    the one position that is always there. That value lies between two integers, and the weight of a gate
    is the least one that beats them. Theorem 9 of [HYB25] for comparisons; its conditional is a gate here.

    #1 > #0 over the tokens $, 0, 1:

    >>> units = CompiledUnits(3, 1)
    >>> build_threshold_unit(units, 1, CountCombination(Affine(((1, -1), (2, 1))), -1, 1), 0, Gate())
    Affine(terms=((4, 1),), constant=0)
    >>> units.made[0].values
    Affine(terms=((1, -1), (2, 1)), constant=0)
    """
    if counted is None:
        closed = combine((form, 1) for form in gate.off)
        yes = CompiledUnit(layer, NO_HEAD, ZERO, ONE - closed)
        no = CompiledUnit(layer, NO_HEAD, ZERO, closed)
    elif isinstance(counted, RecallCount):
        unit = _recalling(counted, layer, 1 + threshold, gate)
        return read_feature(units.make(_shifted(units, unit), _fires(units, gate)))
    else:
        yes = _comparing(units, layer, counted.values, counted.low, counted.high, -threshold, gate)
        negative = counted.values.times(-1)
        no = _comparing(units, layer, negative, -counted.high, -counted.low, threshold + 1, gate.flipped)
    yes, no = _shifted(units, yes), _shifted(units, no)
    if _size(yes) <= _size(no):
        return read_feature(units.make(yes, _fires(units, gate)))
    return ONE - read_feature(units.make(no, _fires(units, gate.flipped) if counted is not None else None))


def _comparing(
    units: CompiledUnits, layer: int, values: Affine, low: int, high: int, at_sos: int, gate: Gate
) -> CompiledUnit:
    """[Σ values + at_sos > 0] behind a gate: the average lies between the values at single positions."""
    closed = max(high, at_sos, 0)
    # Above `low` strictly where the value at SOS, always among those averaged, is.
    opened = max(-low if at_sos > low else 1 - at_sos, 1)
    own = combine([*((form, -closed) for form in gate.off), *((form, opened) for form in gate.on)])
    return CompiledUnit(layer, UNIFORM_HEAD, values + read_feature(0).times(at_sos), own)


def _recalling(recalled: RecallCount, layer: int, hits: int, gate: Gate) -> CompiledUnit:
    """[average − t > 0] behind a gate, where P holds at one distance, or at so many of several."""
    factor, at_sos = 1, 2 * build_local_head(recalled.distance).at_sos
    if recalled.width > 1:
        found = find_telling(recalled.distance, recalled.width, hits)
        if found is None:
            raise ValueError(f"{recalled}: no unit tells of {hits} hits")
        factor, at_sos = found
    held, threshold = factor * (1 + recalled.width), factor * hits
    closed, opened = max(held, at_sos) - threshold, 1 + threshold - min(0, at_sos)
    own = combine(
        [(ONE, -threshold), *((form, -closed) for form in gate.off), *((form, opened) for form in gate.on)]
    )
    values = recalled.values.times(held) + read_feature(0).times(at_sos)
    return CompiledUnit(layer, (recalled.distance, recalled.width), values, own)


def _fires(units: CompiledUnits, gate: Gate) -> frozenset[int]:
    """Tokens at which a unit behind a gate may fire."""
    return frozenset(range(units.num_tokens)) - units.tokens_above(list(gate.off))


def _shifted(units: CompiledUnits, unit: CompiledUnit) -> CompiledUnit:
    """The same unit with a constant moved between `values`, `own` and the bias where that makes it smaller.

    A constant c · Σ tokens is c at every position, and so is its average; Σ residues is 1 as well.
    """
    values = _balanced(units, unit.values)
    values, moved = min(
        ((values - units.all_tokens.times(c), c) for c in _constants(units, values)),
        key=lambda option: (option[0].norm() + abs(unit.own.constant + option[1]), abs(option[1])),
    )
    own = _balanced(units, unit.own).plus(moved)
    own = min(
        (own.plus(c) - units.all_tokens.times(c) for c in _constants(units, own)),
        key=lambda form: (math.hypot(1, form.norm()) + abs(form.constant), abs(form.constant)),
    )
    return CompiledUnit(unit.layer, unit.head, values, own)


def _constants(units: CompiledUnits, form: Affine) -> list[int]:
    """Constants worth taking out of the tokens' coefficients; none first."""
    coefficients = dict(form.terms)
    return list(dict.fromkeys([0, *(coefficients.get(token, 0) for token in range(units.num_tokens))]))


def _balanced(units: CompiledUnits, form: Affine) -> Affine:
    """The same form with a constant moved between residues and tokens where that makes it smaller."""
    if units.period == 1:
        return form
    residues = Affine(tuple((units.num_tokens + r, 1) for r in range(units.period)))
    coefficients = dict(form.terms)
    choices = dict.fromkeys([0, *(coefficients.get(number, 0) for number, _ in residues.terms)])
    moved = [form + (units.all_tokens - residues).times(c) for c in choices]
    return min(moved, key=Affine.norm)


def _size(unit: CompiledUnit) -> float:
    """The terms that a unit adds to the norms in R, roughly; only ranks two ways to write the same."""
    return unit.values.norm() + math.hypot(1, unit.own.norm()) + abs(unit.own.constant)


#: Most numbers of the matrices of a result, zeros included: a file of about 50 MB.
MAX_ENTRIES = 20_000_000


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Accept iff Σ sign · unit > threshold."""

    units: tuple[int, ...]  # features; units of one layer, each once
    signs: tuple[int, ...]  # +1 or −1
    threshold: int


def assemble(
    alphabet: Alphabet, units: CompiledUnits, reading: Acceptance, precision: int
) -> OneHotTransformer:
    """The hypothesis that a reading of units is; units it does not need are left out.

    Values, s and b are divided by 2^precision, which changes no sign.

    Raises `BudgetError` if the matrices of the hypothesis have more than `MAX_ENTRIES` numbers.
    """

    def read(number: int) -> list[int]:
        unit = units.unit(number)
        return [f for form in (unit.values, unit.own) for f, _ in form.terms if f >= units.first]

    kept = sorted(find_reached(reading.units, read))
    depth = units.unit(reading.units[0]).layer
    layers = [[f for f in kept if units.unit(f).layer == 1 + layer] for layer in range(depth)]
    layers[-1] = list(reading.units)
    forms = [dict(form.terms) for f in kept for form in (units.unit(f).values, units.unit(f).own)]
    # The least Δ that tells residues apart as far as the units do.
    residues = range(units.num_tokens, units.first)
    period = find_least_period([[form.get(residue, 0) for form in forms] for residue in residues])
    packing = _Packing(units, period, tuple(f for layer in layers for f in layer), precision)
    features = units.num_tokens + (period if period > 1 else 0)
    layers_so_far = []
    for layer in layers:
        layers_so_far.append(packing.layer([units.unit(f) for f in layer], features))
        features += len(layer)
    heads = [head for layer in layers_so_far for head in layer.heads]
    width = features + sum(len(head.channels) for head in heads)
    check_size(len(heads), width, len(packing.order), period, "shorten the program")
    return OneHotTransformer(
        alphabet, precision, tuple(layers_so_far), reading.signs, reading.threshold, period
    )


def check_size(heads: int, width: int, units: int, period: int, remedy: str) -> None:
    """Refuse matrices that take minutes to write: V alone is as large as the square of the width.

    Raises `BudgetError` if there are more than `MAX_ENTRIES` numbers.
    """
    entries = width * (heads * (width + 2) + 2 * units + period)
    if entries > MAX_ENTRIES:
        raise BudgetError(
            f"the result has {heads} heads and {width} dimensions, {entries} numbers in all; "
            f"expected at most {MAX_ENTRIES}; {remedy}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Packing:
    """The places of features in the hypothesis."""

    units: CompiledUnits
    period: int
    order: tuple[int, ...]
    precision: int

    def layer(self, members: list[CompiledUnit], features: int) -> OneHotLayer:
        """Units over a number of features: one head for each distance, units on one line share a channel."""
        patterns = sorted({unit.head for unit in members} - {NO_HEAD})
        heads = []
        reads = [tuple[tuple[int, int, int], ...]()] * len(members)
        for place, pattern in enumerate(patterns):
            readers = [number for number, unit in enumerate(members) if unit.head == pattern]
            vectors, entries = _channels([self._vector(members[r].values, features)[0] for r in readers])
            for reader, (channel, entry) in zip(readers, entries, strict=True):
                reads[reader] = ((place, channel, entry << self.precision),)
            phi = () if pattern == UNIFORM_HEAD else build_local_head(*pattern).phi
            heads.append(OneHotHead(vectors, AttentionPattern(phi=tuple(v << self.precision for v in phi))))
        own = (self._vector(unit.own, features) for unit in members)
        units = tuple(OneHotUnit(read, *vector) for read, vector in zip(reads, own, strict=True))
        return OneHotLayer(tuple(heads), units)

    def _vector(self, form: Affine, features: int) -> tuple[tuple[int, ...], int]:
        """Coefficients in file order, and the constant; with Δ = 1 every token has the one residue."""
        coefficients = dict(form.terms)
        first = self.units.num_tokens
        residues = [coefficients.get(first + r, 0) for r in range(self.period)]
        row = [coefficients.get(token, 0) for token in range(first)]
        if self.period > 1:
            row += residues
        else:
            row = [entry + residues[0] for entry in row]
        row += [coefficients.get(f, 0) for f in self.order[: features - len(row)]]
        return tuple(row), form.constant


def _channels(vectors: list[tuple[int, ...]]) -> tuple[tuple[tuple[int, ...], ...], list[tuple[int, int]]]:
    """Vectors on one line become one channel, the others have one each; for each its channel and factor."""
    lines: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for reader, vector in enumerate(vectors):
        divisor = gcd(*vector)
        factor = divisor if next(v for v in vector if v) > 0 else -divisor
        lines.setdefault(tuple(v // factor for v in vector), []).append((reader, factor))
    channels, entries = [], [(0, 0)] * len(vectors)
    for channel, (line, readers) in enumerate(lines.items()):
        if len(readers) == 1:
            ((reader, factor),) = readers
            line, readers = vectors[reader], [(reader, 1)]
        channels.append(line)
        for reader, factor in readers:
            entries[reader] = (channel, factor)
    return tuple(channels), entries
