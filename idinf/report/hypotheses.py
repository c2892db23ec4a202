"""The hypothesis of a file: one of its own, or a record of a report."""

from __future__ import annotations

import os

from idinf.errors import ArgumentError, HypothesisFormatError, ReportFormatError
from idinf.files import read_text, shown_path
from idinf.json_text import MOST_REPORT, NotJson, parse_json
from idinf.report.files import FORMAT, parse_report
from idinf.report.value import Report
from idinf.transformers import json_format
from idinf.transformers.limit_transformer import LimitTransformer


def read_hypothesis(path: str | os.PathLike[str], record: int | None = None) -> LimitTransformer:
    """Read a ``limit-transformer/1`` file, or a hypothesis of a report.

    Parameters
    ----------
    path : str or path
    record : int, optional
        Which record of a report, from 1 on; the selected one, or else the upper end of its bracket, if it is
        not given.

    Raises
    ------
    HypothesisFormatError, ReportFormatError
        If the file is neither, or is wrong.
    ArgumentError
        If the report has no such record, or a record is asked of a file that is no report.
    """
    expected = f"expected a {json_format.FORMAT} file or a report; check the path"
    text = read_text(os.fspath(path), MOST_REPORT, HypothesisFormatError, expected)
    try:
        content = parse_json(text)
    except NotJson:
        content = None  # the reader of hypotheses says why
    if isinstance(content, dict) and content.get("format") == FORMAT:
        return hypothesis_of(parse_report(text, str(path)), record, shown_path(str(path)))
    if record is not None:
        raise ArgumentError(
            f"record {record} is asked of {shown_path(str(path))}; expected a report; leave it out"
        )
    return json_format.loads(text, str(path))


def hypothesis_of(report: Report, record: int | None = None, origin: str = "the report") -> LimitTransformer:
    """Take a hypothesis of a report; parameters and errors as `read_hypothesis`."""
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
