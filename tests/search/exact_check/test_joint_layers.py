"""Common features of several nets: residues of the least common period, units one net after the other.

Codes of recent positions tell apart exactly what some φ head can ask for."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.exact_check.joint_layers import (
    FeatureSpace,
    JointHead,
    JointLayer,
    joint_layers,
)
from idinf.search.exact_check.nets import nets_of
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.words import Alphabet
from tests.search.word_by_word import random_family_net

SPACE = FeatureSpace(3, 1, 2)


@pytest.mark.parametrize(("symbols", "period", "units"), [(1, 1, 0), (2, 3, 1), (3, 2, 2)])
def test_every_class_once(symbols, period, units):
    space = FeatureSpace(symbols, period, units)
    rows = space.all_rows()
    assert len(rows) == space.num_classes == len(np.unique(rows, axis=0))
    assert rows.shape[1] == space.size
    assert (rows[:, : space.tokens].sum(axis=1) == 1).all()
    if period > 1:
        assert (rows[:, space.tokens : space.first_unit].sum(axis=1) == 1).all()
        assert not rows[rows[:, 0] == 1, space.tokens + 1 : space.first_unit].any()  # $ stands at residue 0


def test_units_of_a_net_read_the_same_of_common_features():
    """own of each unit at every class, read by its own net and over the features of two nets."""
    rng = np.random.default_rng(5)
    nets = [nets_of(random_family_net(rng, 2, (2, 1), 0, period)) for period in (2, 3)]
    space, lower, readouts = joint_layers(nets)
    assert (space.period, space.units) == (6, 4)
    assert [layer.first for layer in lower] == [0, 2]
    assert [readout.layer.own.shape for readout in readouts] == [(1, space.size)] * 2
    for net, layer in zip(nets, lower, strict=True):
        units = net.lower[0].units
        for token in (1, 2):
            for position in range(6):
                [row] = space.rows(token, position, np.ones((1, 4), dtype=np.int64))
                plain = np.zeros(units.num_features, dtype=np.int64)
                plain[[token, 3 + position % net.period]] = 1
                assert (layer.own @ row).tolist() == (units.own @ plain + units.bias).tolist()


def test_heads_with_one_pattern_are_one_head():
    pattern = AttentionPattern(phi=(0, 1))
    heads = (OneHotHead(((0, 1),), pattern), OneHotHead(((0, 2),), pattern), OneHotHead(((1, 0),)))
    unit = OneHotUnit(((0, 0, 1), (1, 0, 1), (2, 0, 1)), (0, 0), 0)
    net = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer(heads, (unit,)),), (1,), 0)
    _, lower, [readout] = joint_layers([nets_of(net)])
    assert lower == []
    assert [head.values.tolist() for head in readout.layer.heads] == [[[0, 3]], [[1, 0]]]
    assert [head.uniform for head in readout.layer.heads] == [False, True]
    assert not readout.layer.uniform


def layer(values, phi, logits=None):
    head = JointHead(logits, phi, 0, np.array([values]))
    return JointLayer((head,), np.zeros((1, SPACE.size), np.int64), 0)
