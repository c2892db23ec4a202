"""Dropping the units of a formula that nothing reads."""

from __future__ import annotations

from collections.abc import Sequence

from idinf.reports.condition import AllOf, AnyOf, Cases, Condition, Inequality, UnitHolds

__all__ = ["pruned"]


def pruned(
    units: Sequence[Condition], accept: Condition, symbols: int
) -> tuple[tuple[Condition, ...], Condition]:
    """Leave out units that ``accept`` does not read, directly or not, and number the others from 0.

    Examples
    --------
    >>> unused, used = UnitHolds(0), Inequality(((0, 1),), 2)
    >>> pruned([used, unused, used], UnitHolds(2), symbols=1)
    ((Inequality(terms=((0, 1),), threshold=2),), UnitHolds(unit=0, positive=True))
    """
    needed = _units_in(accept, symbols)
    for index in reversed(range(len(units))):
        if index in needed:
            needed |= _units_in(units[index], symbols)
    numbers = {old: new for new, old in enumerate(sorted(needed))}
    kept = tuple(_renumbered(units[index], numbers, symbols) for index in sorted(needed))
    return kept, _renumbered(accept, numbers, symbols)


def _units_in(condition: Condition, symbols: int) -> set[int]:
    match condition:
        case UnitHolds(unit):
            return {unit}
        case Inequality(terms):
            return {place - symbols for place, _ in terms if place >= symbols}
        case AllOf(parts) | AnyOf(parts):
            return set().union(*(_units_in(part, symbols) for part in parts))
        case Cases(rows, otherwise):
            parts = (otherwise, *(part for _, part in rows))
            return set().union(*(_units_in(part, symbols) for part in parts))
    return set()


def _renumbered(condition: Condition, numbers: dict[int, int], symbols: int) -> Condition:
    match condition:
        case UnitHolds(unit, positive):
            return UnitHolds(numbers[unit], positive)
        case Inequality(terms, threshold):
            places = [(p if p < symbols else symbols + numbers[p - symbols], factor) for p, factor in terms]
            return Inequality(tuple(places), threshold)
        case AllOf(parts):
            return AllOf(tuple(_renumbered(part, numbers, symbols) for part in parts))
        case AnyOf(parts):
            return AnyOf(tuple(_renumbered(part, numbers, symbols) for part in parts))
        case Cases(rows, otherwise):
            renumbered = tuple((codes, _renumbered(part, numbers, symbols)) for codes, part in rows)
            return Cases(renumbered, _renumbered(otherwise, numbers, symbols))
    return condition
