"""``idinf net``: costs of nets, their export, and the translations of their two classes."""

from __future__ import annotations

import math

import click

from idinf.api import languages, nets
from idinf.base.files import blaming, check_writable
from idinf.base.numbers import align, format_amount, format_r
from idinf.commands.bounded import bounded
from idinf.commands.group import LazyGroup
from idinf.commands.options import (
    aggregate_option,
    check_plot,
    choice_option,
    encode_plot,
    hypothesis_argument,
    number_option,
    plot_option,
    record_option,
)
from idinf.commands.terminal import check_output, check_stdout, print_csv, show_rows, show_text, write_output
from idinf.nets import json_format
from idinf.nets.dense import DenseTransformer
from idinf.nets.ordinary.lifting import MOST_RANK, find_largest_period
from idinf.nets.ordinary.translation import list_contexts
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.show.export.forms import FORMS, check_weights

_file_argument = click.argument("file", metavar="ORDINARY.json")
_output_option = click.option(
    "-o", "--output", metavar="FILE", help="Write the file (-: stdout, and nothing else)."
)


@click.group(
    cls=LazyGroup,
    commands_table={
        "cost": ("net:cost", "Print the terms of R."),
        "export": ("net:export", "Write a hypothesis as code, program, LaTeX, graph or JSON."),
        "check": ("net:check", "Say whether an ordinary transformer is in the paper's class."),
        "translate": ("net:translate", "Write a hypothesis as an ordinary transformer."),
        "lift": ("net:lift", "Write an ordinary transformer as a hypothesis."),
        "curve": ("net:curve", "Follow R along the contexts of a hypothesis."),
        "period": ("net:period", "Bound the period of products of some rank."),
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
    terms = nets.net(hypothesis, record=record).r_terms(aggregate)
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


@click.command("check")
@_file_argument
@bounded
def check(file: str) -> None:
    """Say whether an ordinary transformer is a member of the paper's class for its context N.

    Its products (Definition 43) are what pairs of parameter vectors say to each other, directly or behind a
    set S of value matrices, at most one of each layer. In the class every product with one position vector is
    the same for all positions, and every product with two depends on their distance alone, for all pairs and
    not only for causal ones. The number of products is printed first; sets that act alike are looked at once.
    If it is no member, the first product that differs is named with its two values.

    \b
    Examples:
      idinf net check ordinary.json
    """
    net = nets.ordinary_transformer(file)
    products = net.products()
    show_text(
        f"context   N = {net.context}\n"
        f"sets      {products.num_sets} of value matrices, at most one of each layer\n"
        f"products  {products.num_alphas} alpha and {products.num_betas} beta, "
        f"of at most {format_amount(products.bits, 'fractional bit')} each"
    )
    variant = net.variant()
    verdict = "yes: all of them are translation invariant" if variant is None else f"no: {variant}"
    show_text(f"member    {verdict}")


@click.command("translate")
@hypothesis_argument
@number_option(
    "--context", "N", "Places of the context, $ counted.", least=1, most=nets.MOST_CONTEXT, required=True
)
@record_option
@_output_option
@bounded
def translate(hypothesis: str, context: int, record: int | None, output: str | None) -> None:
    """Write a Limit Transformer as an ordinary one of context N, with the same logits at every offset.

    The result is a member of the paper's class (Lemma 47). Without positions it is the same transformer; a φ
    becomes position vectors with one coordinate for each place; periodic positions are found in two layers
    more, by one head for each residue and one that attends to everything. Printed are both shapes, and R.

    \b
    Examples:
      idinf net translate net.json --context 16
      idinf net translate report.json --context 64 -o ordinary.json
    """
    check_stdout()
    check_output(output)
    old = languages.hypothesis(hypothesis, record=record)
    net = nets.translate(old, context=context)
    _tell(
        output,
        "" if output is None else net.text(),
        ("hypothesis", old.transformer),
        ("ordinary", net.transformer),
    )


@click.command("lift")
@_file_argument
@_output_option
@bounded
def lift(file: str, output: str | None) -> None:
    """Write an ordinary transformer as a Limit Transformer with the same logits on all inputs up to N.

    It has to be a member of the paper's class (exit code 3 else, with the product that differs). The stream
    of the result holds how much of each parameter vector, behind each set of value matrices, is in the stream
    of the other; so its width depends on the shape alone, and its entries are 0, 1 and products (Lemma 52).

    \b
    Examples:
      idinf net lift ordinary.json
      idinf net lift ordinary.json -o net.json
    """
    check_stdout()
    check_output(output)
    old = nets.ordinary_transformer(file)
    net = old.lift()
    text = json_format.dumps(net.transformer)
    _tell(output, text, ("ordinary", old.transformer), ("hypothesis", net.transformer))


def _tell(output: str | None, text: str, *nets: tuple[str, DenseTransformer]) -> None:
    """Write a file, and on stdout two shapes beside each other unless the file goes there."""
    facts = [_describe(net) for _, net in nets]  # before anything is written: R may be out of range
    if output is not None:
        write_output(output, text)
    if output != "-":
        rows = [(name, *(described[name] for described in facts)) for name in facts[0]]
        show_text("\n".join(align([("", *(name for name, _ in nets)), *rows])))


def _describe(net: DenseTransformer) -> dict[str, str]:
    shape = {"layers": net.depth, "heads": net.num_heads, "units": net.num_units, "width": net.width}
    own = {"context": getattr(net, "context", "any"), "period": getattr(net, "period", "-")}
    shown = own | shape | {"precision": net.precision, "R": format_r(compute_r_terms(net).total)}
    return {name: str(value) for name, value in shown.items()}


@click.command("curve")
@hypothesis_argument
@number_option(
    "--max-context",
    "N",
    "Contexts 2, 4, 8 and so on, up to N.",
    least=2,
    most=nets.MOST_CONTEXT,
    default=nets.MAX_CONTEXT,
)
@aggregate_option
@record_option
@click.option("--csv", "table", metavar="FILE", help="Write n, R and its terms as CSV (-: stdout, alone).")
@plot_option("Draw R and the bound, too")
@bounded
def curve(
    hypothesis: str,
    max_context: int,
    aggregate: str,
    record: int | None,
    table: str | None,
    figure: str | None,
) -> None:
    """Print R of the ordinary transformers of a hypothesis, one for each context N.

    The last lines say what holds for every N: a bound of R (Lemma 47), and that layers, heads and precision
    stay, while the width grows with N at most (Corollary 26). Where R is the same everywhere, that is all.

    \b
    Examples:
      idinf net curve net.json --max-context 512
      idinf net curve report.json --csv curve.csv --plot curve.svg
    """
    check_stdout()
    check_output(table)
    check_plot(figure)
    points = nets.curve(hypothesis, contexts=list_contexts(max_context), record=record, aggregate=aggregate)
    rows = [("N", "width", "R"), *((str(p.context), str(p.width), format_r(p.r)) for p in points)]
    first, last = points[0], points[-1]
    width = f"{last.width}" if first.width == last.width else f"N + {last.width - last.context}"
    shape = f"{format_amount(last.depth, 'layer')}, {format_amount(last.num_heads, 'head')} per layer"
    bound = format_r(points.bound)
    if {format_r(point.r) for point in points} == {bound}:
        text = (
            f"R = {bound} for N = {first.context} to {last.context}, and at most that for every N: {shape}, "
        )
        text += f"precision {last.precision}, width {width}\n"
    else:
        text = "\n".join(align(rows, ">>>")) + (
            f"\n\nfor every N: R <= {bound}\n"
            f"for every N: {shape}, precision {last.precision}, width {width}\n"
        )
    print_csv(table, points.to_csv(), text, encode_plot(figure, points.plot))


@click.command("period")
@number_option("--rank", "K", "The rank of the product.", least=1, most=MOST_RANK, required=True)
@bounded
def period(rank: int) -> None:
    """Print the largest period of a translation-invariant product of rank at most K.

    A product p_i^T A p_j that depends on j − i alone, with values of bounded precision, is periodic if its
    rank is bounded (Lemma 48). Its period is at most the largest finite order of an invertible integer matrix
    of K rows, whatever precision and norms are, and that is met. Prints RANK<TAB>PERIOD<TAB>the cyclotomic
    polynomials whose product is the recurrence.

    \b
    Examples:
      idinf net period --rank 4
    """
    largest, parts = find_largest_period(rank)
    row = (str(rank), str(largest), " ".join(f"Φ_{part}" for part in parts))
    show_rows([row], ("rank", "period", "recurrence"))
