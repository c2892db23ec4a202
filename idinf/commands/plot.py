"""``idinf plot``: figures of reports, families and batches, as SVG, PDF or PNG."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import check_figure, inches, number_option
from idinf.commands.terminal import write_output
from idinf.files import check_writable, write_whole
from idinf.render.figures.canvas import Look, encode, load_matplotlib, read_caption, read_suffix
from idinf.render.figures.kinds import KINDS, choose_kind, draw, read_drawable
from idinf.render.figures.observed import CAVEATS
from idinf.sweeps.accuracies import read_accuracies


@click.command(epilog="About --kind observed. " + " ".join(CAVEATS))
@click.argument("reports", metavar="REPORT.json|FAMILY.json|BATCH.csv...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FIGURE.svg|pdf|png",
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
@click.option(
    "--data",
    metavar="MINE.csv",
    help="Accuracies of your own for --kind observed: columns target and accuracy and, if you like, length "
    "or bin (as in 51-100), encoding, and seed.",
)
@click.option(
    "--width",
    type=inches,
    metavar="W",
    show_default="of the kind",
    help="Width in inches, or as in 84mm, a column; letters keep their size.",
)
@click.option("--title/--no-title", default=True, show_default=True, help="Draw the title.")
@click.option(
    "--no-caption", "caption", flag_value=False, default=True, help="Leave out the text below the figure."
)
@click.option(
    "--caption", "caption_path", metavar="FILE", help="Write title and caption to FILE (-: stdout), too."
)
@bounded
def plot(
    reports: tuple[str, ...],
    output: str,
    kind: str | None,
    word: str | None,
    record: int | None,
    data: str | None,
    width: float | None,
    title: bool,
    caption: bool,
    caption_path: str | None,
) -> None:
    """Draw what `idinf identify --json -o`, `idinf family --json -o` or `idinf batch -o` wrote.

    Needs matplotlib, the extra plot.

    \b
    frontier    R against fail length, records numbered, windows of selection (one report: the default)
    curve       n against R*_n, good and bad n, n0; bounds of open runs (several reports: the default)
    hypothesis  attention, accumulators, units on a word, exact (with --word or --record: the default)
    family      n0 against T with its law (the table of a family: the default)
    batch       R* and n0 of every target, with brackets (a CSV: the default)
    observed    n0 beside published accuracies of trained transformers, or beside yours (--data: the default)

    With --data there is a panel for each target: marks are means over seeds, and bars reach from the least to
    the largest seed. Texts of SVG and PDF stay texts: they can be searched and edited. The same files give
    the same bytes. Colours can be told apart by the colour-blind, and in grey.

    \b
    Examples:
      idinf plot dyck-1.json -o dyck-1.svg
      idinf plot majority.json parity.json -o curve.svg
      idinf plot dyck-1.json --word aabb -o aabb.png
      idinf plot ge-k-j.json -o ge-k-j.svg
      idinf plot --kind observed majority.json parity.json -o table.svg
      idinf plot report.csv -o report.pdf --width 5.5 --no-title --no-caption --caption caption.txt
      idinf plot report.csv --data mine.csv -o mine.pdf
      idinf plot report.csv -o column.pdf --width 84mm
    """
    check_figure(output, "--output")
    contents = [read_drawable(path) for path in reports]
    about_word = word is not None or record is not None
    chosen = kind or choose_kind(contents[0], len(contents), about_word, data is not None)
    if about_word and chosen != "hypothesis":
        raise click.UsageError(
            f"--word and --record are about a hypothesis; expected no --kind {chosen}; leave one out"
        )
    if data is not None and chosen != "observed":
        raise click.UsageError(f"--data is about --kind observed; expected no --kind {chosen}; leave one out")
    load_matplotlib()
    check_writable(output)
    if caption_path not in (None, "-"):
        check_writable(caption_path)
    accuracies = None if data is None else read_accuracies(data)
    look = Look(width, title, caption)
    figure = draw(chosen, list(zip(reports, contents, strict=True)), word, record, accuracies, look)
    write_whole(output, encode(figure, read_suffix(output)))
    if caption_path is not None:
        write_output(caption_path, read_caption(figure))
