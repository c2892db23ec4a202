"""Infinite sequences of symbols: eventually periodic, morphic, and changed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from idinf.errors import SpecError
from idinf.quoting import quote, suggest

#: Places that are looked at, at most.
MOST_PLACES = 1 << 16

_PERIODIC = re.compile(r"([^()@\s]*)\(([^()@\s]+)\)")
_CHANGED = re.compile(r"(.+)@([1-9][0-9]{0,8})")

#: What is not written as ``01(001)``.
NAMES = ("thue-morse", "fibonacci")


@dataclass(frozen=True)
class Sequence:
    """An infinite sequence a_1 a_2 … over some symbols of one character each."""

    symbols: str  #: of the alphabet, in order

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Periodic(Sequence):
    """A start, and then a period again and again.

    Examples
    --------
    >>> Periodic("01", "1", "001").prefix(8), str(Periodic("01", "1", "001"))
    ('10010010', '1(001)')
    """

    start: str
    period: str

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        return (self.start + self.period * (n // len(self.period) + 1))[:n]

    def __str__(self) -> str:
        return f"{self.start}({self.period})"


@dataclass(frozen=True)
class Morphic(Sequence):
    """The fixed point of a morphism, 0 first.

    Examples
    --------
    >>> THUE_MORSE.prefix(8), FIBONACCI.prefix(8)
    ('01101001', '01001010')
    """

    name: str
    images: tuple[str, str]

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        word = "0"
        while len(word) < n:
            word = "".join(self.images[int(symbol)] for symbol in word)
        return word[:n]

    def __str__(self) -> str:
        return self.name


THUE_MORSE = Morphic("01", "thue-morse", ("01", "10"))
FIBONACCI = Morphic("01", "fibonacci", ("01", "0"))


@dataclass(frozen=True)
class Changed(Sequence):
    """Another sequence with the symbol at every k-th place changed into the next one of the alphabet.

    Examples
    --------
    >>> Changed("01", THUE_MORSE, 3).prefix(8)
    '01001101'
    """

    of: Sequence
    every: int

    def prefix(self, n: int) -> str:
        """Write a_1 … a_n."""
        written = list(self.of.prefix(n))
        for place in range(self.every - 1, n, self.every):
            written[place] = _turned(written[place], self.symbols)
        return "".join(written)

    def __str__(self) -> str:
        return f"{self.of}@{self.every}"


def change(sequence: Sequence, every: int) -> Sequence:
    """Change every k-th place of a sequence; one that is eventually periodic stays so.

    Examples
    --------
    >>> str(change(Periodic("01", "", "0"), 3)), str(change(Periodic("01", "1", "01"), 3))
    ('(001)', '1(000111)')
    """
    changed = Changed(sequence.symbols, sequence, every)
    if not isinstance(sequence, Periodic):
        return changed
    start = len(sequence.start)
    length = len(sequence.period) * every
    word = changed.prefix(start + length)
    period = word[start:]
    for size in range(1, length + 1):
        if length % size == 0 and period == period[:size] * (length // size):
            return Periodic(sequence.symbols, word[:start], period[:size])
    raise AssertionError("a word is a power of itself")


def parse_sequence(text: str, symbols: str | None = None) -> Sequence:
    """Read ``01(001)``, a name, or one of these with ``@k``; the alphabet is that of its symbols, or 01.

    Raises
    ------
    SpecError
        If it is none, or has a symbol outside of the alphabet.

    Examples
    --------
    >>> str(parse_sequence("(0)@4")), parse_sequence("x(y)").symbols
    ('(0001)', 'xy')
    """
    if match := _CHANGED.fullmatch(text):
        of, every = parse_sequence(match[1], symbols), int(match[2])
        if len(of.symbols) < 2:
            raise SpecError(
                f"sequence {quote(text)}: alphabet {of.symbols}; expected two symbols, one to change into; "
                "name them by --alphabet"
            )
        if every * (len(of.period) if isinstance(of, Periodic) else 1) > MOST_PLACES:
            raise SpecError(f"sequence {quote(text)}: k is too large; expected at most {MOST_PLACES} places")
        return change(of, every)
    named = {"thue-morse": THUE_MORSE, "fibonacci": FIBONACCI}
    if found := named.get(text):
        return over(found, symbols, text)
    match = _PERIODIC.fullmatch(text)
    if match is None or len(text) > MOST_PLACES:
        hint = suggest(text, NAMES)
        raise SpecError(
            f"sequence {quote(text)}: cannot be read; {hint and f'{hint} '}expected START(PERIOD) as in "
            f"1(01), {', '.join(NAMES)}, or one with @k behind it; correct it"
        )
    own = "".join(sorted({*match[1], *match[2]}))
    return over(Periodic("01" if set(own) <= {"0", "1"} else own, match[1], match[2]), symbols, text)


def over(sequence: Sequence, symbols: str | None, text: str) -> Sequence:
    """The same sequence over another alphabet, which has its symbols; ``text`` is how it was written.

    Raises
    ------
    SpecError
        If a symbol is missing.
    """
    if symbols is None:
        return sequence
    used = {*sequence.start, *sequence.period} if isinstance(sequence, Periodic) else {*sequence.symbols}
    for symbol in sorted(used):
        if symbol not in symbols:
            raise SpecError(
                f"sequence {quote(text)}: symbol {quote(symbol)} is not in the alphabet {quote(symbols)}; "
                "the theorem compares sequences over one alphabet; use its symbols"
            )
    return replace(sequence, symbols=symbols)


def _turned(symbol: str, symbols: str) -> str:
    return symbols[(symbols.index(symbol) + 1) % len(symbols)]
