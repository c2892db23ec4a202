"""Derivations of linear inequalities: a solver in floats proposes multipliers, exact arithmetic accepts them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor

import numpy as np

from idinf.equivalence.conditions import Inequality
from idinf.verification.invariant import Derivation, Split, Sum, follows

__all__ = ["MAX_SPLITS", "derive"]

#: Splits of cases on one path, at most.
MAX_SPLITS = 3

#: Denominators of multipliers, at most.
MAX_DENOMINATOR = 1_000


def derive(
    goal: Inequality, premises: Sequence[Inequality], costs: Sequence[float], splits: int = MAX_SPLITS
) -> Derivation | None:
    """A derivation of an inequality of integers from others, of small cost; None if none was found.

    Parameters
    ----------
    goal : Inequality
    premises : sequence of Inequality
    costs : sequence of float
        What using each premise costs.

    Examples
    --------
    x ≥ y and y ≥ 1 give x ≥ 1; x + y ≥ 1 and x ≥ y give x ≥ 1 for integers only:

    >>> xy, y1 = Inequality((1, -1), 0), Inequality((0, 1), 1)
    >>> derive(Inequality((1, 0), 1), [xy, y1], [1.0, 1.0])
    Sum(factors=((0, Fraction(1, 1)), (1, Fraction(1, 1))))
    >>> derive(Inequality((1, 0), 1), [xy, Inequality((1, 1), 1)], [1.0, 1.0])
    Sum(factors=((0, Fraction(1, 2)), (1, Fraction(1, 2))))
    """
    if any(goal.coefficients):
        found = _combined(goal, premises, costs)
        if found is not None:
            return found
    never = Inequality((0,) * len(goal.coefficients), 1)
    found = _combined(never, premises, costs)
    if found is not None or not splits:
        return found
    point = _point(premises, goal)
    k = None if point is None else next((k for k, x in enumerate(point) if abs(x - round(x)) > 1e-6), None)
    if point is None or k is None:
        return None
    # Cases: the counter is above the fraction, or it is not.
    case = Inequality(tuple(int(j == k) for j in range(len(point))), floor(point[k]) + 1)
    sides = []
    for more in (case, case.negated):
        side = derive(goal, [*premises, more], [*costs, 1.0], splits - 1)
        if side is None:
            return None
        sides.append(side)
    return Split(case, *sides)


def _combined(goal: Inequality, premises: Sequence[Inequality], costs: Sequence[float]) -> Sum | None:
    """Multipliers of the premises that give the goal; of a strict bound less than 1 is rounded up."""
    from scipy.optimize import linprog

    if not premises:
        return None
    A = np.array([premise.coefficients for premise in premises], dtype=float).T
    b = np.array([premise.bound for premise in premises], dtype=float)
    is_never = not any(goal.coefficients)
    least = 1.0 if is_never else goal.bound - 1 + 1 / 8
    found = linprog(
        np.array(costs), A_ub=-b[None, :], b_ub=[-least], A_eq=A, b_eq=goal.coefficients, method="highs"
    )
    if found.status != 0:
        return None
    scale = 1.0 if not is_never else 1 / max(found.x.max(), 1e-9)
    factors = tuple(
        (number, factor)
        for number, x in enumerate(found.x)
        if (factor := Fraction(float(x * scale)).limit_denominator(MAX_DENOMINATOR)) > 0
    )
    return Sum(factors) if follows(goal, premises, Sum(factors)) else None


def _point(premises: Sequence[Inequality], goal: Inequality) -> list[float] | None:
    """A vertex of what the premises allow against the goal; None if there is none."""
    from scipy.optimize import linprog

    against = [*premises, goal.negated] if any(goal.coefficients) else premises
    A = np.array([premise.coefficients for premise in against], dtype=float)
    b = np.array([premise.bound for premise in against], dtype=float)
    found = linprog(np.ones(A.shape[1]), A_ub=-A, b_ub=-b, method="highs")
    return None if found.status != 0 else [float(x) for x in found.x]
