"""The conflict filter: pairs of words that the last layer cannot tell apart unless a lower unit helps.

Two words with different labels (for next symbols: prefixes that are judged, and any one of K labels) whose
attended sums, last features and denominators are equal look alike to any unit over those features. A set of
lower units can serve only if for every such pair some unit of the set has a different attended sum or a
different last value on the two words; otherwise no v, s, b of any precision, and no number of units above,
gives both words their labels.
"""

from __future__ import annotations

import numpy as np

from idinf.search.last_layer.inputs import LastLayerInputs, units_sums
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, sort_distinct
from idinf.space.units import BoolArray

#: Any subset of the conflicts is a sound filter; more than this many cost more time than they save.
MAX_CONFLICTS = 512


class Conflicts:
    """Conflicts among words up to a length, and what each unit separates; those of the shortest are kept.

    They are those of the last layer over the features that every candidate set shares. If its logits depend
    on content, new units change its weights, and nothing is a conflict.
    """

    def __init__(self, last_inputs: LastLayerInputs, length: int, most: int = MAX_CONFLICTS) -> None:
        self.inputs = last_inputs.inputs
        self.pairs = np.zeros((0, 2), dtype=np.int64)
        words = last_inputs.inputs.words
        count = words.up_to(length)
        if not last_inputs.fixed or not count:
            return
        features = last_inputs.features.take(slice(count))
        _, group = group_rows(np.concatenate([features.sums, features.last, features.scale[:, None]], axis=1))
        columns = words.columns(count).T
        found = [_mixed_pairs(group, labels)[: most // len(columns)] for labels in columns]
        self.pairs = sort_distinct(np.concatenate(found), axis=0)
        met, self._places = np.unique(self.pairs, return_inverse=True)
        self._rows = last_inputs.inputs.tree.final[met]
        self._weights = tuple(w.take(met) for w in last_inputs.weights)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def reach(self) -> int:
        """Values of units are needed on so many rows of the inputs, the first ones."""
        return int(self._rows.max(initial=-1)) + 1

    def separated(self, bits: BoolArray) -> BoolArray:
        """Which of N units, (N, reach) on the first rows, separates which conflict, (N, conflicts)."""
        sums = units_sums(self.inputs, self._weights, self._rows, bits)
        left, right = self._places.reshape(-1, 2).T
        apart: BoolArray = bits[:, self._rows[left]] != bits[:, self._rows[right]]
        for total in sums:
            apart |= total[:, left] != total[:, right]
        return apart


def _mixed_pairs(group: IntArray, labels: BoolArray) -> IntArray:
    """Pairs (a word, one before it in its group with the other label): the first and the last such one."""
    index = np.arange(len(group))
    order = np.argsort(group, kind="stable")
    begin = np.r_[True, np.diff(group[order]) != 0]
    begin = np.maximum.accumulate(np.where(begin, index, 0))  # where the group of each place begins
    pairs = []
    for label in (False, True):
        has = labels[order] == label
        last = np.maximum.accumulate(np.where(has, index, -1))
        following = np.minimum.accumulate(np.where(has, index, len(group))[::-1])[::-1]
        first = following[begin]
        later = np.flatnonzero(~has & (last >= begin))
        pairs += [np.stack([order[later], order[partner[later]]], axis=1) for partner in (first, last)]
    return sort_distinct(np.concatenate(pairs), axis=0)
