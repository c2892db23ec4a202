"""Words of a command line or of stdin in batches, for commands that label millions of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from idinf.commands.words import check_given, stdin_lines
from idinf.errors import AlphabetMismatchError
from idinf.words import Alphabet

if TYPE_CHECKING:
    from idinf.crasp.batch import WordBatch

#: Cells of a batch of lines, each padded to the longest.
CELLS = 2**21


def iter_batches(alphabet: Alphabet, words: tuple[str, ...]) -> Iterator[tuple[list[str], WordBatch]]:
    """Read the words given on a command line, as `iter_words` does, many at a time.

    Parameters
    ----------
    alphabet : Alphabet
    words : tuple of str
        The arguments ``WORD...``, or ``"-"`` alone for the lines of stdin.

    Yields
    ------
    (list of str, WordBatch)
        The words as ``alphabet`` writes them, and their codes. Of stdin the first batches are small, so
        that the first answers come at once.

    Raises
    ------
    click.UsageError
        If there is no word, or ``-`` stands beside other words.
    AlphabetMismatchError
        If a word has a symbol outside the alphabet; the words of stdin before it are yielded first.

    Examples
    --------
    >>> [(texts, batch.lengths) for texts, batch in iter_batches(Alphabet(("a", "b")), ("ab", ""))]
    [(['ab', ''], array([2, 0]))]
    """
    from idinf.crasp.batch import batch_of_texts

    check_given(words)
    if words != ("-",):
        yield _spelled(alphabet, words), batch_of_texts(alphabet, words)
        return
    number = 0
    for group in _groups(stdin_lines()):
        fault = None
        try:
            batch = batch_of_texts(alphabet, group)
        except AlphabetMismatchError:
            group, fault = _before_fault(alphabet, group, number)
            batch = batch_of_texts(alphabet, group)
        yield _spelled(alphabet, group), batch
        if fault is not None:
            raise fault
        number += len(group)


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


def _before_fault(
    alphabet: Alphabet, group: list[str], number: int
) -> tuple[list[str], AlphabetMismatchError | None]:
    """The words before the first one that is not over the alphabet, and what is wrong with that one."""
    for place, text in enumerate(group):
        try:
            alphabet.encode(text)
        except AlphabetMismatchError as error:
            return group[:place], AlphabetMismatchError(f"stdin, line {number + place + 1}: {error}")
    return group, None


def _spelled(alphabet: Alphabet, texts: Iterable[str]) -> list[str]:
    return [" ".join(text.split()) for text in texts] if alphabet.spaced else list(texts)
