"""Triples of vectors by the sum of their norms: shell by shell, the cheapest first, none beyond a budget.

Vectors of equal norm are a level. One level of each of three sorted lists is a shell, whose members all have
one sum. Shells are few where vectors are many, so they are sorted, and members are made only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray
from idinf.space.rows import repeat_places

#: Shells that are sorted at once, about: 40 MB with what is computed from them.
BAND = 1 << 20


@dataclass(frozen=True, eq=False)
class Levels:
    """Runs of equal numbers in a sorted list: the numbers, (K,), where runs begin and the end, (K + 1,)."""

    values: NDArray[np.float64]
    starts: IntArray

    @staticmethod
    def of(numbers: NDArray[np.float64]) -> Levels:
        """The levels of a sorted list.

        >>> levels = Levels.of(np.array([0.0, 1.0, 1.0, 2.5]))
        >>> levels.values.tolist(), levels.starts.tolist()
        ([0.0, 1.0, 2.5], [0, 1, 3, 4])
        """
        new = np.flatnonzero(np.r_[True, np.diff(numbers) != 0][: len(numbers)])
        return Levels(numbers[new], np.append(new, len(numbers)))

    @property
    def sizes(self) -> IntArray:
        """Length of each run, (K,)."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class Shells:
    """The triples of places in three lists whose levels sum to at most a budget; no list is empty."""

    first: Levels
    second: Levels
    third: Levels
    budget: float

    def __len__(self) -> int:
        return int(self._all.sum())

    @property
    def size(self) -> int:
        """How many triples there are."""
        return int(((self.second.starts[self._all] @ self.third.sizes) * self.first.sizes).sum())

    @cached_property
    def _all(self) -> IntArray:
        """Ends within the budget."""
        return self._ends(self.budget)

    def _ends(self, budget: float) -> IntArray:
        """How many levels of the second list fit beside each of the first and third, (K1, K3)."""
        spare = budget - self.first.values[:, None] - self.third.values
        return np.searchsorted(self.second.values, spare, side="right")

    def members(self, most: int) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Places in the first, second and third list, in parts of at most ``most``.

        They come by sum; inside a shell the place in the third list counts most, then that in the first.

        >>> near = Levels.of(np.array([0.0, 1.0, 1.0]))
        >>> point = Levels.of(np.zeros(1))
        >>> [[part.tolist() for part in each] for each in Shells(near, near, point, 1.0).members(9)]
        [[[0, 0, 0, 1, 2], [0, 1, 2, 0, 0], [0, 0, 0, 0, 0]]]
        """
        least = float(self.first.values[0] + self.second.values[0] + self.third.values[0])
        done = np.zeros((len(self.first.values), len(self.third.values)), dtype=np.int64)
        for edge in np.linspace(least, self.budget, 2 + len(self) // BAND)[1:]:
            ends = self._all if edge >= self.budget else self._ends(float(edge))
            # Levels of the shells from ``done`` to ``ends`` of the second list, the least sum first.
            pair, step = repeat_places(np.maximum(ends - done, 0).ravel())
            j = done.ravel()[pair] + step
            i, k = np.divmod(pair, done.shape[1])
            total = self.first.values[i] + self.second.values[j] + self.third.values[k]
            order = np.argsort(total, kind="stable")
            yield from self._of(i[order], j[order], k[order], most)
            done = np.maximum(done, ends)

    def _of(
        self, i: IntArray, j: IntArray, k: IntArray, most: int
    ) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """The members of some shells, one shell after the other."""
        rows, columns = self.first.sizes[i], self.second.sizes[j]
        sizes = rows * columns * self.third.sizes[k]
        ends = np.cumsum(sizes)
        begins = ends - sizes
        for begin in range(0, int(sizes.sum()), most):
            end = begin + most
            first, last = np.searchsorted(ends, (begin, end - 1), side="right")
            part = slice(first, last + 1)
            inside = np.minimum(ends[part], end) - np.maximum(begins[part], begin)

            def spread(of_shell: IntArray, part: slice = part, inside: IntArray = inside) -> IntArray:
                return np.repeat(of_shell[part], inside)

            index = np.arange(begin, begin + int(inside.sum())) - spread(begins)
            width = spread(columns)
            pair = index // width
            height = spread(rows)
            third = pair // height
            yield (
                spread(self.first.starts[i]) + pair - third * height,
                spread(self.second.starts[j]) + index - pair * width,
                spread(self.third.starts[k]) + third,
            )
