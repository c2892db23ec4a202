"""The units a formula defines, and what they let one simplify: conditions asked where the class is known.

The *class* of a position is its symbol and its length modulo Δ; class ``code · Δ + residue``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from idinf.formulas.average import Average, Terms
from idinf.formulas.condition import (
    FALSE,
    TRUE,
    AllOf,
    AnyOf,
    AtLeastOf,
    BackIn,
    Cases,
    Condition,
    ConstantCondition,
    CountInequality,
    LastIn,
    LengthIn,
    UnitHolds,
    all_of,
    any_of,
    at_least,
    negated,
    on_empty,
)


class KeptUnits:
    """Units in the order of their definition. Mutable: a formula under construction adds to it.

    Parameters
    ----------
    symbols, period : int
        |Σ| and Δ.

    Attributes
    ----------
    conditions : list of Condition
    now : list of (|Σ| Δ,) tuple of Condition
        Value of each unit at positions of each class: a Constant, or the unit itself.
    starts : list of bool
        Values on ε.
    """

    def __init__(self, symbols: int, period: int = 1) -> None:
        self.symbols = symbols
        self.period = period
        self.conditions: list[Condition] = []
        self.now: list[tuple[Condition, ...]] = []
        self.starts: list[bool] = []
        # What a kept unit is at a class never changes, so neither do these.
        self._ranges: dict[Terms, list[tuple[int, int]]] = {}

    @property
    def num_classes(self) -> int:
        """Number of classes of positions but SOS."""
        return self.symbols * self.period

    @property
    def first_unit(self) -> int:
        """Place of the first unit: those of the symbols and residues come before."""
        return self.symbols + (self.period if self.period > 1 else 0)

    def under(self, condition: Condition, place: int) -> Condition:
        """Simplify a condition that is only asked at positions of one class."""
        code, residue = divmod(place, self.period)
        match condition:
            case LastIn(codes, positive):
                return ConstantCondition((code in codes) is positive)
            case LengthIn(_, residues):
                return ConstantCondition(residue in residues)
            case UnitHolds(unit, positive):
                now = self.now[unit][place]
                return condition if now == UnitHolds(unit) else (now if positive else negated(now))
            case CountInequality():
                low, high = self._bounds(condition, place)
                if low is not None and low >= condition.threshold:
                    return TRUE
                return FALSE if high is not None and high < condition.threshold else condition
            case Average():
                return self._settled(condition)
            case AllOf(parts):
                return all_of(self.under(part, place) for part in parts)
            case AnyOf(parts):
                return any_of(self.under(part, place) for part in parts)
            case AtLeastOf(number, parts):
                return at_least(number, (self.under(part, place) for part in parts))
            case Cases(rows, otherwise):
                fitting = (part for guard, part in rows if self.under(guard, place) == TRUE)
                return self.under(next(fitting, otherwise), place)
            case ConstantCondition() | BackIn():
                return condition

    def _bounds(self, condition: CountInequality, place: int) -> tuple[int | None, int | None]:
        """Least and largest left side over words that end in a class; None where there is none.

        Every position adds the factors of its symbol and residue and those of the units that hold there.
        """
        ranges = self._ranges_of(condition.terms)
        low = ranges[place][0] if all(least >= 0 for least, _ in ranges) else None
        high = ranges[place][1] if all(most <= 0 for _, most in ranges) else None
        return low, high

    def _settled(self, condition: Average) -> Condition:
        """An average lies between its least and its largest value at one position, SOS (0) included."""
        low = sum(min(0, factor) for _, factor in condition.own)
        high = sum(max(0, factor) for _, factor in condition.own)
        for _, terms in condition.parts:
            ranges = self._ranges_of(terms)
            low += min(0, *(least for least, _ in ranges))
            high += max(0, *(most for _, most in ranges))
        if low > condition.bound or high <= condition.bound:
            return ConstantCondition((low > condition.bound) is condition.positive)
        return condition

    def _ranges_of(self, terms: Terms) -> list[tuple[int, int]]:
        """Least and largest value that one position of each class can add to a sum."""
        if terms not in self._ranges:
            self._ranges[terms] = [self._contribution(terms, place) for place in range(self.num_classes)]
        return self._ranges[terms]

    def _contribution(self, terms: Terms, place: int) -> tuple[int, int]:
        code, residue = divmod(place, self.period)
        low = high = 0
        for counted, factor in terms:
            if counted < self.first_unit:
                certain = counted in (code, self.symbols + residue)
                low, high = low + factor * certain, high + factor * certain
                continue
            now = self.now[counted - self.first_unit][place]
            values = (int(now.value),) if isinstance(now, ConstantCondition) else (0, 1)
            low += min(factor * value for value in values)
            high += max(factor * value for value in values)
        return low, high

    def guard(self, places: Iterable[int]) -> Condition:
        """Being in one of some classes, as a condition; it may hold on ε where it is about the length."""
        residues: dict[int, tuple[int, ...]] = {}
        for place in sorted(places):
            code, residue = divmod(place, self.period)
            residues[code] = (*residues.get(code, ()), residue)
        groups: dict[tuple[int, ...], tuple[int, ...]] = {}
        for code, found in residues.items():
            groups[found] = (*groups.get(found, ()), code)
        return any_of(
            all_of(
                [
                    LastIn(codes) if len(codes) < self.symbols or len(found) == self.period else TRUE,
                    LengthIn(self.period, found) if len(found) < self.period else TRUE,
                ]
            )
            for found, codes in groups.items()
        )

    def merged(self, by_class: Sequence[Condition], at_start: bool) -> Condition:
        """One condition for all classes, told apart only where they differ; ε comes last."""
        goals = [self.under(part, place) for place, part in enumerate(by_class)]
        options = list(dict.fromkeys([*goals, *by_class]))
        rows: list[tuple[tuple[int, ...], Condition]] = []

        def rank(places: tuple[int, ...], option: Condition) -> tuple[int, bool, bool]:
            """The most classes first; a constant if it covers them all, else one that is right on ε."""
            settled = isinstance(option, ConstantCondition) and len(places) == self.num_classes
            return len(places), settled, self.at_start(option) is at_start

        left = set(range(self.num_classes))
        while left:
            covered = [
                tuple(place for place in sorted(left) if self.under(option, place) == goals[place])
                for option in options
            ]
            best = max(range(len(options)), key=lambda k: (*rank(covered[k], options[k]), -k))
            rows.append((covered[best], options[best]))
            left -= set(covered[best])
        right_first = sorted(rows, key=lambda row: self.at_start(row[1]) is not at_start)
        candidates = [self._by_cases(rows, default) for default in right_first]
        for merged in candidates:
            if self.at_start(merged) is at_start:
                return merged
        nonempty = LastIn(tuple(range(self.symbols)))
        default = self._by_cases(rows, rows[0])
        return any_of([negated(nonempty), default]) if at_start else all_of([nonempty, default])

    def at_start(self, condition: Condition) -> bool:
        """Value of a condition on ε; exact."""
        return on_empty(condition, self.starts)

    def add(self, condition: Condition, now: tuple[Condition, ...]) -> None:
        """Keep one more unit, with its value at positions of each class: a Constant or the unit itself."""
        self.starts.append(self.at_start(condition))
        self.conditions.append(condition)
        self.now.append(now)

    def _by_cases(
        self, rows: Sequence[tuple[tuple[int, ...], Condition]], default: tuple[tuple[int, ...], Condition]
    ) -> Condition:
        """Cases, the default last; as "and" and "or" where one of two is constant."""
        others, otherwise = (
            sorted((row for row in rows if row is not default), key=lambda row: row[0]),
            default[1],
        )
        if not others:
            return otherwise
        if len(others) > 1:
            return Cases(tuple((self.guard(places), part) for places, part in others), otherwise)
        guard, condition = self.guard(others[0][0]), others[0][1]
        if condition == FALSE:
            return all_of([negated(guard), otherwise])
        if condition == TRUE:
            return any_of([guard, otherwise])
        if otherwise == FALSE:
            return all_of([guard, condition])
        if otherwise == TRUE:
            return any_of([negated(guard), condition])
        return Cases(((guard, condition),), otherwise)
