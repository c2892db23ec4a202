"""Hypotheses as integer arrays: units over attention patterns, nets that share lower layers, and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotTransformer
from idinf.space.array_record import ArrayRecord
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray, Units
from idinf.spec.spec import Answer


@dataclass(frozen=True, eq=False)
class ScaledUnits(ArrayRecord):
    """N units over H heads and f features, as integers in units of 4^-p.

    A unit is 1 at position i iff Σ_h ⟨values_h, Σ_j α_h(i,j) features_j⟩ + ⟨own, features_i⟩ + bias > 0.
    """

    values: IntArray  #: (N, H * f): head by head
    own: IntArray  #: (N, f)
    bias: IntArray  #: (N,)

    @property
    def num_features(self) -> int:
        """f."""
        return int(self.own.shape[1])

    @staticmethod
    def of(units: Units) -> ScaledUnits:
        """Bring a list of units to one scale: that of c·g, which is 4^-p."""
        scale = 2**units.precision
        return ScaledUnits(units.values, scale * units.own, scale * units.bias)

    @staticmethod
    def side_by_side(columns: Sequence[ScaledUnits]) -> ScaledUnits:
        """Units of t lists of one length N as one list of N · t, those of one place together."""
        size = len(columns[0])
        return ScaledUnits.concatenate(columns).take(
            np.arange(len(columns) * size).reshape(-1, size).T.ravel()
        )


@dataclass(frozen=True, eq=False)
class NetLayer:
    """A layer: the attention pattern of each of its heads, and its units."""

    heads: tuple[AttentionPattern, ...]
    units: ScaledUnits


@dataclass(frozen=True, eq=False)
class Nets:
    """N hypotheses that share their lower layers."""

    symbols: int  #: |Σ|
    #: Δ; features are $, the symbols, the residues 0..Δ−1 if Δ > 1, then the units of earlier layers.
    period: int
    precision: int  #: p, which decides how attention weights are rounded
    lower: tuple[NetLayer, ...]  #: the layers below the last one; each reads all features before it
    top: NetLayer  #: the N · t units of the last layer, those of one hypothesis together
    signs: IntArray  #: (N, t) or (N, K, t): the row U on the last units, or the K rows of next symbols
    threshold: IntArray  #: (N,)
    answer: Answer = Answer.ACCEPT

    def __len__(self) -> int:
        return len(self.threshold)

    @property
    def num_inputs(self) -> int:
        """Features of the first layer: $, symbols, residues."""
        return 1 + self.symbols + (self.period if self.period > 1 else 0)

    def take(self, index: IntArray) -> Nets:
        """The hypotheses at the given places."""
        top = replace(self.top, units=self.top.units.take_runs(index, self.signs.shape[-1]))
        return replace(self, top=top, signs=self.signs[index], threshold=self.threshold[index])


def nets_of(hypothesis: OneHotTransformer) -> Nets:
    """Write one hypothesis as integers in units of 4^-p; exact.

    Majority with ties, as the complement of #0 − #1 > 0:

    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> nets = nets_of(OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (-1,), -1))
    >>> nets.top.units.values.tolist(), nets.signs.tolist(), nets.threshold.tolist()
    ([[0, 1, -1]], [[-1]], [-1])
    """
    scale = 2**hypothesis.precision
    layers = []
    for number, layer in enumerate(hypothesis.layers):
        features, width = hypothesis.num_features(number), len(layer.units)
        values = np.array(
            [hypothesis.effective_values(number, u) for u in range(width)], dtype=np.int64
        ).reshape(width, len(layer.heads) * features)
        own = scale * np.array([unit.s for unit in layer.units], dtype=np.int64)
        bias = scale * np.array([unit.b for unit in layer.units], dtype=np.int64)
        patterns = tuple(head.pattern for head in layer.heads)
        layers.append(NetLayer(patterns, ScaledUnits(values, own, bias)))
    return Nets(
        len(hypothesis.alphabet),
        hypothesis.period,
        hypothesis.precision,
        tuple(layers[:-1]),
        layers[-1],
        np.array([hypothesis.rows if hypothesis.reads else hypothesis.signs], dtype=np.int64),
        np.array([hypothesis.threshold], dtype=np.int64),
        hypothesis.reads.kind if hypothesis.reads else Answer.ACCEPT,
    )


def answers(
    bits: NDArray[np.generic],
    signs: IntArray,
    threshold: IntArray,
    answer: Answer,
    by_logits: bool = False,
) -> NDArray[np.int8] | BoolArray:
    """Answers of N hypotheses on S rows, (S, N) or (S, N, K), by the bits of their last units, (S, N, t).

    The rows U are (N, t) for acceptance and (N, K, t) for next symbols, where K = |Σ| + 1: the symbols, then
    end-of-string. For one symbol just one of each row is true: the first of those with the largest value.
    By logits the answer of acceptance is the number itself, (S, N) of small integers.

    >>> units = np.array([[[1, 0]]])
    >>> rows, zero = np.array([[[0, 0], [1, 0], [1, 0], [0, 1]]]), np.array([0])
    >>> answers(units, rows, zero, Answer.SET).tolist()
    [[[False, True, True, False]]]
    >>> answers(units, rows, zero, Answer.SYMBOL).tolist()
    [[[False, True, False, False]]]
    """
    small = bits.astype(np.int8)
    if answer is Answer.ACCEPT:
        logits: NDArray[np.int8] = (small * signs.astype(np.int8)).sum(axis=2, dtype=np.int8)
        return logits if by_logits else np.asarray(logits > threshold)
    totals = (small[:, :, None, :] * signs.astype(np.int8)).sum(axis=3, dtype=np.int8)
    if answer is Answer.SET:
        return np.asarray(totals > threshold[:, None])
    return np.asarray(totals.argmax(axis=2)[:, :, None] == np.arange(totals.shape[2]))
