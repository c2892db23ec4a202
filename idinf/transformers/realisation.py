"""The dense realisation of a one-hot Limit Transformer, which defines its R.

Other realisations of the same function, with scaled or non-orthogonal embeddings or factors moved
between V and A, can have a smaller R; this module is the one place they would go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from idinf.experiments.spec import END
from idinf.transformers.attention import AttentionPattern
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
from idinf.transformers.one_hot_parts import NextReads, OneHotHead, OneHotLayer, OneHotUnit
from idinf.words import Alphabet

_ZERO, _ONE = Fraction(0), Fraction(1)


def realise(
    alphabet: Alphabet,
    precision: int,
    period: int,
    layers: Sequence[OneHotLayer],
    rows: Sequence[Sequence[int]],
    threshold: int,
    reads: NextReads | None = None,
) -> LimitTransformer:
    """Write the parts of a hypothesis with one-hot embeddings and a coordinate for everything.

    Exact. Coordinates are the features of all layers ($, the symbols, the residues, every unit of every
    layer), then the channels in order of layer, head and channel. Row i of the Δ positions is 1 in the
    coordinate of residue i; for Δ = 1 there are no residues and the one row is zero. K^T Q is the logit
    matrix M of the head, φ its φ; V writes each channel into its coordinate, A reads features and
    channels, B writes each unit's 1 into its feature, and the unembedding reads the units of the last
    layer.

    Parameters
    ----------
    alphabet, precision, period, layers, threshold, reads
        As of `idinf.transformers.one_hot.OneHotTransformer`, checked.
    rows : sequence of (m,) sequence of int
        U on the units of the last layer.

    Examples
    --------
    >>> from idinf.transformers.one_hot_parts import OneHotLayer, OneHotUnit
    >>> from idinf.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 1), b=0)
    >>> dense = realise(Alphabet(("a",)), 0, 1, (OneHotLayer((), (unit,)),), ((1,),), 0)
    >>> dense.width, dense.num_heads, [int(entry) for entry in dense.layers[0].mlp.A[0]]
    (3, 0, [0, 1, 0])
    """
    features = 1 + len(alphabet) + (period if period > 1 else 0)
    free = features + sum(len(layer.units) for layer in layers)  # channels come after all features
    width = free + sum(len(head.channels) for layer in layers for head in layer.heads)
    dense = []
    for layer in layers:
        # The channels of head h start at starts[h].
        starts = []
        for head in layer.heads:
            starts.append(free)
            free += len(head.channels)
        heads = (
            _head(head, start, width, precision) for head, start in zip(layer.heads, starts, strict=True)
        )
        dense.append(Layer(tuple(heads), _mlp(layer.units, features, starts, width, precision)))
        features += len(layer.units)
    last = features - len(layers[-1].units)
    symbols = (*alphabet.symbols, END)
    return LimitTransformer(
        alphabet=alphabet,
        precision=precision,
        embedding=tuple(_row(width, {token: _ONE}) for token in range(1 + len(alphabet))),
        positions=_positions(1 + len(alphabet), period, width),
        layers=tuple(dense),
        unembedding=tuple(
            _row(width, {last + u: Fraction(entry) for u, entry in enumerate(row) if entry}) for row in rows
        ),
        accept_row=0,
        threshold=threshold,
        output=None if reads is None else NextOutput(reads.kind, symbols, tuple(range(len(symbols)))),
    )


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


def _positions(first: int, period: int, width: int) -> Matrix:
    """The rows of the residues, whose coordinates start at ``first``."""
    if period == 1:
        return (_row(width, {}),)
    return tuple(_row(width, {first + residue: _ONE}) for residue in range(period))


def _head(head: OneHotHead, start: int, width: int, precision: int) -> Head:
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


def _mlp(units: Sequence[OneHotUnit], first: int, starts: Sequence[int], width: int, precision: int) -> Mlp:
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
