"""``idinf plot``: figures of reports, families and batches, as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Sequence

import click

from idinf.api.plots import correlate_rows
from idinf.base.files import check_writable
from idinf.commands.bounded import bounded
from idinf.commands.options import check_figure, inches, number_option
from idinf.commands.terminal import fit_window, print_beside
from idinf.show.figures.canvas import Look, encode, load_matplotlib, read_caption, read_suffix
from idinf.show.figures.kinds import KINDS, OF_DATA, Drawable, choose_kind, draw, list_rows, read_drawable
from idinf.show.figures.rows import CAVEATS, describe_groups, read_published
from idinf.tables.accuracies import METHODS, Accuracies, read_accuracies


@click.command(epilog="About the published accuracies. " + " ".join(CAVEATS))
@click.argument("reports", metavar="REPORT.json|FAMILY.json|BATCH.csv...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="FIGURE.svg|pdf|png",
    help="The file to write; its suffix decides how. With --data it may be left out.",
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
    help="Accuracies of your own in place of the published ones: columns target and accuracy (from 0 to 1) "
    "and, if you like, length or bin (as in 51-100), encoding, and seed.",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="spearman",
    show_default=True,
    help="The coefficient that is printed beside accuracies.",
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
    output: str | None,
    kind: str | None,
    word: str | None,
    record: int | None,
    data: str | None,
    method: str,
    width: float | None,
    title: bool,
    caption: bool,
    caption_path: str | None,
) -> None:
    """Draw what `idinf identify --json -o` or `idinf batch -o` wrote.

    Needs matplotlib.

    \b
    frontier    R against fail length, records numbered, windows of selection (one report: the default)
    curve       n against R*_n, good and bad n, n0; bounds of open runs (several reports: the default)
    hypothesis  attention, accumulators, units on a word, exact (with --word or --record: the default)
    family      n0 against T with its law (a batch of one family: the default)
    batch       R* and n0 of every target, with brackets (a CSV: the default)
    observed    n0 beside published accuracies of trained transformers, or beside yours (--data: the default)
    classes     accuracies on the longest words by class of the language

    Beside accuracies there is a panel for each target: marks are means over seeds, bars reach from the least
    to the largest seed. Printed are the rank correlations of R*, n0 and the number of states of the minimal
    DFA with the means, for every encoding and bin, and γ of the pairs that values or brackets order; a target
    whose value is not known is counted and named. Of classes, what each says and how accurate transformers
    were is printed. Texts of SVG and PDF stay texts. The same files give the same bytes. Colours can be told
    apart by the colour-blind, and in grey.

    \b
    Examples:
      idinf plot dyck-1.json -o dyck-1.svg
      idinf plot majority.json parity.json -o curve.svg
      idinf plot dyck-1.json --word aabb -o aabb.png
      idinf plot ge-k-j.json -o ge-k-j.svg
      idinf plot --kind observed majority.json parity.json -o table.svg
      idinf plot report.csv -o report.pdf --width 5.5 --no-title --no-caption --caption caption.txt
      idinf plot report.csv --data mine.csv -o mine.pdf
      idinf plot report.csv --data mine.csv --method kendall
      idinf plot report.csv --kind classes -o classes.svg
      idinf plot report.csv -o column.pdf --width 84mm
    """
    if output is None and (data is None or caption_path is not None):
        raise click.UsageError("Missing option '-o' / '--output'; name a figure; only --data does without")
    if output is not None:
        check_figure(output, "--output")
    contents = [read_drawable(path) for path in reports]
    about_word = word is not None or record is not None
    chosen = kind or choose_kind(contents[0], len(contents), about_word, data is not None)
    if about_word and chosen != "hypothesis":
        raise click.UsageError(
            f"--word and --record are about a hypothesis; expected no --kind {chosen}; leave one out"
        )
    if data is not None and chosen not in OF_DATA:
        raise click.UsageError(
            f"--data is about accuracies; expected --kind {' or '.join(OF_DATA)}, not {chosen}; leave one out"
        )
    named = list(zip(reports, contents, strict=True))
    if caption_path not in (None, "-"):
        check_writable(caption_path)
    accuracies = None if data is None else read_accuracies(data)
    figures: list[tuple[str, str | bytes]] = []
    if output is not None:
        load_matplotlib()
        check_writable(output)
        figure = draw(chosen, named, word, record, accuracies, Look(width, title, caption))
        figures.append((output, encode(figure, read_suffix(output))))
        if caption_path is not None and caption_path != "-":
            figures.append((caption_path, read_caption(figure)))
    told = "" if chosen not in OF_DATA else f"{_describe(chosen, named, accuracies, method)}\n"
    if caption_path == "-" and output is not None:
        told = read_caption(figure)
    print_beside(fit_window(told), figures)


def _describe(kind: str, named: Sequence[tuple[str, Drawable]], data: Accuracies | None, method: str) -> str:
    """Text that is printed beside accuracies: coefficients, or the accuracies of classes."""
    rows, beside = [row for _, row in list_rows(named)], read_published() if data is None else data
    if kind == "classes":
        return describe_groups(rows, beside)
    return str(correlate_rows(tuple(rows), beside, method))
