"""``idinf dataset``: words of a target by bins of lengths, for training and testing models."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from idinf.api.settings import NamedTarget
from idinf.commands.bounded import bounded
from idinf.commands.options import asks
from idinf.commands.terminal import check_output, check_stdout, show_rows, write_output
from idinf.trained.calls.dataset import FORMS, DatasetSettings, dataset
from idinf.trained.dataset import KINDS


@click.command("dataset")
@click.argument("target")
@asks(NamedTarget, DatasetSettings)
@click.option(
    "--as", "form", type=click.Choice(FORMS), default="jsonl", show_default=True, help="What to write."
)
@click.option("-o", "--output", metavar="FILE", help="Write into a file (-: stdout).")
@bounded
def dataset_command(target: str, asked: dict[str, Any], form: str, output: str | None) -> None:
    """Draw words of TARGET for each bin of lengths, with what is right about them.

    TARGET is as for `idinf identify`. Words that it accepts are uniform: all lengths of a bin that have such
    words are equally likely, and so are all words of a length; where these are few, words repeat. Words that
    it rejects are near misses, accepted words with a symbol or block changed; where that finds too few,
    others are uniform. Of next symbols all words of the domain count, and none is rejected. A bin that no
    word fits is told on stderr; if no bin has words, the exit code is 3. Equal arguments write equal bytes.

    \b
    jsonl  an object per line: word, length, bin, label, kind (uniform, near miss, uniform rejected), next
    txt    WORD<TAB>1 or WORD<TAB>0; of next symbols the sets after every prefix, as `idinf run` prints them

    In jsonl, next are the sets of next symbols after every prefix, with $ for the end and null where TARGET
    does not judge; of words of a regular language their legal continuations; else null. With -o FILE a line
    per bin is printed: BIN<TAB>uniform<TAB>near misses<TAB>uniform rejected words.

    \b
    Examples:
      idinf dataset majority --bins 0-50,51-100,101-150 --seed 1 -o majority.jsonl
      idinf dataset 'regex:(ab)*' --bins 0-20 --number 10 --as txt
      idinf dataset dyck-1 --bins 2-8 --number 5 --positives 1
    """
    check_stdout()
    check_output(output)
    found = dataset(target, **asked)
    write_output(output, getattr(found, form)())
    if output not in (None, "-"):
        counts = Counter((each.bin, each.kind) for each in found.examples)
        shown = [f"{low}-{high}" for low, high in found.bins]
        show_rows([(each, *(str(counts[each, kind]) for kind in KINDS)) for each in shown], ("bin", *KINDS))
    for note in found.notes:
        click.echo(f"Note: {note}", err=True)
