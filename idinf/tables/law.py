"""The law of a family: the largest n0 of every size T as a polynomial, exact where one holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idinf.base.linear_algebra import solve_exactly
from idinf.base.numbers import format_range
from idinf.report.value import round_r
from idinf.tables.row import Row

Points = Sequence[tuple[int, int | Fraction]]

#: Degrees of the candidates: a(T - 1) + b, and a quadratic.
DEGREES = (1, 2)


@dataclass(frozen=True, slots=True)
class Law:
    """A polynomial in T - 1 through the largest n0 of every size T of a family."""

    formula: str
    coefficients: tuple[Fraction, ...]  #: of (T - 1)^0, (T - 1)^1 and so on
    sizes: tuple[int, ...]  #: every T it is about
    exact: bool  #: True if it holds at each of them
    residual: float  #: root of the mean square distance at these T; 0 if exact
    largest: Fraction  #: largest distance

    def at(self, size: float) -> float:
        """Evaluate the polynomial at a size; in floats, for drawing.

        >>> Law("4(T - 1)", (Fraction(0), Fraction(4)), (2, 3, 4), True, 0.0, Fraction(0)).at(3)
        8.0
        """
        return sum(float(c) * (size - 1) ** power for power, c in enumerate(self.coefficients))

    def describe(self, value: str = "n0", size: str = "T") -> str:
        """Text of the law: exact, or with its error; the arguments are the names of its quantities.

        >>> fit_laws([(2, 2), (3, 4), (4, 6)], "k")[0].describe(size="k")
        'n0 = 2(k - 1) for all k in 2..4'
        """
        where = format_range(self.sizes)
        if self.exact:
            return f"{value} = {self.formula} for all {size} in {where}"
        name = {1: "linear", 2: "quadratic"}[len(self.coefficients) - 1]
        return (
            f"{name} least squares over {size} in {where}: {value} ~ {self.formula}, "
            f"residual {self.residual:.3f} (root mean square), at most {float(self.largest):.3f}"
        )


def list_maxima(rows: Iterable[Row]) -> dict[int, tuple[int, bool]]:
    """By size T the largest n0 of the members of a family, or a lower bound of it; True if it is n0.

    >>> list_maxima([Row("a", size=2, n0=3, n0_lower=3), Row("b", size=2, n0_lower=4)])
    {2: (4, False)}
    """
    found: dict[int, tuple[int, bool]] = {}
    for row in sorted((row for row in rows if row.size is not None), key=lambda row: row.size or 0):
        assert row.size is not None
        largest, is_settled = found.get(row.size, (0, True))
        found[row.size] = max(largest, row.n0_lower or 1), is_settled and row.n0 is not None
    return found


def find_laws(rows: Iterable[Row]) -> tuple[Law, ...]:
    """Find the law of n0 in the rows of the members of one family; see `fit_laws`."""
    return fit_laws([(size, n0) for size, (n0, is_settled) in list_maxima(rows).items() if is_settled])


def fit_laws(points: Points, size: str = "T") -> tuple[Law, ...]:
    """Find the law of pairs (T, n0) with increasing T, or of another number that grows with T.

    That is one exact law of least degree if there is one. It must hold from some T to the last one (the
    smallest members may be exceptions), for at least half of the points, and for more points than it has
    coefficients: one more for a line, two more for a quadratic, which fits by chance too easily. Else they
    are the least squares for which there are as many points; none for fewer than three.

    >>> [(fit.formula, fit.sizes) for fit in fit_laws([(1, 3), (2, 4), (3, 8), (4, 12), (5, 16)])]
    [('4(T - 1)', (2, 3, 4, 5))]
    >>> [fit.formula for fit in fit_laws([(1, 1), (2, 3), (3, 3), (4, 9), (5, 9)])]
    ['2.200(T - 1) + 0.600', '0.143(T - 1)^2 + 1.629(T - 1) + 0.886']
    """
    for degree in DEGREES:
        for start in range(len(points)):
            rest = points[start:]
            if len(rest) <= 2 * degree or 2 * len(rest) < len(points):
                break
            fit = _least_squares(rest, degree, size)
            if fit.exact:
                return (fit,)
    return tuple(_least_squares(points, degree, size) for degree in DEGREES if len(points) > 2 * degree)


def _least_squares(points: Points, degree: int, size: str) -> Law:
    """Solve the normal equations in fractions; the T of the points are distinct, so there is one solution."""
    sizes = tuple(T for T, _ in points)
    powers = np.array([[Fraction(T - 1) ** power for power in range(degree + 1)] for T in sizes])
    values = np.array([Fraction(value) for _, value in points])
    coefficients = solve_exactly((powers.T @ powers).tolist(), (powers.T @ values).tolist())
    assert coefficients is not None
    errors = [abs(error) for error in powers @ coefficients - values]
    exact = not any(errors)
    residual = round_r(math.sqrt(sum(error * error for error in errors) / len(errors)))
    return Law(_formula(coefficients, exact, size), tuple(coefficients), sizes, exact, residual, max(errors))


def _formula(coefficients: Sequence[Fraction], exact: bool, size: str) -> str:
    """Write a polynomial in T - 1; coefficients as fractions where it is exact, else with 3 decimals."""
    powers = ("", f"({size} - 1)", f"({size} - 1)^2")
    text = ""
    for power, coefficient in reversed(list(enumerate(coefficients))):
        if coefficient == 0:
            continue
        number = str(abs(coefficient)) if exact else f"{float(abs(coefficient)):.3f}"
        if power and abs(coefficient) == 1:
            number = ""
        gap = " " if power and "/" in number else ""
        sign = "-" if coefficient < 0 else "+" if text else ""
        text += (f" {sign} " if text else sign) + f"{number}{gap}{powers[power]}"
    return text or "0"
