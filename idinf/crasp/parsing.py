"""Texts read through a lark grammar of this package, with messages that name line and column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from idinf.crasp import syntax as s
from idinf.errors import ProgramError
from idinf.quoting import quoted

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.exceptions import UnexpectedInput, UnexpectedToken

__all__ = ["MAX_DEPTH", "Grammar", "Part", "integer", "parsed", "place_of", "too_deep"]

#: Nesting of one expression; later stages recurse over it, far from Python's own limit.
MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text as a grammar divides it.

    Parameters
    ----------
    kind : str
        Of a word its terminal, else its rule.
    text : str
        As written.
    place : TextPlace
    parts : tuple of Part
    """

    kind: str
    text: str
    place: s.TextPlace
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar file and how messages speak of it.

    Parameters
    ----------
    package, file : str
        Its start rule is ``program``.
    terminals : dict of str to str
        How messages call terminals that are no fixed words.
    wholes : dict of str to str
        What is expected where a terminal is, instead of a long list.
    otherwise : str
        What is expected where nothing else can be named.
    builder : type or None
        One method per rule; None builds `Part` trees.
    """

    package: str
    file: str
    terminals: Mapping[str, str]
    wholes: Mapping[str, str]
    otherwise: str
    builder: type | None = None

    @property
    def key(self) -> tuple[str, str, type | None]:
        """What tells it from others."""
        return self.package, self.file, self.builder


def parsed(text: str, grammar: Grammar) -> Any:
    """What the builder of a grammar makes of a text.

    Raises
    ------
    ProgramError
        If the text does not parse.
    """
    from lark.exceptions import UnexpectedInput

    try:
        return _lark(*grammar.key).parse(text)
    except UnexpectedInput as error:
        raise ProgramError(_describe(error, text, grammar)) from None


def too_deep(kind: str) -> str:
    """What a message says about nesting beyond `MAX_DEPTH`."""
    remedy = "name its parts in operations of their own"
    return f"nested more than {MAX_DEPTH} deep; expected a flatter {kind}; {remedy}"


def place_of(token: Token) -> s.TextPlace:
    """Where a word of a text stands."""
    return s.TextPlace(token.line or 1, token.column or 1)


def integer(digits: str, place: s.TextPlace) -> int:
    """A number as written.

    Raises
    ------
    ProgramError
        If it has so many digits that it is beyond every bound of the checker; Python refuses some of them.
    """
    if len(digits) > 40:
        raise ProgramError(f"{place}: a number of {len(digits)} digits; expected one that fits into 64 bits")
    return int(digits)


@cache
def _lark(package: str, file: str, builder: type | None) -> _Parser:
    from lark import Lark, Transformer

    grammar = (resources.files(package) / file).read_text(encoding="utf-8")
    if builder is None:
        return _Parser(Lark(grammar, parser="lalr", start="program", propagate_positions=True))
    # lark wants the callbacks of the builder on a base class of its own.
    transformer = type("Builder", (builder, Transformer), {})()
    return _Parser(Lark(grammar, parser="lalr", start="program", transformer=transformer), built=True)


@dataclass(frozen=True, slots=True)
class _Parser:
    lark: Lark
    built: bool = False

    def parse(self, text: str) -> Any:
        """A finished value, or a tree of parts."""
        tree: Any = self.lark.parse(text)
        if self.built:
            return tree
        parts: dict[int, Part] = {}
        depths: dict[int, int] = {}
        for node in tree.iter_subtrees():  # parts before wholes, by no recursion
            inner = tuple(parts.get(id(child)) or _word(child) for child in node.children)
            place = s.TextPlace(node.meta.line, node.meta.column)
            depths[id(node)] = 1 + max((depths.get(id(child), 0) for child in node.children), default=0)
            if depths[id(node)] > MAX_DEPTH:
                raise ProgramError(f"{place}: {too_deep('text')}")
            parts[id(node)] = Part(
                str(node.data), text[node.meta.start_pos : node.meta.end_pos], place, inner
            )
        return parts[id(tree)]


def _word(token: Token) -> Part:
    return Part(token.type, str(token), place_of(token))


def _describe(error: UnexpectedInput, text: str, grammar: Grammar) -> str:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    wanted: set[str] = set()
    if isinstance(error, UnexpectedCharacters):
        found = quoted(text[error.pos_in_stream or 0])
        wanted = set(error.allowed or ())
    elif isinstance(error, UnexpectedToken):
        if stray := _stray_name(error, text):
            return f"{place_of(stray)}: unexpected {quoted(str(stray))}; expected an operator, or a new line"
        found = "the end" if error.token.type == "$END" else quoted(str(error.token))
        wanted = set(error.accepts or error.expected)
    place = s.TextPlace(max(error.line, 1), max(error.column, 1))
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        place = _end_of(text)
    listed = [phrase for terminal, phrase in grammar.terminals.items() if terminal in wanted]
    listed += [word for terminal, word in _words(_lark(*grammar.key).lark) if terminal in wanted]
    listed += ["the end"] * ("$END" in wanted)
    # Everything that can begin a whole would be a long list.
    listed = next(([whole] for terminal, whole in grammar.wholes.items() if terminal in wanted), listed)
    return f"{place}: unexpected {found}; expected {' or '.join(listed) or grammar.otherwise}"


def _words(lark: Lark) -> list[tuple[str, str]]:
    """The terminals that are fixed words, in the order of the grammar, as messages call them."""
    return [(t.name, f"'{t.pattern.value}'") for t in lark.terminals if t.pattern.type == "str"]


def _stray_name(error: UnexpectedToken, text: str) -> Token | None:
    """A name behind an expression on one line, taken for the beginning of an operation that has no '='."""
    if set(error.accepts or error.expected) != {"ASSIGN"} or error.interactive_parser is None:
        return None
    name: Token = error.interactive_parser.parser_state.value_stack[-1]
    before = text.split("\n")[(name.line or 1) - 1][: (name.column or 1) - 1]
    return name if before.strip() else None


def _end_of(text: str) -> s.TextPlace:
    lines = text.rstrip().split("\n")
    return s.TextPlace(len(lines), len(lines[-1]) + 1)
