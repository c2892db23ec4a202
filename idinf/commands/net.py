"""``idinf net``: costs of nets, their export, and the translations of their two classes."""

from __future__ import annotations

import math

import click

from idinf.api import languages
from idinf.base.files import blaming, check_writable
from idinf.base.numbers import format_r
from idinf.commands.bounded import bounded
from idinf.commands.group import LazyGroup
from idinf.commands.options import (
    aggregate_option,
    choice_option,
    hypothesis_argument,
    record_option,
)
from idinf.commands.terminal import check_output, check_stdout, show_rows, write_output
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.report.files import read_net
from idinf.show.export.forms import FORMS, check_weights


@click.group(
    cls=LazyGroup,
    package="idinf",
    commands_table={
        "cost": ("commands.net:cost", "Print the terms of R."),
        "export": ("commands.net:export", "Write a hypothesis as code, program, LaTeX, graph or JSON."),
        "check": ("lab.commands.nets:check", "Say whether an ordinary transformer is in the paper's class."),
        "translate": ("lab.commands.nets:translate", "Write a hypothesis as an ordinary transformer."),
        "lift": ("lab.commands.nets:lift", "Write an ordinary transformer as a hypothesis."),
        "curve": ("lab.commands.nets:curve", "Follow R along the contexts of a hypothesis."),
        "period": ("lab.commands.nets:period", "Bound the period of products of some rank."),
    },
)
def net() -> None:
    """Say what nets cost, write them in other forms, and translate between the two classes of them.

    A hypothesis is a Limit Transformer, in a limit-transformer/1 file or a report. An ordinary transformer
    has a context of N places with a learned position vector each, and no φ; its file is a
    causal-transformer/1 file. The procedure of the paper selects from the class of those whose products are
    translation invariant (Definition 4).

    \b
    Examples:
      idinf net cost report.json
      idinf net translate net.json --context 16 -o ordinary.json
      idinf net COMMAND --help
    """


@click.command("cost")
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
def cost(
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
      idinf net cost majority.json
      idinf net cost --regularizer definition-50 majority.json
      idinf net cost --by-distance report.json
      idinf net cost --aggregate sum report.json
    """
    is_50 = regularizer == "definition-50"
    if is_50 and (by_distance or aggregate == "sum"):
        raise click.UsageError(
            "--regularizer definition-50 has one maximum of the norms; leave out --aggregate sum and "
            "--by-distance"
        )
    if by_distance:
        cuts = []
        for cut in languages.hypothesis(hypothesis, record=record).cuts():
            r = compute_r_terms(cut.transformer, Aggregate(aggregate)).total
            cuts.append((str(cut.reach), format_r(float(cut.penalty)), format_r(r)))
        show_rows(cuts, ("T", "D(T)", "R"))
        return
    net, _ = read_net(hypothesis, (LimitTransformer, CausalTransformer), record)
    terms = compute_r_terms(net, Aggregate(aggregate))
    shown = terms.by_definition_50() if is_50 else terms.as_dict()
    show_rows([(name, format_r(value)) for name, value in (*shown.items(), ("R", math.fsum(shown.values())))])


@click.command("export")
@hypothesis_argument
@record_option
@click.option("--as", "form", type=click.Choice(FORMS), required=True, help="What to write.")
@click.option("-o", "--output", metavar="FILE", help="Write into a file (-: stdout).")
@click.option(
    "--weights", metavar="FILE.safetensors", help="Of torch: write the weights, too, for its module to load."
)
@bounded
def export(hypothesis: str, record: int | None, form: str, output: str | None, weights: str | None) -> None:
    """Write a hypothesis for use elsewhere: of a limit-transformer/1 file, or the selected one of a report.

    \b
    json    limit-transformer/1, the file that other commands read
    crasp   a C-RASP program that accepts the same words, as `idinf crasp decompile`
    numpy   one Python file: the arrays and the forward pass; 'python FILE WORD...' runs it
    torch   one Python file with a torch.nn.Module, for float64 and float32
    latex   formula, terms of R and matrices; for pdflatex, or with amsmath for \\input

    Code says up to which length of words its floats are exact.

    \b
    Examples:
      idinf net export majority.json --as numpy -o majority.py && python majority.py 0011 001
      idinf net export report.json --record 2 --as latex -o record.tex
      idinf net export majority.json --as torch -o majority_net.py --weights majority.safetensors
    """
    check_stdout()
    check_weights(form, weights)
    check_output(output)
    if weights is not None:
        check_writable(weights)
    with blaming(hypothesis):
        text = languages.hypothesis(hypothesis, record=record).export(form, weights=weights)
    write_output(output, text)
