"""Pages: one report explained, or two side by side."""

from __future__ import annotations

import os

from idinf.api.classification import classify
from idinf.api.sources import Path
from idinf.base.files import blaming, write_whole
from idinf.errors import ArgumentError, IdinfError
from idinf.report.files import read_report
from idinf.report.value import Report
from idinf.show.html.page import KnownClasses, check_report, render_page, render_pair


def report_page(*reports: Report | Path, path: Path | None = None) -> str:
    """Write an HTML page that explains a report, or two side by side with one n for both.

    Parameters
    ----------
    reports : Report or path
        One or two reports, or their files.
    path : path, optional
        Where to write the page, too. It needs no network.

    Raises
    ------
    ArgumentError
        If it is not one report or two.
    ReportFormatError
        If a file is no report, or a page cannot be made of one.

    Examples
    --------
    >>> from idinf.api.runs import identify
    >>> runs = [identify(name, max_n=4, layers=1) for name in ("majority", "tomita-1")]
    >>> "<h1>majority beside tomita-1</h1>" in report_page(*runs)
    True
    """
    if len(reports) not in (1, 2):
        raise ArgumentError(f"{len(reports)} reports are given; expected one or two; leave others out")
    first, *others = map(take_report, reports)
    if others:
        page = render_pair((first, others[0]), (find_classes(first), find_classes(others[0])))
    else:
        page = render_page(first, find_classes(first))
    if path is not None:
        write_whole(os.fspath(path), page)
    return page


def take_report(source: Report | Path) -> Report:
    """Read a report of which a page can be made, unless it is one; a refusal names its file."""
    if isinstance(source, Report):
        check_report(source)
        return source
    report = read_report(source)
    with blaming(os.fspath(source)):
        check_report(report)
    return report


def find_classes(report: Report) -> KnownClasses | None:
    """What `classify` finds of the target of a report; None if the report does not define it."""
    try:
        found = classify(report.target.spec())
    except (IdinfError, ValueError, RecursionError):
        return None
    return KnownClasses(found.rows, str(found.crasp_periodic_local.verdict))
