"""C-RASP text to syntax tree by recursive descent; formulas by `idinf.crasp.notation.reader`.

    program:     ("#import" NAME | NAME "=" expression)*           line breaks are blanks
    expression:  chain | chain "if" chain "else" expression
    chain:       operands with, loosest to tightest, || && ! comparison + - *; a comparison stands alone
    operand:     atom | - operand | # [predicate] (atom | ! …)      a count binds tighter than everything
    atom:        NAME | NAME mod INTEGER == INTEGER | "symbol" | INTEGER | true | false | (expression)
                 | min(expression, expression) | max(expression, expression)

Texts are read from left to right and never again, so what could have stood where one goes wrong is known.
"""

from __future__ import annotations

import re
from typing import Any

from idinf.base.files import KIB
from idinf.base.quoting import quote
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.imports import resolve
from idinf.crasp.scanner import (
    IMPORT,
    INTEGER,
    MAX_DEPTH,
    NAME,
    READ,
    RELATION,
    STRING,
    TOO_DEEP,
    Scanner,
    Token,
    read_integer,
)
from idinf.errors import ProgramError

#: Bytes of a program: thousands of operations, and seconds of parsing.
MOST_PROGRAM = 256 * KIB

#: How a formula begins, behind comments: with its acceptance, a unit, or next symbols.
_FORMULA = re.compile(r"(?:\s|//[^\n]*\n)*(?:accept\s+iff\b|u_*[0-9]+\s*:=|next\s+(?:is\b|[^;=]*\biff\b))")


def parse(text: str, alphabet: Alphabet | None = None) -> s.ProgramTree:
    """Parse a program, or a formula as hypotheses are printed; names, sorts and locality are not checked.

    The alphabet is that of words, where that is known: some averages of a formula are no counts over a larger
    one. Imported predicates are written as built-in ones, and strict masks as differences.

    Raises `ProgramError` if the text is too long, does not parse, imports an unknown predicate, or has no
    operation; with line and column.

    >>> [definition.name for definition in parse('ones = # "1" \\n accept = ones >= 3').definitions]
    ['ones', 'accept']
    >>> parse("accept iff #1 - #0 >= 0").definitions[0].expression.relation
    <Relation.GE: '>='>
    """
    if len(text) > MOST_PROGRAM:
        raise ProgramError(
            f"line 1, column 1: the program has {len(text)} characters; expected at most {MOST_PROGRAM}; "
            "write it shorter"
        )
    if is_formula(text):
        from idinf.crasp.notation.reader import read_formula

        return read_formula(text, None if alphabet is None else alphabet.symbols)
    definitions, imported = _Reader(text).program()
    if not definitions:
        raise ProgramError("line 1, column 1: the program has no operation; expected NAME = expression")
    program = resolve(definitions, imported)
    if "[" in text:  # few programs have masks
        from idinf.crasp.masks import write_out_masks

        program = write_out_masks(program)
    return program


def is_formula(text: str) -> bool:
    """Whether a text is a formula, as hypotheses are printed, and no program.

    >>> is_formula("accept iff #1 - #0 >= 0"), is_formula('accept = # "1" >= # "0"')
    (True, False)
    """
    return _FORMULA.match(text) is not None


#: Operators between two operands: how tightly they bind, and their kinds.
_OPERATORS = ((6, "*"), (5, "+"), (5, "-"), (4, RELATION), (2, "&&"), (1, "||"))
_TIGHTEST, _COMPARED, _NOT, _LOOSEST = 6, 4, 3, 1


class _Reader(Scanner):
    """Reads one program, construct by construct."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depths: dict[int, int] = {}  # by identity: all that is read is kept

    def program(self) -> tuple[tuple[s.Definition, ...], list[s.Name]]:
        """The operations, and the names of imported predicates."""
        definitions, imported = [], []
        while not self.ends():
            if mark := self.take(IMPORT):
                imported.append(s.Name(self.need(NAME).text, mark.place))
                continue
            name = self.need(NAME)
            if not self.take("="):
                raise self._stray(name)
            definitions.append(s.Definition(name.text, self._expression(), name.place))
        return tuple(definitions), imported

    def _expression(self, first: s.Expression | None = None) -> s.Expression:
        """An expression, of which the first operand may have been read."""
        then = self._chain(_LOOSEST, first)
        if not self.take("if"):
            return then
        condition = self._chain(_LOOSEST)
        self.need("else")
        otherwise = self.deeper(self._expression)
        return self._node(s.Conditional, then, condition, otherwise, place=then.place)

    def _chain(self, loosest: int, first: s.Expression | None = None) -> s.Expression:
        """Operands between which no operator binds looser than ``loosest``."""
        left, tightest = first, _TIGHTEST
        if left is None and loosest <= _NOT and (mark := self.take("!")):
            left = self._node(s.Negated, self.deeper(self._chain, _NOT), place=mark.place)
            tightest = _NOT
        if left is None and loosest <= _COMPARED and (name := self.take(READ)):
            left = s.Name(name.text, name.place)
            if self.take("mod"):
                left, tightest = self._periodic(name), _NOT
        if left is None:
            left = self._operand()
        while operator := self._operator(loosest, tightest):
            tightest, sign = operator
            right = self.deeper(self._chain, tightest + 1)
            left = self._joined(sign, left, right)
            tightest -= tightest == _COMPARED  # a comparison is no side of another one
        return left

    def _operator(self, loosest: int, tightest: int) -> tuple[int, str] | None:
        """The operator that follows, if it binds so tightly, and how tightly that is."""
        for level, kind in _OPERATORS:
            if loosest <= level <= tightest and (mark := self.take(kind)):
                return level, mark.text
        return None

    def _joined(self, sign: str, left: s.Expression, right: s.Expression) -> s.Expression:
        place = left.place
        match sign:
            case "*":
                return self._node(s.Multiplied, left, right, place=place)
            case "+" | "-":
                return self._node(s.Added, left, right, before=(1 if sign == "+" else -1,), place=place)
            case "&&" | "||":
                make = s.Conjunction if sign == "&&" else s.Disjunction
                return self._node(make, left, right, place=place)
        return self._node(s.Comparison, left, right, before=(s.Relation(sign),), place=place)

    def _periodic(self, variable: Token) -> s.Periodic:
        modulus, relation, residue = self.need(INTEGER), self.need(RELATION), self.need(INTEGER)
        return s.Periodic(
            variable.text,
            read_integer(modulus),
            s.Relation(relation.text),
            read_integer(residue),
            variable.place,
        )

    def _operand(self) -> s.Expression:
        if mark := self.take("-"):
            return self._node(s.Negative, self.deeper(self._operand), place=mark.place)
        if mark := self.take("#"):
            predicate = self._predicate() if self.take("[") else None
            counted = self.deeper(self._counted)
            return self._node(s.Count, counted, before=(predicate,), place=mark.place)
        return self._atom()

    def _counted(self) -> s.Expression:
        if mark := self.take("!"):
            return self._node(s.Negated, self.deeper(self._counted), place=mark.place)
        return self._atom()

    def _predicate(self) -> s.Predicate:
        variable = self.need(NAME)
        relation = self.take(RELATION) or self.take("=")
        anchor, offset = "", 0
        if relation:
            anchor = self.need(NAME).text
            if mark := self.take("+") or self.take("-"):
                offset = read_integer(self.need(INTEGER)) * (1 if mark.text == "+" else -1)
        self.need("]")
        compared = s.Relation(relation.text) if relation else s.Relation.EQ
        return s.Predicate(variable.text, compared, anchor, offset, variable.place)

    def _atom(self) -> s.Expression:
        if truth := self.take("true") or self.take("false"):
            return s.Truth(truth.text == "true", truth.place)
        if extremum := self.take("min") or self.take("max"):
            self.need("(")
            left = self.deeper(self._expression)
            self.need(",")
            right = self.deeper(self._expression)
            self.need(")")
            before = (extremum.text == "max",)
            return self._node(s.Extremum, left, right, before=before, place=extremum.place)
        if name := self.take(READ):
            return s.Name(name.text, name.place)
        if symbol := self.take(STRING):
            return s.Symbol(symbol.text[1:-1], symbol.place)
        if number := self.take(INTEGER):
            return s.Number(read_integer(number), number.place)
        return self._bracketed()

    def _bracketed(self) -> s.Expression:
        """Brackets that begin together are no depth: what is inside of one begins what is in the next."""
        self.need("(")
        left = 1
        while self.take("("):
            left += 1
        inner = self.deeper(self._expression)
        while True:
            self.need(")")
            left -= 1
            if not left:
                return inner
            inner = self.deeper(self._expression, inner)

    def _node(
        self, make: Any, *operands: s.Expression, before: tuple[object, ...] = (), place: s.TextPlace
    ) -> s.Expression:
        """A construct with its operands, if it is not too deep."""
        depth = 1 + max(self._depths.get(id(operand), 1) for operand in operands)
        if depth > MAX_DEPTH:
            raise ProgramError(f"{place}: {TOO_DEEP}")
        node: s.Expression = make(*before, *operands, place)
        self._depths[id(node)] = depth
        return node

    def _stray(self, name: Token) -> ProgramError:
        """No '=' behind a name: one behind an expression on the same line is taken for part of that."""
        before = self.text.split("\n")[name.place.line - 1][: name.place.column - 1]
        if before.strip():
            expected = "expected an operator, or a new line"
            return ProgramError(f"{name.place}: unexpected {quote(name.text)}; {expected}")
        return self.unexpected()
