"""``idinf readings``: R* and n0 of targets under each way to read the paper."""

from __future__ import annotations

import click

from idinf.commands.bounded import limit_code, limit_options
from idinf.commands.options import jobs_option, number_option, quiet_option
from idinf.commands.progress import board
from idinf.commands.search_options import Connecting, scheduler_option
from idinf.commands.terminal import show_text
from idinf.experiments.catalogue import list_entries
from idinf.files import check_writable, write_whole
from idinf.inference.procedure import MAX_N
from idinf.inference.run import RunOptions
from idinf.render.text.readings_table import render_readings
from idinf.sweeps.questions import ask
from idinf.sweeps.readings import (
    DEFAULT_WORK,
    READINGS,
    ReadingRow,
    choose_readings,
    format_readings,
)
from idinf.sweeps.sweep import RunAnswer, Sweep
from idinf.work.limits import Limits


@click.command()
@click.argument("targets", metavar="TARGET|SPEC.toml|DIR...", nargs=-1, required=True)
@click.option(
    "--reading",
    "names",
    multiple=True,
    metavar="READING",
    help=f"A reading, all if none is named; may be repeated: {', '.join(each.name for each in READINGS)}.",
)
@number_option("--max-n", "N", "Largest n examined.", least=1, most=MAX_N, show_default="of the spec")
@number_option(
    "--work",
    "STEPS",
    "Deterministic budget of every run in the one-hot family: steps of work.",
    least=1,
    default=DEFAULT_WORK,
    show_default=True,
)
@limit_options("Extra limit for each run: end it after that many seconds; its row is what was found by then.")
@jobs_option("Runs at once, each with its share of the memory; the table does not depend on it.")
@scheduler_option
@click.option("-o", "--output", metavar="FILE", help="Write the table as CSV to FILE (-: stdout) instead.")
@quiet_option
@click.pass_context
def readings(
    context: click.Context,
    /,
    targets: tuple[str, ...],
    names: tuple[str, ...],
    max_n: int | None,
    work: int,
    limits: Limits,
    jobs: int,
    connecting: Connecting,
    output: str | None,
    quiet: bool,
) -> None:
    """Run the procedure on targets under each way to read the paper, and write R* and n0 of each.

    Every row is exact or a bracket: where R* is not known it lies in (A, B], and n0 >= K if there is one.
    docs/readings.md says what the readings are. With the lengths of the paper n0 is N0, a context.

    \b
    Examples:
      idinf readings majority tomita-1 --max-n 16
      idinf readings specs/ --max-n 16 -j 2 -o readings.csv
      idinf readings ge-2-3 --reading one-hot --reading theta
    """
    requests = context.with_resource(limits.requests.deferred())
    path = None if output in (None, "-") else output
    if path is not None:
        check_writable(path)
    asked = RunOptions(max_n, None, {"work": work}, anneal_steps=0, proves=False, asks_smaller=False)
    questions = ask(list_entries(targets), asked, readings=choose_readings(names))
    with connecting as places, board(quiet) as shown:
        runs = [one.target.settings for one in questions]
        answers = dict(Sweep(runs, limits, jobs, None, shown.shower, places=places).answers())
    rows = [
        ReadingRow.of(one.entry.name, one.reading, answers.get(place, RunAnswer(limit="interrupted")))
        for place, one in enumerate(questions)
    ]
    if path is not None:
        write_whole(path, format_readings(rows))
    else:
        click.echo(format_readings(rows), nl=False) if output else show_text(render_readings(rows))
    limited = sum(answer.limit is not None for answer in answers.values())
    if limited and not quiet:
        click.echo(f"Note: {limited} of {len(runs)} runs were ended by a limit", err=True)
    if len(answers) < len(runs):
        context.exit(limit_code(requests.signal))
