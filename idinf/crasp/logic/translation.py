"""Proposition 31: C-RASP[periodic, local] is contained in MAJ2[<, +1, mod], and C-RASP[] in MAJ2[<].

A count at position x is written as Σ coefficient · #{y : χ(x, y)}. What the paper settles by cases, one for
each value of local counts and conditions, is a term of that sum here: a number k is k · #{y : y = x}, a local
count is #{y : y = x ∧ P held so many back of x}, and a count under a condition has the condition in every
term. So formulas grow with the sum and not with the number of cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.interpreter import compute_values
from idinf.crasp.logic.formula import (
    AT_END,
    FALSE,
    TRUE,
    Abbreviation,
    All,
    Constant,
    Exists,
    Formula,
    Majority,
    Not,
    OrderTest,
    Residue,
    SymbolAt,
    all_of,
    negated,
)
from idinf.crasp.logic.majority_formula import MajorityFormula
from idinf.crasp.meaning import Algebra, list_needed_definitions
from idinf.errors import BudgetError

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
    return MajorityFormula(alphabet, tuple(found.named), sentence, bool(at_sos))


class _Translation(Algebra[Formula, Terms]):
    # Mutable: abbreviations are collected in the order in which they are needed. Booleans have x as their
    # only free variable.
    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__(alphabet)
        self.named: list[tuple[str, Formula]] = []
        self._names: dict[Formula, Formula] = {}

    def decision(self, needed: Sequence[s.Definition]) -> Formula:
        """The last operation, where every Boolean is abbreviated by its own name."""
        for definition in needed:
            if self._is_count(definition.expression):
                self._counts[definition.name] = self.count(definition.expression)
            else:
                value = self.boolean(definition.expression)
                self._booleans[definition.name] = self._abbreviated(value, definition.name)
        return self._booleans[needed[-1].name]

    def symbol(self, code: int) -> Formula:
        return SymbolAt(self.alphabet.symbols[code], "x")

    def truth(self, value: bool) -> Formula:
        return Constant(value)

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
            parts.append((Constant(rest > 0), abs(rest)))
        return Majority("y", tuple(parts))

    def number(self, value: int) -> Terms:
        return {All(_HERE): value} if value else {}

    def value_of(self, total: Terms) -> int | None:
        return total.get(All(_HERE), 0) if total.keys() <= {All(_HERE)} else None

    def added(self, left: Terms, right: Terms, factor: int) -> Terms:
        total = dict(left)
        for part, c in right.items():
            total[part] = total.get(part, 0) + factor * c
        return {part: c for part, c in total.items() if c}

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
        if isinstance(formula, Constant | SymbolAt | Residue | Abbreviation):
            return formula
        if formula not in self._names:
            name = name or f"@{len(self.named) + 1}"
            self.named.append((name, formula))
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
