"""A checked C-RASP program as a circuit: equal parts once, comparisons on primitive linear forms.

Everything a step machine must remember can be read off the nodes: which linear forms in the cumulative
counts, how far back local counts look, which moduli. The word itself is never needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

from idinf.crasp import syntax as s
from idinf.crasp.meaning import Algebra
from idinf.words import Alphabet

#: Σ c · #P over pairs (c, node of P): non-zero, without common divisor, first coefficient positive, sorted by
#: node. Every multiple of it, and every comparison of a multiple with a constant, shares one counter.
Form = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Linear:
    """``scale`` · form + Σ c · value of a node + ``constant``; an empty form has scale 0."""

    scale: int
    form: Form
    rest: tuple[tuple[int, int], ...]
    constant: int


@dataclass(frozen=True, slots=True)
class ConstantNode:
    """true or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class SymbolTest:
    """The present symbol has this code."""

    code: int


@dataclass(frozen=True, slots=True)
class Residue:
    """i mod modulus is residue."""

    modulus: int
    residue: int


@dataclass(frozen=True, slots=True)
class Not:
    """¬ operand."""

    operand: int


@dataclass(frozen=True, slots=True)
class And:
    """left ∧ right."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class ThresholdTest:
    """form ≥ threshold."""

    form: Form
    threshold: int


@dataclass(frozen=True, slots=True)
class NonNegative:
    """value ≥ 0, where the value is more than one form and a constant."""

    value: Linear


@dataclass(frozen=True, slots=True)
class Window:
    """Number of positions at distance low..high (low ≤ high), SOS not counted, where the operand holds."""

    low: int
    high: int
    operand: int


@dataclass(frozen=True, slots=True)
class Choice:
    """then where the condition holds, otherwise elsewhere."""

    condition: int
    then: Linear
    otherwise: Linear


Node = ConstantNode | SymbolTest | Residue | Not | And | ThresholdTest | NonNegative | Window | Choice


@dataclass(frozen=True, slots=True)
class ProgramCircuit:
    """The nodes that the last operation needs, by number; a node's parts have smaller numbers.

    Parameters
    ----------
    nodes : tuple of (int, node)
        In increasing order of the numbers.
    output : int
        Number of the node that decides.
    """

    nodes: tuple[tuple[int, Node], ...]
    output: int


def build_circuit(program: s.ProgramTree, alphabet: Alphabet) -> ProgramCircuit:
    """Translate a checked program; operations that the last one does not need are dropped.

    Parameters
    ----------
    program : Program
        Checked over `alphabet`.
    alphabet : Alphabet

    Examples
    --------
    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> circuit = build_circuit(read_program('dead = # "0" accept = 2 * # "1" >= 3', sigma), sigma)
    >>> [node for _, node in circuit.nodes]
    [SymbolTest(code=1), ThresholdTest(form=((1, 0),), threshold=2)]
    """
    builder = _Builder(alphabet)
    output = builder.decision(program)
    return ProgramCircuit(_needed(builder.nodes, output), output)


def parts(node: Node) -> tuple[int, ...]:
    """Numbers of the nodes a node is computed from.

    Examples
    --------
    >>> parts(ThresholdTest(((1, 3), (-1, 5)), 0))
    (3, 5)
    """
    match node:
        case Not(operand) | Window(_, _, operand):
            return (operand,)
        case And(left, right):
            return (left, right)
        case ThresholdTest(form, _):
            return tuple(operand for _, operand in form)
        case NonNegative(value):
            return _parts_of_linear(value)
        case Choice(condition, then, otherwise):
            return (condition, *_parts_of_linear(then), *_parts_of_linear(otherwise))
    return ()


def _parts_of_linear(value: Linear) -> tuple[int, ...]:
    return tuple(operand for _, operand in value.form + value.rest)


def _needed(nodes: list[Node], output: int) -> tuple[tuple[int, Node], ...]:
    needed = {output}
    for number in range(output, -1, -1):  # parts have smaller numbers, so one sweep down finds them all
        if number in needed:
            needed.update(parts(nodes[number]))
    return tuple((number, nodes[number]) for number in sorted(needed))


@dataclass(frozen=True, slots=True)
class _Sum:
    """A count while it is put together: coefficients by node of the counted Boolean, and by value node."""

    counts: dict[int, int]
    values: dict[int, int]
    constant: int

    def plus(self, factor: int, other: _Sum) -> _Sum:
        return _Sum(
            _combined(self.counts, factor, other.counts),
            _combined(self.values, factor, other.values),
            self.constant + factor * other.constant,
        )

    def to_linear(self) -> Linear:
        """Split off the primitive form; the order by node number makes equal sums equal values."""
        terms = sorted((operand, c) for operand, c in self.counts.items() if c)
        rest = tuple((c, number) for number, c in sorted(self.values.items()) if c)
        if not terms:
            return Linear(0, (), rest, self.constant)
        divisor = gcd(*(c for _, c in terms))
        scale = divisor if terms[0][1] > 0 else -divisor
        return Linear(scale, tuple((c // scale, operand) for operand, c in terms), rest, self.constant)


def _combined(first: dict[int, int], factor: int, second: dict[int, int]) -> dict[int, int]:
    return {key: first.get(key, 0) + factor * second.get(key, 0) for key in first | second}


class _Builder(Algebra[int, _Sum]):
    # Mutable: nodes are numbered as they are first met, and equal nodes share a number.
    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__(alphabet)
        self.nodes: list[Node] = []
        self.numbers: dict[Node, int] = {}

    def symbol(self, code: int) -> int:
        return self._number(SymbolTest(code))

    def truth(self, value: bool) -> int:
        return self._number(ConstantNode(value))

    def residue(self, modulus: int, residue: int) -> int:
        return self._number(Residue(modulus, residue) if modulus > 1 else ConstantNode(True))

    def negated(self, operand: int) -> int:
        match self.nodes[operand]:
            case ConstantNode(value):
                return self._number(ConstantNode(not value))
            case Not(inner):
                return inner
        return self._number(Not(operand))

    def conjunction(self, parts: Sequence[int]) -> int:
        return reduce(self._and, parts)

    def disjunction(self, parts: Sequence[int]) -> int:
        return self.negated(self.conjunction([self.negated(part) for part in parts]))

    def positive(self, total: _Sum) -> int:
        return self._non_negative(total.plus(-1, self.number(1)))

    def compared(self, relation: s.Relation, difference: _Sum) -> int:
        """``difference relation 0`` in terms of "at least 0" alone: d ≤ 0 iff not d − 1 ≥ 0."""
        at_least, above = self._non_negative(difference), self.positive(difference)
        match relation:
            case s.Relation.GE:
                return at_least
            case s.Relation.GT:
                return above
            case s.Relation.LT:
                return self.negated(at_least)
            case s.Relation.LE:
                return self.negated(above)
            case s.Relation.EQ:
                return self._and(at_least, self.negated(above))
            case s.Relation.NE:
                return self.disjunction((self.negated(at_least), above))

    def number(self, value: int) -> _Sum:
        return _Sum({}, {}, value)

    def value_of(self, total: _Sum) -> int | None:
        return None if total.counts or total.values else total.constant

    def added(self, left: _Sum, right: _Sum, factor: int) -> _Sum:
        return left.plus(factor, right)

    def counted(self, operand: int) -> _Sum:
        never = self.nodes[operand] == ConstantNode(False)
        return _Sum({} if never else {operand: 1}, {}, 0)

    def windowed(self, low: int, high: int, operand: int) -> _Sum:
        never = low > high or self.nodes[operand] == ConstantNode(False)
        return _Sum({}, {}, 0) if never else self._value(Window(low, high, operand))

    def chosen(self, condition: int, then: _Sum, otherwise: _Sum) -> _Sum:
        if self.nodes[condition] in (ConstantNode(True), ConstantNode(False)):
            return then if self.nodes[condition] == ConstantNode(True) else otherwise
        return self._value(Choice(condition, then.to_linear(), otherwise.to_linear()))

    def largest(self, left: _Sum, right: _Sum) -> _Sum:
        return self.chosen(self._non_negative(left.plus(-1, right)), left, right)

    def _value(self, node: Window | Choice) -> _Sum:
        return _Sum({}, {self._number(node): 1}, 0)

    def _non_negative(self, value: _Sum) -> int:
        linear = value.to_linear()
        if linear.rest:
            return self._number(NonNegative(linear))
        if not linear.form:
            return self._number(ConstantNode(linear.constant >= 0))
        # scale · f + c ≥ 0 iff f ≥ ⌈−c / scale⌉; for scale < 0 iff f ≤ ⌊c / −scale⌋, not f ≥ that + 1.
        if linear.scale > 0:
            return self._at_least(linear.form, -(linear.constant // linear.scale))
        return self.negated(self._at_least(linear.form, linear.constant // -linear.scale + 1))

    def _at_least(self, form: Form, threshold: int) -> int:
        # A form without negative coefficients is never below 0.
        if threshold <= 0 and all(c > 0 for c, _ in form):
            return self._number(ConstantNode(True))
        return self._number(ThresholdTest(form, threshold))

    def _and(self, left: int, right: int) -> int:
        for one, other in ((left, right), (right, left)):
            if isinstance(node := self.nodes[one], ConstantNode):
                return other if node.value else one
            if node == Not(other):
                return self._number(ConstantNode(False))
        return left if left == right else self._number(And(min(left, right), max(left, right)))

    def _number(self, node: Node) -> int:
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]
