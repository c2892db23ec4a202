"""Whether the report of a smaller space fits the open one that it stands beside."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.proofs.check.report_table import SLACK
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import RANGES, SpaceBounds


def smaller_faults(report: Report) -> Iterator[str]:
    """Of one question in a part of the space, where the run was open; what is right there bounds R* here."""
    smaller = report.smaller
    assert smaller is not None
    if report.outcome is not Outcome.OPEN:
        yield f"outcome = {report.outcome.value}; expected open, or no report of a smaller space"
    space, inner = report.space, smaller.space
    if not isinstance(space, SpaceBounds) or not isinstance(inner, SpaceBounds):
        yield "a whole class; expected spaces of the one-hot family"
        return
    over = [key for key in RANGES if getattr(inner, key) > getattr(space, key)]
    if over or inner.name == space.name or (inner.threshold, inner.match) != (space.threshold, space.match):
        yield f"the space is {inner.name}; expected a smaller one than {space.name}"
    if smaller.regularizer != report.regularizer:
        yield "regularizer; expected that of the report around it"
    for record in smaller.records:
        is_early = record.r <= report.complete_up_to_r - SLACK
        if is_early and not any(own.fits(_last_fit(record.fail, report)) for own in report.records):
            yield f"R = {record.r}: it lasts longer than every record up to complete_up_to_r here"
    end = _right(smaller)
    if end is None or report.bracket is None or report.first_unknown is None or end[1] < report.max_n:
        return
    upper, length = report.bracket.r_upper, report.bracket.upper_length or 0
    if upper is None or length < report.max_n or upper > end[0] + SLACK:
        yield f"r_upper = {upper} up to length {length}; expected at most {end[0]}, which is right there"


def _last_fit(fail: int | None, report: Report) -> int:
    """The greatest length up to which something with this fail is right."""
    return report.horizon if fail is None else min(fail - 1, report.horizon)


def _right(report: Report) -> tuple[float, int] | None:
    """R of what is right in a report and up to which length."""
    record = report.selected
    if record is not None and record.fail is None:
        return record.r, report.horizon
    return None if report.upper_end is None else report.upper_end[:2]
