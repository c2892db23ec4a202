"""The dense realisation of a gated Limit Transformer, which defines its R.

Other realisations of the same function, with scaled or non-orthogonal embeddings or factors moved
between V and A, can have a smaller R; this module is the one place they would go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from idinf.experiments.spec import END
from idinf.transformers.limit_transformer import (
    Activation,
    Head,
    Layer,
    LimitTransformer,
    Matrix,
    Mlp,
    Vector,
)
from idinf.transformers.next_output import NextOutput

if TYPE_CHECKING:
    from idinf.transformers.attention import AttentionPattern
    from idinf.transformers.one_hot import GatedHead, GatedTransformer, GatedUnit

__all__ = ["one_hot", "parameters_in_file_order"]

_ZERO, _ONE = Fraction(0), Fraction(1)


def one_hot(gated: GatedTransformer) -> LimitTransformer:
    """Write a gated Limit Transformer with one-hot embeddings and a coordinate for everything.

    Exact. Coordinates are the features of all layers ($, the symbols, the residues, every unit of every
    layer), then the channels in order of layer, head and channel. Row i of the Δ positions is 1 in the
    coordinate of residue i; for Δ = 1 there are no residues and the one row is zero. K^T Q is the logit
    matrix M of the head, φ its φ; V writes each channel into its coordinate, A reads features and
    channels, B writes each unit's 1 into its feature, and the unembedding reads the units of the last
    layer.

    Examples
    --------
    >>> from idinf.transformers.one_hot import GatedLayer, GatedTransformer, GatedUnit
    >>> from idinf.words import Alphabet
    >>> unit = GatedUnit((), s=(0, 1), b=0)
    >>> dense = one_hot(GatedTransformer(Alphabet(("a",)), 0, (GatedLayer((), (unit,)),), (1,), 0))
    >>> dense.width, dense.num_heads, [int(entry) for entry in dense.layers[0].mlp.A[0]]
    (3, 0, [0, 1, 0])
    """
    depth = len(gated.layers)
    num_features = gated.num_features(depth)
    width = num_features + sum(len(head.channels) for layer in gated.layers for head in layer.heads)
    layers, free = [], num_features
    for number, layer in enumerate(gated.layers):
        # The channels of head h start at starts[h].
        starts = []
        for head in layer.heads:
            starts.append(free)
            free += len(head.channels)
        heads = tuple(
            _head(head, start, width, gated.precision)
            for head, start in zip(layer.heads, starts, strict=True)
        )
        mlp = _mlp(layer.units, gated.num_features(number), starts, width, gated.precision)
        layers.append(Layer(heads, mlp))
    last = gated.num_features(depth - 1)
    return LimitTransformer(
        alphabet=gated.alphabet,
        precision=gated.precision,
        embedding=tuple(_row(width, {token: _ONE}) for token in range(1 + len(gated.alphabet))),
        positions=_positions(gated, width),
        layers=tuple(layers),
        unembedding=tuple(
            _row(width, {last + u: Fraction(entry) for u, entry in enumerate(row) if entry})
            for row in gated.rows
        ),
        accept_row=0,
        threshold=gated.threshold,
        output=_next_output(gated),
    )


def _next_output(gated: GatedTransformer) -> NextOutput | None:
    """One row for each next symbol, end-of-string last."""
    if gated.reads is None:
        return None
    symbols = (*gated.alphabet.symbols, END)
    return NextOutput(gated.reads.kind, symbols, tuple(range(len(symbols))))


def parameters_in_file_order(transformer: LimitTransformer) -> Vector:
    """Flatten the layers, the unembedding and the threshold in the order a file lists them; exact."""
    return tuple(_iter_parameters(transformer))


def _iter_parameters(transformer: LimitTransformer) -> Iterator[Fraction]:
    for layer in transformer.layers:
        for head in layer.heads:
            for rows in (head.K, head.Q, head.V, (head.phi or (_ZERO,),)):
                for row in rows:
                    yield from row
        for rows in (layer.mlp.A, (layer.mlp.b,), layer.mlp.B):
            for row in rows:
                yield from row
    for row in transformer.unembedding:
        yield from row
    yield Fraction(transformer.threshold)


def _positions(gated: GatedTransformer, width: int) -> Matrix:
    if gated.period == 1:
        return (_row(width, {}),)
    first = 1 + len(gated.alphabet)
    return tuple(_row(width, {first + residue: _ONE}) for residue in range(gated.period))


def _head(head: GatedHead, start: int, width: int, precision: int) -> Head:
    V = [_row(width, {})] * width
    for g, values in enumerate(head.channels):
        V[start + g] = _row(width, _grid_entries(values, precision))
    K, Q = _keys_and_queries(head.pattern, width, precision)
    phi = tuple(Fraction(value, 1 << precision) for value in head.pattern.phi)
    return Head(K, Q, tuple(V), phi)


def _keys_and_queries(pattern: AttentionPattern, width: int, precision: int) -> tuple[Matrix, Matrix]:
    """K and Q with K^T Q = M: Q asks for one query feature a row, K holds the column of M that answers."""
    K, Q = [], []
    for query, column in enumerate(zip(*pattern.logits, strict=True)):
        if any(column):
            K.append(_row(width, _grid_entries(column, precision)))
            Q.append(_row(width, {query: _ONE}))
    zero_row = _row(width, {})
    return tuple(K) or (zero_row,), tuple(Q) or (zero_row,)


def _mlp(units: Sequence[GatedUnit], first: int, starts: Sequence[int], width: int, precision: int) -> Mlp:
    """The MLP whose units have the features ``first``, ``first + 1``, …"""
    A = []
    for unit in units:
        entries = _grid_entries(unit.s, precision)
        for head, g, entry in unit.reads:
            entries[starts[head] + g] = Fraction(entry, 1 << precision)
        A.append(_row(width, entries))
    b = tuple(Fraction(unit.b, 1 << precision) for unit in units)
    B = [_row(len(units), {})] * width
    for u in range(len(units)):
        B[first + u] = _row(len(units), {u: _ONE})
    return Mlp(tuple(A), b, tuple(B), (Activation.HEAVISIDE,) * len(units))


def _grid_entries(values: Sequence[int], precision: int) -> dict[int, Fraction]:
    return {place: Fraction(value, 1 << precision) for place, value in enumerate(values) if value}


def _row(width: int, entries: Mapping[int, Fraction]) -> Vector:
    return tuple(entries.get(place, _ZERO) for place in range(width))
