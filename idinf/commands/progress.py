"""Progress of a search on stderr, while a terminal looks at it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from idinf.base.quoting import escape_controls
from idinf.commands.terminal import as_it_is
from idinf.inference.outcome import Progress

if TYPE_CHECKING:
    from rich.live import Live

#: Columns of a line of `status` that the sign before it takes, and the last one, where some terminals wrap.
BESIDE = 3

#: Seconds between two lines where none is redrawn.
PERIOD_S = 30.0


def _now_and_then() -> Callable[[str], None]:
    """Give a function that says a line if the last one is half a minute ago."""
    said = time.monotonic()

    def show(line: str) -> None:
        nonlocal said
        if time.monotonic() - said >= PERIOD_S:
            said = time.monotonic()
            click.echo(escape_controls(line), err=True)

    return show


@contextmanager
def status(quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Give a function that shows a line about present work; None if it is to be quiet.

    Where no terminal redraws it, it is said every half minute. A line that is wider than the terminal loses
    its end: redrawn lines must not wrap.
    """
    if quiet or not sys.stderr.isatty():
        yield None if quiet else _now_and_then()
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=as_it_is(sys.stderr))
    with console.status("searching") as shown:

        def show(line: str) -> None:
            text = Text(escape_controls(line))
            text.truncate(max(1, console.width - BESIDE), overflow="ellipsis")
            shown.update(text)

        yield show


@contextmanager
def watching(quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give a function that shows progress, or None where nobody would see it."""
    with status(quiet) as show:
        yield None if show is None else lambda progress: show(str(progress))


class Board:
    """Lines about several runs on stderr: finished lines stay, present ones are redrawn on a terminal."""

    def __init__(self, live: Live | None, quiet: bool) -> None:
        self._live, self._quiet = live, quiet
        self._now_and_then = _now_and_then()

    @property
    def shower(self) -> Callable[[Iterable[str]], None] | None:
        """Function that shows lines; None where nobody is to see them."""
        return None if self._quiet else self.show

    def say(self, line: str) -> None:
        """Write a line that stays."""
        if self._live is not None:
            self._live.console.print(escape_controls(line), markup=False, highlight=False, soft_wrap=True)
        elif not self._quiet:
            click.echo(line, err=True)

    def show(self, lines: Iterable[str]) -> None:
        """Put lines in place of those shown last, or say them every half minute."""
        if self._live is None:
            self._now_and_then("; ".join(lines))
        else:
            from rich.text import Text

            text = Text(escape_controls("\n".join(lines)), no_wrap=True, overflow="ellipsis")
            self._live.update(text, refresh=True)


@contextmanager
def board(quiet: bool) -> Iterator[Board]:
    """Give a board, whose redrawn lines disappear at the end."""
    if quiet or not sys.stderr.isatty():
        yield Board(None, quiet)
        return
    from rich.console import Console
    from rich.live import Live

    # Drawn on demand, without a thread: processes are forked meanwhile.
    with Live(console=Console(file=as_it_is(sys.stderr)), auto_refresh=False, transient=True) as live:
        yield Board(live, quiet)
