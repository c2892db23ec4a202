"""Hypotheses as integer arrays: units over attention patterns, nets that share lower layers, and answers.

Layers of one or two nets are run side by side over one list of common features: $, the symbols, the residues
of the position, then the lower units of all nets. Two nets may differ in period and precision: residues are
those of the least common period, and every head keeps the precision that its weights are rounded to.
Features of the last positions are kept as codes, up to the largest distance that some φ weighs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotTransformer
from idinf.space.grid import IntArray
from idinf.space.rows import SHARED, ArrayRecord
from idinf.space.structures import FeatureSpace, LayerShape, Structure
from idinf.space.units import BoolArray, Units
from idinf.spec.spec import Answer


@dataclass(frozen=True, eq=False)
class NetBatch(ArrayRecord):
    """N hypotheses of one structure that share their lower layers."""

    structure: Structure = field(metadata=SHARED)
    #: The units of each layer below the last one, of one hypothesis; a layer reads all features before it.
    lower: tuple[tuple[Units, ...], ...] = field(metadata=SHARED)
    top: tuple[Units, ...]  #: of the last layer the first unit of every hypothesis, then the second one
    signs: IntArray  #: (N, t) or (N, K, t): the row U on the last units, or the K rows of next symbols
    threshold: IntArray  #: (N,)

    @property
    def space(self) -> FeatureSpace:
        """Features of a position that the last layer reads."""
        without = FeatureSpace(0, self.structure.period, sum(map(len, self.lower)))
        return replace(without, symbols=self.top[0].own.shape[1] - without.size)


def scaled(units: Sequence[Units], tokens: int) -> tuple[IntArray, IntArray]:
    """Values and own weights of a layer in units of 4^-p, the t units of one hypothesis side by side.

    They are (N · t, H · f) and (N · t, f). The bias is added to the weights of the tokens, one of which is
    always 1.
    """
    every = Units.concatenate(units)
    each = every.take(np.arange(len(every)).reshape(len(units), -1).T.ravel())
    own = each.own.copy()
    own[:, :tokens] += each.bias[:, None]
    return each.values, 2**each.precision * own


def nets_of(hypothesis: OneHotTransformer) -> NetBatch:
    """Write one hypothesis as integers in units of 4^-p; exact.

    Majority with ties, as the complement of #0 − #1 > 0:

    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> nets = nets_of(OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (-1,), -1))
    >>> nets.top[0].values.tolist(), nets.signs.tolist(), nets.threshold.tolist()
    ([[0, 1, -1]], [[-1]], [-1])
    """
    precision, shapes, layers = hypothesis.precision, [], []
    for number, layer in enumerate(hypothesis.layers):
        units = []
        for place, unit in enumerate(layer.units):
            # Channels times their entries, in units of 4^-p, are channels that are read by an entry of 2^-p.
            channel = np.array(hypothesis.effective_values(number, place), dtype=np.int64).reshape(1, -1)
            own, bias = np.array([unit.s], dtype=np.int64), np.array([unit.b], dtype=np.int64)
            entry = np.ones((1, len(layer.heads)), dtype=np.int64)
            units.append(Units(precision, channel, entry, own, bias))
        shapes.append(LayerShape(tuple(head.pattern for head in layer.heads), len(units)))
        layers.append(tuple(units))
    answer = hypothesis.reads.kind if hypothesis.reads else Answer.ACCEPT
    return NetBatch(
        Structure(tuple(shapes), precision, hypothesis.period, answer),
        tuple(layers[:-1]),
        layers[-1],
        np.array([hypothesis.rows if hypothesis.reads else hypothesis.signs], dtype=np.int64),
        np.array([hypothesis.threshold], dtype=np.int64),
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


@dataclass(frozen=True, eq=False)
class JointHead(ArrayRecord):
    """One attention of a layer: M over the common features (None for zero), φ, p, and the values read."""

    logits: IntArray | None = field(metadata=SHARED)  #: (F, F)
    phi: tuple[int, ...] = field(metadata=SHARED)
    precision: int = field(metadata=SHARED)
    values: IntArray  #: (N, F): value vector of each unit of the layer


@dataclass(frozen=True, eq=False)
class JointLayer(ArrayRecord):
    """Units over the common features; heads with equal patterns are joined and unread ones left out."""

    heads: tuple[JointHead, ...]
    own: IntArray  #: (N, F): with the bias
    first: int = field(metadata=SHARED)  #: where the outputs of its units stand among the lower units

    @property
    def uniform(self) -> bool:
        """True if its units depend on the prefix alone and not on N."""
        return all(head.logits is None and not head.phi for head in self.heads)


def joint_layers(nets: Sequence[NetBatch]) -> tuple[FeatureSpace, list[JointLayer], list[JointLayer]]:
    """Write the layers of nets over one alphabet over their common features.

    Gives these, all lower layers, each of which reads only features before it, and the last one of each net.
    """
    period = math.lcm(*(net.structure.period for net in nets))
    space = FeatureSpace(nets[0].space.symbols, period, sum(net.space.units for net in nets))
    lower, last, first = [], [], 0
    for net in nets:
        places = _places(net.space, space, first)
        for shape, units in zip(net.structure.layers, (*net.lower, net.top), strict=True):
            lower.append(_joint_layer(shape.heads, units, places, space.tokens, first))
            first += len(units)
        last.append(lower.pop())
        first -= len(net.top)
    return space, lower, last


def _places(net: FeatureSpace, space: FeatureSpace, first: int) -> IntArray:
    """Matrix from the features of a net to the common ones, (net features, F)."""
    places = np.zeros((net.size, space.size), dtype=np.int64)
    places[: space.tokens, : space.tokens] = np.eye(space.tokens, dtype=np.int64)
    if net.period > 1:
        for r in range(space.period):
            places[space.tokens + r % net.period, space.tokens + r] = 1
    start = space.first_unit + first
    places[net.first_unit :, start : start + net.units] = np.eye(net.units, dtype=np.int64)
    return places


def _joint_layer(
    patterns: Sequence[AttentionPattern], units: Sequence[Units], places: IntArray, tokens: int, first: int
) -> JointLayer:
    values, own = scaled(units, tokens)
    places = places[: own.shape[1]]
    by_head = values.reshape(len(values), len(patterns), own.shape[1])
    read: dict[AttentionPattern, IntArray] = {}
    for h, pattern in enumerate(patterns):
        if by_head[:, h].any():
            read[pattern] = read.get(pattern, 0) + by_head[:, h]
    heads = []
    for pattern, values in read.items():
        logits = None
        if any(any(row) for row in pattern.logits):
            logits = places.T @ np.array(pattern.logits, dtype=np.int64) @ places
        heads.append(JointHead(logits, pattern.phi, units[0].precision, values @ places))
    return JointLayer(tuple(heads), own @ places, first)


def decoded(space: FeatureSpace, codes: IntArray, position: int) -> IntArray:
    """Rows of features for codes token + (|Σ| + 1) · unit bits, (n,) → (n, F).

    >>> decoded(FeatureSpace(2, 1, 1), np.array([1, 5]), 3).tolist()
    [[0, 1, 0, 0], [0, 0, 1, 1]]
    """
    bits = (codes[:, None] // space.tokens >> np.arange(space.units)) & 1
    return space.rows(codes % space.tokens, position, bits)


class RecentCodes:
    """Codes of the features that layers read at distance 1, 2, … from a query. Immutable.

    Features on which all values and all logits agree get one code, so that more prefixes are merged: of
    "some a three places before a b" over five letters 736 to length 64, in place of 9,386.
    """

    def __init__(self, space: FeatureSpace, layers: Sequence[JointLayer]) -> None:
        self.space = space
        heads = [head for layer in layers for head in layer.heads if len(head.phi) > 1]
        self.reach = max((len(head.phi) - 1 for head in heads), default=0)
        #: For each distance from 1 on: of each token the least one that is read alike, and the units read.
        self._kept = list[tuple[IntArray, int]]()
        for lag in range(1, self.reach + 1):
            # Linear forms of a key's features that decide its values and logits for the heads, (K, F).
            reaching = [head for head in heads if len(head.phi) > lag]
            logits = [head.logits.T for head in reaching if head.logits is not None]
            forms = np.concatenate([*(head.values for head in reaching), *logits])
            columns = forms[:, : space.tokens].T.tolist()
            tokens = np.array([columns.index(column) for column in columns])
            read = forms[:, space.first_unit :].any(axis=0)
            self._kept.append((tokens, int((read * (1 << np.arange(space.units))).sum())))

    def shifted(self, recent: IntArray, codes: IntArray) -> IntArray:
        """Codes of the last positions after one more position, (S, τ)."""
        out = np.concatenate([codes[:, None], recent], axis=1)[:, : self.reach]
        for lag, (tokens, bits) in enumerate(self._kept):
            units, token = np.divmod(out[:, lag], self.space.tokens)
            out[:, lag] = tokens[token] + self.space.tokens * (units & bits)
        return out
