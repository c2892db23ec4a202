"""What the last layer of a structure reads over sets of lower layers, on all words that count or on some."""

from __future__ import annotations

import itertools

import numpy as np

from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.lower_layers.builder import LowerLayers
from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray
from idinf.space.structures import Structure


class FeaturesOver:
    """The last layer over sets of lower layers; those that differ in the last of them only are read together.

    Only the first ``count`` words count; all if it is not given.
    """

    def __init__(
        self, structure: Structure, lower_layers: list[LowerLayers], count: int | None = None
    ) -> None:
        self.structure, self.lower_layers, self.count = structure, lower_layers, count

    def alone(self, place: int) -> Features:
        """On all words that count, over one set."""
        lower = self.lower_layers[place]
        count = len(lower.below.words.labels)
        words = None if self.count in (None, count) else np.arange(self.count or 0)
        return self._last_inputs(lower).over(lower.bits, words)

    def together(self, places: IntArray, words: IntArray) -> list[Features]:
        """On given words, over the sets at given places."""
        read: list[Features] = []
        for _, run in itertools.groupby(
            (self.lower_layers[k] for k in places), key=lambda lower: id(lower.last_inputs)
        ):
            lower_layers = list(run)
            if lower_layers[0].last_inputs is None:
                read += [self._last_inputs(lower).over(lower.bits, words) for lower in lower_layers]
            else:
                read += lower_layers[0].last_inputs.over_each([lower.bits for lower in lower_layers], words)
        return read

    def _last_inputs(self, lower: LowerLayers) -> LastLayerInputs:
        heads = self.structure.layers[-1].heads
        return lower.last_inputs or LastLayerInputs(lower.below, heads, self.structure.precision)
