"""``idinf observed``: classes of languages beside published accuracies."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import check_figure
from idinf.files import check_writable
from idinf.library.observed import observed as compared
from idinf.render.figures.canvas import load_matplotlib
from idinf.render.figures.observed import BINS


@click.command("observed")
@click.option(
    "--from",
    "low",
    type=click.Choice([str(low) for low, _ in BINS]),
    default="101",
    show_default=True,
    help="Accuracies on words of at least this length, of three bins.",
)
@click.option("--plot", "figure", metavar="FIGURE.svg|pdf|png", help="Draw it, too; needs matplotlib.")
@bounded
def observed(low: str, figure: str | None) -> None:
    """Set classes of languages beside published accuracies of trained transformers.

    Every shipped target with published numbers is classified as by `idinf classify`: star-free, dot-depth, in
    AC0, in C-RASP[], in C-RASP[periodic,local]. Each row has the languages with one verdict, and how
    accurate transformers were on them. A class that explains what is learned has members near 1 and all
    others far below: star-freeness and dot-depth do not (Figures 4 and 2), C-RASP does so better.

    \b
    Examples:
      idinf observed
      idinf observed --from 51 --plot classes.svg
    """
    if figure is not None:
        check_figure(figure, "--plot")
        load_matplotlib()
        check_writable(figure)
    found = compared(int(low))
    if figure is not None:
        found.plot(figure)
    click.echo(found)
