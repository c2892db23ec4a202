"""What a last layer reads at the end of every word, over lower layers that differ in some units only."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from idinf.nets.attention import AttentionPattern
from idinf.search.short_words.features import Features, HeadWeights, Inputs, cleared
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray


class LastLayerInputs:
    """The last layer over inputs that many lower layers share, before the new units of each are added.

    The inputs are on the rows of the layer whose units are new, the heads those of the last layer.
    """

    def __init__(self, inputs: Inputs, heads: tuple[AttentionPattern, ...], precision: int) -> None:
        self.inputs, self.heads, self.precision = inputs, heads, precision

    @staticmethod
    def of(inputs: Inputs, heads: tuple[AttentionPattern, ...], precision: int) -> LastLayerInputs:
        """One that the inputs remember."""
        key = "last layer", heads, precision
        return inputs.remembered(key, lambda: LastLayerInputs(inputs, heads, precision))

    @property
    def fixed(self) -> bool:
        """Whether the attention weights are the same whatever the new units are."""
        return not any(pattern.logits for pattern in self.heads)

    @cached_property
    def weights(self) -> tuple[HeadWeights, ...]:
        """Weights of all heads at the end of every word."""
        return self.inputs.weights(self.heads, self.precision, self.inputs.tree.final)

    @cached_property
    def features(self) -> Features:
        """What the layer reads without any new unit."""
        return self.inputs.read(self.weights, self.inputs.tree.final)

    def over(self, bits: BoolArray, words: IntArray | None = None) -> Features:
        """What the layer reads on words, (k,), or all, with new units, (m, T) on the rows of the inputs."""
        if self.fixed:
            return self.over_each([bits], words)[0]
        return self.inputs.extend(bits).top(self.heads, self.precision, words)

    def over_each(self, several: list[BoolArray], words: IntArray | None = None) -> list[Features]:
        """The same with each of several sets of new units, of one size."""
        if not self.fixed:
            return [self.over(bits, words) for bits in several]
        base = self.features if words is None else self.features.take(words)
        weights = self.weights if words is None else tuple(w.take(words) for w in self.weights)
        rows = self.inputs.tree.final if words is None else self.inputs.tree.final[words]
        sets, new = len(several), len(several[0])
        bits = np.concatenate(several)[:, : int(rows.max(initial=-1)) + 1]
        sums = units_sums(self.inputs, weights, rows, bits)
        heads, size = len(self.heads), base.size
        joint = np.empty((sets, len(rows), heads, size + new), dtype=np.int64)
        joint[..., :size] = base.sums.reshape(len(rows), heads, size)
        for h, of_head in enumerate(sums):
            joint[:, :, h, size:] = of_head.reshape(sets, new, len(rows)).transpose(0, 2, 1)
        last = np.empty((sets, len(rows), size + new), dtype=np.int64)
        last[..., :size] = base.last
        last[..., size:] = bits[:, rows].reshape(sets, new, len(rows)).transpose(0, 2, 1)
        flat = joint.reshape(sets, len(rows), heads * (size + new))
        return [Features(flat[k], last[k], base.scale) for k in range(sets)]


def units_sums(
    inputs: Inputs, weights: tuple[HeadWeights, ...], rows: IntArray, bits: BoolArray
) -> list[IntArray]:
    """Attended sums of units on some rows, cleared of denominators, an (N, R) array for every head."""
    values = bits[:, : int(rows.max(initial=-1)) + 1].astype(np.int16)  # parents come before children
    counts = inputs.tree.accumulate(values)
    return cleared(weights, [w.sums(values, counts) for w in weights], len(rows))[1]
