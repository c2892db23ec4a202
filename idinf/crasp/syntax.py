"""Programs as syntax trees, one frozen node per construct with its place in the text, and trees as text.

Positions i and j are 1-based as in [HYB25]; SOS is not counted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from typing import Any, TypeVar, get_args

_Item = TypeVar("_Item")


class Relation(StrEnum):
    """Comparison of two integers."""

    EQ = "=="
    NE = "!="
    LE = "<="
    LT = "<"
    GE = ">="
    GT = ">"

    @classmethod
    def _missing_(cls, value: object) -> Relation | None:
        return cls.EQ if value == "=" else None

    def holds(self, left: int, right: int) -> bool:
        """True if ``left`` stands in this relation to ``right``."""
        return bool(COMPARE[self](left, right))

    @property
    def opposite(self) -> Relation:
        """The relation that holds exactly where this one does not."""
        return _OPPOSITE[self]


#: Relations as functions of numbers or of arrays.
COMPARE: dict[Relation, Callable[[Any, Any], Any]] = {
    Relation.EQ: operator.eq,
    Relation.NE: operator.ne,
    Relation.LE: operator.le,
    Relation.LT: operator.lt,
    Relation.GE: operator.ge,
    Relation.GT: operator.gt,
}

_PAIRS = [(Relation.GT, Relation.LE), (Relation.LT, Relation.GE), (Relation.EQ, Relation.NE)]
_OPPOSITE = dict(_PAIRS) | {other: one for one, other in _PAIRS}


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A place in a program text; line and column are 1-based."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


#: Where nodes stand that are made and not read.
HERE = TextPlace(1, 1)


@dataclass(frozen=True, slots=True)
class Predicate:
    """``[variable relation anchor ± offset]`` as written; `anchor` is empty for a bare name."""

    variable: str
    relation: Relation
    anchor: str
    offset: int
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Name:
    """The value of an earlier operation."""

    name: str
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Symbol:
    """Q_σ(i): the symbol at i is σ."""

    symbol: str
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Truth:
    """``true`` or ``false``."""

    value: bool
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Periodic:
    """φ(i): i mod `modulus` is `residue`."""

    variable: str
    modulus: int
    relation: Relation
    residue: int
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Negated:
    """¬P."""

    operand: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Conjunction:
    """P ∧ P'."""

    left: Expression
    right: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Disjunction:
    """P ∨ P'."""

    left: Expression
    right: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Comparison:
    """C compared with C'."""

    relation: Relation
    left: Expression
    right: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Number:
    """The count k · 1."""

    value: int
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Count:
    """#[1 ≤ j ≤ i, ψ(i,j)] P(j); `predicate` None is ψ = true."""

    predicate: Predicate | None
    operand: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Added:
    """C + C', or C − C' where `sign` is −1."""

    sign: int
    left: Expression
    right: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Multiplied:
    """k · C; one of the two sides is a number."""

    left: Expression
    right: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Negative:
    """−C."""

    operand: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Conditional:
    """C if P else C'."""

    then: Expression
    condition: Expression
    otherwise: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class Extremum:
    """min(C, C'), or max(C, C') where `largest`."""

    largest: bool
    left: Expression
    right: Expression
    place: TextPlace = HERE


Expression = (
    Name
    | Symbol
    | Truth
    | Periodic
    | Negated
    | Conjunction
    | Disjunction
    | Comparison
    | Number
    | Count
    | Added
    | Multiplied
    | Negative
    | Conditional
    | Extremum
)

#: Constructs that are counts; a name is what it names, and all others are Booleans.
COUNTS = (Number, Count, Added, Multiplied, Negative, Conditional, Extremum)

_CONSTRUCTS = frozenset(get_args(Expression))


@dataclass(frozen=True, slots=True)
class Definition:
    """``name = expression``."""

    name: str
    expression: Expression
    place: TextPlace = HERE


@dataclass(frozen=True, slots=True)
class ProgramTree:
    """Operations in order; the last one decides."""

    definitions: tuple[Definition, ...]


def list_children(expression: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression, in reading order."""
    values = [getattr(expression, name) for name in expression.__slots__]
    return tuple(value for value in values if type(value) in _CONSTRUCTS)


def name_parts(expression: Expression) -> dict[str, Expression]:
    """The direct parts of an expression by the names of their fields, in reading order."""
    values = [(name, getattr(expression, name)) for name in expression.__slots__]
    return {name: value for name, value in values if type(value) in _CONSTRUCTS}


def replace_parts(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The same construct with its direct parts changed, in reading order."""
    changed: dict[str, Any] = {name: change(part) for name, part in name_parts(expression).items()}
    return replace(expression, **changed) if changed else expression


def iter_parts(expression: Expression) -> Iterator[Expression]:
    """An expression and everything inside it, outermost first."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(reversed(list_children(part)))


def fresh_name(stem: str, taken: set[str]) -> str:
    """The first of ``stem1``, ``stem2``, … that is not taken; it is from now on."""
    name = next(name for k in count(1) if (name := f"{stem}{k}") not in taken)
    taken.add(name)
    return name


def rebuild(
    program: ProgramTree, change: Callable[[Expression, Callable[[str, Expression], Name]], Expression]
) -> ProgramTree:
    """The program with every operation changed; the change may give a part an operation of its own before.

    It asks for that by a stem, from which the name of that operation is made.
    """
    rows: list[Definition] = []
    taken = {row.name for row in program.definitions}

    def name_part(stem: str, part: Expression) -> Name:
        rows.append(Definition(fresh_name(stem, taken), part, part.place))
        return Name(rows[-1].name, part.place)

    for row in program.definitions:
        own = change(row.expression, name_part)  # which appends what it names
        rows.append(replace(row, expression=own))
    return ProgramTree(tuple(rows))


def find_reached(first: Iterable[_Item], reads: Callable[[_Item], Iterable[_Item]]) -> set[_Item]:
    """Some items, and all that they read over any number of steps.

    >>> sorted(find_reached([6], lambda number: [number // 2] if number else []))
    [0, 1, 3, 6]
    """
    found, waiting = set[_Item](), list(first)
    while waiting:
        item = waiting.pop()
        if item not in found:
            found.add(item)
            waiting.extend(reads(item))
    return found


def find_names(expression: Expression) -> set[str]:
    """Names of the operations that an expression reads."""
    return {part.name for part in iter_parts(expression) if isinstance(part, Name)}


def list_needed_definitions(program: ProgramTree) -> tuple[Definition, ...]:
    """The operations that the last one reads, over any number of steps, in order.

    >>> from idinf.crasp.parser import parse
    >>> [d.name for d in list_needed_definitions(parse('dead = # "a" as = # "a" accept = as > 1'))]
    ['as', 'accept']
    """
    rows = {row.name: row.expression for row in program.definitions}
    needed = find_reached([program.definitions[-1].name], lambda name: find_names(rows[name]))
    return tuple(row for row in program.definitions if row.name in needed)


# How tightly constructs bind, loosest first; see the grammar.
_CHOICE, _OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _UNARY, _ATOM = range(9)


def format_program(program: ProgramTree) -> str:
    """A program as text, one operation per line."""
    return "".join(f"{d.name} = {format_expression(d.expression)}\n" for d in program.definitions)


def format_expression(expression: Expression) -> str:
    """One expression as text.

    >>> from idinf.crasp.parser import parse
    >>> program = parse('x = !(("a") || ((i mod 2 == 0))) && (# ! y) - (1 - 2) > 0')
    >>> format_expression(program.definitions[0].expression)
    '!("a" || i mod 2 == 0) && # !y - (1 - 2) > 0'
    """
    return _text(expression, _CHOICE)


def _text(expression: Expression, least: int) -> str:
    """Text that binds at least so tightly."""
    level, text = _written(expression)
    return text if level >= least else f"({text})"


def _written(expression: Expression) -> tuple[int, str]:
    """The precedence of the text of an expression, and the text."""
    match expression:
        case Name(name):
            return _ATOM, name
        case Symbol(symbol):
            return _ATOM, f'"{symbol}"'
        case Truth(value):
            return _ATOM, str(value).lower()
        case Number(number):
            return (_ATOM, str(number)) if number >= 0 else (_UNARY, f"-{-number}")
        case Periodic(variable, modulus, relation, residue):
            return _COMPARED, f"{variable} mod {modulus} {relation} {residue}"
        case Negated(operand):
            return _NOT, f"!{_text(operand, _NOT)}"
        case Conjunction(left, right):
            return _AND, f"{_text(left, _AND)} && {_text(right, _NOT)}"
        case Disjunction(left, right):
            return _OR, f"{_text(left, _OR)} || {_text(right, _AND)}"
        case Comparison(relation, left, right):
            return _COMPARED, f"{_text(left, _SUM)} {relation} {_text(right, _SUM)}"
        case Count(predicate, operand):
            return _UNARY, f"#{_predicate(predicate)} {_operand(operand)}"
        case Added(sign, left, right):
            return _SUM, f"{_text(left, _SUM)} {'+' if sign > 0 else '-'} {_text(right, _PRODUCT)}"
        case Multiplied(left, right):
            return _PRODUCT, f"{_text(left, _PRODUCT)} * {_text(right, _UNARY)}"
        case Negative(operand):
            return _UNARY, f"-{_text(operand, _UNARY)}"
        case Conditional(then, condition, otherwise):
            choice = f"{_text(then, _OR)} if {_text(condition, _OR)} else {_text(otherwise, _CHOICE)}"
            return _CHOICE, choice
        case Extremum(largest, left, right):
            name = "max" if largest else "min"
            return _ATOM, f"{name}({_text(left, _CHOICE)}, {_text(right, _CHOICE)})"


def _operand(expression: Expression) -> str:
    """The operand of ``#``: an atom, or a negated one."""
    if isinstance(expression, Negated):
        return f"!{_operand(expression.operand)}"
    return _text(expression, _ATOM)


def _predicate(predicate: Predicate | None) -> str:
    if predicate is None:
        return ""
    relation = "=" if predicate.relation is Relation.EQ else predicate.relation
    distance = f"{predicate.offset:+d}" if predicate.offset else ""
    return f"[{predicate.variable} {relation} {predicate.anchor}{distance}]"
