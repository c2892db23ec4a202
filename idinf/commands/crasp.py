"""``idinf crasp``: the toolchain of C-RASP programs, and facts about them."""

from __future__ import annotations

import json
from typing import Any

import click

from idinf.api.languages import read_target
from idinf.api.programs import compile_source, write_shortest
from idinf.api.programs import decompile as decompile_hypothesis
from idinf.api.programs import program as take_program
from idinf.api.settings import NamedTarget
from idinf.base.files import blaming, show_path
from idinf.base.numbers import align, format_r
from idinf.commands.bounded import DEFAULT_S, bounded, held, limit_options
from idinf.commands.group import LazyGroup
from idinf.commands.options import (
    asks,
    hypothesis_argument,
    json_option,
    number_option,
    program_argument,
    record_option,
    words_argument,
)
from idinf.commands.terminal import check_output, check_stdout, show_text, write_output
from idinf.commands.words import iter_words
from idinf.crasp.programs import LoadedProgram
from idinf.nets import json_format
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import compute_r_terms
from idinf.work.limits import Limits


@click.group(
    cls=LazyGroup,
    commands_table={
        "check": ("crasp:check", "Say what a program is: sorts, depth, class."),
        "trace": ("crasp:trace", "Show every operation at every position."),
        "compile": ("crasp:compile_program", "Write a program as a hypothesis, with its R."),
        "decompile": ("crasp:decompile", "Read a hypothesis as a program."),
        "synthesize": ("crasp:synthesize", "Write a program of a regular language, proved."),
        "formula": ("crasp:formula", "Write a program as a formula of majority logic."),
    },
)
def crasp() -> None:
    """Check, trace and compile C-RASP programs, and read hypotheses and regular languages as programs.

    A program is a file of operations NAME = EXPRESSION (.crasp, or .cr as the public interpreter writes
    them), the name of a shipped one or of a target that has one, a formula as hypotheses are printed, or a
    text. `idinf run` and `idinf compare` take programs, too.

    \b
    Examples:
      idinf crasp check dyck-1
      idinf crasp trace my.crasp abba
      idinf crasp COMMAND --help
    """


@click.command("check")
@program_argument
@asks(NamedTarget)
@json_option("idinf-crasp/1")
@bounded
def check(program: str, asked: dict[str, Any], as_json: bool) -> None:
    """Check a C-RASP program, and say what it is.

    Names, sorts, predicates and numbers are checked; the first fault ends the command with exit code 3 and
    one line that names file, line and column. Then come the class the program is written in, C-RASP[] with
    periodic and local where it uses such predicates, the symbols it names, the depth of its counts, their
    number, the reach of local predicates, the period, and every operation with its sort and depth.

    \b
    Examples:
      idinf crasp check dyck-1
      idinf crasp check --json my.crasp
    """
    loaded = take_program(program, **asked).loaded
    if as_json:
        click.echo(json.dumps(_object(loaded), indent=2))
    else:
        show_text(_text(loaded))


def _text(loaded: LoadedProgram) -> str:
    facts = loaded.facts
    local = f", {facts.local_counts} local with reach {facts.reach}" if facts.local_counts else ""
    rows = [("operation", "sort", "depth", "line", "")] + [
        (row.name, str(row.sort), str(row.depth), str(row.place.line), "" if row.used else "unused")
        for row in facts.operations
    ]
    lines = [
        f"class    {facts.class_name}",
        f"symbols  {' '.join(facts.symbols) or 'none named'}",
        f"depth    {facts.depth}",
        f"counts   {facts.counts}{local}",
        f"period   {facts.period if facts.period > 1 else 'none'}",
        "",
        *align(rows),
    ]
    return "\n".join(lines)


def _object(loaded: LoadedProgram) -> dict[str, object]:
    facts = loaded.facts
    return {
        "format": "idinf-crasp/1",
        "program": loaded.origin,
        "class": facts.class_name,
        "symbols": list(facts.symbols),
        **{key: getattr(facts, key) for key in ("depth", "counts", "local_counts", "reach", "period")},
        "operations": [
            {
                "name": row.name,
                "sort": row.sort.value.lower(),
                "depth": row.depth,
                "used": row.used,
                "line": row.place.line,
                "column": row.place.column,
            }
            for row in facts.operations
        ],
    }


@click.command("trace")
@program_argument
@click.argument("word", metavar="WORD")
@asks(NamedTarget)
@click.option("--parts", is_flag=True, help="A row for every part of an operation, too.")
@click.option("--html", "as_html", is_flag=True, help="Write one self-contained HTML page instead of text.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE (-: stdout, the default).")
@bounded
def trace(
    program: str,
    word: str,
    asked: dict[str, Any],
    parts: bool,
    as_html: bool,
    output: str | None,
) -> None:
    """Show the value of every operation of a C-RASP program at every position of WORD.

    One row per operation, one column per position; position 0 is SOS, $, where the empty word is judged:
    there # counts nothing, and a periodic predicate sees i = 0. T and F are truth values. The last row at
    the last position decides.

    \b
    Examples:
      idinf crasp trace dyck-1 abba
      idinf crasp trace --html -o trace.html dyck-1 aabb
    """
    from idinf.show.html.page import trace_page

    check_output(output)
    taken = take_program(program, **asked)
    found = taken.trace(word, parts)
    if as_html or output not in (None, "-"):
        write_output(output, trace_page(taken.loaded, found) if as_html else f"{found}\n")
    else:
        show_text(str(found))


@click.command("compile")
@program_argument
@asks(NamedTarget)
@number_option(
    "--precision",
    "P",
    "Bits of the parameters; more divide values, s and b by 2^P, which can lower R.",
    least=0,
    most=12,
    show_default="what gives the least R; 0 with --direct",
)
@click.option(
    "--direct", is_flag=True, help="One dimension per operation, conditionals by ReLU, outside the family."
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the limit-transformer/1 file (-: stdout, and nothing else)."
)
@bounded
def compile_program(
    program: str,
    asked: dict[str, Any],
    precision: int | None,
    direct: bool,
    output: str | None,
) -> None:
    """Compile a C-RASP program to a Limit Transformer that accepts the same words, of every length.

    Every construct is compiled: comparisons, conditionals, counts of everything and of local predicates,
    periodic predicates; the empty word is judged as `idinf run` judges it. What the last operation
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
    check_stdout()
    check_output(output)
    taken = take_program(program, **asked)
    compiled = compile_source(taken, precision=precision, direct=direct)
    if output is not None:
        write_output(output, json_format.dumps(compiled.transformer))
    if output != "-":
        show_text(_described(compiled.name, compiled.transformer, compiled.outside))
    elif compiled.outside and not direct:
        click.echo(f"Note: compiled directly, outside the searched family: {compiled.outside}", err=True)


def _described(origin: str, dense: LimitTransformer, outside: str) -> str:
    """Shape and R, one line each."""
    terms = compute_r_terms(dense)
    family = "yes: R* is at most this R"
    if outside:
        family = f"no, this R is no bound of R*; compiled directly: {outside}"
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
        ("family", family),
        ("R", format_r(terms.total)),
        *((f"  {name}", format_r(value)) for name, value in terms.as_dict().items()),
    ]
    return "\n".join(align(rows))


@click.command("decompile")
@hypothesis_argument
@record_option
@bounded
def decompile(hypothesis: str, record: int | None) -> None:
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
    with blaming(hypothesis):
        click.echo(decompile_hypothesis(hypothesis, record=record).text, nl=False)


@click.command("synthesize")
@click.argument("target")
@asks(NamedTarget)
@click.option("--as-constructed", is_flag=True, help="Do not make the program shorter.")
@click.option("-o", "--output", metavar="FILE", help="Write the program into a file (-: stdout).")
@limit_options("Print the shortest program so far after so many seconds.", DEFAULT_S)
def synthesize(
    target: str,
    asked: dict[str, Any],
    as_constructed: bool,
    output: str | None,
    limits: Limits,
) -> None:
    """Write a C-RASP program of TARGET, a regular language, and prove that it is one.

    TARGET is as for `idinf identify`: a regular language, or a program whose states are few. The program
    accepts exactly the words of the language, of every length. It is constructed from the minimal automaton:
    a component is entered once, and counts since then tell its states apart; where they do not, the last
    symbols and the position modulo a number help. Then parts are left out while the rest is proved right.
    Of the words outside so is a program, whose negation may be shorter. Letters that the automaton does not
    tell apart are written as one set.

    The comment above the program says what it reads and, where it lies in the family that `idinf identify`
    searches, the R of the compiled program, which bounds R* from above. A language outside C-RASP[periodic,
    local] has no program, and for a large automaton none may be proved (exit code 3, with the reason).

    \b
    Examples:
      idinf crasp synthesize d-2
      idinf crasp synthesize 'regex:.*ab.*' --alphabet abc
      idinf crasp synthesize tomita-7 -o t7.crasp && idinf run t7.crasp 0101
    """
    check_output(output)
    with held(limits):
        found, is_cut = write_shortest(read_target(target, **asked), not as_constructed, limits)
        compiled = compile_source(found)
    if is_cut:
        click.echo(
            "Note: a limit ended the search for a shorter program; raise --time-limit or --memory", err=True
        )
    bound = "outside the searched family" if compiled.outside else f"compiled, R = {format_r(compiled.r)}"
    about = f"// {show_path(found.name)}: {found.facts.class_name}, proved equal on all words; {bound}\n"
    write_output(output, about + found.text)


@click.command("formula")
@program_argument
@words_argument
@asks(NamedTarget)
@bounded
def formula(program: str, words: tuple[str, ...], asked: dict[str, Any]) -> None:
    """Write a C-RASP program as a formula of majority logic, MAJ2[<, +1, mod], or ask it about words.

    Without words it prints the class of the formula, its abbreviations, and the sentence that accepts the
    same words as the program, ε included (Definition 30 and Proposition 31). Maj y ⟨P, 2 × Q⟩ says that P, Q
    and Q together hold at more than half of all positions y. P(y) is P(x) with x and y exchanged. A program
    without positional relations needs neither +1 nor mod.

    With words it prints WORD<TAB>accept or WORD<TAB>reject, as `idinf run` does, but evaluates the
    formula.

    \b
    Examples:
      idinf crasp formula majority
      idinf crasp formula dyck-1 abba ''
    """
    taken = take_program(program, **asked)
    found = taken.majority_formula()
    if not words:
        click.echo(f"{found.class_name}\n\n{found}")
        return
    for text, word in iter_words(taken.alphabet, words):
        click.echo(f"{text}\t{'accept' if found.accepts(word) else 'reject'}")
