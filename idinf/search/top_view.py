"""What a last layer reads at the end of every word, over lower layers that differ in some units only."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from idinf.search.features import Features, HeadWeights, Inputs, cleared
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray
from idinf.transformers.attention import AttentionPattern

__all__ = ["TopView"]


class TopView:
    """The last layer over inputs that many stacks share, before the new units of each are added.

    Parameters
    ----------
    inputs : Inputs
        On the rows of the layer whose units are new.
    heads : tuple of AttentionPattern
        Of the last layer.
    """

    def __init__(self, inputs: Inputs, heads: tuple[AttentionPattern, ...], precision: int) -> None:
        self.inputs, self.heads, self.precision = inputs, heads, precision

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
        """What the layer reads with new units.

        Parameters
        ----------
        bits : (m, T) ndarray of bool
            Values of the new units on the rows of the inputs.
        words : (k,) ndarray of int64, optional
            Indices of words; all words if not given.
        """
        if not self.fixed:
            features = self.inputs.extend(bits).top(self.heads, self.precision)
            return features if words is None else features.take(words)
        base = self.features if words is None else self.features.take(words)
        weights = self.weights if words is None else tuple(w.take(words) for w in self.weights)
        rows = self.inputs.tree.final if words is None else self.inputs.tree.final[words]
        sums = units_sums(self.inputs, weights, rows, bits)
        heads, size, new = len(self.heads), base.size, len(bits)
        joint = np.empty((len(rows), heads, size + new), dtype=np.int64)
        joint[:, :, :size] = base.sums.reshape(len(rows), heads, size)
        for h, of_head in enumerate(sums):
            joint[:, h, size:] = of_head.T
        last = np.concatenate([base.last, bits[:, rows].T], axis=1)
        return Features(joint.reshape(len(rows), heads * (size + new)), last, base.scale)


def units_sums(
    inputs: Inputs, weights: tuple[HeadWeights, ...], rows: IntArray, bits: BoolArray
) -> list[IntArray]:
    """Attended sums of units on some rows, cleared of denominators, an (N, R) array for every head."""
    values = bits[:, : int(rows.max(initial=-1)) + 1].astype(np.int16)  # parents come before children
    counts = inputs.tree.accumulate(values)
    return cleared(weights, [w.sums(values, counts) for w in weights], len(rows))[1]
