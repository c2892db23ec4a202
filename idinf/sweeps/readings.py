"""The table of readings: what R* and n0 of a target are under each way to read the paper."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from idinf.errors import ArgumentError
from idinf.experiments.bounds import LOGITS, TRAINING_RULES, ZERO, HypothesisClass
from idinf.experiments.spec import Answer, Spec
from idinf.experiments.training import TrainingLength
from idinf.inference.run import RunOptions
from idinf.quoting import list_some, quote
from idinf.report.value import Outcome, Regularizer, Report
from idinf.sweeps.csv_tables import format_table, list_columns
from idinf.sweeps.sweep import RunAnswer
from idinf.transformers.regularizer import Aggregate

#: Steps of work of each run in the one-hot family: some seconds.
DEFAULT_WORK = 10_000


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the paper, as options of a run beside the usual ones."""

    name: str
    aggregate: Aggregate = Aggregate.MAX
    tolerance: float | None = None
    hypothesis_class: HypothesisClass = HypothesisClass.ONE_HOT
    threshold: str | None = None
    match: str | None = None
    training: TrainingLength | None = None

    def options(self, asked: RunOptions) -> RunOptions:
        """The options of a run in this reading, where others are asked."""
        bounds = dict(asked.bounds)
        preset = asked.preset
        whole = self.hypothesis_class is not HypothesisClass.ONE_HOT
        if whole:  # of any size, so no other bound is one of the class
            bounds, preset = {"max_r": bounds.get("max_r")}, None
        if self.threshold is not None or self.match is not None:
            bounds |= {"threshold": self.threshold, "match": self.match}
        return replace(
            asked,
            anneal_steps=None if whole else asked.anneal_steps,
            preset=preset,
            bounds=bounds,
            regularizer=Regularizer(self.aggregate, self.tolerance),
            hypothesis_class=self.hypothesis_class,
            training=self.training,
        )

    def is_about(self, spec: Spec) -> bool:
        """Whether it is a way to read the procedure on a target: some are about acceptance alone."""
        usual = self.threshold is None and self.match is None
        return spec.answer is Answer.ACCEPT or (usual and self.hypothesis_class is HypothesisClass.ONE_HOT)


#: Every reading that there is an option for, the usual one first.
READINGS = (
    Reading("one-hot"),
    Reading("threshold zero", threshold=ZERO),
    Reading("logits", match=LOGITS),
    Reading("theta", hypothesis_class=HypothesisClass.THETA),
    Reading("limit", hypothesis_class=HypothesisClass.LIMIT),
    Reading("sum", aggregate=Aggregate.SUM),
    Reading("tolerance 0", tolerance=0.0),
    Reading("tolerance 1/2", tolerance=0.5),
    Reading("lengths of the paper", training=TrainingLength(TRAINING_RULES[0], counts_sos=True)),
)


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """What one target is in one reading; an empty cell is not known."""

    target: str
    reading: str
    outcome: str | None = None
    r_star: float | None = None  #: R* at max_n
    r_above: float | None = None  #: where it is not known: it is above this
    r_upper: float | None = None  #: and at most this
    n0: int | None = None  #: of everything that is selected; with lengths of the paper N0, the context
    n0_canonical: int | None = None
    n0_lower: int | None = None  #: what n0 is at least where it is not known; None: there is none
    error: str | None = None

    @classmethod
    def of(cls, target: str, reading: Reading, answer: RunAnswer) -> ReadingRow:
        """Give the row of an answer."""
        report = answer.report
        if report is None:
            error = " ".join(str(answer.error or answer.limit or "no answer").split())
            return cls(target, reading.name, error=error)
        bracket, stage = report.bracket, report.stages[-1]
        above = None if stage.r_star is not None else stage.r_star_lower
        return cls(
            target,
            reading.name,
            report.outcome.value,
            stage.r_star,
            above,
            None if bracket is None or above is None else bracket.r_upper,
            *_numbers(report),
        )


def _numbers(report: Report) -> tuple[int | None, int | None, int | None]:
    """n0, that of the canonical pick, and what n0 is at least; no pick of another training length."""
    if report.outcome is Outcome.NEVER:
        return None, None, None
    training = report.training
    if training is None:
        lower = None if report.bracket is None else report.bracket.n0_lower
        return report.n0, report.n0_canonical, lower
    if training.n0 is not None:
        return training.n0 + training.counts_sos, None, None
    bad = [stage.n for stage in training.stages if stage.good is False]
    return None, None, max(bad, default=0) + 1 + training.counts_sos


def choose_readings(names: Sequence[str]) -> tuple[Reading, ...]:
    """Take the readings of some names, in their order; all if there are none.

    Examples
    --------
    >>> [reading.name for reading in choose_readings(["theta"])], len(choose_readings([]))
    (['theta'], 9)
    """
    known = {reading.name: reading for reading in READINGS}
    for name in names:
        if name not in known:
            raise ArgumentError(f"reading {quote(name)}; expected one of: {list_some(known, ', ')}; name one")
    return tuple(known[name] for name in names) or READINGS


def read_readings(text: str) -> list[ReadingRow]:
    """Read rows that `format_readings` wrote.

    Examples
    --------
    >>> read_readings(format_readings([ReadingRow("x", "sum", "open", None, 8.5, n0_lower=3)]))[0].n0_lower
    3
    """
    numbers = {"r_star": float, "r_above": float, "r_upper": float}
    kinds = {**numbers, "n0": int, "n0_canonical": int, "n0_lower": int}
    return [
        ReadingRow(**{key: kinds.get(key, str)(value) if value else None for key, value in row.items()})  # type: ignore[arg-type]
        for row in csv.DictReader(io.StringIO(text))
    ]


def format_readings(rows: Sequence[ReadingRow]) -> str:
    """Write rows as CSV.

    Examples
    --------
    >>> print(format_readings([ReadingRow("x", "sum", n0=3)]), end="")
    target,reading,outcome,r_star,r_above,r_upper,n0,n0_canonical,n0_lower,error
    x,sum,,,,,3,,,
    """
    return format_table(list_columns(ReadingRow), map(astuple, rows))
