"""The units a formula defines, and what they let one simplify: conditions asked where the class is known.

The *class* of a position is its symbol and its length modulo Δ; class ``code · Δ + residue``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from idinf.translate.formulas import condition as c
from idinf.translate.formulas.average import Average, Terms
from idinf.translate.formulas.condition import (
    FALSE,
    TRUE,
    Condition,
    ConstantCondition,
    all_of,
    any_of,
    negated,
)

#: Classes and the condition there.
_Row = tuple[tuple[int, ...], Condition]


class KeptUnits:
    """Units in the order of their definition. Mutable: a formula under construction adds to it.

    `num_classes`: number of classes of positions but SOS. `first_unit`: place of the first unit: those of the
    symbols and residues come before. `now`: value of each unit at positions of each class: a Constant, or the
    unit itself. `starts`: values on ε.
    """

    def __init__(self, symbols: int, period: int = 1) -> None:
        self.symbols = symbols
        self.period = period
        self.num_classes = symbols * period
        self.first_unit = symbols + (period if period > 1 else 0)
        self.conditions: list[Condition] = []
        self.now: list[tuple[Condition, ...]] = []
        self.starts: list[bool] = []

    def under(self, condition: Condition, place: int) -> Condition:
        """Simplify a condition that is only asked at positions of one class."""
        code, residue = divmod(place, self.period)
        match condition:
            case c.LastIn(codes, positive):
                return ConstantCondition((code in codes) is positive)
            case c.LengthIn(_, residues):
                return ConstantCondition(residue in residues)
            case c.UnitHolds(unit, positive):
                now = self.now[unit][place]
                return now if positive else negated(now)
            case c.CountInequality(terms, threshold):
                ranges = self._ranges(terms)
                low, high = ranges[place]
                if low >= threshold and all(least >= 0 for least, _ in ranges):
                    return TRUE
                return FALSE if high < threshold and all(most <= 0 for _, most in ranges) else condition
            case Average():
                return self._settled(condition)
            case c.AllOf(parts):
                return all_of(self.under(part, place) for part in parts)
            case c.AnyOf(parts):
                return any_of(self.under(part, place) for part in parts)
            case c.AtLeastOf(number, parts):
                return c.at_least(number, (self.under(part, place) for part in parts))
            case c.Cases(rows, otherwise):
                fitting = (part for guard, part in rows if self.under(guard, place) == TRUE)
                return self.under(next(fitting, otherwise), place)
        return condition

    def _settled(self, condition: Average) -> Condition:
        """An average lies between its least and its largest value at one position, SOS (0) included."""
        low = sum(min(0, factor) for _, factor in condition.own)
        high = sum(max(0, factor) for _, factor in condition.own)
        for _, terms in condition.parts:
            ranges = self._ranges(terms)
            low += min(0, *(least for least, _ in ranges))
            high += max(0, *(most for _, most in ranges))
        if low > condition.bound or high <= condition.bound:
            return ConstantCondition((low > condition.bound) is condition.positive)
        return condition

    def _ranges(self, terms: Terms) -> list[tuple[int, int]]:
        """Least and largest value that one position of each class can add to a sum."""
        ranges = []
        for place in range(self.num_classes):
            code, residue = divmod(place, self.period)
            low = high = 0
            for counted, factor in terms:
                values = [int(counted in (code, self.symbols + residue))]
                if counted >= self.first_unit:
                    now = self.now[counted - self.first_unit][place]
                    values = [int(now.value)] if isinstance(now, ConstantCondition) else [0, 1]
                low += min(factor * value for value in values)
                high += max(factor * value for value in values)
            ranges.append((low, high))
        return ranges

    def merged(self, by_class: Sequence[Condition], at_start: bool) -> Condition:
        """One condition for all classes, told apart only where they differ; ε comes last."""
        goals = [self.under(part, place) for place, part in enumerate(by_class)]
        options = list(dict.fromkeys([*goals, *by_class]))

        def rank(row: _Row) -> tuple[int, bool, bool]:
            """The most classes first; a constant if it covers them all, else one that is right on ε."""
            places, option = row
            settled = isinstance(option, ConstantCondition) and len(places) == self.num_classes
            return len(places), settled, self._fits(option, at_start)

        rows: list[_Row] = []
        left = list(range(self.num_classes))
        while left:
            covered = (
                (tuple(place for place in left if self.under(option, place) == goals[place]), option)
                for option in options
            )
            rows.append(max(covered, key=rank))
            left = [place for place in left if place not in rows[-1][0]]
        right_first = sorted(rows, key=lambda row: not self._fits(row[1], at_start))
        for default in right_first:
            merged = self._by_cases(rows, default)
            if self._fits(merged, at_start):
                return merged
        nonempty = c.LastIn(tuple(range(self.symbols)))
        merged = self._by_cases(rows, rows[0])
        return any_of([negated(nonempty), merged]) if at_start else all_of([nonempty, merged])

    def _fits(self, condition: Condition, at_start: bool) -> bool:
        """Whether a condition has a value on ε."""
        return c.evaluate_on_empty(condition, self.starts) is at_start

    def add(self, condition: Condition, now: tuple[Condition, ...]) -> None:
        """Keep one more unit, with its value at positions of each class: a Constant or the unit itself."""
        self.starts.append(c.evaluate_on_empty(condition, self.starts))
        self.conditions.append(condition)
        self.now.append(now)

    def _by_cases(self, rows: Sequence[_Row], default: _Row) -> Condition:
        """Cases, the default last; as "and" and "or" where one of two is constant."""
        otherwise = default[1]
        others = sorted((row for row in rows if row is not default), key=lambda row: row[0])
        cases = tuple((self._guard(places), condition) for places, condition in others)
        if len(cases) != 1:
            return c.Cases(cases, otherwise) if cases else otherwise
        guard, condition = cases[0]
        if condition == FALSE:
            return all_of([negated(guard), otherwise])
        if condition == TRUE:
            return any_of([guard, otherwise])
        if otherwise == FALSE:
            return all_of([guard, condition])
        if otherwise == TRUE:
            return any_of([negated(guard), condition])
        return c.Cases(cases, otherwise)

    def _guard(self, places: Iterable[int]) -> Condition:
        """Being in one of some classes, as a condition; it may hold on ε where it is about the length."""
        residues = defaultdict[int, list[int]](list)
        for place in sorted(places):
            code, residue = divmod(place, self.period)
            residues[code].append(residue)
        groups = defaultdict[tuple[int, ...], list[int]](list)
        for code, found in residues.items():
            groups[tuple(found)].append(code)
        return any_of(
            all_of(
                [
                    c.LastIn(tuple(codes))
                    if len(codes) < self.symbols or len(found) == self.period
                    else TRUE,
                    c.LengthIn(self.period, found) if len(found) < self.period else TRUE,
                ]
            )
            for found, codes in groups.items()
        )
