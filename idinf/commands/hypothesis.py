"""``idinf eval`` and ``idinf regularizer``: what a hypothesis file answers, and what it costs."""

from __future__ import annotations

import math

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import (
    aggregate_option,
    choice_option,
    hypothesis_argument,
    number_option,
    record_option,
    words_argument,
)
from idinf.commands.terminal import show_rows
from idinf.commands.words import iter_words, next_text
from idinf.numbers import format_r
from idinf.report.files import read_hypothesis, read_one_of
from idinf.transformers import reference
from idinf.transformers.causal_transformer import CausalTransformer
from idinf.transformers.dense import DenseTransformer
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.locality import list_cuts
from idinf.transformers.regularizer import Aggregate, compute_r_terms

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


@click.command("regularizer")
@hypothesis_argument
@record_option
@aggregate_option
@click.option("--by-distance", is_flag=True, help="Print what φ costs up to every distance instead.")
@choice_option(
    "--regularizer",
    ("definition-5", "definition-50"),
    "R as a sum of all norms, or with one maximum of them.",
)
@bounded
def regularizer_command(
    hypothesis: str,
    record: int | None,
    aggregate: str,
    by_distance: bool,
    regularizer: str,
) -> None:
    """Print R of a hypothesis, term by term: of a limit-transformer/1 file, or the selected one of a report.

    Of a causal-transformer/1 file, an ordinary transformer, the term phi is equation (8) of the paper.

    Prints TERM<TAB>VALUE with 9 decimals, one line per term, and the total as the last line, R.

    With --by-distance it prints T<TAB>D(T)<TAB>R, one line per distance T up to the reach: what φ costs up to
    T, D_n(T) of the proof of Lemma 17, and R with φ cut off beyond T, which gives the same answers on all
    words up to length T. So attention further back than words are long is never worth its price.

    With --regularizer definition-50 R is layers and heads, the precision, one maximum of all norms, φ and
    the period: no rank, and no --aggregate.

    \b
    Examples:
      idinf regularizer majority.json
      idinf regularizer --regularizer definition-50 majority.json
      idinf regularizer --by-distance report.json
      idinf regularizer --aggregate sum report.json
    """
    rule, is_50 = Aggregate(aggregate), regularizer == "definition-50"
    if is_50 and (by_distance or rule is Aggregate.SUM):
        raise click.UsageError(
            "--regularizer definition-50 has one maximum of the norms; leave out --aggregate sum and "
            "--by-distance"
        )
    if by_distance:
        cuts = []
        for cut in list_cuts(read_hypothesis(hypothesis, record)):
            r = compute_r_terms(cut.transformer, rule).total
            cuts.append((str(cut.reach), format_r(float(cut.penalty)), format_r(r)))
        show_rows(cuts, ("T", "D(T)", "R"))
        return
    net: DenseTransformer = read_one_of(_EITHER, hypothesis, record)
    terms = compute_r_terms(net, rule)
    shown = terms.by_definition_50() if is_50 else terms.as_dict()
    show_rows([(name, format_r(value)) for name, value in (*shown.items(), ("R", math.fsum(shown.values())))])
