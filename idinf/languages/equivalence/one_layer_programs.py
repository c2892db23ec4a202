"""C-RASP programs without nested or local counts as conditions on the counts of a slice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from math import lcm

from idinf.languages.equivalence.conditions import FALSE, TRUE, Conditions, Form, Inequality, WordSlice
from idinf.targets import circuit as c
from idinf.targets.counting import CountingTarget

#: Symbols times modulus, at most.
MAX_COUNTS = 64

#: Cases of one value, at most.
MAX_CASES = 64

#: A count by cases: a condition, and the form it equals there. One condition holds for every word.
Cases = list[tuple[int, Form]]


class _NotOneLayer(Exception):
    """The program is not of one layer, or has too many cases."""


def find_modulus(circuit: c.ProgramCircuit) -> int:
    """The least common multiple of the moduli of the periodic predicates.

    >>> from idinf.crasp.checker import read_program
    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("a",))
    >>> find_modulus(c.build_circuit(read_program("x = i mod 2 == 0 && !(i mod 3 == 1)", sigma), sigma))
    6
    """
    return lcm(*(node.modulus for _, node in circuit.nodes if isinstance(node, c.Residue)))


def build_condition_of_program(
    circuit: c.ProgramCircuit,
    part: WordSlice,
    conditions: Conditions,
    *,
    most_cases: int = MAX_CASES,
    before: Collection[int] | None = None,
) -> int | None:
    """Which words of a slice a program accepts; None for a program with nested or local counts.

    The modulus of the slice is a multiple of those of the program. A program with more than ``most_cases``
    cases of one value is left alone, too. With ``before`` only words are meant that hold no other symbols
    before the last one. A nested count does no harm where nothing depends on it, nor if it counts what is
    nowhere before the position.

    >>> from idinf.crasp.checker import read_program
    >>> from idinf.base.words import Alphabet
    >>> sigma, conditions = Alphabet(("a", "b")), Conditions()
    >>> majority = c.build_circuit(read_program('x = # "a" <= # "b"', sigma), sigma)
    >>> condition = build_condition_of_program(majority, WordSlice(2, 1, 0, 0), conditions)
    >>> conditions.inequalities_in(condition)
    {2: Inequality(coefficients=(-1, 1), bound=0)}
    """
    allowed = tuple(range(part.symbols) if before is None else before)
    try:
        return _SliceValues(circuit, part, conditions, most_cases, allowed).truth(circuit.output)
    except _NotOneLayer:
        return None


@dataclass(frozen=True)
class Answers:
    """The answers to the words of a slice: those that a condition holds of are accepted."""

    part: WordSlice
    conditions: Conditions
    whole: int

    @cached_property
    def inequalities(self) -> dict[int, Inequality]:
        """The parts of the condition, by number."""
        return self.conditions.inequalities_in(self.whole)

    def where(self, decided: Mapping[int, bool]) -> bool:
        """The answer where all inequalities are decided."""
        answer = self.conditions.truth(self.whole, decided)
        if answer is None:
            raise RuntimeError("every inequality is decided, yet the condition is not")
        return answer


def compute_answers_at(
    target: CountingTarget,
    last: int,
    residue: int,
    *,
    before: Collection[int] | None = None,
    modulus: int = 1,
) -> Answers | None:
    """The answers by last symbol and length modulo m; None if the program is not of one layer.

    Nor if it has too many cases, or too large a modulus. m is the least common multiple of ``modulus`` and
    `find_modulus`. With ``before`` the answers are those to words that hold these symbols alone before the
    last one: a count of another one is known there, so a program that first asks for a separator may be of
    one layer.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> answers = compute_answers_at(build_target(load("majority")), 0, 0)
    >>> list(answers.inequalities.values()), answers.where({2: True})
    ([Inequality(coefficients=(-1, 1), bound=0)], True)
    """
    symbols, modulus = len(target.alphabet), lcm(modulus, find_modulus(target.circuit))
    if symbols * modulus > MAX_COUNTS:
        return None
    part, conditions = WordSlice(symbols, modulus, last, residue), Conditions()
    whole = build_condition_of_program(target.circuit, part, conditions, before=before)
    return None if whole is None else Answers(part, conditions, whole)


class _SliceValues:
    """Truths and values of nodes at the last position of a slice. Mutable: they fill up in order.

    A slice of no symbols stands for a position inside of what is counted: what counts say there is known only
    if they count nothing before it. A truth or value that is not known is left out.
    """

    def __init__(
        self,
        circuit: c.ProgramCircuit,
        part: WordSlice,
        conditions: Conditions,
        most_cases: int,
        before: tuple[int, ...],
    ) -> None:
        self.circuit, self.part, self.conditions = circuit, part, conditions
        self.most_cases, self.before = most_cases, before
        self.read: set[int] = set()
        self.truths: dict[int, int] = {}
        self.values: dict[int, Cases] = {}
        self.counted = {
            code: [
                _SliceValues(circuit, WordSlice(0, part.modulus, code, rho), conditions, most_cases, before)
                for rho in range(part.modulus)
            ]
            for code in ({*before, part.last} if part.symbols else ())
        }
        for inside in chain.from_iterable(self.counted.values()):
            inside.counted = self.counted

    def truth(self, wanted: int) -> int:
        """The condition under which a node holds."""
        needed = {wanted}
        for number, node in reversed(self.circuit.nodes):
            if number in needed and number not in self.read:
                needed.update(c.list_parts(node))
        for number, node in self.circuit.nodes:
            if number in needed and number not in self.read:
                self.read.add(number)
                with suppress(_NotOneLayer):
                    self._read(number, node)
        return self._held(wanted)

    def _held(self, number: int) -> int:
        if number not in self.truths:
            raise _NotOneLayer
        return self.truths[number]

    def _read(self, number: int, node: c.Node) -> None:
        match node:
            case c.Window(0, 0, operand):
                held = self._held(operand)
                one, none = (self.part.constant(k) for k in (1, 0))
                self.values[number] = [(held, one), (self.conditions.negated(held), none)]
            case c.Window():
                raise _NotOneLayer
            case c.Choice(condition, then, otherwise):
                held = self._held(condition)
                self.values[number] = [
                    (both, form)
                    for guard, value in ((held, then), (self.conditions.negated(held), otherwise))
                    if guard != FALSE
                    for case, form in self._cases(value)
                    if (both := self.conditions.both(guard, case)) != FALSE
                ]
            case _:
                self.truths[number] = self._truth(node)

    def _truth(self, node: c.Node) -> int:
        conditions = self.conditions
        match node:
            case c.ConstantNode(value):
                return TRUE if value else FALSE
            case c.SymbolTest(code):
                return TRUE if code == self.part.last else FALSE
            case c.Residue(modulus, residue):
                return TRUE if self.part.residue % modulus == residue else FALSE
            case c.Not(operand):
                return conditions.negated(self._held(operand))
            case c.And(left, right):
                if FALSE in (self.truths.get(left), self.truths.get(right)):
                    return FALSE
                return conditions.both(self._held(left), self._held(right))
            case c.ThresholdTest(form, threshold):
                return conditions.non_negative(self._form(form) - self.part.constant(threshold))
            case c.NonNegative(value):
                whole = FALSE
                for guard, case in self._cases(value):
                    whole = conditions.either(whole, conditions.both(guard, conditions.non_negative(case)))
                return whole
        raise AssertionError(node)  # values are computed elsewhere

    def _cases(self, linear: c.Linear) -> Cases:
        """A linear value by the cases of its parts."""
        own = linear.scale * self._form(linear.form) + self.part.constant(linear.constant)
        cases: Cases = [(TRUE, own)]
        for coefficient, number in linear.rest:
            if number not in self.values:
                raise _NotOneLayer
            cases = [
                (guard, form + coefficient * added)
                for (first, form), (second, added) in product(cases, self.values[number])
                if (guard := self.conditions.both(first, second)) != FALSE
            ]
            if len(cases) > self.most_cases:
                raise _NotOneLayer
        return cases

    def _form(self, form: c.Form) -> Form:
        """Σ c · #P, for every P that reads nothing but a symbol and a residue."""
        total, nowhere = self.part.constant(0), [FALSE] * self.part.modulus
        for coefficient, operand in form:
            if self.part.symbols:
                held = {code: [one.truth(operand) for one in self.counted[code]] for code in self.before}
                rows = [held.get(code, nowhere) for code in range(self.part.symbols)]
                total = total + coefficient * self.part.count(rows)
                if self.part.last not in self.before:  # it is there once
                    once = self.counted[self.part.last][self.part.residue].truth(operand)
                    total = total + coefficient * self.part.constant(once)
            elif any(inside.truth(operand) for code in self.before for inside in self.counted[code]):
                raise _NotOneLayer  # a count inside of what is counted
            else:
                total = total + coefficient * self.part.constant(self._held(operand))
        return total
