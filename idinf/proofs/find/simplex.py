"""Non-negative solutions of a few linear equations in many unknowns, of least cost: a simplex method.

A proof takes thousands of programs with about five equations each. HiGHS gives the same answers (a test holds
the two together), but calling it costs ten to twenty times as long as solving one of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

_Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

#: What counts as 0 among numbers that come from small integers.
SMALL = 1e-9

#: Pivots of one phase, at most.
MAX_PIVOTS = 400

#: Pivots by the steepest descent, which is fast but may cycle; then the first descent is taken, which cannot.
STEEPEST = 200


@dataclass(frozen=True, slots=True)
class SimplexResult:
    """Where the method ended."""

    basis: tuple[int, ...] | None  #: the unknowns above 0, at most one for each equation; None: no solution
    prices: _Floats  #: if there is no solution: y with y · A ≤ 0 and y · b > 0, (m,); otherwise 0


def solve(A: _Floats, b: _Floats, costs: _Floats) -> SimplexResult:
    """Minimize costs · x where A x = b and x ≥ 0; A is (m, n), and the costs are at least 0.

    A dense tableau: m is about the number of counters, and n some hundreds. A result only proposes; what is
    built on it is checked exactly.

    >>> A, costs = np.array([[1.0, 2.0, -1.0]]), np.array([1.0, 1.0, 0.0])
    >>> solve(A, np.array([4.0]), costs).basis
    (1,)
    >>> solve(np.array([[1.0, 2.0]]), np.array([-1.0]), costs[:2]).basis is None
    True
    """
    rows, columns = A.shape
    signs = np.where(b < 0, -1.0, 1.0)
    table = np.zeros((rows + 2, columns + rows + 1))
    table[:rows, :columns] = A * signs[:, None]
    table[:rows, columns : columns + rows] = np.eye(rows)
    table[:rows, -1] = b * signs
    table[rows, :columns] = costs
    table[rows + 1] = -table[:rows].sum(axis=0)
    table[rows + 1, columns : columns + rows] = 0.0
    basis = list(range(columns, columns + rows))
    _descend(table, basis, rows + 1, columns)
    if table[rows + 1, -1] < -1e-7:  # what is left of the sum of the artificial unknowns
        return SimplexResult(None, (1.0 - table[rows + 1, columns : columns + rows]) * signs)
    for row, entry in enumerate(basis):  # one that is 0 leaves, or its equation is empty
        if entry >= columns > 0:
            column = int(np.abs(table[row, :columns]).argmax())
            if abs(table[row, column]) > SMALL:
                _pivot(table, basis, row, column)
    _descend(table, basis, rows, columns)
    used = (entry for row, entry in enumerate(basis) if entry < columns and table[row, -1] > SMALL)
    return SimplexResult(tuple(sorted(used)), np.zeros(rows))


def _descend(table: _Floats, basis: list[int], objective: int, columns: int) -> None:
    """Pivot until no unknown lowers the objective."""
    rows = len(basis)
    if not columns:
        return
    for count in range(MAX_PIVOTS):
        reduced = table[objective, :columns]
        column = int(reduced.argmin() if count < STEEPEST else (reduced < -SMALL).argmax())
        if reduced[column] >= -SMALL:
            return
        entries = table[:rows, column]
        usable = np.flatnonzero(entries > SMALL)
        if not len(usable):
            return
        ratios = table[usable, -1] / entries[usable]
        ties = usable[ratios <= ratios.min() + SMALL]
        _pivot(table, basis, min((int(row) for row in ties), key=lambda row: basis[row]), column)


def _pivot(table: _Floats, basis: list[int], row: int, column: int) -> None:
    table[row] /= table[row, column]
    factors = table[:, column].copy()
    factors[row] = 0.0
    table -= factors[:, None] * table[row]
    basis[row] = column
