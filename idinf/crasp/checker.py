"""Names, sorts and locality of a C-RASP program, checked before anything is run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import lcm

from idinf.crasp import syntax as s
from idinf.crasp.imports import meaning_of
from idinf.crasp.parser import parse
from idinf.crasp.sizes import MAX_COEFFICIENT, MAX_PERIOD, Sizes
from idinf.errors import ProgramError, SpecError
from idinf.quoting import listed, quoted, suggestion
from idinf.words import Alphabet

#: Largest distance of a local predicate: the truth values it needs are the bits of one int64.
MAX_REACH = 62

_RESERVED = ("i", "j", "if", "else", "mod", "min", "max", "true", "false")


class Sort(StrEnum):
    """The two sorts of Definition 8, as messages call them."""

    BOOLEAN = "Boolean"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Typing:
    """What a checked program is made of.

    Parameters
    ----------
    sorts : tuple of (str, Sort)
        Every operation in order.
    size : int
        On every word of length n every count, those inside of expressions too, is at most
        ``size · (n + 1)`` in absolute value.
    """

    sorts: tuple[tuple[str, Sort], ...]
    size: int


def read_program(text: str, alphabet: Alphabet) -> s.ProgramTree:
    """Parse and check a program.

    Parameters
    ----------
    text : str
    alphabet : Alphabet

    Raises
    ------
    ProgramError
        If it does not parse or breaks a rule of `check`.

    Examples
    --------
    >>> read_program('accept = # "a" <= # "c"', Alphabet(("a", "b")))
    Traceback (most recent call last):
        ...
    idinf.errors.ProgramError: line 1, column 21: symbol 'c' is not in the alphabet; expected one of: a b
    """
    program = parse(text, alphabet)
    check(program, alphabet)
    return program


def check(program: s.ProgramTree, alphabet: Alphabet | None = None) -> Typing:
    """Check that every name, sort, symbol, predicate and number of a program is usable.

    Parameters
    ----------
    program : Program
    alphabet : Alphabet or None
        None leaves open which symbols there are.

    Raises
    ------
    ProgramError
        At the first fault in reading order, with line and column: undefined or redefined name, forward or
        cyclic reference, wrong sort, symbol outside the alphabet, predicate that is not local, modulus 0,
        number out of range, or a last operation that is not Boolean.

    Notes
    -----
    Implements the typing of Definition 8 of [HYB25]_.

    Examples
    --------
    >>> check(parse('ones = # "1" accept = 3 * ones >= 2'))
    Typing(sorts=(('ones', <Sort.COUNT: 'count'>), ('accept', <Sort.BOOLEAN: 'Boolean'>)), size=3)
    """
    checker = _ProgramChecker(alphabet, program)
    for definition in program.definitions:
        checker.define(definition)
    last = program.definitions[-1]
    if checker.sorts[last.name] is not Sort.BOOLEAN:
        raise ProgramError(
            f"{last.place}: the last operation {quoted(last.name)} is a count; expected a Boolean, which "
            "decides "
            "the word; end with a comparison"
        )
    return Typing(tuple(checker.sorts.items()), checker.sizes.largest)


def window(predicate: s.Predicate) -> tuple[int, int]:
    """Distances i − j that a local predicate admits, as ``(low, high)``; empty if ``low > high``.

    Raises
    ------
    ProgramError
        If the predicate is not local: unknown, looking ahead, or reaching back without bound.

    Examples
    --------
    >>> window(s.Predicate("j", s.Relation.GE, "i", -2, s.TextPlace(1, 1)))
    (0, 2)
    """
    if predicate.anchor == "":
        shipped = meaning_of(predicate.variable, predicate.place) is not None
        remedy = f"; or put {quoted(f'#import {predicate.variable}')} on a line of its own" if shipped else ""
        raise ProgramError(
            f"{predicate.place}: predicate {quoted(predicate.variable)} is not defined; expected a built-in "
            f"one such as #[j = i-1]{remedy}"
        )
    if (predicate.variable, predicate.anchor) != ("j", "i"):
        raise ProgramError(
            f"{predicate.place}: predicate of {quoted(predicate.variable)} and {quoted(predicate.anchor)}; "
            "expected j on "
            "the left and i on the right, such as #[j = i-1]"
        )
    distance = -predicate.offset
    if distance < 0:
        raise ProgramError(
            f"{predicate.place}: predicate looks {-distance} ahead; expected a distance back, such as "
            "#[j = i-1]"
        )
    if distance > MAX_REACH:
        raise ProgramError(f"{predicate.place}: distance {distance}; expected at most {MAX_REACH}")
    match predicate.relation:
        case s.Relation.EQ:
            return distance, distance
        case s.Relation.GE:
            return 0, distance
        case s.Relation.GT:
            return 0, distance - 1
    written = f"j {predicate.relation} i-{distance}" if distance else f"j {predicate.relation} i"
    raise ProgramError(
        f"{predicate.place}: predicate {written} is not local; "
        "expected a bounded distance, such as #[j = i-1] or #[j >= i-2]"
    )


class _ProgramChecker:
    # Mutable: definitions are met in order, and each may use only those before it.
    def __init__(self, alphabet: Alphabet | None, program: s.ProgramTree) -> None:
        self.alphabet = alphabet
        self.definitions = {definition.name: definition for definition in reversed(program.definitions)}
        self.present = ""
        self.sorts: dict[str, Sort] = {}
        self.sizes = Sizes()
        self.period = 1

    def define(self, definition: s.Definition) -> None:
        name = definition.name
        if name in _RESERVED:
            raise ProgramError(
                f"{definition.place}: {quoted(name)} is a word of the language; expected another name"
            )
        if name in self.sorts:
            raise ProgramError(
                f"{definition.place}: {quoted(name)} is defined twice; expected a new name; rename one"
            )
        self.present = name
        sort = self.sort(definition.expression)
        if sort is Sort.COUNT:
            self.sizes.define(name, definition.expression)
        self.sorts[name] = sort

    def sort(self, expression: s.Expression) -> Sort:
        """The sort of an expression whose parts are all checked."""
        match expression:
            case s.Name(name, place):
                return self._sort_of_name(name, place)
            case s.Symbol(symbol, place):
                _check_symbol(symbol, place)
                if self.alphabet is not None and symbol not in self.alphabet.symbols:
                    raise ProgramError(
                        f"{place}: symbol {quoted(symbol)} is not in the alphabet; expected one of: "
                        f"{listed(self.alphabet.symbols)}"
                    )
                return Sort.BOOLEAN
            case s.Periodic():
                _check_periodic(expression)
                self.period = lcm(self.period, expression.modulus)
                if self.period > MAX_PERIOD:
                    raise ProgramError(
                        f"{expression.place}: the moduli up to here have the common multiple "
                        f"{quoted(self.period)}; expected at most {MAX_PERIOD} (2^62); use smaller moduli"
                    )
                return Sort.BOOLEAN
            case s.Truth():
                return Sort.BOOLEAN
            case s.Negated(operand):
                self._want(Sort.BOOLEAN, operand, "'!'")
                return Sort.BOOLEAN
            case s.Conjunction(left, right) | s.Disjunction(left, right):
                operator = "'&&'" if isinstance(expression, s.Conjunction) else "'||'"
                self._want(Sort.BOOLEAN, left, operator)
                self._want(Sort.BOOLEAN, right, operator)
                return Sort.BOOLEAN
            case s.Comparison(relation, left, right):
                self._want(Sort.COUNT, left, f"'{relation}'")
                self._want(Sort.COUNT, right, f"'{relation}'")
                return Sort.BOOLEAN
            case _:
                self._check_count(expression)
                return Sort.COUNT

    def _check_count(self, expression: s.Expression) -> None:
        match expression:
            case s.Count(predicate, operand):
                if predicate is not None:
                    window(predicate)
                self._want(Sort.BOOLEAN, operand, "'#'")
            case s.Conditional(then, condition, otherwise):
                self._want(Sort.COUNT, then, "'if'")
                self._want(Sort.BOOLEAN, condition, "'if'")
                self._want(Sort.COUNT, otherwise, "'else'")
            case s.Multiplied(left, right, place):
                self._want(Sort.COUNT, left, "'*'")
                self._want(Sort.COUNT, right, "'*'")
                if self.sizes.constant(left) is None and self.sizes.constant(right) is None:
                    raise ProgramError(
                        f"{place}: product of two counts; expected a number on one side of '*'"
                    )
            case s.Added(sign, left, right):
                self._want(Sort.COUNT, left, "'+'" if sign > 0 else "'-'")
                self._want(Sort.COUNT, right, "'+'" if sign > 0 else "'-'")
            case s.Extremum(largest, left, right):
                self._want(Sort.COUNT, left, "'max'" if largest else "'min'")
                self._want(Sort.COUNT, right, "'max'" if largest else "'min'")
            case s.Negative(operand):
                self._want(Sort.COUNT, operand, "'-'")
            case _:
                self.sizes.size(expression)

    def _want(self, wanted: Sort, expression: s.Expression, operator: str) -> None:
        if self.sort(expression) is not wanted:
            remedy = {
                Sort.COUNT: "count it with '#', or choose between numbers with 'if'",
                Sort.BOOLEAN: "compare it with a number",
            }[wanted]
            if isinstance(expression, s.Count):
                remedy += ", or put all that is counted into brackets"
            found = Sort.BOOLEAN if wanted is Sort.COUNT else Sort.COUNT
            raise ProgramError(
                f"{expression.place}: {operator} has a {found} here; expected a {wanted}; {remedy}"
            )
        if wanted is Sort.COUNT:
            self.sizes.size(expression)

    def _sort_of_name(self, name: str, place: s.TextPlace) -> Sort:
        if name not in self.sorts:
            raise ProgramError(f"{place}: {self._why_unknown(name)}")
        return self.sorts[name]

    def _why_unknown(self, name: str) -> str:
        wanted = "expected the name of an earlier operation"
        if name == self.present:
            return f"{quoted(name)} is used in its own definition; {wanted}"
        if name in self.definitions:
            line = self.definitions[name].place.line
            remedy = f"{quoted(name)} itself needs {quoted(self.present)}; break the cycle"
            if not self._needs(name, self.present):
                remedy = "move its definition up"
            return f"{quoted(name)} is defined later, on line {line}; {wanted}; {remedy}"
        if meaning_of(name, s.TextPlace(1, 1)) is not None:
            return f"{quoted(name)} is not defined; {wanted}; add {quoted(f'#import {name}')}"
        hint = suggestion(name, self.sorts) or "define it on an earlier line"
        return f"{quoted(name)} is not defined; {wanted}; {hint}"

    def _needs(self, name: str, wanted: str) -> bool:
        """Whether the definition of a name needs another one, over any number of steps."""
        open_names, seen = [name], {name}
        while open_names:
            definition = self.definitions.get(open_names.pop())
            new = set() if definition is None else s.names_in(definition.expression) - seen
            if wanted in new:
                return True
            seen |= new
            open_names.extend(new)
        return False


def _check_symbol(symbol: str, place: s.TextPlace) -> None:
    try:
        Alphabet((symbol,), spaced=True)
    except SpecError as error:
        raise ProgramError(f"{place}: {str(error).removeprefix('alphabet: ')}") from None


def _check_periodic(periodic: s.Periodic) -> None:
    place, modulus, residue = periodic.place, periodic.modulus, periodic.residue
    if periodic.variable != "i":
        raise ProgramError(
            f"{place}: {quoted(periodic.variable)} mod {quoted(modulus)}; expected the position i, as in "
            "(i mod 2 == 0)"
        )
    if periodic.relation is not s.Relation.EQ:
        raise ProgramError(
            f"{place}: i mod {quoted(modulus)} {periodic.relation} {quoted(residue)}; expected '==', as in "
            "(i mod 2 == 0)"
        )
    if not 1 <= modulus <= MAX_COEFFICIENT:
        raise ProgramError(
            f"{place}: modulus {quoted(modulus)}; expected an integer from 1 to {MAX_COEFFICIENT}"
        )
    if residue >= modulus:
        raise ProgramError(
            f"{place}: residue {quoted(residue)} of modulus {quoted(modulus)}; expected an integer from 0 "
            f"to {modulus - 1}"
        )
