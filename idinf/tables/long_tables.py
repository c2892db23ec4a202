"""A batch in rows that need no taking apart: one for each n of a target, and one for each of its records."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import TypeAlias

from idinf.nets.regularizer import RTerms
from idinf.report.value import Report
from idinf.tables.csv_tables import Cell, list_columns
from idinf.tables.table import is_due, write_table

Cells: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class StageRow:
    """What is selected at one n of one target; None is an empty cell."""

    target: str
    n: int
    r_star: float | None  #: R*_n
    r_lower: float  #: R*_n, or what it is above
    good: bool | None  #: whether all that is selected is right on words up to length 2n
    tolerance: float  #: how far above R*_n something may be selected
    #: Of a bad n: a shortest word that something selected gets wrong, and the cheapest such hypothesis.
    counterexample: str | None
    wrong_r: float | None
    wrong_formula: str | None


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
    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.run import run
    >>> from idinf.inference.settings import Settings
    >>> from idinf.work.limits import Limits
    >>> report = run(Settings(max_n=2).about(load("majority"), "majority"), Limits()).report
    >>> [(row.n, row.r_star, row.tolerance, row.wrong_formula) for row in list_stage_rows("majority", report)]
    [(1, 5.0, 0.5, 'accept iff last != 0'), (2, 8.414213562, 0.25, 'accept iff empty or #1 >= 1')]
    >>> record_cells(list_record_rows("majority", report)[0])[:7]
    (1, 4.0, 1, False, '0', 'accept iff true', 1.0)
    """
    rule = report.regularizer
    rows = []
    for stage in report.stages:
        known = stage.r_star, stage.r_star_lower, stage.good, rule.window(stage.n), stage.counterexample
        worst = report.worst_of(stage)
        wrong = (None, None) if worst is None else (worst.r, worst.formula)
        rows.append(StageRow(target, stage.n, *known, *wrong))
    return tuple(rows)


def list_record_rows(target: str, report: Report) -> tuple[RecordRow, ...]:
    """List the records, with the terms of R."""
    return tuple(
        RecordRow(target, k, one.r, one.fail, one.proved_all_n, one.counterexample, one.formula, one.r_terms)
        for k, one in enumerate(report.records, start=1)
    )


def stage_cells(row: StageRow) -> Cells:
    """The cells of a row below `STAGE_COLUMNS`."""
    return astuple(row)[1:]


def record_cells(row: RecordRow) -> Cells:
    """The cells of a row below `RECORD_COLUMNS`; ε as a counterexample is empty, and fail is 0."""
    return (*astuple(row)[1:-1], *row.terms.as_dict().values())


#: Columns of both tables after those that say whose rows they are.
STAGE_COLUMNS = {name: kind for name, kind in list_columns(StageRow).items() if name != "target"}
RECORD_COLUMNS = {
    **{name: kind for name, kind in list_columns(RecordRow).items() if name != "target"},
    **list_columns(RTerms),
}


class LongTables:
    """The files of --long and --records while a batch grows. Mutable: every report is added to them.

    Each is written anew with every report, a long one when it `is_due`, as a whole, in the order of what was
    asked; a pipe gets it once, with the last one. None: it is not asked for. ``keys`` are the columns that
    say whose rows they are.
    """

    def __init__(
        self, stages_path: str | None, records_path: str | None, total: int, keys: Mapping[str, type]
    ) -> None:
        self.total = total
        self._stages = None if stages_path is None else _Growing(stages_path, {**keys, **STAGE_COLUMNS})
        self._records = None if records_path is None else _Growing(records_path, {**keys, **RECORD_COLUMNS})

    def put(self, place: int, keys: Sequence[Cell], report: Report | None) -> None:
        """Add a report, if any, by the place of its question; an OutputError if a file cannot be written."""
        if self._stages is not None:
            stages = () if report is None else list_stage_rows("", report)
            self._stages.put(place, [(*keys, *stage_cells(row)) for row in stages], self.total)
        if self._records is not None:
            records = () if report is None else list_record_rows("", report)
            self._records.put(place, [(*keys, *record_cells(row)) for row in records], self.total)

    def finish(self) -> None:
        """Write what is not written."""
        for table in (self._stages, self._records):
            if table is not None and table.waits:
                table.write()


class _Growing:
    """Blocks of rows by their place. Mutable: it grows."""

    def __init__(self, path: str, columns: Mapping[str, type]) -> None:
        self.path, self.columns = path, columns
        self.blocks: dict[int, Sequence[Cells]] = {}
        self.waits = False

    def put(self, place: int, rows: Sequence[Cells], total: int) -> None:
        """Add a block, and write the file."""
        self.blocks[place] = rows
        is_file = os.path.isfile(self.path) or not os.path.exists(self.path)
        self.waits = is_file
        if len(self.blocks) == total or (is_file and is_due(len(self.blocks), total)):
            self.write()

    def write(self) -> None:
        """Write all blocks in their order."""
        ordered = [row for place in sorted(self.blocks) for row in self.blocks[place]]
        write_table(self.path, self.columns, ordered)
        self.waits = False
