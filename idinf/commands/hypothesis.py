"""``idinf regularizer``: what a hypothesis costs."""

from __future__ import annotations

import math

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import (
    aggregate_option,
    choice_option,
    hypothesis_argument,
    record_option,
)
from idinf.commands.terminal import show_rows
from idinf.numbers import format_r
from idinf.report.files import read_hypothesis, read_one_of
from idinf.transformers.causal_transformer import CausalTransformer
from idinf.transformers.dense import DenseTransformer
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.locality import list_cuts
from idinf.transformers.regularizer import Aggregate, compute_r_terms

_EITHER = (LimitTransformer, CausalTransformer)


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
