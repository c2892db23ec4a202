"""The conflict filter: pairs of words that the last layer cannot tell apart unless a lower unit helps.

Two words with different labels whose attended sums, last features and denominators are equal look alike to
any unit over those features. A set of lower units can serve only if for every such pair some unit of the set
has a different attended sum or a different last value on the two words; otherwise no v, s, b of any
precision, and no number of units above, gives both words their labels.
"""

from __future__ import annotations

import numpy as np

from idinf.search.features import Inputs, cleared
from idinf.search.short_words import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.structures import LayerShape
from idinf.space.units import BoolArray

__all__ = ["Conflicts"]

#: Any subset of the conflicts is a sound filter; more than this many cost more time than they save.
MAX_CONFLICTS = 256


class Conflicts:
    """Conflicts among short words under given features, and what each unit separates.

    Parameters
    ----------
    words : ShortWords
    inputs : Inputs
        Features that every candidate set shares, on the rows of the layer that is to be built.
    top : LayerShape
        The last layer. If its logits depend on content, new units change its weights, and nothing is a
        conflict.
    length : int
        Only words up to this length are used.
    """

    def __init__(
        self, words: ShortWords, inputs: Inputs, top: LayerShape, precision: int, length: int
    ) -> None:
        self.inputs = inputs
        self.pairs = np.zeros((0, 2), dtype=np.int64)
        if any(pattern.logits for pattern in top.heads):
            return
        count = words.up_to(length)
        rows = inputs.tree.final[:count]
        features = inputs.read(inputs.weights(top.heads, precision, rows), rows)
        _, group = group_rows(np.concatenate([features.sums, features.last, features.scale[:, None]], axis=1))
        self.pairs = _mixed_pairs(group, words.labels[:count])
        words_met, self._places = np.unique(self.pairs, return_inverse=True)
        self._rows = rows[words_met]
        self._weights = inputs.weights(top.heads, precision, self._rows)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def reach(self) -> int:
        """Values of units are needed on so many rows of the inputs, the first ones."""
        return int(self._rows.max(initial=-1)) + 1

    def separated(self, bits: BoolArray) -> BoolArray:
        """Which unit separates which conflict, (N, number of conflicts).

        Parameters
        ----------
        bits : (N, reach) ndarray of bool
            Values of N units on the first rows of the inputs.
        """
        values = bits.astype(np.int16)
        counts = self.inputs.tree.accumulate(values)
        _, sums = cleared(self._weights, [w.sums(values, counts) for w in self._weights], len(self._rows))
        left, right = self._places.reshape(-1, 2).T
        apart: BoolArray = bits[:, self._rows[left]] != bits[:, self._rows[right]]
        for total in sums:
            apart |= total[:, left] != total[:, right]
        return apart


def _mixed_pairs(group: IntArray, labels: BoolArray) -> IntArray:
    """Pairs (a word, the first word of its group with the other label), the shortest first."""
    size = int(group.max(initial=-1)) + 1
    first = np.full((size, 2), len(group), dtype=np.int64)
    np.minimum.at(first, (group, labels.astype(np.int64)), np.arange(len(group)))
    other = first[group, 1 - labels.astype(np.int64)]
    # Of a pair the later word is the one that is listed; the earlier one is found as its partner.
    later = np.flatnonzero(other < np.arange(len(group)))[:MAX_CONFLICTS]
    return np.stack([later, other[later]], axis=1)
