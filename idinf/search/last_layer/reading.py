"""What the last layer of a structure reads over several stacks, on all words that count or on some."""

from __future__ import annotations

import itertools

import numpy as np

from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.lower_layers.builder import LowerLayers
from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray
from idinf.space.structures import Structure

__all__ = ["FeaturesOver"]


class FeaturesOver:
    """The last layer over stacks; those that share their lower layers but the last are read together.

    Parameters
    ----------
    structure : Structure
    stacks : list of LowerLayers
    count : int, optional
        Only the first words count; all if not given.
    """

    def __init__(self, structure: Structure, stacks: list[LowerLayers], count: int | None = None) -> None:
        self.structure, self.stacks, self.count = structure, stacks, count

    def alone(self, place: int) -> Features:
        """On all words that count, over one stack."""
        stack = self.stacks[place]
        count = len(stack.below.words.labels)
        words = None if self.count in (None, count) else np.arange(self.count or 0)
        return self._view(stack).over(stack.bits, words)

    def together(self, places: IntArray, words: IntArray) -> list[Features]:
        """On given words, over the stacks at given places."""
        read: list[Features] = []
        for _, run in itertools.groupby((self.stacks[k] for k in places), key=lambda stack: id(stack.view)):
            stacks = list(run)
            if stacks[0].view is None:
                read += [self._view(stack).over(stack.bits, words) for stack in stacks]
            else:
                read += stacks[0].view.over_each([stack.bits for stack in stacks], words)
        return read

    def _view(self, stack: LowerLayers) -> LastLayerInputs:
        heads = self.structure.layers[-1].heads
        return stack.view or LastLayerInputs(stack.below, heads, self.structure.precision)
