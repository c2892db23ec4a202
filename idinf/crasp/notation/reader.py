"""Formulas, as hypotheses are printed, read as programs: ``u1 := …; accept iff #1 - #0 >= 0``.

formula:     (UNIT := condition ;)* accept iff condition [;]      `and` binds tighter than `or`
literal:     not literal | true | false | nonempty | empty | UNIT | i length | (condition)
             | last[-INTEGER] = symbol | last[-INTEGER] [not] in {symbol, …} | sum = sum
             | at least INTEGER of (condition, …) | {condition: condition, …, else: condition}
length:      even | odd | mod INTEGER = INTEGER | mod INTEGER in {INTEGER, …}
sum:         terms with + and -: [number] # place | [number] UNIT | [number] avg [weights] (sum) | number
weights:     [key [given [not] UNIT] = number, …]                 key: $ | p | φ(INTEGER) | # place
place:       symbol | (i length)                                  number: INTEGER [/ INTEGER]
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from idinf.base.quoting import quote
from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation import writer as w
from idinf.crasp.notation.writer import Entry, PrintedSum, Weights, add
from idinf.crasp.scanner import COMPARED, INTEGER, QUOTED, SYMBOL, UNIT, Scanner, Token, read_integer
from idinf.errors import ProgramError

_Item = TypeVar("_Item")


def read_formula(text: str, symbols: tuple[str, ...] | None = None) -> s.ProgramTree:
    """Read a formula over an alphabet; None where words may have symbols that the formula does not name.

    Raises `ProgramError` if it does not parse, names a unit that is not defined, or has a sign that counts do
    not express; with line and column.

    >>> from idinf.crasp.syntax import format_program
    >>> print(format_program(read_formula("u1 := #a - #b >= 0; accept iff #u1 >= 2 and last-1 != a")), end="")
    u1 = # "a" >= # "b"
    accept = # u1 >= 2 && #[j = i-1] "a" == 0
    """
    return _FormulaReader(text, symbols).program()


class _FormulaReader(Scanner):
    """Reads one formula, construct by construct."""

    def __init__(self, text: str, symbols: tuple[str, ...] | None) -> None:
        super().__init__(text)
        self.writer = w.FormulaWriter(symbols)

    def program(self) -> s.ProgramTree:
        """The units, then the acceptance."""
        while not (accept := self.take("accept")):
            name = self.need(UNIT)
            if name.text in self.writer.units:
                raise ProgramError(f"{name.place}: {quote(name.text)} is defined twice; expected a new name")
            self.need(":=")
            condition = self._condition()
            self.need(";")
            self.writer.units[name.text] = condition, name.place
        self.need("iff")
        condition = self._condition()
        self.take(";")
        if not self.ends():
            raise self.unexpected()
        return self.writer.write(condition, accept.place)

    def _condition(self) -> w.Clause:
        return w.joined(self._chain("or", lambda: w.joined(self._chain("and", self._literal), True)), False)

    def _chain(self, sign: str, read: Callable[[], _Item]) -> list[_Item]:
        """One or more items with a sign between them."""
        items = [read()]
        while self.take(sign):
            items.append(read())
        return items

    def _literal(self) -> w.Clause:
        if self.take("not"):
            return w.negated(self.deeper(self._literal))
        if truth := self.take("true") or self.take("false"):
            return w.plain(b.truth(truth.text == "true"))
        if length := self.take("nonempty") or self.take("empty"):
            return w.is_empty(length.text == "empty")
        if self.take("last"):
            return self._symbol_at()
        if length := self.take("i"):
            return w.plain(b.any_of(self._length(length)))
        if self.take("at"):
            return self._at_least()
        if self.take("{"):
            return self.deeper(self._cases)
        if self.take("("):
            inner = self.deeper(self._condition)
            self.need(")")
            return inner
        return self._unit_or_comparison()

    def _symbol_at(self) -> w.Clause:
        """The condition that begins with ``last``."""
        distance = read_integer(self.need(INTEGER)) if self.take("-") else None
        if sign := self.take(COMPARED):
            return w.symbol_at(distance, [self._feature()], _is_equality(sign))
        positive = not self.take("not")
        self.need("in")
        return w.symbol_at(distance, self._set(self._feature), positive)

    def _set(self, read: Callable[[], _Item]) -> list[_Item]:
        self.need("{")
        items = self._chain(",", read)
        self.need("}")
        return items

    def _length(self, start: Token) -> list[s.Expression]:
        """The residues that follow ``i``."""
        if parity := self.take("even") or self.take("odd"):
            return self.writer.residues(2, [int(parity.text == "odd")], start.place)
        self.need("mod")
        modulus = read_integer(self.need(INTEGER))
        sign = self.take(COMPARED)
        if sign:
            residues = [read_integer(self.need(INTEGER))]
        else:
            self.need("in")
            residues = self._set(lambda: read_integer(self.need(INTEGER)))
        if modulus < 1 or max(residues) >= modulus:
            found = f"residue {max(residues)} of modulus {modulus}"
            raise ProgramError(f"{start.place}: {found}; expected a modulus above the residue")
        if sign and not _is_equality(sign):
            residues = [residue for residue in range(modulus) if residue not in residues]
        return self.writer.residues(modulus, residues, start.place)

    def _at_least(self) -> w.Clause:
        self.need("least")
        number = read_integer(self.need(INTEGER))
        self.need("of")
        self.need("(")
        parts = self.deeper(self._chain, ",", self._condition)
        self.need(")")
        return w.at_least(number, parts)

    def _cases(self) -> w.Clause:
        rows = []
        while not self.take("else"):
            guard = self._condition()
            self.need(":")
            rows.append((guard, self._condition()))
            self.need(",")
        self.need(":")
        otherwise = self._condition()
        self.need("}")
        return w.cases(rows, otherwise)

    def _unit_or_comparison(self) -> w.Clause:
        name = self.take(UNIT)
        start = self.at
        left = self._sum({("unit", self._unit(name)): Fraction(1)} if name else None)
        sign = self.take(COMPARED)
        if name and not sign and self.at == start:
            return w.plain(self._unit(name))
        if not sign:
            raise self.unexpected()
        return w.compared(add(left, -1, self._sum()), s.Relation(sign.text))

    def _unit(self, name: Token) -> s.Expression:
        if name.text not in self.writer.units:
            raise ProgramError(
                f"{name.place}: {quote(name.text)} is not defined; expected a unit that a line "
                f"{quote(f'{name.text} := …')} before defines"
            )
        return self.writer.unit(name.text, name.place)

    def _feature(self) -> s.Expression:
        """A symbol, or the unit of that name."""
        if quoted := self.take(QUOTED):
            return self.writer.symbol(quoted.text[1:-1], quoted.place)
        name = self.need(SYMBOL)
        is_unit = name.text in self.writer.units
        return (self.writer.unit if is_unit else self.writer.symbol)(name.text, name.place)

    def _counted(self) -> list[s.Expression]:
        """The features behind ``#``: a symbol or unit, or lengths."""
        if not self.take("("):
            return [self._feature()]
        length = self._length(self.need("i"))
        self.need(")")
        return length

    def _sum(self, first: PrintedSum | None = None) -> PrintedSum:
        """Terms with signs, of which the first may have been read."""
        total = first or add({}, -1 if self.take("-") else 1, self._term())
        while sign := self.take("+") or self.take("-"):
            total = add(total, 1 if sign.text == "+" else -1, self._term())
        return total

    def _term(self) -> PrintedSum:
        place, factor = self.place, self._number()
        times = Fraction(1) if factor is None else factor
        if self.take("#"):
            return {("count", feature): times for feature in self._counted()}
        if name := self.take(UNIT):
            return {("unit", self._unit(name)): times}
        if self.take("avg"):
            return self._average(place, times)
        if factor is None:
            raise self.unexpected()
        return {("constant", b.TRUE): factor}

    def _number(self) -> Fraction | None:
        number = self.take(INTEGER)
        if number is None:
            return None
        denominator = read_integer(self.need(INTEGER)) if self.take("/") else 1
        if not denominator:
            raise ProgramError(f"{number.place}: a fraction of denominator 0; expected one above 0")
        return Fraction(read_integer(number), denominator)

    def _average(self, place: s.TextPlace, factor: Fraction) -> PrintedSum:
        start, entries = self.at, []
        if self.take("["):
            entries = self._chain(",", self._entry)
            self.need("]")
        weights = Weights(tuple(entries), f"avg{self.text[start : self.at].rstrip()}", str(place))
        self.need("(")
        place, start = self.place, self.at
        inner = self.deeper(self._sum)
        if any(kind != "count" for kind, _ in inner):
            averaged = quote(self.text[start : self.at].rstrip())
            raise ProgramError(f"{place}: an average of {averaged}; expected counts")
        self.need(")")
        return {(weights, feature): factor * c for (_, feature), c in inner.items()}

    def _entry(self) -> Entry:
        """A logit of an average."""
        key: str | int | s.Expression
        if mark := self.take("$") or self.take("p"):
            key = mark.text
        elif self.take("φ"):
            self.need("(")
            key = read_integer(self.need(INTEGER))
            self.need(")")
        else:
            place = self.need("#").place
            key, *others = self._counted()
            if others:
                raise ProgramError(f"{place}: several lengths at once; expected one residue")
        given: tuple[tuple[s.Expression, bool], ...] = ()
        if self.take("given"):
            positive = not self.take("not")
            given = ((self._unit(self.need(UNIT)), positive),)
        self.need("=")
        sign = -1 if self.take("-") else 1
        logit = self._number()
        if logit is None:
            raise self.unexpected()
        return Entry(key, given, sign * logit)


def _is_equality(relation: Token) -> bool:
    """Whether it is = and not ≠."""
    if s.Relation(relation.text) not in (s.Relation.EQ, s.Relation.NE):
        raise ProgramError(f"{relation.place}: unexpected {quote(relation.text)}; expected '=' or '!='")
    return relation.text != "!="
