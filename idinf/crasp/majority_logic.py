"""Formulas of MAJ2[<, +1, mod]: majority logic with the two variables x and y.

Formulas are read on a nonempty word w, with x and y at positions 1..|w|. A part that is read more than once
has a name: ``name(x)`` abbreviates its formula, and ``name(y)`` the same with x and y exchanged, so that what
is abbreviated has two variables as well.

*Proposition 31:* C-RASP[periodic, local] is contained in MAJ2[<, +1, mod], and C-RASP[] in MAJ2[<].
A count at position x is written as Σ coefficient · #{y : χ(x, y)}. What the paper settles by cases, one for
each value of local counts and conditions, is a term of that sum here: a number k is k · #{y : y = x}, a local
count is #{y : y = x ∧ P held so many back of x}, and a count under a condition has the condition in every
term. So formulas grow with the sum and not with the number of cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Alphabet, Word
from idinf.crasp import syntax as s
from idinf.crasp.building import add_up
from idinf.crasp.interpreter import choose_count_dtype, compute_values
from idinf.crasp.meaning import Algebra
from idinf.crasp.syntax import list_needed_definitions
from idinf.errors import BudgetError

Variable = Literal["x", "y"]


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


Formula = SymbolAt | Residue | OrderTest | Abbreviation | Not | All | Exists | Majority

#: The conjunction of nothing, and its negation.
TRUE, FALSE = All(()), Not(All(()))

#: What holds at the last position alone.
AT_END = Not(Exists("y", OrderTest("x", "y")))


def all_of(parts: Iterable[Formula]) -> Formula:
    """φ ∧ φ' ∧ …, without constants."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, All) else (part,))]
    kept = tuple(dict.fromkeys(flat))
    if FALSE in kept:
        return FALSE
    return kept[0] if len(kept) == 1 else All(kept)


def negated(operand: Formula) -> Formula:
    """¬φ, without ¬¬."""
    return operand.operand if isinstance(operand, Not) else Not(operand)


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
    """
    match formula:
        case All(()):
            return "⊤"
        case Not(All(())):
            return "⊥"
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
            return bool(parts) and all(isinstance(part, Not) for part in parts)
    return False


def _bracketed(formula: Formula) -> str:
    text = format_formula(formula)
    match formula:
        case All((_, *_)) | OrderTest() | Residue() | Not(OrderTest(_, _, False)):
            return f"({text})"
    return f"({text})" if _is_disjunction(formula) else text


#: Longest word: values of a formula are kept for all pairs of its positions.
MAX_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class MajorityFormula:
    """A sentence with the formulas that it abbreviates; it says of a word whether it is accepted.

    `named`: each with x as its only free variable, reading only what is named before it. `sentence`: without
    free variables; it decides nonempty words. `accepts_empty`: what ε gets, which has no position: where it
    is accepted, the whole formula is the sentence or ¬∃x ⊤.

    Implements Definition 30 of [HYB25]_.

    >>> more = MajorityFormula(Alphabet(("0", "1")), (), Majority("x", ((SymbolAt("1", "x"), 1),)), False)
    >>> ["" in more, "01" in more, "101" in more]
    [False, False, True]
    """

    alphabet: Alphabet
    named: tuple[tuple[str, Formula], ...]
    sentence: Formula
    accepts_empty: bool

    def __repr__(self) -> str:
        return f"<MajorityFormula {self.class_name} over {' '.join(self.alphabet.symbols)}>"

    @property
    def class_name(self) -> str:
        """MAJ2 with the predicates that are used."""
        formulas = [*(formula for _, formula in self.named), self.sentence]
        parts = [part for formula in formulas for part in iter_parts(formula)]
        used = ["<"]
        used += ["+1"] * any(isinstance(part, OrderTest) and part.next for part in parts)
        used += ["mod"] * any(isinstance(part, Residue) for part in parts)
        return f"MAJ2[{', '.join(used)}]"

    def __str__(self) -> str:
        """One line for each abbreviation, and the sentence."""
        last = format_formula(self.sentence) + " ∨ ¬∃x ⊤" * self.accepts_empty
        return "\n".join([*(f"{name}(x) := {format_formula(part)}" for name, part in self.named), last])

    def __contains__(self, word: str | Sequence[str]) -> bool:
        return self.accepts(self.alphabet.encode(word))

    def accepts(self, word: Word) -> bool:
        """Evaluate the formula on a word, exactly; time is quadratic in its length for each sign.

        Raises `BudgetError` if the word is longer than `MAX_LENGTH`.
        """
        if len(word) > MAX_LENGTH:
            raise BudgetError(
                f"a word of {len(word)} symbols; expected at most {MAX_LENGTH}; use a shorter one"
            )
        if not word:
            return self.accepts_empty
        reading = _FormulaValues(tuple(self.alphabet.symbols[code] for code in word))
        for name, part in self.named:
            reading.named[name] = np.broadcast_to(reading.value(part), (len(word), 1))[:, 0]
        return bool(reading.value(self.sentence)[0, 0])


class _FormulaValues:
    # Mutable: abbreviations are read in order. A value has an axis for x and one for y, of length 1 where it
    # does not depend on the variable.
    def __init__(self, symbols: tuple[str, ...]) -> None:
        self.symbols = np.array(symbols, dtype=object)
        self.positions = np.arange(1, len(symbols) + 1)
        self.named: dict[str, NDArray[np.bool_]] = {}

    def value(self, formula: Formula) -> NDArray[np.bool_]:
        match formula:
            case SymbolAt(symbol, at):
                return _along(at, self.symbols == symbol)
            case Residue(at, modulus, residue):
                return _along(at, self.positions % modulus == residue)
            case OrderTest(left, right, is_next):
                first, second = _along(left, self.positions), _along(right, self.positions)
                return np.asarray(first + 1 == second if is_next else first < second)
            case Abbreviation(name, at):
                return _along(at, self.named[name])
            case Not(operand):
                return np.logical_not(self.value(operand))
            case All(parts):
                return reduce(np.logical_and, map(self.value, parts), np.full((1, 1), True))
            case Exists(variable, operand):
                found = np.any(self.value(operand), axis="xy".index(variable), keepdims=True)
                return np.asarray(found)
            case Majority(variable, parts):
                return self._majority("xy".index(variable), parts)

    def _majority(self, axis: int, parts: tuple[tuple[Formula, int], ...]) -> NDArray[np.bool_]:
        """Σ over positions and formulas of 1 where one holds and −1 where not, above 0."""
        length, listed = len(self.positions), sum(times for _, times in parts)
        total: Any = np.full((1, 1), -listed * length, dtype=choose_count_dtype(2 * listed, length))
        for part, times in parts:
            held = self.value(part)
            found = held.sum(axis=axis, keepdims=True, dtype=np.int64).astype(total.dtype)
            total = total + 2 * times * (found if held.shape[axis] > 1 else found * length)
        return np.asarray(total > 0, dtype=np.bool_)


def _along(variable: Variable, values: NDArray[Any]) -> NDArray[Any]:
    return values[:, None] if variable == "x" else values[None, :]


#: Terms of one sum; conditions inside of conditions multiply them.
MAX_TERMS = 2_000

#: Σ coefficient · #{y : χ(x, y)}, by χ.
Terms = dict[Formula, int]

_UP_TO_HERE = Not(OrderTest("x", "y"))
_HERE = (_UP_TO_HERE, Not(OrderTest("y", "x")))


def to_majority_logic(program: s.ProgramTree, alphabet: Alphabet) -> MajorityFormula:
    """Write a program checked over an alphabet as a formula that accepts the same words, ε included.

    Booleans of the program that decide have their names; further ones are called ``@1``, ``@2``, …, and
    ``P@2`` says that P held two positions back.

    Raises `BudgetError` if a sum has more than `MAX_TERMS` terms.

    Implements Proposition 31 of [HYB25]_, and its Remark 32: a program without positional relations has a
    formula without +1 and mod.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> print(to_majority_logic(read_program('accept = # "0" < # "1"', sigma), sigma))
    accept(x) := Maj y ⟨¬("0"(y) ∧ y ≤ x), "1"(y) ∧ y ≤ x⟩
    ∃x (accept(x) ∧ ¬∃y (x < y))
    """
    found = _Translation(alphabet)
    needed = list_needed_definitions(program)
    decision = found.decision(needed)
    at_sos = compute_values(program, alphabet, ())[-1].at[0]
    sentence = Exists("x", all_of((decision, AT_END)))
    return MajorityFormula(alphabet, tuple(found.short), sentence, bool(at_sos))


class _Translation(Algebra[Formula, Terms]):
    # Mutable: abbreviations are collected in the order in which they are needed. Booleans have x as their
    # only free variable.
    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__(alphabet)
        self.short: list[tuple[str, Formula]] = []
        self._names: dict[Formula, Formula] = {}

    def named(self, name: str, value: Formula) -> Formula:
        return self._abbreviated(value, name)

    def symbol(self, code: int) -> Formula:
        return SymbolAt(self.alphabet.symbols[code], "x")

    def truth(self, value: bool) -> Formula:
        return TRUE if value else FALSE

    def residue(self, modulus: int, residue: int) -> Formula:
        return Residue("x", modulus, residue) if modulus > 1 else TRUE

    def negated(self, operand: Formula) -> Formula:
        return negated(operand)

    def conjunction(self, parts: Sequence[Formula]) -> Formula:
        return all_of(parts)

    def disjunction(self, parts: Sequence[Formula]) -> Formula:
        return negated(all_of(negated(part) for part in parts))

    def positive(self, total: Terms) -> Formula:
        """Σ c · #χ > 0: χ or ¬χ is listed |c| times, and ⊤ or ⊥ so often that the n positions cancel.

        Listed c times, χ adds c · (2 #χ − n) to what holds less what does not; ¬χ adds the opposite.
        """
        if not total:
            return FALSE
        if len(total) > MAX_TERMS:
            raise BudgetError(
                f"a sum of {len(total)} terms; expected at most {MAX_TERMS}; use fewer conditions inside of "
                "conditions"
            )
        parts = [(part, c) if c > 0 else (negated(part), -c) for part, c in total.items()]
        if rest := sum(total.values()):
            parts.append((TRUE if rest > 0 else FALSE, abs(rest)))
        return Majority("y", tuple(parts))

    def number(self, value: int) -> Terms:
        return {All(_HERE): value} if value else {}

    def value_of(self, total: Terms) -> int | None:
        return total.get(All(_HERE), 0) if total.keys() <= {All(_HERE)} else None

    def added(self, left: Terms, right: Terms, factor: int) -> Terms:
        return add_up([*left.items(), *((part, factor * c) for part, c in right.items())])

    def counted(self, operand: Formula) -> Terms:
        held = self._at_y(operand)
        return {} if held == FALSE else {all_of((held, _UP_TO_HERE)): 1}

    def windowed(self, low: int, high: int, operand: Formula) -> Terms:
        total = self.number(0)
        for distance in range(low, high + 1):
            total = self.added(total, _where(self._back(operand, distance), self.number(1)), 1)
        return total

    def chosen(self, condition: Formula, then: Terms, otherwise: Terms) -> Terms:
        """C' + [P] (C − C'), so that what both have in common has no condition."""
        difference = self.added(then, otherwise, -1)
        return self.added(otherwise, _where(self._abbreviated(condition), difference), 1)

    def largest(self, left: Terms, right: Terms) -> Terms:
        return self.chosen(self.positive(self.added(left, right, -1)), left, right)

    def _back(self, operand: Formula, distance: int) -> Formula:
        """P so many positions back: ∃y (y + 1 = x ∧ P(y)), again and again."""
        base = self._abbreviated(operand)
        held = base
        for k in range(1, distance + 1):
            if held == FALSE:
                break
            step = Exists("y", all_of((OrderTest("y", "x", next=True), self._at_y(held))))
            name = f"{base.name}@{k}" if isinstance(base, Abbreviation) else ""
            held = self._abbreviated(step, name)
        return held

    def _abbreviated(self, formula: Formula, name: str = "") -> Formula:
        """A formula by its name, if it is not a single sign; equal formulas share the first name."""
        if formula in (TRUE, FALSE) or isinstance(formula, SymbolAt | Residue | Abbreviation):
            return formula
        if formula not in self._names:
            name = name or f"@{len(self.short) + 1}"
            self.short.append((name, formula))
            self._names[formula] = Abbreviation(name, "x")
        return self._names[formula]

    def _at_y(self, operand: Formula) -> Formula:
        match self._abbreviated(operand):
            case SymbolAt() | Residue() | Abbreviation() as sign:
                return replace(sign, at="y")
            case constant:
                return constant


def _where(condition: Formula, total: Terms) -> Terms:
    """C where P(x) holds, 0 elsewhere."""
    if condition == FALSE:
        return {}
    return {all_of((condition, part)): c for part, c in total.items()}
