"""Reports as files, ``idinf-report/2``: read with one kind of refusal, always written as the same bytes.

The hypothesis of a file is one of its own, or a record of a report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from idinf.base.documents import Refusal, build_schemas, convert, refuse, telling, untag
from idinf.base.files import read_text, show_path, take_path
from idinf.base.json_text import MOST_REPORT, JsonObject, NotJson, dump_json, parse_json
from idinf.base.quoting import list_some
from idinf.errors import ArgumentError, HypothesisFormatError, ReportFormatError, SpecError
from idinf.nets import json_format
from idinf.nets.dense import DenseTransformer
from idinf.nets.limit_transformer import LimitTransformer
from idinf.report.proof import DERIVATION_SCHEMA
from idinf.report.rows import Rows
from idinf.report.value import FORMAT, REPORT, Bracket, Path, Proof, ProofFile, Record, Report

_REMEDY, _AGAIN = "give what 'idinf identify -o' wrote", "write the report again"

#: Reports inside one another, at most.

Part = TypeVar("Part", Record, Proof, Bracket)
T = TypeVar("T", bound=DenseTransformer)


def read_report(path: Path) -> Report:
    """Read the file of a report; a ReportFormatError, with file, key and remedy, if it is none."""
    return report_from_dict(read_document(path), str(path))


def read_document(path: Path) -> JsonObject:
    """Read the file of a JSON object with a ``format``; errors as `read_report`."""
    expected = "expected a JSON report; check the path"
    return _parse(read_text(take_path(path), MOST_REPORT, ReportFormatError, expected), str(path))


def parse_report(text: str, origin: str) -> Report:
    """Read the text of a report; errors as `read_report`.

    >>> parse_report('{"format": "idinf-family/1"}', "f.json")
    Traceback (most recent call last):
        ...
    idinf.errors.ReportFormatError: f.json: format = "idinf-family/1"; expected "idinf-report/2"; give what
    'idinf identify -o' wrote
    """
    return report_from_dict(_parse(text, origin), origin)


def _parse(text: str, origin: str) -> JsonObject:
    origin = show_path(origin)
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise ReportFormatError(f"{origin}: {reason}; expected a result in JSON; {_REMEDY}") from None
    if not isinstance(content, dict) or not isinstance(content.get("format"), str):
        with telling(origin, ReportFormatError):
            refuse(content, 'an object with a "format"', _REMEDY)
    return content


def report_from_dict(content: Mapping[str, object], origin: str = "report") -> Report:
    """Read the parsed object of a report; errors as `read_report`."""
    with telling(show_path(origin), ReportFormatError):
        inside = content.get("smaller")
        for number, each in enumerate(inside if isinstance(inside, list) else ()):
            if isinstance(each, Mapping) and each.get("smaller"):
                refuse(each["smaller"], "[]", "leave it out", f"smaller[{number}].smaller")
        return _checked(convert(untag(content, FORMAT, _REMEDY), Report), "")


def report_to_dict(report: Report) -> JsonObject:
    """Write a report as plain values; keys in the order of the format."""
    content: JsonObject = REPORT.write(report)
    return content


def dump_report(report: Report) -> str:
    """Write a report as text: the same report is always the same text."""
    return dump_json(report_to_dict(report))


def build_schema() -> JsonObject:
    """Give the JSON Schema of the format, draft 2020-12."""
    schemas = build_schemas(Report, ProofFile) | json_format.build_net_schemas()
    report = schemas.pop("Report")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORMAT,
        "description": "What idinf identify found out about one target.",
        **report,
        "properties": {"format": {"const": FORMAT}, **report["properties"]},
        "required": ["format", *report["required"]],
        "$defs": {**schemas, "Derivation": DERIVATION_SCHEMA},
    }


def _checked(report: Report, place: str) -> Report:
    """Check the premises of all readers: a target, a stage for each n, one alphabet; in smaller ones, too."""
    numbers = [stage.n for stage in report.stages]
    if not numbers or len(numbers) != report.max_n or numbers != list(range(1, len(numbers) + 1)):
        refuse(numbers, f"one row for each n from 1 to max_n = {report.max_n}", _AGAIN, f"{place}stages")
    try:
        alphabet = report.target.spec().alphabet
    except SpecError as error:
        raise Refusal(f": {error}; {_AGAIN}") from None

    def in_alphabet(name: str, part: Part) -> Part:
        """The part with the alphabet of the target, which files of hypotheses do not have."""
        net = part.hypothesis
        if net is None or net.alphabet == alphabet:
            return part
        if net.alphabet.symbols != alphabet.symbols:
            expected = f"that of the target, {list_some(alphabet.symbols)}"
            refuse(list(net.alphabet.symbols), expected, _AGAIN, f"{place}{name}.hypothesis.alphabet")
        return replace(part, hypothesis=replace(net, alphabet=alphabet))

    for number, each in enumerate(report.smaller):
        if each.target != report.target:
            expected = "the target of the report around it"
            refuse(each.target.name, expected, _AGAIN, f"smaller[{number}].target")
    return replace(
        report,
        smaller=tuple(_checked(each, f"smaller[{k}].") for k, each in enumerate(report.smaller)),
        records=Rows(in_alphabet(f"records[{k}]", record) for k, record in enumerate(report.records)),
        worst=Rows(in_alphabet(f"worst[{k}]", record) for k, record in enumerate(report.worst)),
        proofs=tuple(in_alphabet(f"proofs[{k}]", proof) for k, proof in enumerate(report.proofs)),
        bracket=None if report.bracket is None else in_alphabet("bracket", report.bracket),
    )


def read_net(
    path: Path, kinds: tuple[type[T], ...], record: int | None = None
) -> tuple[T | LimitTransformer, Report | None]:
    """Read a file of one of some classes, or the hypothesis of a report, which is given beside it.

    Of a report that is the one of a record, numbered from 1 on, else the selected one, or else the upper end
    of the bracket. Raises HypothesisFormatError or ReportFormatError if the file is neither, or is wrong, and
    ArgumentError if it has no such record.
    """
    expected = f"expected a {kinds[0].FORMAT} file or a report; check the path"
    text = read_text(take_path(path), MOST_REPORT, HypothesisFormatError, expected)
    try:
        content = parse_json(text)
    except NotJson:
        content = None  # the reader of hypotheses says why
    if isinstance(content, dict) and content.get("format") == FORMAT:
        report = parse_report(text, str(path))
        return take_hypothesis(report, record, show_path(str(path))), report
    if record is not None:
        raise ArgumentError(
            f"record {record} is asked of {show_path(str(path))}; expected a report; leave it out"
        )
    return json_format.loads_as(kinds, text, str(path)), None


def take_hypothesis(
    report: Report, record: int | None = None, origin: str = "the report"
) -> LimitTransformer:
    """Take a hypothesis of a report; parameters and errors as `read_net`."""
    if record is not None:
        if not 1 <= record <= len(report.records):
            raise ArgumentError(
                f"record {record} is asked of {origin}; expected one from 1 to {len(report.records)}; "
                "correct the number"
            )
        return report.records[record - 1].hypothesis
    if report.selected is not None:
        return report.selected.hypothesis
    if report.bracket is not None and report.bracket.hypothesis is not None:
        return report.bracket.hypothesis
    raise ReportFormatError(
        f"{origin}: nothing is selected at n = {report.max_n}; expected a hypothesis; name one of the "
        f"{len(report.records)} records, or give the run more time"
    )
