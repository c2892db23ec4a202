"""``idinf identify``: run the inference procedure on one target and write what it found."""

from __future__ import annotations

import signal
from contextlib import nullcontext, suppress
from dataclasses import dataclass

import click

from idinf.commands.interrupt import deferred_interrupt
from idinf.commands.numbers import WholeNumber
from idinf.commands.parameters import set_option
from idinf.commands.progress import watching
from idinf.commands.run_dir import open_journal, run_dir_options
from idinf.commands.search_options import limit_options, selection_options, space_options
from idinf.crasp.checker import read_program
from idinf.errors import (
    AlphabetMismatchError,
    BudgetError,
    HypothesisFormatError,
    ProgramError,
    UnsupportedBoundError,
)
from idinf.files import check_writable, write_whole
from idinf.inference.bracket import DEFAULT_EFFORT, UpperBound
from idinf.inference.outcome import Inference
from idinf.inference.procedure import Budget, Procedure
from idinf.reports.baselines import baseline_columns
from idinf.reports.forecast import forecast_text, size_warning
from idinf.reports.json_report import dumps
from idinf.reports.report import report_object
from idinf.reports.text import text_answer
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import load, upper_texts
from idinf.spec.experiment import Kind, Spec
from idinf.spec.parameters import Values
from idinf.targets.build import build_target
from idinf.targets.machine import Target
from idinf.transformers import json_format
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.reading import gated_of
from idinf.transformers.regularizer import Aggregate
from idinf.translation.compiler import cheapest

__all__ = ["LIMIT_REACHED", "SIGNALLED", "bound_by_spec", "ended_by", "identify"]

#: Exit code of a run that a limit ended before its question was settled; 0 covers a finished budget.
LIMIT_REACHED = 4

#: Added to the number of the signal that ended a run, as a shell does: 130 for Ctrl-C, 143 for SIGTERM.
SIGNALLED = 128

#: What `Procedure.run` gives as the reason when the user stopped it.
_INTERRUPTED_REASON = "interrupted"


@click.command(short_help="Run the inference procedure on a target.")
@click.argument("target", metavar="TARGET|SPEC.toml")
@set_option
@click.option(
    "--max-n",
    type=WholeNumber(min=1),
    metavar="N",
    show_default="of the spec",
    help="Largest n examined; fails are exact up to length 2N.",
)
@space_options
@selection_options
@limit_options
@click.option(
    "--effort",
    type=WholeNumber(min=0),
    metavar="STEPS",
    show_default=f"{DEFAULT_EFFORT}; 0 if a bound is given",
    help="Steps of annealing for an upper bound on R*, before the dear part of the search; a few seconds "
    "by default, 0 for none.",
)
@click.option(
    "--upper",
    "given",
    multiple=True,
    metavar="FILE",
    help="A limit-transformer/1 file that may bound R* from above; checked exactly. May be repeated.",
)
@click.option(
    "--prove/--no-prove",
    "proves",
    default=True,
    show_default=True,
    help="Once identified, look for proofs that n0 holds for every n; seconds.",
)
@click.option("--dry-run", is_flag=True, help="Say how large the space is, and stop.")
@run_dir_options
@click.option("--json", "as_json", is_flag=True, help="Write the JSON report to stdout, or to -o FILE alone.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the JSON report to FILE (-: stdout), and the text answer to stdout.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on stderr.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Add the terms of R of the selected hypothesis and, of a regular target, columns about learners of "
    "automata.",
)
@click.pass_context
def identify(
    context: click.Context,
    /,
    target: str,
    values: Values,
    max_n: int | None,
    space: str | None,
    tolerance: float | None,
    aggregate: str,
    time_limit: float | None,
    memory: int,
    jobs: int,
    effort: int | None,
    given: tuple[str, ...],
    proves: bool,
    dry_run: bool,
    run_dir: str | None,
    resume: bool,
    as_json: bool,
    output: str | None,
    quiet: bool,
    verbose: bool,
    **bounds_given: int | float | None,
) -> None:
    """Run the idealized inference procedure on TARGET, exactly, for every n up to N.

    TARGET is a name that `idinf targets` lists; a path, or a name ending in .toml, is a spec file. Options
    override the spec; --set chooses a member of a family. Bounds are upper bounds: --precision 1 searches 0
    and 1 bits. The answer goes to stdout, progress to stderr if that is a terminal.

    \b
    Examples:
      idinf identify majority --max-n 64
      idinf identify parity --max-r 9.5 -v
      idinf identify tomita-7 --space local --layers 2 --max-r 12 --dry-run
      idinf identify dyck-1 --max-n 8 --json -o dyck-1.json
      idinf identify tomita-2 -j 2 --run-dir runs/tomita-2 --resume
      idinf identify ge-k-j --set k=3 --set j=2
    """
    asked = context.with_resource(deferred_interrupt())
    if output == "-":
        as_json, output = True, None
    spec = load(target, values)
    bounds = spec.space.overridden(preset=space, **bounds_given)
    if dry_run:
        click.echo(forecast_text(spec, bounds, Aggregate(aggregate), memory), nl=False)
        return
    machine = build_target(spec)
    if output is not None:
        check_writable(output)
    if not quiet and (warning := size_warning(spec, bounds, Aggregate(aggregate), memory)):
        click.echo(f"Note: {warning}", err=True)
    max_n = spec.max_n if max_n is None else max_n
    journal = open_journal(run_dir, resume, spec, bounds, max_n, Aggregate(aggregate), tolerance)
    with journal or nullcontext(), watching(quiet) as watch:
        procedure = Procedure(
            machine,
            bounds,
            max_n,
            Aggregate(aggregate),
            tolerance,
            Budget(time_limit, memory, enforced=True),
            jobs=jobs,
            watch=watch,
            interrupted=lambda: asked() is not None,
            journal=journal,
            effort=effort,
            proves=proves,
        )
        for path in given:
            _bound_by(procedure, path, json_format.read(path), spec)
        for origin, text in upper_texts(target, spec):
            note = bound_by_spec(procedure, origin, json_format.loads(text, origin), spec)
            if note and not quiet:
                click.echo(f"Note: {note}", err=True)
        compiled = _bound_by_program(procedure, spec)
        inference = procedure.run()
    beside = _Beside(compiled, machine)
    _write(spec, bounds, inference, Aggregate(aggregate), tolerance, as_json, output, verbose, beside)
    if inference.stopped:
        if not quiet:
            click.echo(f"Note: {inference.stop_reason}; the report is partial", err=True)
        context.exit(ended_by(inference, asked()))


def ended_by(inference: Inference, asked: signal.Signals | None) -> int:
    """The exit code of a run; of one that the user stopped it says which signal asked."""
    if not inference.stopped:
        return 0
    if inference.stop_reason == _INTERRUPTED_REASON:
        return SIGNALLED + (asked or signal.SIGINT)
    return LIMIT_REACHED


def bound_by_spec(procedure: Procedure, origin: str, dense: LimitTransformer, spec: Spec) -> str:
    """Bound R* by a file that the spec lists, as far as that is quick; a note where it does not serve."""
    try:
        bound = _bound_by(procedure, origin, dense, spec, thorough=False)
    except (UnsupportedBoundError, BudgetError) as error:
        return str(error)
    if bound.checked < procedure.max_n:
        return f"{origin}: checked up to length {bound.checked}; --upper with that file checks further"
    return ""


def _bound_by(
    procedure: Procedure, path: str, dense: LimitTransformer, spec: Spec, thorough: bool = True
) -> UpperBound:
    """Bound R* from above by a hypothesis of the family, over the alphabet of the target."""
    if dense.alphabet != spec.alphabet:
        raise AlphabetMismatchError(
            f"{path}: alphabet {' '.join(dense.alphabet.symbols)}; expected that of {spec.name}, "
            f"{' '.join(spec.alphabet.symbols)}; give a hypothesis of this target"
        )
    try:
        return procedure.bound_by(gated_of(dense), thorough)
    except (HypothesisFormatError, UnsupportedBoundError, BudgetError) as error:
        raise type(error)(f"{path}: {error}", *error.args[1:]) from error


def _bound_by_program(procedure: Procedure, spec: Spec) -> float | None:
    """Bound R* by the compiled program of a target, as far as that is quick; its R, None if there is none."""
    if spec.kind is not Kind.CRASP or spec.mode != "accept":
        return None
    program = read_program(spec.text, spec.alphabet)
    try:
        hypothesis, r = cheapest(program, spec.alphabet, procedure.bounds.precision, procedure.aggregate)
    except (ProgramError, BudgetError):  # a program with too many residues or cases has no cheap hypothesis
        return None
    with suppress(UnsupportedBoundError, BudgetError):  # it bounds nothing in a space that does not have it
        procedure.bound_by(hypothesis, thorough=False)
    return r


@dataclass(frozen=True, slots=True)
class _Beside:
    """What a text answer compares with: R of the compiled program, or None, and the target."""

    compiled: float | None
    machine: Target


def _write(
    spec: Spec,
    bounds: SpaceBounds,
    inference: Inference,
    aggregate: Aggregate,
    tolerance: float | None,
    as_json: bool,
    output: str | None,
    verbose: bool,
    beside: _Beside,
) -> None:
    """Put the JSON report and the text answer where they were asked for; the file first."""
    report = dumps(report_object(spec, bounds, inference, aggregate, tolerance))
    if output is not None:
        write_whole(output, report)
    if not as_json:
        baselines = baseline_columns(beside.machine) if verbose else None
        text = text_answer(spec, bounds, inference, aggregate, tolerance, verbose, beside.compiled, baselines)
        click.echo(text, nl=False)
    elif output is None:
        click.echo(report, nl=False)
