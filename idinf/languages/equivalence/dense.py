"""Dense Limit Transformers as step machines: exact where every head reads finitely many classes of positions.

What a position gives to later ones is what heads multiply by V. Where this depends on nothing but the
embeddings and Heaviside units below, it is on a fixed grid, and its sums are the state: integers. Averages
may go anywhere else, through ReLU units too, as compiled programs need it. With φ the weights depend on N,
so the machine is made for one N.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Alphabet, Word
from idinf.errors import PrecisionError
from idinf.nets import reference
from idinf.nets.attention import compute_scaled_weight
from idinf.nets.dense import Activation, Layer, Matrix
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.spec import END, Answer
from idinf.targets.machine import BoolArray, IntArray, Target
from idinf.targets.machine import accepts as accepted_by_machine

#: Integers of int64, or of any size where these could not hold them.
Numbers = NDArray[Any]

#: int64 is used for numbers below.
EXACT = 2**62

#: What decides words in a comparison: a step machine, or a hypothesis, whose answers may depend on N.
Decider = Target | LimitTransformer


def accepts(language: Decider, word: Word) -> bool:
    """True if a word is in a language.

    >>> from idinf.targets.regular import RegularTarget
    >>> accepts(RegularTarget.from_regex("ab", Alphabet(("a", "b"))), (0, 1))
    True
    """
    if isinstance(language, LimitTransformer):
        return reference.accepts(language, word)
    return accepted_by_machine(language, word)


def runs_as_machine(transformer: LimitTransformer) -> bool:
    """True if `DenseMachine` can run a Limit Transformer: no logits K^T Q, and no head reads an average."""
    averages = np.zeros(transformer.width, dtype=np.bool_)
    for layer in transformer.layers:
        values = [np.array(head.V, dtype=np.bool_) for head in layer.heads]
        if any(head.has_logits for head in layer.heads) or any(V[:, averages].any() for V in values):
            return False
        for V in values:
            averages |= V.any(axis=1)
        A, B = (np.array(rows, dtype=np.bool_) for rows in (layer.mlp.A, layer.mlp.B))
        for unit, kind in enumerate(layer.mlp.activation):
            if kind is Activation.RELU and A[unit, averages].any():
                averages |= B[:, unit]
    return True


def is_uniform(transformer: LimitTransformer) -> bool:
    """True if no head has a φ, so that nothing depends on N."""
    return not any(head.phi for layer in transformer.layers for head in layer.heads)


@dataclass(frozen=True, eq=False)
class DenseMachine(Target):
    """A dense Limit Transformer run left to right.

    A state holds the position, for every layer and weighting the sum of V y_j over all j so far and V y_j of
    the last τ positions, and the label. A value of the stream at a position is one integer over a
    denominator that all states share, 2^e · D with D a multiple of the sums of weights.
    """

    #: One that `runs_as_machine`.
    transformer: LimitTransformer
    #: Length of the input with SOS that weights are made for: labels are those of words of length N − 1. Any
    #: number where the heads are uniform; labels then are those of all words.
    N: int = 1

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the transformer."""
        return self.transformer.alphabet

    def start(self) -> IntArray:
        """The state after SOS; (1, k)."""
        width = 1 + self._outputs + sum(mixer.width for layer in self._layers for mixer in layer.mixers)
        states = np.zeros((1, width), dtype=np.int64)
        states[0, 0] = -1
        return self._read(states, 0)

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        out = np.empty_like(states)
        for position in np.unique(states[:, 0]).tolist():
            here = states[:, 0] == position
            out[here] = self._read(states[here], 1 + symbol)
        return out

    def labels(self, states: IntArray) -> BoolArray:
        """The label columns as truth values; (S, k) → (S,), of next symbols (S, K) as of a target."""
        said = states[:, -self._outputs :] != 0
        return said if self.transformer.output is not None else np.asarray(said[:, 0])

    def _read(self, states: IntArray, token: int) -> IntArray:
        """Read a token in states of one position."""
        net, scale = self.transformer, 1 << self.transformer.precision
        position = int(states[0, 0]) + 1 if len(states) else 0
        row = zip(net.embedding[token], net.positions[position % net.period], strict=True)
        entering = np.array([int((a + b) * scale) for a, b in row], dtype=np.int64)
        stream: Numbers = np.tile(entering, (len(states), 1))
        whole, ones = scale, 1  # the stream is its numbers over whole · ones; whole is a power of two
        columns, begin = [np.full(len(states), position)], 1
        for layer in self._layers:
            read = []
            for mixer in layer.mixers:
                values = _as_int64(_exact(np.matmul, stream // ones, mixer.values))
                kept = states[:, begin : begin + mixer.width]
                mixed, total, after = mixer.mixed(kept, values, position, self.N, net.precision)
                begin += mixer.width
                columns.extend(after.T)
                if total:
                    read.append((mixer, mixed, total))
            common = lcm(ones, *(total for _, _, total in read))
            stream = _exact(np.multiply, stream, scale * (common // ones))
            for mixer, mixed, total in read:
                written = _exact(np.matmul, _exact(np.multiply, mixed, common // total), mixer.rows)
                stream = _exact(np.add, stream, written)
            whole, ones = whole * scale, common
            stream = layer.with_units(stream, whole * ones, scale)
            whole *= scale * scale
        above, below = Fraction(net.threshold).as_integer_ratio()
        logits = _exact(np.multiply, _exact(np.matmul, stream, self._rows), below)
        if net.output is not None and net.output.kind is Answer.SYMBOL:
            answer = logits.argmax(axis=1)[:, None] == np.arange(logits.shape[1])
        else:
            answer = logits > above * scale * whole * ones
        columns.extend((answer @ self._places).T)
        return np.stack(columns, axis=1).astype(np.int64)

    @cached_property
    def _rows(self) -> IntArray:
        """The rows of U that answer, as columns; (d, answers)."""
        net = self.transformer
        rows = (net.accept_row,) if net.output is None else net.output.rows
        return _grid(tuple(net.unembedding[row] for row in rows), net.precision).T

    @property
    def _outputs(self) -> int:
        return 1 if self.transformer.output is None else len(self.alphabet) + 1

    @cached_property
    def _places(self) -> IntArray:
        """A 1 at the output of each answer; (answers, K). A next symbol without a row is never named."""
        output = self.transformer.output
        if output is None:
            return np.ones((1, 1), dtype=np.int64)
        symbols = (*self.alphabet.symbols, END)
        return np.array([[symbol == each for each in symbols] for symbol in output.symbols], dtype=np.int64)

    @cached_property
    def _layers(self) -> tuple[_LayerReader, ...]:
        return tuple(_LayerReader(layer, self.transformer.precision) for layer in self.transformer.layers)


@dataclass(frozen=True, eq=False)
class _Mixer:
    """Heads of one layer with one φ: V y_j restricted to the rows they write."""

    phi: tuple[Fraction, ...]
    values: IntArray  # (d, r): the stream times this is V y_j
    rows: IntArray  # (r, d): what is written times this is in the rows of the stream

    @property
    def width(self) -> int:
        """Columns of a state: the sum, and the last values where φ is not 0, nearest first."""
        return len(self.rows) * max(1, len(self.phi))

    def mixed(
        self, kept: IntArray, values: IntArray, position: int, N: int, precision: int
    ) -> tuple[IntArray, int, IntArray]:
        """Σ w_ij V y_j and Σ w_ij, both in units of 2^-p beside their own, and the columns after this."""
        size, one = values.shape[1], 1 << precision
        recent = np.concatenate([values, kept[:, size:]], axis=1)
        sums = _as_int64(kept[:, :size] + values)
        total, mixed = one * (position + 1), _as_int64(_exact(np.multiply, sums, one))
        for distance, logit in enumerate(self.phi[: position + 1]):
            more = compute_scaled_weight(N, int(logit * one), precision) - one
            total += more
            added = _exact(np.multiply, recent[:, distance * size :][:, :size], more)
            mixed = _as_int64(_exact(np.add, mixed, added))
        return mixed, total, np.concatenate([sums, recent], axis=1)[:, : self.width]


class _LayerReader:
    """One layer as integers in units of 2^-p."""

    def __init__(self, layer: Layer, precision: int) -> None:
        by_phi: dict[tuple[Fraction, ...], IntArray] = {}
        for head in layer.heads:
            by_phi[head.phi] = by_phi.get(head.phi, 0) + _grid(head.V, precision)
        mlp, width = layer.mlp, len(layer.mlp.B)
        self.mixers: list[_Mixer] = []
        for phi, V in by_phi.items():
            written = V.any(axis=1)
            if written.any():
                self.mixers.append(_Mixer(phi, V[written].T, np.eye(width, dtype=np.int64)[written]))
        self.A = _grid(mlp.A, precision).reshape(-1, width)
        self.b = _grid((mlp.b,), precision)
        self.B = _grid(mlp.B, precision).reshape(width, -1)
        self.relu = np.array([kind is Activation.RELU for kind in mlp.activation], dtype=np.bool_)

    def with_units(self, stream: Numbers, denominator: int, scale: int) -> Numbers:
        """Y + B ψ(A Y + b), over a denominator that is scale² times that of Y."""
        read = _exact(np.matmul, stream, self.A.T)
        read = _exact(np.add, read, _exact(np.multiply, self.b, denominator))
        fired = _exact(np.multiply, (read > 0).astype(np.int64), denominator * scale)
        units = np.where(self.relu, np.where(read > 0, read, 0), fired)
        written = _exact(np.matmul, units, self.B.T)
        return _exact(np.add, _exact(np.multiply, stream, scale * scale), written)


def _grid(rows: Matrix, precision: int) -> IntArray:
    return np.array([[int(entry * (1 << precision)) for entry in row] for row in rows], dtype=np.int64)


def _largest(numbers: Numbers) -> int:
    return max(abs(int(numbers.max())), abs(int(numbers.min()))) if numbers.size else 0


def _exact(operation: np.ufunc, left: Numbers, right: Numbers | int) -> Numbers:
    """A sum or a product in int64 if it fits, in integers of any size otherwise."""
    right = np.asarray(right)
    bound = (1 + _largest(left)) * (1 + _largest(right)) * (1 + left.shape[1])
    if object in (left.dtype, right.dtype) or bound >= EXACT:
        left, right = left.astype(object), right.astype(object)
    return np.asarray(operation(left, right))


def _as_int64(numbers: Numbers) -> IntArray:
    """The numbers as a state holds them."""
    if _largest(numbers) >= EXACT:
        raise PrecisionError(
            "a sum of values of the hypothesis leaves 62 bits; expected smaller ones; lower --max-n"
        )
    return numbers.astype(np.int64)
