"""The regex notation of specs: checked symbol by symbol, then rewritten for automata-lib."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from idinf.base.quoting import list_some
from idinf.errors import SpecError

_ESCAPE = "\\"

#: A repetition, for the parameters of families; where { is a symbol there is none.
_REPETITION, _NOTHING = r"\{[0-9]{1,9}\}", "(?!)"

#: Characters that other notations give a meaning, with what is written for them here.
_FOREIGN = {
    **dict.fromkeys("[]", "write (a|b) for [ab]"),
    **dict.fromkeys("{}", "write aa(a)? for a{2,3}"),
    **dict.fromkeys("^$", "a regex is about whole words, so leave it out"),
    **dict.fromkeys("&∩", "there is no intersection"),
    **dict.fromkeys("εϵλΛ", "write () for the empty word"),
    **dict.fromkeys("~¬", "there is no complement"),
    **dict.fromkeys("·⋅∘", "write ab for a·b"),
    "∅": "there is no empty set",
    "∪": "write | for a union",
    "∗": "write * for any number of times",
    "Σ": "write . for any symbol",
}

#: What is read otherwise than it was meant, if another notation was meant: a class such as ``\\d``, a sign of
#: `_FOREIGN` that is no repetition, or a ``+`` that may be a union: an operand follows it at once, or it has
#: blanks on both sides. So ``a+ b`` and ``(a+)b`` are one or more, and ``a+b`` is refused.
_OTHER_NOTATION = re.compile(
    rf"(?P<class>\\[A-Za-z0-9])|\\.|{_REPETITION}|(?P<foreign>[{re.escape(''.join(_FOREIGN))}])"
    r"|(?P<union>\+(?=[^\s|*+?){])|(?<=\s)\+(?=\s+[^\s|*+?){]))",
    re.DOTALL,
)

#: Most symbols and operators, once repetitions are written out as well: an automaton has a state per symbol.
MAX_PIECES = 10_000

#: Groups inside groups, at most, once repetitions are written out: readers call themselves once for each.
MAX_DEPTH = 100

_OPERATORS = "symbols and | * + ? {n} ( ) ."

_PLUS = "write a|b for a union, a+ b or (a+)b for one or more"

_OPERAND = "expected a symbol or a group; write () for the empty word"


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    is_symbol: bool
    place: str

    @property
    def operator(self) -> str:
        """Its first character, which tells operators apart; empty for a symbol."""
        return "" if self.is_symbol else self.text[0]


def to_library_notation(text: str, letters: Mapping[str, str]) -> str:
    """Check a regex and write every symbol as its letter, one character.

    Blanks separate symbols and do not count otherwise. Where no blank separates them, the longest symbol that
    fits is read. ``x{3}`` is ``xxx``. Raises `SpecError` with line and column: a foreign symbol, an operator
    without operand, unbalanced parentheses, groups that are nested too deeply.

    >>> to_library_notation("(ab)* | ()", {"a": "x", "b": "y"})
    '(xy)*|()'
    """
    pieces = _split(text, letters)
    if not pieces:
        raise SpecError("line 1, column 1: the regex is empty; write () for the empty word")
    _check_structure(pieces)
    written = _written_out(pieces)
    depth = 0
    for piece in written:
        depth += (piece.operator == "(") - (piece.operator == ")")
        if depth > MAX_DEPTH:
            raise SpecError(f"{piece.place}: more than {MAX_DEPTH} groups inside groups; write it flatter")
    return "".join(letters[piece.text] if piece.is_symbol else piece.text for piece in written)


def check_notation(text: str) -> None:
    """Refuse what another notation means otherwise, where no alphabet says what is a symbol.

    Raises `SpecError` with line and column.
    """
    for found in _OTHER_NOTATION.finditer(text):
        if found["class"] is not None:
            what, remedy = f"{found[0]} would be the symbol {found[0][1:]!r}", "write (0|1) for digits"
        elif found["union"] is not None:
            what, remedy = "+ before a symbol or a group may be a union", _PLUS
        elif found["foreign"] is not None:
            what, remedy = f"{found[0]!r} would be a symbol", _FOREIGN[found[0]]
        else:
            continue
        before = text[: found.start()]
        place = f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"
        raise SpecError(f"{place}: {what}; expected {_OPERATORS}; {remedy}, or give --alphabet")


def _written_out(pieces: list[_Piece]) -> list[_Piece]:
    """Replace every repetition ``x{n}`` by a group of n copies of x."""
    done: list[_Piece] = []
    operand, opened = 0, []  # where the last operand and every open group begin
    for piece in pieces:
        if piece.operator == "{":
            copies, repeated = int(piece.text[1:-1]), done[operand:]
            if operand + copies * len(repeated) > MAX_PIECES:
                raise SpecError(
                    f"{piece.place}: repetition {piece.text} makes more than {MAX_PIECES} symbols and "
                    "operators; expected fewer; lower it"
                )
            left, right = _Piece("(", False, piece.place), _Piece(")", False, piece.place)
            done[operand:] = [left, *repeated * copies, right]
            continue
        if piece.is_symbol or piece.operator in "(.":
            operand = len(done)
        if piece.operator == "(":
            opened.append(operand)
        if piece.operator == ")":
            operand = opened.pop()
        done.append(piece)
    return done


def _split(text: str, letters: Mapping[str, str]) -> list[_Piece]:
    pieces: list[_Piece] = []
    repetition = _NOTHING if "{" in letters else _REPETITION
    symbols = "|".join(map(re.escape, sorted(letters, key=len, reverse=True)))
    token = re.compile(rf"({repetition}|[|*+?().])|\\?({symbols})")
    for number, line in enumerate(text.split("\n"), start=1):
        at = 0
        while at < len(line):
            if line[at].isspace():
                at += 1
                continue
            place = f"line {number}, column {at + 1}"
            if len(pieces) == MAX_PIECES:
                raise SpecError(
                    f"{place}: more than {MAX_PIECES} symbols and operators; expected fewer; write it shorter"
                )
            found = token.match(line, at)
            if found is None:
                character = line[at:].removeprefix(_ESCAPE)[:1] or _ESCAPE
                raise SpecError(f"{place}: {_foreign(character, letters)}")
            pieces.append(_Piece(found[1] or found[2], found[1] is None, place))
            at = found.end()
    return pieces


def _foreign(character: str, letters: Mapping[str, str]) -> str:
    if character in _FOREIGN:
        return f"{character!r} is not an operator here; expected {_OPERATORS}; {_FOREIGN[character]}"
    return f"symbol {character!r} is not in the alphabet; expected one of: {list_some(letters)}"


def _check_structure(pieces: list[_Piece]) -> None:
    open_places: list[str] = []
    before = "|"  # the beginning of a branch: an operand must follow
    for piece in pieces:
        operator = piece.operator
        if operator and operator in "*+?|{" and before in ("|", "("):
            raise SpecError(f"{piece.place}: {piece.text!r} has nothing before it; {_OPERAND}")
        if operator == "(":
            open_places.append(piece.place)
        if operator == ")":
            if not open_places:
                raise SpecError(f"{piece.place}: ')' without '('; remove it or open the group")
            if before == "|":
                raise SpecError(f"{piece.place}: '|' has nothing after it; {_OPERAND}")
            open_places.pop()
        before = operator
    if open_places:
        raise SpecError(f"{open_places[-1]}: '(' is never closed; add ')'")
    if before == "|":
        raise SpecError(f"{pieces[-1].place}: '|' has nothing after it; {_OPERAND}")
