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

from idinf.errors import PrecisionError
from idinf.targets.machine import BoolArray, IntArray
from idinf.transformers.attention import scaled_weight
from idinf.transformers.limit_transformer import Activation, Layer, LimitTransformer, Matrix
from idinf.words import Alphabet

#: Integers of int64, or of any size where these could not hold them.
Numbers = NDArray[Any]

#: int64 is used for numbers below.
EXACT = 2**62


def runs_as_machine(transformer: LimitTransformer) -> bool:
    """Whether `DenseMachine` can run a Limit Transformer: no logits K^T Q, and no head reads an average.

    Examples
    --------
    >>> from idinf.transformers.one_hot import OneHotTransformer
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> runs_as_machine(OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (1,), 0).to_dense())
    True
    """
    averages: set[int] = set()
    for layer in transformer.layers:
        for head in layer.heads:
            if head.has_logits or averages & _columns(head.V):
                return False
        averages |= {row for head in layer.heads for row, entries in enumerate(head.V) if any(entries)}
        for unit, kind in enumerate(layer.mlp.activation):
            reads = {place for place, entry in enumerate(layer.mlp.A[unit]) if entry}
            if kind is Activation.RELU and averages & reads:
                averages |= {row for row, entries in enumerate(layer.mlp.B) if entries[unit]}
    return True


def is_uniform(transformer: LimitTransformer) -> bool:
    """Whether no head has a φ, so that nothing depends on N."""
    return not any(head.phi for layer in transformer.layers for head in layer.heads)


@dataclass(frozen=True, eq=False)
class DenseMachine:
    """A dense Limit Transformer run left to right.

    Parameters
    ----------
    transformer : LimitTransformer
        One that `runs_as_machine`.
    N : int
        Length of the input with SOS that weights are made for: labels are those of words of length N − 1.
        Any number where the heads are uniform; labels then are those of all words.

    Notes
    -----
    A state holds the position, for every layer and weighting the sum of V y_j over all j so far and V y_j of
    the last τ positions, and the label. A value of the stream at a position is one integer over a
    denominator that all states share, 2^e · D with D a multiple of the sums of weights.

    Examples
    --------
    >>> from idinf.transformers.one_hot import OneHotTransformer
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> more_0 = DenseMachine(OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (1,), 0).to_dense())
    >>> more_0.step(more_0.start(), 0).tolist()   # position, #0 − #1, label
    [[1, 1, 1]]
    """

    transformer: LimitTransformer
    N: int = 1

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the transformer."""
        return self.transformer.alphabet

    def start(self) -> IntArray:
        """The state after SOS; (1, k)."""
        width = 2 + sum(mixer.width for layer in self._layers for mixer in layer.mixers)
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
        """The label column as truth values; (S, k) → (S,)."""
        return np.asarray(states[:, -1] != 0)

    def _read(self, states: IntArray, token: int) -> IntArray:
        """Read a token in states of one position."""
        net, scale = self.transformer, 1 << self.transformer.precision
        position = int(states[0, 0]) + 1 if len(states) else 0
        row = zip(net.embedding[token], net.positions[position % net.period], strict=True)
        stream: Numbers = np.array([[int((a + b) * scale) for a, b in row]] * len(states), dtype=np.int64)
        stream = stream.reshape(len(states), net.width)
        whole, ones = scale, 1  # the stream is its numbers over whole · ones; whole is a power of two
        columns, begin = [np.full(len(states), position)], 1
        for layer in self._layers:
            sums, denominators = [], []
            for mixer in layer.mixers:
                values = _as_int64(_product(stream // ones, mixer.values))
                kept = states[:, begin : begin + mixer.width]
                mixed, total, after = mixer.mixed(kept, values, position, self.N, net.precision)
                begin += mixer.width
                columns.extend(after.T)
                sums.append((mixer, mixed))
                denominators.append(total)
            common = lcm(ones, *(total for total in denominators if total))
            stream = _times(stream, scale * (common // ones))
            for (mixer, mixed), total in zip(sums, denominators, strict=True):
                if total:
                    stream = _plus(stream, mixer.written, _times(mixed, common // total))
            whole, ones = whole * scale, common
            stream = layer.with_units(stream, whole * ones, scale)
            whole *= scale * scale
        answer = _product(stream, self._row[:, None])[:, 0] > net.threshold * scale * whole * ones
        columns.append(answer.astype(np.int64))
        return np.stack(columns, axis=1).astype(np.int64)

    @cached_property
    def _row(self) -> IntArray:
        net = self.transformer
        return _grid((net.unembedding[net.accept_row],), net.precision).reshape(-1)

    @cached_property
    def _layers(self) -> tuple[_LayerReader, ...]:
        return tuple(_LayerReader.of(layer, self.transformer.precision) for layer in self.transformer.layers)


@dataclass(frozen=True, eq=False)
class _Mixer:
    """Heads of one layer with one φ: V y_j restricted to the rows they write."""

    phi: tuple[Fraction, ...]
    values: IntArray  # (d, r): the stream times this is V y_j
    written: IntArray  # (r,) the rows

    @property
    def width(self) -> int:
        """Columns of a state: the sum, and the last values where φ is not 0, nearest first."""
        return len(self.written) * max(1, len(self.phi))

    def mixed(
        self, kept: IntArray, values: IntArray, position: int, N: int, precision: int
    ) -> tuple[IntArray, int, IntArray]:
        """Σ w_ij V y_j and Σ w_ij, both in units of 2^-p beside their own, and the columns after this."""
        size, one = values.shape[1], 1 << precision
        total, after = one * (position + 1), kept.copy()
        after[:, :size] += values
        recent = [values, *(kept[:, k * size : (k + 1) * size] for k in range(1, len(self.phi)))]
        mixed: IntArray = after[:, :size] * one
        for distance, logit in enumerate(self.phi[: position + 1]):
            more = scaled_weight(N, int(logit * one), precision) - one
            total += more
            mixed = _as_int64(_plus(mixed, np.arange(size), _times(recent[distance], more)))
        for k in range(1, len(self.phi)):
            after[:, k * size : (k + 1) * size] = recent[k - 1]
        return mixed, total, after


@dataclass(frozen=True, eq=False)
class _LayerReader:
    """One layer as integers in units of 2^-p."""

    mixers: tuple[_Mixer, ...]
    A: IntArray
    b: IntArray
    B: IntArray
    relu: BoolArray

    @staticmethod
    def of(layer: Layer, precision: int) -> _LayerReader:
        by_phi: dict[tuple[Fraction, ...], IntArray] = {}
        for head in layer.heads:
            by_phi[head.phi] = by_phi.get(head.phi, 0) + _grid(head.V, precision)
        mixers = []
        for phi, V in by_phi.items():
            written = np.flatnonzero(V.any(axis=1))
            if len(written):
                mixers.append(_Mixer(phi, V[written].T, written))
        mlp = layer.mlp
        width = len(mlp.B)
        return _LayerReader(
            tuple(mixers),
            _grid(mlp.A, precision).reshape(-1, width),
            _grid((mlp.b,), precision)[0],
            _grid(mlp.B, precision).reshape(width, -1),
            np.array([kind is Activation.RELU for kind in mlp.activation], dtype=np.bool_),
        )

    def with_units(self, stream: Numbers, denominator: int, scale: int) -> Numbers:
        """Y + B ψ(A Y + b), over a denominator that is scale² times that of Y."""
        read = _plus(_product(stream, self.A.T), np.arange(len(self.b)), _times(self.b[None], denominator))
        fired = _times((read > 0).astype(np.int64), denominator * scale)
        units = np.where(self.relu, np.where(read > 0, read, 0), fired)
        written = np.arange(stream.shape[1])
        return _plus(_times(stream, scale * scale), written, _product(units, self.B.T))


def _columns(rows: Matrix) -> set[int]:
    return {place for row in rows for place, entry in enumerate(row) if entry}


def _grid(rows: Matrix, precision: int) -> IntArray:
    return np.array([[int(entry * (1 << precision)) for entry in row] for row in rows], dtype=np.int64)


def _largest(numbers: Numbers) -> int:
    return max(abs(int(numbers.max())), abs(int(numbers.min()))) if numbers.size else 0


def _product(left: Numbers, right: Numbers) -> Numbers:
    """A matrix product in int64 if its sums fit, in integers of any size otherwise."""
    if left.dtype == object or _largest(left) * _largest(right) * max(1, left.shape[1]) >= EXACT:
        return np.asarray(left.astype(object) @ right.astype(object))
    return np.asarray(left @ right)


def _times(numbers: Numbers, factor: int) -> Numbers:
    if numbers.dtype == object or abs(factor) * max(1, _largest(numbers)) >= EXACT:
        return np.asarray(numbers.astype(object) * factor)
    return np.asarray(numbers * factor)


def _plus(numbers: Numbers, columns: IntArray, more: Numbers) -> Numbers:
    """Numbers with more added to some columns."""
    if object in (numbers.dtype, more.dtype) or _largest(numbers) + _largest(more) >= EXACT:
        numbers, more = numbers.astype(object), more.astype(object)
    out = numbers.copy()
    out[:, columns] += more
    return out


def _as_int64(numbers: Numbers) -> IntArray:
    """What a state can hold."""
    if _largest(numbers) >= EXACT:
        raise PrecisionError(
            "a sum of values of the hypothesis leaves 62 bits; expected smaller ones; lower --max-n"
        )
    return numbers.astype(np.int64)
