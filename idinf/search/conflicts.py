"""The conflict filter: pairs of words that the last layer cannot tell apart unless a lower unit helps.

Two words with the same token counts, the same last token and different labels look alike to any unit over
tokens. A set of lower units can serve only if for every such pair some unit of the set has a different
count or a different last value on the two words; otherwise no v, s, b of any precision, and no number of
units above, gives both words their labels.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from idinf.search.short_words import Features, ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray

__all__ = ["Conflicts"]

#: Any subset of the conflicts is a sound filter; more than this many cost more time than they save.
MAX_CONFLICTS = 4096


class Conflicts:
    """Conflicts among short words under given features, and what each unit separates.

    Parameters
    ----------
    words : ShortWords
    features : Features
        Those that every candidate set shares: tokens, and the units of finished layers.
    length : int
        Only words up to this length are used.
    """

    def __init__(self, words: ShortWords, features: Features, length: int) -> None:
        count = words.up_to(length)
        rows = np.concatenate([features.counts[:count], features.last[:count]], axis=1)
        _, group = group_rows(rows)
        self.pairs = _mixed_pairs(group, words.labels[:count])

    def __len__(self) -> int:
        return len(self.pairs)

    def separated(self, bits: BoolArray, counts: NDArray[np.int16]) -> BoolArray:
        """Which unit separates which conflict, (N, number of conflicts).

        Parameters
        ----------
        bits, counts : (N, W) ndarrays
            Values of N units on the words, and their accumulated counts.
        """
        left, right = self.pairs[:, 0], self.pairs[:, 1]
        apart: BoolArray = (bits[:, left] != bits[:, right]) | (counts[:, left] != counts[:, right])
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
