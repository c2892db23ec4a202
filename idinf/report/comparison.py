"""Two files of results side by side: what each of them says, and whether they say the same.

Files are compared if they have the same format: a run (``idinf-report/1``), the table of a family
(``idinf-family/1``), or the speeds that ``make bench`` writes (``idinf-bench/1``). What depends on the
machine and the moment, seconds and bytes, is shown and never decides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from idinf.errors import ReportFormatError
from idinf.files import read_text, shown_path
from idinf.json_text import MOST_REPORT, NotJson, parse_json
from idinf.quoting import quoted
from idinf.report.keys import unknown_key
from idinf.transformers.regularizer import EPSILON

__all__ = ["ComparedRow", "ReportComparison", "compare", "read_results"]

JsonObject = Mapping[str, object]

#: Two numbers R that were rounded to 9 decimals may be one unit apart beside being EPSILON apart.
SAME = 2 * EPSILON

#: What is compared as a whole, in the order of the table.
_REPORT_KEYS = (
    "target",
    "space",
    "regularizer",
    "max_n",
    "outcome",
    "n0",
    "n0_canonical",
    "complete_up_to_r",
    "bracket",
)
_FAMILY_KEYS = ("family", "space", "regularizer", "max_n", "max_n_cap")
_MEMBER_KEYS = ("digest", "outcome", "max_n", "n0", "n0_canonical", "n0_lower", "r_star", "complete_up_to_r")
#: Of a run in a file of speeds: what must not depend on the machine.
_ANSWER_KEYS = ("outcome", "n0", "max_n", "complete_up_to_r")

#: Of an entry in a file of speeds: what is measured, and how it is written.
_MEASURES = {
    "best_s": "s",
    "median_s": "s",
    "peak_bytes": "bytes",
    "ratio_to_copy": "of copy",
    "cells_per_s": "cells/s",
    "joint_states_per_s": "states/s",
}

_ABSENT = object()

#: The remark of what makes two files differ.
DIFFERS = "differs"

#: Columns a value may take.
WIDTH = 40


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One line of a comparison.

    Attributes
    ----------
    name : str
    first, second : str
        What the two files say.
    remark : str
        ``differs``, a ratio, or nothing.
    """

    name: str
    first: str
    second: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """The rows of a comparison."""

    rows: tuple[ComparedRow, ...]

    @property
    def differing(self) -> tuple[str, ...]:
        """Names of the rows that make the files differ; none if they agree."""
        return tuple(row.name for row in self.rows if row.remark.startswith(DIFFERS))

    def text(self, first: str, second: str) -> str:
        """A table with a heading and one sentence below; ``first`` and ``second`` name the files."""
        cells = [("", f"A {first}", f"B {second}", "")]
        cells += [(row.name, row.first, row.second, row.remark) for row in self.rows]
        widths = [max(len(row[place]) for row in cells) for place in range(4)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        end = f"they differ: {', '.join(self.differing)}" if self.differing else "they agree"
        return "\n".join([*lines, "", end]) + "\n"


def read_results(path: str) -> JsonObject:
    """Read a file of results.

    Raises
    ------
    ReportFormatError
        If it cannot be read, is not a JSON object, its format is not one of those above, or the report of a
        run has a key that is not of its format.
    """
    text = read_text(path, MOST_REPORT, ReportFormatError, "expected a JSON report; check the path")
    shown = shown_path(path)
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise ReportFormatError(
            f"{shown}: {reason}; expected what 'idinf identify -o', 'idinf family -o' or 'make bench' wrote"
        ) from None
    tag = content.get("format") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(tag, str) or tag not in _COMPARERS:
        raise ReportFormatError(
            f"{shown}: format = {quoted(tag)}; expected one of: {', '.join(_COMPARERS)}; only these can be "
            "read"
        )
    if tag == "idinf-report/1" and (fault := unknown_key(content)):
        raise ReportFormatError(f"{shown}: {fault}; remove it, or write the report again")
    return content


def compare(first: JsonObject, second: JsonObject, factor: float | None = None) -> ReportComparison:
    """Compare two files of one format.

    Parameters
    ----------
    first, second : mapping
        As `read_results` gives them.
    factor : float, optional
        Files of speeds differ too where a best time of the second is above so many times that of the first.

    Raises
    ------
    ReportFormatError
        If the formats differ, or a key that is needed is missing or of a wrong type.

    Examples
    --------
    >>> bench = {"format": "idinf-bench/1", "kernels": [{"name": "a", "best_s": 2.0}], "commands": []}
    >>> faster = {**bench, "kernels": [{"name": "a", "best_s": 1.0}]}
    >>> compare(bench, faster).rows[0]
    ComparedRow(name='a best_s', first='2 s', second='1 s', remark='B/A 0.50')
    """
    if first["format"] != second["format"]:
        raise ReportFormatError(
            f"the first file is {first['format']}, the second {second['format']}; expected two files of one "
            "format; only like things can be compared"
        )
    return _COMPARERS[str(first["format"])](first, second, factor)


def _compare_reports(first: JsonObject, second: JsonObject, _: float | None) -> ReportComparison:
    rows = list(_keys(first, second, _REPORT_KEYS))
    rows.append(_sequence(first, second, "stages", "n"))
    rows.append(_sequence(first, second, "records", None))
    rows += _measures(first, second, ("seconds", "peak_bytes"))
    return ReportComparison(tuple(rows))


def _compare_families(first: JsonObject, second: JsonObject, _: float | None) -> ReportComparison:
    rows = list(_keys(first, second, _FAMILY_KEYS))
    for name, one, other in _pairs(first, second, "members"):
        rows += _answers(name, one, other, _MEMBER_KEYS)
    rows.append(_sequence(first, second, "fits", None))
    rows += _measures({"seconds": _total(first)}, {"seconds": _total(second)}, ("seconds",))
    return ReportComparison(tuple(rows))


def _compare_benches(first: JsonObject, second: JsonObject, factor: float | None) -> ReportComparison:
    rows: list[ComparedRow] = []
    for key in ("commands", "kernels"):
        for name, one, other in _pairs(first, second, key):
            rows += _measures(one, other, tuple(_MEASURES), f"{name} ", factor)
            if key == "commands" or not (one and other):
                rows += _answers(name, one, other, _ANSWER_KEYS)
    return ReportComparison(tuple(rows))


_COMPARERS: Mapping[str, Callable[[JsonObject, JsonObject, float | None], ReportComparison]] = {
    "idinf-report/1": _compare_reports,
    "idinf-family/1": _compare_families,
    "idinf-bench/1": _compare_benches,
}


def _keys(first: JsonObject, second: JsonObject, keys: Iterable[str]) -> Iterator[ComparedRow]:
    """One row per key; of two tables, one row per key in them that differs, or one for all."""
    for key in keys:
        one, other = first.get(key, _ABSENT), second.get(key, _ABSENT)
        if isinstance(one, dict) and isinstance(other, dict):
            inner = [name for name in {**one, **other} if not _same(one.get(name), other.get(name))]
            yield from (
                ComparedRow(f"{key}.{name}", _shown(one.get(name)), _shown(other.get(name)), DIFFERS)
                for name in inner
            )
            if not inner:
                yield ComparedRow(key, "same", "same")
        else:
            yield ComparedRow(key, _shown(one), _shown(other), "" if _same(one, other) else DIFFERS)


def _sequence(first: JsonObject, second: JsonObject, key: str, label: str | None) -> ComparedRow:
    """Two lists in step: how long they are, and the first place where they differ."""
    one, other = _items(first, key), _items(second, key)
    remark = ""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        wrong = [name for name in {**left, **right} if not _same(left.get(name), right.get(name))]
        if wrong:
            where = f"row {place + 1}" if label is None else f"{label} = {_shown(left.get(label))}"
            remark = f"{DIFFERS}, first at {where}: {', '.join(wrong)}"
            break
    if not remark and len(one) != len(other):
        remark = f"{DIFFERS}, in length only"
    return ComparedRow(key, str(len(one)), str(len(other)), remark)


def _pairs(first: JsonObject, second: JsonObject, key: str) -> Iterator[tuple[str, JsonObject, JsonObject]]:
    """Entries of the same name; an empty one where a file has none."""
    one, other = (
        {str(item.get("name")): item for item in _items(content, key)} for content in (first, second)
    )
    for name in {**one, **other}:
        yield name, one.get(name, {}), other.get(name, {})


def _total(content: JsonObject) -> float:
    """Seconds of all members."""
    return sum(_number(item.get("seconds")) or 0.0 for item in _items(content, "members"))


def _answers(name: str, one: JsonObject, other: JsonObject, keys: Iterable[str]) -> Iterator[ComparedRow]:
    """Rows for what two entries answer; one row if they agree in all of it, or one of them is missing."""
    if not (one and other):
        left, right = ("present" if item else "absent" for item in (one, other))
        yield ComparedRow(name, left, right, DIFFERS)
        return
    wrong = [key for key in keys if not _same(one.get(key), other.get(key))]
    for key in wrong:
        yield ComparedRow(f"{name} {key}", _shown(one.get(key)), _shown(other.get(key)), DIFFERS)
    if not wrong:
        left, right = (f"{item.get('outcome')}, n0 {_shown(item.get('n0'))}" for item in (one, other))
        yield ComparedRow(name, left, right)


def _measures(
    one: JsonObject, other: JsonObject, keys: Iterable[str], prefix: str = "", factor: float | None = None
) -> Iterator[ComparedRow]:
    """Rows for what is measured: both values and their ratio, a difference only for ``factor``."""
    for key in keys:
        left, right = _number(one.get(key)), _number(other.get(key))
        if left is None or right is None:
            continue
        unit = _MEASURES.get(key, "s")
        remark = f"B/A {right / left:.2f}" if left > 0 else ""
        if factor is not None and key == "best_s" and right > factor * left:
            remark = f"{DIFFERS}: {remark}, above {factor:g}"
        yield ComparedRow(f"{prefix}{key}", f"{left:.4g} {unit}", f"{right:.4g} {unit}", remark)


def _items(content: JsonObject, key: str) -> list[JsonObject]:
    value = content.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ReportFormatError(
            f"{key} of an {content['format']} file is no list of tables; expected one; write the file again"
        )
    return value


def _same(one: object, other: object) -> bool:
    """Equality of JSON values; numbers that are not both integers may be `SAME` apart."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    left, right = _number(one), _number(other)
    if left is not None and right is not None and (isinstance(one, float) or isinstance(other, float)):
        return abs(left - right) <= SAME
    return type(one) is type(other) and one == other


def _number(value: object) -> float | None:
    """A finite number; JSON truth values are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _shown(value: object) -> str:
    """A value in a cell; long ones are cut."""
    if value is _ABSENT:
        return "absent"
    if value is None or isinstance(value, str):
        text = "-" if value is None else value
    else:
        text = json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
