"""Conditions as text: ``#1 - #0 >= 0``, ``last = a and #b <= 2``, ``{last = a: u1, else: #b >= 3}``."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.reports.condition import AllOf, AnyOf, Cases, Condition, Constant, Inequality, LastIn, UnitHolds
from idinf.words import Alphabet

__all__ = ["Notation"]

#: Words of the notation, which a symbol of more than one character could be mistaken for.
_WORDS = frozenset({"and", "else", "empty", "false", "in", "last", "nonempty", "not", "or", "true"})


@dataclass(frozen=True, slots=True)
class Notation:
    """How symbols and units are written.

    Examples
    --------
    >>> Notation(Alphabet(("a", "b"))).condition(Inequality(((0, -1), (1, 2)), 1))
    '2 #b - #a > 0'
    """

    alphabet: Alphabet

    def symbol(self, code: int) -> str:
        """A symbol; in quotes where its signs could be read as part of the formula."""
        name = self.alphabet.symbols[code]
        return name if name.isalnum() and name not in _WORDS else f'"{name}"'

    def unit(self, index: int) -> str:
        """A unit, counted from 1; its name is never that of a symbol."""
        prefix = "u"
        while any(symbol.startswith(prefix) and symbol != prefix for symbol in self.alphabet.symbols):
            prefix += "_"
        return f"{prefix}{index + 1}"

    def condition(self, condition: Condition) -> str:
        """A condition as text."""
        match condition:
            case Constant(value):
                return "true" if value else "false"
            case LastIn(codes, positive):
                return self._last(codes, positive)
            case UnitHolds(unit, positive):
                return self.unit(unit) if positive else f"not {self.unit(unit)}"
            case Inequality():
                return self._inequality(condition)
            case AllOf() | AnyOf():
                word = "and" if isinstance(condition, AllOf) else "or"
                return f" {word} ".join(self._parts(condition))
            case Cases(rows, otherwise):
                texts = [f"{self._last(codes, True)}: {self.condition(part)}" for codes, part in rows]
                return "{" + ", ".join([*texts, f"else: {self.condition(otherwise)}"]) + "}"

    def _parts(self, group: AllOf | AnyOf) -> list[str]:
        """The parts of a group, groups within it in brackets, opposite inequalities as one comparison."""
        texts: list[str] = []
        left = list(group.parts)
        while left:
            part = left.pop(0)
            partner = next((other for other in left if _are_opposite(part, other, group)), None)
            if isinstance(part, Inequality) and isinstance(partner, Inequality):
                left.remove(partner)
                texts.append(self._equation(part, partner, group))
            elif isinstance(part, AllOf | AnyOf) and len(self._parts(part)) > 1:
                texts.append(f"({self.condition(part)})")
            else:
                texts.append(self.condition(part))
        return texts

    def _last(self, codes: tuple[int, ...], positive: bool) -> str:
        if len(codes) == len(self.alphabet):
            return "nonempty" if positive else "empty"
        names = [self.symbol(code) for code in codes]
        if len(names) == 1:
            return f"last {'=' if positive else '!='} {names[0]}"
        return f"last {'in' if positive else 'not in'} {{{', '.join(names)}}}"

    def _inequality(self, condition: Inequality) -> str:
        terms, threshold = condition.terms, condition.threshold
        all_negative = all(factor < 0 for _, factor in terms)
        if threshold < 0 or all_negative:
            left = self._sum(tuple((place, -factor) for place, factor in terms))
            return f"{left} = 0" if all_negative and threshold == 0 else f"{left} <= {-threshold}"
        is_difference = any(factor < 0 for _, factor in terms)
        bound = "> 0" if threshold == 1 and is_difference else f">= {threshold}"
        return f"{self._sum(terms)} {bound}"

    def _equation(self, one: Inequality, other: Inequality, group: AllOf | AnyOf) -> str:
        """Two opposite inequalities as one comparison: x >= 2 and x <= 2, or x >= 3 or x <= 1."""
        sign, value = ("=", one.threshold) if isinstance(group, AllOf) else ("!=", one.threshold - 1)
        terms = one.terms
        if value < 0 or (value == 0 and terms[0][1] < 0):
            terms, value = other.terms, -value
        return f"{self._sum(terms)} {sign} {value}"

    def _sum(self, terms: tuple[tuple[int, int], ...]) -> str:
        """Positive terms first, so that a sum never begins with a minus if it need not."""
        ordered = [term for term in terms if term[1] > 0] + [term for term in terms if term[1] < 0]
        text = ""
        for place, factor in ordered:
            size = "" if abs(factor) == 1 else f"{abs(factor)} "
            sign = ("" if factor > 0 else "-") if not text else (" + " if factor > 0 else " - ")
            text += f"{sign}{size}#{self._count(place)}"
        return text

    def _count(self, place: int) -> str:
        symbols = len(self.alphabet)
        return self.symbol(place) if place < symbols else self.unit(place - symbols)


def _are_opposite(one: Condition, other: Condition, group: AllOf | AnyOf) -> bool:
    """Whether two inequalities single out one value of their left side, by "and" in, by "or" out."""
    if not (isinstance(one, Inequality) and isinstance(other, Inequality)):
        return False
    opposite = tuple((place, -factor) for place, factor in one.terms)
    return other.terms == opposite and one.threshold + other.threshold == (
        0 if isinstance(group, AllOf) else 2
    )
