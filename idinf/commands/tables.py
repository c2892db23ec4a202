"""What runs many targets into a table: its options, and the loop that fills it."""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from idinf.commands.bounded import SIGNALLED, limit_options
from idinf.commands.options import Command, jobs_option, quiet_option
from idinf.commands.progress import board
from idinf.commands.search_options import Connecting, run_dir_options, scheduler_option
from idinf.errors import IdinfError, MissingPackageError
from idinf.files import make_folder, show_path, write_whole
from idinf.quoting import list_some
from idinf.report.files import dump_report
from idinf.sweeps.kept_reports import open_kept
from idinf.sweeps.long_tables import LongTables
from idinf.sweeps.questions import BatchColumns, Question
from idinf.sweeps.row import Row
from idinf.sweeps.sweep import Sweep
from idinf.sweeps.table import PARQUET, BatchTable, check_table, name_report_paths
from idinf.work.limits import Limits

#: Longest name of a target in a line of progress.
SHOWN = 40

#: Exit code where --strict or --expect finds what it looks for.
FOUND_FAULT = 1


@dataclass(frozen=True, slots=True)
class Tables:
    """Where rows are written, and how they are worked out; the values of the options of `table_options`."""

    output: str
    limits: Limits
    jobs: int
    connecting: Connecting
    run_dir: str | None
    resume: bool
    json_dir: str | None
    stages_path: str | None
    records_path: str | None
    strict: bool
    expect: bool
    quiet: bool
    each: str  #: what a row is about, in messages

    def check(self) -> None:
        """Refuse what could not be written, and two tables for one file."""
        if "-" in (self.stages_path, self.records_path):
            raise click.UsageError(
                "--long and --records write files; expected the path of one, not -; name it"
            )
        paths = (None if self.output == "-" else self.output, self.stages_path, self.records_path)
        named = [path for path in paths if path is not None]
        for path in named:
            try:
                check_table(path)
            except MissingPackageError as error:
                raise click.UsageError(str(error)) from None
        real = [os.path.realpath(path) for path in named]
        if len(set(real)) < len(real):
            raise click.UsageError(
                "-o, --long and --records name one file twice; expected a file for each; rename one"
            )

    def fill(self, context: click.Context, asked: Sequence[Question], columns: BatchColumns) -> None:
        """Work out all rows and write them as they come; leaves with the exit code that says how it ended."""
        requests = context.with_resource(self.limits.requests.deferred())
        path = None if self.output == "-" else self.output
        _refuse_options_that_fit_nothing(asked)
        paths = name_report_paths(self.json_dir, [one.entry.name for one in asked])
        kept = open_kept(_folder_of(self.run_dir, path, self.resume), self.resume)
        rows: dict[int, Row] = {}
        with self.connecting as places, kept as directory, board(self.quiet) as shown:
            runs = [one.target.settings for one in asked]
            sweep = Sweep(runs, self.limits, self.jobs, directory, shown.shower, True, places)
            table, limited = BatchTable(path, len(asked), columns.columns), 0
            long = LongTables(self.stages_path, self.records_path, len(asked), columns.keys)
            for place, answer in sweep.answers():
                one = asked[place]
                if answer.report is not None:
                    limited += answer.limit is not None
                    if (path_of_report := paths[place]) is not None:
                        make_folder(path_of_report.parent)
                        write_whole(path_of_report, dump_report(answer.report))
                long.put(place, columns.key_cells(one), answer.report)
                rows[place] = row = one.row(answer)
                table.put(place, columns.cells(one, row))
                n0 = "" if row.n0 is None else f", n0 = {row.n0}"
                told = row.error or f"{row.outcome}{n0}, {row.seconds} s"
                title = show_path(f"{row.target}{one.told}", SHOWN)
                shown.say(f"[{len(table.rows)}/{table.total}] {title}: {told}")
            table.finish()
            long.finish()
            finished = len(rows) == len(asked)
            if finished and directory is not None and self.run_dir is None:
                directory.remove()
        if limited and not self.quiet:
            click.echo(f"Note: {limited} of {len(asked)} {self.each}s were ended by a limit", err=True)
        found_fault = self._judge(list(rows.values()))
        if not finished:
            if not self.quiet:
                on = "" if directory is None else "; --resume goes on"
                click.echo(f"Note: interrupted; {len(rows)} of {len(asked)} rows are written{on}", err=True)
            context.exit(SIGNALLED + (requests.signal or signal.SIGINT))
        if found_fault:
            context.exit(FOUND_FAULT)

    def _judge(self, rows: Sequence[Row]) -> bool:
        """Count on stderr what is wrong; whether an option asks for an exit code of it."""
        failed = [row for row in rows if row.error]
        against = sorted(row.target for row in rows if row.agrees == "no")
        if failed:
            told = f"{len(failed)} of {len(rows)} {self.each}s failed; the column error says why"
            click.echo(told, err=True)
        if self.expect and against:
            told = f"{len(against)} of {len(rows)} {self.each}s disagree with their specs"
            click.echo(f"{told}: {list_some(against, ', ')}", err=True)
        return bool((self.strict and failed) or (self.expect and against))


def table_options(each: str, what: str) -> Callable[[Command], Callable[..., Any]]:
    """Make the options of `Tables`, which the command gets as ``tables``; what a row is about, and all."""
    options: list[Any] = [
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            required=True,
            help=f"Write the table to FILE, anew with every finished {each}: Parquet if its name ends in "
            f"{PARQUET}, else CSV (-: CSV to stdout).",
        ),
        limit_options(
            f"Extra limit for each {each}: end its run after that many seconds; its row is what was found "
            "by then."
        ),
        jobs_option(f"{each.capitalize()}s at once, each with its share of memory; no row depends on it."),
        scheduler_option,
        run_dir_options(". Without it FILE.run holds it until every row is written", what),
        click.option(
            "--json-dir", metavar="DIR", help=f"Write the JSON report of every {each} to DIR/TARGET.json."
        ),
        click.option(
            "--long",
            "stages_path",
            metavar="FILE",
            help=f"Write a table with a row for every n of every {each} to FILE, too.",
        ),
        click.option(
            "--records",
            "records_path",
            metavar="FILE",
            help="Write a table with a row for every record to FILE, too: R, fail, formula, terms of R.",
        ),
        click.option("--strict", is_flag=True, help=f"Leave with exit code 1 if a {each} failed."),
        click.option(
            "--expect",
            is_flag=True,
            help="Leave with exit code 1 if a run disagrees with the verdict of its spec.",
        ),
        quiet_option,
    ]

    names = [item.name for item in fields(Tables) if item.name != "each"]

    def decorate(command: Command) -> Callable[..., Any]:
        @functools.wraps(command)
        def filling(*arguments: Any, **given: Any) -> Any:
            tables = Tables(**{name: given.pop(name) for name in names}, each=each)
            return command(*arguments, tables=tables, **given)

        for option in reversed(options):
            filling = option(filling)
        return filling

    return decorate


def _refuse_options_that_fit_nothing(asked: Sequence[Question]) -> None:
    """Options that no target can take are a usage error, and no rows."""
    readable = [one.target for one in asked if one.entry.spec is not None]
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
