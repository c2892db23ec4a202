"""What a shell proposes for arguments and options: names of targets, families and programs, and files.

The metavar of a parameter, which help shows, says what it takes: ``TARGET|SPEC.toml|DIR...`` is the name of a
target or a path. So every command completes by what it documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

#: Words of a metavar that stand for names, and those that stand for paths.
_TARGETS, _FAMILIES, _PROGRAMS = {"TARGET", "A", "B"}, {"FAMILY", "TARGET"}, {"FILE|NAME|FORMULA", "A", "B"}
_PATH = re.compile(r"FILE|DIR|FOLDER|\.[a-z]")


class CompletedText(StringParamType):
    """A text as click takes it, with completion by the metavar of its parameter."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Propose names that begin so; files where none does, or what is typed is a path."""
        metavar = (param.metavar or param.name or "").removesuffix("...").strip("[]")
        if isinstance(param, click.Argument) and metavar == "target":
            metavar = "TARGET"
        names = () if "/" in incomplete else sorted(set(_names(metavar)))
        found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        takes_path = _PATH.search(metavar) is not None or bool(names) or metavar in ("A", "B", "TARGET")
        return found or [CompletionItem(incomplete, type="file")] * takes_path


def complete(command: click.Command) -> None:
    """Let all parameters of a command that are plain texts be completed."""
    for param in command.params:
        if param.type is click.STRING:
            param.type = CompletedText()


def _names(metavar: str) -> Iterator[str]:
    words = {metavar, *metavar.split("|")}
    if words & (_TARGETS | _FAMILIES):
        from idinf.experiments.catalogue import list_family_names, list_names

        yield from list_names() if words & _TARGETS else ()
        yield from list_family_names()
    if words & _PROGRAMS:
        from idinf.crasp.library import list_names as list_programs

        yield from list_programs()
