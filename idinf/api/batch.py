"""The procedure on many targets, and on the members of a family, in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from idinf.api.limits import take_limits
from idinf.api.sources import TargetLike, list_targets
from idinf.base.files import take_path, write_whole
from idinf.base.options import check_integer, takes_settings
from idinf.base.quoting import quote
from idinf.errors import ArgumentError, IdinfError
from idinf.inference.settings import Settings
from idinf.report.rows import Rows, build_frame, render_table
from idinf.report.value import Path, Report
from idinf.spec.bounds import SpaceBounds
from idinf.tables.batch_plan import Question, ask, choose_readings, list_all_columns, take_presets
from idinf.tables.classes import keep_only
from idinf.tables.files import Cell, format_table
from idinf.tables.law import Law, find_laws
from idinf.tables.pool import RunAnswer, RunPool, open_executor, open_kept
from idinf.tables.row import RecordRow, Row, StageRow, list_record_rows, list_stage_rows
from idinf.work.limits import DEFAULT_MEMORY

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True, repr=False)
class BatchItem:
    """Result of one target of a batch: a report, or an error that says why there is none."""

    name: str
    report: Report | None
    error: IdinfError | None
    limit: str | None  #: the limit of time or memory that ended the run
    row: Row  #: the cells of ``idinf batch``
    question: Question  #: the question of the row

    def __repr__(self) -> str:
        return f"<BatchItem {self.name}: {self.error or self.row.outcome}>"


class Batch(tuple[BatchItem, ...]):
    """Results of the targets of a batch, in their order; a table as well.

    Examples
    --------
    >>> found = batch(["majority", "tomita-1"], max_n=4, layers=1)
    >>> found.to_frame()[["target", "outcome", "n0"]].values.tolist()
    [['majority', 'identified-for-all-n', 3], ['tomita-1', 'identified-for-all-n', 2]]
    >>> found.report("tomita-1").selected.formula
    'accept iff #0 = 0'
    """

    __slots__ = ()

    def report(self, name: str) -> Report:
        """Give the report of a target; a KeyError if there is no such target, its own error if it failed."""
        for item in self:
            if item.name == name:
                if item.report is None:
                    raise item.error or IdinfError(f"{name}: no report")
                return item.report
        raise KeyError(name)

    def to_frame(self) -> pandas.DataFrame:
        """Make the table that ``idinf batch`` writes, for pandas."""
        return build_frame([dict(zip(self._columns, cells, strict=True)) for cells in self._cells])

    @property
    def laws(self) -> dict[str, tuple[Law, ...]]:
        """By family the law of n0 against the size T of its members: the exact one, or least squares.

        Examples
        --------
        >>> found = batch(["ge-k-j"], values={"k": [1], "j": [1, 2, 3]}, space="nope", layers=1, max_n=16)
        >>> found.laws["ge-k-j"][0].describe()
        'n0 = 2(T - 1) + 3 for all T in 1..3'
        """
        names = dict.fromkeys(item.row.family for item in self if item.row.family is not None)
        return {name: find_laws([item.row for item in self if item.row.family == name]) for name in names}

    @property
    def stages(self) -> Rows[StageRow]:
        """One row for every n of every target."""
        return Rows(row for item, report in self._reports for row in list_stage_rows(item.name, report))

    @property
    def records(self) -> Rows[RecordRow]:
        """One row for every record of every target."""
        return Rows(row for item, report in self._reports for row in list_record_rows(item.name, report))

    def save(self, path: Path) -> None:
        """Write the table as CSV."""
        write_whole(take_path(path), format_table(self._columns, self._cells))

    @property
    def _columns(self) -> tuple[str, ...]:
        return list_all_columns([item.question for item in self])

    @property
    def _cells(self) -> list[Sequence[Cell]]:
        columns = self._columns
        return [item.question.cells(item.row, columns) for item in self]

    @property
    def _reports(self) -> list[tuple[BatchItem, Report]]:
        return [(item, item.report) for item in self if item.report]

    def __repr__(self) -> str:
        failed = sum(item.report is None for item in self)
        return f"<Batch of {len(self)} rows{f', {failed} failed' if failed else ''}>"

    def _repr_html_(self) -> str:
        shown = ("target", "outcome", "n0", "r_star", "formula", "error")
        return render_table([{key: getattr(item.row, key) for key in shown} for item in self])


@takes_settings(Settings, SpaceBounds)
def batch(
    sources: Iterable[TargetLike],
    *,
    values: Mapping[str, Iterable[int]] | None = None,
    spaces: Sequence[str] = (),
    readings: Sequence[str] = (),
    only: Mapping[str, str] | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    run_dir: Path | None = None,
    resume: bool = False,
    progress: Callable[[Iterable[str]], None] | None = None,
    **settings: Any,
) -> Batch:
    """Run the procedure on many targets, in spaces and readings: a row for every combination.

    Each run has a process of its own. A target that fails has its error, and the others still run.

    Parameters
    ----------
    sources : iterable of str, path or Spec
        Names, specs, and folders of specs; a family stands for its members.
    values : mapping of str to iterable of int, optional
        Values of parameters, for the families that have them; other parameters take their whole range.
    spaces : sequence of str
        The family, its parts, or ``spec``, the space of every spec; by default that of ``space``.
    readings : sequence of str
        Readings of the paper by name, or ``["all"]``; by default that of the settings.
    only : mapping of str to str, optional
        Only targets with these verdicts of `classify`, as in ``{"crasp": "no"}``.
    jobs, memory, run_dir, resume, **settings
        As for `identify`; a limit is that of every row.
    scheduler : str, optional
        A scheduler of dask whose workers do the runs: ``local:N`` or ``tcp://HOST:PORT``. Answers are the
        same.
    time_limit : float, optional
        Seconds of each run.
    progress : callable, optional
        Called now and then with a line for each present run.

    Raises
    ------
    IdinfError
        If a setting, a value, a space or a reading is wrong, or the directory cannot be used.

    Examples
    --------
    >>> found = batch(["ge-k-j"], values={"k": [1], "j": [1, 2]}, spaces=["nope"], max_n=8, layers=1)
    >>> found.to_frame()[["target", "k", "j", "preset", "n0"]].values.tolist()
    [['ge-1-1', 1, 1, 'nope', 3], ['ge-1-2', 1, 2, 'nope', 5]]
    """
    for key, given, kind in (
        ("sources", sources, Iterable),
        ("values", values or {}, Mapping),
        ("spaces", spaces, Sequence),
        ("readings", readings, Sequence),
        ("only", only or {}, Mapping),
        *((f"values: {name}", each, Iterable) for name, each in _list_pairs(values)),
    ):
        if not isinstance(given, kind) or isinstance(given, str):
            raise ArgumentError(f"{key} = {quote(given)}; expected several; put it in a list")
    check_integer("jobs", jobs, 1)
    chosen = {name: tuple(given) for name, given in (values or {}).items()}
    limits = take_limits(time_limit, memory)
    entries = keep_only(
        list_targets([*sources], chosen), [f"{key}={value}" for key, value in (only or {}).items()]
    )
    asked = ask(entries, Settings.of(**settings), take_presets(spaces), choose_readings(readings))
    folder = None if run_dir is None else take_path(run_dir)
    runs = [one.settings for one in asked]
    if scheduler is not None and jobs != 1:
        raise ArgumentError(f"jobs = {jobs} with a scheduler; expected one of them; leave jobs out")
    with open_executor(scheduler) as executor, open_kept(folder, resume) as directory:
        pool = RunPool(runs, limits, jobs, directory, progress, executor)
        answers = dict(pool.answers())
    items = list[BatchItem]()
    for place, one in enumerate(asked):
        answer = answers.get(place, RunAnswer())
        items.append(
            BatchItem(one.entry.name, answer.report, answer.error, answer.limit, one.row(answer), one)
        )
    return Batch(items)


def _list_pairs(values: object) -> Iterable[tuple[Any, Any]]:
    """The values of each parameter of a family; none if they are no mapping, which is refused by then."""
    return values.items() if isinstance(values, Mapping) else ()
