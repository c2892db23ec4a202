"""Candidates for the last lower layer, read by a last unit at the end of a few words only.

A certificate reads some dozen words. What a last unit reads there of a lower unit is linear in the values of
that unit on the prefixes of those words: an attended sum is Σ_j w_j u(prefix j). So a candidate is evaluated
on those prefixes alone, and the sums of its certificates are one product of exact integers. Only candidates
that no certificate excludes are evaluated on all short words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from idinf.nets.attention import AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer.certificates import Certificate, all_words, weights_on
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.short_words.behaviours import unit_outputs
from idinf.search.short_words.features import FLOAT64_EXACT, Features, HeadWeights, cleared
from idinf.search.short_words.prefix_trees import PrefixTree
from idinf.space.grid import IntArray
from idinf.space.units import FloatArray, Units

MOST_SAMPLES = 256  #: samples that are remembered


@dataclass(frozen=True)
class WordSample:
    """Some words, and how what is read at their ends depends on a lower unit."""

    ends: IntArray  #: (k,): rows where the words end
    rows: IntArray  #: (R,): rows on which the values of a lower unit matter, ascending
    #: Weights of the layer with that unit on these rows; None if they depend on what the layer reads.
    own: tuple[HeadWeights, ...] | None
    last: tuple[HeadWeights, ...]  #: weights of the last layer where the words end
    #: (H, R, k): how often the value on a row counts in the attended sum of a word, cleared of denominators.
    counted: FloatArray

    @staticmethod
    def of(last_inputs: LastLayerInputs, heads: tuple[AttentionPattern, ...], words: IntArray) -> WordSample:
        """Of words, (k,), for a layer with given heads below the last one, whose weights must be fixed."""
        inputs, precision = last_inputs.inputs, last_inputs.precision
        tree = inputs.tree
        ends = tree.final[words]
        last = inputs.weights(last_inputs.heads, precision, ends)
        rows = rows_below(tree, ends) if last else np.unique(ends)
        own = None
        if not any(pattern.logits for pattern in heads):
            own = inputs.weights(heads, precision, rows)
        return WordSample(ends, rows, own, last, _counted(tree, last, rows, ends))

    @cached_property
    def places(self) -> IntArray:
        """Where in the rows the words end, (k,)."""
        return np.searchsorted(self.rows, self.ends)

    def part(self, words: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """For some of the words, (j,): the places of rows that matter, where among them these words end.

        And how often these rows are counted, as in ``counted``.
        """
        counted = self.counted[:, :, words]
        read = np.flatnonzero(counted.any(axis=(0, 2)))
        rows = np.union1d(read, self.places[words])
        return rows, np.searchsorted(rows, self.places[words]), counted[:, rows]


def ancestors(tree: PrefixTree, ends: IntArray) -> IntArray:
    """Rows of all prefixes of the words that end on given rows, (L, k); that of ε beyond the first."""
    return np.stack([tree.ancestor(d)[ends] for d in range(int(tree.lengths[ends].max(initial=0)) + 1)])


def rows_below(tree: PrefixTree, ends: IntArray) -> IntArray:
    """The same without repetition, ascending, (R,)."""
    return np.unique(ancestors(tree, ends))


def _counted(tree: PrefixTree, last: tuple[HeadWeights, ...], rows: IntArray, ends: IntArray) -> FloatArray:
    counted = np.zeros((len(last), len(rows), len(ends)), dtype=np.int64)
    if last:
        prefixes = ancestors(tree, ends)
        real = np.arange(len(prefixes))[:, None] <= tree.lengths[ends]
        _, once = cleared(last, [np.ones(len(ends), dtype=np.int64)] * len(last), len(ends))
        columns = np.broadcast_to(np.arange(len(ends)), prefixes.shape)
        place = np.searchsorted(rows, prefixes)
        for of_head, head, times in zip(counted, last, once, strict=True):
            weight = real * head.far
            weight[: len(head.near)] += head.near[: len(weight)]
            np.add.at(of_head, (place, columns), weight * times)
    return counted.astype(np.float64)


@dataclass
class WordSamples:
    """Samples of words for one pair of layers, over any lower layers. Mutable: it remembers them."""

    heads: tuple[AttentionPattern, ...]  #: of the layer below the last one
    _known: dict[bytes, WordSample] = field(default_factory=dict)

    def of(self, last_inputs: LastLayerInputs, words: IntArray) -> WordSample:
        """The sample of some words."""
        key = words.tobytes()
        sample = self._known.get(key)
        if sample is None:
            if len(self._known) >= MOST_SAMPLES:
                self._known.clear()
            sample = self._known[key] = WordSample.of(last_inputs, self.heads, words)
        return sample


@dataclass(frozen=True)
class Candidates:
    """Units that may be the one unit of the last lower layer, over fixed layers below it."""

    units: Units
    #: What the last layer reads without the candidates; its weights must not depend on them.
    last_inputs: LastLayerInputs
    samples: WordSamples
    features: Callable[[], Features]  #: what the layer of the candidates reads on all rows
    count: int  #: words that count: the first ones
    aggregate: Aggregate

    def alone(self, place: int) -> Features:
        """What the last layer reads on all words that count, over one candidate."""
        bits = unit_outputs(self.units.take(slice(place, place + 1)), self.features())
        return self.last_inputs.over(bits, np.arange(self.count))

    def coefficients(self, certificates: list[Certificate], places: IntArray) -> FloatArray:
        """α, γ and δ of C certificates over the candidates at S places, (3, S, C).

        As `idinf.search.last_layer.certificates.coefficients` gives them: integers are exact, and what could
        leave the range in which they are is NaN.
        """
        words = all_words(certificates)
        sample, inputs = self.samples.of(self.last_inputs, words), self.last_inputs.inputs
        weights = weights_on(certificates, words)
        base = inputs.read(sample.last, sample.ends)
        own = sample.own
        if own is None:
            own = inputs.weights(self.samples.heads, self.last_inputs.precision, sample.rows)
        bits = unit_outputs(self.units.take(places), inputs.read(own, sample.rows)).astype(np.float64)
        return read_by_last(weights, base, sample.counted, bits, bits[:, sample.places], self.aggregate)


def read_by_last(
    weights: FloatArray,
    base: Features,
    counted: FloatArray,
    bits: FloatArray,
    at_end: FloatArray,
    aggregate: Aggregate,
) -> FloatArray:
    """α, γ and δ of C certificates over S values of a lower unit, (3, S, C); NaN where they may be inexact.

    The certificates, (C, k), weigh some words. There the last layer reads ``base`` beside the unit, whose
    values, 0 and 1, are ``bits``, (S, R), on rows that are counted as in `WordSample`, and ``at_end``,
    (S, k), where the words end.
    """
    scaled = weights * base.scale
    squares = (weights @ base.sums).reshape(len(weights), base.heads, base.size) ** 2
    norms = [
        np.sqrt(squares[:, h].sum(axis=1) + (bits @ (of_head @ weights.T)) ** 2)
        for h, of_head in enumerate(counted)
    ]
    alpha = np.zeros((len(bits), len(weights)))
    for norm in norms:
        alpha = np.maximum(alpha, norm) if aggregate is Aggregate.SUM else alpha + norm
    last = at_end @ scaled.T
    gamma = np.sqrt(((scaled @ base.last) ** 2).sum(axis=1) + last**2)
    found = np.stack([alpha, gamma, np.broadcast_to(np.abs(scaled.sum(axis=1)), alpha.shape)])
    # No attended sum of values 0 and 1 exceeds its denominator.
    found[:, :, 2 * np.abs(weights) @ base.scale >= FLOAT64_EXACT] = np.nan
    return found
