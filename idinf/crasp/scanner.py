"""Texts of programs and formulas from left to right: what stands at a place, and what could.

Nothing is read twice and nothing ahead, so every kind that was asked for where a text goes wrong could have
stood there, and no other one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from idinf.base.quoting import quote
from idinf.crasp import syntax as s
from idinf.errors import ProgramError

#: Nesting of one expression; later stages recurse over it, far from Python's own limit.
MAX_DEPTH = 100

#: What a message says about more.
TOO_DEEP = (
    f"nested more than {MAX_DEPTH} deep; expected a flatter expression; "
    "name its parts in operations of their own"
)

Read = TypeVar("Read")

_BLANKS = re.compile(r"(?:[ \t\r\n]|//[^\n]*)*")

#: What is written in more than one way: how messages call it, and what it looks like.
NAME, STRING, INTEGER, RELATION = "a name", "a symbol in double quotes", "a number", "a comparison"
#: A name where an expression may begin, and what takes in predicates.
READ, IMPORT = "a name that is read", "#import"
#: Of formulas: units, symbols with and without quotes, and comparisons, = among them.
UNIT, SYMBOL, QUOTED, COMPARED = "a unit", "a symbol", "a symbol in quotes", "a comparison or ="
_END_OF_WORD = "(?![A-Za-z_0-9])"
_LOOKS = {
    NAME: "[A-Za-z_][A-Za-z_0-9]*",
    STRING: r'"[^"\n]*"',
    INTEGER: "[0-9]+",
    RELATION: "==|!=|<=|>=|<|>",
    READ: f"(?!(?:true|false|min|max){_END_OF_WORD})[A-Za-z_][A-Za-z_0-9]*",
    IMPORT: f"#import{_END_OF_WORD}",
    UNIT: "u_*[0-9]+",
    SYMBOL: r"\w+",
    QUOTED: r'"\S+?"(?=[\s,;:=)}\]]|$)',
    COMPARED: "==|!=|<=|>=|<|>|=",
}
#: How messages call the kinds that differ from others by their place alone.
_CALLED = {READ: NAME, QUOTED: SYMBOL, COMPARED: RELATION}
#: Words and marks, in the order in which messages list them.
_FIXED = (
    *("#", "if", "else", "mod", "min", "max", "true", "false", "||", "&&", "!", *"+-*=[](,)"),
    *("iff", "and", "or", "not", "in", "even", "odd", "least", "of", "given", "p", "$", "φ", *":;/{}", ":="),
)
#: What is expected where one kind is, instead of a long list.
_WHOLES = {
    STRING: "an expression",
    "accept": "'u1 := CONDITION;' or 'accept iff CONDITION', which decides words",
    "last": "a condition",
    "avg": "a sum",
}
_KINDS, _IN_WORDS = {kind: re.compile(look) for kind, look in _LOOKS.items()}, re.compile("[A-Za-z_0-9]")
#: What a text can be divided into where it is read without any idea of what comes.
_PIECE = re.compile("|".join(_LOOKS[kind] for kind in (NAME, STRING, INTEGER, RELATION)) + r"|\|\||&&")

#: What readers write behind a count to ask whether it is even, which no program can.
_MODULO = ("'mod'", "'%'")

#: A symbol as other languages quote it.
_SINGLE = re.compile("'([!#-&(-~]{1,20})'")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text."""

    text: str
    place: s.TextPlace


def check_depth(expression: s.Expression, place: s.TextPlace | None = None) -> None:
    """Refuse an expression that later stages cannot recurse over, at a place or where it is too deep."""
    level: tuple[s.Expression, ...] = (expression,)
    for _ in range(MAX_DEPTH):
        level = tuple(child for part in level for child in s.list_children(part))
        if not level:
            return
    raise ProgramError(f"{place or level[0].place}: {TOO_DEEP}")


class Scanner:
    """A text, and how far it is read. Mutable: it knows how deep it is in one expression, too.

    >>> scanner = Scanner("x = // a comment\\n  y")
    >>> scanner.need(NAME).text, scanner.take("+"), scanner.need("=").text, str(scanner.place)
    ('x', None, '=', 'line 2, column 3')
    """

    def __init__(self, text: str) -> None:
        self.text, self.at, self.nested = text, 0, 0
        self._lines = [match.start() for match in re.finditer("\n", text)]
        self._wanted: set[str] = set()
        self._go_to(0)

    def ends(self) -> bool:
        """True if no text is left; the end could stand here."""
        self._wanted.add("the end")
        return self.at == len(self.text)

    def take(self, kind: str) -> Token | None:
        """The piece here if it is of a kind; else the kind is remembered as one that could stand here."""
        end = self._end_of(kind)
        if end is None:
            self._wanted.add(kind)
            return None
        piece = Token(self.text[self.at : end], self.place)
        self._go_to(end)
        return piece

    def _end_of(self, kind: str) -> int | None:
        """The end of the piece that stands here; None if it is of another kind."""
        if kind in _KINDS:
            match = _KINDS[kind].match(self.text, self.at)
            return match.end() if match else None
        end = self.at + len(kind)
        is_whole = not kind.isalpha() or _IN_WORDS.match(self.text, end) is None
        return end if is_whole and self.text.startswith(kind, self.at) else None

    def need(self, kind: str) -> Token:
        """The piece that stands here, which has to be of a kind.

        Raises `ProgramError` if it is not; says what else could stand here.
        """
        piece = self.take(kind)
        if piece is None:
            raise self.unexpected()
        return piece

    def integer(self, piece: Token | None = None) -> int:
        """The number that stands here, or one that was taken.

        Raises `ProgramError` if none stands here, or if it has so many digits that it is beyond every bound
        of the checker; Python refuses some of them.
        """
        piece = piece or self.need(INTEGER)
        if len(piece.text) > 40:
            raise ProgramError(
                f"{piece.place}: a number of {len(piece.text)} digits; expected one that fits into 64 bits"
            )
        return int(piece.text)

    def _go_to(self, at: int) -> None:
        blanks = _BLANKS.match(self.text, at)
        self.at = at if blanks is None else blanks.end()
        self._wanted.clear()

    def deeper(self, read: Callable[..., Read], *arguments: object) -> Read:
        """A part of a construct: it is refused before Python's own limit of recursion is met."""
        self.nested += 1
        if self.nested > MAX_DEPTH:
            raise ProgramError(f"{self.place}: {TOO_DEEP}")
        part = read(*arguments)
        self.nested -= 1
        return part

    @property
    def place(self) -> s.TextPlace:
        """The line and the column of the next piece."""
        line = bisect_left(self._lines, self.at)
        return s.TextPlace(line + 1, self.at - (self._lines[line - 1] if line else -1))

    def unexpected(self) -> ProgramError:
        """The error to raise: the piece that stands here, and the kinds that could."""
        place, found = self.place, "the end"
        if self.at < len(self.text):
            piece = _PIECE.match(self.text, self.at)
            found = quote(piece[0] if piece else self.text[self.at])
        else:
            lines = self.text.rstrip().split("\n")
            place = s.TextPlace(len(lines), len(lines[-1]) + 1)
        wanted = {_CALLED.get(kind, kind) for kind in self._wanted}
        listed = [kind for kind in _LOOKS if kind in wanted - {IMPORT}]
        listed += [f"'{kind}'" for kind in _FIXED if kind in wanted]
        listed += ["the end"] * ("the end" in wanted)
        listed = next(([whole] for kind, whole in _WHOLES.items() if kind in wanted), listed)
        hint, single = "", _SINGLE.match(self.text, self.at)
        if single is not None and STRING in wanted:
            hint = f'; write # "{single[1]}" to count {single[1]}, "{single[1]}" where it is the last symbol'
        met = "a count cannot be taken modulo" if found in _MODULO else f"unexpected {found}"
        return ProgramError(f"{place}: {met}; expected {' or '.join(listed)}{hint}")
