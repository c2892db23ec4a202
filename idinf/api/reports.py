"""Reports as users hold them: the value, what they do with it, and figures of several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Unpack

from idinf.api.frames import Rows
from idinf.api.languages import MAX_N, Difference, Language
from idinf.api.limits import hold, take_limits
from idinf.api.plots import LookArguments, plot
from idinf.api.sources import Path, read_target
from idinf.base.files import write_whole
from idinf.errors import ArgumentError
from idinf.report import value
from idinf.report.comparison import ReportComparison, compare
from idinf.report.files import dump_report, report_from_dict, report_to_dict
from idinf.report.files import read_report as read_value
from idinf.report.value import Record, Stage
from idinf.show.sentences import headline, list_caveats, sentences

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from idinf.proofs.check.report_check import ReportCheck


@dataclass(frozen=True, repr=False)
class Report(value.Report):
    """What `identify` found out; the attributes are the keys of ``idinf-report/1``.

    ``stages``, ``records`` and ``worst`` are tables as well: ``report.stages.to_frame()``.

    Examples
    --------
    >>> from idinf.api.runs import identify
    >>> report = identify("majority", max_n=8, layers=1)
    >>> report
    <Report majority: n0 = 3 in the one-hot family, layers <= 1, for every n>
    >>> report.selected.formula
    'accept iff #1 - #0 >= 0'
    """

    stages: Rows[Stage]
    records: Rows[Record]
    worst: Rows[Record]

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", Rows(self.stages))
        object.__setattr__(self, "records", Rows(self.records))
        object.__setattr__(self, "worst", Rows(self.worst))
        if self.smaller is not None:
            object.__setattr__(self, "smaller", Report.of(self.smaller))

    @classmethod
    def of(cls, report: value.Report) -> Report:
        """Give a value what users do with it."""
        return cls(**{item.name: getattr(report, item.name) for item in fields(report)})

    @classmethod
    def from_dict(cls, content: Mapping[str, object]) -> Report:
        """Read the parsed JSON of a report; a ReportFormatError, with key and remedy, if it is none."""
        return cls.of(report_from_dict(content))

    def to_dict(self) -> dict[str, Any]:
        """Write the report as ``idinf-report/1``, plain values that JSON takes."""
        return report_to_dict(self)

    def save(self, path: Path) -> None:
        """Write the report to a JSON file, whole or not at all; an OutputError if it cannot be written."""
        write_whole(os.fspath(path), dump_report(self))

    def text(self, verbose: bool = False) -> str:
        """Write the report for people, as ``idinf identify`` does."""
        from idinf.show.text.answer import render_answer

        return render_answer(self, verbose)

    def page(self, path: Path | None = None) -> str:
        """Give an HTML page that explains the report, needs no network, and is put into ``path`` if named."""
        from idinf.api.pages import report_page

        return report_page(self, path=path)

    def plot(
        self,
        path: Path | None = None,
        *,
        kind: str | None = None,
        word: str | None = None,
        record: int | None = None,
        **look: Unpack[LookArguments],
    ) -> Figure:
        """Draw the report: its frontier, or a hypothesis where a word or a record is given; see `plot`."""
        return plot(self, path=path, kind=kind, word=word, record=record, **look)

    def export(
        self, form: str, path: Path | None = None, *, record: int | None = None, weights: Path | None = None
    ) -> str:
        """Write the selected hypothesis, or that of a record, in another form; see `Hypothesis.export`.

        Examples
        --------
        >>> from idinf.api.runs import identify
        >>> identify("majority", max_n=8, layers=1).export("crasp")
        'accept = # "1" >= # "0"\\n'
        """
        from idinf.api.hypotheses import hypothesis

        return hypothesis(self, record=record).export(form, path, weights=weights)

    def verify(
        self, *, length: int | None = None, time_limit: float | None = None, memory: int | None = None
    ) -> ReportCheck:
        """Check the report again from its own text, without the search, as ``idinf verify`` does.

        All words up to a length are tried; if it is not given, as far as some seconds go. Of the answer,
        ``right`` says whether nothing is wrong, ``checks`` what was looked at, ``not_checked`` the rest. A
        limit, of seconds or bytes, that ends it raises LimitReached.
        """
        from idinf.proofs.check.report_check import check_report

        with hold(take_limits(time_limit, memory)):
            return check_report(self, length)

    def sentences(self) -> tuple[str, ...]:
        """Say what the run found out, and what it rests on."""
        return sentences(self)

    def caveats(self) -> tuple[str, ...]:
        """Say what the report does not show."""
        return list_caveats(self)

    def __repr__(self) -> str:
        return f"<Report {self.target.title}: {headline(self)}>"

    def _repr_html_(self) -> str:
        from html import escape

        told = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences(self))
        title = f"<h4>{escape(self.target.title)}: {escape(headline(self))}</h4>"
        return f"{title}{told}{self.records._repr_html_()}"


def read_report(path: Path) -> Report:
    """Read the file of a report. Raises ReportFormatError if it cannot be read, or is no report."""
    return Report.of(read_value(os.fspath(path)))


def diff(
    a: value.Report | Language | Path,
    b: value.Report | Language | Path,
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
    if isinstance(a, value.Report) or isinstance(b, value.Report):
        if isinstance(a, Language) or isinstance(b, Language):
            raise ArgumentError(
                "a report and a language are given; expected two of a kind; take hypothesis(report)"
            )
        first, second = (side if isinstance(side, value.Report) else read_report(side) for side in (a, b))
        return compare(report_to_dict(first), report_to_dict(second))
    return read_target(a).difference(read_target(b), max_n)
