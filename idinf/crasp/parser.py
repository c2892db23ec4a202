"""C-RASP text to syntax tree, through the lark grammar beside this module; formulas by their own one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from idinf.crasp import syntax as s
from idinf.crasp.imports import Import, resolve
from idinf.crasp.parsing import MAX_DEPTH, Grammar, integer, parsed, place_of, too_deep
from idinf.errors import ProgramError
from idinf.files import KIB
from idinf.words import Alphabet

if TYPE_CHECKING:
    from lark import Token

#: Bytes of a program: thousands of operations, and seconds of parsing.
MOST_PROGRAM = 256 * KIB

#: How a formula begins, behind comments: with its acceptance, a unit, or next symbols.
_FORMULA = re.compile(r"(?:\s|//[^\n]*\n)*(?:accept\s+iff\b|u_*[0-9]+\s*:=|next\s+(?:is\b|[^;=]*\biff\b))")


def parse(text: str, alphabet: Alphabet | None = None) -> s.ProgramTree:
    """Parse a program, or a formula as hypotheses are printed; names, sorts and locality are not checked.

    Parameters
    ----------
    text : str
    alphabet : Alphabet or None
        Of words, where that is known: some averages of a formula are no counts over a larger one.

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
    >>> parse("accept iff #1 - #0 >= 0").definitions[0].expression.relation
    <Relation.GE: '>='>
    """
    if len(text) > MOST_PROGRAM:
        raise ProgramError(
            f"line 1, column 1: the program has {len(text)} characters; expected at most {MOST_PROGRAM}; "
            "write it shorter"
        )
    if is_formula(text):
        from idinf.crasp.notation.reader import program_of

        program = program_of(text, None if alphabet is None else alphabet.symbols)
        for definition in program.definitions:
            _check_depth(definition)
        return program
    parts: list[s.Definition | Import] = parsed(text, _PROGRAMS)
    definitions = tuple(part for part in parts if isinstance(part, s.Definition))
    if not definitions:
        raise ProgramError("line 1, column 1: the program has no operation; expected NAME = expression")
    for definition in definitions:
        _check_depth(definition)
    return resolve(definitions, tuple(part for part in parts if isinstance(part, Import)))


def is_formula(text: str) -> bool:
    """Whether a text is a formula, as hypotheses are printed, and no program.

    Examples
    --------
    >>> is_formula("accept iff #1 - #0 >= 0"), is_formula('accept = # "1" >= # "0"')
    (True, False)
    """
    return _FORMULA.match(text) is not None


class _TreeBuilder:
    """One method per grammar rule; operators arrive as tokens, operands as finished nodes."""

    def program(self, parts: list[Any]) -> list[s.Definition | Import]:
        return parts

    def definition(self, parts: list[Any]) -> s.Definition:
        name, _, expression = parts
        return s.Definition(str(name), expression, place_of(name))

    def imported(self, parts: list[Any]) -> Import:
        return Import(str(parts[1]), place_of(parts[0]))

    def conditional(self, parts: list[Any]) -> s.Conditional:
        then, _, condition, _, otherwise = parts
        return s.Conditional(then, condition, otherwise, then.place)

    def connective(self, parts: list[Any]) -> s.Conjunction | s.Disjunction:
        left, operator, right = parts
        make = s.Conjunction if operator == "&&" else s.Disjunction
        return make(left, right, left.place)

    def negated(self, parts: list[Any]) -> s.Negated:
        return s.Negated(parts[1], place_of(parts[0]))

    def compared(self, parts: list[Any]) -> s.Comparison:
        left, relation, right = parts
        return s.Comparison(s.Relation(str(relation)), left, right, left.place)

    def periodic(self, parts: list[Any]) -> s.Periodic:
        name, _, modulus, relation, residue = parts
        return s.Periodic(
            str(name), _number(modulus), s.Relation(str(relation)), _number(residue), place_of(name)
        )

    def added(self, parts: list[Any]) -> s.Added:
        left, operator, right = parts
        return s.Added(1 if operator == "+" else -1, left, right, left.place)

    def multiplied(self, parts: list[Any]) -> s.Multiplied:
        return s.Multiplied(parts[0], parts[2], parts[0].place)

    def negative(self, parts: list[Any]) -> s.Negative:
        return s.Negative(parts[1], place_of(parts[0]))

    def count(self, parts: list[Any]) -> s.Count:
        predicate = parts[1] if len(parts) == 3 else None
        return s.Count(predicate, parts[-1], place_of(parts[0]))

    def predicate(self, parts: list[Any]) -> s.Predicate:
        place = place_of(parts[0])
        if len(parts) == 1:
            return s.Predicate(str(parts[0]), s.Relation.EQ, "", 0, place)
        relation = s.Relation.EQ if parts[1] == "=" else s.Relation(str(parts[1]))
        offset = 0
        if len(parts) == 5:
            offset = _number(parts[4]) if parts[3] == "+" else -_number(parts[4])
        return s.Predicate(str(parts[0]), relation, str(parts[2]), offset, place)

    def name(self, parts: list[Any]) -> s.Name:
        return s.Name(str(parts[0]), place_of(parts[0]))

    def symbol(self, parts: list[Any]) -> s.Symbol:
        return s.Symbol(str(parts[0])[1:-1], place_of(parts[0]))

    def number(self, parts: list[Any]) -> s.Number:
        return s.Number(_number(parts[0]), place_of(parts[0]))

    def truth(self, parts: list[Any]) -> s.Truth:
        return s.Truth(parts[0] == "true", place_of(parts[0]))

    def extremum(self, parts: list[Any]) -> s.Extremum:
        return s.Extremum(parts[0] == "max", parts[1], parts[2], place_of(parts[0]))


def _check_depth(definition: s.Definition) -> None:
    level: tuple[s.Expression, ...] = (definition.expression,)
    for _ in range(MAX_DEPTH):
        level = tuple(child for expression in level for child in s.children(expression))
        if not level:
            return
    raise ProgramError(f"{level[0].place}: {too_deep('expression')}")


def _number(token: Token) -> int:
    return integer(str(token), place_of(token))


#: The notation of programs; what begins an expression would be a long list.
_PROGRAMS = Grammar(
    "idinf.crasp",
    "grammar.lark",
    {
        "NAME": "a name",
        "STRING": "a symbol in double quotes",
        "INTEGER": "a number",
        "RELATION": "a comparison",
    },
    {"STRING": "an expression"},
    "an operation NAME = expression",
    _TreeBuilder,
)
