"""Behaviours of units against Fractions; numbers are equal iff behaviours are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from random_nets import random_target

from idinf.errors import PrecisionError
from idinf.search import tables as module
from idinf.search.short_words import Features, ShortWords
from idinf.search.tables import TableRegistry, unit_outputs
from idinf.space.units import Units


def random_units(rng, number, features, precision):
    """Units with small weights, most on a channel with any entry of A."""
    entry = rng.integers(-3, 4, number)
    channel = rng.integers(-3, 4, (number, features)) * (entry != 0)[:, None]
    return Units(
        precision, channel, entry, rng.integers(-2, 3, (number, features)), rng.integers(-3, 4, number)
    )


def with_lower_units(rng, size, length, lower):
    short = ShortWords.of(random_target(rng, size), length)
    bits = rng.random((lower, len(short.parent))) < 0.5
    return short, short.extend(short.tokens, bits)


def value(units, k, features, row):
    one = Fraction(1, 2**units.precision)
    positions = int(features.positions[row])
    average = [Fraction(int(c), positions) for c in features.counts[row]]
    read = sum(one * int(g) * a for g, a in zip(units.channel[k], average, strict=True))
    own = sum(one * int(s) * int(x) for s, x in zip(units.own[k], features.last[row], strict=True))
    return one * int(units.entry[k]) * read + own + one * int(units.bias[k])


@pytest.mark.parametrize("precision", [0, 1, 2])
@pytest.mark.parametrize(("size", "length", "lower"), [(1, 9, 1), (2, 4, 0), (2, 4, 2), (3, 2, 1)])
def test_outputs_are_signs_of_fractions(size, length, lower, precision, monkeypatch):
    rng = np.random.default_rng([size, lower, precision])
    monkeypatch.setattr(module, "BLOCK_CELLS", 70)  # several blocks
    short, features = with_lower_units(rng, size, length, lower)
    units = random_units(rng, 25, features.size, precision)
    want = [[value(units, k, features, row) > 0 for row in range(len(short.parent))] for k in range(25)]
    assert unit_outputs(units, features).tolist() == want
    assert any(value(units, k, features, row) == 0 for k in range(25) for row in range(len(short.parent)))


def test_numbers_are_equal_iff_tables_are():
    rng = np.random.default_rng(3)
    _, features = with_lower_units(rng, 2, 3, 1)
    registry = TableRegistry(features)
    units = [random_units(rng, 400, features.size, 0) for _ in range(2)]
    numbers = np.concatenate([registry.number(part) for part in units])
    outputs = np.concatenate([unit_outputs(part, features) for part in units])
    by_table = {}
    for number, row in zip(numbers.tolist(), outputs.tolist(), strict=True):
        assert by_table.setdefault(tuple(row), number) == number
    assert len(set(by_table.values())) == len(by_table) == len(registry) < 800
    assert np.array_equal(registry.tables(numbers), outputs)
    assert registry.seen == 800
    assert registry.tables(np.zeros(0, np.int64)).shape == (0, outputs.shape[1])


def test_among_selects_by_behaviour():
    rng = np.random.default_rng(4)
    _, features = with_lower_units(rng, 2, 4, 1)
    registry = TableRegistry(features)
    units = random_units(rng, 100, features.size, 1)
    numbers = registry.number(units)
    packed = np.packbits(unit_outputs(units, features), axis=1)
    allowed = frozenset(row.tobytes() for row in packed[:20])
    want = [row.tobytes() in allowed for row in packed]
    assert registry.among(numbers, allowed).tolist() == want
    assert not registry.among(numbers, frozenset()).any()


def test_products_that_float32_could_round_are_refused():
    short = ShortWords.of(random_target(np.random.default_rng(0), 1), 2)
    weight = module.FLOAT32_EXACT // 3 + 1
    none, own = np.zeros((1, 2), np.int64), np.array([[0, weight]])
    units = Units(0, none, np.zeros(1, np.int64), own, np.zeros(1, np.int64))
    with pytest.raises(PrecisionError, match=r"exact range .*--precision"):
        unit_outputs(units, short.tokens)


def test_signs_are_exact_up_to_the_guard():
    """One above and one below zero at the largest weights that are let through."""
    weight = (module.FLOAT32_EXACT - 1) // 8 // 3
    features = Features(np.array([[4, 4]]), np.array([[1, 0]]), np.array([8]))
    channel = np.array([[weight, -weight - 1], [weight + 1, -weight], [weight, -weight]])
    zero = np.zeros((3, 2), np.int64)
    units = Units(0, channel, np.ones(3, np.int64), zero, np.zeros(3, np.int64))
    assert unit_outputs(units, features)[:, 0].tolist() == [False, True, False]
