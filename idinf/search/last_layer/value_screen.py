"""The hot loop: which value vectors can be those of a right last unit, by intervals in single precision.

With v fixed, the unit is 1 on a word iff y > q, for a number y that depends only on the class of the last
position, and q = −⟨v, sums⟩ / scale. Some grid number y must lie above every q of the words that are to be
1, and not above any q of the others. Products run in float32 on quotients that were divided once; a vector
is dropped only if it misses by more than ``SLACK``, which is above every rounding error, so none that could
serve is lost. What is left is decided exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray
from idinf.space.rows import sort_distinct
from idinf.space.units import BoolArray

STAGES = (32, 128, 1 << 30)  #: distinct rows of the stages: most vectors fail on the first few dozen words
#: Vectors of one block: 2 MB of float32 for the rows of a class keep the reductions in the cache.
BLOCK_CELLS = 500_000
#: Tolerance of the comparisons, beside a relative error of f · 2^-22 that is added for long vectors.
SLACK = 1e-3

_Float32 = NDArray[np.float32]


class Screen:
    """Screens value vectors over the same lower layers, by features and labels of W words, (W,).

    ``largest`` bounds |y|. How far each stage reads, and how much it does at a time, changes no answer.
    """

    def __init__(
        self,
        features: Features,
        labels: BoolArray,
        largest: float,
        stages: tuple[int, ...] = STAGES,
        block_cells: int = BLOCK_CELLS,
    ) -> None:
        # One row of each kind and label, the shortest words first.
        keys = features.rows[1] * 2 + labels
        _, index = np.unique(keys, return_index=True)
        index.sort()
        self.rows = (-features.sums[index] / features.scale[index, None]).astype(np.float32)
        self.labels = labels[index]
        _, self.group = np.unique(features.last[index], axis=0, return_inverse=True)
        self.group = self.group.reshape(-1)
        self.largest, self.stages, self.block_cells = largest, stages, block_cells

    def alive(self, values: IntArray) -> IntArray:
        """Indices of the (V, H·f) value vectors that may serve, increasing."""
        columns = np.ascontiguousarray(values.T.astype(np.float32))
        # The longest vector, over heads and features, bounds every rounding error of a product with it.
        longest = float(np.abs(columns).sum(axis=0).max(initial=0.0)) * float(
            np.abs(self.rows).max(initial=0.0)
        )
        slack = SLACK + longest * len(columns) * 2.0**-22
        alive = np.arange(len(values))
        begin = 0
        for end in self.stages:
            if begin >= len(self.rows) or not len(alive):
                break
            # The rows of earlier stages come along: an interval is that of all words of its class.
            alive = self.stage(columns, alive, slice(0, end), slack)
            begin = end
        return alive

    def stage(self, columns: _Float32, alive: IntArray, stage: slice, slack: float) -> IntArray:
        """Those of the vectors ``alive``, columns of an (H·f, V) array, that a slice of the rows leaves."""
        rows, labels, group = self.rows[stage], self.labels[stage], self.group[stage]
        parts = [(rows[(group == g) & labels], rows[(group == g) & ~labels]) for g in sort_distinct(group)]
        block = max(1, self.block_cells // max(1, max(len(a) + len(b) for a, b in parts)))
        kept = []
        for begin in range(0, len(alive), block):
            index = alive[begin : begin + block]
            kept.append(index[self._right(np.take(columns, index, axis=1), parts, slack)])
        return np.concatenate(kept)

    def _right(self, columns: _Float32, parts: list[tuple[_Float32, _Float32]], slack: float) -> BoolArray:
        """Vectors for which every class has room for some y, for one of the two readings."""
        plain = np.ones(columns.shape[1], dtype=np.bool_)
        complement = plain.copy()
        for accepted, rejected in parts:
            most_a, least_a = _extremes(accepted, columns)
            most_r, least_r = _extremes(rejected, columns)
            plain &= self._room(most_a, least_r, slack)
            complement &= self._room(most_r, least_a, slack)
        return plain | complement

    def _room(self, above: _Float32, below: _Float32, slack: float) -> BoolArray:
        """Whether some integer y with |y| ≤ ``largest`` has above < y ≤ below, up to the slack."""
        first = np.maximum(np.floor(above - slack) + 1.0, np.ceil(-self.largest - slack))
        last = np.minimum(np.floor(below + slack), np.floor(self.largest + slack))
        return np.asarray(first <= last)


def _extremes(rows: _Float32, columns: _Float32) -> tuple[_Float32, _Float32]:
    """Largest and smallest q of some rows, for every vector."""
    if not len(rows):
        size = columns.shape[1]
        return np.full(size, -np.inf, dtype=np.float32), np.full(size, np.inf, dtype=np.float32)
    with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
        q = rows @ columns  # (rows, V), over heads and features
    return q.max(axis=0), q.min(axis=0)  # over the rows
