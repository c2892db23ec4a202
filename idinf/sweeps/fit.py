"""A law for n0 against the size T of the members of a family: exact where one holds, else least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from idinf.linear_algebra import solved
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
    sizes = tuple(size for size, _ in points)
    powers = np.array([[Fraction(size - 1) ** power for power in range(degree + 1)] for size in sizes])
    values = np.array([Fraction(n0) for _, n0 in points])
    coefficients = solved((powers.T @ powers).tolist(), (powers.T @ values).tolist())
    assert coefficients is not None
    errors = [abs(error) for error in powers @ coefficients - values]
    exact = not any(errors)
    residual = rounded(math.sqrt(sum(error * error for error in errors) / len(errors)))
    return FamilyFit(_formula(coefficients, exact), tuple(coefficients), sizes, exact, residual, max(errors))


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
