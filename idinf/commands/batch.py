"""``idinf batch``: the procedure on many targets, in spaces and readings, one row each."""

from __future__ import annotations

import functools
import re
import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click

from idinf.api.sources import list_targets
from idinf.base.files import show_path
from idinf.base.quoting import list_some, quote
from idinf.commands.bounded import SIGNALLED, held, limit_options
from idinf.commands.options import (
    SectionedCommand,
    SectionOption,
    asks,
    jobs_option,
    quiet_option,
    run_dir_options,
)
from idinf.commands.progress import board
from idinf.errors import ArgumentError, IdinfError
from idinf.inference.settings import Settings
from idinf.spec.bounds import FAMILY, PRESETS, SpaceBounds
from idinf.tables.batch_plan import (
    ALL,
    READINGS,
    BatchFiles,
    Question,
    ask,
    choose_readings,
    take_presets,
)
from idinf.tables.classes import keep_only
from idinf.tables.law import find_laws
from idinf.tables.pool import RunPool, open_executor, open_kept
from idinf.tables.row import Row
from idinf.work.executors import Executor
from idinf.work.limits import Limits

#: Longest name of a target in a line of progress.
SHOWN = 40

#: Exit code where --check finds a fault.
FOUND_FAULT = 1

#: Values of one parameter in one option, at most.
MOST_VALUES = 10_000

_CHOSEN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=([0-9., ]+)")
_RANGE = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")


def _scheduler_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Make --scheduler; the command gets the context that connects to it as ``connecting``."""

    @functools.wraps(command)
    def within(*arguments: Any, scheduler: str | None, **options: Any) -> Any:
        source = click.get_current_context().get_parameter_source("jobs")
        if scheduler is not None and source is click.core.ParameterSource.COMMANDLINE:
            raise ArgumentError(
                "--scheduler with --jobs; expected one of them, as workers do the jobs; leave one out"
            )
        return command(*arguments, connecting=open_executor(scheduler), **options)

    return click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Do the runs on the workers of a scheduler instead; local:N starts N workers here; "
        "tcp://HOST:PORT is a running 'dask scheduler'.",
    )(within)


def _read_values(text: str) -> tuple[str, tuple[int, ...]]:
    """Read a parameter and its values, as in ``k=1..4`` or ``j=2,3``, as the type of an option."""
    expected = "expected a parameter and values, for example k=1..4 or j=2,3"
    match = _CHOSEN.fullmatch(text)
    parts = [_RANGE.fullmatch(part.strip()) for part in match[2].split(",")] if match else []
    values: dict[int, None] = {}
    for part in parts:
        if part is None or (part[2] is not None and int(part[2]) < int(part[1])):
            break
        low, high = int(part[1]), int(part[2] or part[1])
        if high - low >= MOST_VALUES:
            raise click.BadParameter(f"{quote(text)} has more than {MOST_VALUES} values; expected fewer")
        values |= dict.fromkeys(range(low, high + 1))
    else:
        if match:
            return match[1], tuple(values)
    raise click.BadParameter(f"{quote(text)} is no choice of values; {expected}")


def _read_names(text: str) -> tuple[str, ...]:
    """Read names that commas separate."""
    return tuple(name.strip() for name in text.split(","))


@click.command(cls=SectionedCommand)
@click.argument("targets", metavar="TARGET|DIR...", nargs=-1, required=True)
@click.option(
    "--set",
    "values",
    cls=SectionOption,
    section="Target",
    type=_read_values,
    multiple=True,
    metavar="NAME=VALUES",
    help="Values of a parameter, as in k=1..4 or j=2,3, for the families that have it; once for each "
    "parameter. Others have their whole range then.",
)
@click.option(
    "--only",
    "wanted",
    cls=SectionOption,
    section="Target",
    multiple=True,
    metavar="COLUMN=VERDICT",
    help="Only targets of which 'idinf classify' says so, as in crasp=no; may be repeated.",
)
@click.option(
    "--spaces",
    cls=SectionOption,
    section="Space",
    type=_read_names,
    metavar="PRESETS",
    show_default=FAMILY,
    help=f"Spaces, as in family,nope,spec; a row for each: {', '.join(PRESETS)}, or spec for the smaller one "
    "that a spec names.",
)
@click.option(
    "--readings",
    "names",
    cls=SectionOption,
    section="Reading",
    type=_read_names,
    metavar="READINGS",
    show_default="that of the options",
    help=f"Readings of the paper, a row for each: {', '.join(each.name for each in READINGS)}; or {ALL}.",
)
@asks(Settings, SpaceBounds, without=("space",))
@click.option(
    "-o",
    "--output",
    cls=SectionOption,
    metavar="FILE|DIR/",
    required=True,
    help="Write the table to FILE, anew with every finished row (-: to stdout). "
    "Into DIR/ go table.csv, stages.csv with a row for every n, "
    "records.csv with a row for every record, and reports/ with every report.",
)
@limit_options("Extra limit for each row: end its run after that many seconds; it is what was found by then.")
@jobs_option("Rows at once, each with its share of memory; no row depends on it.")
@_scheduler_option
@run_dir_options(". Without it FILE.run holds it until every row is written", "batch")
@click.option(
    "--check",
    cls=SectionOption,
    is_flag=True,
    help="Leave with exit code 1 if a row failed, or disagrees with the verdict of its spec.",
)
@quiet_option
@click.pass_context
def batch(
    context: click.Context,
    /,
    targets: tuple[str, ...],
    values: tuple[tuple[str, tuple[int, ...]], ...],
    wanted: tuple[str, ...],
    spaces: tuple[str, ...] | None,
    names: tuple[str, ...] | None,
    asked: dict[str, Any],
    output: str,
    limits: Limits,
    jobs: int,
    connecting: AbstractContextManager[Executor | None],
    run_dir: str | None,
    resume: bool,
    check: bool,
    quiet: bool,
) -> None:
    """Run the procedure on many targets, in spaces and readings, exactly, and write a row for each.

    Of a folder all specs (.toml) and automata (.att, .jff) are taken, sorted by name; of a family every
    member, or those that --set chooses, and the law of n0 against their size T goes to stderr. Rows are in
    the order of targets, then spaces, then readings, the same bytes for every --jobs and after --resume. A
    target that fails is a row with its error, and the others go on: each has a process of its own, so a crash
    is a row. What names no target and no file is refused before any run, as is a batch without a target that
    can be read.

    FILE is whole at any moment. If it has rows before, it stays as it is until as many are done again. A
    batch that was killed goes on with --resume and does no finished work again.

    \b
    Examples:
      idinf batch specs/ -o report.csv -j 2
      idinf batch majority parity mine/*.toml -o found/ --max-n 16 --time-limit 60
      idinf batch ge-k-j --set k=1..4 --set j=2,3 --spaces nope -o ge.csv -j 2
      idinf batch majority tomita-1 --readings all --max-n 16 --work 10000 -o readings.csv
      idinf batch random-k-s-seed --set k=4 --set s=2 --set seed=1..20 --only crasp=no -o no.csv --resume
    """
    files = BatchFiles(output)
    files.check()
    chosen: dict[str, tuple[int, ...]] = {}
    for name, given in values:
        if name in chosen:
            raise click.UsageError(
                f"--set {name} is given twice; expected it once; join the values by commas"
            )
        chosen[name] = given
    presets, readings = take_presets(spaces), choose_readings(names or ())
    with held(Limits(memory_bytes=limits.memory_bytes, enforced=True)):
        entries = keep_only(list_targets(targets, chosen), wanted)
    questions = ask(entries, Settings.of(**asked), presets, readings)
    _refuse_settings_that_fit_nothing(questions)
    requests = context.with_resource(limits.requests.deferred())
    kept = open_kept(_folder_of(run_dir, files.paths[0], resume), resume)
    files.open(questions)
    rows, limited = dict[int, Row](), 0
    with connecting as executor, kept as directory, board(quiet) as shown:
        pool = RunPool([one.settings for one in questions], limits, jobs, directory, shown.shower, executor)
        for place, answer in pool.answers():
            rows[place] = row = questions[place].row(answer)
            limited += answer.report is not None and answer.limit is not None
            files.put(place, row, answer.report)
            n0 = "" if row.n0 is None else f", n0 = {row.n0}"
            title = show_path(f"{row.target}{questions[place].told}", SHOWN)
            shown.say(f"[{len(rows)}/{len(questions)}] {title}: {row.error or f'{row.outcome}{n0}'}")
        files.finish()
        finished = len(rows) == len(questions)
        if finished and directory is not None and run_dir is None:
            directory.remove()
    if not quiet:
        for line in _notes(list(rows.values()), len(questions), limited):
            click.echo(line, err=True)
    found_fault = check and any(row.error or row.agrees == "no" for row in rows.values())
    if not finished:
        if not quiet:
            on = "" if directory is None else "; --resume goes on"
            click.echo(f"Note: interrupted; {len(rows)} of {len(questions)} rows are written{on}", err=True)
        context.exit(SIGNALLED + (requests.signal or signal.SIGINT))
    if found_fault:
        context.exit(FOUND_FAULT)


def _notes(rows: Sequence[Row], asked: int, limited: int) -> list[str]:
    """Notes on the rows: limits, failures, wrong verdicts, and the laws of families."""
    failed = sum(row.error is not None for row in rows)
    against = sorted(row.target for row in rows if row.agrees == "no")
    notes = []
    if limited:
        notes.append(f"Note: {limited} of {asked} rows were ended by a limit")
    if failed:
        notes.append(f"{failed} of {len(rows)} rows failed; the column error says why")
    if against:
        notes.append(
            f"{len(against)} of {len(rows)} rows disagree with their specs: {list_some(against, ', ')}"
        )
    for name in dict.fromkeys(row.family for row in rows if row.family is not None):
        kinds = {(row.preset, row.reading) for row in rows if row.family == name}
        if len(kinds) == 1:  # the law is that of one space and reading
            members = [row for row in rows if row.family == name]
            notes += [f"{name}: {law.describe()}" for law in find_laws(members)]
    return notes


def _refuse_settings_that_fit_nothing(asked: Sequence[Question]) -> None:
    """Settings that no target can take are a usage error, and no rows."""
    readable = [one for one in asked if one.entry.spec is not None]
    if readable and all(one.space is None for one in readable):
        assert isinstance(readable[0].settings, IdinfError)
        raise readable[0].settings


def _folder_of(run_dir: str | None, path: str | None, resume: bool) -> str | None:
    """Folder of finished work: the one that was named, or one beside the CSV."""
    if run_dir is None and path is not None and (Path(path).is_file() or not Path(path).exists()):
        run_dir = f"{path}.run"
    if run_dir is None and resume:
        raise click.UsageError(
            "--resume is given without --run-dir, and -o names no file to keep work beside; expected one of "
            "them; add --run-dir DIR"
        )
    return run_dir
