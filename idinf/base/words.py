"""Alphabets and words: ordered symbols, words as tuples of symbol codes, shortlex order.

A word is a tuple of codes ``0 <= code < |Σ|``; its length does not count SOS. ε is the empty tuple.
Positions are 1-based as in the paper, position 0 holds SOS (``$``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from idinf.base.quoting import list_some, quote
from idinf.errors import AlphabetMismatchError, SpecError

#: The start-of-sequence symbol the transformer reads at position 0; never a member of an alphabet.
SOS = "$"

#: Symbols of an alphabet: automata have a column for each, and two symbols of a word a million values.
MAX_SYMBOLS = 1_000

Word = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alphabet:
    """An ordered alphabet Σ; its order fixes shortlex.

    Symbols are distinct, non-empty, without whitespace, never ``$``, and of one character unless words are
    written with blanks between symbols. Raises `SpecError` if a rule is broken.

    >>> sigma = Alphabet(("a", "b"))
    >>> sigma.encode("aba"), sigma.decode((1, 1)), sigma.encode("")
    ((0, 1, 0), 'bb', ())

    Where c and b are alike, b may stand for both:

    >>> Alphabet(("a", "b"), alike=(("c", "b"),)).encode("abc")
    (0, 1, 1)
    """

    symbols: tuple[str, ...]
    spaced: bool = False  #: True if a word is written as symbols separated by blanks
    #: Pairs (letter, symbol): further letters that words may be written with, and the symbol each is read as.
    alike: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.symbols:
            raise SpecError("alphabet = []; expected at least one symbol; name the symbols of the language")
        if len(self.symbols) > MAX_SYMBOLS:
            raise SpecError(
                f"alphabet: {len(self.symbols)} symbols; expected at most {MAX_SYMBOLS}; use fewer symbols"
            )
        seen: set[str] = set()
        for symbol in self.letters:
            self._check_symbol(symbol)
            if symbol in seen:
                raise SpecError(f"alphabet: symbol {quote(symbol)} is listed twice; list every symbol once")
            seen.add(symbol)
        for letter, symbol in self.alike:
            if symbol not in self.symbols:
                raise SpecError(
                    f"alphabet: {quote(letter)} is read as {quote(symbol)}; expected one of: "
                    f"{list_some(self.symbols)}; name a symbol"
                )

    @property
    def letters(self) -> tuple[str, ...]:
        """All that words may be written with."""
        return (*self.symbols, *(letter for letter, _ in self.alike))

    @property
    def apart(self) -> Alphabet:
        """The same letters, each its own symbol."""
        return Alphabet(self.letters, self.spaced) if self.alike else self

    @property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """The letters that are read as each symbol, itself first; of those symbols that have others.

        >>> Alphabet(("a", "b"), alike=(("c", "b"), ("d", "b"))).classes
        {'b': ('b', 'c', 'd')}
        """
        found: dict[str, tuple[str, ...]] = {}
        for letter, symbol in self.alike:
            found[symbol] = (*found.get(symbol, (symbol,)), letter)
        return found

    def _check_symbol(self, symbol: str) -> None:
        if symbol == SOS:
            raise SpecError("alphabet: '$' is the start symbol and cannot be in the alphabet; rename it")
        if (
            not isinstance(symbol, str)
            or not symbol
            or any(c.isspace() or not c.isprintable() for c in symbol)
        ):
            raise SpecError(
                f"alphabet: {quote(symbol)} is not a symbol; expected printable characters, no blanks"
            )
        if len(symbol) > 1 and not self.spaced:
            raise SpecError(
                f"alphabet: symbol {quote(symbol)} has more than one character; "
                'expected single characters; add tokens = "space" to write words with blanks'
            )

    def __len__(self) -> int:
        return len(self.symbols)

    def encode(self, text: str | Sequence[str]) -> Word:
        """Read a word, a text or its symbols one after the other; the empty text is ε.

        Raises `AlphabetMismatchError` if the text holds a symbol outside the alphabet.
        """
        tokens = text.split() if isinstance(text, str) and self.spaced else list(text)
        codes = {symbol: code for code, symbol in enumerate(self.symbols)}
        codes |= {letter: codes[symbol] for letter, symbol in self.alike}
        for place, token in enumerate(tokens, start=1):
            if token not in codes:
                raise AlphabetMismatchError(
                    f"word {quote(text)}: symbol {quote(token)} at position {place} is not in the "
                    "alphabet; "
                    f"expected symbols of: {list_some(self.letters)}"
                )
        return tuple(codes[token] for token in tokens)

    def decode(self, word: Word) -> str:
        """Write a word; ε is the empty text."""
        return (" " if self.spaced else "").join(self.symbols[code] for code in word)


#: Symbols written together, with blanks where they are longer, or as a sequence of symbols.
Symbols = str | Sequence[str] | Alphabet


def read_alphabet(symbols: Symbols) -> Alphabet:
    """Make an alphabet of symbols; longer ones are written with blanks in words.

    >>> read_alphabet("ab").symbols, read_alphabet(["up", "down"]).spaced
    (('a', 'b'), True)
    """
    if isinstance(symbols, Alphabet):
        return symbols
    if not isinstance(symbols, Sequence):
        raise SpecError(f"alphabet = {quote(symbols)}; expected the symbols of words; write a text or a list")
    if isinstance(symbols, str):
        spaced = any(character.isspace() for character in symbols)
        return Alphabet(split_symbols(symbols, spaced), spaced)
    return Alphabet(tuple(symbols), any(len(str(symbol)) > 1 for symbol in symbols))


def split_symbols(text: str, spaced: bool) -> tuple[str, ...]:
    """The symbols of a text; a comma is one where it stands at an end or between blanks.

    >>> split_symbols("ab,", False), split_symbols("a , b", True)
    (('a', 'b', ','), ('a', ',', 'b'))
    """
    if re.search(r"[^\s,],\s*[^\s,]", text):
        named = text.replace(",", " ").split()
        meant, comma = ("".join(named), ",") if max(map(len, named)) == 1 else (" ".join(named), " ,")
        raise SpecError(
            f"alphabet = {quote(text)}; expected symbols without commas between them; write {quote(meant)}, "
            f"or {quote(meant + comma)} if the comma is a symbol"
        )
    return tuple(text.split() if spaced else text)


def words_up_to(size: int, length: int) -> Iterator[Word]:
    """All words of length 0..length over ``size`` symbols, in shortlex order.

    >>> list(words_up_to(2, 1))
    [(), (0,), (1,)]
    """
    for n in range(length + 1):
        yield from itertools.product(range(size), repeat=n)
