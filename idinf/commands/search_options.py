"""The options that say what is asked about a target, the same for every command that runs the procedure."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from idinf.commands.numbers import RealNumber, WholeNumber
from idinf.experiments.bounds import PRESETS
from idinf.inference.procedure import MAX_N
from idinf.inference.run import RunOptions
from idinf.report.value import Regularizer
from idinf.transformers.regularizer import Aggregate
from idinf.upper_bound.bracket import DEFAULT_STEPS

Command = TypeVar("Command", bound=Callable[..., Any])

#: Bounds of the space that have an option, by their names in a spec.
BOUNDS = {
    "layers": ("L", "At most L layers."),
    "heads": ("H", "At most H heads per layer; 0: none."),
    "units": ("M", "At most M Heaviside units per layer."),
    "precision": ("P", "At most P fractional bits."),
    "period": ("D", "Periodic positions: every period up to D; 1: none."),
    "reach": ("T", "Local heads: φ(k) up to distance k = T; needs --logit-max."),
    "logit_max": ("X", "Largest φ(k); 0: every head is uniform."),
    "content_max": ("X", "Largest entry of a logit matrix M, at most --logit-max; 0: none."),
}


def _all(options: list[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Apply options so that the help lists them in their order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def run_options(command: Command) -> Callable[..., Any]:
    """Add the options that say what is asked; the command gets one value ``question`` for all of them."""

    @functools.wraps(command)
    def asking(
        *arguments: Any,
        max_n: int | None,
        space: str | None,
        tolerance: float | None,
        aggregate: str,
        anneal_steps: int | None,
        proves: bool,
        **options: Any,
    ) -> Any:
        """The command with what was chosen in one value."""
        bounds = {name: options.pop(name) for name in (*BOUNDS, "max_r")}
        regularizer = Regularizer(Aggregate(aggregate), tolerance)
        chosen = RunOptions(max_n, space, bounds, regularizer, anneal_steps, proves)
        return command(*arguments, question=chosen, **options)

    bounds = [
        click.option(f"--{name.replace('_', '-')}", type=int, metavar=metavar, help=text)
        for name, (metavar, text) in BOUNDS.items()
    ]
    return _all([_MAX_N, _PRESET, *bounds, _MAX_R, _TOLERANCE, _AGGREGATE, _ANNEAL_STEPS, _PROVE])(asking)


_MAX_N = click.option(
    "--max-n",
    type=WholeNumber(min=1, max=MAX_N),
    metavar="N",
    show_default="of the spec",
    help="Largest n examined; fails are exact up to length 2N. Unless it is given, that of a member of a "
    "family is doubled until n0 <= N/2.",
)
_PRESET = click.option(
    "--space",
    metavar="PRESET",
    show_default="of the spec",
    help=f"Preset of bounds to start from: {', '.join(PRESETS)}.",
)
_MAX_R = click.option(
    "--max-r",
    type=RealNumber(allow_zero=False),
    metavar="R",
    help="Deterministic budget: nothing above R is searched.",
)
_TOLERANCE = click.option(
    "--tolerance",
    type=RealNumber(allow_zero=True),
    metavar="X",
    help="Select within X above R*_n instead of 1/(2n); 0: exact minimizers only.",
)
_AGGREGATE = click.option(
    "--aggregate",
    type=click.Choice([choice.value for choice in Aggregate]),
    default=Aggregate.MAX.value,
    show_default=True,
    help="How terms of single layers and heads become one number.",
)
_ANNEAL_STEPS = click.option(
    "--anneal-steps",
    type=WholeNumber(min=0),
    metavar="STEPS",
    show_default=f"{DEFAULT_STEPS}; 0 if a bound is given",
    help="Steps of annealing for an upper bound on R*, before the longest part of the search; a few seconds "
    "by default, 0 for none.",
)
_PROVE = click.option(
    "--prove/--no-prove",
    "proves",
    default=True,
    show_default=True,
    help="Once identified, look for proofs that n0 holds for every n; seconds.",
)


def jobs_option(text: str) -> Callable[[Command], Command]:
    """Make the option --jobs, with its help."""
    return click.option(
        "-j",
        "--jobs",
        type=WholeNumber(min=1),
        metavar="K",
        default=1,
        show_default=True,
        envvar="IDINF_JOBS",
        show_envvar=True,
        help=text,
    )


def record_option(command: Command) -> Command:
    """Add --record: which hypothesis of a report is meant."""
    return click.option(
        "--record",
        type=WholeNumber(min=1),
        metavar="K",
        show_default="the selected one",
        help="Of a report: its record number K.",
    )(command)
