"""Two reports, or two languages, side by side."""

from __future__ import annotations

import os

from idinf.errors import ArgumentError
from idinf.library.languages import MAX_N, Difference, Language, target
from idinf.library.reports import read_report
from idinf.report import value
from idinf.report.comparison import ReportComparison, compare
from idinf.report.files import report_to_dict


def diff(
    a: value.Report | Language | str | os.PathLike[str],
    b: value.Report | Language | str | os.PathLike[str],
    *,
    max_n: int = MAX_N,
) -> ReportComparison | Difference:
    """Compare two reports, or find the first word on which two languages differ.

    Parameters
    ----------
    a, b : Report, Language, path or name
        Two reports, or a report and the path of one; else two languages, as `target` takes them.
    max_n : int
        Of languages: how far words are compared where nothing is proved for all of them.

    Returns
    -------
    ReportComparison or Difference

    Examples
    --------
    >>> print(diff("tomita-1", target(regex="1*")))
    equal on all words  (all pairs of states)
    """
    if isinstance(a, value.Report) or isinstance(b, value.Report):
        if isinstance(a, Language) or isinstance(b, Language):
            raise ArgumentError(
                "a report and a language are given; expected two of a kind; take hypothesis(report)"
            )
        first, second = (side if isinstance(side, value.Report) else read_report(side) for side in (a, b))
        return compare(report_to_dict(first), report_to_dict(second))
    one, other = (side if isinstance(side, Language) else target(side) for side in (a, b))
    return one.difference(other, max_n)
