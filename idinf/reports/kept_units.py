"""The units a formula defines, and what they let one simplify: conditions asked where a symbol is known."""

from __future__ import annotations

from idinf.reports.condition import (
    FALSE,
    TRUE,
    AllOf,
    AnyOf,
    Cases,
    Condition,
    Constant,
    Inequality,
    LastIn,
    Prefix,
    UnitHolds,
    all_of,
    any_of,
    negated,
)

__all__ = ["KeptUnits"]


class KeptUnits:
    """Units in the order of their definition. Mutable: a formula under construction adds to it.

    Attributes
    ----------
    symbols : int
        |Σ|.
    conditions : list of Condition
    now : list of (|Σ|,) tuple of Condition
        Value of each unit at positions of each symbol: a Constant, or the unit itself.
    starts : list of bool
        Values on ε.
    """

    def __init__(self, symbols: int) -> None:
        self.symbols = symbols
        self.conditions: list[Condition] = []
        self.now: list[tuple[Condition, ...]] = []
        self.starts: list[bool] = []

    def under(self, condition: Condition, code: int) -> Condition:
        """Simplify a condition that is only asked at positions of one symbol."""
        match condition:
            case LastIn(codes, positive):
                return Constant((code in codes) is positive)
            case UnitHolds(unit, positive):
                now = self.now[unit][code]
                return condition if now == UnitHolds(unit) else (now if positive else negated(now))
            case Inequality():
                low, high = self._bounds(condition, code)
                if low is not None and low >= condition.threshold:
                    return TRUE
                return FALSE if high is not None and high < condition.threshold else condition
            case AllOf(parts):
                return all_of(self.under(part, code) for part in parts)
            case AnyOf(parts):
                return any_of(self.under(part, code) for part in parts)
            case Cases(rows, otherwise):
                fitting = (part for codes, part in rows if code in codes)
                return self.under(next(fitting, otherwise), code)
            case Constant():
                return condition

    def _bounds(self, condition: Inequality, code: int) -> tuple[int | None, int | None]:
        """Least and largest left side over words that end in a symbol; None where there is none.

        Every position adds the factor of its symbol and those of the units that hold there.
        """
        ranges = [self._contribution(condition, k) for k in range(self.symbols)]
        low = ranges[code][0] if all(least >= 0 for least, _ in ranges) else None
        high = ranges[code][1] if all(most <= 0 for _, most in ranges) else None
        return low, high

    def _contribution(self, condition: Inequality, code: int) -> tuple[int, int]:
        low = high = 0
        for place, factor in condition.terms:
            if place < self.symbols:
                certain = place == code
                low, high = low + factor * certain, high + factor * certain
                continue
            now = self.now[place - self.symbols][code]
            values = (int(now.value),) if isinstance(now, Constant) else (0, 1)
            low += min(factor * value for value in values)
            high += max(factor * value for value in values)
        return low, high

    def merged(self, by_symbol: list[Condition], at_start: bool) -> Condition:
        """One condition for all last symbols, told apart only where they differ; ε comes last."""
        goals = [self.under(part, code) for code, part in enumerate(by_symbol)]
        options = list(dict.fromkeys([*goals, *by_symbol]))
        rows: list[tuple[tuple[int, ...], Condition]] = []

        def rank(codes: tuple[int, ...], option: Condition) -> tuple[int, bool, bool]:
            """The most symbols first; a constant if it covers them all, else one that is right on ε."""
            settled = isinstance(option, Constant) and len(codes) == self.symbols
            return len(codes), settled, self.at_start(option) is at_start

        left = set(range(self.symbols))
        while left:
            covered = [
                tuple(code for code in sorted(left) if self.under(option, code) == goals[code])
                for option in options
            ]
            best = max(range(len(options)), key=lambda k: (*rank(covered[k], options[k]), -k))
            rows.append((covered[best], options[best]))
            left -= set(covered[best])
        default = next((row for row in rows if self.at_start(row[1]) is at_start), rows[0])
        rows.remove(default)
        merged = _by_cases(rows, default[1])
        if self.at_start(default[1]) is at_start:
            return merged
        nonempty = LastIn(tuple(range(self.symbols)))
        return any_of([negated(nonempty), merged]) if at_start else all_of([nonempty, merged])

    def at_start(self, condition: Condition) -> bool:
        """Value of a condition on ε; exact."""
        counts = (0,) * (self.symbols + len(self.conditions))
        return condition.holds(Prefix(None, counts, tuple(self.starts)))

    def add(self, condition: Condition, now: tuple[Condition, ...]) -> None:
        """Keep one more unit, with its value at positions of each symbol: a Constant or the unit itself."""
        self.starts.append(self.at_start(condition))
        self.conditions.append(condition)
        self.now.append(now)


def _by_cases(rows: list[tuple[tuple[int, ...], Condition]], otherwise: Condition) -> Condition:
    """Cases as "and" and "or" where one of two is constant."""
    if not rows:
        return otherwise
    if len(rows) > 1:
        return Cases(tuple(sorted(rows, key=lambda row: row[0])), otherwise)
    (codes, condition), guard = rows[0], LastIn(rows[0][0])
    if condition == FALSE:
        return all_of([negated(guard), otherwise])
    if condition == TRUE:
        return any_of([guard, otherwise])
    if otherwise == FALSE:
        return all_of([guard, condition])
    if otherwise == TRUE:
        return any_of([negated(guard), condition])
    return Cases(((codes, condition),), otherwise)
