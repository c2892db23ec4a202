"""Hypotheses as arrays: head by head, side by side, and taken apart again."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.exact_check.nets import ScaledUnits, nets_of
from idinf.space.units import Units
from tests.search.random_nets import random_net
from tests.search.word_by_word import random_family_net


def drawn(rng, number, heads, features):
    return ScaledUnits(
        rng.integers(-3, 4, (number, heads * features)),
        rng.integers(-3, 4, (number, features)),
        rng.integers(-3, 4, number),
    )


@pytest.mark.parametrize("seed", range(6))
def test_parameters_head_by_head(seed):
    rng = np.random.default_rng(seed)
    precision, period = int(rng.integers(0, 3)), int(rng.integers(1, 4))
    net = random_family_net(rng, 2, (2, 1, 3), precision, period)
    nets = nets_of(net)
    assert (nets.symbols, nets.period, nets.precision, len(nets)) == (2, period, precision, 1)
    assert nets.num_inputs == net.num_features(0)
    for number, layer in enumerate([*nets.lower, nets.top]):
        features = net.num_features(number)
        assert layer.heads == tuple(head.pattern for head in net.layers[number].heads)
        assert layer.units.num_features == features
        for u, unit in enumerate(net.layers[number].units):
            vectors = [x for vector in net.effective_values(number, u) for x in vector]
            assert layer.units.values[u].tolist() == vectors
            assert layer.units.own[u].tolist() == [2**precision * x for x in unit.s]
            assert layer.units.bias[u] == 2**precision * unit.b


def test_lists_joined():
    rng = np.random.default_rng(4)
    one, other = drawn(rng, 3, 2, 4), drawn(rng, 3, 2, 4)
    both = ScaledUnits.concatenate([one, other])
    assert np.array_equal(both.take(np.arange(3, 6)).values, other.values)
    beside = ScaledUnits.side_by_side([one, other])
    assert np.array_equal(beside.take(slice(0, None, 2)).own, one.own)
    assert np.array_equal(beside.take(slice(1, None, 2)).bias, other.bias)


def test_units_of_a_list_are_brought_to_one_scale():
    units = Units(1, np.array([[0, 3, -1]]), np.array([[2]]), np.array([[1, 0, 2]]), np.array([-3]))
    scaled = ScaledUnits.of(units)
    assert scaled.values.tolist() == [[0, 6, -2]]
    assert (scaled.own.tolist(), scaled.bias.tolist()) == ([[2, 0, 4]], [-6])


def test_hypotheses_taken_keep_their_units_together():
    nets = nets_of(random_net(np.random.default_rng(0), 2, (1, 2), 0))
    twice = nets.take(np.array([0, 0]))
    assert len(twice) == 2
    assert twice.top.units.bias.tolist() == nets.top.units.bias.tolist() * 2
    assert twice.lower is nets.lower
