"""Laws for n0: exact ones are found and never claimed by chance, fits are the least squares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from idinf.report.family import FamilyFit
from idinf.sweeps.family_table import fits_of


def told(fit: FamilyFit) -> str:
    """A law and the sizes it is about."""
    return f"{'n0 =' if fit.exact else 'n0 ~'} {fit.formula}, T in {fit.sizes[0]}..{fit.sizes[-1]}"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([3, 5, 8, 12, 16, 20], ["n0 = 4(T - 1), T in 3..6"]),
        ([3, 4, 5], ["n0 = (T - 1) + 3, T in 1..3"]),
        ([7, 7, 7], ["n0 = 7, T in 1..3"]),
        ([0, 0, 0], ["n0 = 0, T in 1..3"]),
        ([9, 7, 5, 3], ["n0 = -2(T - 1) + 9, T in 1..4"]),
        ([1, 2, 5, 10, 17], ["n0 = (T - 1)^2 + 1, T in 1..5"]),
        ([0, 1, 3, 6, 10, 15], ["n0 = 1/2 (T - 1)^2 + 1/2 (T - 1), T in 1..6"]),
        ([1, 2], []),
        ([], []),
    ],
)
def test_exact_laws(values: list[int], texts: list[str]) -> None:
    assert [told(fit) for fit in fits_of(list(enumerate(values, start=1)))] == texts


def test_a_law_needs_more_points_than_coefficients_and_half_of_all() -> None:
    by_chance = [(1, 1), (2, 2), (3, 5), (4, 10)]  # a quadratic through four points
    assert [(fit.exact, len(fit.coefficients)) for fit in fits_of(by_chance)] == [(False, 2)]
    late = [(T, value) for T, value in enumerate([1, 9, 2, 8, 3, 4, 5], start=1)]  # three of seven on a line
    assert [fit.exact for fit in fits_of(late)] == [False, False]


@pytest.mark.parametrize("seed", range(5))
def test_least_squares_are_those_of_numpy(seed: int) -> None:
    chance = np.random.default_rng(seed)
    sizes = sorted(chance.choice(np.arange(1, 20), size=8, replace=False).tolist())
    values = chance.integers(0, 99, size=8).tolist()
    fits = fits_of(list(zip(sizes, values, strict=True)))
    for fit in fits:
        power = np.polynomial.polynomial.polyfit(np.array(sizes) - 1.0, values, len(fit.coefficients) - 1)
        assert np.allclose([float(c) for c in fit.coefficients], power)
        errors = np.polynomial.polynomial.polyval(np.array(sizes) - 1.0, power) - values
        assert np.isclose(fit.residual, np.sqrt(np.mean(errors**2)))
        assert np.isclose(float(fit.largest), np.abs(errors).max())
    assert [len(fit.coefficients) for fit in fits] == [2, 3]


def test_a_fit_says_how_far_off_it_is() -> None:
    [fit] = fits_of([(1, 0), (2, 0), (4, 6)])
    assert (fit.formula, fit.sizes, fit.exact) == ("2.143(T - 1) - 0.857", (1, 2, 4), False)
    assert fit.residual == pytest.approx((6 / 7) ** 0.5)
    assert fit.largest == Fraction(9, 7)
