"""Exercises about reports, which mark themselves."""

from __future__ import annotations

from idinf.api.pages import take_report
from idinf.errors import ArgumentError
from idinf.report.value import Path, Report
from idinf.show.exercises import list_exercises
from idinf.show.quiz import Question


def exercises(*reports: Report | Path) -> tuple[Question, ...]:
    """Make exercises from a report or two: ten, or fewer if there is not enough to ask.

    Parameters
    ----------
    reports : Report or path
        One or two reports of targets of acceptance, or their files; such as one with an n0 and one without.

    Raises
    ------
    ArgumentError
        If it is not one report or two.
    ReportFormatError
        If a file is no report, or a target is not about acceptance.

    Examples
    --------
    >>> from idinf.api.identify import identify
    >>> asked = exercises(identify("majority", max_n=8, layers=1))
    >>> len(asked), asked[0].mark("8").said
    (10, 'No: ε, the empty word, is accepted, too.')
    """
    if len(reports) not in (1, 2):
        raise ArgumentError(f"{len(reports)} reports are given; expected one or two; leave others out")
    return list_exercises([take_report(report) for report in reports])
