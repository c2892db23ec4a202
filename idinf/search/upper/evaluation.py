"""Many hypotheses of one shape on a list of words at once.

Positions of all words, padded to one length T, are the rows; hypotheses are the columns. What a head reads
is linear in the history of its features: how often each was 1 so far, and what stood k places back. A head
with φ adds (w(φ(k)) − 1) times the latter; one with M weighs the counts of the tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
from idinf.nets.attention import compute_scaled_weight
from idinf.search.upper.vectors import VectorShape
from idinf.space.grid import IntArray
from idinf.space.rows import COLUMNS, ArrayRecord
from idinf.targets.machine import BoolArray

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


@dataclass(frozen=True)
class _AttentionRows:
    """Heads of one attention."""

    heads: list[int]
    Z: Floats  #: (n, C)
    weight: int = 1  #: of a position
    added: tuple[Floats, ...] = ()  #: to it for k places back
    by_token: tuple[Floats, ...] = ()  #: of a head with M: a weight for each token instead

    def numerator(self, values: Floats, rows: _Rows, units: Histories) -> Floats:
        """Σ over the positions so far of the weight times what is read there, (n, C)."""
        if self.by_token:
            return _over_tokens(rows, [w * value for w, value in zip(self.by_token, values, strict=True)])
        total = rows.product(0, values * self.weight, units)
        for k, added in enumerate(self.added):
            total += added * rows.product(1 + k, values, units)
        return total


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
        place = self.shape.places[layer]
        x = x[place.span]
        readings = self._readings(layer, x, rows)
        outputs = []
        for unit in range(self.shape.layers[layer].units):
            own, bias = x[place.own[unit]] * self._one, x[place.bias[unit]] * self._one
            total = rows.product(1, own.astype(self._dtype), units)
            total += bias.astype(self._dtype)
            denominator: Floats | None = None
            for reading in readings:  # t / D + num / Z = (t Z + num D) / (D Z)
                reads = [self.shape.effective_values(x, layer, head, unit) for head in reading.heads]
                if reads := [read for read in reads if read is not None]:
                    part = reading.numerator(sum(reads[1:], reads[0]).astype(self._dtype), rows, units)
                    total *= reading.Z
                    total += part if denominator is None else part * denominator
                    denominator = reading.Z if denominator is None else denominator * reading.Z
            outputs.append((total > 0).astype(self._dtype))
        return outputs

    def _readings(self, layer: int, x: IntArray, rows: _Rows) -> list[_AttentionRows]:
        """The heads of a layer; all that average are read as one."""
        heads, place = self.shape.layers[layer].heads, self.shape.places[layer]
        tokens = range(1 + self.shape.symbols)
        readings = [_AttentionRows([h for h, head in enumerate(heads) if head.uniform], rows.positions)]
        for h, head in enumerate(heads):
            if head.content:
                # round_p(N^M) in units of 2^-p of the keys with each token, (n, C); padding has any weight.
                query = rows.history[1, :, : len(tokens)].argmax(axis=1)
                by_key = x[place.heads[h].logits].reshape(len(tokens), len(tokens), -1)
                by_token = [self._one + self._weights[by_key[key][query], rows.lengths] for key in tokens]
                readings.append(_AttentionRows([h], _over_tokens(rows, by_token), by_token=tuple(by_token)))
            elif not head.uniform:
                added = tuple([rows.added.take(phi, axis=1) for phi in x[place.heads[h].phi]])
                Z = self._one * rows.positions + sum(w * rows.inside[k] for k, w in enumerate(added))
                readings.append(_AttentionRows([h], Z, self._one, added))
        return readings


def _over_tokens(rows: _Rows, by_token: list[Floats]) -> Floats:
    """Σ over the tokens of a number for each, (n, C), times how often it has occurred."""
    return np.asarray(sum(numbers * rows.history[0][:, [k]] for k, numbers in enumerate(by_token)))


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
