"""C-RASP text to syntax tree, through the lark grammar beside this module; formulas by their own one."""

from __future__ import annotations

import re
from typing import Any

from idinf.crasp import syntax as s
from idinf.crasp.imports import resolve
from idinf.crasp.parsing import Grammar, Part, parse_with, read_integer
from idinf.errors import ProgramError
from idinf.files import KIB
from idinf.words import Alphabet

#: Bytes of a program: thousands of operations, and seconds of parsing.
MOST_PROGRAM = 256 * KIB

#: How a formula begins, behind comments: with its acceptance, a unit, or next symbols.
_FORMULA = re.compile(r"(?:\s|//[^\n]*\n)*(?:accept\s+iff\b|u_*[0-9]+\s*:=|next\s+(?:is\b|[^;=]*\biff\b))")


def parse(text: str, alphabet: Alphabet | None = None) -> s.ProgramTree:
    """Parse a program, or a formula as hypotheses are printed; names, sorts and locality are not checked.

    The alphabet is that of words, where that is known: some averages of a formula are no counts over a larger
    one. Imported predicates are written as built-in ones.

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
        from idinf.crasp.notation.reader import read_formula

        return read_formula(text, None if alphabet is None else alphabet.symbols)
    rows = parse_with(text, _PROGRAMS).parts
    definitions = tuple(
        s.Definition(row.parts[0].text, _expression(row.parts[2]), row.place)
        for row in rows
        if row.kind == "definition"
    )
    if not definitions:
        raise ProgramError("line 1, column 1: the program has no operation; expected NAME = expression")
    return resolve(
        definitions, [s.Name(row.parts[1].text, row.place) for row in rows if row.kind == "imported"]
    )


def is_formula(text: str) -> bool:
    """Whether a text is a formula, as hypotheses are printed, and no program.

    Examples
    --------
    >>> is_formula("accept iff #1 - #0 >= 0"), is_formula('accept = # "1" >= # "0"')
    (True, False)
    """
    return _FORMULA.match(text) is not None


def _expression(part: Part) -> s.Expression:
    """One construct for each rule of the grammar."""
    words = [inner for inner in part.parts if not inner.parts]
    inner = [_expression(p) for p in part.parts if p.parts and p.kind != "predicate"]
    # A bracket before the left side is not where it begins.
    place = inner[0].place if part.parts[0].parts else part.place
    operands: list[Any] = [*inner, place]
    match part.kind:
        case "conditional":
            return s.Conditional(*operands)
        case "connective":
            return (s.Conjunction if words[0].text == "&&" else s.Disjunction)(*operands)
        case "negated":
            return s.Negated(*operands)
        case "compared":
            return s.Comparison(s.Relation(words[0].text), *operands)
        case "periodic":
            variable, _, modulus, relation, residue = words
            return s.Periodic(
                variable.text, read_integer(modulus), s.Relation(relation.text), read_integer(residue), place
            )
        case "added":
            return s.Added(1 if words[0].text == "+" else -1, *operands)
        case "multiplied":
            return s.Multiplied(*operands)
        case "negative":
            return s.Negative(*operands)
        case "count":
            predicate = _predicate(part.parts[1]) if len(part.parts) == 3 else None
            return s.Count(predicate, *operands)
        case "name":
            return s.Name(part.text, place)
        case "symbol":
            return s.Symbol(part.text[1:-1], place)
        case "number":
            return s.Number(read_integer(words[0]), place)
        case "truth":
            return s.Truth(part.text == "true", place)
    return s.Extremum(words[0].text == "max", *operands)


def _predicate(part: Part) -> s.Predicate:
    variable, *further = part.parts
    if not further:
        return s.Predicate(variable.text, s.Relation.EQ, "", 0, variable.place)
    offset = read_integer(further[3]) * (1 if further[2].text == "+" else -1) if len(further) > 2 else 0
    return s.Predicate(variable.text, s.Relation(further[0].text), further[1].text, offset, variable.place)


#: The notation of programs; what begins an expression would be a long list.
_PROGRAMS = Grammar(
    "idinf.crasp",
    {
        "NAME": "a name",
        "STRING": "a symbol in double quotes",
        "INTEGER": "a number",
        "RELATION": "a comparison",
    },
    {"STRING": "an expression"},
    "an operation NAME = expression",
)
