"""Laws for n0: exact ones are found and never claimed by chance, fits are the least squares."""

import numpy as np
import pytest

from idinf.tables.law import Law, find_laws, fit_laws, list_maxima
from idinf.tables.row import Row


def told(fit: Law) -> str:
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
    assert [told(fit) for fit in fit_laws(list(enumerate(values, start=1)))] == texts


def test_a_law_needs_more_points_than_coefficients_and_half_of_all() -> None:
    by_chance = [(1, 1), (2, 2), (3, 5), (4, 10)]  # a quadratic through four points
    assert [(fit.exact, len(fit.coefficients)) for fit in fit_laws(by_chance)] == [(False, 2)]
    late = [(T, value) for T, value in enumerate([1, 9, 2, 8, 3, 4, 5], start=1)]  # three of seven on a line
    assert [fit.exact for fit in fit_laws(late)] == [False, False]


@pytest.mark.parametrize("seed", range(5))
def test_least_squares_are_those_of_numpy(seed: int) -> None:
    chance = np.random.default_rng(seed)
    sizes = sorted(chance.choice(np.arange(1, 20), size=8, replace=False).tolist())
    values = chance.integers(0, 99, size=8).tolist()
    fits = fit_laws(list(zip(sizes, values, strict=True)))
    for fit in fits:
        power = np.polynomial.polynomial.polyfit(np.array(sizes) - 1.0, values, len(fit.coefficients) - 1)
        assert np.allclose([float(c) for c in fit.coefficients], power)
        errors = np.polynomial.polynomial.polyval(np.array(sizes) - 1.0, power) - values
        assert np.isclose(fit.residual, np.sqrt(np.mean(errors**2)))
        assert np.isclose(float(fit.largest), np.abs(errors).max())
    assert [len(fit.coefficients) for fit in fits] == [2, 3]


def test_what_is_not_settled_is_a_bound_and_left_out_of_the_law() -> None:
    rows = [Row(f"x-{T}", size=T, n0=2 * T, n0_lower=2 * T) for T in (1, 2, 3)]
    rows += [Row("low", size=3, n0=5, n0_lower=5), Row("open", size=4, n0_lower=9), Row("lost", size=5)]
    assert list_maxima(rows) == {1: (2, True), 2: (4, True), 3: (6, True), 4: (9, False), 5: (1, False)}
    [law] = find_laws(rows)
    assert (law.formula, law.sizes, law.exact) == ("2(T - 1) + 2", (1, 2, 3), True)
