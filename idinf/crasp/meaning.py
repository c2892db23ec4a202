"""A program put together in any algebra of Booleans and counts: the one walk over the syntax."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import lcm
from typing import Generic, TypeVar

from idinf.base.linear_algebra import Affine, combine
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import find_window
from idinf.errors import IdinfError

Boolean = TypeVar("Boolean")
Tally = TypeVar("Tally")


class Algebra(ABC, Generic[Boolean, Tally]):
    """Meanings of the constructs of a program checked over `alphabet`; the values of operations are kept."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self._booleans: dict[str, Boolean] = {}
        self._counts: dict[str, Tally] = {}

    def decision(self, needed: Sequence[s.Definition]) -> Boolean:
        """The last one of some operations, which are those that it needs."""
        for definition in needed:
            name, expression = definition.name, definition.expression
            if self._is_count(expression):
                self._counts[name] = self.count(expression)
            else:
                self._booleans[name] = self.named(name, self.boolean(expression))
        return self._booleans[needed[-1].name]

    def named(self, name: str, value: Boolean) -> Boolean:
        """The value of an operation; an algebra may write its name instead."""
        return value

    def boolean(self, expression: s.Expression) -> Boolean:
        """A checked Boolean."""
        match expression:
            case s.Name(name):
                return self._booleans[name]
            case s.Symbol(symbol):
                return self.symbol(self.alphabet.symbols.index(symbol))
            case s.Truth(value):
                return self.truth(value)
            case s.Periodic(_, modulus, _, residue):
                return self.residue(modulus, residue)
            case s.Negated(operand):
                return self.negated(self.boolean(operand))
            case s.Conjunction():
                return self.conjunction([self.boolean(part) for part in _chain(expression, s.Conjunction)])
            case s.Disjunction():
                return self.disjunction([self.boolean(part) for part in _chain(expression, s.Disjunction)])
            case s.Comparison(relation, left, right):
                return self.compared(relation, self.added(self.count(left), self.count(right), -1))
        raise TypeError(f"{expression.place}: {type(expression).__name__} is no Boolean")

    def count(self, expression: s.Expression) -> Tally:
        """A checked count."""
        match expression:
            case s.Name(name):
                return self._counts[name]
            case s.Number(value):
                return self.number(value)
            case s.Count(None, operand):
                return self.counted(self.boolean(operand))
            case s.Count(s.Predicate() as predicate, operand):
                return self.windowed(*find_window(predicate), self.boolean(operand))
            case s.Added(sign, left, right):
                return self.added(self.count(left), self.count(right), sign)
            case s.Negative(operand):
                return self._times(self.count(operand), -1)
            case s.Multiplied(left, right):
                first, second = self.count(left), self.count(right)
                if (factor := self.value_of(first)) is not None:
                    return self._times(second, factor)
                return self._times(first, self.value_of(second) or 0)  # the checker saw a number there
            case s.Conditional(then, condition, otherwise):
                return self.chosen(self.boolean(condition), self.count(then), self.count(otherwise))
            case s.Extremum(largest, left, right):
                sign = 1 if largest else -1  # min(C, C') = −max(−C, −C')
                first, second = (self._times(self.count(part), sign) for part in (left, right))
                return self._times(self.largest(first, second), sign)
        raise TypeError(f"{expression.place}: {type(expression).__name__} is no count")

    def compared(self, relation: s.Relation, difference: Tally) -> Boolean:
        """The relation to 0; at most one of C > 0 and −C > 0 holds."""
        parts = []
        if relation not in (s.Relation.LT, s.Relation.GE):
            parts.append(self.positive(difference))
        if relation not in (s.Relation.GT, s.Relation.LE):
            parts.append(self.positive(self._times(difference, -1)))
        either = parts[0] if len(parts) == 1 else self.one_of(*parts)
        strict = relation in (s.Relation.GT, s.Relation.LT, s.Relation.NE)
        return either if strict else self.negated(either)

    def _is_count(self, expression: s.Expression) -> bool:
        if isinstance(expression, s.Name):
            return expression.name in self._counts
        return isinstance(expression, s.COUNTS)

    def _times(self, total: Tally, factor: int) -> Tally:
        return self.added(self.number(0), total, factor)

    @abstractmethod
    def symbol(self, code: int) -> Boolean:
        """Q_σ for the symbol of a code."""

    @abstractmethod
    def truth(self, value: bool) -> Boolean:
        """A constant."""

    @abstractmethod
    def residue(self, modulus: int, residue: int) -> Boolean:
        """i mod modulus = residue."""

    @abstractmethod
    def negated(self, operand: Boolean) -> Boolean:
        """¬P."""

    @abstractmethod
    def conjunction(self, parts: Sequence[Boolean]) -> Boolean:
        """P ∧ P' ∧ …"""

    @abstractmethod
    def disjunction(self, parts: Sequence[Boolean]) -> Boolean:
        """P ∨ P' ∨ …"""

    def one_of(self, left: Boolean, right: Boolean) -> Boolean:
        """P ∨ P', which exclude each other."""
        return self.disjunction((left, right))

    @abstractmethod
    def positive(self, total: Tally) -> Boolean:
        """C > 0."""

    @abstractmethod
    def number(self, value: int) -> Tally:
        """k · 1."""

    @abstractmethod
    def value_of(self, total: Tally) -> int | None:
        """k, if a count is k · 1 without counts."""

    @abstractmethod
    def added(self, left: Tally, right: Tally, factor: int) -> Tally:
        """C + factor · C'."""

    @abstractmethod
    def counted(self, operand: Boolean) -> Tally:
        """#P."""

    @abstractmethod
    def windowed(self, low: int, high: int, operand: Boolean) -> Tally:
        """At how many of the distances low..high P held; none if low > high."""

    @abstractmethod
    def chosen(self, condition: Boolean, then: Tally, otherwise: Tally) -> Tally:
        """C where P holds, C' elsewhere."""

    @abstractmethod
    def largest(self, left: Tally, right: Tally) -> Tally:
        """max(C, C')."""


class SumAlgebra(Algebra[Boolean, Affine]):
    """An algebra whose counts are integer combinations of numbered parts."""

    def number(self, value: int) -> Affine:
        """k · 1."""
        return Affine((), value)

    def value_of(self, total: Affine) -> int | None:
        """k, if a sum has no parts."""
        return None if total.terms else total.constant

    def added(self, left: Affine, right: Affine, factor: int) -> Affine:
        """C + factor · C'."""
        return combine(((left, 1), (right, factor)))


def _chain(expression: s.Expression, kind: type[s.Conjunction] | type[s.Disjunction]) -> list[s.Expression]:
    """The parts of P ∧ Q ∧ … in order, however they are bracketed."""
    parts, waiting = [], [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            waiting.extend((part.right, part.left))
        else:
            parts.append(part)
    return parts


def find_common_period(program: s.ProgramTree, most: int, refusal: type[IdinfError], why: str) -> int:
    """Δ: the least common multiple of the moduli that the last operation needs; 1 if there are none.

    Above ``most`` the refusal is raised, with the place in the program and why there is a bound.
    """
    period = 1
    for definition in s.list_needed_definitions(program):
        for part in s.iter_parts(definition.expression):
            if isinstance(part, s.Periodic):
                period = lcm(period, part.modulus)
                if period > most:
                    raise refusal(
                        f"{part.place}: the moduli up to here have the common multiple {period}; expected "
                        f"at most {most}, for {why}; use smaller moduli"
                    )
    return period
