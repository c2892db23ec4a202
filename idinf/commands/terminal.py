"""The standard streams as commands write to them: nothing from an input reaches a terminal as a command.

Every text that goes to stdout or stderr passes `quoting.escape_controls` here. Colours and moves of the
cursor, which idinf itself sends to a terminal, go by `as_it_is`.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from shutil import get_terminal_size
from typing import IO, Any, TextIO

import click

from idinf.base.files import OutputError, check_writable, prepared, write_all, write_whole
from idinf.base.numbers import align
from idinf.base.quoting import escape_controls

#: A blank at which no line is broken: around an operator of a formula, and before a unit.
_WHOLE = re.compile(r"(?<=[-+·*<>=≤≥]) (?! )|(?<! ) (?=[-+·*<>=≤≥]+ |(?:s|MB)\b)")


class _Whole(io.RawIOBase):
    """The bytes of a standard stream: every write is complete, so no caller has to write a rest."""

    name = "output"

    def __init__(self, below: Any) -> None:
        self.below, self.fileno, self.isatty = below, below.fileno, below.isatty  # type: ignore[method-assign]

    def writable(self) -> bool:
        """So a text stream can be over it."""
        return True

    def write(self, data: Any) -> int:
        """Write all bytes; callers handle the BrokenPipeError of a reader that has gone."""
        try:
            write_all(self.below, data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(
                f"output: {error.strerror}; expected room to write; free some, or write elsewhere"
            ) from None
        return len(data)


class _Visible(io.TextIOWrapper):
    """A text stream in which control characters are written as escapes, over the bytes of another one."""

    def __init__(self, below: io.TextIOWrapper) -> None:
        # A locale may lack ε or ≤: such characters are written as escapes. An ASCII one mostly is none
        # at all; click writes UTF-8 there, past any stream that says otherwise.
        encoding = codecs.lookup(below.encoding).name
        encoding = "utf-8" if encoding == "ascii" else encoding
        whole, newline = _Whole(below.buffer), "" if os.linesep == "\n" else None
        flags = below.line_buffering, below.write_through
        super().__init__(whole, encoding, "backslashreplace", newline, *flags)
        #: The same bytes for texts that come from no input.
        self.below = io.TextIOWrapper(whole, below.encoding, "backslashreplace", newline, *flags)

    def write(self, text: str) -> int:
        """Write a text without its control characters."""
        return super().write(escape_controls(text))


class _Closed(io.StringIO):
    """Stand-in for a stdout that is closed: no error until something is written."""

    def write(self, text: str) -> int:
        """Refuse a text."""
        if escape_controls(text):
            check_stdout()
        return 0


def check_stdout() -> None:
    """Refuse a closed stdout, before work whose answer goes there. Raises OutputError."""
    if isinstance(sys.stdout, _Closed):
        raise OutputError("stdout is closed; expected somewhere to write to; leave out '>&-'")


def check_output(output: str | None) -> None:
    """Refuse an ``-o`` that cannot be written, before the work; None and ``-`` are stdout."""
    if output not in (None, "-"):
        check_writable(str(output))


def write_output(output: str | None, content: str | bytes) -> None:
    """Write to the file of ``-o``, or to stdout."""
    if output is None or output == "-":
        click.echo(content, nl=False)
    else:
        write_whole(output, content)


def show_text(text: str) -> None:
    """Write a text for people to stdout; on a terminal lines wider than the window are folded."""
    click.echo(fit_window(text), nl=not text.endswith("\n"))


def fit_window(text: str) -> str:
    """Fold lines wider than the window, if stdout is a terminal; to a pipe the text goes as it is."""
    if not sys.stdout.isatty():
        return text
    width = get_terminal_size().columns
    return "\n".join(piece for line in text.split("\n") for piece in fold_line(line, width))


def fold_line(line: str, width: int) -> list[str]:
    """Break a line at blanks: further lines hang below its last column, or are set in if that is far right.

    A comparison and a number with its unit are broken only where they are wider than the window; a text
    without blanks stays whole.

    >>> print("\\n".join(fold_line("complete up to R = 8.5, the stop bound", 30)))
    complete up to R = 8.5, the
        stop bound
    >>> fold_line("10  8.00  no word is wrong", 20)
    ['10  8.00  no word is', '          wrong']
    """
    if len(line) <= width:
        return [line]
    indent = len(line) - len(line.lstrip())
    column = line.rstrip().rfind("  ") + 2
    hang = column if indent + 2 < column <= width // 2 else indent + 4
    for shown in (_WHOLE.sub("\0", line), line):
        found = textwrap.wrap(
            shown, width, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
        )
        if max(map(len, found), default=0) <= width:
            break
    return [piece.replace("\0", " ") for piece in found]


def show_rows(rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> None:
    """Write rows to stdout: a table that fits the window on a terminal, else TABs, and no header."""
    if sys.stdout.isatty():
        show_text("\n".join(align([header, *rows] if header else rows)))
    else:
        click.echo("".join("\t".join(row) + "\n" for row in rows), nl=False)


def print_beside(text: str, files: Iterable[tuple[str, str | bytes]]) -> None:
    """Write a text to stdout, and files that appear once it is there: none is left where stdout is full."""
    with ExitStack() as waiting:
        for path, content in files:
            waiting.enter_context(prepared(path, content))
        click.echo(text, nl=False)


def print_csv(output: str | None, table: str, text: str, files: Iterable[tuple[str, str | bytes]]) -> None:
    """Write a table to the file that an option names, and a text to stdout; - is the table alone there."""
    own = [] if output is None or output == "-" else [(output, table)]
    print_beside(table if output == "-" else fit_window(text), [*files, *own])


@contextmanager
def visible_streams() -> Iterator[None]:
    """Let everything that is written to stdout and stderr inside of this be visible.

    A stream that is closed stays so for those who look at its number: no file that is opened takes its place.
    """
    _fill_closed_numbers()
    before = sys.stdout, sys.stderr
    sys.stdout = _over(before[0]) or _Closed()
    sys.stderr = _over(before[1]) or io.StringIO()
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, _Visible) and stream not in before:
                _let_go(stream)
        sys.stdout, sys.stderr = before


def as_it_is(stream: TextIO) -> IO[str]:
    """The stream below a visible one, for escape sequences of idinf's own; texts in them must be visible.

    >>> as_it_is(sys.stdout) is sys.stdout
    True
    """
    return stream.below if isinstance(stream, _Visible) else stream


def silence_stdout() -> None:
    """Drop the rest of stdout, also when Python exits: its reader is gone."""
    with suppress(OSError, ValueError):  # a stream of a test has no number
        _silence(sys.stdout)


def _over(stream: TextIO | None) -> TextIO | None:
    """The visible stream over one; one that is no text over bytes is left as it is."""
    if isinstance(stream, _Visible) or not isinstance(stream, io.TextIOWrapper):
        return stream
    with suppress(OSError):  # the next write meets the same error
        stream.reconfigure(errors="backslashreplace")  # which flushes it
    return _Visible(stream)


def _let_go(stream: _Visible) -> None:
    """Give the bytes below back to their stream; bytes that cannot be written any more are dropped."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):
            _silence(stream)
    with suppress(OSError):
        stream.detach()


def _silence(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _fill_closed_numbers() -> None:
    """Open the null device in place of closed ones among stdin, stdout and stderr."""
    number = os.open(os.devnull, os.O_RDWR)
    while number <= 2:
        number = os.dup(number)
    os.close(number)
