"""The conflict filter: pairs of words that the last layer cannot tell apart unless a lower unit helps.

Two words with different labels whose attended sums, last features and denominators are equal look alike to
any unit over those features. A set of lower units can serve only if for every such pair some unit of the set
has a different attended sum or a different last value on the two words; otherwise no v, s, b of any
precision, and no number of units above, gives both words their labels.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from idinf.search.features import HeadWeights, Inputs, cleared
from idinf.search.short_words import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.structures import LayerShape
from idinf.space.units import BoolArray

__all__ = ["Conflicts"]

#: Any subset of the conflicts is a sound filter; more than this many cost more time than they save.
MAX_CONFLICTS = 4096


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
        self.weights: tuple[HeadWeights, ...] = ()
        self.pairs = np.zeros((0, 2), dtype=np.int64)
        if any(pattern.logits for pattern in top.heads):
            return
        count = words.up_to(length)
        self.rows = inputs.tree.final[:count]
        self.weights = inputs.weights(top.heads, precision, self.rows)
        features = inputs.read(self.weights, self.rows)
        _, group = group_rows(np.concatenate([features.sums, features.last, features.scale[:, None]], axis=1))
        self.pairs = _mixed_pairs(group, words.labels[:count])

    def __len__(self) -> int:
        return len(self.pairs)

    def separated(self, bits: BoolArray) -> BoolArray:
        """Which unit separates which conflict, (N, number of conflicts).

        Parameters
        ----------
        bits : (N, T) ndarray of bool
            Values of N units on the rows of the inputs.
        """
        values = bits.astype(np.int16)
        counts = self.inputs.tree.accumulate(values)
        _, sums = cleared(self.weights, [w.sums(values, counts) for w in self.weights], len(self.rows))
        left, right = self.pairs[:, 0], self.pairs[:, 1]
        apart: BoolArray = bits[:, self.rows[left]] != bits[:, self.rows[right]]
        for total in sums:
            apart |= total[:, left] != total[:, right]
        return apart


def _mixed_pairs(group: IntArray, labels: BoolArray) -> IntArray:
    """Pairs (accepted word, rejected word) of one group, the shortest words first, at most MAX_CONFLICTS."""
    order = np.argsort(group, kind="stable")
    bounds = np.flatnonzero(np.r_[True, np.diff(group[order]) != 0, True])
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for begin, end in pairwise(bounds):
        members = order[begin:end]
        positive, negative = members[labels[members]], members[~labels[members]]
        if len(positive) and len(negative):
            grid = np.stack(np.meshgrid(positive, negative, indexing="ij"), axis=-1)
            pairs.append(grid.reshape(-1, 2))
    found = np.concatenate(pairs)
    by_length = np.argsort(found.max(axis=1), kind="stable")
    return found[by_length[:MAX_CONFLICTS]]
