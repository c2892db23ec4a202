"""Formulas of MAJ2[<, +1, mod] on words, from what their signs mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Alphabet, Word
from idinf.crasp.interpreter import choose_count_dtype
from idinf.crasp.logic.formula import (
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
    Variable,
    format_formula,
    iter_parts,
)
from idinf.errors import BudgetError

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
            case Constant(value):
                return np.full((1, 1), value)
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
                return reduce(np.logical_and, (self.value(part) for part in parts))
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
