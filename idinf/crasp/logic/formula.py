"""Formulas of MAJ2[<, +1, mod]: majority logic with the two variables x and y.

Formulas are read on a nonempty word w, with x and y at positions 1..|w|. A part that is read more than once
has a name: ``name(x)`` abbreviates its formula, and ``name(y)`` the same with x and y exchanged, so that what
is abbreviated has two variables as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Variable = Literal["x", "y"]


@dataclass(frozen=True, slots=True)
class Constant:
    """⊤ or ⊥."""

    value: bool


@dataclass(frozen=True, slots=True)
class SymbolAt:
    """Q_σ(v): the symbol at v is σ."""

    symbol: str
    at: Variable


@dataclass(frozen=True, slots=True)
class Residue:
    """v mod `modulus` is `residue`."""

    at: Variable
    modulus: int
    residue: int


@dataclass(frozen=True, slots=True)
class OrderTest:
    """v < v'; with `next`, v + 1 = v'."""

    left: Variable
    right: Variable
    next: bool = False


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A named formula at v."""

    name: str
    at: Variable


@dataclass(frozen=True, slots=True)
class Not:
    """¬φ."""

    operand: Formula


@dataclass(frozen=True, slots=True)
class All:
    """φ ∧ φ' ∧ …"""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """∃v φ."""

    variable: Variable
    operand: Formula


@dataclass(frozen=True, slots=True)
class Majority:
    """Maj v ⟨φ, φ', …⟩: of all pairs of a position v and a listed formula, more than half hold.

    Each formula of `parts` has a number: how often it is listed.
    """

    variable: Variable
    parts: tuple[tuple[Formula, int], ...]


Formula = Constant | SymbolAt | Residue | OrderTest | Abbreviation | Not | All | Exists | Majority

TRUE, FALSE = Constant(True), Constant(False)

#: What holds at the last position alone.
AT_END = Not(Exists("y", OrderTest("x", "y")))


def all_of(parts: Iterable[Formula]) -> Formula:
    """φ ∧ φ' ∧ …, without constants.

    >>> all_of([TRUE, SymbolAt("a", "x")]), all_of([SymbolAt("a", "x"), FALSE])
    (SymbolAt(symbol='a', at='x'), Constant(value=False))
    """
    flat = [one for part in parts for one in (part.parts if isinstance(part, All) else (part,))]
    kept = [part for part in dict.fromkeys(flat) if part != TRUE]
    if FALSE in kept:
        return FALSE
    return kept[0] if len(kept) == 1 else All(tuple(kept)) if kept else TRUE


def negated(operand: Formula) -> Formula:
    """¬φ, without ¬¬."""
    match operand:
        case Constant(value):
            return Constant(not value)
        case Not(inner):
            return inner
    return Not(operand)


def iter_parts(formula: Formula) -> Iterator[Formula]:
    """A formula and everything inside it; abbreviations are not followed."""
    yield formula
    match formula:
        case Not(operand) | Exists(_, operand):
            yield from iter_parts(operand)
        case All(parts):
            for part in parts:
                yield from iter_parts(part)
        case Majority(_, listed):
            for part, _ in listed:
                yield from iter_parts(part)


def format_formula(formula: Formula) -> str:
    """Write a formula; ``3 × φ`` is listed three times.

    v ≤ v' stands for ¬(v' < v), and φ ∨ φ' for ¬(¬φ ∧ ¬φ').

    >>> format_formula(Majority("y", ((All((SymbolAt("a", "y"), Not(OrderTest("x", "y")))), 2), (TRUE, 2))))
    'Maj y ⟨2 × "a"(y) ∧ y ≤ x, 2 × ⊤⟩'
    """
    match formula:
        case Constant(value):
            return "⊤" if value else "⊥"
        case SymbolAt(symbol, at):
            return f'"{symbol}"({at})'
        case Residue(at, modulus, residue):
            return f"{at} mod {modulus} = {residue}"
        case OrderTest(left, right, is_next):
            return f"{left} + 1 = {right}" if is_next else f"{left} < {right}"
        case Abbreviation(name, at):
            return f"{name}({at})"
        case Not(OrderTest(left, right, False)):
            return f"{right} ≤ {left}"
        case Not(All(parts)) if _is_disjunction(formula):
            return " ∨ ".join(_bracketed(negated(part)) for part in parts)
        case Not(operand):
            return f"¬{_bracketed(operand)}"
        case All(parts):
            return " ∧ ".join(
                _bracketed(part) if _is_disjunction(part) else format_formula(part) for part in parts
            )
        case Exists(variable, operand):
            return f"∃{variable} {_bracketed(operand)}"
        case Majority(variable, listed):
            shown = (f"{times} × " * (times > 1) + format_formula(part) for part, times in listed)
            return f"Maj {variable} ⟨{', '.join(shown)}⟩"


def _is_disjunction(formula: Formula) -> bool:
    match formula:
        case Not(All(parts)):
            return all(isinstance(part, Not) for part in parts)
    return False


def _bracketed(formula: Formula) -> str:
    text = format_formula(formula)
    match formula:
        case All() | OrderTest() | Residue() | Not(OrderTest(_, _, False)):
            return f"({text})"
    return f"({text})" if _is_disjunction(formula) else text
