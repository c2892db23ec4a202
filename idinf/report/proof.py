"""A proof for all words as a value, and as JSON.

In JSON inequalities are lists of coefficients with the bound last, factors integers or "a/b".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from idinf.equivalence.conditions import Inequality
from idinf.json_cursor import Cursor
from idinf.json_forms import Form, build_object_schema, derive_form, list_of, mapping_of

#: Cases inside cases, at most: reading and checking a derivation call themselves once for each.
MAX_CASES = 200

#: What is written of a factor that is no integer.
_FRACTION = re.compile(r"-?[0-9]+/[0-9]*[1-9][0-9]*")

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

    counters: tuple[str, ...]  #: what the unknowns of the inequalities count, as the joint steps name it
    claims: Mapping[str, tuple[Inequality, ...]]  #: those at each place that can be reached, by its name
    #: For each step from such a place why it keeps the inequalities of the place it leads to, one for each;
    #: or, under its path or the beginning of its path, one that the answers up to there are never given.
    reasons: Mapping[Key, tuple[Derivation, ...]]
    detail: int = 0  #: how places tell the last position apart, as in `JointSteps`


def tell_proved(functions: int, is_some_later: bool) -> str:
    """Say that every n beyond max_n is good: so many functions can be selected, and each is proved.

    Where ``is_some_later``, some are not right for ever, but cannot be selected where it would matter.

    Examples
    --------
    >>> tell_proved(1, False)
    'the one hypothesis that can be selected is proved right on all words'
    """
    number = "the one hypothesis" if functions == 1 else f"each of the {functions} hypotheses"
    later = ", or has an R too high to be selected at any n that it would make bad" if is_some_later else ""
    return f"{number} that can be selected is proved right on all words{later}"


_REMEDY = "write the report again"


def _row(claim: Inequality) -> list[int]:
    return [*claim.coefficients, claim.bound]


def _inequality(cursor: Cursor) -> Inequality:
    row = cursor.value
    if not isinstance(row, list) or not row or any(type(entry) is not int for entry in row):
        cursor.fail("a list of integers, the bound last", _REMEDY)
    return Inequality(tuple(row[:-1]), row[-1])


def _reason(reason: Derivation) -> object:
    if isinstance(reason, Split):
        return {"case": _row(reason.case), "yes": _reason(reason.yes), "no": _reason(reason.no)}
    return [[number, int(f) if f.denominator == 1 else str(f)] for number, f in reason.factors]


def _read_reason(cursor: Cursor) -> tuple[Key, tuple[Derivation, ...]]:
    given = cursor.items("place, symbol, path, derivations")
    if len(given) != 4:
        cursor.fail("a list of place, symbol, path, derivations", _REMEDY)
    place, symbol, path, derivations = given
    key = (place.text(), symbol.integer(), path.text())
    return key, tuple(map(_derivation, derivations.items("derivations")))


def _derivation(cursor: Cursor, within: int = 0) -> Derivation:
    if isinstance(cursor.value, dict):
        if within == MAX_CASES:
            cursor.fail(f"at most {MAX_CASES} cases inside cases", _REMEDY)
        given = cursor.fields(("case", "yes", "no"))
        yes, no = (_derivation(given[answer], within + 1) for answer in ("yes", "no"))
        return Split(_inequality(given["case"]), yes, no)
    return Sum(tuple(map(_factor, cursor.items("pairs of a premise and its factor"))))


def _factor(cursor: Cursor) -> tuple[int, Fraction]:
    match cursor.value:
        case [int(number), int(factor)] if bool not in (type(number), type(factor)):
            return number, Fraction(factor)
        case [int(number), str(factor)] if type(number) is int and _FRACTION.fullmatch(factor):
            try:
                return number, Fraction(factor)
            except ValueError:  # Python does not convert thousands of digits
                pass
    cursor.fail('a premise and its factor, an integer or "a/b"', _REMEDY)


def _tuple_schema(*entries: object) -> dict[str, object]:
    """JSON Schema of a list of exactly these entries."""
    return {"type": "array", "prefixItems": [*entries], "minItems": len(entries), "maxItems": len(entries)}


_INTEGER, _TEXT = {"type": "integer"}, {"type": "string"}
_ROW = {"type": "array", "items": _INTEGER, "minItems": 1}
_NESTED = {"$ref": "#/$defs/derivation"}
_FACTOR = {"anyOf": [_INTEGER, {"type": "string", "pattern": f"^{_FRACTION.pattern}$"}]}

#: JSON Schema of a derivation, which holds others: it refers to itself as ``derivation``.
DERIVATION_SCHEMA: Mapping[str, object] = {
    "anyOf": [
        {"type": "array", "items": _tuple_schema(_INTEGER, _FACTOR)},
        build_object_schema({"case": _ROW, "yes": _NESTED, "no": _NESTED}),
    ]
}
_REASON = _tuple_schema(_TEXT, _INTEGER, _TEXT, {"type": "array", "items": _NESTED})

_FORMS: Mapping[str, Form[Any]] = {
    "detail": Form(Cursor.integer, int, _INTEGER),
    "counters": list_of(derive_form(str), "names"),
    "claims": mapping_of(list_of(Form(_inequality, _row, _ROW), "inequalities")),
    "reasons": Form(
        lambda cursor: dict(map(_read_reason, cursor.items("reasons"))),
        lambda reasons: [[*key, [_reason(one) for one in every]] for key, every in reasons.items()],
        {"type": "array", "items": _REASON},
    ),
}

#: JSON Schema of each key of an invariant.
INVARIANT_SCHEMA = {"kind": {"const": "invariant"}, **{key: form.schema for key, form in _FORMS.items()}}


def invariant_to_json(proof: Invariant) -> dict[str, object]:
    """Write a proof.

    Examples
    --------
    >>> from idinf.errors import ReportFormatError
    >>> half = Sum(((0, Fraction(1, 2)),))
    >>> proof = Invariant(("#a",), {"0/": (Inequality((1,), 0),)}, {("0/", 0, ""): (half,)})
    >>> invariant_to_json(proof)["reasons"]
    [['0/', 0, '', [[[0, '1/2']]]]]
    >>> read_invariant(Cursor(invariant_to_json(proof), "p.json", ReportFormatError)) == proof
    True
    """
    return {"kind": "invariant", **{key: form.write(getattr(proof, key)) for key, form in _FORMS.items()}}


def read_invariant(cursor: Cursor) -> Invariant:
    """Read a proof; raises the error of the cursor, if it has not the shape of one."""
    given = cursor.fields(tuple(INVARIANT_SCHEMA))
    if given["kind"].value != "invariant":
        given["kind"].fail('"invariant"', _REMEDY)
    return Invariant(**{key: form.read(given[key]) for key, form in _FORMS.items()})
