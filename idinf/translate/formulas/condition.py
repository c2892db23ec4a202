"""Conditions on a word: linear inequalities between counts, put together with and, or, not and cases.

A condition is read at the last position of a prefix. ``#a`` counts a symbol in the prefix and ``#u1`` the
non-empty prefixes of it at which the unit u1 holds; SOS is never counted. A weighted average of a prefix is
what a head with logits computes. Everything is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from idinf.crasp.building import reduce_to_least_terms

#: (place, coefficient other than 0) in ascending order of place.
Terms = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, order=True)
class Weighting:
    """The weights of positions in a head for one kind of query; logits are integers in units of 2^-p.

    If all logits are whole numbers, p is 0 and they are in units of 1: their weights are never rounded.
    """

    start: int = 0  # logit of SOS, without φ
    keys: Terms = ()  # logit that each place adds where it is 1
    phi: tuple[int, ...] = ()  # logit by distance; 0 beyond
    #: (unit, value, start, keys): logits to add for a query where the unit has that value.
    asked: tuple[tuple[int, bool, int, Terms], ...] = ()
    precision: int = 0  # p


#: Every position weighs the same.
UNWEIGHTED = Weighting()


@dataclass(frozen=True, slots=True)
class Average:
    """Σ of weighted averages + Σ of units > bound, or not; at SOS every place is 0.

    There are parts or own terms, and all coefficients together have no common divisor.
    """

    parts: tuple[tuple[Weighting, Terms], ...]  # in ascending order, the terms of each not empty
    bound: Fraction
    positive: bool = True  # False: the sum is at most the bound
    own: Terms = ()  # (unit, coefficient): what units that hold at the last position add


def read_average(
    parts: Mapping[Weighting, Mapping[int, int]], bound: int, own: Mapping[int, int] | None = None
) -> Average:
    """The condition Σ averages + Σ own units > bound in least terms; some coefficient is not 0."""
    kept = {weighting: terms for weighting, weights in parts.items() if (terms := list_terms(weights))}
    units = list_terms(own or {})
    divisor = math.gcd(*(factor for terms in (units, *kept.values()) for _, factor in terms))
    reduced = [
        (weighting, tuple((place, factor // divisor) for place, factor in terms))
        for weighting, terms in sorted(kept.items())
    ]
    reduced_own = tuple((unit, factor // divisor) for unit, factor in units)
    return Average(tuple(reduced), Fraction(bound, divisor), own=reduced_own)


def list_terms(weights: Mapping[int, int]) -> Terms:
    """Coefficients other than 0 by ascending place."""
    return tuple((place, factor) for place, factor in sorted(weights.items()) if factor)


@dataclass(frozen=True, slots=True)
class ConstantCondition:
    """Always true or always false."""

    value: bool


TRUE, FALSE = ConstantCondition(True), ConstantCondition(False)


@dataclass(frozen=True, slots=True)
class BackIn:
    """The symbol ``distance`` places before the last is one of ``codes``; or it is none of them.

    The distance is 0 for the last symbol. Before the first symbol nothing is in ``codes``.
    """

    distance: int
    codes: tuple[int, ...]
    positive: bool = True


@dataclass(frozen=True, slots=True)
class LengthIn:
    """The length i of the prefix has i mod ``period`` among ``residues``; ε has length 0."""

    period: int
    residues: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnitHolds:
    """A unit holds at the last position, or does not."""

    unit: int
    positive: bool = True


@dataclass(frozen=True, slots=True)
class CountInequality:
    """Σ coefficient · count ≥ threshold.

    Terms are (place, coefficient other than 0), ascending, without a common divisor. Places are the symbols,
    the residues 0..Δ−1 of the length if Δ > 1, and the units.
    """

    terms: tuple[tuple[int, int], ...]
    threshold: int


@dataclass(frozen=True, slots=True)
class AtLeastOf:
    """At least ``number`` of two or more parts hold: all of them, one of them, or something in between."""

    number: int
    parts: tuple[Condition, ...]

    @property
    def is_all(self) -> bool:
        """True for a conjunction."""
        return self.number == len(self.parts)

    @property
    def is_any(self) -> bool:
        """True for a disjunction."""
        return self.number == 1

    @property
    def is_between(self) -> bool:
        """True for neither a conjunction nor a disjunction."""
        return 1 < self.number < len(self.parts)


@dataclass(frozen=True, slots=True)
class Cases:
    """One condition for each of several guards, another one for everything else.

    Guards are about the last symbol and the length alone, and exclude each other.
    """

    rows: tuple[tuple[Condition, Condition], ...]
    otherwise: Condition


Atom = ConstantCondition | BackIn | LengthIn | UnitHolds | CountInequality | Average
Condition = Atom | AtLeastOf | Cases


def reduce_inequality(weights: Mapping[int, int], constant: int) -> Condition:
    """The condition Σ weight · count + constant > 0, in least terms; exact.

    Divided by the greatest common divisor of the weights; counts are integers, so the threshold is rounded
    up to the next integer. Counts are never negative, so what that settles is settled here.

    2·#0 − 4·#1 + 1 > 0 says no more than #0 − 2·#1 ≥ 0, and 9·#0 + 5·#1 > 0 no more than #0 + #1 ≥ 1.

    >>> reduce_inequality({0: 2, 1: -4}, 1)
    CountInequality(terms=((0, 1), (1, -2)), threshold=0)
    >>> reduce_inequality({0: 9, 1: 5}, 0)
    CountInequality(terms=((0, 1), (1, 1)), threshold=1)
    >>> reduce_inequality({0: 0, 1: -1}, 0)
    ConstantCondition(value=False)
    """
    terms, bound = dict(sorted(weights.items())), 1 - constant
    # A term that reaches the bound by one occurrence alone, or exceeds it, need not be any larger.
    if all(factor >= 0 for factor in terms.values()):
        terms = {place: min(factor, max(bound, 0)) for place, factor in terms.items()}
    elif all(factor <= 0 for factor in terms.values()):
        terms = {place: max(factor, min(bound - 1, 0)) for place, factor in terms.items()}
    least = reduce_to_least_terms(terms, bound)
    if isinstance(least, bool):
        return ConstantCondition(least)
    return CountInequality(tuple(least[0].items()), least[1])


def negated(condition: Condition) -> Condition:
    """The condition that holds exactly where this one does not, without a "not" around a group."""
    match condition:
        case ConstantCondition(value):
            return ConstantCondition(not value)
        case BackIn() | UnitHolds() | Average():
            return replace(condition, positive=not condition.positive)
        case LengthIn(period, residues):
            return LengthIn(period, tuple(r for r in range(period) if r not in residues))
        case CountInequality(terms, threshold):
            return CountInequality(tuple((place, -factor) for place, factor in terms), 1 - threshold)
        case AtLeastOf(number, parts):
            # Fewer than k of t hold iff at least t − k + 1 do not.
            return at_least(len(parts) - number + 1, map(negated, parts))
        case Cases(rows, otherwise):
            return Cases(tuple((guard, negated(part)) for guard, part in rows), negated(otherwise))


def all_of(parts: Iterable[Condition]) -> Condition:
    """The conjunction: nested ones flattened, parts that follow from others left out."""
    return _joined(parts, True)


def any_of(parts: Iterable[Condition]) -> Condition:
    """The disjunction, simplified as `all_of` does."""
    return _joined(parts, False)


def at_least(number: int, parts: Iterable[Condition]) -> Condition:
    """At least so many of the parts: constants counted, "and" and "or" where it is all or one of them."""
    left = list(parts)
    if number == 1:
        return any_of(left)
    if number == len(left):
        return all_of(left)
    number -= left.count(TRUE)
    left = [part for part in left if not isinstance(part, ConstantCondition)]
    for part in tuple(left):
        # A part and its opposite together count one, whatever they are.
        if part in left and (opposite := negated(part)) in left:
            left.remove(part)
            left.remove(opposite)
            number -= 1
    if number <= 0:
        return TRUE
    if number > len(left):
        return FALSE
    if number == 1 or len(set(left)) == 1:
        return any_of(left)
    return all_of(left) if number == len(left) else AtLeastOf(number, tuple(left))


def evaluate_on_empty(condition: Condition, units: Sequence[bool] = ()) -> bool:
    """Value of a condition on ε, from those of the units; exact."""
    match condition:
        case ConstantCondition(value):
            return value
        case BackIn(_, _, positive):
            return not positive
        case LengthIn(_, residues):
            return 0 in residues
        case UnitHolds(unit, positive):
            return units[unit] is positive
        case CountInequality(_, threshold):
            return threshold <= 0
        case Average(_, bound, positive, own):
            return (sum(factor for unit, factor in own if units[unit]) > bound) is positive
        case AtLeastOf(number, parts):
            return sum(evaluate_on_empty(part, units) for part in parts) >= number
        case Cases(rows, otherwise):
            fitting = (part for guard, part in rows if evaluate_on_empty(guard, units))
            return evaluate_on_empty(next(fitting, otherwise), units)


def _joined(parts: Iterable[Condition], is_all: bool) -> Condition:
    neutral, final = (TRUE, FALSE) if is_all else (FALSE, TRUE)

    def settles(one: Condition, other: Condition) -> bool:
        """True if beside ``one`` the part ``other`` says nothing more."""
        return _implies(one, other) if is_all else _implies(other, one)

    kept: list[Condition] = []
    for part in _flat(parts, is_all):
        if any(settles(other, part) for other in kept):
            continue
        opposite = negated(part)
        if any(settles(other, opposite) for other in kept):
            return final
        kept = [other for other in kept if not settles(part, other)] + [part]
    kept = [part for part in kept if part != neutral]
    if len(kept) > 1:
        return AtLeastOf(len(kept) if is_all else 1, tuple(kept))
    return kept[0] if kept else neutral


def _flat(parts: Iterable[Condition], is_all: bool) -> list[Condition]:
    """Parts of groups of the same kind, and x in place of (y op x) beside the part not y."""
    found: list[Condition] = []
    for part in parts:
        if isinstance(part, AtLeastOf) and (part.is_all if is_all else part.is_any):
            found.extend(part.parts)
        else:
            found.append(part)
    denied = [negated(part) for part in found if isinstance(part, Atom)]
    for index, part in enumerate(found):
        if isinstance(part, AtLeastOf) and (part.is_any if is_all else part.is_all):
            found[index] = _joined([inner for inner in part.parts if inner not in denied], not is_all)
    return found


def _implies(one: Condition, other: Condition) -> bool:
    """True if single conditions show that ``one`` implies ``other``; False if they do not show it."""
    if one in (other, FALSE) or other == TRUE:
        return True
    match one, other:
        case CountInequality(terms, threshold), CountInequality(others, lower):
            return terms == others and threshold >= lower
        case Average(), Average():
            alike = replace(one, bound=other.bound) == other
            return alike and (one.bound >= other.bound if one.positive else one.bound <= other.bound)
    return False


def iter_atoms(condition: Condition) -> Iterator[Condition]:
    """The single conditions a condition is put together from, guards included."""
    match condition:
        case AtLeastOf(_, parts):
            for part in parts:
                yield from iter_atoms(part)
        case Cases(rows, otherwise):
            for guard, part in rows:
                yield from iter_atoms(guard)
                yield from iter_atoms(part)
            yield from iter_atoms(otherwise)
        case _:
            yield condition


def prune(
    units: Sequence[Condition], accept: Condition, first_unit: int
) -> tuple[tuple[Condition, ...], Condition]:
    """Leave out units that ``accept`` does not read, directly or not, and number the others from 0.

    ``first_unit`` is the place of the first unit: places before it are symbols and residues.

    >>> unused, used = UnitHolds(0), CountInequality(((0, 1),), 2)
    >>> prune([used, unused, used], UnitHolds(2), first_unit=1)
    ((CountInequality(terms=((0, 1),), threshold=2),), UnitHolds(unit=0, positive=True))
    """
    needed = _units_in(accept, first_unit)
    for index in reversed(range(len(units))):
        if index in needed:
            needed |= _units_in(units[index], first_unit)
    order = sorted(needed)
    kept = tuple(_renamed(units[index], order.index, first_unit) for index in order)
    return kept, _renamed(accept, order.index, first_unit)


def _units_in(condition: Condition, first_unit: int) -> set[int]:
    found: set[int] = set()

    def noted(unit: int) -> int:
        found.add(unit)
        return unit

    _renamed(condition, noted, first_unit)
    return found


def _renamed(condition: Condition, rename: Callable[[int], int], first_unit: int) -> Condition:
    """The condition with other numbers for units."""

    def moved(terms: Terms) -> Terms:
        return tuple(
            (place if place < first_unit else first_unit + rename(place - first_unit), factor)
            for place, factor in terms
        )

    def weighed(weighting: Weighting) -> Weighting:
        asked = ((rename(unit), value, start, moved(keys)) for unit, value, start, keys in weighting.asked)
        return replace(weighting, keys=moved(weighting.keys), asked=tuple(asked))

    def whole(part: Condition) -> Condition:
        return _renamed(part, rename, first_unit)

    match condition:
        case UnitHolds(unit, positive):
            return UnitHolds(rename(unit), positive)
        case CountInequality(terms, threshold):
            return CountInequality(moved(terms), threshold)
        case Average(averages, _, _, own):
            parts = tuple((weighed(weighting), moved(terms)) for weighting, terms in averages)
            return replace(condition, parts=parts, own=tuple((rename(unit), factor) for unit, factor in own))
        case Cases(rows, otherwise):
            return Cases(tuple((guard, whole(part)) for guard, part in rows), whole(otherwise))
        case AtLeastOf(_, parts):
            return replace(condition, parts=tuple(map(whole, parts)))
    return condition
