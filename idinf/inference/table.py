"""The table (R, fail) of functions: everything about the procedure follows from it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from idinf.nets.regularizer import EPSILON
from idinf.search.found import HypothesisBatch
from idinf.space.grid import IntArray
from idinf.space.units import FloatArray


class Batch(Protocol):
    """N hypotheses that were found together, and what the table asks of them."""

    @property
    def r(self) -> FloatArray:
        """R, (N,)."""
        ...

    @property
    def fail(self) -> IntArray:
        """Exact fail length, (N,), −1 if there is none up to 2 · max_n."""
        ...

    @property
    def outputs(self) -> NDArray[np.uint8]:
        """Answers on all short words, packed, (N, B)."""
        ...

    def __len__(self) -> int: ...

    def take(self, index: IntArray) -> Self:
        """The hypotheses at the given places."""
        ...


BatchT = TypeVar("BatchT", bound=Batch)


@dataclass(frozen=True, slots=True, eq=False)
class FailRow(Generic[BatchT]):
    """A function met by the search, or several that agree on all short words and have one fail length."""

    r: float  #: least R of its hypotheses
    fail: int | None  #: exact fail length; None if there is none up to 2 · max_n
    found: BatchT  #: the batch in which a hypothesis of it stands, and where
    index: int

    @classmethod
    def of(cls, found: BatchT, index: int) -> FailRow[BatchT]:
        """That of one hypothesis of a batch."""
        fail = int(found.fail[index])
        return cls(float(found.r[index]), None if fail < 0 else fail, found, index)

    @property
    def key(self) -> tuple[bytes, int | None]:
        """The key of a row: outputs on short words, and the fail length."""
        return self.found.outputs[self.index].tobytes(), self.fail

    def consistent(self, n: int) -> bool:
        """Whether it agrees with the target on all words up to length n."""
        return self.fail is None or self.fail > n


class FailTable(Generic[BatchT]):
    """Rows by behaviour, the cheapest hypothesis of each. Mutable: it grows slice by slice.

    Functions that differ on a short word, up to length ``screened``, or in their fail length have rows of
    their own; functions that agree in both share one. So counts of rows are lower bounds on counts of
    functions, and verdicts are exact. Up to ``window(n)`` above R*_n may be selected, for n up to ``max_n``;
    what has R up to ``reach(n)`` above R*_n is looked at, which is no less.
    """

    def __init__(
        self,
        screened: int,
        max_n: int,
        window: Callable[[int], float],
        reach: Callable[[int], float] | None = None,
    ) -> None:
        self.screened, self.max_n, self.window, self.reach = screened, max_n, window, reach or window
        self._rows: dict[tuple[bytes, int | None], FailRow[BatchT]] = {}
        self._batches: list[BatchT] = []
        self._levels: tuple[FailRow[BatchT], ...] | None = None
        self._sorted: list[FailRow[BatchT]] | None = None
        self._least_r: dict[int, float] = {}  #: by fail, −1 for none

    def add(self, found: BatchT) -> None:
        """Take in a batch."""
        self._batches.append(found)
        self._levels = self._sorted = None
        for fail in set(found.fail.tolist()):
            least = float(found.r[found.fail == fail].min())
            self._least_r[fail] = min(self._least_r.get(fail, math.inf), least)
        for index in range(len(found)):
            row = FailRow.of(found, index)
            known = self._rows.setdefault(row.key, row)
            if row.r < known.r:
                self._rows[row.key] = row

    @property
    def levels(self) -> tuple[FailRow[BatchT], ...]:
        """Rows that last longer than every cheaper one, by R; the first that is consistent at n has R*_n."""
        if self._levels is None:
            levels: list[FailRow[BatchT]] = []
            for row in self.rows():
                if not levels or (levels[-1].fail is not None and levels[-1].fail < (row.fail or math.inf)):
                    levels.append(row)
            self._levels = tuple(levels)
        return self._levels

    def members(self, rows: list[FailRow[BatchT]], high: float) -> list[FailRow[BatchT]]:
        """Every hypothesis of R ≤ ``high`` + ε behind rows of one fail, if short words do not decide it."""
        if not rows or rows[0].fail is None or rows[0].fail <= self.screened:
            return rows
        keys = {row.key for row in rows}
        return [other for other in self.listed(rows[0].fail, high) if other.key in keys]

    def listed(self, fail: int, high: float) -> Iterator[FailRow[BatchT]]:
        """Every hypothesis that was listed with a fail, −1 for none, and R ≤ ``high`` + ε.

        Of realisations of one function, proved to be one by normal forms, the cheapest alone is listed.
        """
        for found in self._batches:
            for index in np.flatnonzero((found.fail == fail) & (found.r <= high + EPSILON)):
                yield FailRow.of(found, int(index))

    def rows(self, high: float = math.inf) -> list[FailRow[BatchT]]:
        """Rows with R ≤ ``high``, by R, then the larger fail first."""
        if self._sorted is None:
            rows = self._rows.values()
            self._sorted = sorted(rows, key=lambda row: (row.r, -math.inf if row.fail is None else -row.fail))
        return self._sorted[: bisect_right(self._sorted, high, key=lambda row: row.r)]

    def r_star(self, n: int, high: float = math.inf) -> float | None:
        """R*_n, the least R with fail > n among rows with R ≤ ``high`` + ε; None if there is none."""
        least = next((row.r for row in self.levels if row.consistent(n)), None)
        return None if least is None or least > high + EPSILON else least

    def _r_stars(self, high: float) -> list[float | None]:
        """R*_n for n = 0 to ``max_n``, as `r_star` gives them."""
        found: list[float | None] = []
        for row in self.levels:
            if row.r > high + EPSILON:
                break
            end = self.max_n + 1 if row.fail is None else min(row.fail, self.max_n + 1)
            found += [row.r] * (end - len(found))
        return found + [None] * (self.max_n + 1 - len(found))

    def selected(self, n: int, high: float) -> list[FailRow[BatchT]]:
        """Rows with fail > n and R ≤ ``high`` + ε, by R: the selected set if ``high`` is its window's end."""
        return [row for row in self.rows(high + EPSILON) if row.consistent(n)]

    def tied(self, r: float, before: int) -> Iterator[BatchT]:
        """Batches of the hypotheses with R = ``r`` (within ε) and fail > ``before``."""
        for found in self._batches:
            lasts = (found.fail > before) | (found.fail < 0)
            index = np.flatnonzero((np.abs(found.r - r) <= EPSILON) & lasts)
            if len(index):
                yield found.take(index)

    def stop_bound(self, complete: float, at_most: float | None = None) -> float | None:
        """Largest R that can enter a selected set S_n with n ≤ max_n; None while some R*_n is unknown.

        The maximum of R*_n + 1/(2n) need not sit at max_n. With ``at_most``, a bound of every R*_n from
        above, it stands for what is unknown: the result is then what the true one is at most.
        """
        known, unknown = self.windows(complete)
        if unknown == -math.inf:
            return known
        return None if at_most is None else max(known, at_most + unknown)

    def windows(self, complete: float) -> tuple[float, float]:
        """Where the last window of a known R*_n ends, and how wide those of unknown ones are at most.

        Either is −∞ where there is none.
        """
        levels = list(enumerate(self._r_stars(complete)))[1:]
        known = (level + self.reach(n) for n, level in levels if level is not None)
        unknown = (self.reach(n) for n, level in levels if level is None)
        return max(known, default=-math.inf), max(unknown, default=-math.inf)

    def needed_up_to(self, complete: float) -> float:
        """R up to which `words_needed` stays the same beyond ``complete``, if nothing else is found.

        Infinite where R*_n is not known, and where only windows of settled n are left.
        """
        n = self.words_needed(complete)
        level = self.r_star(n, complete) if n else None
        end = math.inf if level is None else level + self.reach(n)
        return end if end + EPSILON > complete else math.inf

    def words_needed(self, complete: float) -> int:
        """Least fail length minus one that still matters for hypotheses with R > ``complete``.

        A hypothesis of larger R can be selected at n only if R*_n is unknown yet, or if the window of n
        reaches beyond ``complete``; it must be consistent at such an n. An n that is settled asks for no
        more.
        """
        first, *levels = self._r_stars(complete)
        if first is None:
            return 0  # the first record is the cheapest hypothesis that is right on ε
        for n, level in enumerate(levels, start=1):
            if level is None or (
                level + self.reach(n) + EPSILON > complete and not self._is_settled(n, level, complete)
            ):
                return n
        return self.max_n

    @property
    def settles(self) -> bool:
        """Whether an early fail settles an n, as no more is looked at than what may be selected."""
        return self.reach == self.window

    def _is_settled(self, n: int, level: float, complete: float) -> bool:
        """Whether something that is selected at n fails as early as anything there can, at n + 1.

        Then n is bad, and whatever else may be selected changes neither that nor the least fail, nor, as
        everything up to ``complete`` is known, the cheapest hypothesis with that fail.
        """
        least = self._least_r.get(n + 1, math.inf)
        return self.settles and least <= min(level + self.window(n), complete) + EPSILON


#: The table of a search through the one-hot family, and its rows.
SearchTable: TypeAlias = FailTable[HypothesisBatch]
SearchRow: TypeAlias = FailRow[HypothesisBatch]
