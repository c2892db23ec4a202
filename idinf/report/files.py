"""Reports as files, ``idinf-report/1``: read with one kind of refusal, always written as the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from idinf.errors import ReportFormatError
from idinf.files import read_text, shown_path
from idinf.json_cursor import Cursor
from idinf.json_text import MOST_REPORT, JsonObject, NotJson, dump_json, parse_json
from idinf.report.document import form_of, read_value, schema_of
from idinf.report.value import Report

__all__ = [
    "FORMAT",
    "dump_report",
    "parse_document",
    "parse_report",
    "read_report",
    "report_from_dict",
    "report_schema",
]

#: The tag of the only version that is read and written.
FORMAT = "idinf-report/1"

_REMEDY = "give what 'idinf identify -o' wrote"


def read_report(path: str | Path) -> Report:
    """Read the file of a report.

    Raises
    ------
    ReportFormatError
        If it cannot be read, or is no report; names file, key, value, expectation and remedy.
    """
    text = read_text(path, MOST_REPORT, ReportFormatError, "expected a report; check the path")
    return parse_report(text, str(path))


def parse_report(text: str, origin: str) -> Report:
    """Read the text of a report.

    Raises
    ------
    ReportFormatError
        As `read_report`.

    Examples
    --------
    >>> parse_report('{"format": "idinf-family/1"}', "f.json")
    Traceback (most recent call last):
        ...
    idinf.errors.ReportFormatError: f.json: format = "idinf-family/1"; expected "idinf-report/1"; give what
    'idinf identify -o' wrote
    """
    return report_from_dict(parse_document(text, origin), origin)


def parse_document(text: str, origin: str) -> JsonObject:
    """Parse a JSON object with a ``format``.

    Raises
    ------
    ReportFormatError
        If it is none.
    """
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise ReportFormatError(
            f"{shown_path(origin)}: {reason}; expected a result in JSON; {_REMEDY}"
        ) from None
    root = Cursor(content, shown_path(origin), ReportFormatError)
    if not isinstance(content, dict) or not isinstance(content.get("format"), str):
        root.fail('an object with a "format"', _REMEDY)
    return content


def report_from_dict(content: Mapping[str, object], origin: str = "report") -> Report:
    """Read the parsed object of a report.

    Raises
    ------
    ReportFormatError
        As `read_report`.
    """
    root = Cursor(content, shown_path(origin), ReportFormatError)
    tag = root.at(content.get("format"), "format")
    if tag.value != FORMAT:
        tag.fail(f'"{FORMAT}"', _REMEDY)
    body = root.at({key: value for key, value in content.items() if key != "format"}, "")
    report = read_value(Report, body)
    _check(report, content, root)
    return report


def report_to_dict(report: Report) -> JsonObject:
    """Write a report as plain values; keys in the order of the format."""
    return {"format": FORMAT, **form_of(Report).write(report)}


def dump_report(report: Report) -> str:
    """Write a report as text: the same report is always the same text."""
    return dump_json(report_to_dict(report))


def report_schema() -> JsonObject:
    """Give the JSON Schema of the format, draft 2020-12."""
    body = schema_of(Report)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORMAT,
        "description": "What idinf identify found out about one target.",
        **body,
        "properties": {"format": {"const": FORMAT}, **body["properties"]},
        "required": ["format", *body["required"]],
    }


def _check(report: Report, content: Mapping[str, object], root: Cursor) -> None:
    """What every reader takes for granted: a stage for each n, and one alphabet."""
    if [stage.n for stage in report.stages] != list(range(1, report.max_n + 1)) or not report.stages:
        stages = root.at(content["stages"], "stages")
        stages.fail(f"one row for each n from 1 to max_n = {report.max_n}", "write the report again")
    hypotheses = [(f"records[{k}]", record.hypothesis) for k, record in enumerate(report.records)]
    hypotheses += [(f"proofs[{k}]", proof.hypothesis) for k, proof in enumerate(report.proofs)]
    if report.bracket is not None and report.bracket.hypothesis is not None:
        hypotheses.append(("bracket", report.bracket.hypothesis))
    for place, hypothesis in hypotheses:
        if (symbols := hypothesis.alphabet.symbols) != report.target.alphabet:
            alphabet = root.at(list(symbols), f"{place}.hypothesis.alphabet")
            alphabet.fail("that of the target", "write the report again")
