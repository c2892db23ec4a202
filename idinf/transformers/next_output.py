"""How the rows of U are read as next symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from idinf.errors import HypothesisFormatError
from idinf.experiments.spec import END, Answer
from idinf.quoting import listed, quoted
from idinf.words import Alphabet


@dataclass(frozen=True, slots=True)
class NextOutput:
    """How U y_i is read as next symbols at every position i.

    Parameters
    ----------
    kind : Answer
        `Answer.SET`: the symbols whose rows exceed the threshold. `Answer.SYMBOL`: the symbol whose row has
        the largest value, of equal ones the first.
    symbols : tuple of str
        Next symbols, `END` for end-of-string. One that is not listed is never a next symbol.
    rows : tuple of int
        The row of U of each.
    """

    kind: Answer
    symbols: tuple[str, ...]
    rows: tuple[int, ...]

    def read(self, logits: Sequence[Fraction], threshold: int) -> tuple[str, ...]:
        """The next symbols for U y_i.

        Examples
        --------
        >>> NextOutput(Answer.SET, ("a", "$"), (0, 1)).read((Fraction(1), Fraction(0)), 0)
        ('a',)
        >>> NextOutput(Answer.SYMBOL, ("a", "$"), (0, 1)).read((Fraction(1), Fraction(1)), 0)
        ('a',)
        """
        values = [logits[row] for row in self.rows]
        if self.kind is Answer.SYMBOL:
            return (self.symbols[values.index(max(values))],)
        return tuple(s for s, value in zip(self.symbols, values, strict=True) if value > threshold)

    def check(self, alphabet: Alphabet, num_rows: int, threshold: int) -> None:
        """Refuse what does not fit an alphabet and a number of rows of U.

        Raises
        ------
        HypothesisFormatError
        """
        known = (*alphabet.symbols, END)
        if self.kind is Answer.ACCEPT:
            _refuse("kind", self.kind.value, '"symbol" or "set"', "use accept for acceptance")
        if not self.symbols:
            _refuse("symbols", [], "at least one next symbol", "name one")
        left = set(known)
        for place, symbol in enumerate(self.symbols):
            if symbol not in left:
                expected = f"each of {listed(known)} at most once, {END} being the end"
                _refuse(f"symbols[{place}]", symbol, expected, "name a next symbol")
            left.remove(symbol)
        if len(self.rows) != len(self.symbols):
            _refuse(
                "rows", list(self.rows), f"{len(self.symbols)}, one for each symbol", "add or remove rows"
            )
        for place, row in enumerate(self.rows):
            if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < num_rows:
                expected = f"an integer from 0 to {num_rows - 1}"
                _refuse(f"rows[{place}]", row, expected, "name a row of unembedding")
        if self.kind is Answer.SYMBOL and threshold:
            _refuse("threshold", threshold, "0 beside symbol", "the largest value decides")


def _refuse(key: str, value: object, expected: str, remedy: str) -> NoReturn:
    raise HypothesisFormatError(f"output.{key} = {quoted(value)}; expected {expected}; {remedy}")
