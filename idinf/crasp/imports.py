"""The predicates that ``#import`` names: pred, predK and pos_even, with their meaning in built-in terms.

They are those that the public interpreter ships. It counts positions from 0, this package from 1: the even
positions there are the odd ones here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import Any

from idinf.crasp import syntax as s
from idinf.errors import ProgramError
from idinf.quoting import quoted

_PRED = re.compile(r"pred([0-9]{0,18})")
_REMEDY = "write it as #[j = i-k], #[j >= i-k] or (i mod m == r)"


@dataclass(frozen=True, slots=True)
class Import:
    """``#import name``."""

    name: str
    place: s.TextPlace


def meaning_of(name: str, place: s.TextPlace) -> s.Predicate | s.Periodic | None:
    """What a predicate of the public interpreter is here; None if it ships no such predicate.

    Parameters
    ----------
    name : str
    place : Place
        Where the result is said to stand.

    Examples
    --------
    >>> meaning_of("pred4", s.TextPlace(1, 1)).offset, meaning_of("pos_even", s.TextPlace(1, 1)).residue
    (-4, 1)
    """
    if name == "pos_even":
        return s.Periodic("i", 2, s.Relation.EQ, 1, place)
    match = _PRED.fullmatch(name)
    if match is None:
        return None
    return s.Predicate("j", s.Relation.EQ, "i", -int(match[1] or 1), place)


def resolve(definitions: tuple[s.Definition, ...], imports: tuple[Import, ...]) -> s.ProgramTree:
    """Write imported predicates as built-in ones, so that no later stage meets a name of a predicate.

    Parameters
    ----------
    definitions : tuple of Definition
        Nested less than Python recurses.
    imports : tuple of Import
        From anywhere in the text; they hold for the whole program.

    Raises
    ------
    ProgramError
        If an imported predicate is unknown, or has the name of an operation.

    Examples
    --------
    >>> here = s.TextPlace(1, 1)
    >>> resolve((s.Definition("x", s.Name("pos_even", here), here),), (Import("pos_even", here),)).definitions
    (Definition(name='x', expression=Periodic(variable='i', modulus=2, relation=<Relation.EQ: '=='>,
    residue=1, place=TextPlace(line=1, column=1)), place=TextPlace(line=1, column=1)),)
    """
    known = {imported.name: imported for imported in imports}
    for imported in imports:
        if meaning_of(imported.name, imported.place) is None:
            raise ProgramError(
                f"{imported.place}: {quoted(f'#import {imported.name}')} is an unknown predicate; expected "
                "pred, pred2, "
                f"pred3, … or pos_even; {_REMEDY}"
            )
    for definition in definitions:
        if definition.name in known:
            raise ProgramError(
                f"{definition.place}: {quoted(definition.name)} is imported on line "
                f"{known[definition.name].place.line}; expected a new name; rename the operation"
            )
    if not imports:
        return s.ProgramTree(definitions)
    return s.ProgramTree(
        tuple(
            replace(definition, expression=_resolved(definition.expression, frozenset(known)))
            for definition in definitions
        )
    )


def _resolved(expression: s.Expression, known: frozenset[str]) -> s.Expression:
    match expression:
        case s.Name(name, place) if name in known:
            meaning = meaning_of(name, place)
            if not isinstance(meaning, s.Periodic):
                raise ProgramError(
                    f"{place}: predicate {quoted(name)} is about two positions; expected it in a count, as "
                    "in "
                    f"#[{name}]"
                )
            return meaning
        case s.Count(s.Predicate(variable, _, "", _, place) as predicate, operand, _) if variable in known:
            meaning = meaning_of(variable, place)
            if not isinstance(meaning, s.Predicate):
                raise ProgramError(
                    f"{predicate.place}: predicate {quoted(variable)} is about one position; expected one "
                    "of two, "
                    f"such as #[pred]; write # ({variable} && …)"
                )
            return replace(expression, predicate=meaning, operand=_resolved(operand, known))
    parts: dict[str, Any] = {
        field.name: _resolved(value, known)
        for field in fields(expression)
        if isinstance(value := getattr(expression, field.name), s.Expression)
    }
    return replace(expression, **parts)
