"""Assignments of next symbols: those of all products, in their order, and quick where few are possible."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from idinf.search.last_layer.next_symbols import next_readings
from idinf.spec.spec import Answer


def by_products(labels, units, readers):
    """Every map of outputs to units or none that could be right, with the sign."""
    outputs = labels.shape[1]
    for sign in (-1, 1):
        for assigned in itertools.product(range(-1, units), repeat=outputs):
            groups = [[k for k in range(outputs) if assigned[k] == unit] for unit in range(units)]
            unread = [labels[:, k] == (sign < 0) for k in range(outputs) if assigned[k] < 0]
            if min(map(len, groups)) < 1 or max(map(len, groups)) != readers:
                continue
            alike = all((labels[:, k] == labels[:, group[0]]).all() for group in groups for k in group)
            if alike and all(column.all() for column in unread):
                yield tuple(sign * int(assigned[k] == unit) for k in range(outputs) for unit in range(units))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("units", [1, 2, 3])
def test_assignments_are_those_of_all_products(units):
    rng = np.random.default_rng(units)
    met = 0
    for outputs, rows in itertools.product(range(1, 6), range(4)):
        labels = rng.random((rows, outputs)) < 0.5
        labels[:, rng.integers(outputs)] = labels[:, 0]
        for readers in range(1, outputs + 1):
            found = next_readings(Answer.SET, labels, units, readers).readings
            have = [tuple(reading.signs.reshape(-1).tolist()) for reading in found]
            assert have == list(by_products(labels, units, readers))
            met += len(have)
    assert met > 50
