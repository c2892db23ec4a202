"""The words a command is asked about: its arguments, or the lines of stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import BinaryIO

import click

from idinf.errors import AlphabetMismatchError
from idinf.files import MIB
from idinf.words import Alphabet, Word

#: Bytes of a line of stdin: words of a million symbols fit, and a device without an end of line is noticed.
MOST_LINE = 4 * MIB


def next_text(sets: Iterable[Sequence[str] | None]) -> str:
    """Next symbols after every prefix on one line; ``*`` where any will do, as the target does not judge.

    Examples
    --------
    >>> next_text([None, ("1", "$"), ()])
    '* 1,$ -'
    """
    return " ".join("*" if named is None else ",".join(named) or "-" for named in sets)


def iter_words(alphabet: Alphabet, words: tuple[str, ...]) -> Iterator[tuple[str, Word]]:
    """Read the words given on a command line, each beside its normal spelling.

    Parameters
    ----------
    alphabet : Alphabet
        The alphabet the words are over.
    words : tuple of str
        The arguments ``WORD...``; ``""`` is ε. A single ``"-"`` stands for the lines of stdin (UTF-8),
        where an empty line is ε; a word that is itself ``-`` is given there.

    Yields
    ------
    (str, Word)
        The word as ``alphabet`` writes it, and its codes, in the order given.

    Raises
    ------
    click.UsageError
        If there is no word, or ``-`` stands beside other words.
    AlphabetMismatchError
        If any word has a symbol outside the alphabet. Arguments are all checked before the first is
        yielded; lines of stdin are yielded as they come, so a long list is answered while it is read.

    Examples
    --------
    >>> list(iter_words(Alphabet(("a", "b")), ("ab", "")))
    [('ab', (0, 1)), ('', ())]
    """
    check_given(words)
    codes = _iter_stdin(alphabet) if words == ("-",) else iter([alphabet.encode(text) for text in words])
    for word in codes:
        yield alphabet.decode(word), word


def check_given(words: tuple[str, ...]) -> None:
    """Refuse a command line without words, or with ``-`` beside words.

    Raises
    ------
    click.UsageError

    Examples
    --------
    >>> check_given(("-",))
    """
    if not words:
        raise click.UsageError(
            "no word given; expected WORD... or - to read words from stdin; the empty word is ''"
        )
    if "-" in words and len(words) > 1:
        raise click.UsageError("'-' stands beside other words; expected either WORD... or - alone")


def stdin_lines() -> Iterator[str]:
    """Every line of stdin without its end, as it comes.

    Raises
    ------
    click.UsageError
        If stdin is closed.
    AlphabetMismatchError
        If a line is not UTF-8 text, or longer than any word.
    """
    if sys.stdin is None:
        raise click.UsageError("'-' given but stdin is closed; expected lines on stdin; give WORD... instead")
    lines = iter(partial(_read_line, sys.stdin.buffer), b"")
    for number, line in enumerate(lines, start=1):
        if len(line) > MOST_LINE:
            raise AlphabetMismatchError(
                f"stdin, line {number}: more than {MOST_LINE} bytes; expected one word per line; break it"
            )
        try:
            # A file of Windows may begin with a byte order mark.
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise AlphabetMismatchError(
                f"stdin, line {number}: not UTF-8 text; expected one word per line; re-encode it"
            ) from None


def _read_line(stdin: BinaryIO) -> bytes:
    try:
        return stdin.readline(MOST_LINE + 1)
    except OSError as error:  # a folder, or a stream that is for writing
        raise click.UsageError(
            f"stdin cannot be read ({error.strerror}); expected lines on stdin; give WORD... instead"
        ) from None


def _iter_stdin(alphabet: Alphabet) -> Iterator[Word]:
    """Encode every line of stdin, naming the line that is no word."""
    for number, line in enumerate(stdin_lines(), start=1):
        try:
            yield alphabet.encode(line)
        except AlphabetMismatchError as error:
            raise AlphabetMismatchError(f"stdin, line {number}: {error}") from None
