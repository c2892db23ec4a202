"""The syntax tree of C-RASP programs: one frozen node per construct, each with its place in the text.

Positions i and j are 1-based as in [HYB25]; SOS is not counted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from typing import Any


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
        """Whether ``left`` stands in this relation to ``right``.

        >>> Relation.LE.holds(2, 2), Relation.NE.holds(2, 2)
        (True, False)
        """
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


@dataclass(frozen=True, slots=True)
class Predicate:
    """``[variable relation anchor ± offset]`` as written; `anchor` is empty for a bare name."""

    variable: str
    relation: Relation
    anchor: str
    offset: int
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Name:
    """The value of an earlier operation."""

    name: str
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Symbol:
    """Q_σ(i): the symbol at i is σ."""

    symbol: str
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Truth:
    """``true`` or ``false``."""

    value: bool
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Periodic:
    """φ(i): i mod `modulus` is `residue`."""

    variable: str
    modulus: int
    relation: Relation
    residue: int
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Negated:
    """¬P."""

    operand: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Conjunction:
    """P ∧ P'."""

    left: Expression
    right: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Disjunction:
    """P ∨ P'."""

    left: Expression
    right: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Comparison:
    """C compared with C'."""

    relation: Relation
    left: Expression
    right: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Number:
    """The count k · 1."""

    value: int
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Count:
    """#[1 ≤ j ≤ i, ψ(i,j)] P(j); `predicate` None is ψ = true."""

    predicate: Predicate | None
    operand: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Added:
    """C + C', or C − C' where `sign` is −1."""

    sign: int
    left: Expression
    right: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Multiplied:
    """k · C; one of the two sides is a number."""

    left: Expression
    right: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Negative:
    """−C."""

    operand: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Conditional:
    """C if P else C'."""

    then: Expression
    condition: Expression
    otherwise: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class Extremum:
    """min(C, C'), or max(C, C') where `largest`."""

    largest: bool
    left: Expression
    right: Expression
    place: TextPlace


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


@dataclass(frozen=True, slots=True)
class Definition:
    """``name = expression``."""

    name: str
    expression: Expression
    place: TextPlace


@dataclass(frozen=True, slots=True)
class ProgramTree:
    """Operations in order; the last one decides."""

    definitions: tuple[Definition, ...]


def list_children(expression: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression, in reading order.

    >>> here = TextPlace(1, 1)
    >>> len(list_children(Conjunction(Truth(True, here), Truth(False, here), here)))
    2
    """
    return tuple(name_parts(expression).values())


def replace_parts(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The same construct with its direct parts changed.

    >>> here = TextPlace(1, 1)
    >>> replace_parts(Negated(Name("x", here), here), lambda part: Truth(True, part.place)).operand.value
    True
    """
    changed: dict[str, Any] = {name: change(part) for name, part in name_parts(expression).items()}
    return replace(expression, **changed) if changed else expression


def name_parts(expression: Expression) -> dict[str, Expression]:
    """The direct parts of an expression by the names of their fields, in reading order.

    >>> here = TextPlace(1, 1)
    >>> list(name_parts(Conjunction(Truth(True, here), Truth(False, here), here)))
    ['left', 'right']
    """
    values = ((name, getattr(expression, name)) for name in expression.__slots__)
    return {name: value for name, value in values if isinstance(value, Expression)}


def iter_parts(expression: Expression) -> Iterator[Expression]:
    """An expression and everything inside it, outermost first.

    >>> here = TextPlace(1, 1)
    >>> len(list(iter_parts(Negated(Negated(Truth(True, here), here), here))))
    3
    """
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(reversed(list_children(part)))


def fresh_name(stem: str, taken: set[str]) -> str:
    """The first of ``stem1``, ``stem2``, … that is not taken; it is from now on.

    >>> fresh_name("x", {"x1"})
    'x2'
    """
    name = next(name for k in count(1) if (name := f"{stem}{k}") not in taken)
    taken.add(name)
    return name


def find_names(expression: Expression) -> set[str]:
    """Names of the operations that an expression reads.

    >>> here = TextPlace(1, 1)
    >>> find_names(Negated(Name("x", here), here))
    {'x'}
    """
    return {part.name for part in iter_parts(expression) if isinstance(part, Name)}
