"""``idinf batch``: the procedure on many targets, one row of CSV each, whatever becomes of the others."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import click

from idinf.commands.bounded import SIGNALLED, limit_options
from idinf.commands.options import jobs_option, quiet_option
from idinf.commands.progress import board
from idinf.commands.search_options import (
    ADDRESSES,
    Connecting,
    run_dir_options,
    run_options,
    scheduler_option,
)
from idinf.errors import IdinfError
from idinf.experiments.catalogue import list_entries
from idinf.files import check_writable, make_folder, show_path, write_whole
from idinf.inference.run import RunOptions
from idinf.quoting import list_some
from idinf.report.files import dump_report
from idinf.runtime.limits import Limits
from idinf.sweeps.kept_reports import open_kept
from idinf.sweeps.long_tables import LongTables
from idinf.sweeps.row import Row
from idinf.sweeps.sweep import BatchEntry, Sweep
from idinf.sweeps.table import BatchTable, name_report_paths

#: Longest name of a target in a line of progress.
SHOWN = 40

#: Exit code where --strict or --expect finds what it looks for.
FOUND_FAULT = 1


@click.command()
@click.argument("targets", metavar="TARGET|SPEC.toml|DIR...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="Write the CSV to FILE, anew with every finished target (-: stdout).",
)
@run_options
@limit_options(
    "Extra limit for each target: end its run after that many seconds; its row is what was found by then."
)
@jobs_option("Targets at once, each with its share of the memory; the rows do not depend on it.")
@scheduler_option(f"Do the runs on the workers of a scheduler instead; {ADDRESSES}")
@run_dir_options(". Without it FILE.run holds it until every row is written", "batch")
@click.option("--json-dir", metavar="DIR", help="Write the JSON report of every target to DIR/TARGET.json.")
@click.option(
    "--long",
    "stages_path",
    metavar="FILE",
    help="Write a CSV with a row for every n of every target to FILE, anew with every finished target.",
)
@click.option(
    "--records",
    "records_path",
    metavar="FILE",
    help="Write a CSV with a row for every record to FILE, too: R, fail, formula, and every term of R.",
)
@click.option("--strict", is_flag=True, help="Leave with exit code 1 if a target failed.")
@click.option(
    "--expect", is_flag=True, help="Leave with exit code 1 if a run disagrees with the verdict of its spec."
)
@quiet_option
@click.pass_context
def batch(
    context: click.Context,
    /,
    targets: tuple[str, ...],
    output: str,
    choices: RunOptions,
    limits: Limits,
    jobs: int,
    connecting: Connecting,
    run_dir: str | None,
    resume: bool,
    json_dir: str | None,
    stages_path: str | None,
    records_path: str | None,
    strict: bool,
    expect: bool,
    quiet: bool,
) -> None:
    """Run the inference procedure on many targets, exactly, and write one row of CSV for each.

    Of a folder all files *.toml are taken, sorted by name; of a family every member. Rows are in this order,
    whatever finishes first, and each says what 'idinf identify' says. A target that fails is a row with its
    error, and the others go on: each has a process of its own, so a crash is a row.

    FILE is whole at any moment, with a row for every finished target. If it has rows before, it stays as it
    is until all of their targets are done again; if it is no such table, until the batch is finished. A batch
    that was killed goes on with --resume, with any --jobs, and does no finished work again. --time-limit is
    for each target; for all of them there is 'timeout 900 idinf batch ...'.

    Columns: r_star and what describes the hypothesis are those of the procedure's pick at max_n; an empty
    cell is not known. expected is the verdict of the spec for the class of the space; agrees is no where a
    target is identified against it, and open where a run decides nothing. With --space auto, needs is what
    is known of the language, and holds_for the structures that the answer holds for. docs/sweeps.md lists
    every column.

    \b
    Examples:
      idinf batch specs/ -o report.csv -j 2
      idinf batch specs/ -o report.csv -j 2 --resume
      idinf batch majority parity mine/*.toml -o report.csv --max-n 16 --time-limit 60
      idinf batch specs/ -o report.csv --json-dir reports --strict --expect
      idinf batch specs/ -o report.csv --long stages.csv --records records.csv
    """
    requests = context.with_resource(limits.requests.deferred())
    path = None if output == "-" else output
    _check_files(path, stages_path, records_path)
    listed = [BatchEntry.of(entry, choices) for entry in list_entries(targets)]
    _refuse_options_that_fit_nothing(listed)
    paths = name_report_paths(json_dir, [target.entry.name for target in listed])
    folder = _folder_of(run_dir, path, resume)
    with connecting as engine, open_kept(folder, resume) as directory, board(quiet) as shown:
        runs = [target.settings for target in listed]
        sweep = Sweep(runs, limits, jobs, directory, shown.shower, classifies=True, engine=engine)
        table, limited = BatchTable(path, len(listed)), 0
        long = LongTables(stages_path, records_path, len(listed))
        for place, answer in sweep.answers():
            if answer.report is not None:
                limited += answer.limit is not None
                if (path_of_report := paths[place]) is not None:
                    make_folder(path_of_report.parent)
                    write_whole(path_of_report, dump_report(answer.report))
            long.put(place, listed[place].entry.name, answer.report)
            row = listed[place].row(answer)
            table.put(place, row)
            n0 = "" if row.n0 is None else f", n0 = {row.n0}"
            told = row.error or f"{row.outcome}{n0}, {row.seconds} s"
            shown.say(f"[{len(table.rows)}/{table.total}] {show_path(row.target, SHOWN)}: {told}")
        table.finish()
        finished = len(table.rows) == len(listed)
        if finished and directory is not None and run_dir is None:
            directory.remove()
    if limited and not quiet:
        click.echo(f"Note: {limited} of {len(listed)} targets were ended by a limit", err=True)
    found_fault = _judge(list(table.rows.values()), strict, expect)
    if not finished:
        if not quiet:
            on = "" if directory is None else "; --resume goes on"
            told = f"done; {show_path(output)} is still the old one" if table.is_held_back else "written"
            click.echo(f"Note: interrupted; {len(table.rows)} of {len(listed)} rows are {told}{on}", err=True)
        context.exit(SIGNALLED + (requests.signal or signal.SIGINT))
    if found_fault:
        context.exit(FOUND_FAULT)


def _check_files(*paths: str | None) -> None:
    """Refuse what could not be written, and two tables for one file."""
    if "-" in paths:
        raise click.UsageError("--long and --records write files; expected the path of one, not -; name it")
    named = [path for path in paths if path is not None]
    for path in named:
        check_writable(path)
    real = [os.path.realpath(path) for path in named]
    if len(set(real)) < len(real):
        raise click.UsageError(
            "-o, --long and --records name one file twice; expected a file for each; rename one"
        )


def _refuse_options_that_fit_nothing(listed: list[BatchEntry]) -> None:
    """Options that no target can take are a usage error, and no rows."""
    readable = [target for target in listed if target.entry.spec is not None]
    if readable and all(target.space is None for target in readable):
        assert isinstance(readable[0].settings, IdinfError)
        raise readable[0].settings


def _folder_of(run_dir: str | None, path: str | None, resume: bool) -> str | None:
    """Where finished work is kept: in the folder that was named, or one beside the CSV."""
    if run_dir is None and path is not None and (Path(path).is_file() or not Path(path).exists()):
        run_dir = f"{path}.run"
    if run_dir is None and resume:
        raise click.UsageError(
            "--resume is given without --run-dir, and -o names no file to keep work beside; expected one of "
            "them; add --run-dir DIR"
        )
    return run_dir


def _judge(rows: list[Row], strict: bool, expect: bool) -> bool:
    """Count on stderr what is wrong; whether an option asks for an exit code of it."""
    failed = [row for row in rows if row.error]
    against = sorted(row.target for row in rows if row.agrees == "no")
    if failed:
        click.echo(f"{len(failed)} of {len(rows)} targets failed; the column error says why", err=True)
    if expect and against:
        told = f"{len(against)} of {len(rows)} targets disagree with their specs: {list_some(against, ', ')}"
        click.echo(told, err=True)
    return bool((strict and failed) or (expect and against))
