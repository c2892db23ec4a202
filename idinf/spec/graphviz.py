"""The nodes and edges of a ``digraph`` as Graphviz writes it, with the attributes that hold for them.

This is its language without ports, joined texts and subgraphs as ends of edges. Public readers need three
milliseconds for an edge and forget its line, which messages name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from idinf.base.quoting import quote

Attributes = dict[str, str]

#: Blocks in blocks.
_MOST_DEPTH = 20

_TOKEN = re.compile(
    r"""
      (?P<skip> \s+ | //[^\n]* | /\*.*?\*/ | ^\#[^\n]* )
    | (?P<name> [^\W\d]\w* | -?(?:\.\d+|\d+(?:\.\d*)?) )
    | (?P<text> "[^"\\]*(?:\\.[^"\\]*)*" | <[^<>]*(?:<[^<>]*>[^<>]*)*> )
    | (?P<sign> -> | . )
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def parse_graph(
    text: str, fault: Callable[[int, str], Exception]
) -> tuple[dict[str, Attributes], list[tuple[int, str, str, Attributes]]]:
    """Parse the one digraph of a text: its nodes, and its edges with their lines; ``fault`` makes an error.

    >>> parse_graph('digraph { node [shape=box]; a -> b [label="x"] }', lambda line, told: ValueError(told))
    ({'a': {'shape': 'box'}, 'b': {'shape': 'box'}}, [(1, 'a', 'b', {'label': 'x'})])
    """
    parser = _Parser(text, fault)
    parser.parse()
    return parser.nodes, parser.edges


class _Parser:
    """One reading of a text, a token ahead."""

    def __init__(self, text: str, fault: Callable[[int, str], Exception]) -> None:
        self.fault, self.tokens = fault, _tokens(text)
        self.nodes: dict[str, Attributes] = {}
        self.edges: list[tuple[int, str, str, Attributes]] = []
        self.line, self.kind, self.text = next(self.tokens)

    def parse(self) -> None:
        is_strict = self.take("strict")
        self.expect("digraph")
        if self.text != "{":
            self.name()
        self.expect("{")
        blocks: list[dict[str, Attributes]] = [{"graph": {}, "node": {}, "edge": {}}]
        while blocks:
            defaults = blocks[-1]
            if self.take("}"):
                blocks.pop()
            elif self.take("subgraph"):
                if self.text != "{":
                    self.name()
            elif self.take("{") and len(blocks) < _MOST_DEPTH:
                blocks.append({kind: dict(held) for kind, held in defaults.items()})
            elif self.kind == "name" and self.text.lower() in defaults:
                held = defaults[self.text.lower()]
                self.advance()
                held.update(self.attributes())
            elif not self.take(";"):
                self.statement(defaults["node"], defaults["edge"])
        if self.kind != "end":
            raise self.unexpected("one graph")
        met = set[tuple[str, str]]()
        for line, state, after, _ in self.edges if is_strict else ():
            if (state, after) in met:
                told = f"a second arrow from {quote(state)} to {quote(after)}, and Graphviz shows one"
                raise self.fault(line, f"{told}; expected one in a strict graph; delete strict")
            met.add((state, after))

    def statement(self, node: Attributes, edge: Attributes) -> None:
        """An attribute of the graph, a node, or a chain of edges."""
        line, chain = self.line, [self.name()]
        if self.take("="):
            self.name()
            return
        while self.take("->"):
            chain.append(self.name())
        given = self.attributes()
        for name in chain:
            self.nodes.setdefault(name, dict(node))
        if len(chain) == 1:
            self.nodes[chain[0]].update(given)
        self.edges += [(line, *ends, {**edge, **given}) for ends in itertools.pairwise(chain)]

    def attributes(self) -> Attributes:
        found: Attributes = {}
        while self.take("["):
            while not self.take("]"):
                key = self.name()
                self.expect("=")
                found[key] = self.name()
                self.take(",") or self.take(";")
        return found

    def name(self) -> str:
        if self.kind not in ("name", "text"):
            raise self.unexpected("a name or a text in quotes")
        text = self.text
        self.advance()  # an end of line behind a backslash joins two lines
        return text[1:-1].replace("\\\n", "").replace('\\"', '"') if text[0] == '"' else text

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self.unexpected(quote(word))

    def take(self, word: str) -> bool:
        found = self.kind != "text" and self.text.lower() == word
        if found:
            self.advance()
        return found

    def advance(self) -> None:
        self.line, self.kind, self.text = next(self.tokens)

    def unexpected(self, expected: str) -> Exception:
        found = "the end of the file" if self.kind == "end" else quote(self.text)
        return self.fault(self.line, f"{found}; expected {expected}; correct the graph")


def _tokens(text: str) -> Iterator[tuple[int, str, str]]:
    line = 1
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "skip":
            yield line, str(match.lastgroup), match[0]
        line += match[0].count("\n")
    while True:
        yield line, "end", ""
