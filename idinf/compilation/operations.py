"""The operations of a program as diagrams and totals; only those that the last one needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from idinf.compilation.circuit import UnitCircuit
from idinf.compilation.counts import (
    CaseSum,
    Comparisons,
    CountSum,
    Indicator,
    Largest,
    Total,
    added,
    constant,
    times,
)
from idinf.compilation.diagrams import FALSE, TRUE, Node
from idinf.crasp import syntax as s
from idinf.crasp.checker import window
from idinf.words import Alphabet

__all__ = ["last_operation", "needed_definitions"]


def needed_definitions(program: s.Program) -> tuple[s.Definition, ...]:
    """The operations that the last one reads, over any number of steps, in order.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> [d.name for d in needed_definitions(parse('dead = # "a" as = # "a" accept = as > 1'))]
    ['as', 'accept']
    """
    needed = {program.definitions[-1].name}
    kept = []
    for definition in reversed(program.definitions):
        if definition.name in needed:
            kept.append(definition)
            needed |= s.names_in(definition.expression)
    return tuple(reversed(kept))


def last_operation(program: s.Program, alphabet: Alphabet, circuit: UnitCircuit) -> Node:
    """The Boolean that decides, in a circuit over the same alphabet.

    Parameters
    ----------
    program : Program
        Checked over `alphabet`.
    alphabet : Alphabet
    circuit : UnitCircuit
        Its period is a multiple of every modulus that the last operation needs.
    """
    reading = _Reading(alphabet, circuit, Comparisons(circuit))
    for definition in needed_definitions(program):
        reading.named[definition.name] = reading.value(definition.expression)
    return reading.boolean(s.Name(program.definitions[-1].name, program.definitions[-1].place))


@dataclass
class _Reading:
    """The values of the operations so far."""

    alphabet: Alphabet
    circuit: UnitCircuit
    comparisons: Comparisons
    named: dict[str, Node | Total] = field(default_factory=dict)

    def value(self, expression: s.Expression) -> Node | Total:
        """A node for a Boolean, a total for a count."""
        match expression:
            case s.Name(name):
                return self.named[name]
            case (
                s.Number()
                | s.Count()
                | s.Added()
                | s.Multiplied()
                | s.Negative()
                | s.Conditional()
                | s.Extremum()
            ):
                return self._count(expression)
            case _:
                return self._boolean(expression)

    def boolean(self, expression: s.Expression) -> Node:
        """A checked Boolean."""
        value = self.value(expression)
        if isinstance(value, Total):
            raise TypeError(f"{expression.place}: the count of an unchecked program is no Boolean")
        return value

    def count(self, expression: s.Expression) -> Total:
        """A checked count."""
        value = self.value(expression)
        if not isinstance(value, Total):
            raise TypeError(f"{expression.place}: the Boolean of an unchecked program is no count")
        return value

    def _boolean(self, expression: s.Expression) -> Node:
        diagrams = self.circuit.diagrams
        match expression:
            case s.Symbol(symbol):
                return self.circuit.symbol(self.alphabet.symbols.index(symbol))
            case s.Truth(truth):
                return TRUE if truth else FALSE
            case s.Periodic(_, modulus, _, residue):
                return self.circuit.residues(modulus, residue)
            case s.Negated(operand):
                return diagrams.negated(self.boolean(operand))
            case s.Conjunction(left, right):
                return diagrams.both(self.boolean(left), self.boolean(right))
            case s.Disjunction(left, right):
                return diagrams.either(self.boolean(left), self.boolean(right))
            case s.Comparison(relation, left, right):
                return self._compared(relation, added(self.count(left), self.count(right), -1))
        raise TypeError(f"{expression.place}: {type(expression).__name__} is no Boolean")

    def _compared(self, relation: s.Relation, difference: Total) -> Node:
        """The relation to 0, by strict comparisons of integers."""
        diagrams, positive = self.circuit.diagrams, self.comparisons.positive
        negative = times(difference, -1)
        match relation:
            case s.Relation.GT:
                return positive(difference)
            case s.Relation.LT:
                return positive(negative)
            case s.Relation.LE:
                return diagrams.negated(positive(difference))
            case s.Relation.GE:
                return diagrams.negated(positive(negative))
            case s.Relation.NE:
                return diagrams.either(positive(difference), positive(negative))
            case s.Relation.EQ:
                return diagrams.negated(diagrams.either(positive(difference), positive(negative)))

    def _count(self, expression: s.Expression) -> Total:
        match expression:
            case s.Number(number):
                return constant(number)
            case s.Count(predicate, operand):
                return self._counted(predicate, self.boolean(operand))
            case s.Added(sign, left, right):
                return added(self.count(left), self.count(right), sign)
            case s.Negative(operand):
                return times(self.count(operand), -1)
            case s.Multiplied(left, right):
                first, second = self.count(left), self.count(right)
                return times(second, first.constant) if not first.terms else times(first, second.constant)
            case s.Conditional(then, condition, otherwise):
                return self._chosen(self.boolean(condition), self.count(then), self.count(otherwise))
            case s.Extremum(largest, left, right):
                sign = 1 if largest else -1  # min(C, C') = −max(−C, −C')
                first, second = times(self.count(left), sign), times(self.count(right), sign)
                if first == second:
                    return times(first, sign)
                return times(self.comparisons.total(Largest(first, second)), sign)
        raise TypeError(f"{expression.place}: {type(expression).__name__} is no count")

    def _chosen(self, condition: Node, then: Total, otherwise: Total) -> Total:
        if condition in (FALSE, TRUE) or then == otherwise:
            return then if condition == TRUE else otherwise
        return self.comparisons.total(CaseSum(condition, then, otherwise))

    def _counted(self, predicate: s.Predicate | None, operand: Node) -> Total:
        """#P over everything, or over a window: one Boolean for each distance of it."""
        if operand == FALSE:
            return Total()
        if predicate is None:
            return self.comparisons.total(CountSum(operand))
        low, high = window(predicate)
        total = Total()
        for distance in range(low, high + 1):
            held = self.circuit.recalled(distance, operand)
            if held != FALSE:
                total = added(total, self.comparisons.total(Indicator(held)))
        return total
