"""The answer of a smaller space beside a family that stays open.

A smaller space is a part of the family. So what is right there is right in the family, and bounds its R* from
above; what is selected there, and its n0, is said of the smaller space alone.
"""

from __future__ import annotations

from dataclasses import replace

from idinf.base.numbers import format_r
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Bracket, Report, round_r


def put_beside(report: Report, smaller: Report) -> Report:
    """Put the report of a smaller space beside an open one, whose bracket it may narrow.

    Raises `RuntimeError` if it holds what the open one should have met: an internal error.
    """
    report, right = replace(report, smaller=smaller), _find_right(smaller)
    if right is None or report.bracket is None or report.first_unknown is None:
        return report
    r, length, net = right
    length = min(length, report.horizon)
    if length < report.first_unknown:
        return report
    if r <= report.complete_up_to_r - EPSILON:
        raise RuntimeError(
            f"the search is complete up to R = {format_r(report.complete_up_to_r)} and missed a hypothesis "
            f"of {smaller.space.name} that is right up to length {length} with R = {format_r(r)}"
        )
    known = report.upper_end
    if known is not None and _rank(report, *known[:2]) <= _rank(report, r, length):
        return report
    return replace(report, bracket=_narrowed(report, report.bracket, r, length, net))


def _find_right(report: Report) -> tuple[float, int, LimitTransformer] | None:
    """The cheapest hypothesis of a report that no word refutes, with R and up to which length it is right."""
    record = report.selected
    if record is not None and record.fail is None:
        return record.r, report.horizon, record.hypothesis
    return report.upper_end


def _rank(report: Report, r: float, length: int) -> tuple[bool, float, int]:
    """Bounds that reach max_n come first, then the least R, then the longest check."""
    return length < report.max_n, r, -length


def _narrowed(report: Report, bracket: Bracket, r: float, length: int, net: LimitTransformer) -> Bracket:
    end = None
    if length >= report.max_n:
        levels = [(s.n, r if s.r_star is None else s.r_star) for s in report.stages]
        end = round_r(max(level + report.regularizer.window(n) for n, level in levels))
    return replace(bracket, r_upper=r, upper_length=length, hypothesis=net, stop_bound_upper=end)
