"""Conditions against their meaning on all small points."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from idinf.languages.equivalence.conditions import FALSE, TRUE, Conditions

POINTS = list(product(range(5), repeat=2))


def form(*entries):
    return tuple(Fraction(entry) for entry in entries)


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


def test_equal_inequalities_are_one():
    conditions = Conditions()
    one = conditions.positive(form(2, -4, 1))
    assert conditions.positive(form(Fraction(1, 3), Fraction(-2, 3), Fraction(1, 6))) == one
    assert conditions.non_negative(form(1, -2, 0)) == one  # 2x − 4y ≥ 0 in integers
    assert conditions.negated(conditions.positive(form(-1, 2, 0))) == one
    assert conditions.non_negative(form(1, 2, 0)) == TRUE
    assert conditions.positive(form(-1, -2, 0)) == FALSE
    assert conditions.positive(form(0, 0, 1)) == TRUE
