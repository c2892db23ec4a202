"""A hypothesis as a graph for Graphviz: who reads what, with which factor.

An arrow leads from what writes to the residual stream to what reads it, past the coordinates between them;
its factor is what is read of what is written. So the graph of units and heads is the same in every basis.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from idinf.base.linear_algebra import dot
from idinf.base.words import SOS
from idinf.nets.dense import Activation, Head, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.show.coordinates import Names, describe_head, format_fraction
from idinf.show.export.preamble import describe, show


def write_dot(net: LimitTransformer) -> str:
    """Draw a hypothesis as a directed graph, from the symbols at the bottom to the answer at the top.

    >>> from idinf.api.programs import compile_source
    >>> print(write_dot(compile_source("majority").transformer).splitlines()[-5])
      y1 -> c1 [label="1"];
    """
    lines = [f"// {show(line)}" for line in describe(net)]
    lines += ["digraph hypothesis {", "  rankdir=BT;", '  node [shape=box, fontname="Helvetica"];']
    return "\n".join([*lines, *(f"  {line}" for line in _Graph(net).lines()), "}", ""])


class _Graph:
    """The writers so far, as node and the vector that it adds to the stream, with the layer they stand in."""

    def __init__(self, net: LimitTransformer) -> None:
        self.net, self.names = net, Names.of(net)
        self.writers: list[tuple[str, Vector]] = []
        self.arrows: list[str] = []

    def lines(self) -> Iterator[str]:
        """Nodes layer by layer, then the arrows."""
        yield from self._inputs()
        for number in range(self.net.depth):
            yield from self._layer(number)
        yield from self._answer()
        yield from self.arrows

    def _inputs(self) -> Iterator[str]:
        """A node for every coordinate that embeddings and positions write."""
        net = self.net
        tokens = (SOS, *net.alphabet.symbols)
        for k, name in enumerate(self.names.coordinates):
            column = [row[k] for row in net.embedding]
            places = [row[k] for row in net.positions]
            if not any((*column, *places)):
                continue
            label = name
            if not self.names.one_hot:
                told = [(x, f" at {token}") for token, x in zip(tokens, column, strict=True)]
                told += [(x, f" at i ≡ {i} mod {net.period}") for i, x in enumerate(places)]
                shown = ", ".join(f"{format_fraction(x)}{place}" for x, place in told if x)
                label = f"{name}: {shown}"
            yield _node(f"y{k}", label, "shape=ellipse")
            self.writers.append((f"y{k}", _unit_vector(k, net.width)))

    def _layer(self, number: int) -> Iterator[str]:
        """A box for each layer: heads with what they add, and units."""
        layer, channels = self.net.layers[number], self.names.channels[number]
        yield f"subgraph cluster_{number + 1} {{"
        yield f'  label="layer {number + 1}";'
        below = list(self.writers)
        for place, head in enumerate(layer.heads, start=1):
            node = f"h{number + 1}_{place}"
            yield f"  {_node(node, f'head {place}: {describe_head(head)}', 'style=rounded')}"
            if head.has_logits:
                self._logits(head, node, below)
        for k, name in channels.items():
            rows = [(place, head.V[k]) for place, head in enumerate(layer.heads, start=1) if any(head.V[k])]
            yield f"  {_node(name, name, 'shape=diamond')}"
            for place, row in rows:
                self.arrows.append(f"h{number + 1}_{place} -> {name} [style=dotted, arrowhead=none];")
                self._read(name, row, below, f" by head {place}" if len(rows) > 1 else "")
            self.writers.append((name, _unit_vector(k, self.net.width)))
        mixed = list(self.writers)
        for unit, name in enumerate(self.names.units[number]):
            b = layer.mlp.b[unit]
            argument = f"Σ{'' if not b else ' − ' if b < 0 else ' + '}{format_fraction(abs(b)) if b else ''}"
            heaviside = layer.mlp.activation[unit] is Activation.HEAVISIDE
            label = f"{name} = 1 iff {argument} > 0" if heaviside else f"{name} = max({argument}, 0)"
            yield f"  {_node(name, label)}"
            self._read(name, layer.mlp.A[unit], mixed)
            self.writers.append((name, tuple(row[unit] for row in layer.mlp.B)))
        yield "}"

    def _logits(self, head: Head, node: str, below: list[tuple[str, Vector]]) -> None:
        """Dashed arrows to a head from what its keys and its queries read."""
        for rows, label in ((head.K, "key"), (head.Q, "query")):
            for writer, column in below:
                factors = [dot(row, column) for row in rows]
                if any(factors):
                    shown = ", ".join(map(format_fraction, factors)) if len(factors) == 1 else ""
                    self.arrows.append(_arrow(writer, node, f"{label} {shown}".strip(), ", style=dashed"))

    def _read(self, reader: str, row: Vector, writers: list[tuple[str, Vector]], more: str = "") -> None:
        for writer, column in writers:
            factor = dot(row, column)
            if factor:
                self.arrows.append(_arrow(writer, reader, format_fraction(factor) + more))

    def _answer(self) -> Iterator[str]:
        net, output = self.net, self.net.output
        threshold = format_fraction(Fraction(net.threshold))
        if output is None:
            answers = [("accept", f"accept iff Σ > {threshold} at the last position", net.accept_row)]
        else:
            rule = f"next iff Σ > {threshold}" if output.kind.value == "set" else "next iff Σ is the largest"
            pairs = zip(output.symbols, output.rows, strict=True)
            answers = [(f"o{k}", f"{symbol} {rule}", row) for k, (symbol, row) in enumerate(pairs)]
        for node, label, row in answers:
            yield _node(node, label, "shape=ellipse, style=bold")
            self._read(node, net.unembedding[row], self.writers)


def _unit_vector(place: int, width: int) -> Vector:
    return tuple(Fraction(k == place) for k in range(width))


def _node(name: str, label: str, style: str = "") -> str:
    return f"{name} [label={_text(label)}{f', {style}' if style else ''}];"


def _arrow(writer: str, reader: str, label: str, style: str = "") -> str:
    return f"{writer} -> {reader} [label={_text(label)}{style}];"


def _text(label: str) -> str:
    escaped = show(label).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
