"""Shapes of hypotheses as vectors of integers, and R of many such vectors at once.

A `VectorShape` fixes how many layers, heads, channels and units there are and who reads what; the rest, a
vector of K integers, is what the upper-bound finder anneals. Zeros simplify: a channel that is zero or that
nobody reads is dropped, and a head without channels too, so a shape contains its smaller relatives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray
from idinf.space.layers import compute_ranks_and_norms
from idinf.space.units import FloatArray

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


class HeadParts(NamedTuple):
    """The parameters of one head in C vectors."""

    V: IntArray  #: (G, F, C): its channels
    A: IntArray  #: (U, G, C): how the units read them; no parameter where one unit alone does
    phi: IntArray  #: (1 + τ, C)
    M: IntArray  #: (T², C): over the tokens, key by key

    @property
    def reads(self) -> IntArray:
        """Σ A entry times channel for each unit, (U, F, C), in units of 4^-p."""
        return np.asarray(np.einsum("ugc,gfc->ufc", self.A, self.V))


class LayerParts(NamedTuple):
    """The parameters of one layer in C vectors."""

    heads: tuple[HeadParts, ...]
    s: IntArray  #: (U, F, C)
    b: IntArray  #: (U, C)


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
    def features(self) -> tuple[int, ...]:
        """F of each layer, which its channels and s can read."""
        return tuple(
            self.base + sum(layer.units for layer in self.layers[:k]) for k in range(len(self.layers))
        )

    @cached_property
    def spans(self) -> tuple[slice, ...]:
        """Where the parameters of each layer are; the last ones of all are t signs and the threshold."""
        spans, begin = list[slice](), 0
        for layer, F in zip(self.layers, self.features, strict=True):
            size = layer.units * (F + 1)
            for head in layer.heads:
                size += sum(F + (len(readers) if len(readers) > 1 else 0) for readers in head.channels)
                size += head.reach + 1 + head.content * (1 + self.symbols) ** 2
            spans.append(slice(begin, begin + size))
            begin += size
        spans[-1] = slice(spans[-1].start, begin + self.layers[-1].units + 1)
        return tuple(spans)

    @property
    def size(self) -> int:
        """K, the number of parameters."""
        return int(self.spans[-1].stop)

    @property
    def signs(self) -> slice:
        """The t signs of the output, in the vector of all parameters and in that of the last layer."""
        return slice(-1 - self.layers[-1].units, -1)

    def parts(self, x: IntArray, number: int, alone: int | None = None) -> LayerParts:
        """Split the parameters of a layer, (span, C), into its matrices.

        ``alone`` is the entry of A where one unit alone reads a channel: 1 unless said otherwise.
        """
        layer, F, C, begin = self.layers[number], self.features[number], x.shape[1], 0
        alone = 1 << self.precision if alone is None else alone

        def take(*shape: int) -> IntArray:
            nonlocal begin
            begin += math.prod(shape)
            return x[begin - math.prod(shape) : begin].reshape(*shape, C)

        heads = []
        for head in layer.heads:
            V = np.empty((len(head.channels), F, C), dtype=np.int64)
            A = np.zeros((layer.units, len(head.channels), C), dtype=np.int64)
            for g, readers in enumerate(head.channels):
                V[g] = take(F)
                A[list(readers), g] = take(len(readers)) if len(readers) > 1 else alone
            heads.append(HeadParts(V, A, take(head.reach + 1), take(head.content * (1 + self.symbols) ** 2)))
        units = take(layer.units, F + 1)
        return LayerParts(tuple(heads), units[:, :-1], units[:, -1])

    @cached_property
    def places(self) -> tuple[LayerParts, ...]:
        """The places of parameters in the vector of all, (..., 1); 0 where an entry of A is none."""
        places = np.arange(self.size)[:, None]
        return tuple(self.parts(places[span], k, alone=0) for k, span in enumerate(self.spans))

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
        for head in (head for layer in self.places for head in layer.heads):
            low[head.phi], high[head.phi] = 0, self.logit_max * one
            low[head.M], high[head.M] = 0, self.content_max * one
        low[self.signs], high[self.signs] = -1, 1
        low[-1], high[-1] = -outputs, outputs - 1
        return low, high

    def decode(self, x: IntArray, alphabet: Alphabet) -> OneHotTransformer:
        """The hypothesis of one vector of parameters, (K,), without what is zero or unread."""
        layers = []
        for number, span in enumerate(self.spans):
            parts = self.parts(x[span, None], number)
            reads: list[list[tuple[int, int, int]]] = [[] for _ in parts.b]
            heads: list[OneHotHead] = []
            for V, A, phi, M in parts.heads:
                kept = np.flatnonzero(V.any(axis=(1, 2)) & A.any(axis=(0, 2)))
                for g, entries in enumerate(A[:, kept, 0].T.tolist()):
                    for own, entry in zip(reads, entries, strict=True):
                        if entry:
                            own.append((len(heads), g, entry))
                if len(kept):
                    logits = self._matrix(M, self.features[number])
                    pattern = AttentionPattern(logits, tuple(np.trim_zeros(phi[:, 0], "b").tolist()))
                    heads.append(OneHotHead(tuple(map(tuple, V[kept, :, 0].tolist())), pattern))
            units = zip(reads, parts.s[:, :, 0].tolist(), parts.b[:, 0].tolist(), strict=True)
            layers.append(
                OneHotLayer(tuple(heads), tuple(OneHotUnit(tuple(read), tuple(s), b) for read, s, b in units))
            )
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
                    values += [*channel, *(entry for _, entry in readers if len(readers) > 1)]
                values += head.pattern.phi
                heads.append(VectorHead(tuple(groups), len(head.pattern.phi) - 1))
            for unit in layer.units:
                values += [*unit.s, unit.b]
            layers.append(VectorLayer(tuple(heads), len(layer.units)))
        values += [*hypothesis.signs, hypothesis.threshold]
        how = hypothesis.precision, hypothesis.period, tuple(layers), logit_max, aggregate
        return VectorShape(len(hypothesis.alphabet), *how), np.array(values, dtype=np.int64)

    def regularizers(self, x: IntArray) -> FloatArray:
        """R of the one-hot realisation of C vectors of parameters, (K, C) → (C,).

        Float64 sums of square roots of exact integers. Infinite where a shared channel is left with one
        reader whose A entry is not 1: that is no hypothesis of the family.
        """
        return self.total(self.terms(x))

    def terms(self, x: IntArray) -> FloatArray:
        """The terms of all layers, (K, C) → (L, 7, C)."""
        return np.stack([self.layer_terms(x[span], k) for k, span in enumerate(self.spans)])

    def total(self, terms: FloatArray) -> FloatArray:
        """R from the terms of all layers, (L, 7, C) → (C,)."""
        is_max = self.aggregate is Aggregate.MAX
        joined = terms[:, 2:].max(axis=0) if is_max else terms[:, 2:].sum(axis=0)
        fixed = (max if is_max else sum)([math.sqrt(layer.units) for layer in self.layers])
        fixed += len(self.layers) + self.precision + math.sqrt(self.layers[-1].units) + 1.0
        fixed += 1.0 + self.period if self.period > 1 else 0.0
        return np.asarray(terms[:, 0].max(axis=0) + terms[:, 1].sum(axis=0) + joined.sum(axis=0) + fixed)

    def layer_terms(self, x: IntArray, number: int) -> FloatArray:
        """Heads, φ, and the rows rank_V, norm_V, norm_A, norm_b, norm_KQ of one layer; (span, C) → (7, C).

        ``x`` holds the parameters of this layer only.
        """
        one, step = 1 << self.precision, 1.0 / (1 << self.precision)
        heads, s, b = self.parts(x, number)
        terms = np.zeros((7, x.shape[1]))
        squares = (s * s).sum(axis=(0, 1)).astype(np.float64)
        join = np.maximum if self.aggregate is Aggregate.MAX else np.add
        for V, A, phi, M in heads:
            readers = (A != 0).sum(axis=0)
            here = V.any(axis=1) & (readers > 0)
            squares += np.where(here, (A * A).sum(axis=0), 0).sum(axis=0)
            squares[(here & (readers == 1) & (A.sum(axis=0) != one)).any(axis=0)] = np.inf
            rows = V * here[:, None]
            rank, norm = compute_ranks_and_norms(np.einsum("afc,bfc->cab", rows, rows))
            active = rank > 0
            terms[0] += active
            terms[1] += np.where(active, (phi * phi).sum(axis=0) * (step * step), 0.0)
            terms[2] = join(terms[2], rank)
            terms[3] = join(terms[3], norm * step)
            if M.size:
                tokens = 1 + self.symbols
                norm = np.linalg.norm(M.T.reshape(-1, tokens, tokens), 2, axis=(1, 2))
                terms[6] = join(terms[6], np.where(active, step * norm, 0.0))
        terms[4] = np.sqrt(squares) * step
        terms[5] = np.sqrt((b * b).sum(axis=0)) * step
        return terms
