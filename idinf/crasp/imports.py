"""The predicates that ``#import`` names: pred, predK and pos_even, with their meaning in built-in terms.

They are those that the public interpreter ships. It counts positions from 0, this package from 1: the even
positions there are the odd ones here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from idinf.base.quoting import quote
from idinf.crasp import syntax as s
from idinf.errors import ProgramError

_PRED = re.compile(r"pred([0-9]{0,18})")
_REMEDY = "write it as #[j = i-k], #[j >= i-k] or (i mod m == r)"


def find_meaning(name: str, place: s.TextPlace) -> s.Predicate | s.Periodic | None:
    """The meaning here of a predicate of the public interpreter at a place; None if it ships no such one.

    >>> find_meaning("pred4", s.TextPlace(1, 1)).offset, find_meaning("pos_even", s.TextPlace(1, 1)).residue
    (-4, 1)
    """
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

    >>> here = s.TextPlace(1, 1)
    >>> name = s.Name("pos_even", here)
    >>> resolve((s.Definition("x", name, here),), [name]).definitions[0].expression.modulus
    2
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
