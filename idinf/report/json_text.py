"""A report as JSON text: stable, rows of numbers on one line."""

from __future__ import annotations

import json
from collections.abc import Mapping

__all__ = ["dumps"]


def dumps(report: Mapping[str, object]) -> str:
    r"""Write a report as ASCII JSON text with a newline at its end.

    Keys stay in their order, objects are indented by 2, a list of plain values takes one line: the same
    report is always the same text.

    Examples
    --------
    >>> dumps({"n": 1, "row": [1, "1/2"]})
    '{\n  "n": 1,\n  "row": [1, "1/2"]\n}\n'
    """
    return _layout(report, "") + "\n"


def _layout(value: object, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        lines = [f"{inner}{json.dumps(key)}: {_layout(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value):
        lines = [inner + _layout(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)
