"""What the subcommands of ``idinf crasp`` share: the option ``--alphabet``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from idinf.errors import SpecError
from idinf.words import Alphabet


class _Symbols(click.ParamType[Alphabet]):
    """Symbols written together, or separated by blanks, as words over them then are."""

    name = "symbols"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Alphabet:
        if isinstance(value, Alphabet):
            return value
        text = str(value)
        spaced = any(character.isspace() for character in text)
        try:
            return Alphabet(tuple(text.split() if spaced else text), spaced)
        except SpecError as error:
            self.fail(str(error).removeprefix("alphabet: "), param, ctx)


def alphabet_option(
    command: Callable[..., Any], default: str = "the symbols the program names, sorted"
) -> Callable[..., Any]:
    """Add the option to a command, which gets an `Alphabet` or None as ``given``."""
    return click.option(
        "--alphabet",
        "given",
        type=_Symbols(),
        metavar="SYMBOLS",
        show_default=default,
        help="The symbols of words, as in abc; if written with blanks, as in 'left right', words are too.",
    )(command)
