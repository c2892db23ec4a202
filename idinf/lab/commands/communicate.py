"""``idinf lab communicate``: bits that must, and bits that need to, cross the middle of a word."""

from __future__ import annotations

from typing import Any

import click

from idinf.api.settings import NamedTarget
from idinf.base.quoting import quote
from idinf.commands.bounded import bounded
from idinf.commands.options import (
    asks,
    check_plot,
    encode_plot,
    json_option,
    number_option,
    plot_option,
)
from idinf.commands.terminal import fit_window, print_beside, show_text
from idinf.lab import calls as lab
from idinf.lab.communication.study import MAX_N, WORDS
from idinf.lab.figures import draw_communication
from idinf.lab.text import exchange_text, format_csv, format_json, render_text
from idinf.show.figures.canvas import COLOURS


@click.command()
@click.argument("names", metavar="TARGET|TASK|FILE...", nargs=-1, required=True)
@number_option(
    "--max-n", "N", "Lengths 2, 3, 4, 6, 8, 12 and so on, up to N.", least=2, most=1024, default=MAX_N
)
@number_option(
    "--words",
    "K",
    "Words the protocol runs on at each length; all of them where there are at most 64.",
    least=1,
    most=10_000,
    default=WORDS,
)
@click.option("--word", metavar="WORD", help="Run the protocol on WORD alone, and show its messages.")
@number_option(
    "--split",
    "M",
    "Of --word: the number of symbols Alice has.",
    least=0,
    show_default="half of the word, rounded down",
)
@asks(NamedTarget, without=("name",))
@click.option("--csv", "as_csv", is_flag=True, help="Print the tables as CSV instead.")
@json_option("idinf-communication/1")
@plot_option("Draw the curves, too")
@bounded
def communicate(
    names: tuple[str, ...],
    max_n: int,
    words: int,
    word: str | None,
    split: int | None,
    asked: dict[str, Any],
    as_csv: bool,
    as_json: bool,
    figure: str | None,
) -> None:
    """Split words in the middle: what must Bob be told of the first half, and what does a transformer tell?

    Alice has $ and the first half of a word, Bob the second; both know the length. Of a hypothesis (.json) or
    a C-RASP program, compiled as by `idinf crasp compile --precision 0`, the protocol of Theorem 12 is run:
    Alice sends, layer by layer, how many of her positions have each key, and sums of values. Bob computes
    every activation of his half from that, and each number is compared with the whole forward pass. "at most"
    is proved for all words of the length; where a head reads averages or ReLU values, the protocol runs and
    no bound is claimed.

    Of a target, "behaviours" is the exact number of first halves that some second half tells apart: a
    message of fewer than log2 of it bits is too short. Where that grows faster than log n, no Limit
    Transformer with periodic p and local phi expresses the target (Corollary 13). Tasks known besides
    targets, programs, files and regex:TEXT: addition, copy-repeat, dyck-2, equality,
    multiplication.

    \b
    Examples:
      idinf lab communicate dyck-1 --max-n 256
      idinf lab communicate copy-repeat addition dyck-1 majority equality --plot bits.svg
      idinf lab communicate hypothesis.json --word 0110 --split 2
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json are both given; expected at most one; leave one out")
    if split is not None and word is None:
        raise click.UsageError("--split is given without --word; expected both; add --word WORD")
    if figure is not None:
        if word is not None:
            raise click.UsageError("--plot is about tables; expected no --word; leave one out")
        if len(names) > len(COLOURS):
            raise click.UsageError(
                f"{len(names)} names for --plot; expected at most {len(COLOURS)}; leave out some"
            )
    check_plot(figure)
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        raise click.UsageError(f"{quote(repeated[0])} is given twice; expected each name once; leave one out")
    subjects = [lab.subject(name, **asked) for name in names]
    if "values" in asked and not any(subject.is_family_member for subject in subjects):
        raise click.UsageError("--set is given, but no name is that of a family; leave it out")
    if word is not None:
        if len(subjects) > 1 or as_csv or as_json:
            raise click.UsageError("--word is about one name, as text; expected no more; leave out the rest")
        run = subjects[0].exchange(word, split)
        assert subjects[0].transformer is not None
        show_text(exchange_text(run, subjects[0].transformer))
        return
    studies = [subject.study(max_n, words) for subject in subjects]
    written = format_csv if as_csv else format_json if as_json else lambda made: fit_window(render_text(made))
    print_beside(written(studies), encode_plot(figure, lambda: draw_communication(studies)))
