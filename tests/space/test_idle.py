"""Entries of M that do nothing: nets answer alike and cost no more without them, and all others matter."""

import itertools

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.nets.reference import accepts
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.space import idle
from idinf.space.units import Units
from tests.asked_for import few
from tests.search import nested_loops
from tests.search.nested_loops import felt_entries, without_idle_entries
from tests.translate.compilation.random_hypotheses import random_hypothesis


def random_units(rng, precision, size, number=4):
    """Units of one head; half of them have little own weight."""
    channel = rng.integers(-2, 3, (number, size))
    own = rng.integers(-2, 3, (number, size)) * (rng.random((number, size)) < 0.3)
    entry = rng.integers(1, 3, (number, 1))
    return Units(precision, channel, entry, own, rng.integers(-2, 3, number))


@pytest.mark.parametrize(
    ("tokens", "period", "below", "precision"), [(3, 1, 0, 1), (3, 1, 2, 0), (2, 2, 1, 1), (2, 3, 0, 0)]
)
def test_felt_entries_equal_those_of_loops_over_classes(tokens, period, below, precision):
    rng = np.random.default_rng(tokens + 7 * period)
    size = tokens + (period if period > 1 else 0) + below
    kinds = set()
    for _ in range(12):
        units = random_units(rng, precision, size)
        felt = idle.find_felt(units, tokens, period)
        for n in range(len(units)):
            row = map(tuple, (units.values[n].tolist(), units.own[n].tolist()))
            want = felt_entries(*row, int(units.bias[n]), 1 << precision, tokens, period)
            assert set(map(tuple, np.argwhere(felt[n]).tolist())) == want
            kinds.add(len(want))
    assert len(kinds) > 3


def changed(seeds):
    """Nets with idle entries of M, beside the same nets with zeros there."""
    for seed in seeds:
        net = random_hypothesis(seed, matrices=0.9, largest=2)
        less = without_idle_entries(net)
        if less != net:
            yield net, less


def differs(net, less):
    """Whether some short word tells two nets apart."""
    one, other = net.to_dense(), less.to_dense()
    words = words_up_to(len(net.alphabet), 4)
    return any(accepts(one, word) != accepts(other, word) for word in words)


def test_nets_without_idle_entries_answer_alike_and_cost_no_more():
    pairs = list(changed(range(few(30, 300))))
    assert len(pairs) > few(15, 150)
    for net, less in pairs:
        assert not differs(net, less)
        for rule in Aggregate:
            one, other = (compute_r_terms(x.to_dense(), rule).total for x in (net, less))
            assert other <= one + 1e-9


def test_an_entry_that_matters_is_missed(monkeypatch):
    """A planted fault: every other entry that is felt counts as idle."""
    felt = nested_loops.felt_entries
    monkeypatch.setattr(nested_loops, "felt_entries", lambda *unit: frozenset(sorted(felt(*unit))[::2]))
    assert any(itertools.starmap(differs, changed(range(60))))
