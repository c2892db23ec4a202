"""A checked C-RASP program as a circuit: equal parts once, comparisons on primitive linear forms.

Everything a step machine must remember can be read off the nodes: which linear forms in the cumulative
counts, how far back local counts look, which moduli. The word itself is never needed. Whoever asks more of
the nodes folds them in a domain of its own: exact truths, three values, conditions on words.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import Any, Generic, NamedTuple, TypeVar

from idinf.base.linear_algebra import Affine, read_feature
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.meaning import SumAlgebra
from idinf.crasp.syntax import find_reached, list_needed_definitions

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

    @property
    def mask(self) -> int:
        """The distances as bits, distance 0 lowest."""
        return (1 << (self.high + 1)) - (1 << self.low)


@dataclass(frozen=True, slots=True)
class Choice:
    """then where the condition holds, otherwise elsewhere."""

    condition: int
    then: Linear
    otherwise: Linear


Node = ConstantNode | SymbolTest | Residue | Not | And | ThresholdTest | NonNegative | Window | Choice


@dataclass(frozen=True, slots=True)
class ProgramCircuit:
    """The nodes that the last operation needs, by ascending number; a node's parts have smaller numbers.

    ``output`` is the number of the node that decides.
    """

    nodes: tuple[tuple[int, Node], ...]
    output: int


def build_circuit(program: s.ProgramTree, alphabet: Alphabet) -> ProgramCircuit:
    """Translate a program, checked over an alphabet; what the last operation does not need is dropped.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> circuit = build_circuit(read_program('dead = # "0" accept = 2 * # "1" >= 3', sigma), sigma)
    >>> [node for _, node in circuit.nodes]
    [SymbolTest(code=1), ThresholdTest(form=((1, 0),), threshold=2)]
    """
    builder = _Builder(alphabet)
    output = builder.decision(list_needed_definitions(program))
    needed = find_reached([output], lambda number: list_parts(builder.nodes[number]))
    return ProgramCircuit(tuple((number, builder.nodes[number]) for number in sorted(needed)), output)


def list_linears(node: Node) -> tuple[Linear, ...]:
    """The values that a node compares or chooses from."""
    match node:
        case NonNegative(value):
            return (value,)
        case Choice(_, then, otherwise):
            return (then, otherwise)
    return ()


def list_parts(node: Node) -> tuple[int, ...]:
    """Numbers of the nodes a node is computed from.

    >>> list_parts(ThresholdTest(((1, 3), (-1, 5)), 0))
    (3, 5)
    """
    own: Iterable[int] = ()
    match node:
        case Not(operand) | Window(_, _, operand) | Choice(operand):
            own = (operand,)
        case And(left, right):
            own = (left, right)
        case ThresholdTest(form, _):
            own = (operand for _, operand in form)
    return (*own, *(operand for value in list_linears(node) for _, operand in value.form + value.rest))


Truth = TypeVar("Truth")
Value = TypeVar("Value")


class Fold(ABC, Generic[Truth, Value]):
    """Truths and values of nodes at one position, in the domain of a subclass.

    Mutable: they fill up in the order of the nodes. Truths are joined by ``&`` and ``~`` unless a domain says
    otherwise.
    """

    def __init__(self) -> None:
        self.truths: dict[int, Truth] = {}
        self.values: dict[int, Value] = {}

    def run(self, nodes: Iterable[tuple[int, Node]]) -> None:
        """Read some nodes; the parts of each are among them, before it."""
        for number, node in nodes:
            match node:
                case ThresholdTest() | NonNegative():
                    self.truths[number] = self.compared(node)
                case ConstantNode() | SymbolTest() | Residue():
                    self.truths[number] = self.given(node)
                case And(left, right):
                    self.truths[number] = self.both(left, right)
                case Not(operand):
                    self.truths[number] = self.negated(self.truths[operand])
                case _:
                    self.values[number] = self.value(node)

    def both(self, left: int, right: int) -> Truth:
        """The truth of the conjunction of two nodes."""
        one: Any = self.truths[left]
        return one & self.truths[right]  # type: ignore[no-any-return]

    def negated(self, operand: Truth) -> Truth:
        """The truth of a negation, by the truth of its operand."""
        held: Any = operand
        return ~held  # type: ignore[no-any-return]

    @abstractmethod
    def given(self, node: ConstantNode | SymbolTest | Residue) -> Truth:
        """A node that reads the present symbol and the length alone."""

    @abstractmethod
    def compared(self, node: ThresholdTest | NonNegative) -> Truth:
        """A comparison of counts."""

    @abstractmethod
    def value(self, node: Window | Choice) -> Value:
        """The number of places nearby where a node held, or one of two numbers."""


def find_letter_sets(circuit: ProgramCircuit, size: int) -> dict[int, tuple[bool, ...]]:
    """The nodes that read nothing but which of some letters is present, with their truth at each.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> find_letter_sets(build_circuit(read_program('accept = !"0" && # "1" >= 2', sigma), sigma), 2)
    {0: (True, False), 1: (False, True), 2: (False, True)}
    """
    truths: dict[int, tuple[bool, ...]] = {}
    for number, node in circuit.nodes:
        match node:
            case ConstantNode(value):
                truths[number] = (value,) * size
            case SymbolTest(code):
                truths[number] = tuple(letter == code for letter in range(size))
            case Not(operand) if operand in truths:
                truths[number] = tuple(not held for held in truths[operand])
            case And(left, right) if left in truths and right in truths:
                truths[number] = tuple(map(min, truths[left], truths[right]))
    return truths


class Known(NamedTuple):
    """Three values: known to hold, known not to hold, or neither; Booleans, or arrays of them.

    >>> unknown = Known(False, False)
    >>> unknown & Known(False, True), ~Known(True, False)
    (Known(true=False, false=True), Known(true=False, false=True))
    """

    true: Any
    false: Any

    def __invert__(self) -> Known:
        return Known(self.false, self.true)

    def __and__(self, other: Known) -> Known:
        return Known(self.true & other.true, self.false | other.false)


@dataclass(frozen=True, slots=True)
class Layout:
    """The contents of the columns of a state, in this order; the label is the last column.

    Only forms that never decrease and are compared with constants alone have a cap, the largest constant: all
    values from there on compare alike for ever.
    """

    forms: tuple[Form, ...]  #: values of linear forms in the cumulative counts
    #: One per form: the least and the greatest constant it is compared with, None where it is used otherwise.
    constants: tuple[tuple[int, int] | None, ...]
    histories: tuple[tuple[int, int], ...]  #: (node, k): the node's last k truth values, the latest lowest
    moduli: tuple[int, ...]  #: i mod m

    @property
    def caps(self) -> tuple[int | None, ...]:
        """One per form: where it saturates."""
        pairs = zip(self.forms, self.constants, strict=True)
        return tuple(ends[1] if ends and all(k > 0 for k, _ in form) else None for form, ends in pairs)

    @property
    def num_columns(self) -> int:
        """Number of columns, the label included."""
        return len(self.forms) + len(self.histories) + len(self.moduli) + 1


def collect_layout(circuit: ProgramCircuit) -> Layout:
    """Collect what the nodes of a circuit compare, look back at, and count modulo."""
    constants: dict[Form, tuple[int, int] | None] = {}
    reaches: dict[int, int] = {}
    moduli: dict[int, None] = {}
    for _, node in circuit.nodes:
        match node:
            case ThresholdTest(form, threshold):
                ends = constants.get(form, (threshold, threshold))
                if ends is not None:
                    constants[form] = min(ends[0], threshold), max(ends[1], threshold)
            case Window(_, high, operand) if high > 0:
                reaches[operand] = max(high, reaches.get(operand, 0))
            case Residue(modulus, _):
                moduli[modulus] = None
        constants |= {value.form: None for value in list_linears(node) if value.form}
    return Layout(tuple(constants), tuple(constants.values()), tuple(reaches.items()), tuple(moduli))


class _Builder(SumAlgebra[int]):
    # Mutable: nodes are numbered as they are first met, and equal nodes share a number. The features of a
    # count are nodes: Booleans that are counted, and windows and choices with their values.
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

    def positive(self, total: Affine) -> int:
        return self._non_negative(total.plus(-1))

    def compared(self, relation: s.Relation, difference: Affine) -> int:
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

    def counted(self, operand: int) -> Affine:
        return Affine() if self.nodes[operand] == ConstantNode(False) else read_feature(operand)

    def windowed(self, low: int, high: int, operand: int) -> Affine:
        never = low > high or self.nodes[operand] == ConstantNode(False)
        return Affine() if never else read_feature(self._number(Window(low, high, operand)))

    def chosen(self, condition: int, then: Affine, otherwise: Affine) -> Affine:
        if isinstance(node := self.nodes[condition], ConstantNode):
            return then if node.value else otherwise
        return read_feature(self._number(Choice(condition, self._linear(then), self._linear(otherwise))))

    def largest(self, left: Affine, right: Affine) -> Affine:
        return self.chosen(self._non_negative(left - right), left, right)

    def _linear(self, total: Affine) -> Linear:
        """Split off the primitive form; the order by node number makes equal sums equal values."""
        terms = [(c, number) for number, c in total.terms]
        rest = tuple(term for term in terms if isinstance(self.nodes[term[1]], Window | Choice))
        counts = [term for term in terms if term not in rest]
        if not counts:
            return Linear(0, (), rest, total.constant)
        divisor = gcd(*(c for c, _ in counts))
        scale = divisor if counts[0][0] > 0 else -divisor
        return Linear(scale, tuple((c // scale, number) for c, number in counts), rest, total.constant)

    def _non_negative(self, total: Affine) -> int:
        linear = self._linear(total)
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
