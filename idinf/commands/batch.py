"""``idinf batch``: the procedure on many targets, one row each, whatever becomes of the others."""

from __future__ import annotations

import click

from idinf.commands.search_options import run_options
from idinf.commands.tables import Tables, table_options
from idinf.inference.run import RunOptions
from idinf.library.sources import list_targets
from idinf.sweeps.questions import BatchColumns, Question
from idinf.sweeps.sweep import BatchEntry


@click.command()
@click.argument("targets", metavar="TARGET|SPEC.toml|DIR...", nargs=-1, required=True)
@run_options
@table_options("target", "batch")
@click.pass_context
def batch(context: click.Context, /, targets: tuple[str, ...], choices: RunOptions, tables: Tables) -> None:
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
    target is identified against it, and open where a run decides nothing. Where the family stays open, the
    columns smaller_… are the answer in a smaller space. docs/sweeps.md lists every column.

    \b
    Examples:
      idinf batch specs/ -o report.csv -j 2
      idinf batch specs/ -o report.csv -j 2 --resume
      idinf batch majority parity mine/*.toml -o report.csv --max-n 16 --time-limit 60
      idinf batch specs/ -o report.csv --json-dir reports --strict --expect
      idinf batch specs/ -o report.csv --long stages.csv --records records.csv
    """
    tables.check()
    asked = [Question(BatchEntry.of(entry, choices)) for entry in list_targets(targets)]
    tables.fill(context, asked, BatchColumns())
