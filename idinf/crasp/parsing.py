"""Texts read through a lark grammar of this package, with messages that name line and column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from idinf.crasp import syntax as s
from idinf.errors import ProgramError
from idinf.quoting import quote

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.exceptions import UnexpectedInput

#: Nesting of one expression; later stages recurse over it, far from Python's own limit.
MAX_DEPTH = 100

#: What a message says about more.
TOO_DEEP = (
    f"nested more than {MAX_DEPTH} deep; expected a flatter expression; "
    "name its parts in operations of their own"
)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text as a grammar divides it."""

    kind: str  # of a word its terminal, else its rule
    text: str  # as written
    place: s.TextPlace
    parts: tuple[Part, ...] = ()
    depth: int = 0  # how deep the parts are nested


@dataclass(frozen=True, slots=True)
class Grammar:
    """The file ``grammar.lark`` of a package, which begins with ``program``, and how messages speak of it."""

    package: str
    terminals: Mapping[str, str]  # how messages call terminals that are no fixed words
    wholes: Mapping[str, str]  # what is expected where a terminal is, instead of a long list
    otherwise: str  # what is expected where nothing else can be named


def parse_with(text: str, grammar: Grammar) -> Part:
    """Divide a text.

    Raises
    ------
    ProgramError
        If the text does not parse, or an expression is nested more than `MAX_DEPTH` deep.
    """
    from lark.exceptions import UnexpectedInput

    try:
        tree: Any = _lark(grammar.package).parse(text)
    except UnexpectedInput as error:
        raise ProgramError(_describe(error, text, grammar)) from None
    parts: dict[int, Part] = {}
    for node in tree.iter_subtrees():  # parts before wholes, by no recursion
        inner = tuple(
            parts.get(id(child)) or Part(child.type, str(child), _place_of(child)) for child in node.children
        )
        if not inner:
            return Part("program", "", s.TextPlace(1, 1))
        meta = node.meta
        place = s.TextPlace(meta.line, meta.column)
        depth = 1 + max(part.depth for part in inner)
        if depth > MAX_DEPTH + 2:  # an expression stands in a definition of a program
            raise ProgramError(f"{place}: {TOO_DEEP}")
        parts[id(node)] = Part(str(node.data), text[meta.start_pos : meta.end_pos], place, inner, depth)
    return parts[id(tree)]


def read_integer(word: Part) -> int:
    """A number as written.

    Raises
    ------
    ProgramError
        If it has so many digits that it is beyond every bound of the checker; Python refuses some of them.
    """
    if len(word.text) > 40:
        raise ProgramError(
            f"{word.place}: a number of {len(word.text)} digits; expected one that fits into 64 bits"
        )
    return int(word.text)


@cache
def _lark(package: str) -> Lark:
    from importlib import resources

    from lark import Lark

    grammar = (resources.files(package) / "grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", start="program", propagate_positions=True)


def _place_of(token: Token) -> s.TextPlace:
    return s.TextPlace(token.line or 1, token.column or 1)


def _describe(error: UnexpectedInput, text: str, grammar: Grammar) -> str:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    wanted: set[str] = set()
    if isinstance(error, UnexpectedCharacters):
        found = quote(text[error.pos_in_stream or 0])
        wanted = set(error.allowed or ())
    elif isinstance(error, UnexpectedToken):
        found = "the end" if error.token.type == "$END" else quote(str(error.token))
        wanted = set(error.accepts or error.expected)
    place = s.TextPlace(max(error.line, 1), max(error.column, 1))
    if found == "the end":
        lines = text.rstrip().split("\n")
        place = s.TextPlace(len(lines), len(lines[-1]) + 1)
    listed = [phrase for terminal, phrase in grammar.terminals.items() if terminal in wanted]
    words = [terminal for terminal in _lark(grammar.package).terminals if terminal.pattern.type == "str"]
    listed += [f"'{terminal.pattern.value}'" for terminal in words if terminal.name in wanted]
    listed += ["the end"] * ("$END" in wanted)
    # Everything that can begin a whole would be a long list.
    listed = next(([whole] for terminal, whole in grammar.wholes.items() if terminal in wanted), listed)
    return f"{place}: unexpected {found}; expected {' or '.join(listed) or grammar.otherwise}"
