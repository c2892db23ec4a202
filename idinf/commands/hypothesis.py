"""``idinf eval`` and ``idinf regularizer``: what a hypothesis file answers, and what it costs."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import hypothesis_argument, record_option, words_argument
from idinf.commands.words import iter_words, next_text
from idinf.numbers import format_r
from idinf.report.files import read_hypothesis
from idinf.transformers import reference
from idinf.transformers.regularizer import Aggregate, compute_r_terms


@click.command("eval")
@hypothesis_argument
@words_argument
@record_option
@bounded
def eval_command(hypothesis: str, words: tuple[str, ...], record: int | None) -> None:
    """Run a hypothesis on words, exactly: a limit-transformer/1 file, or the selected one of a report.

    Prints WORD<TAB>accept or WORD<TAB>reject, one line per word. The word '' is the empty word; with -
    words are read from stdin, one per line, an empty line being the empty word. A hypothesis about next
    symbols answers at every position instead: the sets after every prefix, the empty one first, separated
    by blanks, as in 1,$ - with $ for the end and - for no symbol.

    \b
    Examples:
      idinf eval majority.json 0011 001 ''
      idinf eval majority.json - < words.txt
      idinf eval report.json --record 2 0011
    """
    transformer = read_hypothesis(hypothesis, record)
    for text, word in iter_words(transformer.alphabet, words):
        if transformer.output is None:
            verdict = "accept" if reference.accepts(transformer, word) else "reject"
        else:
            verdict = next_text(reference.name_next_symbols(transformer, word))
        click.echo(f"{text}\t{verdict}")


@click.command("regularizer")
@hypothesis_argument
@record_option
@click.option(
    "--aggregate",
    type=click.Choice(["max", "sum"]),
    default="max",
    show_default=True,
    help="How the terms of single layers and heads are combined.",
)
@bounded
def regularizer_command(hypothesis: str, record: int | None, aggregate: str) -> None:
    """Print R of a hypothesis, term by term: of a limit-transformer/1 file, or the selected one of a report.

    Prints TERM<TAB>VALUE with 9 decimals, one line per term, and the total as the last line, R.

    \b
    Examples:
      idinf regularizer majority.json
      idinf regularizer --aggregate sum report.json
    """
    terms = compute_r_terms(read_hypothesis(hypothesis, record), Aggregate(aggregate))
    for name, value in (*terms.as_dict().items(), ("R", terms.total)):
        click.echo(f"{name}\t{format_r(value)}")
