"""Codes of recent positions tell apart exactly what some φ head can ask for."""

from __future__ import annotations

import numpy as np

from idinf.search.exact_check.joint_layers import FeatureSpace, JointHead, JointLayer
from idinf.search.exact_check.recent import RecentCodes, decoded

SPACE = FeatureSpace(3, 1, 2)
EVERY = np.arange(SPACE.tokens << SPACE.units)


def layer(values, phi, logits=None):
    head = JointHead(logits, phi, 0, np.array([values]))
    return JointLayer((head,), np.zeros((1, SPACE.size), np.int64), 0)


def test_codes_are_told_apart_by_values_and_logits_only():
    logits = np.zeros((SPACE.size, SPACE.size), np.int64)
    logits[5, 1] = 1  # a query a asks for the second unit of the key
    recent = RecentCodes(SPACE, [layer([1, 0, 0, 2, 0, 0], (0, 1), logits)])
    assert recent.reach == 1
    codes = recent.shifted(np.zeros((len(EVERY), 1), np.int64), EVERY)[:, 0]
    rows = decoded(SPACE, EVERY, 0)
    asked = rows @ np.array([[1, 0, 0, 2, 0, 0], [0, 0, 0, 0, 0, 1]]).T
    assert len(np.unique(codes)) == len(np.unique(asked, axis=0)) == 6
    assert np.array_equal(decoded(SPACE, codes, 0) @ logits, rows @ logits)


def test_older_positions_are_forgotten_for_shorter_heads():
    near, far = layer([0, 1, 0, 0, 0, 0], (0, 1)), layer([0, 0, 1, 0, 0, 0], (0, 0, 1))
    recent = RecentCodes(SPACE, [near, far])
    once = recent.shifted(np.zeros((len(EVERY), 2), np.int64), EVERY)
    twice = recent.shifted(once, np.zeros(len(EVERY), np.int64))
    assert [len(np.unique(once[:, 0])), len(np.unique(twice[:, 1]))] == [3, 2]
    assert np.array_equal(recent.reduced(twice), twice)


def test_nothing_is_kept_without_a_distance():
    assert RecentCodes(SPACE, [layer([0, 1, 0, 0, 0, 0], (2,))]).reach == 0
