"""C-RASP programs without nested or local counts as conditions on the counts of a slice."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from idinf.equivalence.conditions import FALSE, TRUE, Affine, Conditions, affine
from idinf.equivalence.slices import WordSlice
from idinf.targets import circuit as c

#: Cases of one value, at most.
MAX_CASES = 64

#: A count by cases: a condition, and the form it equals there. One condition holds for every word.
Cases = list[tuple[int, Affine]]


class _Beyond(Exception):
    """The program is not of one layer, or has too many cases."""


def moduli_of(circuit: c.ProgramCircuit) -> tuple[int, ...]:
    """The moduli of the periodic predicates.

    Examples
    --------
    >>> from idinf.crasp.checker import read_program
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("a",))
    >>> moduli_of(c.build_circuit(read_program("x = i mod 2 == 0 && !(i mod 3 == 1)", sigma), sigma))
    (2, 3)
    """
    return tuple(node.modulus for _, node in circuit.nodes if isinstance(node, c.Residue))


def condition_of_program(
    circuit: c.ProgramCircuit, part: WordSlice, conditions: Conditions, *, most_cases: int = MAX_CASES
) -> int | None:
    """Which words of a slice a program accepts; None for a program with nested or local counts.

    Parameters
    ----------
    circuit : Circuit
    part : WordSlice
        Its modulus is a multiple of those of the program.
    conditions : Conditions
        Receives what is needed.
    most_cases : int
        Cases of one value; a program with more is left alone, too.

    Examples
    --------
    >>> from idinf.crasp.checker import read_program
    >>> from idinf.words import Alphabet
    >>> sigma, conditions = Alphabet(("a", "b")), Conditions()
    >>> majority = c.build_circuit(read_program('x = # "a" <= # "b"', sigma), sigma)
    >>> condition = condition_of_program(majority, WordSlice(2, 1, 0, 0), conditions)
    >>> conditions.inequalities_in(condition)
    {2: Inequality(coefficients=(-1, 1), bound=0)}
    """
    try:
        return _Reading(circuit, part, conditions, most_cases).condition()
    except _Beyond:
        return None


class _Reading:
    """Truths and values of all nodes at the last position of a slice. Mutable: they fill up in order."""

    def __init__(
        self, circuit: c.ProgramCircuit, part: WordSlice, conditions: Conditions, most_cases: int
    ) -> None:
        self.circuit, self.part, self.conditions = circuit, part, conditions
        self.most_cases = most_cases
        self.truths: dict[int, int] = {}
        self.values: dict[int, Cases] = {}

    def condition(self) -> int:
        for number, node in self.circuit.nodes:
            match node:
                case c.Window(0, 0, operand):
                    held = self.truths[operand]
                    one, none = (self.part.constant(k) for k in (1, 0))
                    self.values[number] = [(held, one), (self.conditions.negated(held), none)]
                case c.Window():
                    raise _Beyond
                case c.Choice(condition, then, otherwise):
                    held = self.truths[condition]
                    self.values[number] = [
                        *self._guarded(held, self._cases(then)),
                        *self._guarded(self.conditions.negated(held), self._cases(otherwise)),
                    ]
                case _:
                    self.truths[number] = self._truth(node)
        return self.truths[self.circuit.output]

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
                return conditions.negated(self.truths[operand])
            case c.And(left, right):
                return conditions.both(self.truths[left], self.truths[right])
            case c.ThresholdTest(form, threshold):
                return conditions.non_negative(self._form(form, -threshold))
            case c.NonNegative(value):
                whole = FALSE
                for guard, case in self._cases(value):
                    whole = conditions.either(whole, conditions.both(guard, conditions.non_negative(case)))
                return whole
        raise AssertionError(node)  # values are computed elsewhere

    def _cases(self, linear: c.Linear) -> Cases:
        """A linear value by the cases of its parts."""
        own = affine([(linear.scale, self._form(linear.form, 0))], self.part.size)
        cases: Cases = [(TRUE, affine([(1, own), (1, self.part.constant(linear.constant))], self.part.size))]
        for coefficient, number in linear.rest:
            more = self.values[number]
            cases = [
                (guard, affine([(1, form), (coefficient, added)], self.part.size))
                for (first, form), (second, added) in product(cases, more)
                if (guard := self.conditions.both(first, second)) != FALSE
            ]
            if len(cases) > self.most_cases:
                raise _Beyond
        return cases

    def _guarded(self, held: int, cases: Cases) -> Cases:
        guarded = [(self.conditions.both(held, guard), form) for guard, form in cases]
        return [(guard, form) for guard, form in guarded if guard != FALSE]

    def _form(self, form: c.Form, constant: int) -> Affine:
        """Σ c · #P + constant."""
        parts = [(coefficient, self._count(operand)) for coefficient, operand in form]
        return affine([*parts, (1, self.part.constant(constant))], self.part.size)

    def _count(self, operand: int) -> Affine:
        """#P, for a P that reads nothing but a symbol and a residue."""
        symbols, residues = range(self.part.symbols), range(self.part.modulus)
        held = [
            [Fraction(_holds_at(self.circuit, operand, code, rho)) for rho in residues] for code in symbols
        ]
        return self.part.count(held)


def _holds_at(circuit: c.ProgramCircuit, wanted: int, symbol: int, residue: int) -> bool:
    """Whether a node holds at any position with a symbol and a residue."""
    needed, values = {wanted}, dict[int, int]()
    for number, node in reversed(circuit.nodes):
        if number in needed:
            needed.update(c.parts(node))
    for number, node in circuit.nodes:
        if number in needed:
            values[number] = _value_at(node, values, symbol, residue)
    return bool(values[wanted])


def _value_at(node: c.Node, values: Mapping[int, int], symbol: int, residue: int) -> int:
    def linear(value: c.Linear) -> int:
        if value.form:
            raise _Beyond  # a count inside of what is counted
        return value.constant + sum(k * values[number] for k, number in value.rest)

    match node:
        case c.ConstantNode(value):
            return int(value)
        case c.SymbolTest(code):
            return int(code == symbol)
        case c.Residue(modulus, wanted):
            return int(residue % modulus == wanted)
        case c.Not(operand):
            return 1 - values[operand]
        case c.And(left, right):
            return values[left] & values[right]
        case c.NonNegative(number):
            return int(linear(number) >= 0)
        case c.Window(0, 0, operand):
            return values[operand]
        case c.Choice(condition, then, otherwise):
            return linear(then if values[condition] else otherwise)
    raise _Beyond
