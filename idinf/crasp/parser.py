"""C-RASP text to syntax tree by recursive descent; formulas by `idinf.crasp.notation.reader`.

    program:     ("#import" NAME | NAME "=" expression)*           line breaks are blanks
    expression:  chain | chain "if" chain "else" expression
    chain:       operands with, loosest to tightest, || && ! comparison + - *; a comparison stands alone
    operand:     atom | - operand | # [predicate] (atom | ! …)      a count binds tighter than everything
    atom:        NAME | NAME mod INTEGER == INTEGER | "symbol" | INTEGER | true | false | (expression)
                 | min(expression, expression) | max(expression, expression)

Texts are read from left to right and never again, so what could have stood where one goes wrong is known.

The predicates that ``#import`` names are those that the public interpreter ships. It counts positions from 0,
this package from 1: the even positions there are the odd ones here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from idinf.base.files import KIB
from idinf.base.quoting import quote
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.scanner import IMPORT, INTEGER, NAME, READ, RELATION, STRING, Scanner, Token, check_depth
from idinf.errors import ProgramError

_PRED = re.compile(r"pred([0-9]{0,18})")
_REMEDY = "write it as #[j = i-k], #[j >= i-k] or (i mod m == r)"


def find_meaning(name: str, place: s.TextPlace) -> s.Predicate | s.Periodic | None:
    """The meaning here of a predicate of the public interpreter at a place; None if it ships no such one."""
    if name == "pos_even":
        return s.Periodic("i", 2, s.Relation.EQ, 1, place)
    match = _PRED.fullmatch(name)
    if match is None:
        return None
    return s.Predicate("j", s.Relation.EQ, "i", -int(match[1] or 1), place)


def resolve(definitions: tuple[s.Definition, ...], imports: Iterable[s.Name]) -> s.ProgramTree:
    """Write imported predicates as built-in ones, so that no later stage meets a name of a predicate.

    Imports may stand anywhere in the text, and hold for the whole program.

    Raises `ProgramError` if an imported predicate is unknown, or has the name of an operation.
    """
    lines: dict[str, int] = {}
    for name in imports:
        lines[name.name] = name.place.line
        if find_meaning(name.name, name.place) is None:
            raise ProgramError(
                f"{name.place}: {quote(f'#import {name.name}')} is an unknown predicate; expected pred, "
                f"pred2, pred3, … or pos_even; {_REMEDY}"
            )
    for definition in definitions:
        if definition.name in lines:
            raise ProgramError(
                f"{definition.place}: {quote(definition.name)} is imported on line "
                f"{lines[definition.name]}; expected a new name; rename the operation"
            )
    return s.ProgramTree(
        tuple(replace(row, expression=_resolved(row.expression, set(lines))) for row in definitions)
    )


def _resolved(expression: s.Expression, known: set[str]) -> s.Expression:
    match expression:
        case s.Name(name, place) if name in known:
            meaning = find_meaning(name, place)
            if not isinstance(meaning, s.Periodic):
                raise ProgramError(
                    f"{place}: predicate {quote(name)} is about two positions; expected it in a count, as "
                    f"in #[{name}]"
                )
            return meaning
        case s.Count(s.Predicate(variable, _, "", _, place)) if variable in known:
            meaning = find_meaning(variable, place)
            if not isinstance(meaning, s.Predicate):
                raise ProgramError(
                    f"{place}: predicate {quote(variable)} is about one position; expected one of two, such "
                    f"as #[pred]; write # ({variable} && …)"
                )
            expression = replace(expression, predicate=meaning)
    return s.replace_parts(expression, lambda part: _resolved(part, known))


def write_out_masks(program: s.ProgramTree) -> s.ProgramTree:
    """Replace strict masks, so that no later stage meets one.

    What is counted and counts itself becomes an operation of its own, so that it is not repeated. Masks that
    look ahead are left for the checker, which refuses them.

    Implements Proposition 39 of [HYB25]_: #[j < i] P is #P less 1 if P, in C-RASP[]; at SOS, which is never
    counted, but where P may be true, it is 0. A mask of more than one position needs a local count.

    >>> from idinf.crasp.syntax import format_program
    >>> print(format_program(parse('accept = #[j < i] "a" >= #[j <= i-3] (# "a" > 1)')), end="")
    masked1 = # "a" > 1
    accept = # "a" - (1 if "a" else 0) >= # masked1 - #[j >= i-2] masked1
    """

    def written(expression: s.Expression, name_part: Callable[[str, s.Expression], s.Name]) -> s.Expression:
        expression = s.replace_parts(expression, lambda part: written(part, name_part))
        match expression:
            case s.Count(s.Predicate("j", s.Relation.LT | s.Relation.LE, "i") as mask, operand, here) if (
                mask.offset <= 0
            ):
                if any(isinstance(part, s.Count) for part in s.iter_parts(operand)):
                    operand = name_part("masked", operand)
                return _strictly_before(mask, operand, here)
        return expression

    return s.rebuild(program, written)


def _strictly_before(mask: s.Predicate, operand: s.Expression, here: s.TextPlace) -> s.Expression:
    """A count of a Boolean at the distances that a mask admits."""
    least = (mask.relation is s.Relation.LT) - mask.offset
    everywhere = s.Count(None, operand, here)
    if least == 0:
        return everywhere
    if least > 1:
        recent = replace(mask, relation=s.Relation.GE, offset=1 - least)
        return s.Added(-1, everywhere, s.Count(recent, operand, here), here)
    held = s.Conditional(s.Number(1, here), operand, s.Number(0, here), here)
    before = s.Added(-1, everywhere, held, here)
    return before if _is_false_at_sos(operand) else s.Extremum(True, before, s.Number(0, here), here)


def _is_false_at_sos(expression: s.Expression) -> bool:
    """True if an expression is plainly false at SOS."""
    match expression:
        case s.Symbol() | s.Truth(False):
            return True
        case s.Conjunction(left, right):
            return _is_false_at_sos(left) or _is_false_at_sos(right)
        case s.Disjunction(left, right):
            return _is_false_at_sos(left) and _is_false_at_sos(right)
    return False


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
        program = write_out_masks(program)
    return program


def is_formula(text: str) -> bool:
    """True if a text is a formula, as hypotheses are printed, and no program.

    >>> is_formula("accept iff #1 - #0 >= 0"), is_formula('accept = # "1" >= # "0"')
    (True, False)
    """
    return _FORMULA.match(text) is not None


#: Operators between two operands: how tightly they bind, and their kinds.
_OPERATORS = ((6, "*"), (5, "+"), (5, "-"), (4, RELATION), (2, "&&"), (1, "||"))
_TIGHTEST, _COMPARED, _NOT, _LOOSEST = 6, 4, 3, 1


class _Reader(Scanner):
    """Reads one program, construct by construct."""

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
            check_depth(definitions[-1].expression)
        return tuple(definitions), imported

    def _expression(self, first: s.Expression | None = None) -> s.Expression:
        """An expression, of which the first operand may have been read."""
        then = self._chain(_LOOSEST, first)
        if not self.take("if"):
            return then
        condition = self._chain(_LOOSEST)
        self.need("else")
        otherwise = self.deeper(self._expression)
        return s.Conditional(then, condition, otherwise, then.place)

    def _chain(self, loosest: int, first: s.Expression | None = None) -> s.Expression:
        """Operands between which no operator binds looser than ``loosest``."""
        left, tightest = first, _TIGHTEST
        if left is None and loosest <= _NOT and (mark := self.take("!")):
            left = s.Negated(self.deeper(self._chain, _NOT), mark.place)
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
        match sign:
            case "*":
                return s.Multiplied(left, right, left.place)
            case "+" | "-":
                return s.Added(1 if sign == "+" else -1, left, right, left.place)
            case "&&":
                return s.Conjunction(left, right, left.place)
            case "||":
                return s.Disjunction(left, right, left.place)
        return s.Comparison(s.Relation(sign), left, right, left.place)

    def _periodic(self, variable: Token) -> s.Periodic:
        modulus, relation, residue = self.need(INTEGER), self.need(RELATION), self.need(INTEGER)
        numbers = self.integer(modulus), s.Relation(relation.text), self.integer(residue)
        return s.Periodic(variable.text, *numbers, variable.place)

    def _operand(self) -> s.Expression:
        if mark := self.take("-"):
            return s.Negative(self.deeper(self._operand), mark.place)
        if mark := self.take("#"):
            predicate = self._predicate() if self.take("[") else None
            return s.Count(predicate, self.deeper(self._counted), mark.place)
        return self._atom()

    def _counted(self) -> s.Expression:
        if mark := self.take("!"):
            return s.Negated(self.deeper(self._counted), mark.place)
        return self._atom()

    def _predicate(self) -> s.Predicate:
        variable = self.need(NAME)
        relation = self.take(RELATION) or self.take("=")
        anchor, offset = "", 0
        if relation:
            anchor = self.need(NAME).text
            if mark := self.take("+") or self.take("-"):
                offset = self.integer() * (1 if mark.text == "+" else -1)
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
            return s.Extremum(extremum.text == "max", left, right, extremum.place)
        if name := self.take(READ):
            return s.Name(name.text, name.place)
        if symbol := self.take(STRING):
            return s.Symbol(symbol.text[1:-1], symbol.place)
        if number := self.take(INTEGER):
            return s.Number(self.integer(number), number.place)
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

    def _stray(self, name: Token) -> ProgramError:
        """No '=' behind a name: one behind an expression on the same line is taken for part of that."""
        before = self.text.split("\n")[name.place.line - 1][: name.place.column - 1]
        if before.strip():
            expected = "expected an operator, or a new line"
            return ProgramError(f"{name.place}: unexpected {quote(name.text)}; {expected}")
        return self.unexpected()
