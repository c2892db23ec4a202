"""What ``idinf-report/1`` holds: every key with the kinds of its value, and a reader that trusts no text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from idinf.errors import IdinfError
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.reported import DEFINING_KEYS
from idinf.files import shown_path
from idinf.json_text import NotJson, parse_json
from idinf.quoting import quoted, shortened

__all__ = ["FORMAT", "OPTIONAL", "SHAPE", "ReportError", "read_report"]

#: The tag of the only version that is read.
FORMAT = "idinf-report/1"

_NONE = type(None)
_REAL = (int, float)

#: Kinds of values by key, by the place of their object; a place ending in ``[]`` is every object of a list.
SHAPE: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "": {
        "format": (str,),
        "idinf_version": (str,),
        "target": (dict,),
        "space": (dict,),
        "regularizer": (dict,),
        "max_n": (int,),
        "outcome": (str,),
        "n0": (int, _NONE),
        "n0_canonical": (int, _NONE),
        "complete_up_to_r": _REAL,
        "stop_reason": (str,),
        "stages": (list,),
        "bracket": (dict, _NONE),
        "records": (list,),
        "proofs": (list,),
        "beyond": (str, _NONE),
        "counts": (dict,),
        "seconds": _REAL,
        "peak_bytes": (int,),
        "method": (str,),
    },
    "target": {"name": (str,), "alphabet": (list,), "kind": (str,), "source": (str,), "digest": (str,)},
    "space": {"preset": (str,), **dict.fromkeys(SpaceBounds().to_dict(), _REAL), "realisation": (str,)},
    "regularizer": {"aggregate": (str,), "tolerance": (str, int, float)},
    "stages[]": {
        "n": (int,),
        "r_star": (int, float, _NONE),
        "r_star_lower": _REAL,
        "num_selected": (int,),
        "num_selected_bad": (int,),
        "num_selected_exact": (bool,),
        "good": (bool, _NONE),
        "counterexample": (str, _NONE),
        "fail_of_worst": (int, _NONE),
    },
    "bracket": {
        "r_lower": _REAL,
        "r_upper": (int, float, _NONE),
        "upper_length": (int, _NONE),
        "hypothesis": (dict, _NONE),
        "stop_bound_upper": (int, float, _NONE),
        "n0_lower": (int,),
    },
    "records[]": {
        "r": _REAL,
        "r_terms": (dict,),
        "fail": (int, _NONE),
        "proved_all_n": (bool,),
        "counterexample": (str, _NONE),
        "formula": (str,),
        "hypothesis": (dict,),
    },
    "proofs[]": {
        "r": _REAL,
        "hypothesis": (dict,),
        "kind": (str,),
        "detail": (int,),
        "counters": (list,),
        "claims": (dict,),
        "reasons": (list,),
    },
    "counts": dict.fromkeys(("enumerated", "distinct", "exact", "dp"), (int,)),
}

#: Keys that only some reports have: of next symbols, and of words in a domain.
OPTIONAL: Mapping[str, tuple[str, ...]] = {"target": DEFINING_KEYS}

#: The largest integer that a report can hold: counts are machine integers.
LARGEST = 2**63 - 1


class ReportError(IdinfError, ValueError):
    """A file is no report, or not one of this version."""


def read_report(text: str, origin: str) -> dict[str, Any]:
    """Read a report, with every key of the format and no other.

    Raises
    ------
    ReportError
        If it is not JSON, a key is repeated, missing or unknown, or a value is of the wrong kind.

    Examples
    --------
    >>> read_report('{"format": "idinf-family/1"}', "f.json")
    Traceback (most recent call last):
        ...
    idinf.report.shape.ReportError: f.json: format = 'idinf-family/1'; expected
    'idinf-report/1'; give what 'idinf identify -o' wrote
    """
    origin = shown_path(origin)
    try:
        report = parse_json(text)
    except NotJson as reason:
        raise ReportError(f"{origin}: {reason}; expected what 'idinf identify -o' wrote") from None
    tag = report.get("format") if isinstance(report, dict) else None
    if tag != FORMAT:
        raise ReportError(
            f"{origin}: format = {quoted(tag)}; expected {FORMAT!r}; give what 'idinf identify -o' wrote"
        )
    for fault in _faults(report):
        raise ReportError(f"{origin}: {fault}; write the report again")
    return dict(report)


def _faults(report: Mapping[str, Any]) -> Iterator[str]:
    """What of keys and kinds is not of the format; objects before what they hold."""
    for place, kinds in SHAPE.items():
        for path, value in _objects(report, place):
            if type(value) is not dict:
                yield f"{path.removesuffix('.')} = {quoted(value)}; expected an object"
                continue
            for key in value:
                if key not in kinds and key not in OPTIONAL.get(place, ()):
                    yield f"{shortened(path + key)} is an unknown key; expected only {', '.join(kinds)}"
            for key, allowed in kinds.items():
                if key not in value:
                    yield f"{path}{key} is missing"
                elif type(value[key]) not in allowed or not _is_finite(value[key]):
                    names = " or ".join(_NAMES[kind] for kind in dict.fromkeys(allowed))
                    yield f"{path}{key} = {quoted(value[key])}; expected {names}"
    if report.get("stages") == []:
        yield "stages = []; expected one row for each n"
    for path, record in _objects(report, "records[]"):
        for key, term in record["r_terms"].items():
            if type(term) not in _REAL or not _is_finite(term):
                place = shortened(f"{path}r_terms.{key}")
                yield f"{place} = {quoted(term)}; expected an integer or a finite number"


_NAMES = {
    str: "a text",
    int: "an integer",
    float: "a finite number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    _NONE: "null",
}


def _is_finite(value: Any) -> bool:
    """Whether a number can be compared with floats; anything else can."""
    return type(value) not in _REAL or (
        math.isfinite(value) if type(value) is float else abs(value) <= LARGEST
    )


def _objects(report: Mapping[str, Any], place: str) -> list[tuple[str, Any]]:
    """What stands at a place, with the path before its keys; nothing for null."""
    if not place:
        return [("", report)]
    name = place.removesuffix("[]")
    value = report.get(name)
    if place.endswith("[]"):
        return [(f"{name}[{k}].", item) for k, item in enumerate(value if isinstance(value, list) else ())]
    return [] if value is None else [(f"{name}.", value)]
