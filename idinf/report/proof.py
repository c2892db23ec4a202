"""A proof for all words as a value, and as JSON.

In JSON inequalities are lists of coefficients with the bound last, factors integers or "a/b".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from idinf.base.documents import build_object_schema, form, refuse
from idinf.languages.equivalence.conditions import Inequality

#: Cases inside cases, at most: reading and checking a derivation call themselves once for each.
MAX_CASES = 200

#: Text of a factor that is no integer.
_FRACTION = re.compile(r"-?[0-9]{1,4000}/(?:0*[1-9][0-9]{0,3999})")

#: A step, or all whose paths begin alike: the name of its place, its symbol and its path.
Key = tuple[str, int, str]


class ProofError(Exception):
    """A proof does not prove what it claims; says where."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Σ factor · premise, by the number of the premise; factors are at least 0."""

    factors: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Split:
    """Of integers an inequality holds or its negation does; it is one premise more in either case."""

    case: Inequality
    yes: Derivation
    no: Derivation


Derivation = Sum | Split


@dataclass(frozen=True, slots=True)
class Invariant:
    """A proof that no word makes a difference."""

    counters: tuple[str, ...]  #: names of the unknowns of the inequalities, as in the joint steps
    claims: Mapping[str, tuple[Inequality, ...]]  #: those at each place that can be reached, by its name
    #: For each step from such a place why it keeps the inequalities of the place it leads to, one for each;
    #: or, under its path or the beginning of its path, one that the answers up to there are never given.
    reasons: Mapping[Key, tuple[Derivation, ...]]
    detail: int = 0  #: detail of the last position in places, as in `JointSteps`


def tell_proved(functions: int, is_some_later: bool) -> str:
    """Say that every n beyond max_n is good: so many functions can be selected, and each is proved.

    Where ``is_some_later``, some are not right for ever, but cannot be selected where it would matter.

    >>> tell_proved(1, False)
    'the one hypothesis that can be selected is proved right on all words'
    """
    number = "the one hypothesis" if functions == 1 else f"each of the {functions} hypotheses"
    later = ", or has an R too high to be selected at any n that it would make bad" if is_some_later else ""
    return f"{number} that can be selected is proved right on all words{later}"


_REMEDY = "write the report again"

_INTEGER = {"type": "integer"}
_FACTOR = {"anyOf": [_INTEGER, {"type": "string", "pattern": f"^{_FRACTION.pattern}$"}]}
_ROW = {"type": "array", "items": _INTEGER, "minItems": 1}
_NESTED = {"$ref": "#/$defs/Derivation"}
_SPLIT = {"case": _ROW, "yes": _NESTED, "no": _NESTED}
_PAIR = {"type": "array", "prefixItems": [_INTEGER, _FACTOR], "minItems": 2, "maxItems": 2}

#: JSON Schema of a derivation, which holds others: it refers to itself as ``Derivation``.
DERIVATION_SCHEMA: Mapping[str, object] = {
    "anyOf": [{"type": "array", "items": _PAIR}, build_object_schema(_SPLIT)]
}


def _read_row(given: Any) -> Inequality:
    if not isinstance(given, list) or not given or any(type(entry) is not int for entry in given):
        refuse(given, "a list of integers, the bound last", _REMEDY)
    return Inequality(tuple(given[:-1]), given[-1])


def _write_row(claim: Inequality) -> list[int]:
    return [*claim.coefficients, claim.bound]


def _read_derivation(given: Any, within: int = 0) -> Derivation:
    if isinstance(given, dict):
        if given.keys() != _SPLIT.keys() or within == MAX_CASES:
            refuse(given, f"case, yes and no, at most {MAX_CASES} inside one another", _REMEDY)
        yes, no = (_read_derivation(given[answer], within + 1) for answer in ("yes", "no"))
        return Split(_read_row(given["case"]), yes, no)
    if not isinstance(given, list):
        refuse(given, "a list of pairs of a premise and its factor", _REMEDY)
    return Sum(tuple(map(_factor, given)))


def _write_derivation(reason: Derivation) -> object:
    if isinstance(reason, Split):
        yes, no = map(_write_derivation, (reason.yes, reason.no))
        return {"case": _write_row(reason.case), "yes": yes, "no": no}
    return [[number, int(f) if f.denominator == 1 else str(f)] for number, f in reason.factors]


def _factor(given: Any) -> tuple[int, Fraction]:
    match given:
        case [int(number), int(factor)] if bool not in (type(number), type(factor)):
            return number, Fraction(factor)
        case [int(number), str(factor)] if type(number) is int and _FRACTION.fullmatch(factor):
            return number, Fraction(factor)
    refuse(given, 'a premise and its factor, an integer or "a/b"', _REMEDY)


#: Coefficients with the bound last; integers of any size.
ROW = form(_read_row, _write_row, _ROW)

#: A sum as pairs of a premise and its factor, a split as an object of three keys.
DERIVATION = form(_read_derivation, _write_derivation, _NESTED)
