"""The options that say what is searched, and within which limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from idinf.commands.numbers import Number, WholeNumber
from idinf.quoting import quoted
from idinf.spec.bounds import PRESETS
from idinf.transformers.regularizer import Aggregate

__all__ = [
    "BOUNDS",
    "MEMORY_OF_ALL",
    "limit_options",
    "limits",
    "selection_options",
    "space_options",
]

Command = TypeVar("Command", bound=Callable[..., Any])

#: Help of --memory where one bound holds for everything that runs.
MEMORY_OF_ALL = "Extra limit: memory of all processes together, such as 4G or 512M."

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

_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class _MemorySize(click.ParamType[int]):
    """A number of bytes such as 4G or 512M, in powers of 1024."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = _SIZE.fullmatch(str(value).strip())
        size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
        if size < 1:
            self.fail(f"{quoted(value)} is not a size above 0; expected for example 4G or 512M", param, ctx)
        return size


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
        type=Number(allow_zero=False),
        metavar="R",
        help="Deterministic budget: nothing above R is searched.",
    )
    return _all([preset, *bounds, budget])(command)


def selection_options(command: Command) -> Command:
    """Add --tolerance and --aggregate."""
    tolerance = click.option(
        "--tolerance",
        type=Number(allow_zero=True),
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


def limits(time: str, memory: str, jobs: str | None = None) -> Callable[[Command], Command]:
    """Make the options --time-limit, --memory and --jobs, with the help of each; without one, no --jobs."""
    time_limit = click.option(
        "--time-limit",
        type=Number(allow_zero=False),
        metavar="SECONDS",
        help=time,
    )
    memory_bound = click.option(
        "--memory",
        type=_MemorySize(),
        metavar="SIZE",
        default="4G",
        show_default=True,
        help=memory,
    )
    processes = click.option(
        "-j",
        "--jobs",
        type=WholeNumber(min=1),
        metavar="K",
        default=1,
        show_default=True,
        envvar="IDINF_JOBS",
        show_envvar=True,
        help=jobs,
    )
    return _all([time_limit, memory_bound] if jobs is None else [time_limit, memory_bound, processes])


def limit_options(command: Command) -> Command:
    """Add --time-limit, --memory and --jobs of a run on one target."""
    return limits(
        "Extra limit: end the search after that many seconds, with exit code 4.",
        MEMORY_OF_ALL,
        "Processes to use; the report does not depend on it.",
    )(command)
