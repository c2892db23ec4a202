"""Corners: the maximal choices of rank_V, ‖V‖, ‖A‖ and ‖b‖ that a budget of R leaves.

With ``max`` each of these terms of R is the largest of all layers. So a hypothesis is within the budget iff
some corner is at least the cost of every layer of it, term by term. Its layers are then looked at one by one:
each has a mask of the corners that it is below. The masks of all realisations of a layer are joined by "or",
and those of different layers by "and", and nothing is lost.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from idinf.nets.regularizer import Aggregate
from idinf.space.rows import find_undominated
from idinf.space.structures import SLACK, Structure, join_floors
from idinf.space.units import BoolArray, FloatArray

MOST_CORNERS = 64  #: Corners of one budget: the bits of a mask. Of more, some are joined to larger ones.

Masks = NDArray[np.unsignedinteger]  #: one mask for each thing, as unsigned integers; bits mean corners


@dataclass(frozen=True)
class Corners:
    """K corners of a budget, (K, 4): rank_V, ‖V‖, ‖A‖, ‖b‖.

    Room for ‖V‖ + ‖b‖ = 2 in integers beside ‖A‖ = 1:

    >>> corners = Corners.maximal([(1.0, v, 1.0, b) for v in (1.0, 2.0) for b in (0.0, 1.0) if v + b <= 2])
    >>> corners.points.tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.0]]
    >>> corners.masks(np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 2.0, 1.0, 0.0], [1.0, 2.0, 1.0, 1.0]])).tolist()
    [192, 64, 0]
    """

    points: FloatArray

    @staticmethod
    def maximal(points: Sequence[tuple[float, float, float, float]]) -> Corners:
        """The points among some that no other one is above; neighbours are joined if they are too many."""
        rows = np.array(sorted(set(points))).reshape(-1, 4)
        rows = rows[find_undominated(np.zeros(len(rows), dtype=np.int64), -rows)]
        if len(rows) > MOST_CORNERS:
            rows = np.stack([part.max(axis=0) for part in np.array_split(rows, MOST_CORNERS)])
        return Corners(rows)

    @staticmethod
    @lru_cache(maxsize=64)
    def of(structure: Structure, high: float) -> Corners:
        """The corners of all hypotheses of a structure with R ≤ ``high``, with ``max`` over the layers.

        Squares of norms are integers in units of 4^-p, but for ‖V‖ at rank_V = 2 or more: there A and b have
        the rest beside the integer below. ‖b‖ itself is an integer in units of 2^-p if every layer has
        one unit; then rank_V is no more than a layer with heads needs.
        """
        step = 2.0**-structure.precision
        floor = join_floors(structure.layers, structure.precision, Aggregate.MAX)
        room = high + SLACK - structure.base(Aggregate.MAX)
        units = max(layer.units for layer in structure.layers)
        ranks = np.arange(floor.rank, (units if structure.heads else 0) + 1)
        widest = max(0.0, room - floor.total) / step
        most_b, least_V = math.floor(widest), round((floor.norm_V / step) ** 2)
        most_V = math.floor((widest + floor.norm_V / step) ** 2) if structure.heads else 0
        biases = np.arange(most_b + 1.0) if units == 1 else np.sqrt(np.arange(most_b**2 + 1.0))
        found = []
        for rank, square, bias in itertools.product(ranks, range(least_V, most_V + 1), biases):
            norm_V, norm_b = step * math.sqrt(square), step * float(bias)
            least = max(square - (rank > 1), least_V)
            left = room - rank - step * math.sqrt(least) - norm_b
            if left >= floor.norm_A:
                found.append((float(rank), norm_V, step * math.sqrt(math.floor((left / step) ** 2)), norm_b))
        return Corners.maximal(found)

    def norms_of_last(self, heads: int) -> FloatArray:
        """‖V‖, ‖s‖ and |b| at most of one unit that reads every head by an entry 1 of A, (3, K)."""
        _, norm_V, norm_A, norm_b = self.points.T
        return np.stack([norm_V, np.sqrt(np.maximum(norm_A**2 - heads, 0.0)), norm_b])

    def masks_of_lists(self, lists: Sequence[FloatArray]) -> Masks:
        """Below which corners some layer of each of S lists of costs is, (≥ 1, 4) each; (S,)."""
        sizes = np.array([*map(len, lists)])
        return np.bitwise_or.reduceat(self.masks(np.concatenate(lists)), np.cumsum(sizes) - sizes)

    def masks(self, costs: FloatArray) -> Masks:
        """Below which corners each of N layers is, of given costs, (N, 4); (N,)."""
        below = np.ones((len(costs), len(self.points)), dtype=np.bool_)
        for own, most in zip(costs.T, self.points.T, strict=True):
            below &= own[:, None] <= most + SLACK
        return pack(below)


def pack(bits: BoolArray) -> Masks:
    """Rows of at most `MOST_CORNERS` bits as integers of the least size, (N, K) to (N,)."""
    number, corners = bits.shape
    width = 1 << max(0, -(-corners // 8) - 1).bit_length()
    whole = np.zeros((number, 8 * width), dtype=np.bool_)  # one run of bits is packed much faster than rows
    whole[:, :corners] = bits
    return np.packbits(whole.reshape(-1)).view(f"u{width}")
