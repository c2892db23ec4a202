"""A law for n0 against the size T of the members of a family: exact where one holds, else least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from idinf.report.family import FamilyFit
from idinf.report.value import rounded

Points = Sequence[tuple[int, int]]

#: Degrees of the candidates: a(T - 1) + b, and a quadratic.
DEGREES = (1, 2)

#: How powers of T - 1 are written.
_POWERS = ("", "(T - 1)", "(T - 1)^2")


def fits_of(points: Points) -> tuple[FamilyFit, ...]:
    """Find the law of the points.

    Parameters
    ----------
    points : sequence of (int, int)
        Pairs (T, n0) with increasing T.

    Returns
    -------
    tuple of FamilyFit
        One exact law of least degree if there is one. It must hold from some T to the last one (the smallest
        members may be exceptions), for at least half of the points, and for more points than it has
        coefficients: one more for a line, two more for a quadratic, which fits by chance too easily. Else the
        least squares for which there are as many points; nothing for fewer than three.

    Examples
    --------
    >>> [(fit.formula, fit.sizes) for fit in fits_of([(1, 3), (2, 4), (3, 8), (4, 12), (5, 16)])]
    [('4(T - 1)', (2, 3, 4, 5))]
    >>> [fit.formula for fit in fits_of([(1, 1), (2, 3), (3, 3), (4, 9), (5, 9)])]
    ['2.200(T - 1) + 0.600', '0.143(T - 1)^2 + 1.629(T - 1) + 0.886']
    """
    for degree in DEGREES:
        for start in range(len(points)):
            rest = points[start:]
            if len(rest) <= 2 * degree or 2 * len(rest) < len(points):
                break
            fit = _least_squares(rest, degree)
            if fit.exact:
                return (fit,)
    return tuple(_least_squares(points, degree) for degree in DEGREES if len(points) > 2 * degree)


def _least_squares(points: Points, degree: int) -> FamilyFit:
    """Solve the normal equations in fractions; the T of the points are distinct, so there is one solution."""
    rows = [[Fraction((size - 1) ** power) for power in range(degree + 1)] for size, _ in points]
    values = [Fraction(n0) for _, n0 in points]
    system = [
        [sum((row[i] * row[j] for row in rows), Fraction(0)) for j in range(degree + 1)]
        + [sum((row[i] * value for row, value in zip(rows, values, strict=True)), Fraction(0))]
        for i in range(degree + 1)
    ]
    coefficients = _solved(system)
    errors = [
        abs(sum((c * x for c, x in zip(coefficients, row, strict=True)), Fraction(0)) - value)
        for row, value in zip(rows, values, strict=True)
    ]
    mean_square = sum((error * error for error in errors), Fraction(0)) / len(errors)
    exact, sizes = not any(errors), tuple(size for size, _ in points)
    formula, residual = _formula(coefficients, exact), rounded(math.sqrt(mean_square))
    return FamilyFit(formula, tuple(coefficients), sizes, exact, residual, max(errors))


def _formula(coefficients: Sequence[Fraction], exact: bool) -> str:
    """Write a polynomial in T - 1; coefficients as fractions where it is exact, else with 3 decimals."""
    text = ""
    for power, coefficient in reversed(list(enumerate(coefficients))):
        if coefficient == 0:
            continue
        number = str(abs(coefficient)) if exact else f"{float(abs(coefficient)):.3f}"
        if power and abs(coefficient) == 1:
            number = ""
        gap = " " if power and "/" in number else ""
        sign = "-" if coefficient < 0 else "+" if text else ""
        text += (f" {sign} " if text else sign) + f"{number}{gap}{_POWERS[power]}"
    return text or "0"


def _solved(system: list[list[Fraction]]) -> list[Fraction]:
    """Gauss and Jordan on a positive definite system: its pivots are never 0."""
    size = len(system)
    for pivot in range(size):
        system[pivot] = [entry / system[pivot][pivot] for entry in system[pivot]]
        for row in range(size):
            if row != pivot:
                factor = system[row][pivot]
                system[row] = [
                    entry - factor * other for entry, other in zip(system[row], system[pivot], strict=True)
                ]
    return [row[-1] for row in system]
