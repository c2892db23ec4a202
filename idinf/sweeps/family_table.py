"""The table of a family: what was found out about each member, the largest n0 per size T, and the law.

A law for n0 against T is exact where one holds, else least squares.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from idinf.experiments.family import FamilySpec
from idinf.inference.run import RunSettings
from idinf.linear_algebra import solve_exactly
from idinf.report.family import FamilyDescription, FamilyFit, FamilyMaximum, FamilyMember, FamilyReport
from idinf.report.value import Outcome, round_r
from idinf.sweeps.sweep import RunAnswer
from idinf.version import __version__

Points = Sequence[tuple[int, int | Fraction]]

#: Degrees of the candidates: a(T - 1) + b, and a quadratic.
DEGREES = (1, 2)


def build_family_report(
    family: FamilySpec, runs: Sequence[RunSettings], answers: Mapping[int, RunAnswer]
) -> FamilyReport:
    """Put the answers about the members of a family together; all but seconds follows from the questions.

    The runs, at least one, are by size; one whose place has no answer was interrupted.
    """
    first, parameters = runs[0], family.parameters
    members = tuple(
        _member(family, settings, answers.get(place, RunAnswer(limit="interrupted")))
        for place, settings in enumerate(runs)
    )
    by_size = itertools.groupby(members, lambda member: member.size)
    maxima = tuple(_maximum(size, list(of_size)) for size, of_size in by_size)
    return FamilyReport(
        idinf_version=__version__,
        family=FamilyDescription(
            name=family.name,
            alphabet=family.first.alphabet.symbols,
            parameters={name: (low, high) for name, low, high in parameters.ranges},
            gcd=parameters.gcd,
            size=parameters.size,
        ),
        space=first.bounds,
        regularizer=first.regularizer,
        max_n=first.max_n,
        max_n_cap=first.max_n_cap,
        members=members,
        maxima=maxima,
        fits=fits_of([(maximum.size, maximum.n0) for maximum in maxima if maximum.n0 is not None]),
    )


def _member(family: FamilySpec, settings: RunSettings, answer: RunAnswer) -> FamilyMember:
    """The row of a member; nothing is known of one without a report."""
    spec, report = settings.spec, answer.report
    selected = None if report is None or report.stages[-1].r_star is None else report.selected
    return FamilyMember(
        name=spec.name,
        parameters=dict(spec.parameters),
        size=family.parameters.size_of(spec.parameters),
        digest=spec.digest,
        outcome=Outcome.OPEN if report is None else report.outcome,
        max_n=None if report is None else report.max_n,
        n0=None if report is None else report.n0,
        n0_canonical=None if report is None else report.n0_canonical,
        n0_lower=1 if report is None else report.n0_lower,
        r_star=None if selected is None else selected.r,
        complete_up_to_r=0.0 if report is None else report.complete_up_to_r,
        formula=None if selected is None else selected.formula,
        stop_reason=answer.limit or ("" if report is None else report.stop_reason),
        seconds=0.0 if report is None else report.seconds,
    )


def _maximum(size: int, members: Sequence[FamilyMember]) -> FamilyMaximum:
    """The largest n0 of one size."""
    largest = max(member.n0_lower for member in members)
    settled = all(member.n0 is not None for member in members)
    names = tuple(member.name for member in members if member.n0_lower == largest)
    return FamilyMaximum(size, largest if settled else None, largest, names)


def fits_of(points: Points, size: str = "T") -> tuple[FamilyFit, ...]:
    """Find the law of the points.

    Parameters
    ----------
    points : sequence of (int, int or Fraction)
        Pairs (T, n0) with increasing T; or of anything else that grows with T.
    size : str
        What T is called.

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
            fit = _least_squares(rest, degree, size)
            if fit.exact:
                return (fit,)
    return tuple(_least_squares(points, degree, size) for degree in DEGREES if len(points) > 2 * degree)


def _least_squares(points: Points, degree: int, size: str) -> FamilyFit:
    """Solve the normal equations in fractions; the T of the points are distinct, so there is one solution."""
    sizes = tuple(T for T, _ in points)
    powers = np.array([[Fraction(T - 1) ** power for power in range(degree + 1)] for T in sizes])
    values = np.array([Fraction(value) for _, value in points])
    coefficients = solve_exactly((powers.T @ powers).tolist(), (powers.T @ values).tolist())
    assert coefficients is not None
    errors = [abs(error) for error in powers @ coefficients - values]
    exact = not any(errors)
    residual = round_r(math.sqrt(sum(error * error for error in errors) / len(errors)))
    return FamilyFit(
        _formula(coefficients, exact, size), tuple(coefficients), sizes, exact, residual, max(errors)
    )


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
