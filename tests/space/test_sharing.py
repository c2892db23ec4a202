"""Sharings of channels against every assignment, and the cost of stacks against numpy's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from idinf.space.layers import compute_channel_costs, list_sharings
from idinf.transformers.regularizer import Aggregate


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


@pytest.mark.thinned(4)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize(("units", "heads"), [(2, 1), (3, 1), (4, 1), (3, 2)])
def test_costs_of_stacks(units, heads, aggregate):
    rng = np.random.default_rng(units + heads)
    channels = rng.integers(-2, 3, (200, units, heads, 3))
    channels[rng.random(channels.shape[:3]) < 0.2] = 0
    channels[::3, 1] = 2 * channels[::3, 0]
    for sharing in list_sharings(units, heads):
        groups = np.array(sharing).reshape(heads, units)
        shared = channels.copy()
        for h, u in itertools.product(range(heads), range(units)):
            if groups[h, u]:
                shared[:, u, h] = shared[:, int(np.argmax(groups[h] == groups[h, u])), h]
        have = compute_channel_costs(shared, groups, 1, aggregate)
        join = sum if aggregate is Aggregate.SUM else max
        for k in range(len(channels)):
            stacks = [
                np.array(
                    [
                        shared[k, u, h]
                        for u in range(units)
                        if groups[h, u] not in groups[h, :u] or not groups[h, u]
                    ]
                )
                for h in range(heads)
            ]
            assert have[k, 0] == join([np.linalg.matrix_rank(s) for s in stacks])
            assert have[k, 1] == pytest.approx(join([np.linalg.norm(s, 2) / 2 for s in stacks]))
