"""Texts of programs from left to right: what stands at a place, and what could.

Nothing is read twice and nothing ahead, so every kind that was asked for where a text goes wrong could have
stood there, and no other one.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from idinf.crasp import syntax as s
from idinf.crasp.parsing import Part
from idinf.errors import ProgramError
from idinf.quoting import quote

_BLANKS = re.compile(r"(?:[ \t\r\n]|//[^\n]*)*")

#: What is written in more than one way: how messages call it, and what it looks like.
NAME, STRING, INTEGER, RELATION = "a name", "a symbol in double quotes", "a number", "a comparison"
#: A name where an expression may begin, and what takes in predicates.
READ, IMPORT = "a name that is read", "#import"
_END_OF_WORD = "(?![A-Za-z_0-9])"
_LOOKS = {
    NAME: "[A-Za-z_][A-Za-z_0-9]*",
    STRING: r'"[^"\n]*"',
    INTEGER: "[0-9]+",
    RELATION: "==|!=|<=|>=|<|>",
    READ: f"(?!(?:true|false|min|max){_END_OF_WORD})[A-Za-z_][A-Za-z_0-9]*",
    IMPORT: f"#import{_END_OF_WORD}",
}
#: Words and marks, in the order in which messages list them.
_FIXED = ("#", *["if", "else", "mod", "min", "max", "true", "false", "||", "&&", "!"], *"+-*=[](,)")
_KINDS, _IN_WORDS = {kind: re.compile(look) for kind, look in _LOOKS.items()}, re.compile("[A-Za-z_0-9]")
#: What a text can be divided into where it is read without any idea of what comes.
_PIECE = re.compile("|".join(_LOOKS[kind] for kind in (NAME, STRING, INTEGER, RELATION)) + r"|\|\||&&")

#: A symbol as other languages quote it.
_SINGLE = re.compile("'([!#-&(-~]{1,20})'")


class Scanner:
    """A text, and how far it is read. Mutable.

    Examples
    --------
    >>> scanner = Scanner("x = // a comment\\n  y")
    >>> scanner.need(NAME).text, scanner.take("+"), scanner.need("=").text, str(scanner.place)
    ('x', None, '=', 'line 2, column 3')
    """

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self._lines = [match.start() for match in re.finditer("\n", text)]
        self._wanted: set[str] = set()
        self._go_to(0)

    def ends(self) -> bool:
        """Whether nothing is left; the end could stand here."""
        self._wanted.add("the end")
        return self.at == len(self.text)

    def take(self, kind: str) -> Part | None:
        """What stands here if it is of a kind; else that kind is remembered as one that could stand here."""
        end = self._end_of(kind)
        if end is None:
            self._wanted.add(kind)
            return None
        piece = Part(kind, self.text[self.at : end], self.place)
        self._go_to(end)
        return piece

    def _end_of(self, kind: str) -> int | None:
        """Where the piece that stands here ends; None if it is of another kind."""
        if kind in _KINDS:
            match = _KINDS[kind].match(self.text, self.at)
            return match.end() if match else None
        end = self.at + len(kind)
        is_whole = not kind.isalpha() or _IN_WORDS.match(self.text, end) is None
        return end if is_whole and self.text.startswith(kind, self.at) else None

    def need(self, kind: str) -> Part:
        """What stands here, which has to be of a kind.

        Raises
        ------
        ProgramError
            If it is not; says what else could stand here.
        """
        piece = self.take(kind)
        if piece is None:
            raise self.unexpected()
        return piece

    def _go_to(self, at: int) -> None:
        blanks = _BLANKS.match(self.text, at)
        self.at = at if blanks is None else blanks.end()
        self._wanted.clear()

    @property
    def place(self) -> s.TextPlace:
        """Where the next piece begins."""
        line = bisect_left(self._lines, self.at)
        return s.TextPlace(line + 1, self.at - (self._lines[line - 1] if line else -1))

    def unexpected(self) -> ProgramError:
        """What stands here, and what could: the error to raise."""
        place, found = self.place, "the end"
        if self.at < len(self.text):
            piece = _PIECE.match(self.text, self.at)
            found = quote(piece[0] if piece else self.text[self.at])
        else:
            lines = self.text.rstrip().split("\n")
            place = s.TextPlace(len(lines), len(lines[-1]) + 1)
        wanted = {NAME if kind == READ else kind for kind in self._wanted}
        listed = [kind for kind in _LOOKS if kind in wanted - {IMPORT}]
        listed += [f"'{kind}'" for kind in _FIXED if kind in wanted]
        listed += ["the end"] * ("the end" in wanted)
        if STRING in wanted:  # all that can begin an expression would be a long list
            listed = ["an expression"]
        hint, single = "", _SINGLE.match(self.text, self.at)
        if single is not None and STRING in wanted:
            hint = f'; write # "{single[1]}" to count {single[1]}, "{single[1]}" where it is the last symbol'
        return ProgramError(f"{place}: unexpected {found}; expected {' or '.join(listed)}{hint}")
