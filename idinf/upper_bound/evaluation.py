"""Many hypotheses of one shape on a list of words at once.

Positions of all words, padded to one length T, are the rows; hypotheses are the columns. The tokens'
share of every unit is one matrix product, because a uniform head's sum and the unit's own features are
linear in fixed counts; a lower unit adds its running count. A head with φ adds (w(φ(k)) − 1) times what
stands k places back; one with M weighs the counts of the tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from idinf.space.array_record import COLUMNS, ArrayRecord
from idinf.space.grid import IntArray
from idinf.targets.machine import BoolArray
from idinf.transformers.attention import scaled_weight
from idinf.upper_bound.vectors import Shape
from idinf.words import Word

__all__ = ["EvaluationWords", "LowerOutputs"]

Floats = NDArray[np.floating]

#: Integers up to here are exact in the float type used.
_EXACT = {np.dtype(np.float32): 2**24, np.dtype(np.float64): 2**53}


@dataclass
class LowerOutputs:
    """What the last layer reads of the units of all lower layers, at the last position of every word.

    Attributes
    ----------
    own, shifted : list of (R, C), list of (τ + 1, R, C)
        Each unit's output at the position, and k places back (empty without φ in the last layer).
    counts : list of (R, C)
        Number of positions with output 1.
    """

    own: list[Floats]
    counts: list[Floats]
    shifted: list[Floats]

    def take_columns(self, columns: BoolArray, other: LowerOutputs) -> None:
        """Replace the marked columns by those of another evaluation."""
        for mine, theirs in (
            (self.own, other.own),
            (self.counts, other.counts),
            (self.shifted, other.shifted),
        ):
            for old, new in zip(mine, theirs, strict=True):
                old[..., columns] = new[..., columns]


@dataclass(frozen=True)
class _Rows(ArrayRecord):
    """The fixed numbers of n rows: counts and own features (n, B), shifts (τ + 1, n, B), (n, 1) the rest."""

    counts: Floats
    own: Floats
    joint: Floats
    shifted: Floats = field(metadata=COLUMNS)
    inside: Floats = field(metadata=COLUMNS)
    positions: Floats
    lengths: IntArray


class EvaluationWords:
    """A list of words, ready for evaluation with hypotheses of one shape.

    Parameters
    ----------
    shape : Shape
    words : list of Word
        Distinct, at least one.

    Notes
    -----
    All arithmetic is on integers in floats of a type in which they are exact, chosen by a bound on the
    largest sum. With uniform heads a word that begins another one is read off the longer one's row; with φ
    the weights depend on N = n + 1 of the whole word, and every word has its own row.
    """

    def __init__(self, shape: Shape, words: list[Word]) -> None:
        self.shape, self.words = shape, words
        reach = max((head.reach for layer in shape.layers for head in layer.heads), default=-1)
        carriers, row_of = _carriers(words) if shape.uniform else (words, {w: k for k, w in enumerate(words)})
        self.width, self.span = len(carriers), max(len(word) for word in carriers) + 1
        tokens = np.full((self.span, self.width), -1, dtype=np.int64)
        for column, word in enumerate(carriers):
            tokens[0, column] = 0
            tokens[1 : len(word) + 1, column] = np.array(word, dtype=np.int64) + 1
        self.dtype = self._choose_type()
        own = np.zeros((self.span, self.width, shape.base))
        for token in range(shape.symbols + 1):
            own[:, :, token] = tokens == token
        if shape.period > 1:
            for t in range(self.span):
                own[t, :, 1 + shape.symbols + t % shape.period] = tokens[t] >= 0
        shifted = np.zeros((max(reach + 1, 0), *own.shape))
        inside = np.zeros((max(reach + 1, 0), self.span, self.width))
        for k in range(min(reach + 1, self.span)):
            shifted[k, k:] = own[: self.span - k]
            inside[k, k:] = 1
        # Rows are (position, word), flat.
        positions = np.repeat(np.arange(1, self.span + 1), self.width)[:, None]
        flat, counts = own.reshape(-1, shape.base), own.cumsum(axis=0).reshape(-1, shape.base)
        exact = self.dtype
        self._all = _Rows(
            counts.astype(exact),
            flat.astype(exact),
            np.concatenate([counts, flat * positions, positions], axis=1).astype(exact),
            shifted.reshape(len(shifted), *flat.shape).astype(exact),
            inside.reshape(len(inside), len(flat), 1).astype(exact),
            positions.astype(exact),
            np.tile(np.array([len(word) + 1 for word in carriers]), self.span),
        )
        self.ends = np.array([len(word) * self.width + row_of[word] for word in words])
        self._last = self._all.take(self.ends)
        self._weights = self._weight_table()

    def _choose_type(self) -> np.dtype[np.floating]:
        """Float32 where a crude bound on every sum allows; R keeps entries far below their limits."""
        shape = self.shape
        one, features = 1 << shape.precision, shape.base + sum(layer.units for layer in shape.layers)
        # An entry e costs about e in R, so products of A entries and channels stay below 8 whole units each.
        largest = 8 * 8 * one * one * features * self.span
        if not shape.uniform:
            largest *= (one * self.span**shape.logit_max) ** 2
        return np.dtype(np.float32) if largest < _EXACT[np.dtype(np.float32)] else np.dtype(np.float64)

    def _weight_table(self) -> Floats:
        """round_p(N^φ) − 1 in units of 2^-p, (logits, N + 1)."""
        shape = self.shape
        if shape.uniform:
            return np.zeros((1, 1), dtype=self.dtype)
        one = 1 << shape.precision
        logits = (shape.logit_max << shape.precision) + 1
        table = np.zeros((logits, self.span + 1), dtype=self.dtype)
        for N in range(1, self.span + 1):
            for logit in range(logits):
                table[logit, N] = scaled_weight(N, logit, shape.precision) - one
        return table

    def lower(self, x: IntArray) -> LowerOutputs:
        """Run all layers but the last, (K, C)."""
        own: list[Floats] = []
        counts: list[Floats] = []
        shifted: list[Floats] = []
        size = x.shape[1]
        reach = len(self._all.shifted)
        for layer in range(len(self.shape.layers) - 1):
            fresh = self._units(layer, x, self._all, own, counts, shifted)
            for bits in fresh:
                block = bits.reshape(self.span, self.width * size)
                running = block.copy()
                for t in range(1, self.span):
                    running[t] += running[t - 1]
                own.append(bits)
                counts.append(running.reshape(bits.shape))
                if reach:
                    back = np.zeros((reach, *block.shape), dtype=self.dtype)
                    for k in range(min(reach, self.span)):
                        back[k, k:] = block[: self.span - k]
                    shifted.append(back.reshape(reach, *bits.shape))
        last = self.ends
        return LowerOutputs(
            [bits[last] for bits in own], [c[last] for c in counts], [back[:, last] for back in shifted]
        )

    def top(self, x: IntArray, lower: LowerOutputs) -> BoolArray:
        """Verdicts of the words with the last layer and the output of ``x``, (R, C)."""
        start = self.shape.output_start
        bits = self._units(len(self.shape.layers) - 1, x, self._last, lower.own, lower.counts, lower.shifted)
        total = sum((unit * sign for unit, sign in zip(bits, x[start:-1].astype(self.dtype), strict=True)))
        verdicts: BoolArray = total > x[-1].astype(self.dtype)
        return verdicts

    def verdicts(self, x: IntArray) -> BoolArray:
        """Verdicts of all hypotheses, (K, C), on all words, (R, C); exact."""
        return self.top(x, self.lower(x))

    def _units(
        self,
        layer: int,
        x: IntArray,
        rows: _Rows,
        own: list[Floats],
        counts: list[Floats],
        shifted: list[Floats],
    ) -> list[Floats]:
        """Outputs 0 and 1 of the units of one layer, (n, C) each, from those of the units below."""
        if all(head.uniform for head in self.shape.layers[layer].heads):
            totals = self._uniform(layer, x, rows, own, counts)
        else:
            totals = self._weighted(layer, x, rows, own, counts, shifted)
        return [(total > 0).astype(self.dtype) for total in totals]

    def _uniform(
        self, layer: int, x: IntArray, rows: _Rows, own: list[Floats], counts: list[Floats]
    ) -> list[Floats]:
        """Σ values · counts + (i + 1) · (s · own + b) of each unit."""
        shape, place, base = self.shape, self.shape.places[layer], self.shape.base
        totals = []
        for unit in range(shape.layers[layer].units):
            values = np.zeros((place.features, x.shape[1]), dtype=np.int64)
            for head in range(len(shape.layers[layer].heads)):
                read = shape.effective_values(x, layer, head, unit)
                if read is not None:
                    values += read
            values = values.astype(self.dtype)
            s = (x[place.own[unit]] << shape.precision).astype(self.dtype)
            bias = (x[place.bias[unit]] << shape.precision).astype(self.dtype)
            # (n, C), over the counts, own features and 1 of the first layer
            total = rows.joint @ np.concatenate([values[:base], s[:base], bias[None]])
            for k in range(place.features - base):
                if values[base + k].any():
                    total += counts[k] * values[base + k]
                if s[base + k].any():
                    total += own[k] * s[base + k] * rows.positions
            totals.append(total)
        return totals

    def _weighted(
        self,
        layer: int,
        x: IntArray,
        rows: _Rows,
        own: list[Floats],
        counts: list[Floats],
        shifted: list[Floats],
    ) -> list[Floats]:
        """The same with every denominator cleared: Σ_h num_h · Π_{g≠h} Z_g + Π Z · (s · own + b)."""
        shape, place, base = self.shape, self.shape.places[layer], self.shape.base
        one = self.dtype.type(1 << shape.precision)
        heads = shape.layers[layer].heads
        weights: list[list[Floats]] = []
        sums: list[Floats] = []
        for head, spot in enumerate(place.phi):
            if heads[head].content:
                weights.append(self._content_weights(x[place.logits[head]], rows))
                sums.append(_over_tokens(rows, weights[-1]))
                continue
            extra = [self._weights[x[row], :][:, rows.lengths].T for row in range(spot.start, spot.stop)]
            Z = np.broadcast_to(one * rows.positions, (len(rows.positions), x.shape[1]))
            for k, weight in enumerate(extra):
                Z = Z + weight * rows.inside[k]
            weights.append(extra)
            sums.append(Z)
        totals = []
        for unit in range(shape.layers[layer].units):
            s = (x[place.own[unit]] << shape.precision).astype(self.dtype)
            # (n, C), over the features of the first layer; lower units are added one by one
            total = rows.own @ s[:base] + (x[place.bias[unit]] << shape.precision).astype(self.dtype)
            for k in range(place.features - base):
                if s[base + k].any():
                    total += own[k] * s[base + k]
            for Z in sums:
                total = total * Z
            for h in range(len(heads)):
                read = shape.effective_values(x, layer, h, unit)
                if read is None:
                    continue
                values = read.astype(self.dtype)
                if heads[h].content:
                    part = _over_tokens(rows, [w * values[k] for k, w in enumerate(weights[h])])
                    total += _times_others(part, sums, h)
                    continue
                part = one * (rows.counts @ values[:base])
                for distance, weight in enumerate(weights[h]):
                    part += weight * (rows.shifted[distance] @ values[:base])
                for k in range(place.features - base):
                    if values[base + k].any():
                        part += counts[k] * (one * values[base + k])
                        for distance, weight in enumerate(weights[h]):
                            part += weight * shifted[k][distance] * values[base + k]
                total += _times_others(part, sums, h)
            totals.append(total)
        return totals

    def _content_weights(self, entries: IntArray, rows: _Rows) -> list[Floats]:
        """round_p(N^M) in units of 2^-p of the keys with each token, (n, C) each; padding has any weight."""
        tokens = 1 + self.shape.symbols
        query = rows.own[:, :tokens].argmax(axis=1)
        by_key = entries.reshape(tokens, tokens, -1)
        one = self.dtype.type(1 << self.shape.precision)
        return [one + self._weights[by_key[k][query], rows.lengths[:, None]] for k in range(tokens)]


def _over_tokens(rows: _Rows, by_token: list[Floats]) -> Floats:
    """Σ over the tokens of a number for each, (n, C), times how often it has occurred."""
    total = by_token[0] * rows.counts[:, [0]]
    for k, numbers in enumerate(by_token[1:], 1):
        total = total + numbers * rows.counts[:, [k]]
    return total


def _times_others(part: Floats, sums: list[Floats], head: int) -> Floats:
    """The numerator of one head times the denominators of the others."""
    for g, Z in enumerate(sums):
        if g != head:
            part = part * Z
    return part


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
