"""Conditions on a word: linear inequalities between counts, put together with and, or, not and cases.

A condition is read at the last position of a prefix. ``#a`` counts a symbol in the prefix and ``#u1`` the
non-empty prefixes of it at which the unit u1 holds; SOS is never counted. Weighted averages are in
`idinf.translate.formulas.average`. Everything is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from idinf.crasp.building import reduce_to_least_terms
from idinf.translate.formulas.average import Average


@dataclass(frozen=True, slots=True)
class ConstantCondition:
    """Always true or always false."""

    value: bool


TRUE, FALSE = ConstantCondition(True), ConstantCondition(False)


@dataclass(frozen=True, slots=True)
class LastIn:
    """The last symbol is one of ``codes``; with ``positive`` False, it is none of them (as for ε)."""

    codes: tuple[int, ...]
    positive: bool = True


@dataclass(frozen=True, slots=True)
class BackIn:
    """The symbol ``distance`` places before the last is one of ``codes``, or there is none of these there.

    Before the first symbol nothing is in ``codes``.
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
class AllOf:
    """Every part holds; two or more parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Some part holds; two or more parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AtLeastOf:
    """At least ``number`` of the parts hold, between 2 and all but one."""

    number: int
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """One condition for each of several guards, another one for everything else.

    Guards are about the last symbol and the length alone, and exclude each other.
    """

    rows: tuple[tuple[Condition, Condition], ...]
    otherwise: Condition


Atom = ConstantCondition | LastIn | BackIn | LengthIn | UnitHolds | CountInequality | Average
Condition = Atom | AllOf | AnyOf | AtLeastOf | Cases

_Group = type[AllOf] | type[AnyOf]


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
    """The condition that holds exactly where this one does not, without a "not" around a group.

    >>> negated(CountInequality(((0, 1), (1, -1)), 1))   # not #0 - #1 > 0
    CountInequality(terms=((0, -1), (1, 1)), threshold=0)
    """
    match condition:
        case ConstantCondition(value):
            return ConstantCondition(not value)
        case LastIn() | BackIn() | UnitHolds() | Average():
            return replace(condition, positive=not condition.positive)
        case LengthIn(period, residues):
            return LengthIn(period, tuple(r for r in range(period) if r not in residues))
        case CountInequality(terms, threshold):
            return CountInequality(tuple((place, -factor) for place, factor in terms), 1 - threshold)
        case AllOf(conditions):
            return any_of(negated(part) for part in conditions)
        case AnyOf(conditions):
            return all_of(negated(part) for part in conditions)
        case AtLeastOf(number, conditions):
            # Fewer than k of t hold iff at least t − k + 1 do not.
            return AtLeastOf(len(conditions) - number + 1, tuple(negated(part) for part in conditions))
        case Cases(rows, otherwise):
            return Cases(tuple((guard, negated(part)) for guard, part in rows), negated(otherwise))


def all_of(parts: Iterable[Condition]) -> Condition:
    """The conjunction: nested ones flattened, parts that follow from others left out.

    >>> all_of([CountInequality(((0, 1),), 2), TRUE, CountInequality(((0, 1),), 3)])
    CountInequality(terms=((0, 1),), threshold=3)
    """
    return _joined(parts, AllOf, AnyOf)


def any_of(parts: Iterable[Condition]) -> Condition:
    """The disjunction, simplified as `all_of` does.

    >>> any_of([CountInequality(((0, 1),), 2), CountInequality(((0, -1),), -2)])   # #0 >= 2 or #0 <= 2
    ConstantCondition(value=True)
    """
    return _joined(parts, AnyOf, AllOf)


def at_least(number: int, parts: Iterable[Condition]) -> Condition:
    """At least so many of the parts: constants counted, "and" and "or" where it is all or one of them.

    >>> at_least(2, [UnitHolds(0), TRUE, UnitHolds(1)])
    AnyOf(parts=(UnitHolds(unit=0, positive=True), UnitHolds(unit=1, positive=True)))
    """
    left = list(parts)
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
    """Value of a condition on ε, from those of the units; exact.

    >>> evaluate_on_empty(BackIn(2, (0,), positive=False)), evaluate_on_empty(CountInequality(((0, 1),), 1))
    (True, False)
    """
    match condition:
        case ConstantCondition(value):
            return value
        case LastIn(_, positive) | BackIn(_, _, positive):
            return not positive
        case LengthIn(_, residues):
            return 0 in residues
        case UnitHolds(unit, positive):
            return units[unit] is positive
        case CountInequality(_, threshold):
            return threshold <= 0
        case Average(_, bound, positive, own):
            return (sum(factor for unit, factor in own if units[unit]) > bound) is positive
        case AllOf(parts):
            return all(evaluate_on_empty(part, units) for part in parts)
        case AnyOf(parts):
            return any(evaluate_on_empty(part, units) for part in parts)
        case AtLeastOf(number, parts):
            return sum(evaluate_on_empty(part, units) for part in parts) >= number
        case Cases(rows, otherwise):
            fitting = (part for guard, part in rows if evaluate_on_empty(guard, units))
            return evaluate_on_empty(next(fitting, otherwise), units)


def _joined(parts: Iterable[Condition], kind: _Group, dual: _Group) -> Condition:
    neutral, final = (TRUE, FALSE) if kind is AllOf else (FALSE, TRUE)

    def settles(one: Condition, other: Condition) -> bool:
        """Whether beside ``one`` the part ``other`` says nothing more."""
        return _implies(one, other) if kind is AllOf else _implies(other, one)

    kept: list[Condition] = []
    for part in _flat(parts, kind, dual):
        if any(settles(other, part) for other in kept):
            continue
        opposite = negated(part)
        if any(settles(other, opposite) for other in kept):
            return final
        kept = [other for other in kept if not settles(part, other)] + [part]
    kept = [part for part in kept if part != neutral]
    return kind(tuple(kept)) if len(kept) > 1 else (kept[0] if kept else neutral)


def _flat(parts: Iterable[Condition], kind: _Group, dual: _Group) -> list[Condition]:
    """Parts of groups of the same kind, and x in place of (y op x) beside the part not y."""
    found: list[Condition] = []
    for part in parts:
        found.extend(part.parts if isinstance(part, kind) else (part,))
    denied = [negated(part) for part in found if isinstance(part, Atom)]
    for index, part in enumerate(found):
        if isinstance(part, dual):
            found[index] = _joined([inner for inner in part.parts if inner not in denied], dual, kind)
    return found


def _implies(one: Condition, other: Condition) -> bool:
    """Whether ``one`` implies ``other`` as far as a look at single conditions can tell."""
    if one in (other, FALSE) or other == TRUE:
        return True
    match one, other:
        case CountInequality(terms, threshold), CountInequality(others, lower):
            return terms == others and threshold >= lower
        case Average(), Average():
            alike = replace(one, bound=other.bound) == other
            return alike and (one.bound >= other.bound if one.positive else one.bound <= other.bound)
    return False
