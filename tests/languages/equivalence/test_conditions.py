"""Conditions against their meaning on all small points."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from idinf.languages.equivalence.conditions import FALSE, TRUE, Conditions, Inequality
from idinf.languages.equivalence.one_layer import find_least_point

POINTS = list(product(range(5), repeat=2))


def holds(conditions, whole, point):
    decided = {k: row.holds(point) for k, row in conditions.inequalities_in(whole).items()}
    truth = conditions.truth(whole, decided)
    assert truth is not None
    return truth


@pytest.mark.parametrize("seed", range(5))
def test_random_combinations(seed):
    rng = np.random.default_rng([91, seed])
    conditions = Conditions()
    numbers, meanings = [FALSE, TRUE], [dict.fromkeys(POINTS, False), dict.fromkeys(POINTS, True)]
    for _ in range(25):
        kind, one, other = int(rng.integers(5)), *(int(k) for k in rng.integers(0, len(numbers), 2))
        a, b = meanings[one], meanings[other]
        if kind == 0:
            entries = [Fraction(int(k), int(rng.integers(1, 4))) for k in rng.integers(-3, 4, 3)]
            strict = bool(rng.random() < 0.5)
            numbers.append((conditions.positive if strict else conditions.non_negative)(tuple(entries)))
            values = {p: entries[0] * p[0] + entries[1] * p[1] + entries[2] for p in POINTS}
            meanings.append({p: value > 0 if strict else value >= 0 for p, value in values.items()})
        elif kind == 1:
            numbers.append(conditions.negated(numbers[one]))
            meanings.append({p: not a[p] for p in POINTS})
        else:
            combine = (conditions.both, conditions.either, conditions.differ)[kind - 2]
            numbers.append(combine(numbers[one], numbers[other]))
            meant = (lambda x, y: x and y, lambda x, y: x or y, lambda x, y: x != y)[kind - 2]
            meanings.append({p: meant(a[p], b[p]) for p in POINTS})
    for number, meaning in zip(numbers, meanings, strict=True):
        assert {p: holds(conditions, number, p) for p in POINTS} == meaning


# Least points against all points of a box that holds the least one, if any


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


def test_a_large_least_point():
    """101 x ≥ 100 y and x < y."""
    rows = [Inequality((101, -100), 0), Inequality((-1, 1), 1)]
    assert find_least_point(Conditions(), TRUE, rows, (1, 1), 100) == (100, 101)
