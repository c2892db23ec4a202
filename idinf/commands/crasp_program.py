"""What the subcommands of ``idinf crasp`` share: the option ``--alphabet``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["alphabet_option"]


class _Symbols(click.ParamType[tuple[str, ...]]):
    """Symbols written together, or separated by blanks."""

    name = "symbols"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        text = str(value)
        return tuple(text.split() if any(c.isspace() for c in text) else text)


def alphabet_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option to a command, which gets a tuple of symbols, or None, as ``symbols``."""
    return click.option(
        "--alphabet",
        "symbols",
        type=_Symbols(),
        metavar="SYMBOLS",
        show_default="the symbols the program names, sorted",
        help="Symbols of the words, as in abc, or 'left right'; words are then written with blanks.",
    )(command)
