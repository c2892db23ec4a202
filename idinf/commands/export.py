"""``idinf export``: a hypothesis as code, program, LaTeX, graph or JSON."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import hypothesis_argument, record_option
from idinf.commands.terminal import check_output, check_stdout, write_output
from idinf.export.forms import FORMS, check_weights
from idinf.export.forms import export as write_form
from idinf.files import blaming, check_writable, write_whole
from idinf.report.files import read_hypothesis


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
    dot     what reads what, as a graph for Graphviz

    Code says up to which length of words its floats are exact.

    \b
    Examples:
      idinf export majority.json --as numpy -o majority.py && python majority.py 0011 001
      idinf export report.json --record 2 --as latex -o record.tex
      idinf export majority.json --as torch -o majority_net.py --weights majority.safetensors
      idinf export report.json --as dot | dot -Tsvg -o net.svg
    """
    check_stdout()
    check_weights(form, weights)
    check_output(output)
    if weights is not None:
        check_writable(weights)
    net = read_hypothesis(hypothesis, record)
    with blaming(hypothesis):
        text = write_form(net, form)
        if weights is not None:
            from idinf.export.weights import dump_weights

            write_whole(weights, dump_weights(net))
    write_output(output, text)
