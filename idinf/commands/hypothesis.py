"""``idinf eval`` and ``idinf regularizer``: what a hypothesis file answers, and what it costs."""

from __future__ import annotations

import math

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import (
    REGULARIZERS,
    aggregate_option,
    choice_option,
    hypothesis_argument,
    number_option,
    record_option,
    words_argument,
)
from idinf.commands.terminal import check_output, check_stdout, show_rows, write_output
from idinf.commands.words import iter_words, next_text
from idinf.library.realisations import REALISATIONS, realise
from idinf.numbers import format_r
from idinf.report.files import read_hypothesis, read_one_of
from idinf.transformers import json_format, reference
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
    "--realisation",
    REALISATIONS,
    "R of the matrices as they stand, of the best powers of two times each, or of the cheapest met.",
)
@choice_option("--regularizer", REGULARIZERS, "R as a sum of all norms, or with one maximum of them.")
@choice_option("--delta-one", ("0", "1"), "What Δ = 1, no positions, costs in R.")
@click.option("--whole-threshold", is_flag=True, help="Scaled, lattice: keep the threshold a whole number.")
@click.option("-o", "--output", metavar="FILE", help="Write the realisation (-: stdout, and nothing else).")
@bounded
def regularizer_command(
    hypothesis: str,
    record: int | None,
    aggregate: str,
    by_distance: bool,
    realisation: str,
    regularizer: str,
    delta_one: str,
    whole_threshold: bool,
    output: str | None,
) -> None:
    """Print R of a hypothesis, term by term: of a limit-transformer/1 file, or the selected one of a report.

    Of a causal-transformer/1 file, an ordinary transformer, the term phi is equation (8) of the paper.

    Prints TERM<TAB>VALUE with 9 decimals, one line per term, and the total as the last line, R.

    With --by-distance it prints T<TAB>D(T)<TAB>R, one line per distance T up to the reach: what φ costs up to
    T, D_n(T) of the proof of Lemma 17, and R with φ cut off beyond T, which gives the same answers on all
    words up to length T. So attention further back than words are long is never worth its price.

    With --regularizer definition-50 R is layers and heads, the precision, one maximum of all norms, φ and
    the period: no rank, and no --aggregate. With --delta-one 1 a Limit Transformer without positions pays 1
    for its period, which is 1.

    With --realisation scaled every matrix is multiplied by a power of two, so that no other choice of these
    and of p has a smaller R. What the hypothesis answers is the same on every word. A first line says what
    the threshold becomes, which costs nothing: where units are read by their complement it is a fraction,
    unless --whole-threshold asks for a whole number. With -o the transformer is written to a file.

    With --realisation lattice other matrices that say the same are tried as well: embeddings of fewer
    dimensions, U reading the stream instead of a last unit, equal units as one or one as several. R is the
    least of those that were tried, not of all. Lines before the terms say which of these were of use (steps),
    R as one-hot and scaled, and up to which length, or that on all words, both were compared (same); that
    they answer alike on every word is proved for each step.

    \b
    Examples:
      idinf regularizer majority.json
      idinf regularizer --realisation scaled -o scaled.json majority.json
      idinf regularizer --realisation lattice majority.json
      idinf regularizer --regularizer definition-50 --delta-one 1 majority.json
      idinf regularizer --by-distance report.json
      idinf regularizer --aggregate sum report.json
    """
    rule, is_other, is_50 = Aggregate(aggregate), realisation != "one-hot", regularizer == "definition-50"
    if by_distance and is_other:
        raise click.UsageError(
            f"--by-distance is about matrices as they stand; leave out --realisation {realisation}"
        )
    if (whole_threshold or output is not None) and not is_other:
        raise click.UsageError(
            "--whole-threshold and -o need --realisation scaled or lattice; add one or leave them out"
        )
    if is_50 and (is_other or by_distance or rule is Aggregate.SUM):
        raise click.UsageError(
            "--regularizer definition-50 has one maximum of the norms as they stand; leave out --aggregate "
            "sum, --by-distance and --realisation"
        )
    if by_distance:
        cuts = []
        for cut in list_cuts(read_hypothesis(hypothesis, record)):
            r = compute_r_terms(cut.transformer, rule, int(delta_one)).total
            cuts.append((str(cut.reach), format_r(float(cut.penalty)), format_r(r)))
        show_rows(cuts, ("T", "D(T)", "R"))
        return
    check_stdout()
    check_output(output)
    net: DenseTransformer = read_one_of(_EITHER, hypothesis, record)
    made = realise(net, realisation, rule, whole_threshold)
    terms = compute_r_terms(made.transformer, rule, int(delta_one))
    shown = terms.by_definition_50() if is_50 else terms.as_dict()
    if output is not None:
        write_output(output, json_format.dumps(made.transformer))
    if output == "-":
        return
    rows = [("threshold", str(made.transformer.threshold))] * is_other
    if made.scaled is not None:
        rows += [("steps", "; ".join(made.steps) or "none of use"), ("same", made.same)]
        for name, other in (("one-hot", net), ("scaled", made.scaled)):
            rows.append((f"R_{name}", format_r(compute_r_terms(other, rule, int(delta_one)).total)))
    rows += [(name, format_r(value)) for name, value in (*shown.items(), ("R", math.fsum(shown.values())))]
    show_rows(rows)
