"""Readings of two units against their definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from random_nets import random_target

from idinf.search.short_words import ShortWords
from idinf.search.top_pairs import READINGS, PairScreen


class Tables:
    """A registry whose tables are given; it grows."""

    def __init__(self, outputs):
        self.outputs = outputs
        self.known = 0

    def __len__(self):
        return self.known

    def tables(self, numbers):
        return self.outputs[numbers]


def reads(reading, u, w):
    return reading.signs[0] * int(u) + reading.signs[1] * int(w) > reading.threshold


def test_readings_are_all_that_are_not_constant():
    listed = {(r.signs, r.threshold) for r in READINGS}
    assert len(listed) == len(READINGS) == 8
    for signs in itertools.product((-1, 1), repeat=2):
        for threshold in range(-4, 4):
            values = {signs[0] * u + signs[1] * w > threshold for u in (0, 1) for w in (0, 1)}
            assert ((signs, threshold) in listed) == (len(values) == 2)
    assert [(r.signs, r.threshold) for r in READINGS] == sorted(listed)


@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_is_a_conjunction_or_a_disjunction_of_literals(reading):
    for u, w in itertools.product((0, 1), repeat=2):
        literals = [u if reading.signs[0] > 0 else 1 - u, w if reading.signs[1] > 0 else 1 - w]
        assert reads(reading, u, w) == (all(literals) if reading.conjunction else any(literals))


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_right_pairs_are_those_whose_reading_gives_the_labels(length):
    rng = np.random.default_rng(length)
    met = 0
    for _ in range(8):
        short = ShortWords.of(random_target(rng, 2), 3)
        labels = short.labels
        noise = rng.random((40, len(labels)))
        # Labels with some bits set, with some cleared, and their complements: literals of right readings.
        outputs = np.concatenate([labels | (noise[:10] < 0.3), labels & (noise[10:20] < 0.7)])
        outputs = np.concatenate([outputs, ~outputs, noise[20:] < 0.5])
        registry = Tables(outputs)
        screen = PairScreen(short, registry, length)
        count = short.up_to(length)
        for known in (30, len(outputs)):  # tables are met while the search goes on
            registry.known = known
            first, second = (x.reshape(-1) for x in np.meshgrid(np.arange(known), np.arange(known)))
            some = np.zeros(len(first), dtype=bool)
            for reading in READINGS:
                total = reading.signs[0] * outputs[first].astype(int) + reading.signs[1] * outputs[second]
                want = ((total > reading.threshold) == labels)[:, :count].all(axis=1)
                assert np.array_equal(screen.right(reading, first, second), want)
                some |= want
            assert np.array_equal(screen.together(first, second), some)
            alone = screen.alone(np.arange(known))
            assert alone[first[some]].all()
            assert alone[second[some]].all()
            met += int(some.sum())
    assert met
