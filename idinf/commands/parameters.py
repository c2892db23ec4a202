"""The option ``--set k=3``, which chooses one member of a family."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from idinf.quoting import quoted

#: Longer numbers are beyond every range that a family could have.
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=([0-9]{1,18})")


class _Assignment(click.ParamType[tuple[str, int]]):
    """A parameter and its value, such as k=3."""

    name = "assignment"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        match = _ASSIGNMENT.fullmatch(str(value))
        if match is None:
            self.fail(
                f"{quoted(value)} is not a parameter and its value; expected for example k=3", param, ctx
            )
        return match[1], int(match[2])


def set_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option to a command, which gets the pairs as ``values``."""
    return click.option(
        "--set",
        "values",
        type=_Assignment(),
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter of a family and its value; once for every parameter.",
    )(command)
