"""The trace of a program on a word: every operation, if wanted with its parts, at every position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from idinf.base.numbers import align
from idinf.base.quoting import shorten
from idinf.base.words import SOS, Alphabet, Word
from idinf.crasp import syntax as s
from idinf.crasp.checker import Sort
from idinf.crasp.interpreter import OperationValues, compute_values
from idinf.crasp.printer import format_expression


@dataclass(frozen=True, slots=True)
class Trace:
    """Values of the operations of a program on a word; the last one decides."""

    word: str  # as its alphabet writes it
    symbols: tuple[str, ...]  # SOS, then those of the word: one for each column
    rows: tuple[OperationValues, ...]

    @property
    def accepted(self) -> bool:
        """The last operation at the last position."""
        return bool(self.rows[-1].at[-1])

    def __repr__(self) -> str:
        answer = "accepted" if self.accepted else "rejected"
        return f"<Trace of {shorten(self.word, 60) or 'ε'}: {len(self.rows)} operations, {answer}>"

    def __str__(self) -> str:
        """Write a table in aligned columns, and the verdict."""
        rows = [("position", *map(str, range(len(self.symbols)))), ("symbol", *self.symbols)]
        for row in self.rows:
            shown = ("FT"[value] if row.sort is Sort.BOOLEAN else str(value) for value in row.at)
            rows.append((row.name, *shown))
        verdict = "accept" if self.accepted else "reject"
        return "\n".join([*align(rows, "<" + ">" * len(self.symbols)), "", f"{self.word or 'ε'}\t{verdict}"])


def trace_of(program: s.ProgramTree, alphabet: Alphabet, word: Word, parts: bool = False) -> Trace:
    """Run a checked program on a word and keep everything.

    With `parts` the parts of an operation have rows of their own above it, called by their text.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> trace = trace_of(read_program('accept = # "0" <= # "1"', sigma), sigma, (0, 1), parts=True)
    >>> [(row.name, row.at) for row in trace.rows][-2:]
    [('# "1"', (0, 0, 1)), ('accept', (1, 0, 1))]
    """
    shown = s.ProgramTree(tuple(_with_parts(program))) if parts else program
    symbols = (SOS, *(alphabet.symbols[code] for code in word))
    return Trace(alphabet.decode(word), symbols, compute_values(shown, alphabet, word))


def _with_parts(program: s.ProgramTree) -> Iterator[s.Definition]:
    """Definitions, each after one for every part that is not shown yet; equal texts have equal values."""
    seen: set[str] = set()
    for definition in program.definitions:
        for part in _inner(definition.expression):
            text = format_expression(part)
            if text not in seen and not isinstance(part, s.Name | s.Number | s.Truth):
                seen.add(text)
                yield s.Definition(text, part, part.place)
        yield definition


def _inner(expression: s.Expression) -> Iterator[s.Expression]:
    """Everything inside an expression, parts before what they are parts of."""
    for child in s.list_children(expression):
        yield from _inner(child)
        yield child
