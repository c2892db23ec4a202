"""``idinf eval``: what a hypothesis file answers."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import (
    hypothesis_argument,
    number_option,
    record_option,
    words_argument,
)
from idinf.commands.words import iter_words, next_text
from idinf.report.files import read_one_of
from idinf.transformers import reference
from idinf.transformers.causal_transformer import CausalTransformer
from idinf.transformers.limit_transformer import LimitTransformer

_EITHER = (LimitTransformer, CausalTransformer)


@click.command("eval")
@hypothesis_argument
@words_argument
@record_option
@number_option("--offset", "O", "Let words begin at position O, so that $ meets p_(1+O).", least=0, default=0)
@bounded
def eval_command(hypothesis: str, words: tuple[str, ...], record: int | None, offset: int) -> None:
    """Run a hypothesis on words, exactly: a limit-transformer/1 file, or the selected one of a report.

    A causal-transformer/1 file, an ordinary transformer, answers words that its context has room for.

    Prints WORD<TAB>accept or WORD<TAB>reject, one line per word. The word '' is the empty word; with -
    words are read from stdin, one per line, an empty line being the empty word. A hypothesis about next
    symbols answers at every position instead: the sets after every prefix, the empty one first, separated
    by blanks, as in 1,$ - with $ for the end and - for no symbol.

    \b
    Examples:
      idinf eval majority.json 0011 001 ''
      idinf eval majority.json - < words.txt
      idinf eval report.json --record 2 0011
      idinf eval ordinary.json --offset 3 0011
    """
    transformer = read_one_of(_EITHER, hypothesis, record)
    for text, word in iter_words(transformer.alphabet, words):
        if transformer.output is None:
            verdict = "accept" if reference.accepts(transformer, word, offset) else "reject"
        else:
            verdict = next_text(reference.name_next_symbols(transformer, word, offset))
        click.echo(f"{text}\t{verdict}")
