"""The regex notation of specs: checked symbol by symbol, then rewritten for automata-lib."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from idinf.errors import SpecError
from idinf.quoting import listed

_OPERATORS = "|*+?()."

#: Characters that other notations give a meaning; naming them beats calling them foreign symbols.
_FOREIGN = "[]{}^&"

#: A repetition, for the parameters of families; where { is a symbol there is none.
_REPETITION = re.compile(r"\{[0-9]{1,9}\}")

#: Most symbols and operators, once repetitions are written out as well: an automaton has a state per symbol.
MAX_PIECES = 10_000

#: Groups inside groups, at most, once repetitions are written out: readers call themselves once for each.
MAX_DEPTH = 100

_OPERAND = "expected a symbol or a group; write () for the empty word"


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    is_symbol: bool
    place: str


def to_library_notation(text: str, letters: Mapping[str, str]) -> str:
    """Check a regex and write every symbol as its letter.

    Parameters
    ----------
    text : str
        Notation of specs; blanks separate symbols and do not count otherwise. Where no blank separates
        them, the longest symbol that fits is read. ``x{3}`` is ``xxx``.
    letters : mapping of str to str
        One character for every symbol of the alphabet.

    Raises
    ------
    SpecError
        With line and column: a foreign symbol, an operator without operand, unbalanced parentheses, groups
        that are nested too deeply.

    Examples
    --------
    >>> to_library_notation("(ab)* | ()", {"a": "x", "b": "y"})
    '(xy)*|()'
    """
    pieces = _split(text, letters)
    if not pieces:
        raise SpecError("line 1, column 1: the regex is empty; write () for the empty word")
    _check_structure(pieces)
    written = _written_out(pieces)
    _check_depth(written)
    return "".join(letters[piece.text] if piece.is_symbol else piece.text for piece in written)


def _written_out(pieces: list[_Piece]) -> list[_Piece]:
    """Replace every repetition ``x{n}`` by a group of n copies of x."""
    done: list[_Piece] = []
    for piece in pieces:
        if piece.is_symbol or piece.text[0] != "{":
            done.append(piece)
            continue
        start, copies = _operand(done), int(piece.text[1:-1])
        size = len(done) - start
        if start + copies * size > MAX_PIECES:
            raise SpecError(
                f"{piece.place}: repetition {piece.text} makes more than {MAX_PIECES} symbols and operators; "
                "expected fewer; lower it"
            )
        group = [_Piece("(", False, piece.place), *done[start:] * copies, _Piece(")", False, piece.place)]
        done[start:] = group
    return done


def _check_depth(pieces: list[_Piece]) -> None:
    depth = 0
    for piece in pieces:
        if not piece.is_symbol:
            depth += {"(": 1, ")": -1}.get(piece.text, 0)
        if depth > MAX_DEPTH:
            raise SpecError(f"{piece.place}: more than {MAX_DEPTH} groups inside groups; write it flatter")


def _operand(pieces: list[_Piece]) -> int:
    """Where the operand at the end begins: a symbol or a group, with the operators after it."""
    start = len(pieces) - 1
    while not pieces[start].is_symbol and pieces[start].text in "*+?":
        start -= 1
    depth = 0
    while True:
        if not pieces[start].is_symbol:
            depth += {")": 1, "(": -1}.get(pieces[start].text, 0)
        if depth == 0:
            return start
        start -= 1


def _split(text: str, letters: Mapping[str, str]) -> list[_Piece]:
    pieces: list[_Piece] = []
    lengths = sorted({len(symbol) for symbol in letters}, reverse=True)
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
            repetition = None if "{" in letters else _REPETITION.match(line, at)
            if repetition is not None:
                pieces.append(_Piece(repetition[0], False, place))
                at = repetition.end()
                continue
            escaped = line[at] == "\\" and at + 1 < len(line)
            if not escaped and line[at] in _OPERATORS:
                pieces.append(_Piece(line[at], False, place))
                at += 1
                continue
            at += escaped
            found = (line[at : at + length] for length in lengths if line[at : at + length] in letters)
            symbol = next(found, None)
            if symbol is None:
                raise SpecError(f"{place}: {_foreign(line[at], letters)}")
            pieces.append(_Piece(symbol, True, place))
            at += len(symbol)
    return pieces


def _foreign(character: str, letters: Mapping[str, str]) -> str:
    if character in _FOREIGN:
        return f"{character!r} is not an operator here; expected symbols and | * + ? {{n}} ( ) ."
    return f"symbol {character!r} is not in the alphabet; expected one of: {listed(letters)}"


def _check_structure(pieces: list[_Piece]) -> None:
    open_places: list[str] = []
    before = "|"  # the beginning of a branch: an operand must follow
    for piece in pieces:
        text = "symbol" if piece.is_symbol else piece.text
        if (text in ("*", "+", "?", "|") or text[0] == "{") and before in ("|", "("):
            raise SpecError(f"{piece.place}: {text!r} has nothing before it; {_OPERAND}")
        if text == "(":
            open_places.append(piece.place)
        if text == ")":
            if not open_places:
                raise SpecError(f"{piece.place}: ')' without '('; remove it or open the group")
            if before == "|":
                raise SpecError(f"{piece.place}: '|' has nothing after it; {_OPERAND}")
            open_places.pop()
        before = text
    if open_places:
        raise SpecError(f"{open_places[-1]}: '(' is never closed; add ')'")
    if before == "|":
        raise SpecError(f"{pieces[-1].place}: '|' has nothing after it; {_OPERAND}")
