"""Shapes of hypotheses as vectors of integers: R and the answers of many such vectors at once.

A `VectorShape` fixes how many layers, heads, channels and units there are and who reads what; the rest, a
vector of K integers, is what the upper-bound finder anneals. Zeros simplify: a channel that is zero or that
nobody reads is dropped, and a head without channels too, so a shape contains its smaller relatives.

On a list of words the positions of all words, padded to one length T, are the rows; hypotheses are the
columns. What a head reads is linear in the history of its features: how often each was 1 so far, and what
stood k places back. A head with φ adds (w(φ(k)) − 1) times the latter; one with M weighs the counts of the
tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Alphabet, Word
from idinf.nets.attention import AttentionPattern, compute_scaled_weight
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray
from idinf.space.layers import compute_ranks_and_norms
from idinf.space.rows import COLUMNS, ArrayRecord
from idinf.space.units import FloatArray
from idinf.targets.machine import BoolArray

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


Floats = NDArray[np.floating]

_EXACT = 2**24  #: integers up to here are exact in float32
#: Of each unit of the lower layers its history: the number of positions with output 1, and what it said
#: k = 0..τ places back, (2 + τ, n, C).
Histories = list[Floats]


@dataclass(frozen=True)
class _Rows(ArrayRecord):
    """The fixed numbers of n rows."""

    #: Of the features of the first layer, as of units, (2 + τ, n, B).
    history: Floats = field(metadata=COLUMNS)
    inside: Floats = field(metadata=COLUMNS)  #: whether there is a position k places back, (1 + τ, n, 1)
    positions: Floats  #: how many there are up to this one, (n, 1)
    lengths: IntArray  #: how many there are in the whole word, (n, 1)
    added: Floats  #: round_p(N^φ) − 1 in units of 2^-p for every logit φ, (n, logits)

    def product(self, place: int, values: Floats, units: Histories) -> Floats:
        """Σ over the features of a value for each, (F, C), times one place of its history; (n, C)."""
        base = self.history.shape[2]
        total = self.history[place] @ values[:base]
        for unit, value in zip(units, values[base:], strict=False):
            if value.any():
                total += unit[place] * value
        return np.asarray(total)

    def over_tokens(self, by_token: list[Floats]) -> Floats:
        """Σ over the tokens of a number for each, (n, C), times how often it has occurred."""
        return np.asarray(sum(numbers * self.history[0][:, [k]] for k, numbers in enumerate(by_token)))


class EvaluationWords:
    """A list of distinct words, at least one, ready for evaluation with hypotheses of one shape.

    All arithmetic is on integers in floats of a type in which they are exact, chosen by a bound on the
    largest sum. With uniform heads a word that begins another one is read off the longer one's row; with φ
    the weights depend on N = n + 1 of the whole word, and every word has its own row.
    """

    def __init__(self, shape: VectorShape, words: list[Word]) -> None:
        self.shape, self.words = shape, words
        self._distances = 1 + max((0, *(head.reach for layer in shape.layers for head in layer.heads)))
        carriers, row_of = _carriers(words) if shape.uniform else (words, {w: k for k, w in enumerate(words)})
        self._width, self._span = len(carriers), max(len(word) for word in carriers) + 1
        self._one = 1 << shape.precision
        self._dtype = self._choose_type()
        tokens = np.full((self._span, self._width), -1, dtype=np.int64)
        for column, word in enumerate(carriers):
            tokens[: len(word) + 1, column] = (0, *(code + 1 for code in word))
        features = np.zeros((self._span, self._width, shape.base), dtype=self._dtype)
        for token in range(shape.symbols + 1):
            features[:, :, token] = tokens == token
        if shape.period > 1:
            for t in range(self._span):
                features[t, :, 1 + shape.symbols + t % shape.period] = tokens[t] >= 0
        # Rows are (position, word), flat.
        everywhere = self._history(np.ones((self._span, self._width, 1), dtype=self._dtype))
        lengths = np.tile(np.array([len(word) + 1 for word in carriers]), self._span)[:, None]
        self._weights = self._weight_table()
        added = np.ascontiguousarray(self._weights[:, lengths[:, 0]].T)
        self._all = _Rows(self._history(features), everywhere[1:], everywhere[0], lengths, added)
        self._ends = np.array([len(word) * self._width + row_of[word] for word in words])
        self._last = self._all.take(self._ends)

    def _choose_type(self) -> type[np.floating]:
        """Float32 where a crude bound on every sum allows; R keeps entries far below their limits."""
        shape, one = self.shape, self._one
        features = shape.base + sum(layer.units for layer in shape.layers)
        # An entry e costs about e in R, so products of A entries and channels stay below 8 whole units each.
        largest = 8 * 8 * one * one * features * self._span
        if not shape.uniform:
            largest *= (one * self._span**shape.logit_max) ** 2
        return np.float32 if largest < _EXACT else np.float64

    def _weight_table(self) -> Floats:
        """round_p(N^φ) − 1 in units of 2^-p, (logits, N + 1)."""
        logits = 0 if self.shape.uniform else self.shape.logit_max * self._one + 1
        table = np.zeros((logits, self._span + 1), dtype=self._dtype)
        for N in range(1, self._span + 1):
            for logit in range(logits):
                table[logit, N] = compute_scaled_weight(N, logit, self.shape.precision) - self._one
        return table

    def _history(self, values: Floats) -> Floats:
        """How often, and what stood 0..τ places back: (T, words, ·) → (2 + τ, rows, ·)."""
        history = np.zeros((1 + self._distances, *values.shape), dtype=self._dtype)
        history[0] = values
        for t in range(1, self._span):  # faster than cumsum
            history[0, t] += history[0, t - 1]
        for k in range(min(self._distances, self._span)):
            history[1 + k, k:] = values[: self._span - k]
        return history.reshape(1 + self._distances, -1, values.shape[-1])

    def lower(self, x: IntArray) -> Histories:
        """Run all layers but the last, (K, C); the histories of their units at the ends of the words."""
        units: Histories = []
        for layer in range(len(self.shape.layers) - 1):
            fresh = self._outputs(layer, x, self._all, units)
            units += [self._history(bits.reshape(self._span, self._width, -1)) for bits in fresh]
        return [unit[:, self._ends] for unit in units]

    def top(self, x: IntArray, lower: Histories) -> BoolArray:
        """Verdicts of the words with the last layer and the output of ``x``, (R, C)."""
        bits = self._outputs(len(self.shape.layers) - 1, x, self._last, lower)
        signs, threshold = x[self.shape.signs].astype(self._dtype), x[-1].astype(self._dtype)
        total = sum((unit * sign for unit, sign in zip(bits, signs, strict=True)))
        return np.asarray(total > threshold)

    def verdicts(self, x: IntArray) -> BoolArray:
        """Verdicts of all hypotheses, (K, C), on all words, (R, C); exact."""
        return self.top(x, self.lower(x))

    def _outputs(self, layer: int, x: IntArray, rows: _Rows, units: Histories) -> list[Floats]:
        """Outputs 0 and 1 of the units of one layer, (n, C) each, with every denominator cleared."""
        parts = self.shape.parts(x[self.shape.spans[layer]], layer)
        readings = [*self._readings(layer, parts, rows, units)]
        outputs = []
        for unit, (own, bias) in enumerate(zip(parts.s * self._one, parts.b * self._one, strict=True)):
            total = rows.product(1, own.astype(self._dtype), units)
            total += bias.astype(self._dtype)
            denominator: Floats | None = None
            for reads, Z, numerator in readings:  # t / D + num / Z = (t Z + num D) / (D Z)
                if reads[unit].any():
                    part = numerator(reads[unit].astype(self._dtype))
                    total *= Z
                    total += part if denominator is None else part * denominator
                    denominator = Z if denominator is None else denominator * Z
            outputs.append((total > 0).astype(self._dtype))
        return outputs

    def _readings(
        self, layer: int, parts: LayerParts, rows: _Rows, units: Histories
    ) -> Iterator[tuple[IntArray, Floats, Callable[[Floats], Floats]]]:
        """The heads of a layer, all that average read as one.

        Of each what the units read, (U, F, C), the sum of its weights Z, (n, C), and Σ over the positions so
        far of the weight times what stands there, by a value for every feature, (F, C).
        """
        heads = [*zip(self.shape.layers[layer].heads, parts.heads, strict=True)]
        if averaged := [own.reads for head, own in heads if head.uniform]:
            reads = sum(averaged[1:], averaged[0])
            yield reads, rows.positions, lambda values: rows.product(0, values, units)
        for head, own in heads:
            if head.content:
                # round_p(N^M) in units of 2^-p of the keys with each token, (n, C); padding has any weight.
                tokens = range(1 + self.shape.symbols)
                query = rows.history[1, :, : len(tokens)].argmax(axis=1)
                by_key = own.M.reshape(len(tokens), len(tokens), -1)
                by_token = [self._one + self._weights[by_key[key][query], rows.lengths] for key in tokens]

                def of_tokens(values: Floats, by_token: list[Floats] = by_token) -> Floats:
                    return rows.over_tokens([w * value for w, value in zip(by_token, values, strict=True)])

                yield own.reads, rows.over_tokens(by_token), of_tokens
            elif not head.uniform:
                added = [rows.added.take(phi, axis=1) for phi in own.phi]
                Z = self._one * rows.positions + sum(w * rows.inside[k] for k, w in enumerate(added))

                def of_local(values: Floats, added: list[Floats] = added) -> Floats:
                    total = rows.product(0, values * self._one, units)
                    for k, w in enumerate(added):
                        total += w * rows.product(1 + k, values, units)
                    return total

                yield own.reads, Z, of_local


def _carriers(words: list[Word]) -> tuple[list[Word], dict[Word, int]]:
    """Words none of which begins another, and for every word one it begins (or is)."""
    carriers: list[Word] = []
    row_of: dict[Word, int] = {}
    # After its extensions in reversed lexicographic order, a prefix comes right behind one of them.
    for word in sorted(words, reverse=True):
        if not (carriers and carriers[-1][: len(word)] == word):
            carriers.append(word)
        row_of[word] = len(carriers) - 1
    return carriers, row_of
