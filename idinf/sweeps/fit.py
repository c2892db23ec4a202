"""A law for n0 against the size T of the members of a family: exact where one holds, else least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Fit", "fits_of", "range_text"]

Points = Sequence[tuple[int, int]]

#: Degrees of the candidates: a(T - 1) + b, and a quadratic.
DEGREES = (1, 2)


@dataclass(frozen=True, slots=True)
class Fit:
    """A polynomial in T - 1 through some of the points, or near all of them.

    Attributes
    ----------
    coefficients : tuple of Fraction
        Of (T - 1)^0, (T - 1)^1 and so on.
    sizes : tuple of int
        Every T the law is about.
    exact : bool
        Whether it holds at each of them.
    residual : float
        Root of the mean square distance at these T; float, computed from an exact sum, 0 if exact.
    largest : Fraction
        Largest distance.

    Examples
    --------
    >>> Fit((Fraction(0), Fraction(4)), (2, 3, 4), True, 0.0, Fraction(0)).text()
    'n0 = 4(T - 1) for all T in 2..4'
    """

    coefficients: tuple[Fraction, ...]
    sizes: tuple[int, ...]
    exact: bool
    residual: float
    largest: Fraction

    @property
    def degree(self) -> int:
        """Degree of the candidate it comes from."""
        return len(self.coefficients) - 1

    def formula(self) -> str:
        """The polynomial; coefficients as fractions where it is exact, else with 3 decimals."""
        terms = []
        for power in range(self.degree, -1, -1):
            coefficient = self.coefficients[power]
            if coefficient == 0:
                continue
            number = str(abs(coefficient)) if self.exact else f"{float(abs(coefficient)):.3f}"
            base = ("", "(T - 1)", "(T - 1)^2")[power]
            if base and abs(coefficient) == 1:
                number = ""
            gap = " " if base and "/" in number else ""
            terms.append(("-" if coefficient < 0 else "+", f"{number}{gap}{base}"))
        if not terms:
            return "0"
        first_sign, first = terms[0]
        return (
            ("-" if first_sign == "-" else "")
            + first
            + "".join(f" {sign} {term}" for sign, term in terms[1:])
        )

    def text(self) -> str:
        """One sentence."""
        where = range_text(self.sizes)
        if self.exact:
            return f"n0 = {self.formula()} for all T in {where}"
        name = {1: "linear", 2: "quadratic"}[self.degree]
        return (
            f"{name} least squares over T in {where}: n0 ~ {self.formula()}, "
            f"residual {self.residual:.3f} (root mean square), at most {float(self.largest):.3f}"
        )


def fits_of(points: Points) -> tuple[Fit, ...]:
    """Find the law of the points.

    Parameters
    ----------
    points : sequence of (int, int)
        Pairs (T, n0) with increasing T.

    Returns
    -------
    tuple of Fit
        One exact law of least degree if there is one. It must hold from some T to the last one (the smallest
        members may be exceptions), for at least half of the points, and for more points than it has
        coefficients: one more for a line, two more for a quadratic, which fits by chance too easily. Else the
        least squares for which there are as many points; nothing for fewer than three.

    Examples
    --------
    >>> [fit.text() for fit in fits_of([(1, 3), (2, 4), (3, 8), (4, 12), (5, 16)])]
    ['n0 = 4(T - 1) for all T in 2..5']
    >>> [fit.degree for fit in fits_of([(1, 1), (2, 3), (3, 3), (4, 9), (5, 9)])]
    [1, 2]
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


def range_text(sizes: Sequence[int]) -> str:
    """Write increasing integers: 2..5, or one by one where some are missing.

    Examples
    --------
    >>> range_text((2, 3, 4)), range_text((2, 4, 6)), range_text((3,))
    ('2..4', '2, 4, 6', '3')
    """
    if len(sizes) > 1 and list(sizes) == list(range(sizes[0], sizes[-1] + 1)):
        return f"{sizes[0]}..{sizes[-1]}"
    return ", ".join(str(size) for size in sizes)


def _least_squares(points: Points, degree: int) -> Fit:
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
    return Fit(
        tuple(coefficients),
        tuple(size for size, _ in points),
        not any(errors),
        math.sqrt(mean_square),
        max(errors),
    )


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
