"""Laws for n0: exact ones are found and never claimed by chance, fits are the least squares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from idinf.sweeps.fit import Fit, fits_of, range_text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([3, 5, 8, 12, 16, 20], ["n0 = 4(T - 1) for all T in 3..6"]),
        ([3, 4, 5], ["n0 = (T - 1) + 3 for all T in 1..3"]),
        ([7, 7, 7], ["n0 = 7 for all T in 1..3"]),
        ([0, 0, 0], ["n0 = 0 for all T in 1..3"]),
        ([9, 7, 5, 3], ["n0 = -2(T - 1) + 9 for all T in 1..4"]),
        ([1, 2, 5, 10, 17], ["n0 = (T - 1)^2 + 1 for all T in 1..5"]),
        ([0, 1, 3, 6, 10, 15], ["n0 = 1/2 (T - 1)^2 + 1/2 (T - 1) for all T in 1..6"]),
        ([1, 2], []),
        ([], []),
    ],
)
def test_exact_laws(values: list[int], texts: list[str]) -> None:
    assert [fit.text() for fit in fits_of(list(enumerate(values, start=1)))] == texts


def test_a_law_needs_more_points_than_coefficients_and_half_of_all() -> None:
    by_chance = [(1, 1), (2, 2), (3, 5), (4, 10)]  # a quadratic through four points
    assert [(fit.exact, fit.degree) for fit in fits_of(by_chance)] == [(False, 1)]
    late = [(T, value) for T, value in enumerate([1, 9, 2, 8, 3, 4, 5], start=1)]  # three of seven on a line
    assert [fit.exact for fit in fits_of(late)] == [False, False]


@pytest.mark.parametrize("seed", range(5))
def test_least_squares_are_those_of_numpy(seed: int) -> None:
    chance = np.random.default_rng(seed)
    sizes = sorted(chance.choice(np.arange(1, 20), size=8, replace=False).tolist())
    values = chance.integers(0, 99, size=8).tolist()
    fits = fits_of(list(zip(sizes, values, strict=True)))
    for fit in fits:
        power = np.polynomial.polynomial.polyfit(np.array(sizes) - 1.0, values, fit.degree)
        assert np.allclose([float(c) for c in fit.coefficients], power)
        errors = np.polynomial.polynomial.polyval(np.array(sizes) - 1.0, power) - values
        assert np.isclose(fit.residual, np.sqrt(np.mean(errors**2)))
        assert np.isclose(float(fit.largest), np.abs(errors).max())
    assert [fit.degree for fit in fits] == [1, 2]


def test_the_text_of_a_fit_says_how_far_off_it_is() -> None:
    assert [fit.text() for fit in fits_of([(1, 0), (2, 0), (4, 6)])] == [
        "linear least squares over T in 1, 2, 4: n0 ~ 2.143(T - 1) - 0.857, "
        "residual 0.926 (root mean square), at most 1.286"
    ]
    assert Fit((Fraction(1, 2),), (1,), True, 0.0, Fraction(0)).formula() == "1/2"


def test_ranges() -> None:
    assert [range_text(sizes) for sizes in ((), (4,), (2, 3), (2, 3, 5))] == ["", "4", "2..3", "2, 3, 5"]
