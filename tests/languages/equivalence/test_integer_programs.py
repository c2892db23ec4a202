"""Least points against all points of a box that holds the least one, if any."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from idinf.languages.equivalence.conditions import TRUE, Conditions, Inequality
from idinf.languages.equivalence.one_layer import BranchLimit, find_least_point


def random_rows(rng, unknowns, number):
    return [
        Inequality(tuple(int(k) for k in rng.integers(-4, 5, unknowns)), int(rng.integers(-6, 7)))
        for _ in range(number)
    ]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(40))
def test_random_systems(seed):
    """With 20 as a bound on every unknown nothing is missed."""
    rng = np.random.default_rng([95, seed])
    unknowns = int(rng.integers(1, 4))
    conditions, top = Conditions(), 8
    rows = random_rows(rng, unknowns, int(rng.integers(1, 4)))
    rows += [Inequality(tuple(-int(j == k) for j in range(unknowns)), -top) for k in range(unknowns)]
    parts = [
        conditions.non_negative((*row.coefficients, -row.bound)) for row in random_rows(rng, unknowns, 4)
    ]
    wanted = conditions.differ(conditions.both(*parts[:2]), conditions.either(*parts[2:]))
    costs = tuple(int(k) for k in rng.integers(0, 3, unknowns))

    def meets(point):
        decided = {k: row.holds(point) for k, row in conditions.inequalities_in(wanted).items()}
        return all(row.holds(point) for row in rows) and conditions.truth(wanted, decided)

    def cost(point):
        return sum(c * x for c, x in zip(costs, point, strict=True))

    possible = [cost(point) for point in product(range(top + 1), repeat=unknowns) if meets(point)]
    found = find_least_point(conditions, wanted, rows, costs, 10_000)
    if found is None:
        assert not possible
    else:
        assert meets(found)
        assert cost(found) == min(possible)


def test_integers_are_wanted_where_fractions_exist():
    conditions, rows = Conditions(), [Inequality((2, 0), 1), Inequality((-2, 0), -1)]
    assert find_least_point(conditions, TRUE, rows, (1, 1), 100) is None
    # 2x = 2y + 1 has solutions in fractions however large x is: it is left open, not denied.
    endless = [Inequality((2, -2), 1), Inequality((-2, 2), -1)]
    with pytest.raises(BranchLimit):
        find_least_point(conditions, TRUE, endless, (1, 1), 50)


def test_a_large_least_point():
    """101 x ≥ 100 y and x < y."""
    rows = [Inequality((101, -100), 0), Inequality((-1, 1), 1)]
    assert find_least_point(Conditions(), TRUE, rows, (1, 1), 100) == (100, 101)
