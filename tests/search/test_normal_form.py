"""Equal normal forms are equal functions; proportional and shifted units have equal forms."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import nets_lower_outputs, random_net

from idinf.search.equivalence import nets_of
from idinf.search.normal_form import exact_numbers, normal_forms
from idinf.search.reachability import ScaledUnits
from idinf.space.units import Units


@pytest.mark.parametrize(
    ("size", "lower", "length"), [(1, 0, 12), (1, 2, 10), (2, 0, 7), (2, 1, 7), (3, 1, 4)]
)
def test_equal_forms_are_equal_outputs(size, lower, length):
    rng = np.random.default_rng([size, lower])
    for _ in range(3):
        net = random_net(rng, size, (lower, 1) if lower else (1,), 0)
        below = nets_of(net).lower
        counts, last, positions = nets_lower_outputs(below, size, length)
        shape = (1500, size + 1 + lower)
        units = ScaledUnits(rng.integers(-2, 3, shape), rng.integers(-1, 2, shape), rng.integers(-2, 3, 1500))
        outputs = units.values @ counts.T + positions * (units.own @ last.T + units.bias[:, None]) > 0
        seen = {}
        repeated = 0
        for form, row in zip(normal_forms(units, size + 1).tolist(), outputs, strict=True):
            bits = row.tobytes()
            repeated += tuple(form) in seen
            assert seen.setdefault(tuple(form), bits) == bits
        assert repeated


@pytest.mark.parametrize("lower", [0, 1, 2])
def test_multiples_and_shifts_have_equal_forms(lower):
    """k·(v, s, b); and v + c on every token, s − c on every token (or b − c): the same function."""
    rng = np.random.default_rng(lower)
    tokens, shape = 3, (200, 3 + lower)
    values, own, bias = rng.integers(-3, 4, shape), rng.integers(-3, 4, shape), rng.integers(-3, 4, 200)
    forms = normal_forms(ScaledUnits(values, own, bias), tokens)
    ones = (np.arange(3 + lower) < tokens).astype(np.int64)
    for k in (2, 3, 16):
        assert np.array_equal(normal_forms(ScaledUnits(k * values, k * own, k * bias), tokens), forms)
    for c in (-2, 1):
        assert np.array_equal(
            normal_forms(ScaledUnits(values + c * ones, own - c * ones, bias), tokens), forms
        )
        assert np.array_equal(normal_forms(ScaledUnits(values + c * ones, own, bias - c), tokens), forms)
        assert np.array_equal(normal_forms(ScaledUnits(values, own + c * ones, bias - c), tokens), forms)


def test_rounding_the_constant_changes_nothing():
    """2#a − 2#b − 1 > 0 and #a − #b > 0 have one form; 2#a − 2#b + 1 > 0 is another function."""

    def form(v_sos):
        units = ScaledUnits(np.array([[v_sos, 2, -2]]), np.zeros((1, 3), np.int64), np.zeros(1, np.int64))
        return normal_forms(units, 3).tolist()

    assert form(-1) == form(0) != form(1)


def test_constants_have_one_form_per_value():
    zero = np.zeros((4, 3), np.int64)
    values = np.array([[1, 1, 1], [0, 0, 0], [5, 0, 2], [0, 0, 0]])
    forms = normal_forms(ScaledUnits(values, zero, np.array([0, 3, 0, -1])), 3).tolist()
    assert forms[0] == forms[1] == forms[2] != forms[3]


def test_exact_numbers_of_units():
    channel = np.array([[0, 1, -1], [0, 2, -2], [0, 1, 1]])
    units = Units(1, channel, np.full(3, 2), np.zeros((3, 3), np.int64), np.zeros(3, np.int64))
    numbers = exact_numbers(units, 3)
    assert numbers[0] == numbers[1] != numbers[2]
