"""Reports side by side, and checked again.

Results are compared if they have the same format: a run (``idinf-report/2``), or the speeds that ``make
bench`` writes (``idinf-bench/1``). Values that depend on the machine and the moment, seconds and bytes, are
shown and never decide.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from idinf.api.languages import MAX_N, Difference, HypothesisLike, Language, hypothesis, read_target
from idinf.api.limits import hold, take_limits
from idinf.api.sources import several
from idinf.base.documents import LARGEST, convert, refuse, telling
from idinf.base.files import show_path
from idinf.base.json_text import JsonObject
from idinf.base.numbers import align
from idinf.errors import ArgumentError, ReportFormatError
from idinf.report.files import read_document, read_report, report_from_dict, report_to_dict
from idinf.report.value import FORMAT, SLACK, Path, Report

if TYPE_CHECKING:
    from idinf.proofs.check.report_check import ReportCheck

_BENCH = "idinf-bench/1"

_BENCH_KEYS = ("commands", "kernels")

#: Keys that are compared as a whole, in the order of the table.
_REPORT_KEYS = (
    *("target", "space", "regularizer", "max_n", "outcome"),
    *("n0", "n0_canonical", "complete_up_to_r", "bracket"),
)
#: Keys of a run in a file of speeds that must not depend on the machine.
_ANSWER_KEYS = ("outcome", "n0", "max_n", "complete_up_to_r")

#: Measured keys, and their units.
_MEASURES = {
    "seconds": "s",
    "best_s": "s",
    "median_s": "s",
    "peak_bytes": "bytes",
    "ratio_to_copy": "of copy",
    "cells_per_s": "cells/s",
    "joint_states_per_s": "states/s",
}

#: The remark of a line that makes two results differ.
_DIFFERS = "differs"

#: Columns a value may take.
WIDTH = 40


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One line of a comparison."""

    name: str
    first: str  #: value in the first result
    second: str
    remark: str = ""  #: ``differs`` and perhaps where, a ratio, or nothing

    @property
    def differs(self) -> bool:
        """True if this line makes the two differ."""
        return self.remark.startswith(_DIFFERS)


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """The rows of a comparison."""

    rows: tuple[ComparedRow, ...]

    @property
    def differing(self) -> tuple[str, ...]:
        """Names of the rows that make the two differ; none if they agree."""
        return tuple(row.name for row in self.rows if row.differs)

    @property
    def differs(self) -> bool:
        """True if the two differ."""
        return bool(self.differing)

    def text(self, first: str, second: str) -> str:
        """A table with a heading and one sentence below; ``first`` and ``second`` name the two."""
        cells = [("", f"A {first}", f"B {second}", "")]
        cells += [(row.name, row.first, row.second, row.remark) for row in self.rows]
        end = f"they differ: {', '.join(self.differing)}" if self.differs else "they agree"
        return "\n".join([*align(cells), "", end]) + "\n"


@dataclass(frozen=True, slots=True)
class _Speeds:
    """The tables of a file of speeds."""

    commands: tuple[Mapping[str, Any], ...]
    kernels: tuple[Mapping[str, Any], ...]


def verify(
    report: Report,
    length: int | None = None,
    witness: HypothesisLike | Sequence[HypothesisLike] = (),
    time_limit: float | None = None,
    memory: int | None = None,
) -> ReportCheck:
    """Check a report; see `Report.verify`."""
    from idinf.proofs.check.report_check import check_report

    with hold(take_limits(time_limit, memory)):
        return check_report(
            report, length, witness=[hypothesis(given).transformer for given in several(witness)]
        )


def diff(
    a: Report | Language | Path,
    b: Report | Language | Path,
    *,
    max_n: int = MAX_N,
) -> ReportComparison | Difference:
    """Compare two reports, or find the first word on which two languages differ.

    Beside a report stands another one, or its path; else there are two languages, as for `read_target`, which
    are compared up to ``max_n`` where nothing is proved for all words.

    Examples
    --------
    >>> print(diff("tomita-1", "regex:1*"))
    equal on all words  (all pairs of states)
    """
    if isinstance(a, Report) or isinstance(b, Report):
        if isinstance(a, Language) or isinstance(b, Language):
            raise ArgumentError(
                "a report and a language are given; expected two of a kind; take hypothesis(report)"
            )
        first, second = (side if isinstance(side, Report) else read_report(side) for side in (a, b))
        return compare(report_to_dict(first), report_to_dict(second))
    return read_target(a).difference(read_target(b), max_n)


def read_results(path: str) -> JsonObject:
    """Read a file of results as plain values; a ReportFormatError if it holds none."""
    content = read_document(path)
    if content["format"] == FORMAT:
        return report_to_dict(report_from_dict(content, path))
    with telling(show_path(path), ReportFormatError):
        if content["format"] != _BENCH:
            known = f'"{FORMAT}" or "{_BENCH}"'
            refuse(content["format"], known, "only these can be compared", "format")
        convert({key: content.get(key) for key in _BENCH_KEYS}, _Speeds)
    return content


def compare(one: JsonObject, other: JsonObject, factor: float | None = None) -> ReportComparison:
    """Compare two results as `read_results` gives them: R with the tolerance of its decimals, else exactly.

    Speeds differ too where a best time of the second is above ``factor`` times that of the first.

    >>> bench = {"format": "idinf-bench/1", "kernels": [{"name": "a", "best_s": 2.0}], "commands": []}
    >>> faster = {**bench, "kernels": [{"name": "a", "best_s": 1.0}]}
    >>> compare(bench, faster).rows[0]
    ComparedRow(name='a best_s', first='2 s', second='1 s', remark='B/A 0.50')
    """
    if one["format"] != other["format"]:
        raise ReportFormatError(
            f"the first file is {one['format']}, the second {other['format']}; expected two files of one "
            "format; only like things can be compared"
        )
    if one["format"] == _BENCH:
        return ReportComparison(tuple(_bench_rows(one, other, factor)))
    lists = _sequence(one, other, "stages", "n"), _sequence(one, other, "records")
    return ReportComparison((*_keys(one, other, _REPORT_KEYS), *lists, *_measures(one, other)))


def _bench_rows(one: JsonObject, other: JsonObject, factor: float | None) -> Iterator[ComparedRow]:
    for key in _BENCH_KEYS:
        for name, left, right in _pairs(one, other, key):
            yield from _measures(left, right, f"{name} ", factor)
            if key == "commands" or not (left and right):
                yield from _answers(name, left, right, _ANSWER_KEYS)


def _keys(first: JsonObject, second: JsonObject, keys: Iterable[str]) -> Iterator[ComparedRow]:
    """One row per key; of two tables, one row per key in them that differs, or one for all."""
    for key in keys:
        one, other = first[key], second[key]
        if isinstance(one, dict) and isinstance(other, dict):
            inner = list(_different(f"{key}.", one, other, {**one, **other}))
            yield from inner or [ComparedRow(key, "same", "same")]
        else:
            yield ComparedRow(key, _shown(one), _shown(other), "" if _same(one, other) else _DIFFERS)


def _different(prefix: str, one: JsonObject, other: JsonObject, keys: Iterable[str]) -> Iterator[ComparedRow]:
    """One row per key whose values differ; missing ones are null."""
    for key in keys:
        left, right = one.get(key), other.get(key)
        if not _same(left, right):
            yield ComparedRow(f"{prefix}{key}", _shown(left), _shown(right), _DIFFERS)


def _sequence(first: JsonObject, second: JsonObject, key: str, label: str | None = None) -> ComparedRow:
    """Two lists in step: how long they are, and the first place where they differ."""
    one, other = first[key], second[key]
    remark = "" if len(one) == len(other) else f"{_DIFFERS}, in length only"
    for place, (left, right) in enumerate(zip(one, other, strict=False), 1):
        if wrong := [row.name for row in _different("", left, right, {**left, **right})]:
            where = f"row {place}" if label is None else f"{label} = {left[label]}"
            remark = f"{_DIFFERS}, first at {where}: {', '.join(wrong)}"
            break
    return ComparedRow(key, str(len(one)), str(len(other)), remark)


def _pairs(first: JsonObject, second: JsonObject, key: str) -> Iterator[tuple[str, JsonObject, JsonObject]]:
    """Entries of the same name; an empty one where a file has none."""
    one, other = ({str(item.get("name")): item for item in content[key]} for content in (first, second))
    for name in {**one, **other}:
        yield name, one.get(name, {}), other.get(name, {})


def _answers(name: str, one: JsonObject, other: JsonObject, keys: Iterable[str]) -> Iterator[ComparedRow]:
    """Rows for the answers of two entries; one row if they agree in all, or one of them is missing."""
    if not (one and other):
        left, right = ("present" if item else "absent" for item in (one, other))
        yield ComparedRow(name, left, right, _DIFFERS)
        return
    left, right = (f"{item.get('outcome')}, n0 {_shown(item.get('n0'))}" for item in (one, other))
    yield from list(_different(f"{name} ", one, other, keys)) or [ComparedRow(name, left, right)]


def _measures(
    one: JsonObject, other: JsonObject, prefix: str = "", factor: float | None = None
) -> Iterator[ComparedRow]:
    """Rows for measured values: both and their ratio, a difference only for ``factor``."""
    for key, unit in _MEASURES.items():
        left, right = _number(one.get(key)), _number(other.get(key))
        if left is None or right is None:
            continue
        remark = f"B/A {right / left:.2f}" if left > 0 else ""
        if factor is not None and key == "best_s" and right > factor * left:
            remark = f"{_DIFFERS}: {remark}, above {factor:g}"
        yield ComparedRow(f"{prefix}{key}", f"{left:.4g} {unit}", f"{right:.4g} {unit}", remark)


def _same(one: object, other: object) -> bool:
    """Equality of JSON values; numbers that are not both integers may be `SLACK` apart."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    left, right = _number(one), _number(other)
    if left is not None and right is not None and (isinstance(one, float) or isinstance(other, float)):
        return abs(left - right) <= SLACK
    return type(one) is type(other) and one == other


def _number(value: object) -> float | None:
    """A number that is not too large; JSON truth values are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < LARGEST else None


def _shown(value: object) -> str:
    """A value in a cell; long ones are cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = "-" if value is None else " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
