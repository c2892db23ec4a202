"""The procedure in one call: on one target, on many of them, and on the members of a family."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypedDict, TypeVar, Unpack

from idinf.errors import ArgumentError, IdinfError
from idinf.experiments.bounds import LENGTHS, HypothesisClass
from idinf.experiments.catalogue import CollectedSpec, list_entries
from idinf.experiments.spec import Spec
from idinf.experiments.training import take_training_length
from idinf.inference.kept_work import keep_journals
from idinf.inference.outcome import Progress
from idinf.inference.run import KnownHypothesis, RunOptions, RunSettings, run
from idinf.library.frames import Rows, build_frame, render_table
from idinf.library.hypotheses import HypothesisLike, read_any
from idinf.library.reports import Report
from idinf.library.schedulers import open_places
from idinf.library.sources import Path, ProgramLike, TargetLike, take_spec
from idinf.quoting import quote
from idinf.report.value import Regularizer
from idinf.sweeps.csv_tables import Cell
from idinf.sweeps.kept_reports import open_kept
from idinf.sweeps.long_tables import (
    RECORD_COLUMNS,
    STAGE_COLUMNS,
    RecordRow,
    StageRow,
    list_record_rows,
    list_stage_rows,
    record_cells,
    stage_cells,
)
from idinf.sweeps.questions import BatchColumns, Question
from idinf.sweeps.row import Row
from idinf.sweeps.sweep import BatchEntry, RunAnswer, Sweep
from idinf.sweeps.table import write_table
from idinf.transformers.regularizer import Aggregate
from idinf.words import Symbols
from idinf.work.limits import DEFAULT_MEMORY, Limits

if TYPE_CHECKING:
    import pandas

ChoiceT = TypeVar("ChoiceT", bound=enum.Enum)

#: The name of a rule, the path of a table, or t(n) for every n.
TrainingLike: TypeAlias = str | os.PathLike[str] | Mapping[int, int]


def identify(
    source: TargetLike | None = None,
    *,
    regex: str | None = None,
    program: ProgramLike | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    name: str | None = None,
    max_n: int | None = None,
    space: str | None = None,
    hypothesis_class: str = "one-hot",
    tolerance: float | None = None,
    aggregate: str = "max",
    training_length: TrainingLike | None = None,
    lengths: str = "words",
    anneal_steps: int | None = None,
    upper_bound: Sequence[HypothesisLike] = (),
    prove: bool = True,
    jobs: int = 1,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    run_dir: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    **bounds: float | None,
) -> Report:
    """Run the idealized inference procedure on one target, exactly, for every n up to ``max_n``.

    Of a run that a limit or Ctrl-C ended, the report is what is known by then.

    Parameters
    ----------
    source : str, path or Spec, optional
        A name that `target_names` lists, the path of a spec, or a spec.
    regex, program, alphabet, values, name : optional
        As for `target`; the name is that of a regex or a program in the report.
    max_n : int, optional
        Largest n; fails are exact up to 2 · max_n. That of the spec if it is not given; a member of a family
        is then examined further and further.
    space : str, optional
        What is searched: ``family``, the whole one-hot family, which it is by default; its parts ``nope``,
        ``local`` or ``periodic``; or ``spec``, the smaller space that the spec names.
    hypothesis_class : str
        ``one-hot``, the family of the space; or ``theta`` or ``limit``, a whole class of any width.
    tolerance, aggregate : optional
        Of the regularizer: what replaces 1/(2n), and ``max`` or ``sum``.
    training_length : str, path or mapping, optional
        Another training length that is asked about, too: ``n/2``, ``n/4``, ``sqrt``, ``log2``, a CSV table,
        or t(n) for every n.
    lengths : str
        What it counts: ``words``, or ``paper``, where $ counts.
    anneal_steps : int, optional
        Steps of annealing for an upper bound of R*; as many as take seconds, and none where a bound is known.
    upper_bound : sequence of path, Report, Hypothesis or LimitTransformer
        Hypotheses, or reports for their selected ones, that may bound R* from above; checked exactly.
    prove : bool
        Whether to look for proofs that n0 holds for every n.
    jobs : int
        Processes; the report does not depend on it.
    time_limit, memory : optional
        Seconds, and bytes of all processes together; seen to where the search looks.
    run_dir : path, optional
        Where finished work is kept; with ``resume`` the run goes on from there.
    progress : callable, optional
        Called now and then with a `Progress`.
    **bounds
        Bounds of the space by name: ``layers``, ``heads``, ``units``, ``precision``, ``period``, ``reach``,
        ``logit_max``, ``content_max``, ``max_r``; and ``work``, steps of work.

    Raises
    ------
    SpecError, ProgramError, HypothesisFormatError, ReportFormatError
        If the target or a file is wrong.
    ArgumentError, UnsupportedBoundError
        If an option or a bound is.

    Examples
    --------
    >>> report = identify("majority", max_n=8, layers=1)
    >>> report.n0, report.outcome.value
    (3, 'identified-for-all-n')
    >>> identify(regex="1*", alphabet="01", max_n=4, layers=1).selected.formula
    'accept iff #0 = 0'
    """
    spec, origin = take_spec(
        source, regex=regex, program=program, alphabet=alphabet, values=values, name=name
    )
    known = tuple(
        KnownHypothesis(
            os.fspath(given) if isinstance(given, str | os.PathLike) else "upper_bound", read_any(given), True
        )
        for given in upper_bound
    )
    asking = take_options(
        max_n,
        space,
        hypothesis_class,
        tolerance,
        aggregate,
        training_length,
        lengths,
        anneal_steps,
        prove,
        **bounds,
    )
    settings = asking.about(spec, origin, known)
    journals = keep_journals(settings, None if run_dir is None else os.fspath(run_dir), resume)
    return Report.of(run(settings, Limits(time_limit, memory), jobs, progress, journals).report)


def take_options(
    max_n: int | None = None,
    space: str | None = None,
    hypothesis_class: str = "one-hot",
    tolerance: float | None = None,
    aggregate: str = "max",
    training_length: TrainingLike | None = None,
    lengths: str = "words",
    anneal_steps: int | None = None,
    prove: bool = True,
    **bounds: float | None,
) -> RunOptions:
    """The options of runs, of what `identify`, `batch` and `family` are given."""
    rule = Regularizer(_choice("aggregate", aggregate, Aggregate), tolerance)
    kind = _choice("hypothesis_class", hypothesis_class, HypothesisClass)
    if lengths not in LENGTHS:
        raise ArgumentError(f"lengths = {quote(lengths)}; expected {' or '.join(LENGTHS)}; name one of them")
    training = take_training_length(training_length, lengths)
    return RunOptions(max_n, space, bounds, rule, anneal_steps, prove, kind, training)


def _choice(key: str, value: str, choices: type[ChoiceT]) -> ChoiceT:
    """The choice of a name."""
    if value not in (known := [choice.value for choice in choices]):
        raise ArgumentError(f"{key} = {quote(value)}; expected {' or '.join(known)}; name one of them")
    return choices(value)


class BoundArguments(TypedDict, total=False):
    """What `sweep`, `batch` and `family` ask of every target; as for `identify`, with the same default."""

    max_n: int | None
    anneal_steps: int | None
    prove: bool
    layers: float | None
    heads: float | None
    units: float | None
    precision: float | None
    period: float | None
    reach: float | None
    logit_max: float | None
    content_max: float | None
    max_r: float | None
    work: int | None


class RunArguments(BoundArguments, total=False):
    """What `batch` and `family` ask besides."""

    space: str | None
    hypothesis_class: str
    tolerance: float | None
    aggregate: str
    training_length: TrainingLike | None
    lengths: str


@dataclass(frozen=True, slots=True)
class BatchItem:
    """How one target of a batch ended: with a report, or an error that says why there is none."""

    name: str
    report: Report | None
    error: IdinfError | None
    limit: str | None  #: which limit of time or memory ended the run
    row: Row  #: the cells of ``idinf batch``
    question: Question  #: what was asked


class Batch(tuple[BatchItem, ...]):
    """How the targets of a batch ended, in their order; a table as well.

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
        columns = self._columns
        return build_frame([dict(zip(columns.columns, cells, strict=True)) for cells in self._cells(columns)])

    @property
    def stages(self) -> Rows[StageRow]:
        """One row for every n of every target, as ``idinf batch --long`` writes them."""
        return Rows(row for item, report in self._reports for row in list_stage_rows(item.name, report))

    @property
    def records(self) -> Rows[RecordRow]:
        """One row for every record of every target, as ``idinf batch --records`` writes them."""
        return Rows(row for item, report in self._reports for row in list_record_rows(item.name, report))

    def save(self, path: Path, *, long: Path | None = None, records: Path | None = None) -> None:
        """Write the table, and those of --long and --records where files are named: CSV, or .parquet."""
        columns = self._columns
        write_table(os.fspath(path), columns.columns, self._cells(columns))
        keyed = [(columns.key_cells(item.question), report) for item, report in self._reports]
        if long is not None:
            stages = [
                (*keys, *stage_cells(row)) for keys, found in keyed for row in list_stage_rows("", found)
            ]
            write_table(os.fspath(long), {**columns.keys, **STAGE_COLUMNS}, stages)
        if records is not None:
            listed = [
                (*keys, *record_cells(row)) for keys, found in keyed for row in list_record_rows("", found)
            ]
            write_table(os.fspath(records), {**columns.keys, **RECORD_COLUMNS}, listed)

    @property
    def _columns(self) -> BatchColumns:
        return BatchColumns()

    def _cells(self, columns: BatchColumns) -> list[Sequence[Cell]]:
        return [columns.cells(item.question, item.row) for item in self]

    @property
    def _reports(self) -> list[tuple[BatchItem, Report]]:
        return [(item, item.report) for item in self if item.report]

    def __repr__(self) -> str:
        failed = sum(item.report is None for item in self)
        return f"<Batch of {len(self)} targets{f', {failed} failed' if failed else ''}>"

    def _repr_html_(self) -> str:
        shown = ("target", "outcome", "n0", "r_star", "formula", "error")
        return render_table([{key: getattr(item.row, key) for key in shown} for item in self])


def batch(
    sources: Iterable[TargetLike],
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    run_dir: Path | None = None,
    resume: bool = False,
    progress: Callable[[Iterable[str]], None] | None = None,
    **options: Unpack[RunArguments],
) -> Batch:
    """Run the procedure on many targets, each in a process of its own.

    A target that fails has its error, and the others go on.

    Parameters
    ----------
    sources : iterable of str, path or Spec
        Names, specs, and folders of specs; a family stands for all its members.
    jobs, memory, run_dir, resume
        As for `identify`.
    scheduler : str, optional
        A scheduler of dask whose workers do the runs: ``local:N`` or ``tcp://HOST:PORT``. Answers are the
        same.
    time_limit : float, optional
        Seconds of each target.
    progress : callable, optional
        Called now and then with a line for each target that is being worked on.
    **options
        As for `identify`: ``max_n``, ``space``, ``tolerance``, ``aggregate``, ``anneal_steps``, ``prove``,
        and bounds of the space by name.

    Raises
    ------
    ArgumentError, RunDirectoryError
        If an option is wrong, or the directory cannot be used.
    """
    asking = take_options(**options)
    listed = [BatchEntry.of(entry, asking) for source in sources for entry in collect_entries(source)]
    asked = [Question(target) for target in listed]
    return Batch(
        answer_questions(asked, Limits(time_limit, memory), jobs, scheduler, run_dir, resume, progress)
    )


def answer_questions(
    asked: Sequence[Question],
    limits: Limits,
    jobs: int,
    scheduler: str | None,
    run_dir: Path | None,
    resume: bool,
    progress: Callable[[Iterable[str]], None] | None,
) -> Iterator[BatchItem]:
    """Work out the rows of a batch or sweep, with what is known of the classes of the targets."""
    runs = [one.target.settings for one in asked]
    answers = answer_all(runs, limits, jobs, scheduler, run_dir, resume, progress, classifies=True)
    for one, answer in zip(asked, answers, strict=True):
        report = None if answer.report is None else Report.of(answer.report)
        yield BatchItem(one.entry.name, report, answer.error, answer.limit, one.row(answer), one)


def collect_entries(source: TargetLike) -> tuple[CollectedSpec, ...]:
    """Every target that a source stands for."""
    return list_entries([source if isinstance(source, Spec) else os.fspath(source)])


def answer_all(
    runs: Sequence[RunSettings | IdinfError],
    limits: Limits,
    jobs: int = 1,
    scheduler: str | None = None,
    run_dir: Path | None = None,
    resume: bool = False,
    progress: Callable[[Iterable[str]], None] | None = None,
    classifies: bool = False,
) -> list[RunAnswer]:
    """The answers in the order of the questions."""
    folder = None if run_dir is None else os.fspath(run_dir)
    with open_places(scheduler, jobs) as places, open_kept(folder, resume) as directory:
        found = dict(Sweep(runs, limits, jobs, directory, progress, classifies, places).answers())
    return [found.get(place, RunAnswer()) for place in range(len(runs))]
