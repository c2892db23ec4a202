"""Shapes of hypotheses as vectors of integers, and R of many such vectors at once.

A :class:`Shape` fixes how many layers, heads, channels and units there are and who reads what; the rest, a
vector of K integers, is what the upper-bound finder anneals. Zeros simplify: a channel that is zero or that
nobody reads is dropped, and a head without channels too, so a shape contains its smaller relatives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray
from idinf.space.sharing import ranks_and_norms
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet

FloatArray = NDArray[np.float64]

#: Entries of s, b and of channels stay within this many units of 2^-p times 2^p: larger ones never paid.
MAX_ENTRY = 6


@dataclass(frozen=True, slots=True, order=True)
class VectorHead:
    """One head: which units read each of its channels, and what its logits depend on.

    Attributes
    ----------
    channels : tuple of tuple of int
    reach : int
        How far its φ reaches; -1: no φ.
    content : bool
        Whether it has a matrix M over the tokens: in the first layer only, without φ and without residues.
    """

    channels: tuple[tuple[int, ...], ...]
    reach: int = -1
    content: bool = False

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
class ShapeLayer:
    """Where the parameters of one layer sit in the vector of all parameters.

    Attributes
    ----------
    features : int
        F, what the layer can read.
    channels : tuple of tuple of slice
        For each head and channel, its F entries.
    entries : tuple of tuple of tuple of int
        For each head and channel the places of the readers' A entries; -1 is the constant 1 of a channel
        with a single reader.
    phi : tuple of slice
        For each head its φ(0)..φ(τ); empty without φ.
    logits : tuple of slice
        For each head the entries of M over the tokens, key by key; empty without M.
    own : tuple of slice
        For each unit its F entries of s.
    bias : tuple of int
    """

    features: int
    channels: tuple[tuple[slice, ...], ...]
    entries: tuple[tuple[tuple[int, ...], ...], ...]
    phi: tuple[slice, ...]
    logits: tuple[slice, ...]
    own: tuple[slice, ...]
    bias: tuple[int, ...]


@dataclass(frozen=True)
class Shape:
    """A structure of hypotheses: everything but the integers.

    Parameters
    ----------
    symbols : int
        |Σ|.
    precision, period : int
        p and Δ.
    layers : tuple of VectorLayer
    logit_max : int
        Largest φ, in whole units.
    aggregate : Aggregate
    content_max : int
        Largest entry of M, in whole units.

    Examples
    --------
    >>> unit = VectorLayer((VectorHead(((0,),)),), 1)
    >>> Shape(2, 0, 1, (unit,)).size       # a channel and an s of 3 entries, b, sign and threshold
    9
    """

    symbols: int
    precision: int
    period: int
    layers: tuple[VectorLayer, ...]
    logit_max: int = 0
    aggregate: Aggregate = Aggregate.MAX
    content_max: int = 0

    @property
    def base(self) -> int:
        """Features of the first layer: $, the symbols, the residues."""
        return 1 + self.symbols + (self.period if self.period > 1 else 0)

    @cached_property
    def places(self) -> tuple[ShapeLayer, ...]:
        """Where the parameters of each layer are."""
        layers, free, features = [], 0, self.base
        for layer in self.layers:
            channels, entries, phi, logits = [], [], [], []
            for head in layer.heads:
                spots, readers = [], []
                for group in head.channels:
                    spots.append(slice(free, free + features))
                    free += features
                    shared = len(group) > 1
                    readers.append(tuple(free + k if shared else -1 for k in range(len(group))))
                    free += len(group) if shared else 0
                channels.append(tuple(spots))
                entries.append(tuple(readers))
                phi.append(slice(free, free + head.reach + 1))
                free += head.reach + 1
                logits.append(slice(free, free + head.content * (1 + self.symbols) ** 2))
                free = logits[-1].stop
            own, bias = [], []
            for _ in range(layer.units):
                own.append(slice(free, free + features))
                bias.append(free + features)
                free += features + 1
            layers.append(
                ShapeLayer(
                    features,
                    tuple(channels),
                    tuple(entries),
                    tuple(phi),
                    tuple(logits),
                    tuple(own),
                    tuple(bias),
                )
            )
            features += layer.units
        return tuple(layers)

    @cached_property
    def output_start(self) -> int:
        """First of the t signs; the threshold is the last parameter of all."""
        return self.places[-1].bias[-1] + 1

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First parameter of each layer and the one behind its last; the last layer's include the output."""
        ends = [place.bias[-1] + 1 for place in self.places[:-1]]
        return tuple(zip([0, *ends], [*ends, self.size], strict=True))

    @property
    def floor(self) -> float:
        """About what R is at least: a head in use and an s or a bias beside it, or residues alone."""
        step = 1.0 / (1 << self.precision)
        heads = min(max(len(layer.heads) for layer in self.layers), 1)
        heads_of = [head for layer in self.layers for head in layer.heads]
        phi = step * step if any(head.reach >= 0 for head in heads_of) else 0.0
        phi += step if any(head.content for head in heads_of) else 0.0
        norm_B = math.sqrt(max(layer.units for layer in self.layers))
        total = len(self.layers) + self.precision + norm_B + math.sqrt(self.layers[-1].units) + 1.0 + phi
        return total + (2.0 + self.period if self.period > 1 else heads * (3.0 + step))

    @property
    def size(self) -> int:
        """K, the number of parameters."""
        return self.output_start + self.layers[-1].units + 1

    @property
    def uniform(self) -> bool:
        """Whether no head has a φ or an M."""
        return all(head.uniform for layer in self.layers for head in layer.heads)

    @cached_property
    def limits(self) -> tuple[IntArray, IntArray]:
        """Least and largest value of every parameter, (K,) each."""
        high = np.full(self.size, MAX_ENTRY << self.precision, dtype=np.int64)
        low = -high
        for place in self.places:
            for spot in place.phi:
                low[spot], high[spot] = 0, self.logit_max << self.precision
            for spot in place.logits:
                low[spot], high[spot] = 0, self.content_max << self.precision
        outputs = self.layers[-1].units
        low[self.output_start : -1], high[self.output_start : -1] = -1, 1
        low[-1], high[-1] = -outputs, outputs - 1
        return low, high

    @cached_property
    def vectors(self) -> tuple[slice, ...]:
        """Runs of parameters of one kind: channels and s of every unit; swaps stay inside."""
        return tuple(
            spot
            for place in self.places
            for spot in (*(spot for head in place.channels for spot in head), *place.own)
        )

    def effective_values(self, x: IntArray, layer: int, head: int, unit: int) -> IntArray | None:
        """A entry times channel of a unit in a head, units of 4^-p, (F, C); None if it reads no channel."""
        place = self.places[layer]
        for group, spot, entries in zip(
            self.layers[layer].heads[head].channels, place.channels[head], place.entries[head], strict=True
        ):
            if unit in group:
                entry = entries[group.index(unit)]
                factor = x[entry] if entry >= 0 else 1 << self.precision
                values: IntArray = x[spot] * factor
                return values
        return None

    def decode(self, x: IntArray, alphabet: Alphabet) -> OneHotTransformer:
        """The hypothesis of one vector of parameters, (K,), without what is zero or unread."""
        layers = []
        for layer, place in zip(self.layers, self.places, strict=True):
            reads: list[list[tuple[int, int, int]]] = [[] for _ in range(layer.units)]
            heads: list[OneHotHead] = []
            for head, spots, entries, phi, logits in zip(
                layer.heads, place.channels, place.entries, place.phi, place.logits, strict=True
            ):
                channels: list[tuple[int, ...]] = []
                for group, spot, where in zip(head.channels, spots, entries, strict=True):
                    values = tuple(int(value) for value in x[spot])
                    factors = [int(x[w]) if w >= 0 else 1 << self.precision for w in where]
                    if any(values) and any(factors):
                        for unit, factor in zip(group, factors, strict=True):
                            if factor:
                                reads[unit].append((len(heads), len(channels), factor))
                        channels.append(values)
                if channels:
                    bias = [int(value) for value in x[phi]]
                    while bias and not bias[-1]:
                        bias.pop()
                    M = self._matrix(x[logits], place.features)
                    heads.append(OneHotHead(tuple(channels), AttentionPattern(M, tuple(bias))))
            units = tuple(
                OneHotUnit(tuple(read), tuple(int(value) for value in x[own]), int(x[bias_at]))
                for read, own, bias_at in zip(reads, place.own, place.bias, strict=True)
            )
            layers.append(OneHotLayer(tuple(heads), units))
        signs = tuple(int(sign) for sign in x[self.output_start : -1])
        return OneHotTransformer(alphabet, self.precision, tuple(layers), signs, int(x[-1]), self.period)

    def _matrix(self, entries: IntArray, features: int) -> tuple[tuple[int, ...], ...]:
        """M over all features, from its entries over the tokens; empty where it is zero."""
        if not entries.any():
            return ()
        M = np.zeros((features, features), dtype=np.int64)
        tokens = 1 + self.symbols
        M[:tokens, :tokens] = entries.reshape(tokens, tokens)
        return tuple(tuple(int(entry) for entry in row) for row in M)

    @staticmethod
    def of(
        hypothesis: OneHotTransformer, logit_max: int, aggregate: Aggregate = Aggregate.MAX
    ) -> tuple[Shape, IntArray]:
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
        shape = Shape(size, hypothesis.precision, hypothesis.period, tuple(layers), logit_max, aggregate)
        return shape, np.array(values, dtype=np.int64)

    def regularizers(self, x: IntArray) -> FloatArray:
        """R of the one-hot realisation of C vectors of parameters, (K, C) → (C,).

        Float64 sums of square roots of exact integers. Infinite where a shared channel is left with one
        reader whose A entry is not 1: that is no hypothesis of the family.
        """
        terms = [self.layer_terms(x[start:stop], k) for k, (start, stop) in enumerate(self.spans)]
        return self.total(np.stack(terms))

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
        place, start = self.places[layer], self.spans[layer][0]
        step = 1.0 / (1 << self.precision)
        terms = np.zeros((7, x.shape[1]))
        squares = np.zeros(x.shape[1])
        joined = np.maximum if self.aggregate is Aggregate.MAX else np.add
        for head in range(len(self.layers[layer].heads)):
            rank, norm, entries = self._head(x, place, head, start)
            active = rank > 0
            terms[0] += active
            terms[2] = joined(terms[2], rank)
            terms[3] = joined(terms[3], norm * step)
            squares += entries
            phi = place.phi[head]
            if phi.stop > phi.start:
                bias = x[phi.start - start : phi.stop - start]
                terms[1] += np.where(active, (bias * bias).sum(axis=0) * (step * step), 0.0)
            logits = place.logits[head]
            if logits.stop > logits.start:
                tokens = 1 + self.symbols
                M = x[logits.start - start : logits.stop - start].T.reshape(-1, tokens, tokens)
                terms[6] = joined(terms[6], np.where(active, step * np.linalg.norm(M, 2, axis=(1, 2)), 0.0))
        for own in place.own:
            rows = x[own.start - start : own.stop - start]
            squares += (rows * rows).sum(axis=0)
        terms[4] = np.sqrt(squares) * step
        if len(place.bias) == 1:
            terms[5] = np.abs(x[place.bias[0] - start]) * step
        else:
            biases = x[[bias - start for bias in place.bias]]
            terms[5] = np.sqrt((biases * biases).sum(axis=0)) * step
        return terms

    def _head(
        self, x: IntArray, place: ShapeLayer, head: int, start: int
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Rank, ‖V‖ and Σ A² of a head in units of 2^-p; Σ A² is infinite outside the family."""
        one = 1 << self.precision
        size = x.shape[1]
        squares = np.zeros(size)
        rows = []
        for spot, entries in zip(place.channels[head], place.entries[head], strict=True):
            row = x[spot.start - start : spot.stop - start]
            here = row.any(axis=0)
            if entries[0] < 0:
                squares += here * (one * one)
            else:
                factors = x[entries[0] - start : entries[-1] + 1 - start]
                readers = (factors != 0).sum(axis=0)
                here &= readers > 0
                row = np.where(here, row, 0)
                squares += np.where(here, (factors * factors).sum(axis=0), 0)
                squares[here & (readers == 1) & (factors.sum(axis=0) != one)] = np.inf
            rows.append(row)
        rank, norm = ranks_and_norms(np.einsum("afc,bfc->cab", rows, rows))
        return rank, norm, squares
