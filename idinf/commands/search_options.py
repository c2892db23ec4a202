"""The options that say what is searched, and within which limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from idinf.commands.numbers import RealNumber, WholeNumber
from idinf.experiments.bounds import PRESETS
from idinf.transformers.regularizer import Aggregate

__all__ = ["BOUNDS", "jobs_option", "record_option", "selection_options", "space_options"]

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


def space_options(command: Command) -> Command:
    """Add --space and one option for every bound; the command gets ``space`` and the bounds by name."""
    bounds = [
        click.option(f"--{name.replace('_', '-')}", type=int, metavar=metavar, help=text)
        for name, (metavar, text) in BOUNDS.items()
    ]
    preset = click.option(
        "--space",
        metavar="PRESET",
        show_default="of the spec",
        help=f"Preset of bounds to start from: {', '.join(PRESETS)}.",
    )
    budget = click.option(
        "--max-r",
        type=RealNumber(allow_zero=False),
        metavar="R",
        help="Deterministic budget: nothing above R is searched.",
    )
    return _all([preset, *bounds, budget])(command)


def selection_options(command: Command) -> Command:
    """Add --tolerance and --aggregate."""
    tolerance = click.option(
        "--tolerance",
        type=RealNumber(allow_zero=True),
        metavar="X",
        help="Select within X above R*_n instead of 1/(2n); 0: exact minimizers only.",
    )
    aggregate = click.option(
        "--aggregate",
        type=click.Choice([choice.value for choice in Aggregate]),
        default=Aggregate.MAX.value,
        show_default=True,
        help="How terms of single layers and heads become one number.",
    )
    return _all([tolerance, aggregate])(command)


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
