"""``--time-limit`` and ``--memory``: the bounds that every command keeps."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from idinf.api.limits import telling as tell_limits
from idinf.base.quoting import quote
from idinf.commands.options import SectionOption, positive
from idinf.errors import LimitReached
from idinf.spec.catalogue import is_spec
from idinf.work.executors import can_fork
from idinf.work.limits import DEFAULT_MEMORY, Limits
from idinf.work.memory import LEAST_BYTES, can_bound

#: Added to the number of the signal that ended a run, as a shell does: 130 for Ctrl-C, 143 for SIGTERM.
SIGNALLED = 128

#: Seconds that a command may take by default: feasible work takes a few of them.
DEFAULT_S = 120.0

#: Options that name a file to write.
_OUTPUTS = {"--output", "--csv", "--plot", "--caption", "--weights", "--table"}

#: The files of a trained model, in one folder.
_MODEL = {"config.json", "model.safetensors"}

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def _memory_size(value: str) -> int:
    """A number of bytes such as 4G or 512M, in powers of 1024."""
    match = _SIZE.fullmatch(value.strip())
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if size < 1:
        raise click.BadParameter(f"{quote(value)} is not a size above 0; expected for example 4G or 512M")
    if size < LEAST_BYTES:
        expected = f"expected at least {LEAST_BYTES // 2**20}M"
        raise click.BadParameter(f"{quote(value)} is less than Python and its libraries take; {expected}")
    return size


def limit_options(
    time: str, default_s: float | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make the two options, with the help of the first; the command gets `Limits` as ``limits``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def limited(*arguments: Any, time_limit: float | None, memory: int, **options: Any) -> Any:
            """The command with its limits, whose clock starts here."""
            refuse_shared_files(click.get_current_context())
            say_what_is_missing()
            return command(*arguments, limits=Limits(time_limit, memory, enforced=True), **options)

        memory = "Extra limit: memory of all processes together, such as 4G or 512M."
        place: Any = {"cls": SectionOption, "section": "Budget"}
        limited = click.option(
            "--memory",
            **place,
            rare=True,
            type=_memory_size,
            metavar="SIZE",
            default=f"{DEFAULT_MEMORY >> 30}G",
            show_default=True,
            help=memory,
        )(limited)
        return click.option(
            "--time-limit",
            **place,
            type=positive,
            metavar="SECONDS",
            default=default_s,
            show_default=default_s is not None,
            help=time,
        )(limited)

    return decorate


def refuse_shared_files(context: click.Context) -> None:
    """Refuse an output that is an input, too, or the file of another output: one would be overwritten."""
    taken: dict[str, str] = {}
    values = [(each, context.params.get(each.name or "")) for each in context.command.params]
    for parameter, value in sorted(values, key=lambda pair: _OUTPUTS.isdisjoint(pair[0].opts), reverse=True):
        is_output = not _OUTPUTS.isdisjoint(parameter.opts)
        for path in value if isinstance(value, tuple) else (value,):
            if not isinstance(path, str) or path == "-":
                continue
            name = max(parameter.opts, key=len)
            for real in map(os.path.realpath, [path] if is_output else _list_read(path)):
                if is_output and real in taken:
                    raise click.UsageError(
                        f"{name} {quote(path)} is the file of {taken[real]}, too; expected another one; "
                        "rename it"
                    )
                taken[real] = name if is_output or isinstance(parameter, click.Option) else "an input"


def _list_read(path: str) -> list[str]:
    """The files that are read where an input is named: of a folder its specs, or both files of a model."""
    folder, name = os.path.split(path)
    if name in _MODEL or os.path.isdir(path):
        folder = path if os.path.isdir(path) else folder or "."
        with suppress(OSError):  # the command reports the error of it
            return [each.path for each in os.scandir(folder) if each.name in _MODEL or is_spec(each.name)]
    return [path] if "." in path and os.path.isfile(path) else []


@functools.cache
def say_what_is_missing() -> None:
    """Say once that this system bounds no memory and forks no process, as Windows and browsers."""
    missing = [
        *(() if can_bound() else ("memory is not bounded",)),
        *(() if can_fork() else ("one process does all",)),
    ]
    if missing:
        click.echo(f"Note: on this system {' and '.join(missing)}", err=True)


#: The two options of a command that a limit ends without an answer.
end_options = limit_options("End after that many seconds, with exit code 4.", DEFAULT_S)


def bounded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the two options, and hold it to them."""

    @functools.wraps(command)
    def within(*arguments: Any, limits: Limits, **options: Any) -> Any:
        with held(limits):
            return command(*arguments, **options)

    return end_options(within)


@contextmanager
def held(limits: Limits) -> Iterator[None]:
    """Hold a block to its limits; an end by them is reported as by `telling`."""
    with telling(limits), limits.held():
        yield


@contextmanager
def telling(limits: Limits) -> Iterator[None]:
    """Raise LimitReached if limits end a block, or leave with the code of a signal."""
    try:
        with tell_limits(limits, "--time-limit", "--memory"):
            yield
    except KeyboardInterrupt:
        if limits.requests.signal is None:
            raise
        raise click.exceptions.Exit(limit_code(limits.requests.signal)) from None


def limit_code(signal: int | None) -> int:
    """The exit code of a command that a limit ended before its question was settled, or such a signal."""
    return LimitReached.exit_code if signal is None else SIGNALLED + signal
