"""What a shell proposes for arguments and options: names, words that an option knows, and files.

The metavar of a parameter, which help shows, says what it takes: ``TARGET|SPEC.toml|DIR...`` is the name of a
target or a path, and ``PRESET`` is one of the presets. So every command completes by what it documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from idinf.errors import IdinfError

#: Where a metavar stands for a path.
_PATH = re.compile(r"FILE|DIR|FOLDER|TARGET|\.[a-z]")

#: Most values of a parameter of a family that are proposed beside the least one.
SHOWN = 99

#: Metavars of parameters of families; the latter takes several values.
_ASSIGNMENTS = ("NAME=VALUE", "NAME=VALUES")

#: Metavars of what is read into something else than a text; values of the last two stand between commas.
_COMPLETED = (*_ASSIGNMENTS, "PRESETS", "READINGS")


class CompletedText(StringParamType):
    """A text, read as before, with completion by the metavar of its parameter."""

    def __init__(self, read: click.ParamType[Any] = click.STRING) -> None:
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read what was typed."""
        return self.read.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Propose names that begin so; files where none does, or what is typed is a path."""
        metavar = (param.metavar or param.name or "").removesuffix("...").strip("[]")
        if isinstance(param, click.Argument) and metavar in ("A", "B", "target"):
            metavar = "TARGET" if metavar == "target" else "TARGET|FORMULA"
        if metavar in _ASSIGNMENTS:
            names: Iterable[str] = _assignments(ctx)
        else:
            words = () if "/" in incomplete else metavar.split("|")
            names = sorted({name for word in words for name in _names(word)})
        found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")] * (_PATH.search(metavar) is not None)


def complete(command: click.Command) -> None:
    """Let all parameters of a command that are plain texts, or parameters of families, be completed."""
    for param in command.params:
        if param.type is click.STRING or param.metavar in _COMPLETED:
            param.type = CompletedText(param.type)


def _names(word: str) -> Iterable[str]:
    """What a word of a metavar stands for, as far as that is known."""
    match word:
        case "TARGET" | "FAMILY":
            from idinf.experiments.catalogue import list_family_names, list_names

            return (*(list_names() if word == "TARGET" else ()), *list_family_names())
        case "SEQ":
            from idinf.continuity.sequences import NAMES as SEQUENCES

            return SEQUENCES
        case "PREDICTOR":
            from idinf.continuity.predictors import SHIPPED

            return tuple(SHIPPED)
        case "FORMULA" | "PROGRAM":
            from idinf.crasp.library import list_names as list_programs

            return list_programs()
        case "TASK":
            from idinf.targets.tasks import TASKS

            return tuple(TASKS)
        case "PROGRAM.crasp":
            from idinf.targets.tasks import PROGRAM_TASKS

            return tuple(PROGRAM_TASKS)
        case "PRESET" | "PRESETS":
            from idinf.experiments.bounds import OF_SPEC, PRESETS

            return *PRESETS, OF_SPEC
        case "RULE":
            from idinf.experiments.bounds import TRAINING_RULES

            return TRAINING_RULES
        case "READING" | "READINGS":
            from idinf.sweeps.readings import READINGS

            return [reading.name for reading in READINGS]
        case "SEQUENCE":
            from idinf.ordinary.distances import NAMES

            return NAMES
    return ()


def _assignments(ctx: click.Context) -> Iterator[str]:
    """The parameters of the families that are given before, with the values they may have."""
    from idinf.experiments.catalogue import is_family, load_family

    # Where a line ends with an option, what stands before it has no name yet.
    for given in (*ctx.params.values(), *ctx.args):
        for name in given if isinstance(given, tuple) else (given,):
            with suppress(IdinfError):
                if isinstance(name, str) and is_family(name):
                    for key, low, high in load_family(name).parameters.ranges:
                        yield from (f"{key}={value}" for value in range(low, min(high, low + SHOWN) + 1))
