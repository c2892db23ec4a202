"""``idinf identify``: run the inference procedure on one target and write what it found."""

from __future__ import annotations

import math
import re

import click

from idinf.commands.interrupt import deferred_interrupt
from idinf.commands.output import check_writable, write_atomically
from idinf.commands.progress import watching
from idinf.inference.outcome import Inference
from idinf.inference.procedure import Budget, Procedure
from idinf.reports.json_report import dumps
from idinf.reports.report import report_object
from idinf.reports.text import text_answer
from idinf.spec.bounds import PRESETS, SpaceBounds
from idinf.spec.catalogue import load
from idinf.spec.experiment import Spec
from idinf.targets.build import build_target
from idinf.transformers.regularizer import Aggregate

__all__ = ["identify"]

#: Exit codes of a run that ended before its question was settled; 0 covers a finished budget.
LIMIT_REACHED, INTERRUPTED = 4, 130

#: What `Procedure.run` gives as the reason when the user stopped it.
_INTERRUPTED_REASON = "interrupted"

_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class _MemorySize(click.ParamType[int]):
    """A number of bytes such as 4G or 512M, in powers of 1024."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = _SIZE.fullmatch(str(value).strip())
        size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
        if size < 1:
            self.fail(f"{value!r} is not a size above 0; expected for example 4G or 512M", param, ctx)
        return size


class _Number(click.ParamType[float]):
    """A finite number, above 0 or at least 0."""

    name = "number"

    def __init__(self, allow_zero: bool) -> None:
        self.allow_zero = allow_zero

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (number == 0 and not self.allow_zero):
            wanted = "of at least 0" if self.allow_zero else "above 0"
            self.fail(f"{value!r} is not a number {wanted}; expected for example 0.5", param, ctx)
        return number


@click.command(short_help="Run the inference procedure on a target.")
@click.argument("target", metavar="TARGET|SPEC.toml")
@click.option(
    "--max-n",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="of the spec",
    help="Largest n examined; fails are exact up to length 2N.",
)
@click.option(
    "--space",
    metavar="PRESET",
    show_default="of the spec",
    help=f"Preset of bounds to start from: {', '.join(PRESETS)}.",
)
@click.option("--layers", type=int, metavar="L", help="At most L layers.")
@click.option("--heads", type=int, metavar="H", help="At most H heads per layer; 0: none.")
@click.option("--units", type=int, metavar="M", help="At most M Heaviside units per layer.")
@click.option("--precision", type=int, metavar="P", help="At most P fractional bits.")
@click.option(
    "--max-r",
    type=_Number(allow_zero=False),
    metavar="R",
    help="Deterministic budget: nothing above R is searched.",
)
@click.option(
    "--tolerance",
    type=_Number(allow_zero=True),
    metavar="X",
    help="Select within X above R*_n instead of 1/(2n); 0: exact minimizers only.",
)
@click.option(
    "--aggregate",
    type=click.Choice([choice.value for choice in Aggregate]),
    default=Aggregate.MAX.value,
    show_default=True,
    help="How terms of single layers and heads become one number.",
)
@click.option(
    "--time-limit",
    type=_Number(allow_zero=False),
    metavar="SECONDS",
    help="Extra limit: end the search after that many seconds, with exit code 4.",
)
@click.option(
    "--memory",
    type=_MemorySize(),
    metavar="SIZE",
    default="4G",
    show_default=True,
    help="Extra limit: memory of the exact check, such as 4G or 512M.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="K",
    default=1,
    show_default=True,
    envvar="IDINF_JOBS",
    show_envvar=True,
    help="Processes to use; the report does not depend on it.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the JSON report to stdout, or to -o FILE alone.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the JSON report to FILE (-: stdout), and the text answer to stdout.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on stderr.")
@click.option("-v", "--verbose", is_flag=True, help="Add the terms of R of the selected hypothesis.")
@click.pass_context
def identify(
    context: click.Context,
    target: str,
    max_n: int | None,
    space: str | None,
    layers: int | None,
    heads: int | None,
    units: int | None,
    precision: int | None,
    max_r: float | None,
    tolerance: float | None,
    aggregate: str,
    time_limit: float | None,
    memory: int,
    jobs: int,
    as_json: bool,
    output: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run the idealized inference procedure on TARGET, exactly, for every n up to N.

    TARGET is a name that `idinf targets` lists; a path, or a name ending in .toml, is a spec file. Options
    override the spec. Bounds are upper bounds: --precision 1 searches 0 and 1 bits. The answer goes to
    stdout, progress to stderr if that is a terminal.

    \b
    Examples:
      idinf identify majority --max-n 64
      idinf identify parity --max-r 9.5 -v
      idinf identify dyck-1 --max-n 8 --json -o dyck-1.json
    """
    interrupted = context.with_resource(deferred_interrupt())
    if output == "-":
        as_json, output = True, None
    spec = load(target)
    bounds = spec.space.overridden(
        preset=space, layers=layers, heads=heads, units=units, precision=precision, max_r=max_r
    )
    machine = build_target(spec)
    if output is not None:
        check_writable(output)
    with watching(quiet) as watch:
        inference = Procedure(
            machine,
            bounds,
            spec.max_n if max_n is None else max_n,
            Aggregate(aggregate),
            tolerance,
            Budget(time_limit, memory),
            jobs=jobs,
            watch=watch,
            interrupted=interrupted,
        ).run()
    _write(spec, bounds, inference, Aggregate(aggregate), tolerance, as_json, output, verbose)
    if inference.stopped:
        if not quiet:
            click.echo(f"Note: {inference.stop_reason}; the report is partial", err=True)
        context.exit(INTERRUPTED if inference.stop_reason == _INTERRUPTED_REASON else LIMIT_REACHED)


def _write(
    spec: Spec,
    bounds: SpaceBounds,
    inference: Inference,
    aggregate: Aggregate,
    tolerance: float | None,
    as_json: bool,
    output: str | None,
    verbose: bool,
) -> None:
    """Put the JSON report and the text answer where they were asked for; the file first."""
    report = dumps(report_object(spec, bounds, inference, aggregate, tolerance))
    if output is not None:
        write_atomically(output, report)
    if not as_json:
        click.echo(text_answer(spec, bounds, inference, aggregate, tolerance, verbose), nl=False)
    elif output is None:
        click.echo(report, nl=False)
