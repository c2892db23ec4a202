"""The result of a run, with hypotheses of the family; `build_report` makes the report of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from idinf.base.numbers import format_r
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON, compute_r_terms
from idinf.report.rows import Rows
from idinf.report.target import TargetDescription
from idinf.report.value import (
    Bracket,
    Outcome,
    Proof,
    Record,
    Regularizer,
    Report,
    SearchCounts,
    Shapes,
    Stage,
    Training,
    round_r,
)
from idinf.search.found import Counts
from idinf.search.upper.bracket import UpperBound
from idinf.spec.bounds import Space
from idinf.version import __version__
from idinf.work.limits import Ending, StopReason

NO_WORK = SearchCounts(0, 0, 0, 0)

#: A hypothesis as the search writes it down: of the one-hot family, or by its matrices.
Hypothesis: TypeAlias = OneHotTransformer | LimitTransformer


def write_dense(hypothesis: Hypothesis) -> LimitTransformer:
    """Write a hypothesis by its matrices."""
    return hypothesis.to_dense() if isinstance(hypothesis, OneHotTransformer) else hypothesis


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A record of the table, or what is wrong at a bad n; as a `Record` of a report, R as it was compared."""

    r: float
    fail: int | None
    counterexample: str | None
    hypothesis: Hypothesis
    formula: str


@dataclass(frozen=True, slots=True)
class Inference:
    """The result of a run; attributes as of `idinf.report.value.Report`, where they have its names."""

    max_n: int
    ending: Ending
    stages: tuple[Stage, ...]
    seconds: float
    peak_bytes: int
    outcome: Outcome = Outcome.OPEN
    n0: int | None = None
    n0_canonical: int | None = None
    complete_up_to_r: float = 0.0
    #: What `idinf.inference.table.FailTable.stop_bound` is, or is at most by ``upper``; None: not known.
    stop_bound: float | None = None
    records: tuple[TableRecord, ...] = ()
    worst: tuple[TableRecord, ...] = ()
    counts: SearchCounts = NO_WORK
    upper: UpperBound | None = None  #: a correct hypothesis that was found or given where the search has none
    proofs: tuple[Proof, ...] = ()
    beyond: str | None = None
    training: Training | None = None
    shapes: Shapes | None = None


#: What a report holds as a run has found it.
_KEPT = (
    *("max_n", "outcome", "n0", "n0_canonical", "stages", "proofs", "beyond", "counts", "peak_bytes"),
    *("training", "shapes"),
)


def build_report(
    target: TargetDescription, space: Space, regularizer: Regularizer, found: Inference
) -> Report:
    """Make the report of a run.

    Raises `RuntimeError` if R recomputed from the matrices of a record is not the R the search reported: an
    internal error.
    """
    proved = {proof.hypothesis for proof in found.proofs}
    return Report(
        idinf_version=__version__,
        target=target,
        space=space,
        regularizer=regularizer,
        complete_up_to_r=round_r(found.complete_up_to_r),
        stop=found.ending.reason,
        stop_reason=found.ending.text,
        bracket=None if found.ending.reason is StopReason.STOP_BOUND else _bracket(found),
        records=Rows(_record(record, regularizer, proved) for record in found.records),
        worst=Rows(_record(record, regularizer, proved) for record in found.worst),
        seconds=round(found.seconds, 3),
        method="exact",
        **{name: getattr(found, name) for name in _KEPT},
    )


def _record(record: TableRecord, regularizer: Regularizer, proved: set[LimitTransformer]) -> Record:
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
        proved_all_n=dense in proved,
        counterexample=record.counterexample,
        formula=record.formula,
        hypothesis=dense,
    )


def _bracket(found: Inference) -> Bracket:
    correct = next((record for record in found.records if record.fail is None), None)
    upper, checked = (found.upper, None) if correct is None else (correct, 2 * found.max_n)
    if isinstance(upper, UpperBound):
        checked = upper.checked
    return Bracket(
        r_lower=found.stages[-1].r_star_lower,
        r_upper=None if upper is None else round_r(upper.r),
        upper_length=checked,
        hypothesis=None if upper is None else write_dense(upper.hypothesis),
        stop_bound_upper=None if found.stop_bound is None else round_r(found.stop_bound),
        n0_lower=max((stage.n for stage in found.stages if stage.good is False), default=0) + 1,
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """A heartbeat of a running search: complete up to ``complete``, now at ``high``.

    What matters most is said first, as the end of a line may not fit.

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
    #: What the search has to be complete to, at most: the stop bound as far as it is known, or ``max_r``.
    goal: float | None = None
    share: float | None = None  #: the part of a budget of work that is spent

    def __str__(self) -> str:
        number = self.counts.enumerated
        rate = number / self.elapsed_s if self.elapsed_s > 0 else 0.0
        parts = [f"complete to R = {max(self.complete, 0.0):.2f}"]
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
