"""Progress of a search on stderr, while a terminal looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from idinf.commands.terminal import as_it_is
from idinf.inference.outcome import Progress
from idinf.quoting import escape_controls

if TYPE_CHECKING:
    from rich.live import Live

#: Columns of a line of `status` that the sign before it takes, and the last one, where some terminals wrap.
BESIDE = 3


@contextmanager
def status(quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Give a function that shows a line about what is going on, or None where nobody would see it.

    A line that is wider than the terminal loses its end: what is redrawn must not wrap.
    """
    if quiet or not sys.stderr.isatty():
        yield None
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
    """Lines about several runs on stderr: what is finished stays, what runs is redrawn on a terminal."""

    def __init__(self, live: Live | None, quiet: bool) -> None:
        self._live, self._quiet = live, quiet

    @property
    def is_live(self) -> bool:
        """Whether somebody sees the lines that are redrawn."""
        return self._live is not None

    @property
    def shower(self) -> Callable[[Iterable[str]], None] | None:
        """What redraws lines; None where nobody sees them."""
        return self.show if self.is_live else None

    def say(self, line: str) -> None:
        """Write a line that stays."""
        if self._live is not None:
            self._live.console.print(escape_controls(line), markup=False, highlight=False, soft_wrap=True)
        elif not self._quiet:
            click.echo(line, err=True)

    def show(self, lines: Iterable[str]) -> None:
        """Put lines in place of those shown last."""
        if self._live is not None:
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

    # Drawn when it is told to, without a thread: processes are forked meanwhile.
    with Live(console=Console(file=as_it_is(sys.stderr)), auto_refresh=False, transient=True) as live:
        yield Board(live, quiet)
