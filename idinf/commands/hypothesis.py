"""``idinf eval`` and ``idinf r``: what a hypothesis file answers, and what it costs."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.words import iter_words, next_text

__all__ = ["eval_command", "r_command"]


@click.command("eval", short_help="Run a hypothesis file on words.")
@click.argument("hypothesis", metavar="HYPOTHESIS.json")
@click.argument("words", metavar="[WORD...|-]", nargs=-1)
@bounded
def eval_command(hypothesis: str, words: tuple[str, ...]) -> None:
    """Run a limit-transformer/1 file on words, exactly.

    Prints WORD<TAB>accept or WORD<TAB>reject, one line per word. The word '' is the empty word; with -
    words are read from stdin, one per line, an empty line being the empty word. A hypothesis about next
    symbols answers at every position instead: the sets after every prefix, the empty one first, separated
    by blanks, as in 1,$ - with $ for the end and - for no symbol.

    \b
    Examples:
      idinf eval majority.json 0011 001 ''
      idinf eval majority.json - < words.txt
    """
    from idinf.transformers import json_format, reference

    transformer = json_format.read(hypothesis)
    for text, word in iter_words(transformer.alphabet, words):
        if transformer.output is None:
            verdict = "accept" if reference.accepts(transformer, word) else "reject"
        else:
            verdict = next_text(reference.next_symbols(transformer, word))
        click.echo(f"{text}\t{verdict}")


@click.command("r", short_help="Print the terms of R of a hypothesis file.")
@click.argument("hypothesis", metavar="HYPOTHESIS.json")
@click.option(
    "--aggregate",
    type=click.Choice(["max", "sum"]),
    default="max",
    show_default=True,
    help="How the rows about single layers and heads are combined.",
)
@bounded
def r_command(hypothesis: str, aggregate: str) -> None:
    """Print the regularizer of a limit-transformer/1 file, term by term.

    Prints TERM<TAB>VALUE with 9 decimals, one line per term, and the total as the last line, R.

    \b
    Examples:
      idinf r majority.json
      idinf r --aggregate sum majority.json
    """
    from idinf.transformers import json_format, regularizer

    terms = regularizer.r_terms(json_format.read(hypothesis), regularizer.Aggregate(aggregate))
    for name, value in (*terms.as_dict().items(), ("R", terms.total)):
        click.echo(f"{name}\t{value:.9f}")
