"""From found rows to hypotheses: every realisation, and the first of them in the total order.

The total order on hypotheses is (R, L, H, p, Δ, τ, number of units, parameters in file order). R is settled
before this module is asked; what is left is to write out realisations and to compare them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.search.found import HypothesisBatch
from idinf.search.last_layer.intervals import total_r
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.structures import Structure
from idinf.space.units import aggregate_terms
from idinf.spec.spec import Answer

OrderKey = tuple[tuple[int, ...], tuple[Fraction, ...]]


def order_key(found: HypothesisBatch, hypothesis: OneHotTransformer) -> OrderKey:
    """The total order on hypotheses of equal R, as a sort key."""
    return found.structure.order_key, hypothesis.parameters_in_file_order()


def first_hypothesis(
    found: HypothesisBatch, rows: IntArray, high: float, alphabet: Alphabet, aggregate: Aggregate
) -> OneHotTransformer:
    """First hypothesis, in the total order, among all realisations of some rows with R ≤ ``high``.

    ``found`` lists every realisation (raw mode); of the rows, (k,), there is one at least, and each has a
    realisation with R ≤ ``high``. There are few, so all are written and compared as files.
    """
    written = []
    lower = list(itertools.product(*(range(len(layer)) for layer in found.lower)))
    chosen = np.array(lower, dtype=np.int64).reshape(len(lower), len(found.lower))
    costs = found.top.costs[rows]
    fits: list[tuple[int, int]] = []
    for place, choice in enumerate(chosen):
        point = np.zeros((1, 4))
        for layer, index in zip(found.lower, choice, strict=True):
            point = np.stack(
                [aggregate_terms(float(point[0, c]), layer.costs[[index], c], aggregate) for c in range(4)],
                axis=1,
            )
        r = total_r(found.structure.base(aggregate), point, costs, aggregate)
        fits.extend((place, int(row)) for row in rows[r <= high])
    pairs = np.array(fits, dtype=np.int64)
    layers = [layer.take(chosen[pairs[:, 0], k]) for k, layer in enumerate(found.lower)]
    layers.append(found.top.take(pairs[:, 1]))
    signs, thresholds = found.signs[pairs[:, 1]], found.threshold[pairs[:, 1]]
    base = found.top.units[0].own.shape[1] - sum(shape.units for shape in found.structure.hidden)
    for order in itertools.product(*(_permutations(len(layer.units)) for layer in layers)):
        for heads in itertools.product(*(_permutations(len(s.heads)) for s in found.structure.layers)):
            writer = _HypothesisWriter(found.structure, order, heads, base)
            for row, sign in enumerate(signs[..., list(order[-1])]):
                written.append(writer.hypothesis(layers, row, alphabet, sign, int(thresholds[row])))
    return min(written, key=lambda h: h.parameters_in_file_order())


def _permutations(size: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(size)))


@dataclass(frozen=True, eq=False)
class _HypothesisWriter:
    """Writes realisations as hypotheses with the units and heads of every layer in a given order."""

    structure: Structure
    #: For every layer the order of its units and of its heads.
    units: tuple[tuple[int, ...], ...]
    heads: tuple[tuple[int, ...], ...]
    base: int  #: number of features of the first layer

    def _features(self, layer: int) -> list[int]:
        """Where each feature of a layer stands when the units of earlier layers are put in order."""
        places, start = list(range(self.base)), self.base
        for units in self.units[:layer]:
            places.extend(start + u for u in units)
            start += len(units)
        return places

    def hypothesis(
        self,
        layers: list[LayerChoices],
        row: int,
        alphabet: Alphabet,
        signs: IntArray,
        threshold: int,
    ) -> OneHotTransformer:
        """One realisation; ``signs`` is the row U, (t,), or the K rows of next symbols, (K, t)."""
        built = tuple(self._layer(index, layer, row) for index, layer in enumerate(layers))
        answer, reads = self.structure.answer, None
        if answer is not Answer.ACCEPT:
            read = np.where(signs.any(axis=1), np.abs(signs).argmax(axis=1), -1)
            reads, signs = (
                NextReads(answer, tuple(read.tolist())),
                signs.sum(axis=0) // np.abs(signs).sum(axis=0),
            )
        period = self.structure.period
        row_U = tuple(signs.tolist())
        return OneHotTransformer(alphabet, self.structure.precision, built, row_U, threshold, period, reads)

    def _layer(self, index: int, layer: LayerChoices, row: int) -> OneHotLayer:
        features = self._features(index)
        heads: list[OneHotHead] = []
        reads: dict[int, list[tuple[int, int, int]]] = {u: [] for u in self.units[index]}
        for place, h in enumerate(self.heads[index]):
            channels: list[tuple[int, ...]] = []
            shared: dict[int, int] = {}
            for u in self.units[index]:
                entry = int(layer.units[u].entry[row, h])
                if not entry:
                    continue
                group = int(layer.groups[row, u, h])
                if not group or group not in shared:
                    shared[group] = len(channels)
                    channels.append(tuple(int(x) for x in layer.units[u].channels[row, h, features]))
                reads[u].append((place, shared[group], entry))
            heads.append(OneHotHead(tuple(channels), self._pattern(index, h, features)))
        units = tuple(
            OneHotUnit(
                tuple(reads[u]),
                tuple(int(x) for x in layer.units[u].own[row, features]),
                int(layer.units[u].bias[row]),
            )
            for u in self.units[index]
        )
        return OneHotLayer(tuple(heads), units)

    def _pattern(self, index: int, head: int, features: list[int]) -> AttentionPattern:
        pattern = self.structure.layers[index].heads[head]
        if not pattern.logits:
            return pattern
        logits = tuple(tuple(pattern.logits[key][query] for query in features) for key in features)
        return AttentionPattern(logits, pattern.phi)
