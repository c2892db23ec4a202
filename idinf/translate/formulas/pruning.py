"""Dropping the units of a formula that nothing reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from idinf.translate.formulas.average import Average, Terms, Weighting
from idinf.translate.formulas.condition import (
    AllOf,
    AnyOf,
    AtLeastOf,
    Cases,
    Condition,
    CountInequality,
    UnitHolds,
)


def iter_atoms(condition: Condition) -> Iterator[Condition]:
    """The single conditions a condition is put together from, guards included.

    >>> list(iter_atoms(AllOf((UnitHolds(0), UnitHolds(1)))))
    [UnitHolds(unit=0, positive=True), UnitHolds(unit=1, positive=True)]
    """
    match condition:
        case AllOf(parts) | AnyOf(parts) | AtLeastOf(_, parts):
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
        case AllOf(parts) | AnyOf(parts) | AtLeastOf(_, parts):
            return replace(condition, parts=tuple(map(whole, parts)))
    return condition
