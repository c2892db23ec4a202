"""``idinf observed``: classes of languages beside published accuracies."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import check_plot, encode_plot, plot_option
from idinf.commands.terminal import fit_window, print_beside
from idinf.library.observed import observed as compared
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
@plot_option("Draw it, too")
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
    check_plot(figure)
    found = compared(int(low))
    print_beside(fit_window(f"{found}\n"), encode_plot(figure, found.plot))
