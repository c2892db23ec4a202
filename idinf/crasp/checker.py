"""Names, sorts and locality of a C-RASP program, checked before anything is run; and facts about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import lcm

from idinf.base.quoting import list_some, quote, suggest
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.parser import find_meaning, parse
from idinf.errors import ProgramError, SpecError

#: Largest distance of a local predicate: the truth values it needs are the bits of one int64.
MAX_REACH = 62

#: Bound on a modulus and on the |coefficients| of one count, summed. A count of a word of length n is then at
#: most 2^40 · (n + 1): int64 counters are exact up to n = 2^22, far beyond every length that is examined.
MAX_COEFFICIENT = 2**40

#: Bound on the common multiple of all moduli of a program, so that it is a machine integer, too.
MAX_PERIOD = 2**62

_RESERVED = ("i", "j", "if", "else", "mod", "min", "max", "true", "false")


class Sort(StrEnum):
    """The two sorts of Definition 8, as messages call them."""

    BOOLEAN = "Boolean"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: the nesting of its counts, through what it reads, and whether the last one needs it."""

    name: str
    sort: Sort
    depth: int
    used: bool
    place: s.TextPlace


@dataclass(frozen=True, slots=True)
class Facts:
    """A checked program in numbers; unused operations count as well.

    `symbols`: the symbols the program names, sorted. `counts, local_counts`: how often ``#`` is written, and
    how many of them have a predicate. `reach`: the largest distance of a local predicate, 0 if there is none.
    `period`: least common multiple of the moduli, 1 if there is none. `size`: on every word of length n every
    count, those inside of expressions too, is at most ``size · (n + 1)`` in absolute value.
    """

    operations: tuple[Operation, ...]
    symbols: tuple[str, ...]
    counts: int
    local_counts: int
    reach: int
    period: int
    size: int

    def __repr__(self) -> str:
        return f"<Facts {self.class_name}: depth {self.depth}, {len(self.operations)} operations>"

    @property
    def depth(self) -> int:
        """Nesting of counts of the last operation, which decides."""
        return self.operations[-1].depth

    @property
    def class_name(self) -> str:
        """The class of Definition 8 that the program is written in; the language may be in a smaller one."""
        relations = ["periodic"] * (self.period > 1) + ["local"] * (self.local_counts > 0)
        return f"C-RASP[{','.join(relations)}]"

    def alphabet(self) -> Alphabet:
        """The alphabet of the symbols that the program names; words have blanks if one is long.

        Raises `ProgramError` if it names none.
        """
        if not self.symbols:
            raise ProgramError(
                "line 1, column 1: the program names no symbol; expected an alphabet; give one with "
                "--alphabet"
            )
        return Alphabet(self.symbols, spaced=any(len(symbol) > 1 for symbol in self.symbols))


@lru_cache(maxsize=4)
def read_program(text: str, alphabet: Alphabet) -> s.ProgramTree:
    """Parse and check a program; that of a target is read once, however many parts of a run ask for it.

    Raises `ProgramError` if it does not parse or breaks a rule of `check`.
    """
    program = parse(text, alphabet)
    check(program, alphabet)
    return program


def check(program: s.ProgramTree, alphabet: Alphabet | None = None) -> Facts:
    """Check that every name, sort, symbol, predicate and number of a program is usable, and describe it.

    Without an alphabet it is left open which symbols there are.

    Raises `ProgramError` at the first fault in reading order, with line and column: undefined or redefined
    name, forward or cyclic reference, wrong sort, symbol outside the alphabet, predicate that is not local,
    modulus 0, number out of range, or a last operation that is not Boolean.

    Implements the typing and the classes of Definition 8 of [HYB25]_; depth is that of its Appendix C.

    >>> facts = check(parse('below = # "a" < # "b" accept = # below == 0'))
    >>> facts.class_name, facts.depth, facts.counts, facts.symbols
    ('C-RASP[]', 2, 3, ('a', 'b'))
    """
    checker = _ProgramChecker(alphabet, program)
    for definition in program.definitions:
        checker.define(definition)
    last = program.definitions[-1]
    if checker.values[last.name].sort is not Sort.BOOLEAN:
        raise ProgramError(
            f"{last.place}: the last operation {quote(last.name)} is a count; expected a Boolean, which "
            "decides the word; end with a comparison"
        )
    return checker.facts()


def find_window(predicate: s.Predicate) -> tuple[int, int]:
    """Distances i − j that a local predicate admits, as ``(low, high)``; empty if ``low > high``.

    Raises `ProgramError` if the predicate is not local: unknown, looking ahead, or reaching back without
    bound.

    >>> find_window(s.Predicate("j", s.Relation.GE, "i", -2))
    (0, 2)
    """
    variable, anchor = quote(predicate.variable), predicate.anchor
    relation, distance = predicate.relation, -predicate.offset
    if anchor == "":
        shipped = find_meaning(predicate.variable, predicate.place) is not None
        remedy = f"; or put {quote(f'#import {predicate.variable}')} on a line of its own" if shipped else ""
        wrong = f"predicate {variable} is not defined; expected a built-in one such as #[j = i-1]{remedy}"
    elif (predicate.variable, anchor) != ("j", "i"):
        wrong = (
            f"predicate of {variable} and {quote(anchor)}; expected j on the left and i on the right, "
            "such as #[j = i-1]"
        )
    elif distance < 0:
        wrong = f"predicate looks {-distance} ahead; expected a distance back, such as #[j = i-1]"
    elif distance > MAX_REACH:
        wrong = f"distance {distance}; expected at most {MAX_REACH}"
    elif relation is s.Relation.EQ:
        return distance, distance
    elif relation in (s.Relation.GE, s.Relation.GT):
        return 0, distance - (relation is s.Relation.GT)
    else:
        written = f"j {relation} i-{distance}" if distance else f"j {relation} i"
        wrong = (
            f"predicate {written} is not local; expected a bounded distance, such as #[j = i-1] or "
            "#[j >= i-2]"
        )
    raise ProgramError(f"{predicate.place}: {wrong}")


@dataclass(frozen=True, slots=True)
class _Value:
    """The nesting of counts; of a count a c with |value| ≤ c · (n + 1), and its value if made of numbers."""

    sort: Sort
    depth: int = 0
    size: int = 0
    constant: int | None = None


class _ProgramChecker:
    # Mutable: definitions are met in order, and each may use only those before it.
    def __init__(self, alphabet: Alphabet | None, program: s.ProgramTree) -> None:
        self.alphabet = alphabet
        self.program = program
        self.definitions = {definition.name: definition for definition in reversed(program.definitions)}
        self.present = ""
        self.values: dict[str, _Value] = {}
        self.symbols: set[str] = set()
        self.counts = self.local_counts = self.reach = 0
        self.period = self.largest = 1

    def define(self, definition: s.Definition) -> None:
        name = definition.name
        if name in _RESERVED:
            raise ProgramError(
                f"{definition.place}: {quote(name)} is a word of the language; expected another name"
            )
        if name in self.values:
            raise ProgramError(
                f"{definition.place}: {quote(name)} is defined twice; expected a new name; rename one"
            )
        self.present = name
        self.values[name] = self._value(definition.expression)

    def facts(self) -> Facts:
        """The numbers and names that were met on the way."""
        needed = {d.name for d in s.list_needed_definitions(self.program)}
        operations = tuple(
            Operation(d.name, self.values[d.name].sort, self.values[d.name].depth, d.name in needed, d.place)
            for d in self.program.definitions
        )
        symbols = tuple(sorted(self.symbols))
        return Facts(
            operations, symbols, self.counts, self.local_counts, self.reach, self.period, self.largest
        )

    def _value(self, expression: s.Expression) -> _Value:
        parts: list[_Value] = []
        size, constant = 1, None
        match expression:
            case s.Name(name, place):
                if name not in self.values:
                    raise ProgramError(f"{place}: {self._why_unknown(name)}")
                return self.values[name]
            case s.Symbol():
                self._check_symbol(expression)
            case s.Periodic():
                self._check_periodic(expression)
            case s.Negated(operand):
                parts = self._parts(Sort.BOOLEAN, "'!'", operand)
            case s.Conjunction(left, right):
                parts = self._parts(Sort.BOOLEAN, "'&&'", left, right)
            case s.Disjunction(left, right):
                parts = self._parts(Sort.BOOLEAN, "'||'", left, right)
            case s.Comparison(relation, left, right):
                parts = self._parts(Sort.COUNT, f"'{relation}'", left, right)
            case s.Number(value):
                size, constant = abs(value), value
            case s.Count(predicate, operand):
                self.counts += 1
                if predicate is not None:
                    self.local_counts += 1
                    self.reach = max(self.reach, find_window(predicate)[1])
                parts = self._parts(Sort.BOOLEAN, "'#'", operand)
            case s.Conditional(then, condition, otherwise):
                parts = self._parts(Sort.COUNT, "'if'", then)
                parts += self._parts(Sort.BOOLEAN, "'if'", condition)
                parts += self._parts(Sort.COUNT, "'else'", otherwise)
                size = max(part.size for part in parts)
            case s.Multiplied(left, right, place):
                parts = factor, other = self._parts(Sort.COUNT, "'*'", left, right)
                if factor.constant is None:
                    factor, other = other, factor
                if factor.constant is None:
                    raise ProgramError(
                        f"{place}: product of two counts; expected a number on one side of '*'"
                    )
                size = abs(factor.constant) * other.size
                constant = None if other.constant is None else factor.constant * other.constant
            case s.Added(sign, left, right):
                parts = first, second = self._parts(Sort.COUNT, "'+'" if sign > 0 else "'-'", left, right)
                size = first.size + second.size
                if first.constant is not None and second.constant is not None:
                    constant = first.constant + sign * second.constant
            case s.Extremum(largest, left, right):
                parts = self._parts(Sort.COUNT, "'max'" if largest else "'min'", left, right)
                size = max(part.size for part in parts)
            case s.Negative(operand):
                parts = (inner,) = self._parts(Sort.COUNT, "'-'", operand)
                size, constant = inner.size, None if inner.constant is None else -inner.constant
        depth = max((part.depth for part in parts), default=0)
        if not isinstance(expression, s.COUNTS):
            return _Value(Sort.BOOLEAN, depth)
        if size > MAX_COEFFICIENT:
            raise ProgramError(
                f"{expression.place}: coefficients add up to {quote(size)}; expected at most "
                f"{MAX_COEFFICIENT} (2^40), so that 64-bit counters stay exact; use smaller numbers"
            )
        self.largest = max(self.largest, size)
        return _Value(Sort.COUNT, depth + isinstance(expression, s.Count), size, constant)

    def _parts(self, wanted: Sort, operator: str, *parts: s.Expression) -> list[_Value]:
        """The values of parts, all of one sort."""
        values = []
        for part in parts:
            value = self._value(part)
            if value.sort is not wanted:
                remedy = "count it with '#', or choose between numbers with 'if'"
                if wanted is Sort.BOOLEAN:
                    remedy = "compare it with a number"
                if isinstance(part, s.Count):
                    remedy += ", or put all that is counted into brackets"
                raise ProgramError(
                    f"{part.place}: {operator} has a {value.sort} here; expected a {wanted}; {remedy}"
                )
            values.append(value)
        return values

    def _check_symbol(self, expression: s.Symbol) -> None:
        symbol, place = expression.symbol, expression.place
        self.symbols.add(symbol)
        try:
            Alphabet((symbol,), spaced=True)
        except SpecError as error:
            raise ProgramError(f"{place}: {str(error).removeprefix('alphabet: ')}") from None
        if self.alphabet is not None and symbol not in self.alphabet.symbols:
            raise ProgramError(
                f"{place}: symbol {quote(symbol)} is not in the alphabet; expected one of: "
                f"{list_some(self.alphabet.symbols)}"
            )

    def _check_periodic(self, periodic: s.Periodic) -> None:
        modulus, residue = quote(periodic.modulus), quote(periodic.residue)
        self.period = lcm(self.period, periodic.modulus)
        wrong = ""
        if periodic.variable != "i":
            wrong = f"{quote(periodic.variable)} mod {modulus}; expected the position i, as in (i mod 2 == 0)"
        elif periodic.relation is not s.Relation.EQ:
            wrong = f"i mod {modulus} {periodic.relation} {residue}; expected '==', as in (i mod 2 == 0)"
        elif not 1 <= periodic.modulus <= MAX_COEFFICIENT:
            wrong = f"modulus {modulus}; expected an integer from 1 to {MAX_COEFFICIENT}"
        elif periodic.residue >= periodic.modulus:
            most = periodic.modulus - 1
            wrong = f"residue {residue} of modulus {modulus}; expected an integer from 0 to {most}"
        elif self.period > MAX_PERIOD:
            wrong = (
                f"the moduli up to here have the common multiple {quote(self.period)}; expected at most "
                f"{MAX_PERIOD} (2^62); use smaller moduli"
            )
        if wrong:
            raise ProgramError(f"{periodic.place}: {wrong}")

    def _why_unknown(self, name: str) -> str:
        wanted = "expected the name of an earlier operation"
        if name == self.present:
            return f"{quote(name)} is used in its own definition; {wanted}"
        if name in self.definitions:
            line = self.definitions[name].place.line
            remedy = "move its definition up"
            if self.present in s.find_reached([name], self._list_read):
                remedy = f"{quote(name)} itself needs {quote(self.present)}; break the cycle"
            return f"{quote(name)} is defined later, on line {line}; {wanted}; {remedy}"
        if find_meaning(name, s.HERE) is not None:
            return f"{quote(name)} is not defined; {wanted}; add {quote(f'#import {name}')}"
        symbol = f', or write "{name}" for the symbol' if len(name) == 1 else ""
        hint = suggest(name, self.values) or f"define it on an earlier line{symbol}"
        return f"{quote(name)} is not defined; {wanted}; {hint}"

    def _list_read(self, name: str) -> set[str]:
        return s.find_names(self.definitions[name].expression) if name in self.definitions else set()
