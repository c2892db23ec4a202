"""What a hypothesis computes on a word: rows of exact numbers over positions, each with a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from idinf.linear_algebra import dot
from idinf.render.coordinates import Names, describe_head, write_linear
from idinf.transformers.dense import Layer, Matrix, Vector
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.reference import trace
from idinf.words import SOS, Word


@dataclass(frozen=True, slots=True)
class LayerRows:
    """One layer; a row is a name and N numbers, one for each position 0..n."""

    #: (N, N) of each head, α_ij with query i and key j <= i; rows are ragged, row i has i + 1 entries.
    attention: tuple[Matrix, ...]
    accumulators: tuple[tuple[str, Vector], ...]  #: what attention adds to a coordinate of the stream
    arguments: tuple[tuple[str, Vector], ...]  #: A Y_i + b of each unit
    units: tuple[tuple[str, Vector], ...]  #: ψ(A Y_i + b)
    notes: tuple[str, ...]  #: what the names stand for


@dataclass(frozen=True, slots=True)
class Computation:
    """A whole forward pass."""

    symbols: tuple[str, ...]  #: those read, `$` first
    layers: tuple[LayerRows, ...]
    output: Fraction  #: (U y_n)_row at the end; for next symbols (U y_n)_0
    threshold: int | Fraction
    accepted: bool  #: for next symbols, whether the end may follow
    rows: tuple[tuple[str, Vector], ...]  #: of every next symbol its row of U y_i; empty for acceptance
    named: tuple[tuple[str, ...], ...]  #: the next symbols at every position; empty for acceptance


def trace_computation(dense: LimitTransformer, word: Word) -> Computation:
    """Run a hypothesis on a word by the definitions and name what it computes; exact.

    Examples
    --------
    >>> from idinf.transformers.one_hot import OneHotTransformer
    >>> from idinf.transformers.one_hot_parts import OneHotLayer, OneHotUnit
    >>> from idinf.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 1), b=0)
    >>> net = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer((), (unit,)),), (1,), 0)
    >>> done = trace_computation(net.to_dense(), (0,))
    >>> done.accepted, done.layers[0].units, done.layers[0].notes
    (True, (('u1', (Fraction(0, 1), Fraction(1, 1))),), ('u1 = 1 iff [a] > 0',))
    """
    run = trace(dense, word)
    stream, names, layers = run.inputs, Names.of(dense), []
    for number, (layer, done) in enumerate(zip(dense.layers, run.layers, strict=True)):
        channels, fired, inner = names.channels[number], names.units[number], names.read_by(number)
        added = [[y[k] - x[k] for x, y in zip(stream, done.mixed, strict=True)] for k in channels]
        arguments = [
            [dot(row, y) + b for y in done.mixed] for row, b in zip(layer.mlp.A, layer.mlp.b, strict=True)
        ]
        layers.append(
            LayerRows(
                tuple(head.attention for head in done.heads),
                _rows(channels.values(), added),
                _rows([f"z{name[1:]}" for name in fired], arguments),
                _rows(fired, zip(*done.activations, strict=True)),
                (
                    *_channel_notes(layer, channels, names.coordinates),
                    *_unit_notes(layer, fired, inner),
                ),
            )
        )
        stream = done.outputs
    symbols = (SOS, *(dense.alphabet.symbols[code] for code in word))
    following, rows = ((), ()) if dense.output is None else (dense.output.symbols, dense.output.rows)
    outputs = _rows(following, ([dot(dense.unembedding[row], y) for y in stream] for row in rows))
    last = run.logits[dense.accept_row]
    return Computation(symbols, tuple(layers), last, dense.threshold, run.accepted, outputs, run.next_symbols)


def _rows(names: Iterable[str], values: Iterable[Sequence[Fraction]]) -> tuple[tuple[str, Vector], ...]:
    return tuple((name, tuple(row)) for name, row in zip(names, values, strict=True))


def _channel_notes(layer: Layer, named: dict[int, str], names: Sequence[str]) -> list[str]:
    notes = []
    for k, name in named.items():
        parts = [
            f"Σⱼ αᵢⱼ ({write_linear(head.V[k], names)}) of head {number}"
            for number, head in enumerate(layer.heads, start=1)
            if any(head.V[k])
        ]
        notes.append(f"{name} = {' + '.join(parts)}")
    heads = (f"head {number}: {describe_head(head)}" for number, head in enumerate(layer.heads, start=1))
    return [*heads, *notes]


def _unit_notes(layer: Layer, fired: Sequence[str], names: Sequence[str]) -> list[str]:
    notes = []
    for name, row, b, activation in zip(fired, layer.mlp.A, layer.mlp.b, layer.mlp.activation, strict=True):
        argument = write_linear(row, names, b)
        heaviside = activation.value == "heaviside"
        notes.append(f"{name} = 1 iff {argument} > 0" if heaviside else f"{name} = max({argument}, 0)")
    return notes
