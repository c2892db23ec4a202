"""The judge: the forward pass of one word at a time, in Fractions, written as the definitions are.

Equation numbers are those of [HYB25]; every shortcut elsewhere is tested against this module. The only
liberties are that products with a zero entry are skipped and weights are remembered.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from idinf.base.linear_algebra import dot, multiply
from idinf.base.words import Word
from idinf.errors import AlphabetMismatchError
from idinf.nets.attention import compute_rounded_weight, find_grid_index
from idinf.nets.dense import Activation, DenseTransformer, Head, Layer, Matrix, Mlp, Vector
from idinf.spec.spec import END

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class HeadTrace:
    """Values of one head in a run; row i holds one entry for each key j = 0..i.

    ``logits`` are a_ij rounded to p bits, ``weights`` are w_ij = round_p(N^a_ij), ``attention`` is
    α_ij = w_ij / Σ_j w_ij, or all 0 where every weight of the row is 0.
    """

    logits: Matrix
    weights: Matrix
    attention: Matrix


@dataclass(frozen=True, slots=True)
class LayerTrace:
    """Values of one layer in a run; row i belongs to position i, 0 being SOS.

    ``mixed`` is Y_i, the stream after attention, (N, d); ``activations`` is ψ(A Y_i + b), (N, m);
    ``outputs`` is y_i of this layer, (N, d).
    """

    heads: tuple[HeadTrace, ...]
    mixed: Matrix
    activations: Matrix
    outputs: Matrix


@dataclass(frozen=True, slots=True)
class ForwardTrace:
    """The whole computation on one word: y^(0), the layers, U y_n at the last position, the verdict.

    ``next_symbols`` are the symbols that a hypothesis about next symbols names at every position 0..n; then
    ``accepted`` is True if end-of-string is among those of the last position. Empty for acceptance.
    """

    word: Word
    inputs: Matrix
    layers: tuple[LayerTrace, ...]
    logits: Vector
    accepted: bool
    next_symbols: tuple[tuple[str, ...], ...] = ()


def accepts(transformer: DenseTransformer, word: Word, offset: int = 0) -> bool:
    """True if a transformer accepts a word; ε is judged at SOS. Cost and errors as `trace`."""
    return trace(transformer, word, offset).accepted


def name_next_symbols(
    transformer: DenseTransformer, word: Word, offset: int = 0
) -> tuple[tuple[str, ...], ...]:
    """Symbols that a hypothesis about next symbols names at positions 0..n, N = n + 1; () for acceptance."""
    return trace(transformer, word, offset).next_symbols


def trace(transformer: DenseTransformer, word: Word, offset: int = 0) -> ForwardTrace:
    """Run a Limit Transformer, or an ordinary one at an offset, on a word and keep every intermediate value.

    Exact. O(L H n² d + L n d²) Fraction operations.

    Raises `AlphabetMismatchError` if a code of the word is not one of the alphabet. `HypothesisFormatError`
    if the context of an ordinary transformer ends before the word does. `BudgetError` if a logit cannot be
    exponentiated within `attention.MAX_BITS`.

    Implements Section 2 of [HYB25], and the logits of Definition 2 where heads have a φ. If every weight of a
    query rounds to 0, the attention output of that query is 0.
    """
    stream = inputs = _embed(transformer, word, offset)
    layers = []
    for layer in transformer.layers:
        layers.append(_run_layer(layer, stream, transformer.precision))
        stream = layers[-1].outputs
    logits = multiply(transformer.unembedding, stream[-1])
    if transformer.output is None:
        accepted = logits[transformer.accept_row] > transformer.threshold
        return ForwardTrace(word, inputs, tuple(layers), logits, accepted)
    named = tuple(
        transformer.output.read(multiply(transformer.unembedding, y), transformer.threshold) for y in stream
    )
    return ForwardTrace(word, inputs, tuple(layers), logits, END in named[-1], named)


def _embed(transformer: DenseTransformer, word: Word, offset: int) -> Matrix:
    """y_i^(0) = E_{x_i} + p_{i+o} for x = $ w (1)."""
    size = len(transformer.alphabet)
    foreign = [code for code in word if not 0 <= code < size]
    if foreign:
        raise AlphabetMismatchError(
            f"word {word}: code {foreign[0]} is no symbol; expected codes from 0 to {size - 1}; "
            "encode words with the alphabet of the hypothesis"
        )
    rows = (0, *(1 + code for code in word))
    positions = transformer.position_rows(len(rows), offset)
    return tuple(_sum(transformer.embedding[row], p) for row, p in zip(rows, positions, strict=True))


def _run_layer(layer: Layer, stream: Matrix, p: int) -> LayerTrace:
    heads = tuple(_attend(head, stream, p) for head in layer.heads)
    mixed = _mix(layer.heads, heads, stream)
    activations = tuple(_activate(layer.mlp, y) for y in mixed)
    outputs = tuple(
        _sum(y, multiply(layer.mlp.B, units)) for y, units in zip(mixed, activations, strict=True)
    )  # y_i^(l) = Y_i + B ψ(A Y_i + b) (4)
    return LayerTrace(heads, mixed, activations, outputs)


def _attend(head: Head, stream: Matrix, p: int) -> HeadTrace:
    """The attention of every query i to every key j <= i (2), (3)."""
    N = len(stream)
    keys = [multiply(head.K, y) for y in stream]
    queries = [multiply(head.Q, y) for y in stream]
    phi = (*head.phi, *[_ZERO] * N)
    logits, weights, attention = [], [], []
    for i, query in enumerate(queries):
        # a_ij = round_p((K y_j)·(Q y_i) + φ(i − j)), here in units of 2^-p
        grid = [find_grid_index(dot(keys[j], query) + phi[i - j], p) for j in range(i + 1)]
        row = tuple(compute_rounded_weight(N, k, p) for k in grid)
        total = sum(row, _ZERO)
        logits.append(tuple(Fraction(k, 1 << p) if k else _ZERO for k in grid))
        weights.append(row)
        attention.append(tuple(w / total if w else _ZERO for w in row))
    return HeadTrace(tuple(logits), tuple(weights), tuple(attention))


def _mix(heads: tuple[Head, ...], traces: tuple[HeadTrace, ...], stream: Matrix) -> Matrix:
    """Y_i = y_i + Σ_h Σ_{j<=i} α_ij V y_j (3)."""
    mixed = [list(y) for y in stream]
    for head, head_trace in zip(heads, traces, strict=True):
        values = [_nonzero(multiply(head.V, y)) for y in stream]
        for i, row in enumerate(head_trace.attention):
            for alpha, value in zip(row, values[: i + 1], strict=True):
                for coordinate, entry in value:
                    mixed[i][coordinate] += alpha * entry
    return tuple(tuple(y) for y in mixed)


def _activate(mlp: Mlp, y: Vector) -> Vector:
    """ψ(A y + b); Heaviside(z) = 1 iff z > 0."""
    return tuple(
        max(z, _ZERO) if activation is Activation.RELU else Fraction(z > 0)
        for activation, z in zip(mlp.activation, _sum(multiply(mlp.A, y), mlp.b), strict=True)
    )


def _nonzero(y: Vector) -> list[tuple[int, Fraction]]:
    return [(coordinate, entry) for coordinate, entry in enumerate(y) if entry]


def _sum(x: Vector, y: Vector) -> Vector:
    return tuple(a + b if b else a for a, b in zip(x, y, strict=True))
