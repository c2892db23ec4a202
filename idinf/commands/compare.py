"""``idinf compare``: do two reports, or two files of speeds, say the same?"""

from __future__ import annotations

import math

import click

from idinf.commands.bounded import bounded
from idinf.quoting import quoted
from idinf.report.comparison import compare as compare_contents
from idinf.report.comparison import read_results

#: Exit code when the files differ.
DIFFERENT = 1


@click.command(short_help="Compare two reports, or two benchmark files.")
@click.argument("first", metavar="A.json")
@click.argument("second", metavar="B.json")
@click.option(
    "--factor",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="Of benchmark files: they differ too if some best time of B is above X times that of A.",
)
@bounded
@click.pass_context
def compare(context: click.Context, first: str, second: str, factor: float | None) -> None:
    """Compare two files that `idinf identify -o`, `idinf family -o` or `make bench` wrote.

    Two reports agree if target, space, range, outcome, n0, stages and records are the same; R is compared
    with the tolerance of its 9 decimals. Two benchmark files agree if their runs have the same answers.
    Seconds, bytes and speeds are shown with their ratio B/A and do not count, but for --factor. Exit code 0
    if the files agree, 1 if they differ.

    \b
    Examples:
      idinf compare before.json after.json
      idinf compare old-bench.json bench.json --factor 1.5
    """
    if factor is not None and not math.isfinite(factor):
        raise click.BadParameter(
            f"{quoted(factor)} is not a finite number; expected for example 1.5", param_hint="--factor"
        )
    result = compare_contents(read_results(first), read_results(second), factor)
    click.echo(result.text(first, second), nl=False)
    if result.differs:
        context.exit(DIFFERENT)
