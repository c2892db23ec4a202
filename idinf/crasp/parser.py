"""C-RASP text to syntax tree, through the lark grammar beside this module."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from idinf.crasp import syntax as s
from idinf.crasp.imports import Import, resolve
from idinf.errors import ProgramError
from idinf.files import KIB
from idinf.quoting import quoted

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.exceptions import UnexpectedInput, UnexpectedToken

__all__ = ["MAX_DEPTH", "MOST_PROGRAM", "parse"]

#: Bytes of a program: thousands of operations, and seconds of parsing.
MOST_PROGRAM = 256 * KIB

#: Nesting of one expression; later stages recurse over it, far from Python's own limit.
MAX_DEPTH = 100

#: How messages call the grammar's terminals.
_TERMINALS = {
    "NAME": "a name",
    "STRING": "a symbol in double quotes",
    "INTEGER": "a number",
    "COUNT": "'#'",
    "IF": "'if'",
    "ELSE": "'else'",
    "MOD": "'mod'",
    "TRUE": "'true'",
    "FALSE": "'false'",
    "MIN": "'min'",
    "MAX": "'max'",
    "NOT": "'!'",
    "AND": "'&&'",
    "OR": "'||'",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "TIMES": "'*'",
    "ASSIGN": "'='",
    "RELATION": "a comparison",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "COMMA": "','",
    "$END": "the end",
}


def parse(text: str) -> s.Program:
    """Parse a program; names, sorts and locality are the checker's business.

    Parameters
    ----------
    text : str

    Returns
    -------
    Program
        At least one operation; imported predicates are written as built-in ones.

    Raises
    ------
    ProgramError
        If the text is too long, does not parse, imports an unknown predicate, or has no operation; with line
        and column.

    Examples
    --------
    >>> [definition.name for definition in parse('ones = # "1" \\n accept = ones >= 3').definitions]
    ['ones', 'accept']
    """
    from lark.exceptions import UnexpectedInput

    if len(text) > MOST_PROGRAM:
        raise ProgramError(
            f"line 1, column 1: the program has {len(text)} characters; expected at most {MOST_PROGRAM}; "
            "write it shorter"
        )
    try:
        parts: list[s.Definition | Import] = _lark().parse(text)  # type: ignore[assignment]  # the builder's
    except UnexpectedInput as error:
        raise ProgramError(_describe(error, text)) from None
    definitions = tuple(part for part in parts if isinstance(part, s.Definition))
    if not definitions:
        raise ProgramError("line 1, column 1: the program has no operation; expected NAME = expression")
    for definition in definitions:
        _check_depth(definition)
    return resolve(definitions, tuple(part for part in parts if isinstance(part, Import)))


@cache
def _lark() -> Lark:
    from lark import Lark, Transformer

    class Builder(_TreeBuilder, Transformer):  # type: ignore[type-arg]
        """The callbacks of `_TreeBuilder` for lark, which wants its own base class."""

    grammar = (resources.files("idinf.crasp") / "grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", start="program", transformer=Builder(), maybe_placeholders=False)


def _place(token: Token) -> s.TextPlace:
    return s.TextPlace(token.line or 1, token.column or 1)


class _TreeBuilder:
    """One method per grammar rule; operators arrive as tokens, operands as finished nodes."""

    def program(self, parts: list[Any]) -> list[s.Definition | Import]:
        return parts

    def definition(self, parts: list[Any]) -> s.Definition:
        name, _, expression = parts
        return s.Definition(str(name), expression, _place(name))

    def imported(self, parts: list[Any]) -> Import:
        return Import(str(parts[1]), _place(parts[0]))

    def conditional(self, parts: list[Any]) -> s.Conditional:
        then, _, condition, _, otherwise = parts
        return s.Conditional(then, condition, otherwise, then.place)

    def connective(self, parts: list[Any]) -> s.Conjunction | s.Disjunction:
        left, operator, right = parts
        make = s.Conjunction if operator == "&&" else s.Disjunction
        return make(left, right, left.place)

    def negated(self, parts: list[Any]) -> s.Negated:
        return s.Negated(parts[1], _place(parts[0]))

    def compared(self, parts: list[Any]) -> s.Comparison:
        left, relation, right = parts
        return s.Comparison(s.Relation(str(relation)), left, right, left.place)

    def periodic(self, parts: list[Any]) -> s.Periodic:
        name, _, modulus, relation, residue = parts
        return s.Periodic(
            str(name), _integer(modulus), s.Relation(str(relation)), _integer(residue), _place(name)
        )

    def added(self, parts: list[Any]) -> s.Added:
        left, operator, right = parts
        return s.Added(1 if operator == "+" else -1, left, right, left.place)

    def multiplied(self, parts: list[Any]) -> s.Multiplied:
        return s.Multiplied(parts[0], parts[2], parts[0].place)

    def negative(self, parts: list[Any]) -> s.Negative:
        return s.Negative(parts[1], _place(parts[0]))

    def count(self, parts: list[Any]) -> s.Count:
        predicate = parts[1] if len(parts) == 3 else None
        return s.Count(predicate, parts[-1], _place(parts[0]))

    def predicate(self, parts: list[Any]) -> s.Predicate:
        place = _place(parts[0])
        if len(parts) == 1:
            return s.Predicate(str(parts[0]), s.Relation.EQ, "", 0, place)
        relation = s.Relation.EQ if parts[1] == "=" else s.Relation(str(parts[1]))
        offset = 0
        if len(parts) == 5:
            offset = _integer(parts[4]) if parts[3] == "+" else -_integer(parts[4])
        return s.Predicate(str(parts[0]), relation, str(parts[2]), offset, place)

    def name(self, parts: list[Any]) -> s.Name:
        return s.Name(str(parts[0]), _place(parts[0]))

    def symbol(self, parts: list[Any]) -> s.Symbol:
        return s.Symbol(str(parts[0])[1:-1], _place(parts[0]))

    def number(self, parts: list[Any]) -> s.Number:
        return s.Number(_integer(parts[0]), _place(parts[0]))

    def truth(self, parts: list[Any]) -> s.Truth:
        return s.Truth(parts[0] == "true", _place(parts[0]))

    def extremum(self, parts: list[Any]) -> s.Extremum:
        return s.Extremum(parts[0] == "max", parts[1], parts[2], _place(parts[0]))


def _integer(token: Token) -> int:
    # Longer digit strings are beyond every bound of the checker, and Python refuses to convert some of them.
    if len(token) > 40:
        raise ProgramError(
            f"{_place(token)}: a number of {len(token)} digits; expected one that fits into 64 bits"
        )
    return int(token)


def _check_depth(definition: s.Definition) -> None:
    level: tuple[s.Expression, ...] = (definition.expression,)
    for _ in range(MAX_DEPTH):
        level = tuple(child for expression in level for child in s.children(expression))
        if not level:
            return
    raise ProgramError(
        f"{level[0].place}: nested more than {MAX_DEPTH} deep; expected a flatter expression; "
        "name its parts in operations of their own"
    )


def _describe(error: UnexpectedInput, text: str) -> str:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    wanted: set[str] = set()
    if isinstance(error, UnexpectedCharacters):
        found = quoted(text[error.pos_in_stream or 0])
        wanted = set(error.allowed or ())
    elif isinstance(error, UnexpectedToken):
        if stray := _stray_name(error, text):
            return f"{_place(stray)}: unexpected {quoted(str(stray))}; expected an operator, or a new line"
        found = "the end" if error.token.type == "$END" else quoted(str(error.token))
        wanted = set(error.accepts or error.expected)
    place = s.TextPlace(max(error.line, 1), max(error.column, 1))
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        place = _end_of(text)
    listed = [phrase for terminal, phrase in _TERMINALS.items() if terminal in wanted]
    if "STRING" in wanted:  # everything that can begin an expression would be a long list
        listed = ["an expression"]
    return f"{place}: unexpected {found}; expected {' or '.join(listed) or 'an operation NAME = expression'}"


def _stray_name(error: UnexpectedToken, text: str) -> Token | None:
    """A name behind an expression on one line, taken for the beginning of an operation that has no '='."""
    if set(error.accepts or error.expected) != {"ASSIGN"} or error.interactive_parser is None:
        return None
    name: Token = error.interactive_parser.parser_state.value_stack[-1]
    before = text.split("\n")[(name.line or 1) - 1][: (name.column or 1) - 1]
    return name if before.strip() else None


def _end_of(text: str) -> s.TextPlace:
    lines = text.rstrip().split("\n")
    return s.TextPlace(len(lines), len(lines[-1]) + 1)
