"""The least non-negative integers that meet a condition, or a proof that none do: exact throughout.

Linear programs are solved by the dual simplex method in Fractions, so that a row that cannot be met is itself
the proof (Farkas); integer programs by branching, on undecided inequalities first and on fractions then.
Branches are taken in the order of their bounds, so the first point found is the least.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from idinf.languages.equivalence.conditions import Conditions, Inequality


class BranchLimit(Exception):
    """More branches than the bound; nothing is known."""


def find_least_point(
    conditions: Conditions,
    wanted: int,
    always: Sequence[Inequality],
    costs: Sequence[int],
    most: int,
    beat: Callable[[], None] = lambda: None,
) -> tuple[int, ...] | None:
    """Non-negative integers of least cost that meet a condition and inequalities; None if there are none.

    Every unknown has a cost of at least 0. ``beat`` is called before every branch, of which there are at most
    ``most``.

    Raises `BranchLimit` if there are more branches.
    """
    root: _Program | None = _Program.of(costs)
    for inequality in always:
        root = None if root is None else root.with_row(inequality)
    inequalities, branches = conditions.inequalities_in(wanted), 0
    waiting: list[tuple[Fraction, int, _Program, Mapping[int, bool]]] = []
    if root is not None:
        waiting.append((root.cost, 0, root, {}))
    while waiting:
        beat()
        _, _, program, decided = heapq.heappop(waiting)
        truth = conditions.truth(wanted, decided)
        if truth is False:
            continue
        point = program.point()
        if all(x.denominator == 1 for x in point):
            here = {number: inequality.holds(point) for number, inequality in inequalities.items()}
            if conditions.truth(wanted, here):
                return tuple(int(x) for x in point)
        if truth is None:
            number = next(k for k in inequalities if k not in decided)
            yes = inequalities[number]
            splits = [(yes, {**decided, number: True}), (yes.negated, {**decided, number: False})]
        else:
            k = next(k for k, x in enumerate(point) if x.denominator != 1)
            below = tuple(-int(j == k) for j in range(len(point)))
            at_most = Inequality(below, -floor(point[k]))
            splits = [(at_most, dict(decided)), (at_most.negated, dict(decided))]
        for row, known in splits:
            branches += 1
            if branches > most:
                raise BranchLimit
            narrowed = program.with_row(row)
            if narrowed is not None:
                heapq.heappush(waiting, (narrowed.cost, branches, narrowed, known))
    return None


@dataclass(frozen=True)
class _Program:
    """A solved linear program as a dictionary: basic variables as forms in the others, which are 0.

    Variables are numbered, the unknowns first. ``rows[v]`` is the constant of the basic variable v, at least
    0, and its coefficients; ``objective`` is likewise the cost, with coefficients that are at least 0.
    """

    size: int
    free: tuple[int, ...]
    rows: Mapping[int, tuple[Fraction, ...]]
    objective: tuple[Fraction, ...]

    @staticmethod
    def of(costs: Sequence[int]) -> _Program:
        objective = (Fraction(0), *(Fraction(cost) for cost in costs))
        return _Program(len(costs), tuple(range(len(costs))), {}, objective)

    @property
    def cost(self) -> Fraction:
        return self.objective[0]

    def point(self) -> tuple[Fraction, ...]:
        return tuple(self.rows[k][0] if k in self.rows else Fraction(0) for k in range(self.size))

    def with_row(self, inequality: Inequality) -> _Program | None:
        """The program with one inequality more, solved; None if it has no solution."""
        row = [Fraction(-inequality.bound)] + [Fraction(0)] * len(self.free)
        for k, coefficient in enumerate(inequality.coefficients):
            if coefficient and k in self.rows:
                row = [entry + coefficient * more for entry, more in zip(row, self.rows[k], strict=True)]
            elif coefficient:
                row[1 + self.free.index(k)] += coefficient
        slack = len(self.rows) + len(self.free)
        free, rows, objective = list(self.free), {**self.rows, slack: tuple(row)}, self.objective
        # Dual simplex with the rule of least numbers, which cannot cycle.
        while (leaving := min((v for v, form in rows.items() if form[0] < 0), default=None)) is not None:
            row = list(rows.pop(leaving))
            raising = [(objective[c] / row[c], free[c - 1], c) for c in range(1, len(row)) if row[c] > 0]
            if not raising:
                return None  # a negative constant, and nothing that could raise it
            _, entering, column = min(raising)
            pivot = row[column]
            # entering = (leaving − constant − the other terms) / pivot
            solved = [-entry / pivot for entry in row]
            solved[column] = 1 / pivot
            free[column - 1] = leaving
            rows = {v: _replaced(form, column, solved) for v, form in rows.items()}
            objective = _replaced(objective, column, solved)
            rows[entering] = tuple(solved)
        return _Program(self.size, tuple(free), rows, objective)


def _replaced(row: tuple[Fraction, ...], column: int, solved: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """A row with the variable of a column replaced by its form."""
    factor = row[column]
    if not factor:
        return row
    out = [entry + factor * more if more else entry for entry, more in zip(row, solved, strict=True)]
    out[column] = factor * solved[column]
    return tuple(out)
