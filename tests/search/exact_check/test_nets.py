"""Hypotheses as arrays: head by head, brought to one scale."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.exact_check.nets import ScaledUnits, nets_of
from idinf.space.units import Units
from tests.search.word_by_word import random_family_net


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


def test_units_of_a_list_are_brought_to_one_scale():
    units = Units(1, np.array([[0, 3, -1]]), np.array([[2]]), np.array([[1, 0, 2]]), np.array([-3]))
    scaled = ScaledUnits.of(units)
    assert scaled.values.tolist() == [[0, 6, -2]]
    assert (scaled.own.tolist(), scaled.bias.tolist()) == ([[2, 0, 4]], [-6])
