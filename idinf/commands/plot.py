"""``idinf plot``: figures of reports, as SVG or PNG."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import check_figure, number_option
from idinf.files import check_writable, write_whole
from idinf.render.figures.canvas import encode, load_matplotlib, read_suffix
from idinf.render.figures.kinds import KINDS, choose_kind, draw, read_drawable
from idinf.render.figures.observed import CAVEATS


@click.command(epilog="About --kind observed. " + " ".join(CAVEATS))
@click.argument("reports", metavar="REPORT.json...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FIGURE.svg|png",
    help="The file to write; its suffix decides how.",
)
@click.option("--kind", type=click.Choice(KINDS), show_default="by content", help="What to draw.")
@click.option(
    "--word",
    metavar="WORD",
    show_default="what ends the last wrong record",
    help="Of a hypothesis: the word it runs on; '' is the empty word.",
)
@number_option(
    "--record", "K", "Of a hypothesis: which record of the report.", least=1, show_default="the last"
)
@bounded
def plot(
    reports: tuple[str, ...], output: str, kind: str | None, word: str | None, record: int | None
) -> None:
    """Draw what `idinf identify --json -o` or `idinf family --json -o` wrote.

    Needs matplotlib, the extra plot.

    \b
    frontier    R against fail length, records numbered, windows of selection (one report: the default)
    curve       n against R*_n, good and bad n, n0; bounds of open runs (several reports: the default)
    hypothesis  attention, accumulators, units on a word, exact (with --word or --record: the default)
    family      n0 against T with its law (the table of a family: the default)
    observed    n0 beside published accuracies of trained transformers

    The same reports give the same bytes. Colours can be told apart by the colour-blind, and in grey.

    \b
    Examples:
      idinf plot dyck-1.json -o dyck-1.svg
      idinf plot majority.json parity.json -o curve.svg
      idinf plot dyck-1.json --word aabb -o aabb.png
      idinf plot ge-k-j.json -o ge-k-j.svg
      idinf plot --kind observed majority.json parity.json -o table.svg
    """
    check_figure(output, "--output")
    contents = [read_drawable(path) for path in reports]
    about_word = word is not None or record is not None
    chosen = choose_kind(contents[0], len(contents), about_word) if kind is None else kind
    if about_word and chosen != "hypothesis":
        raise click.UsageError(
            f"--word and --record are about a hypothesis; expected no --kind {chosen}; leave one out"
        )
    load_matplotlib()
    check_writable(output)
    figure = draw(chosen, list(zip(reports, contents, strict=True)), word, record)
    write_whole(output, encode(figure, read_suffix(output)))
