"""A batch in rows that need no taking apart: one for each n of a target, and one for each of its records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from typing import TypeVar

from idinf.files import write_whole
from idinf.report.value import Report
from idinf.sweeps.csv_tables import format_table
from idinf.transformers.regularizer import RTerms

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StageRow:
    """What is selected at one n of one target; None is an empty cell."""

    target: str
    n: int
    r_star: float | None  #: R*_n
    r_lower: float  #: R*_n, or what it is above
    good: bool | None  #: whether all that is selected is right on words up to length 2n
    tolerance: float  #: how far above R*_n something may be selected


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record of one target."""

    target: str
    record: int  #: its number, from 1 on
    r: float
    fail: int | None  #: length of the shortest word that it gets wrong; None if there is none up to 2 · max_n
    proved_all_n: bool
    counterexample: str | None
    formula: str
    terms: RTerms  #: a column for each of them


def list_stage_rows(target: str, report: Report) -> tuple[StageRow, ...]:
    """List what was found about every n.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.inference.run import RunOptions, run
    >>> from idinf.runtime.limits import Limits
    >>> report = run(RunOptions(max_n=2).about(load("majority"), "majority"), Limits()).report
    >>> print(format_stages(list_stage_rows("majority", report)), end="")
    target,n,r_star,r_lower,good,tolerance
    majority,1,5.0,5.0,False,0.5
    majority,2,8.414213562,8.414213562,False,0.25
    >>> print(format_records(list_record_rows("majority", report)).splitlines()[1])
    majority,1,4.0,1,False,0,accept iff true,1.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,1.0,0.0,0.0,0.0
    """
    rule = report.regularizer
    return tuple(
        StageRow(target, stage.n, stage.r_star, stage.r_star_lower, stage.good, rule.window(stage.n))
        for stage in report.stages
    )


def list_record_rows(target: str, report: Report) -> tuple[RecordRow, ...]:
    """List the records, with the terms of R."""
    return tuple(
        RecordRow(target, k, one.r, one.fail, one.proved_all_n, one.counterexample, one.formula, one.r_terms)
        for k, one in enumerate(report.records, start=1)
    )


def format_stages(rows: Iterable[StageRow]) -> str:
    """Write the CSV of ``idinf batch --long``."""
    return format_table([item.name for item in fields(StageRow)], (astuple(row) for row in rows))


def format_records(rows: Iterable[RecordRow]) -> str:
    """Write the CSV of ``idinf batch --records``; ε as a counterexample is an empty cell, and fail is 0."""
    columns = [item.name for item in fields(RecordRow)][:-1] + [item.name for item in fields(RTerms)]
    return format_table(columns, ([*astuple(row)[:-1], *row.terms.as_dict().values()] for row in rows))


class LongTables:
    """The files of --long and --records while a batch grows. Mutable: every report is added to them.

    Each is written anew with every report, as a whole, in the order of the specs; a pipe gets it once, with
    the last one. None: it is not asked for.
    """

    def __init__(self, stages_path: str | None, records_path: str | None, total: int) -> None:
        self.stages_path, self.records_path, self.total = stages_path, records_path, total
        self._stages: dict[int, tuple[StageRow, ...]] = {}
        self._records: dict[int, tuple[RecordRow, ...]] = {}

    def put(self, place: int, target: str, report: Report | None) -> None:
        """Add a report, if any, by the place of its spec; an OutputError if a file cannot be written."""
        if self.stages_path is not None:
            self._stages[place] = () if report is None else list_stage_rows(target, report)
            self._write(self.stages_path, len(self._stages), lambda: format_stages(_in_order(self._stages)))
        if self.records_path is not None:
            self._records[place] = () if report is None else list_record_rows(target, report)
            self._write(
                self.records_path, len(self._records), lambda: format_records(_in_order(self._records))
            )

    def _write(self, path: str, finished: int, text: Callable[[], str]) -> None:
        if finished == self.total or os.path.isfile(path) or not os.path.exists(path):
            write_whole(path, text())


def _in_order(rows: Mapping[int, tuple[T, ...]]) -> Iterator[T]:
    return (row for place in sorted(rows) for row in rows[place])
