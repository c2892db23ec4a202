"""A group of candidates says what each of its members says, and costs what the cheapest of them cost."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.last_layer import alike as module
from idinf.search.last_layer.alike import Alike, Groups
from idinf.search.last_layer.candidates import Candidates, Samples
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.short_words.behaviours import unit_outputs
from idinf.transformers.regularizer import Aggregate
from tests.asked_for import few
from tests.search.last_layer.test_candidates import KINDS, drawn_certificates, drawn_units
from tests.search.random_features import drawn_inputs, drawn_pattern

UNITS = 60


def drawn(kinds, aggregate, seed):
    """Candidates on few words that count, and the same in groups."""
    rng = np.random.default_rng([seed, len(kinds[0]), len(kinds[1])])
    precision = seed % 2
    deep = any(kind != "uniform" for kind in kinds[0] + kinds[1])
    inputs, _, _ = drawn_inputs(rng, 2, 3, 1, int(rng.integers(0, 2)), deep)
    own, last = (tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in part) for part in kinds)
    features = inputs.hidden(own, precision)[1]
    last_inputs = LastLayerInputs(inputs, last, precision)
    units = drawn_units(rng, UNITS, inputs.size, len(own), precision)
    count = int(rng.integers(3, len(inputs.words.labels) + 1))
    samples = Samples(own)
    sample = samples.of(last_inputs, np.arange(count))
    groups = Groups(Alike.of(units, features.take(sample.rows), aggregate), last_inputs, sample, aggregate)
    each = Candidates(units, last_inputs, samples, lambda: features, count, aggregate)
    return rng, features, groups, each


def check_costs(groups, each, aggregate):
    """Of each group the points are costs of members, and every member costs as much as some point."""
    costs, ends = each.units.costs(aggregate), np.cumsum(groups.alike.sizes)
    for number, (end, size) in enumerate(zip(ends, groups.alike.sizes, strict=True)):
        points, members = groups.alike.costs[end - size : end], costs[groups.alike.group == number]
        assert set(map(tuple, points)) <= set(map(tuple, members))
        assert (points[None] <= members[:, None]).all(axis=2).any(axis=1).all()


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("kinds", KINDS, ids=str)
def test_a_group_reads_as_its_members(kinds, aggregate):
    for seed in range(few(4, 20)):
        rng, features, groups, each = drawn(kinds, aggregate, seed)
        alike = groups.alike
        assert np.array_equal(
            alike.bits[alike.group], unit_outputs(each.units, features)[:, groups.sample.rows]
        )
        certificates = list(drawn_certificates(rng, each.count))
        places = rng.permutation(UNITS)[:9]
        found = groups.coefficients(certificates, alike.group[places])
        np.testing.assert_allclose(found, each.coefficients(certificates, places), rtol=1e-12, atol=1e-9)
        one, other = groups.alone(int(alike.group[places[0]])), each.alone(int(places[0]))
        assert np.array_equal(one.sums, other.sums)
        assert np.array_equal(one.last, other.last)
        assert np.array_equal(one.scale, other.scale)


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("kinds", KINDS, ids=str)
def test_a_group_costs_what_the_cheapest_members_cost(kinds, aggregate):
    for seed in range(few(4, 20)):
        _, _, groups, each = drawn(kinds, aggregate, seed)
        check_costs(groups, each, aggregate)


def test_groups_have_several_members_and_several_points():
    _, _, groups, _ = drawn(KINDS[2], Aggregate.MAX, 0)
    assert len(groups.alike.sizes) < UNITS
    assert groups.alike.sizes.max() > 1


def test_a_forgotten_point_is_noticed(monkeypatch):
    """A planted fault: of each group only the members with the least ‖V‖ are kept."""
    right = module.find_undominated
    monkeypatch.setattr(module, "find_undominated", lambda groups, first, second: right(groups, first, first))
    _, _, groups, each = drawn(KINDS[2], Aggregate.MAX, 0)
    with pytest.raises(AssertionError):
        check_costs(groups, each, Aggregate.MAX)
