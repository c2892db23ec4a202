"""One unit for a threshold with gates: where they are shut the count does not matter."""

from __future__ import annotations

import math
from dataclasses import dataclass

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.translate.compilation.local_counts import build_local_head, find_telling
from idinf.translate.compilation.units import NO_HEAD, UNIFORM_HEAD, CompiledUnit, CompiledUnits


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
    width: int = 1  # distances that are asked for; one, or as many as `telling` admits


@dataclass(frozen=True, slots=True)
class Gate:
    """Where the answer is fixed, by forms that are never negative; no position is in both lists."""

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
    `RecallCount` is 0, or one below what there is `telling` of. The gate is of features of earlier layers.

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
