"""The words a command is asked about: its arguments, or the lines of stdin; one at a time, or in batches."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import click

from idinf.base.files import MIB
from idinf.base.words import Alphabet, Word
from idinf.errors import AlphabetMismatchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from idinf.crasp.interpreter import WordBatch
    from idinf.targets.supervised import SupervisedTarget

#: Bytes of a line of stdin: words of a million symbols fit, and a device without an end of line is noticed.
MOST_LINE = 4 * MIB

#: Most different pieces that lines about next symbols are made of.
PIECES = 4096

#: Cells of a batch of lines, each padded to the longest.
CELLS = 2**21


def next_text(sets: Iterable[Sequence[str] | None]) -> str:
    """Next symbols after every prefix on one line; ``*`` where any will do, as the target does not judge.

    >>> next_text([None, ("1", "$"), ()])
    '* 1,$ -'
    """
    return " ".join("*" if named is None else ",".join(named) or "-" for named in sets)


def label_texts(target: SupervisedTarget, batch: WordBatch) -> tuple[list[str], list[bool]]:
    """What a target says about words: whether each is accepted, or what may follow every prefix.

    The other list tells which of them are in its domain.
    """
    from idinf.targets.supervised import answer_words, name_next

    if target.everywhere:
        sets, numbers, counted = name_next(target, batch)
        return _join_rows([next_text([named]) for named in sets], numbers), counted
    accepted, counted = answer_words(target, batch)
    return ["accept" if each else "reject" for each in accepted], counted


def _join_rows(texts: Sequence[str], numbers: NDArray[np.int64]) -> list[str]:
    """The texts that each row numbers, joined by blanks; −1 is no text.

    Pieces of several texts are joined once, as many as may differ in some thousand ways.
    """
    import numpy as np

    parts = [*(f" {text}" for text in texts), ""]  # the last one for -1
    size = max(1, int(math.log(PIECES, max(2, len(parts)))))
    padded = np.pad(numbers % len(parts), ((0, 0), (0, -numbers.shape[1] % size)), constant_values=len(texts))
    shape = (len(parts),) * size
    codes = np.ravel_multi_index(tuple(padded[:, place::size] for place in range(size)), shape)
    seen = np.flatnonzero(np.bincount(codes.reshape(-1)))
    pieces = np.empty(len(parts) ** size, dtype=object)
    pieces[seen] = [
        "".join(map(parts.__getitem__, each)) for each in zip(*np.unravel_index(seen, shape), strict=True)
    ]
    return ["".join(row)[1:] for row in pieces[codes].tolist()]


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
    """Whether words are arguments; else they are the lines of stdin."""
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
