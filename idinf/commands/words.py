"""The words a command is asked about: its arguments, or the lines of stdin; one at a time, or in batches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import click

from idinf.base.files import MIB
from idinf.base.words import Alphabet, Word
from idinf.errors import AlphabetMismatchError

if TYPE_CHECKING:
    from idinf.crasp.interpreter import WordBatch

#: Bytes of a line of stdin: words of a million symbols fit, and a device without an end of line is noticed.
MOST_LINE = 4 * MIB

#: Cells of a batch of lines, each padded to the longest.
CELLS = 2**21


def iter_words(alphabet: Alphabet, words: tuple[str, ...]) -> Iterator[tuple[str, Word]]:
    """Read words as `iter_batches` does, one at a time, each beside its normal spelling.

    >>> list(iter_words(Alphabet(("a", "b")), ("ab", "")))
    [('ab', (0, 1)), ('', ())]
    """
    for texts, batch in iter_batches(alphabet, words):
        for text, codes, length in zip(texts, batch.codes, batch.lengths, strict=True):
            yield text, tuple(codes[:length].tolist())


def iter_batches(alphabet: Alphabet, words: tuple[str, ...]) -> Iterator[tuple[list[str], WordBatch]]:
    """Read the words given on a command line, many at a time, as millions of them may be labelled.

    A single ``"-"`` stands for the lines of stdin (UTF-8); a word that is itself ``-`` is given there. Raises
    click.UsageError if there is no word, ``-`` stands beside other words, or stdin is closed, and
    AlphabetMismatchError if any word has a symbol outside the alphabet, or a line is no text or too long.
    Arguments are all checked before the first is yielded; of stdin the first batches are small, so that the
    first answers come at once.

    >>> [(texts, batch.lengths) for texts, batch in iter_batches(Alphabet(("a", "b")), ("ab", ""))]
    [(['ab', ''], array([2, 0]))]
    """
    from idinf.crasp.interpreter import read_texts

    number, is_given = 1, _are_given(words)
    for group in [list(words)] if is_given else _groups(_stdin_lines()):
        fault = None
        try:
            batch = read_texts(alphabet, group)
        except AlphabetMismatchError as error:  # of the first wrong word
            if is_given:
                raise
            first = next(place for place, text in enumerate(group) if not _is_over(alphabet, text))
            fault = AlphabetMismatchError(f"stdin, line {number + first}: {error}")
            group = group[:first]
            batch = read_texts(alphabet, group)
        yield [" ".join(text.split()) for text in group] if alphabet.spaced else group, batch
        if fault is not None:
            raise fault
        number += len(group)


def _is_over(alphabet: Alphabet, text: str) -> bool:
    return set(text.split() if alphabet.spaced else text) <= set(alphabet.symbols)


def _are_given(words: tuple[str, ...]) -> bool:
    """True if words are arguments; else they are the lines of stdin."""
    if not words:
        raise click.UsageError(
            "no word given; expected WORD... or - to read words from stdin; the empty word is ''"
        )
    if "-" in words and len(words) > 1:
        raise click.UsageError("'-' stands beside other words; expected either WORD... or - alone")
    return words != ("-",)


def _stdin_lines() -> Iterator[str]:
    """Every line of stdin without its end, as it comes; one that is no text, or too long, is refused."""
    expected, error = "one word per line", AlphabetMismatchError
    if sys.stdin is None:
        raise click.UsageError("'-' given but stdin is closed; expected lines on stdin; give WORD... instead")
    lines = iter(partial(_read_line, sys.stdin.buffer), b"")
    for number, line in enumerate(lines, start=1):
        if len(line) > MOST_LINE:
            raise error(f"stdin, line {number}: more than {MOST_LINE} bytes; expected {expected}; break it")
        try:
            # A file of Windows may begin with a byte order mark.
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise error(f"stdin, line {number}: not UTF-8 text; expected {expected}; re-encode it") from None


def _read_line(stdin: BinaryIO) -> bytes:
    try:
        return stdin.readline(MOST_LINE + 1)
    except OSError as error:  # a folder, or a stream that is for writing
        raise click.UsageError(
            f"stdin cannot be read ({error.strerror}); expected lines on stdin; give WORD... instead"
        ) from None


def _groups(lines: Iterator[str]) -> Iterator[list[str]]:
    """Consecutive lines: one, two, four and so on, as long as a batch of them is small enough."""
    group: list[str] = []
    longest, wanted, fault = 0, 1, None
    try:
        for line in lines:
            longest = max(longest, len(line))
            group.append(line)
            if len(group) >= wanted or len(group) * (longest + 1) >= CELLS:
                yield group
                group, longest, wanted = [], 0, 2 * wanted
    except AlphabetMismatchError as error:
        fault = error
    if group:
        yield group
    if fault is not None:
        raise fault
