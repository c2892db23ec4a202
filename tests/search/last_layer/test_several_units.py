"""Readings of one to four units against their definition."""

import itertools

import numpy as np
import pytest

from idinf.search.last_layer.next_symbols import next_readings
from idinf.search.last_layer.several_units import LayerScreen, list_screens, vote_readings
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.spec.spec import Answer
from tests.search.random_nets import random_target


class Tables:
    """A registry whose tables are given; it grows."""

    def __init__(self, outputs):
        self.outputs = outputs
        self.known = 0

    def __len__(self):
        return self.known

    def tables(self, numbers):
        return self.outputs[numbers]


def readings(units):
    return vote_readings(np.array([True, False]), units).readings


@pytest.mark.parametrize("units", [1, 2, 3, 4])
def test_readings_are_all_that_are_not_constant(units):
    listed = {(*r.signs.tolist(), r.threshold) for r in readings(units)}
    assert len(listed) == len(readings(units))
    every = list(itertools.product((0, 1), repeat=units))
    for signs in itertools.product((-1, 1), repeat=units):
        for threshold in range(-units - 2, units + 2):
            values = {sum(s * u for s, u in zip(signs, row, strict=True)) > threshold for row in every}
            assert ((*signs, threshold) in listed) == (len(values) == 2)
    assert [(*r.signs.tolist(), r.threshold) for r in readings(units)] == sorted(listed)


def planted(rng, labels, units):
    """Tables of which some layers are right: literals that hold, or fail, wherever they must, and votes."""
    noise = rng.random((60, len(labels)))
    outputs = [labels | (noise[:8] < 0.3), labels & (noise[8:16] < 0.7), noise[16:22] < 0.5]
    # Of three or four literals one is wrong on each word: right where all but one have to hold.
    wrong = rng.integers(0, max(units, 1), len(labels))
    outputs.append(labels ^ (wrong == np.arange(units)[:, None]))
    tables = np.concatenate(outputs)
    return np.concatenate([tables, ~tables])


@pytest.mark.thinned(9)
@pytest.mark.parametrize("block", [50, 4096])
@pytest.mark.parametrize("length", [0, 1, 2, 3])
@pytest.mark.parametrize("units", [1, 2, 3, 4])
def test_right_layers_are_those_whose_reading_gives_the_labels(units, length, block):
    rng = np.random.default_rng([units, length])
    met = set()
    for _ in range(3):
        short = ShortWords.of(random_target(rng, 2), 3)
        labels = short.labels
        outputs = planted(rng, labels, units)
        registry = Tables(outputs)
        count = short.up_to(length)
        found = vote_readings(labels[:count], units)
        screen = LayerScreen(found, registry, labels[:count], block=block)
        for known in (30, len(outputs)):  # tables are met while the search goes on
            registry.known = known
            layers = rng.integers(0, known, (250, units))
            votes = 22 + np.arange(units) + rng.choice([0, len(outputs) // 2], (30, units))
            if known == len(outputs):
                layers = np.concatenate([layers, votes])
            some = np.zeros(len(layers), dtype=bool)
            for reading in screen.found.readings:
                total = sum(s * outputs[layers[:, u]].astype(int) for u, s in enumerate(reading.signs))
                want = ((total > reading.threshold) == labels)[:, :count].all(axis=1)
                assert np.array_equal(screen.right(reading, layers), want)
                some |= want
                if want.any():
                    met.add(reading.least)
            assert np.array_equal(screen.together(layers), some)
            alone = screen.alone(np.arange(known))
            assert alone[layers[some]].all()
            for order in itertools.permutations(range(units)):  # what a right layer may begin with
                assert screen.together(layers[some][:, order[: max(units - 1, 1)]]).all()
    assert met == set(range(1, units + 1))


def kinds_by_hand(rng):
    """Compares both kinds of readings with all of them; how many pairs are right, and never joined."""
    short = ShortWords.of(random_target(rng, 2), 3)
    outputs = planted(rng, short.labels, 2)
    registry = Tables(outputs)
    registry.known = len(outputs)
    whole = LayerScreen(vote_readings(short.labels, 2), registry, short.labels)
    layers = np.array(list(itertools.combinations_with_replacement(range(len(outputs)), 2)))
    some, number = np.zeros(len(layers), dtype=bool), 0
    for kind in list_screens(short, registry, 3, 2):
        right = kind.together(layers)
        alone = kind.alone(np.arange(len(outputs)))
        missed = kind.missed(np.arange(len(outputs)))
        joined = ~(missed[layers[:, 0]] & missed[layers[:, 1]]).any(axis=1)
        assert (alone[layers].all(axis=1) & joined)[right].all()
        assert len(kind.found.readings) == 4
        some, number = some | right, number + int(joined.sum())
    assert np.array_equal(some, whole.together(layers))
    return int(some.sum()), 2 * len(layers) - number


def count_by_kinds():
    return np.sum([kinds_by_hand(np.random.default_rng(seed)) for seed in range(6)], axis=0)


def test_units_that_serve_other_words_lose_layers(monkeypatch):
    """A planted fault: what a unit serves and what it misses are exchanged."""
    whole = LayerScreen.missed
    monkeypatch.setattr(LayerScreen, "missed", lambda self, tables: ~whole(self, tables))
    with pytest.raises(AssertionError):
        count_by_kinds()


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
