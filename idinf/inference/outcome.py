"""Results of a run as its report gives them, and its heartbeat."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from idinf.base.numbers import format_r
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer, to_one_hot
from idinf.nets.regularizer import EPSILON, compute_r_terms
from idinf.report.rows import Rows
from idinf.report.target import TargetDescription
from idinf.report.value import Bracket, Outcome, Record, Regularizer, Report, SearchCounts, Stage, round_r
from idinf.search.slice_types import Counts
from idinf.spec.bounds import Space
from idinf.translate.formulas.formula import write_formula
from idinf.version import __version__
from idinf.work.limits import Ending, Limits
from idinf.work.memory import measure_peak_bytes

#: A hypothesis as the search writes it down: of the one-hot family, or by its matrices.
Hypothesis: TypeAlias = OneHotTransformer | LimitTransformer


def write_dense(hypothesis: Hypothesis) -> LimitTransformer:
    """Write a hypothesis by its matrices."""
    return hypothesis.to_dense() if isinstance(hypothesis, OneHotTransformer) else hypothesis


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A record of the table, or a wrong hypothesis at a bad n: a `Record` with R as it was compared."""

    r: float
    fail: int | None
    counterexample: str | None
    hypothesis: Hypothesis
    formula: str


def build_report(
    about: TargetDescription,
    space: Space,
    regularizer: Regularizer,
    ending: Ending,
    stages: tuple[Stage, ...],
    limits: Limits,
    **found: Any,
) -> Report:
    """Build a report that has no answers but its stages and the fields in ``found``."""
    nothing = {
        **{"outcome": Outcome.OPEN, "n0": None, "n0_canonical": None, "complete_up_to_r": 0.0},
        **{"records": (), "worst": (), "proofs": (), "beyond": None, "counts": SearchCounts(0, 0, 0, 0)},
    }
    report = Report(
        idinf_version=__version__,
        target=about,
        space=space,
        regularizer=regularizer,
        max_n=len(stages),
        stop=ending.reason,
        stop_reason=ending.text,
        stages=Rows(stages),
        bracket=None,
        seconds=round(limits.elapsed_s, 3),
        peak_bytes=measure_peak_bytes(),
        **{**nothing, **found},
    )
    return with_bracket(report)


def with_bracket(
    report: Report,
    r: float | None = None,
    length: int | None = None,
    hypothesis: Hypothesis | None = None,
    stop_bound: float | None = None,
) -> Report:
    """The report with the bracket of a run that is not complete, and a hypothesis right but not minimal."""
    if report.is_complete:
        return report
    bracket = Bracket(
        r_lower=report.stages[-1].r_star_lower,
        r_upper=None if r is None else round_r(r),
        upper_length=length,
        hypothesis=None if hypothesis is None else write_dense(hypothesis),
        stop_bound_upper=None if stop_bound is None else round_r(stop_bound),
        n0_lower=max((stage.n for stage in report.stages if stage.good is False), default=0) + 1,
    )
    return replace(report, bracket=bracket)


def write_record(record: TableRecord, regularizer: Regularizer) -> Record:
    """Write a record as a report shows it, before anything is proved.

    Raises `RuntimeError` if R recomputed from the matrices is not the R the search reported: an internal
    error.
    """
    dense = write_dense(record.hypothesis)
    terms = compute_r_terms(dense, regularizer.aggregate)
    if abs(terms.total - record.r) > EPSILON:
        raise RuntimeError(
            f"the search reported R = {format_r(record.r)} for a hypothesis whose matrices "
            f"have R = {format_r(terms.total)}"
        )
    return Record(
        r=round_r(record.r),
        r_terms=terms.rounded(),
        fail=record.fail,
        proved_all_n=False,
        counterexample=record.counterexample,
        formula=record.formula,
        hypothesis=dense,
    )


def refuse_missed(report: Report, r: float, right_to: int, hypothesis: Hypothesis) -> None:
    """Refuse a report by a hypothesis of its space that is right up to a length, with less R than R*_n there.

    Raises `RuntimeError`, an internal error, that names both.
    """
    stage = report.contradicted_by(r, right_to)
    if stage is None:
        return
    found = f"found R*_{stage.n} = {format_r(stage.r_star_lower)}"
    if stage.r_star is None:
        found = f"is complete up to R = {format_r(stage.r_star_lower)} for n = {stage.n}"
    net = hypothesis if isinstance(hypothesis, OneHotTransformer) else to_one_hot(hypothesis)
    raise RuntimeError(
        f"the search {found} and missed a hypothesis with R = {format_r(r)}, which is right up to length "
        f"{right_to}: {write_formula(net)}"
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """A heartbeat of a running search: complete up to ``complete``, now at ``high``.

    The text begins with the most important number, as the end of a line may not fit.

    Examples
    --------
    >>> print(Progress(8.0, 8.25, Counts(enumerated=12000), 2.0))
    complete to R = 8.00, end not known yet, now at 8.25, 2 s, 12,000 enumerated, 6,000/s
    >>> print(Progress(8.0, 8.25, Counts(enumerated=12000), 2.0, goal=8.67, share=0.125))
    complete to R = 8.00 of at most 8.67, 12% of the work budget, now at 8.25, 2 s, 12,000 enumerated, 6,000/s
    """

    complete: float
    high: float
    counts: Counts
    elapsed_s: float
    upper: float | None = None  #: R of a hypothesis that is known to be right
    #: R up to which the search has to be complete, at most: the stop bound, if known, or ``max_r``.
    goal: float | None = None
    share: float | None = None  #: the part of a budget of work that is spent
    where: str = ""  #: the name of the space that is searched now

    def __str__(self) -> str:
        number = self.counts.enumerated
        rate = number / self.elapsed_s if self.elapsed_s > 0 else 0.0
        place = f"in {self.where}: " if self.where else ""
        parts = [f"{place}complete to R = {max(self.complete, 0.0):.2f}"]
        if self.goal is None or not math.isfinite(self.goal):
            parts.append("end not known yet")
        else:
            parts[0] += f" of at most {self.goal:.2f}"
        if self.share is not None:
            parts.append(f"{math.floor(100 * min(self.share, 1.0))}% of the work budget")
        parts += [f"now at {self.high:.2f}", f"{self.elapsed_s:.0f} s"]
        if self.upper is not None:
            parts.append(f"right at {self.upper:.2f}")
        return ", ".join([*parts, f"{number:,} enumerated", f"{rate:,.0f}/s"])
