"""Shapes of hypotheses as vectors of integers, and R of many such vectors at once.

A `VectorShape` fixes how many layers, heads, channels and units there are and who reads what; the rest, a
vector of K integers, is what the upper-bound finder anneals. Zeros simplify: a channel that is zero or that
nobody reads is dropped, and a head without channels too, so a shape contains its smaller relatives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray
from idinf.space.layers import compute_ranks_and_norms

FloatArray = NDArray[np.float64]

#: Entries of s, b and of channels stay within this many units of 2^-p times 2^p: larger ones never paid.
MAX_ENTRY = 6


@dataclass(frozen=True, slots=True, order=True)
class VectorHead:
    """One head: which units read each of its channels, and what its logits depend on."""

    channels: tuple[tuple[int, ...], ...]
    reach: int = -1  #: how far its φ reaches; -1: no φ
    content: bool = False  #: an M over the tokens: in the first layer only, without φ and residues

    @property
    def uniform(self) -> bool:
        """Whether it averages."""
        return self.reach < 0 and not self.content


@dataclass(frozen=True, slots=True, order=True)
class VectorLayer:
    """The heads and the number of units of one layer."""

    heads: tuple[VectorHead, ...]
    units: int


@dataclass(frozen=True, slots=True)
class _Channel:
    """Which units read a channel; its F values, and the readers' entries of A if there are several."""

    readers: tuple[int, ...]
    values: slice
    entries: slice

    def factors(self, x: IntArray, one: int) -> IntArray:
        """The entries of A of the readers; a single reader has the constant 1."""
        return x[self.entries] if len(self.readers) > 1 else np.full_like(x[:1], one)


@dataclass(frozen=True, slots=True)
class _Head:
    """The channels of a head, its φ(0)..φ(τ), and its entries of M over the tokens, key by key."""

    channels: tuple[_Channel, ...]
    phi: slice
    logits: slice


@dataclass(frozen=True, slots=True)
class LayerPlaces:
    """Where the parameters of one layer sit: its span in the vector of all, and all else inside the span."""

    span: slice
    features: int  #: F, which the channels and s can read
    heads: tuple[_Head, ...]
    own: tuple[slice, ...]  #: s of each unit
    bias: tuple[int, ...]


@dataclass(frozen=True)
class VectorShape:
    """A structure of hypotheses: everything but the integers.

    >>> unit = VectorLayer((VectorHead(((0,),)),), 1)
    >>> VectorShape(2, 0, 1, (unit,)).size       # a channel and an s of 3 entries, b, sign and threshold
    9
    """

    symbols: int  #: |Σ|
    precision: int
    period: int
    layers: tuple[VectorLayer, ...]
    logit_max: int = 0  #: largest φ, in whole units
    aggregate: Aggregate = Aggregate.MAX
    content_max: int = 0  #: largest entry of M, likewise

    @property
    def base(self) -> int:
        """Features of the first layer: $, the symbols, the residues."""
        return 1 + self.symbols + (self.period if self.period > 1 else 0)

    @cached_property
    def places(self) -> tuple[LayerPlaces, ...]:
        """Where the parameters of each layer are; the last ones of all are t signs and the threshold."""
        layers, begin, features = list[LayerPlaces](), 0, self.base
        for layer in self.layers:
            free = 0

            def run(size: int) -> slice:
                nonlocal free
                free += size
                return slice(free - size, free)

            heads = []
            for head in layer.heads:
                channels = [
                    _Channel(group, run(features), run(len(group) if len(group) > 1 else 0))
                    for group in head.channels
                ]
                phi, logits = run(head.reach + 1), run(head.content * (1 + self.symbols) ** 2)
                heads.append(_Head(tuple(channels), phi, logits))
            units = [(run(features), run(1).start) for _ in range(layer.units)]
            if len(layers) == len(self.layers) - 1:
                run(layer.units + 1)
            own, bias = zip(*units, strict=True)
            layers.append(LayerPlaces(slice(begin, begin + free), features, tuple(heads), own, bias))
            begin += free
            features += layer.units
        return tuple(layers)

    @property
    def size(self) -> int:
        """K, the number of parameters."""
        return int(self.places[-1].span.stop)

    @property
    def signs(self) -> slice:
        """The t signs of the output, in the vector of all parameters and in that of the last layer."""
        return slice(-1 - self.layers[-1].units, -1)

    @property
    def floor(self) -> float:
        """About what R is at least: a head in use and an s or a bias beside it, or residues alone."""
        step = 1.0 / (1 << self.precision)
        heads = [head for layer in self.layers for head in layer.heads]
        phi = step * step * any(head.reach >= 0 for head in heads) + step * any(h.content for h in heads)
        norm_B = math.sqrt(max(layer.units for layer in self.layers))
        total = len(self.layers) + self.precision + norm_B + math.sqrt(self.layers[-1].units) + 1.0 + phi
        return total + (2.0 + self.period if self.period > 1 else bool(heads) * (3.0 + step))

    @property
    def uniform(self) -> bool:
        """Whether no head has a φ or an M."""
        return all(head.uniform for layer in self.layers for head in layer.heads)

    @cached_property
    def limits(self) -> tuple[IntArray, IntArray]:
        """Least and largest value of every parameter, (K,) each."""
        one, outputs = 1 << self.precision, self.layers[-1].units
        high = np.full(self.size, MAX_ENTRY * one, dtype=np.int64)
        low = -high
        for place in self.places:
            for head in place.heads:
                low[place.span][head.phi], high[place.span][head.phi] = 0, self.logit_max * one
                low[place.span][head.logits], high[place.span][head.logits] = 0, self.content_max * one
        low[self.signs], high[self.signs] = -1, 1
        low[-1], high[-1] = -outputs, outputs - 1
        return low, high

    def effective_values(self, x: IntArray, layer: int, head: int, unit: int) -> IntArray | None:
        """A entry times channel of a unit, units of 4^-p, (F, C), by x of the layer; None if none is read."""
        for channel in self.places[layer].heads[head].channels:
            if unit in channel.readers:
                factors = channel.factors(x, 1 << self.precision)
                return np.asarray(x[channel.values] * factors[channel.readers.index(unit)])
        return None

    def decode(self, x: IntArray, alphabet: Alphabet) -> OneHotTransformer:
        """The hypothesis of one vector of parameters, (K,), without what is zero or unread."""
        layers = []
        for place in self.places:
            of_layer = x[place.span]
            reads: list[list[tuple[int, int, int]]] = [[] for _ in place.own]
            heads: list[OneHotHead] = []
            for head in place.heads:
                channels: list[tuple[int, ...]] = []
                for channel in head.channels:
                    values, factors = of_layer[channel.values], channel.factors(of_layer, 1 << self.precision)
                    if values.any() and factors.any():
                        for unit, factor in zip(channel.readers, factors.tolist(), strict=True):
                            if factor:
                                reads[unit].append((len(heads), len(channels), factor))
                        channels.append(tuple(values.tolist()))
                if channels:
                    M = self._matrix(of_layer[head.logits], place.features)
                    phi = tuple(np.trim_zeros(of_layer[head.phi], "b").tolist())
                    heads.append(OneHotHead(tuple(channels), AttentionPattern(M, phi)))
            units = tuple(
                OneHotUnit(tuple(read), tuple(of_layer[own].tolist()), int(of_layer[bias]))
                for read, own, bias in zip(reads, place.own, place.bias, strict=True)
            )
            layers.append(OneHotLayer(tuple(heads), units))
        signs = tuple(x[self.signs].tolist())
        return OneHotTransformer(alphabet, self.precision, tuple(layers), signs, int(x[-1]), self.period)

    def _matrix(self, entries: IntArray, features: int) -> tuple[tuple[int, ...], ...]:
        """M over all features, from its entries over the tokens; empty where it is zero."""
        if not entries.any():
            return ()
        M = np.zeros((features, features), dtype=np.int64)
        tokens = 1 + self.symbols
        M[:tokens, :tokens] = entries.reshape(tokens, tokens)
        return tuple(map(tuple, M.tolist()))

    @staticmethod
    def of(
        hypothesis: OneHotTransformer, logit_max: int, aggregate: Aggregate = Aggregate.MAX
    ) -> tuple[VectorShape, IntArray]:
        """The shape of a hypothesis without logits M, and its parameters, (K,)."""
        layers: list[VectorLayer] = []
        values: list[int] = []
        for layer in hypothesis.layers:
            heads: list[VectorHead] = []
            for h, head in enumerate(layer.heads):
                groups = []
                for g, channel in enumerate(head.channels):
                    readers = [
                        (u, entry)
                        for u, unit in enumerate(layer.units)
                        for place, k, entry in unit.reads
                        if (place, k) == (h, g)
                    ]
                    groups.append(tuple(u for u, _ in readers))
                    values.extend(channel)
                    values.extend(entry for _, entry in readers if len(readers) > 1)
                values.extend(head.pattern.phi)
                heads.append(VectorHead(tuple(groups), len(head.pattern.phi) - 1))
            for unit in layer.units:
                values.extend((*unit.s, unit.b))
            layers.append(VectorLayer(tuple(heads), len(layer.units)))
        values.extend((*hypothesis.signs, hypothesis.threshold))
        size = len(hypothesis.alphabet)
        shape = VectorShape(
            size, hypothesis.precision, hypothesis.period, tuple(layers), logit_max, aggregate
        )
        return shape, np.array(values, dtype=np.int64)

    def regularizers(self, x: IntArray) -> FloatArray:
        """R of the one-hot realisation of C vectors of parameters, (K, C) → (C,).

        Float64 sums of square roots of exact integers. Infinite where a shared channel is left with one
        reader whose A entry is not 1: that is no hypothesis of the family.
        """
        return self.total(self.terms(x))

    def terms(self, x: IntArray) -> FloatArray:
        """The terms of all layers, (K, C) → (L, 7, C)."""
        return np.stack([self.layer_terms(x[place.span], k) for k, place in enumerate(self.places)])

    def total(self, terms: FloatArray) -> FloatArray:
        """R from the terms of all layers, (L, 7, C) → (C,)."""
        joined = terms[:, 2:].max(axis=0) if self.aggregate is Aggregate.MAX else terms[:, 2:].sum(axis=0)
        norm_B = [math.sqrt(layer.units) for layer in self.layers]
        fixed = max(norm_B) if self.aggregate is Aggregate.MAX else sum(norm_B)
        fixed += len(self.layers) + self.precision + math.sqrt(self.layers[-1].units) + 1.0
        fixed += 1.0 + self.period if self.period > 1 else 0.0
        total: FloatArray = terms[:, 0].max(axis=0) + terms[:, 1].sum(axis=0) + joined.sum(axis=0) + fixed
        return total

    def layer_terms(self, x: IntArray, layer: int) -> FloatArray:
        """Heads, φ, and the rows rank_V, norm_V, norm_A, norm_b, norm_KQ of one layer; (span, C) → (7, C).

        ``x`` holds the parameters of this layer only.
        """
        place = self.places[layer]
        step = 1.0 / (1 << self.precision)
        terms = np.zeros((7, x.shape[1]))
        squares = np.zeros(x.shape[1])
        joined = np.maximum if self.aggregate is Aggregate.MAX else np.add
        for head in place.heads:
            rank, norm, entries = self._channel_terms(x, head)
            active = rank > 0
            terms[0] += active
            terms[1] += np.where(active, (x[head.phi] ** 2).sum(axis=0) * (step * step), 0.0)
            terms[2] = joined(terms[2], rank)
            terms[3] = joined(terms[3], norm * step)
            squares += entries
            if x[head.logits].size:
                tokens = 1 + self.symbols
                M = x[head.logits].T.reshape(-1, tokens, tokens)
                terms[6] = joined(terms[6], np.where(active, step * np.linalg.norm(M, 2, axis=(1, 2)), 0.0))
        for own in place.own:
            squares += (x[own] * x[own]).sum(axis=0)
        terms[4] = np.sqrt(squares) * step
        biases = x[list(place.bias)]
        terms[5] = np.sqrt((biases * biases).sum(axis=0)) * step
        return terms

    def _channel_terms(self, x: IntArray, head: _Head) -> tuple[IntArray, FloatArray, FloatArray]:
        """Rank, ‖V‖ and Σ A² of a head in units of 2^-p; Σ A² is infinite outside the family."""
        one = 1 << self.precision
        squares = np.zeros(x.shape[1])
        rows = []
        for channel in head.channels:
            row, factors = x[channel.values], channel.factors(x, one)
            readers = (factors != 0).sum(axis=0)
            here = row.any(axis=0) & (readers > 0)
            squares += np.where(here, (factors * factors).sum(axis=0), 0)
            squares[here & (readers == 1) & (factors.sum(axis=0) != one)] = np.inf
            rows.append(np.where(here, row, 0))
        rank, norm = compute_ranks_and_norms(np.einsum("afc,bfc->cab", rows, rows))
        return rank, norm, squares
