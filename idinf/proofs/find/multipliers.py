"""Derivations of linear inequalities of integers: floats propose multipliers, exact arithmetic accepts them.

Where no multipliers exist, the premises and the negated goal have a solution in rationals, and cases are
split. Let C be the directions in which the set of solutions is unbounded. It holds an integer point iff its
image modulo span C does: over an integer point of the image there is a cone that is full in its own space.
The image is bounded, so branching on a lattice basis of the orthogonal complement of C ends: with a
derivation, or with an integer point that shows that there is none.

A proof takes thousands of linear programs with about five equations each. HiGHS gives the same answers (a
test holds the two together), but calling it costs ten to twenty times as long as the simplex method here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any, TypeAlias

import numpy as np

from idinf.base.linear_algebra import find_orthogonal, find_span, solve_exactly
from idinf.languages.equivalence.conditions import Inequality
from idinf.proofs.check.invariant import follows
from idinf.report.proof import Derivation, Split, Sum

_Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

#: Bound below which numbers that come from small integers count as 0.
SMALL = 1e-9

#: Pivots of one phase, at most.
MAX_PIVOTS = 400

#: Pivots by the steepest descent, which is fast but may cycle; then the first descent is taken, which cannot.
STEEPEST = 200


@dataclass(frozen=True, slots=True)
class SimplexResult:
    """Result of the simplex method."""

    basis: tuple[int, ...] | None  #: the unknowns above 0, at most one for each equation; None: no solution
    prices: _Floats  #: if there is no solution: y with y · A ≤ 0 and y · b > 0, (m,); otherwise 0


def solve(A: _Floats, b: _Floats, costs: _Floats) -> SimplexResult:
    """Minimize costs · x where A x = b and x ≥ 0; A is (m, n), and the costs are at least 0.

    A dense tableau: m is about the number of counters, and n some hundreds. A result only proposes; claims
    built on it are checked exactly.

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
    if table[rows + 1, -1] < -1e-7:  # the rest of the sum of the artificial unknowns
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


#: Splits of cases in one derivation, at most.
MAX_SPLITS = 64

#: Greatest difference between a number of the solver and the integer that it stands for.
NEAR = 1e-6


@dataclass
class Budget:
    """Number of cases that may still be split in one derivation. Mutable: it is spent."""

    splits: int = MAX_SPLITS
    spent: bool = False  #: True if it ended before it was known if there is a derivation


def derive(
    goal: Inequality, premises: Sequence[Inequality], costs: Sequence[float], budget: Budget | None = None
) -> Derivation | None:
    """A derivation of an inequality of integers from others, of small cost; None if there is none.

    The goal 0 ≥ 1 asks whether the premises exclude each other. The costs are those of using each premise.
    Where the budget ends, or where rounding errors are in the way, None says nothing.

    x ≥ y and y ≥ 1 give x ≥ 1; x + y ≥ 1 and x ≥ y give x ≥ 1 for integers only; x + y = 2z and x = y + 1
    exclude each other, though no counter is bounded:

    >>> xy, y1 = Inequality((1, -1), 0), Inequality((0, 1), 1)
    >>> derive(Inequality((1, 0), 1), [xy, y1], [1.0, 1.0])
    Sum(factors=((0, Fraction(1, 1)), (1, Fraction(1, 1))))
    >>> derive(Inequality((1, 0), 1), [xy, Inequality((1, 1), 1)], [1.0, 1.0])
    Sum(factors=((0, Fraction(1, 2)), (1, Fraction(1, 2))))
    >>> both = [Inequality((1, 1, -2), 0), Inequality((1, -1, 0), 1)]
    >>> both += [Inequality(tuple(-k for k in one.coefficients), -one.bound) for one in both]
    >>> derive(Inequality((0, 0, 0), 1), both, [1.0] * 4).case
    Inequality(coefficients=(-1, 0, 1), bound=0)
    """
    budget = Budget() if budget is None else budget
    if not premises:
        return None
    A = np.array([premise.coefficients for premise in premises], dtype=np.float64).T
    b = np.array([premise.bound for premise in premises], dtype=np.float64)
    if any(goal.coefficients):
        found = _combined(goal, premises, A, b, costs)
        if found is not None:
            return found
    return _refuted(goal, list(premises), list(costs), None, budget)


def _combined(
    goal: Inequality, premises: Sequence[Inequality], A: _Floats, b: _Floats, costs: Sequence[float]
) -> Sum | None:
    """Multipliers of the premises that give the goal; of a strict bound less than 1 is rounded up."""
    # Σ factor · bound less some slack is a bound that is rounded up to that of the goal.
    equations = np.vstack([np.column_stack([A, np.zeros(len(A))]), np.append(b, -1.0)])
    wanted = np.append(np.array(goal.coefficients, dtype=np.float64), goal.bound - 1 + 1 / 8)
    basis = solve(equations, wanted, np.append(np.array(costs), 0.0)).basis
    if basis is None:
        return None
    columns = [[*premise.coefficients, premise.bound] for premise in premises]
    columns.append([*(0 for _ in goal.coefficients), -1])
    right = [*map(Fraction, goal.coefficients), goal.bound - 1 + Fraction(1, 8)]
    used = _exact(columns, basis, right)
    if used is None:
        return None
    total = Sum(tuple((k, f) for k, f in used.items() if k < len(premises)))
    return total if follows(goal, premises, total) else None


def _refuted(
    goal: Inequality,
    premises: list[Inequality],
    costs: list[float],
    directions: tuple[tuple[int, ...], ...] | None,
    budget: Budget,
) -> Derivation | None:
    """A derivation by contradiction: that premises and negated goal exclude each other."""
    is_never = not any(goal.coefficients)
    against = premises if is_never else [*premises, goal.negated]
    rows = [[*one.coefficients, one.bound] for one in against]
    equations = np.array(rows, dtype=np.float64).T
    right = [0] * len(goal.coefficients) + [1]
    found = solve(
        equations, np.array(right, dtype=np.float64), np.array(costs if is_never else [*costs, 0.0])
    )
    if found.basis is not None:
        used = _exact(rows, found.basis, [Fraction(entry) for entry in right])
        if used is None:
            return None
        # Multipliers of a contradiction are those of the goal where its negation is used.
        scale = used.pop(len(premises), None) or max(used.values(), default=Fraction(1))
        total = Sum(tuple((k, f / scale) for k, f in used.items()))
        return total if follows(goal, premises, total) else None
    if found.prices[-1] < 1e-9 or (directions is None and budget.splits == 0):
        budget.spent = True
        return None
    point = -found.prices[:-1] / found.prices[-1]
    if directions is None:
        directions = _bounded(equations[:-1].T)
    values = [float(np.dot(direction, point)) for direction in directions]
    place = next((k for k, x in enumerate(values) if abs(x - round(x)) > NEAR), None)
    if place is None:
        return None  # the image of the point is an integer point, so the goal does not follow
    if budget.splits == 0:
        budget.spent = True
        return None
    budget.splits -= 1
    case = Inequality(directions[place], floor(values[place]) + 1)
    sides = []
    for more in (case, case.negated):
        side = _refuted(goal, [*premises, more], [*costs, 1.0], directions, budget)
        if side is None:
            return None
        sides.append(side)
    return Split(case, *sides)


def _exact(
    columns: Sequence[Sequence[int]], basis: Sequence[int], right: Sequence[Fraction]
) -> dict[int, Fraction] | None:
    """The multipliers of some columns that a float solution uses, exactly; None if one is negative."""
    factors = solve_exactly([columns[k] for k in basis], right)
    if factors is None or min(factors, default=0) < 0:
        return None
    return {k: f for k, f in zip(basis, factors, strict=True) if f}


def _bounded(A: _Floats) -> tuple[tuple[int, ...], ...]:
    """A lattice basis of the directions in which the points of A x ≥ b differ by a bounded amount."""
    # C holds the r with A r ≥ 0. Where Σ y a = 0 with y ≥ 0, the rows with y > 0 have a · r = 0 on all of C.
    flat: list[tuple[int, ...]] = []
    size = A.shape[1]
    while True:
        basis = find_span(flat, size)
        outside = find_orthogonal(basis, size)
        beyond = (A @ np.array(outside, dtype=np.float64).reshape(-1, size).T != 0).any(axis=1)
        if not beyond.any():
            return basis
        right = np.append(np.zeros(size), 1.0)
        rows = solve(np.vstack([A.T, beyond.astype(np.float64)]), right, np.zeros(len(A))).basis
        if rows is None:
            return basis
        flat = [*basis, *(tuple(int(entry) for entry in A[row]) for row in rows)]


def find_used_premises(reason: Derivation) -> set[int]:
    """The numbers of the premises that a derivation uses."""
    if isinstance(reason, Split):
        return find_used_premises(reason.yes) | find_used_premises(reason.no)
    return {number for number, _ in reason.factors}


def renumber(reason: Derivation, old: Sequence[Inequality], new: Sequence[Inequality]) -> Derivation:
    """A derivation from some premises as one from others that hold all it uses."""
    if isinstance(reason, Split):
        sides = (reason.yes, reason.case), (reason.no, reason.case.negated)
        yes, no = (renumber(side, [*old, case], [*new, case]) for side, case in sides)
        return Split(reason.case, yes, no)
    return Sum(tuple((new.index(old[number]), factor) for number, factor in reason.factors))
