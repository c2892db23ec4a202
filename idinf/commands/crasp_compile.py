"""``idinf crasp compile`` and ``idinf crasp decompile``: programs to hypotheses, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from idinf.commands.bounded import bounded
from idinf.commands.crasp_program import alphabet_option
from idinf.commands.numbers import WholeNumber
from idinf.commands.search_options import record_option
from idinf.commands.terminal import check_stdout
from idinf.files import check_writable, shown_path, write_whole
from idinf.numbers import r_text
from idinf.words import Alphabet

if TYPE_CHECKING:
    from idinf.transformers.limit_transformer import LimitTransformer


@click.command("compile", short_help="Write a program as a hypothesis, with its R.")
@click.argument("program", metavar="FILE|NAME|FORMULA")
@alphabet_option
@click.option(
    "--precision",
    type=WholeNumber(0, 12),
    metavar="P",
    default=0,
    show_default=True,
    help="Bits of the parameters; more divide values, s and b by 2^P, which can lower R.",
)
@click.option(
    "--direct", is_flag=True, help="One dimension per operation, conditionals by ReLU, outside the family."
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the limit-transformer/1 file (-: stdout, and nothing else)."
)
@bounded
def compile_command(
    program: str, given: Alphabet | None, precision: int, direct: bool, output: str | None
) -> None:
    """Compile a C-RASP program to a Limit Transformer that accepts the same words, of every length.

    Every construct is compiled: comparisons, conditionals, counts of everything and of local predicates,
    periodic predicates; the empty word is judged as `idinf crasp run` judges it. What the last operation
    does not need costs nothing. Without positional relations the result has no φ and no positions. It lies
    in the family that `idinf identify` searches, so its R bounds R* from above; but a program whose
    comparisons split into too many cases (dozens of conditionals), or with moduli of a large common multiple,
    is compiled directly, by ReLU units outside the family, and its R bounds nothing.

    \b
    Examples:
      idinf crasp compile dyck-1
      idinf crasp compile my.crasp --alphabet abc -o my.json
      idinf crasp compile tomita-7-local --precision 1 -o - > tomita-7.json
      idinf crasp compile dyck-1 --direct
    """
    from idinf.compilation.routes import compile_by_any_route
    from idinf.crasp.library import load
    from idinf.transformers import json_format

    check_stdout()
    if output not in (None, "-"):
        check_writable(output)
    loaded = load(program, given)
    alphabet = loaded.alphabet(given)
    with loaded.blamed():
        compiled = compile_by_any_route(loaded.program, alphabet, precision, direct)
    dense = compiled.transformer
    if output == "-":
        if compiled.outside and not direct:
            click.echo(f"Note: compiled directly, outside the searched family: {compiled.outside}", err=True)
        click.echo(json_format.dumps(dense), nl=False)
        return
    if output is not None:
        write_whole(output, json_format.dumps(dense))
    click.echo(_described(loaded.origin, dense, compiled.outside), nl=False)


def _described(origin: str, dense: LimitTransformer, outside: str) -> str:
    """Shape and R, one line each."""
    from idinf.transformers.regularizer import r_terms

    terms = r_terms(dense)
    units = " + ".join(str(len(layer.mlp.b)) for layer in dense.layers)
    rows = [
        ("program", origin),
        ("alphabet", " ".join(dense.alphabet.symbols)),
        ("layers", str(dense.depth)),
        ("heads", f"{dense.num_heads} per layer"),
        ("units", units),
        ("period", f"Δ = {dense.period}"),
        ("reach", f"τ = {dense.reach}"),
        ("precision", f"p = {dense.precision}"),
        (
            "family",
            f"no, this R is no bound of R*; compiled directly: {outside}"
            if outside
            else "yes: R* is at most this R",
        ),
        ("R", r_text(terms.total)),
        *((f"  {name}", r_text(value)) for name, value in terms.as_dict().items()),
    ]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name.ljust(width)}  {value}\n" for name, value in rows)


@click.command("decompile", short_help="Read a hypothesis as a program.")
@click.argument("hypothesis", metavar="HYPOTHESIS.json|REPORT.json")
@record_option
@bounded
def decompile_command(hypothesis: str, record: int | None) -> None:
    """Print a C-RASP program that accepts the same words as a hypothesis, of every length.

    The file is a limit-transformer/1 file of the searched family, as `idinf crasp compile` writes them, or a
    report, whose selected hypothesis is read, or record K. What nothing needs is left out, and coefficients
    have no common divisor. Weights N^φ are read where the answers of units do not depend on N, or, in the
    last layer, where counts express them; a logit matrix where higher weights outrank lower ones. Otherwise
    the command says which unit is none of this (exit code 3).

    \b
    Examples:
      idinf crasp decompile dyck-1.json
      idinf crasp compile dyck-1 -o - > d.json && idinf crasp decompile d.json > d.crasp
    """
    from idinf.errors import IdinfError
    from idinf.library.programs import decompile

    try:
        found = decompile(hypothesis, record=record)
    except IdinfError as error:
        if str(error).startswith(shown_path(hypothesis)):
            raise
        raise type(error)(f"{shown_path(hypothesis)}: {error}", *error.args[1:]) from None
    click.echo(found.text, nl=False)
