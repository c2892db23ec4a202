"""Dropping the units of a formula that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from idinf.formulas.average import Average, Terms, Weighting
from idinf.formulas.condition import AllOf, AnyOf, AtLeastOf, Cases, Condition, CountInequality, UnitHolds

__all__ = ["atoms", "pruned"]


def atoms(condition: Condition) -> Iterator[Condition]:
    """The single conditions a condition is put together from, guards included.

    Examples
    --------
    >>> list(atoms(AllOf((UnitHolds(0), UnitHolds(1)))))
    [UnitHolds(unit=0, positive=True), UnitHolds(unit=1, positive=True)]
    """
    match condition:
        case AllOf(parts) | AnyOf(parts) | AtLeastOf(_, parts):
            for part in parts:
                yield from atoms(part)
        case Cases(rows, otherwise):
            for guard, part in rows:
                yield from atoms(guard)
                yield from atoms(part)
            yield from atoms(otherwise)
        case _:
            yield condition


def pruned(
    units: Sequence[Condition], accept: Condition, first_unit: int
) -> tuple[tuple[Condition, ...], Condition]:
    """Leave out units that ``accept`` does not read, directly or not, and number the others from 0.

    ``first_unit`` is the place of the first unit: places before it are symbols and residues.

    Examples
    --------
    >>> unused, used = UnitHolds(0), CountInequality(((0, 1),), 2)
    >>> pruned([used, unused, used], UnitHolds(2), first_unit=1)
    ((CountInequality(terms=((0, 1),), threshold=2),), UnitHolds(unit=0, positive=True))
    """
    needed = _units_in(accept, first_unit)
    for index in reversed(range(len(units))):
        if index in needed:
            needed |= _units_in(units[index], first_unit)
    places = {place: place for place in range(first_unit)}
    places |= {first_unit + old: first_unit + new for new, old in enumerate(sorted(needed))}
    kept = tuple(_renumbered(units[index], places, first_unit) for index in sorted(needed))
    return kept, _renumbered(accept, places, first_unit)


def _units_in(condition: Condition, first_unit: int) -> set[int]:
    places: set[int] = set()
    for atom in atoms(condition):
        match atom:
            case UnitHolds(unit):
                places.add(first_unit + unit)
            case CountInequality(terms):
                places.update(place for place, _ in terms)
            case Average(parts, _, _, own):
                places.update(first_unit + unit for unit, _ in own)
                for weighting, terms in parts:
                    places.update(place for place, _ in (*weighting.keys, *terms))
                    for unit, _, _, keys in weighting.asked:
                        places.update((first_unit + unit, *(place for place, _ in keys)))
    return {place - first_unit for place in places if place >= first_unit}


def _renumbered(condition: Condition, places: Mapping[int, int], first_unit: int) -> Condition:
    def moved(terms: Terms) -> Terms:
        return tuple((places[place], factor) for place, factor in terms)

    def renamed(unit: int) -> int:
        return places[first_unit + unit] - first_unit

    def weighed(weighting: Weighting) -> Weighting:
        asked = ((renamed(unit), value, start, moved(keys)) for unit, value, start, keys in weighting.asked)
        return replace(weighting, keys=moved(weighting.keys), asked=tuple(asked))

    match condition:
        case UnitHolds(unit, positive):
            return UnitHolds(renamed(unit), positive)
        case CountInequality(terms, threshold):
            return CountInequality(moved(terms), threshold)
        case Average(averages, _, _, own):
            units = tuple((renamed(unit), factor) for unit, factor in own)
            return replace(
                condition, parts=tuple((weighed(w), moved(terms)) for w, terms in averages), own=units
            )
        case Cases(rows, otherwise):
            renumbered = tuple((guard, _renumbered(part, places, first_unit)) for guard, part in rows)
            return Cases(renumbered, _renumbered(otherwise, places, first_unit))
        case AllOf(parts) | AnyOf(parts) | AtLeastOf(_, parts):
            return replace(condition, parts=tuple(_renumbered(part, places, first_unit) for part in parts))
    return condition
