"""Sharings of channels against every assignment, and the cost of stacks against numpy's."""

from __future__ import annotations

import itertools

import pytest

from idinf.space.layers import list_sharings


def orbit(sharing):
    """A sharing as the set of its groups (head, units), under every permutation of the units."""
    units = len(sharing[0])
    for order in itertools.permutations(range(units)):
        yield frozenset(
            (h, frozenset(order[u] for u in range(units) if row[u] == group))
            for h, row in enumerate(sharing)
            for group in set(row) - {0}
        )


@pytest.mark.parametrize(
    ("units", "heads"),
    [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (3, 0), pytest.param(4, 2, marks=pytest.mark.slow)],
)
def test_one_sharing_of_every_orbit(units, heads):
    rows = [
        row
        for row in itertools.product(range(units), repeat=units)
        if all(row.count(group) > 1 for group in set(row) - {0})
    ]
    everything = {
        min(map(sorted_groups, orbit(joint))) for joint in itertools.product(rows, repeat=heads) if joint
    }
    listed = [min(map(sorted_groups, orbit(joint))) for joint in list_sharings(units, heads) if joint]
    assert len(set(listed)) == len(listed)
    assert set(listed) == everything


def sorted_groups(groups):
    return sorted((h, tuple(sorted(units))) for h, units in groups).__repr__()
