"""The table (R, fail) of functions: everything about the procedure follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from idinf.search.found import Found
from idinf.transformers.regularizer import EPSILON


@dataclass(frozen=True, slots=True)
class FailRow:
    """A function met by the search, or several that agree on all short words and have one fail length.

    Attributes
    ----------
    r : float
        Least R of its hypotheses.
    fail : int or None
        Exact fail length; None if there is none up to 2 · max_n.
    found, index
        Where a hypothesis of it stands.
    """

    r: float
    fail: int | None
    found: Found
    index: int

    def consistent(self, n: int) -> bool:
        """Whether it agrees with the target on all words up to length n."""
        return self.fail is None or self.fail > n


class FailTable:
    """Rows by behaviour, the cheapest hypothesis of each. Mutable: it grows slice by slice.

    Functions that differ on a short word or in their fail length have rows of their own; functions that agree
    in both share one. So counts of rows are lower bounds on counts of functions, and verdicts are exact.

    Parameters
    ----------
    screened : int
        Length of the longest short word.
    """

    def __init__(self, screened: int) -> None:
        self.screened = screened
        self._rows: dict[tuple[bytes, int], FailRow] = {}
        self._members: dict[tuple[bytes, int], list[FailRow]] = {}
        self._batches: list[Found] = []

    def add(self, found: Found) -> None:
        """Take in a batch."""
        self._batches.append(found)
        for index in range(len(found)):
            fail = int(found.fail[index])
            key = (found.outputs[index].tobytes(), fail)
            known = self._rows.get(key)
            row = FailRow(float(found.r[index]), fail if fail >= 0 else None, found, index)
            if known is None or row.r < known.r:
                self._rows[key] = row
            if fail > self.screened:
                self._members.setdefault(key, []).append(row)

    def members(self, row: FailRow, high: float) -> list[FailRow]:
        """Every hypothesis behind a row with R ≤ ``high`` + ε, as far as short words do not decide it."""
        if row.fail is None or row.fail <= self.screened:
            return [row]
        key = (row.found.outputs[row.index].tobytes(), row.fail)
        return [member for member in self._members[key] if member.r <= high + EPSILON]

    def lasting(self, high: float) -> Iterator[FailRow]:
        """Every hypothesis that was listed with no fail and R ≤ ``high`` + ε, not one for each behaviour.

        Of realisations of one function, proved to be one by normal forms, the cheapest alone is listed.
        """
        for found in self._batches:
            for index in np.flatnonzero((found.fail < 0) & (found.r <= high + EPSILON)):
                yield FailRow(float(found.r[index]), None, found, int(index))

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, high: float = math.inf) -> list[FailRow]:
        """Rows with R ≤ ``high``, by R, then the larger fail first."""
        chosen = [row for row in self._rows.values() if row.r <= high]
        return sorted(chosen, key=lambda row: (row.r, -(row.fail if row.fail is not None else math.inf)))

    def r_star(self, n: int, high: float = math.inf) -> float | None:
        """R*_n, the least R with fail > n among rows with R ≤ ``high`` + ε; None if there is none."""
        last = high + EPSILON
        return min(
            (row.r for row in self._rows.values() if row.r <= last and row.consistent(n)), default=None
        )

    def selected(self, n: int, high: float) -> list[FailRow]:
        """Rows with fail > n and R ≤ ``high`` + ε, by R: the selected set if ``high`` is its window's end."""
        return [row for row in self.rows(high + EPSILON) if row.consistent(n)]

    def tied(self, r: float, before: int) -> Iterator[Found]:
        """Batches of the hypotheses with R = ``r`` (within ε) and fail > ``before``."""
        for found in self._batches:
            index = np.flatnonzero(
                (np.abs(found.r - r) <= EPSILON) & ((found.fail > before) | (found.fail < 0))
            )
            if len(index):
                yield found.take(index)
