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
from idinf.quoting import quoted, shortened

__all__ = ["Derivation", "Invariant", "Key", "ProofError", "Split", "Sum", "proof_from_json", "proof_to_json"]

#: Cases inside cases, at most: reading and checking a derivation call themselves once for each.
MAX_CASES = 200

_FRACTION = re.compile(r"-?[0-9]+/[0-9]+")


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
    """A proof that no word makes a difference.

    Attributes
    ----------
    counters : tuple of str
        What the unknowns of the inequalities count, as the joint steps name it.
    claims : dict
        The inequalities at each place that can be reached, by its name.
    reasons : dict
        For each step from such a place why it keeps the inequalities of the place it leads to, one for each;
        or, under its path or the beginning of its path, one that the answers up to there are never given.
    detail : int
        How places tell the last position apart, as in `JointSteps`.
    """

    counters: tuple[str, ...]
    claims: Mapping[str, tuple[Inequality, ...]]
    reasons: Mapping[Key, tuple[Derivation, ...]]
    detail: int = 0


#: JSON Schema of the keys of an invariant.
INVARIANT_SCHEMA: Mapping[str, Mapping[str, object]] = {
    "kind": {"const": "invariant"},
    "detail": {"type": "integer"},
    "counters": {"type": "array", "items": {"type": "string"}},
    "claims": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
    },
    "reasons": {"type": "array", "items": {"type": "array", "minItems": 4, "maxItems": 4}},
}


def proof_to_json(proof: Invariant) -> dict[str, object]:
    """Write a proof.

    Examples
    --------
    >>> half = Sum(((0, Fraction(1, 2)),))
    >>> proof = Invariant(("#a",), {"0/": (Inequality((1,), 0),)}, {("0/", 0, ""): (half,)})
    >>> proof_to_json(proof)["reasons"]
    [['0/', 0, '', [[[0, '1/2']]]]]
    >>> proof_from_json(proof_to_json(proof)) == proof
    True
    """
    return {
        "kind": "invariant",
        "detail": proof.detail,
        "counters": list(proof.counters),
        "claims": {place: [_row(claim) for claim in claims] for place, claims in proof.claims.items()},
        "reasons": [
            [*key, [_reason(reason) for reason in reasons]] for key, reasons in proof.reasons.items()
        ],
    }


def proof_from_json(value: object) -> Invariant:
    """Read a proof.

    Raises
    ------
    ProofError
        If it has not the shape of one.
    """
    try:
        return _read(value)
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ProofError(
            f"not the shape of a proof ({type(error).__name__}: {shortened(str(error))})"
        ) from None


def _read(value: Any) -> Invariant:
    if value["kind"] != "invariant":
        raise ValueError(f"kind {quoted(value['kind'])}")
    claims = {place: tuple(map(_inequality, rows)) for place, rows in value["claims"].items()}
    reasons = {
        (str(place), _integer(symbol), str(path)): tuple(map(_derivation, given))
        for place, symbol, path, given in value["reasons"]
    }
    return Invariant(tuple(map(str, value["counters"])), claims, reasons, _integer(value["detail"]))


def _row(claim: Inequality) -> list[int]:
    return [*claim.coefficients, claim.bound]


def _inequality(row: Any) -> Inequality:
    *coefficients, bound = map(_integer, row)
    return Inequality(tuple(coefficients), bound)


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{quoted(value)} is not an integer")
    return value


def _reason(reason: Derivation) -> object:
    if isinstance(reason, Split):
        return {"case": _row(reason.case), "yes": _reason(reason.yes), "no": _reason(reason.no)}
    return [[number, int(f) if f.denominator == 1 else str(f)] for number, f in reason.factors]


def _derivation(value: Any, within: int = 0) -> Derivation:
    if isinstance(value, dict):
        if within == MAX_CASES:
            raise ValueError(f"cases inside cases, more than {MAX_CASES}")
        case = _inequality(value["case"])
        return Split(case, _derivation(value["yes"], within + 1), _derivation(value["no"], within + 1))
    return Sum(tuple((_integer(number), _factor(factor)) for number, factor in value))


def _factor(value: Any) -> Fraction:
    if isinstance(value, str) and not _FRACTION.fullmatch(value):
        raise ValueError(f"{quoted(value)} is not a fraction a/b")
    return Fraction(value) if isinstance(value, str) else Fraction(_integer(value))
