"""``idinf correlate``: what is known of targets against accuracies of trained transformers."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import json_option
from idinf.commands.terminal import show_text
from idinf.json_text import dump_json
from idinf.library.correlation import correlate as correlated
from idinf.sweeps.correlation import METHODS


@click.command()
@click.argument("batch", metavar="BATCH.csv")
@click.argument("data", metavar="MINE.csv")
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="spearman",
    show_default=True,
    help="The coefficient.",
)
@json_option("idinf-correlation/1")
@bounded
def correlate(batch: str, data: str, method: str, as_json: bool) -> None:
    """Correlate R*, n0 and the number of states of targets with accuracies of your own.

    BATCH.csv is what `idinf batch` wrote. MINE.csv has the columns target and accuracy (from 0 to 1) and, if
    you like, length or bin (as in 51-100), encoding, and seed; means over seeds are correlated, for every
    encoding and bin. The number of states k of the minimal complete DFA has the ranks of 2k - 2.

    Below 5 languages there is no coefficient: chance often orders so few perfectly. The interval of 95 % is
    by Fisher's transformation. A target whose R* or n0 is only known to lie in a bracket ("at least 5") has
    no rank: it is left out, counted and named. γ is about all pairs that values or brackets put in an order,
    those left out included: the share that accuracies put in the same order less the share that they put in
    the other.

    \b
    Examples:
      idinf correlate report.csv mine.csv
      idinf correlate report.csv mine.csv --method kendall --json
    """
    found = correlated(batch, data, method=method)
    if as_json:
        click.echo(dump_json(found.to_dict()), nl=False)
    else:
        show_text(str(found))
