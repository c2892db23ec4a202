"""Settings that many calls and commands take: which language is meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from idinf.api.sources import Source, TargetLike, read_source
from idinf.base.options import option
from idinf.base.quoting import quote
from idinf.base.words import Symbols, read_alphabet
from idinf.errors import ArgumentError

#: Section of the help.
TARGET = "Target"

#: Longer numbers are beyond every range that a family could have.
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=([0-9]{1,18})")


def read_assignment(text: str) -> tuple[str, int]:
    """Read a parameter of a family with its value.

    >>> read_assignment("k=3")
    ('k', 3)
    """
    if (match := _ASSIGNMENT.fullmatch(text)) is None:
        raise ArgumentError(f"{quote(text)} is not a parameter and its value; expected for example k=3")
    return match[1], int(match[2])


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """Settings of a target beside its name; checked where the target is read.

    >>> NamedTarget(alphabet="01").read("regex:1*").spec.alphabet.symbols
    ('0', '1')
    """

    alphabet: Symbols | None = option(  # noqa: RUF009
        None,
        "The symbols of words, as in abc, or 'left right'.",
        "SYMBOLS",
        object,
        read=read_alphabet,
        shown="those it names",
        section=TARGET,
    )
    values: Mapping[str, int] | None = option(
        None,
        "A parameter of a family and its value.",
        "NAME=VALUE",
        object,
        read=read_assignment,
        gather=dict,
        flag="--set",
        section=TARGET,
    )
    name: str | None = option(None, "What the target is called.", "NAME", object, section=TARGET)

    def __post_init__(self) -> None:
        if self.values is not None and not isinstance(self.values, Mapping):
            raise ArgumentError(
                f'values = {quote(self.values)}; expected numbers by name; give {{"k": 3}}, say'
            )

    def read(self, target: TargetLike, record: int | None = None) -> Source:
        """Read a target; errors as of `idinf.api.sources.read_source`."""
        return read_source(target, alphabet=self.alphabet, values=self.values, name=self.name, record=record)
