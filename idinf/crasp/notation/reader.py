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

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeVar

from idinf.base.quoting import quote
from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.kinds import Kinds
from idinf.crasp.notation.writer import Entry, PrintedSum, Query, Weights, add
from idinf.crasp.scanner import COMPARED, INTEGER, QUOTED, SYMBOL, UNIT, Scanner, Token, check_depth
from idinf.errors import ProgramError

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class _Clause:
    """A condition, written when it is known where it is asked; and whether an average stands in it."""

    write: Callable[[Query], s.Expression]
    has_average: bool = False


def _plain(expression: s.Expression) -> _Clause:
    """A condition that is the same wherever it is asked."""
    return _Clause(lambda query: expression)


def read_formula(text: str, symbols: tuple[str, ...] | None = None) -> s.ProgramTree:
    """Read a formula over an alphabet; None where words may have symbols that the formula does not name.

    Raises `ProgramError` if it does not parse, names a unit that is not defined, or has a sign that counts do
    not express; with line and column.

    >>> from idinf.crasp.syntax import format_program
    >>> print(format_program(read_formula("u1 := #a - #b >= 0; accept iff #u1 >= 2 and last-1 != a")), end="")
    u1 = # "a" >= # "b"
    accept = # u1 >= 2 && #[j = i-1] "a" == 0
    """
    return FormulaReader(text, symbols).program()


class FormulaReader(Scanner):
    """Reads one formula, construct by construct. Mutable: symbols, moduli and units that are named so far."""

    def __init__(self, text: str, symbols: tuple[str, ...] | None) -> None:
        super().__init__(text)
        self.symbols, self.period = symbols, 1
        self.units: dict[str, tuple[_Clause, s.TextPlace]] = {}
        self.defined = ""  # the unit whose condition is read
        self._features: dict[tuple[type, object], s.Expression] = {}

    def program(self) -> s.ProgramTree:
        """The units, and the condition of acceptance; errors as of `read_formula`."""
        while not (accept := self.take("accept")):
            name = self.need(UNIT)
            if name.text in self.units:
                raise ProgramError(f"{name.place}: {quote(name.text)} is defined twice; expected a new name")
            self.need(":=")
            self.defined = name.text
            condition = self._condition()
            self.need(";")
            self.units[name.text] = condition, name.place
        self.need("iff")
        self.defined = "accept"
        condition = self._condition()
        self.take(";")
        if not self.ends():
            raise self.unexpected()
        return self._written(condition, accept.place)

    def _written(self, accept: _Clause, place: s.TextPlace) -> s.ProgramTree:
        named = [feature.symbol for feature in self._features.values() if isinstance(feature, s.Symbol)]
        kinds = Kinds((*named, None) if self.symbols is None else self.symbols, self.period)
        rows = []
        for name, (condition, where) in self.units.items():
            kinds.units[name] = condition.write(Query(kinds, (), last=False))
            rows.append(s.Definition(name, kinds.units[name], where))
        rows.append(s.Definition("accept", accept.write(Query(kinds, (), last=True)), place))
        for row in rows:
            check_depth(row.expression, row.place)
        return s.ProgramTree(tuple(rows))

    def origin(self, place: s.TextPlace) -> str:
        """The place of an average in the text, for messages."""
        return str(place)

    def _condition(self) -> _Clause:
        return self._joined("or", lambda: self._joined("and", self._literal))

    def _joined(self, sign: str, read: Callable[[], _Clause]) -> _Clause:
        """All or some of some parts; one with an average is asked where the others leave the answer to it."""
        parts = self._chain(sign, read)

        def write(query: Query) -> s.Expression:
            sure = {k: part.write(query) for k, part in enumerate(parts) if not part.has_average}
            here = query.given(*(held if sign == "and" else b.negated(held) for held in sure.values()))
            written = [sure[k] if k in sure else part.write(here) for k, part in enumerate(parts)]
            return b.all_of(written) if sign == "and" else b.any_of(written)

        return parts[0] if len(parts) == 1 else _Clause(write, any(part.has_average for part in parts))

    def _chain(self, sign: str, read: Callable[[], _Item]) -> list[_Item]:
        """One or more items with a sign between them."""
        items = [read()]
        while self.take(sign):
            items.append(read())
        return items

    def _literal(self) -> _Clause:
        if self.take("not"):
            part = self.deeper(self._literal)
            return _Clause(lambda query: b.negated(part.write(query)), part.has_average)
        if truth := self.take("true") or self.take("false"):
            return _plain(s.Truth(truth.text == "true"))
        if length := self.take("nonempty") or self.take("empty"):
            some = length.text == "nonempty"
            return _plain(b.compared([(b.length, 1)], s.Relation.GE if some else s.Relation.EQ, int(some)))
        if self.take("last"):
            return _plain(self._symbol_at())
        if length := self.take("i"):
            return _plain(b.any_of(self._length(length)))
        if self.take("at"):
            return self._at_least()
        if self.take("{"):
            return self.deeper(self._cases)
        if self.take("("):
            inner = self.deeper(self._condition)
            self.need(")")
            return inner
        return self._unit_or_comparison()

    def _symbol_at(self) -> s.Expression:
        """The condition that begins with ``last``: a local count where it goes on with a distance."""
        distance = self.integer() if self.take("-") else None
        if sign := self.take(COMPARED):
            named, positive = self._feature(), _is_equality(sign)
        else:
            positive = not self.take("not")
            self.need("in")
            named = b.any_of(self._set(self._feature))
        if distance is None:
            return named if positive else b.negated(named)
        relation = s.Relation.GE if positive else s.Relation.EQ
        return b.compared([(b.back(distance, named), 1)], relation, int(positive))

    def _set(self, read: Callable[[], _Item]) -> list[_Item]:
        self.need("{")
        items = self._chain(",", read)
        self.need("}")
        return items

    def _length(self, start: Token) -> list[s.Expression]:
        """The residues that follow ``i``."""
        if parity := self.take("even") or self.take("odd"):
            return self._residues(2, [int(parity.text == "odd")], start.place)
        self.need("mod")
        modulus = self.integer()
        sign = self.take(COMPARED)
        if sign:
            residues = [self.integer()]
        else:
            self.need("in")
            residues = self._set(self.integer)
        if modulus < 1 or max(residues) >= modulus:
            found = f"residue {max(residues)} of modulus {modulus}"
            raise ProgramError(f"{start.place}: {found}; expected a modulus above the residue")
        if sign and not _is_equality(sign):
            residues = [residue for residue in range(modulus) if residue not in residues]
        return self._residues(modulus, residues, start.place)

    def _at_least(self) -> _Clause:
        """A sum of truth values compared with a number."""
        self.need("least")
        number = self.integer()
        self.need("of")
        self.need("(")
        parts = self.deeper(self._chain, ",", self._condition)
        self.need(")")

        def write(query: Query) -> s.Expression:
            votes = [(_vote(part.write(query)), 1) for part in parts]
            return b.compared(votes, s.Relation.GE, number)

        return _Clause(write, any(part.has_average for part in parts))

    def _cases(self) -> _Clause:
        """The first row whose guard holds."""
        rows = []
        while not self.take("else"):
            guard = self._condition()
            self.need(":")
            rows.append((guard, self._condition()))
            self.need(",")
        self.need(":")
        otherwise = self._condition()
        self.need("}")

        def write(query: Query, k: int = 0) -> s.Expression:
            if k == len(rows):
                return otherwise.write(query)
            guard = rows[k][0].write(query)
            then = rows[k][1].write(query.given(guard))
            return b.chosen(guard, then, write(query.given(b.negated(guard)), k + 1))

        return _Clause(write, any(part.has_average for row in [(otherwise,), *rows] for part in row))

    def _unit_or_comparison(self) -> _Clause:
        name = self.take(UNIT)
        start = self.at
        left = self._sum({("unit", self._unit(name)): Fraction(1)} if name else None)
        sign = self.take(COMPARED)
        if name and not sign and self.at == start:
            return _plain(self._unit(name))
        if not sign:
            raise self.unexpected()
        difference, relation = add(left, -1, self._sum()), s.Relation(sign.text)
        has_average = any(isinstance(kind, Weights) for kind, _ in difference)
        return _Clause(lambda query: query.compared(difference, relation), has_average)

    def _unit(self, name: Token) -> s.Expression:
        if name.text not in self.units:
            raise ProgramError(
                f"{name.place}: {quote(name.text)} is not defined; expected a unit that a line "
                f"{quote(f'{name.text} := …')} before defines"
            )
        return self._once(s.Name(name.text, name.place), name.text)

    def _feature(self) -> s.Expression:
        """A symbol, or the unit of that name."""
        known = [f'"{symbol}"' for symbol in self.symbols or ()]
        here = [quoted for quoted in known if self.text.startswith(quoted, self.at)]
        if quoted := self.take(max(here, key=len, default=QUOTED)):
            return self._once(s.Symbol(quoted.text[1:-1], quoted.place), quoted.text[1:-1])
        name = self.need(SYMBOL)
        kind = s.Name if name.text in self.units else s.Symbol
        return self._once(kind(name.text, name.place), name.text)

    def _residues(self, modulus: int, residues: Iterable[int], place: s.TextPlace) -> list[s.Expression]:
        """Lengths modulo a number as features of positions."""
        self.period = lcm(self.period, modulus)
        return [
            self._once(s.Periodic("i", modulus, s.Relation.EQ, residue, place), (modulus, residue))
            for residue in residues
        ]

    def _once(self, feature: s.Expression, key: object) -> s.Expression:
        """The first copy of a feature of positions, so that places do not tell equal ones apart."""
        return self._features.setdefault((type(feature), key), feature)

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
        denominator = self.integer() if self.take("/") else 1
        if not denominator:
            raise ProgramError(f"{number.place}: a fraction of denominator 0; expected one above 0")
        return Fraction(self.integer(number), denominator)

    def _average(self, place: s.TextPlace, factor: Fraction) -> PrintedSum:
        start, entries = self.at, []
        if self.take("["):
            entries = self._chain(",", self._entry)
            self.need("]")
        weights = Weights(tuple(entries), f"avg{self.text[start : self.at].rstrip()}", self.origin(place))
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
            key = self.integer()
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
    """True for the relation =, False for ≠; `ProgramError` for any other one."""
    if s.Relation(relation.text) not in (s.Relation.EQ, s.Relation.NE):
        raise ProgramError(f"{relation.place}: unexpected {quote(relation.text)}; expected '=' or '!='")
    return relation.text != "!="


def _vote(condition: s.Expression) -> s.Expression:
    """A count: 1 where a condition holds, 0 elsewhere; a local count that is asked to be 1 is that itself."""
    match condition:
        case s.Comparison(s.Relation.GE, s.Count(s.Predicate()) as count, s.Number(1)):
            return count
    return b.indicator(condition, s.Number(1))
