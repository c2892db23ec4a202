"""Exact fail lengths and least counterexamples against words one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import answers, brute_fail, brute_least, random_dfa, random_net, random_target

from idinf.errors import BudgetError, PrecisionError
from idinf.search import reachability
from idinf.search.equivalence import nets_of
from idinf.search.reachability import Nets, ScaledUnits, fail_lengths, least_counterexample
from idinf.transformers.gated import GatedHead, GatedLayer, GatedTransformer, GatedUnit
from idinf.transformers.reference import accepts as reference_accepts
from idinf.words import Alphabet

#: Shapes of random nets; the second number of the key is the number of symbols.
SHAPES = [(1,), (2,), (1, 1), (2, 1), (1, 1, 1), (2, 2), (1, 2, 1)]
LENGTHS = {1: 12, 2: 8, 3: 5}


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("widths", SHAPES)
def test_fail_and_counterexample_of_random_nets(size, widths):
    rng = np.random.default_rng([size, *widths])
    found = set()
    for _ in range(6):
        net = random_net(rng, size, widths, int(rng.integers(0, 3)))
        target = random_target(rng, size)
        horizon = LENGTHS[size]
        want = brute_least(net, target, horizon)
        assert least_counterexample(target, nets_of(net), horizon) == want
        fail = fail_lengths(target, nets_of(net), horizon)
        assert fail.tolist() == [-1 if want is None else len(want)]
        found.add(int(fail[0]))
    assert found


def test_late_fails_and_agreement_occur_among_the_random_nets():
    """The comparisons must meet more than words of length 0 and 1."""
    rng = np.random.default_rng(5)
    fails = {brute_fail(random_net(rng, 1, (1, 1), 0), random_target(rng, 1), 12) for _ in range(200)}
    assert {-1, 0, 1, 2, 3}.issubset(fails)


def stacked(nets):
    """Hypotheses over the same lower layers as one ``Nets``."""
    parts = [nets_of(net) for net in nets]
    features = parts[0].top.values.shape[1]
    return Nets(
        parts[0].lower,
        ScaledUnits.concatenate([p.top for p in parts], features),
        np.concatenate([p.signs for p in parts]),
        np.concatenate([p.threshold for p in parts]),
    )


@pytest.mark.parametrize(("size", "widths"), [(2, (1, 1)), (2, (2, 2)), (3, (1, 1)), (3, (2,)), (1, (2, 1))])
def test_several_hypotheses_over_one_lower_net(size, widths):
    rng = np.random.default_rng([7, size, *widths])
    first = random_net(rng, size, widths, 1)
    nets = [first]
    for _ in range(7):
        other = random_net(rng, size, widths, 1)
        nets.append(
            GatedTransformer(
                other.alphabet, 1, (*first.layers[:-1], other.layers[-1]), other.signs, other.threshold
            )
        )
    for _ in range(3):
        target = random_target(rng, size)
        horizon = LENGTHS[size]
        want = [brute_fail(net, target, horizon) for net in nets]
        assert fail_lengths(target, stacked(nets), horizon).tolist() == want


@pytest.mark.parametrize("size", [1, 2, 3])
def test_counts_and_forms_agree(size, monkeypatch):
    rng = np.random.default_rng(11 + size)
    for _ in range(12):
        net = random_net(rng, size, (1, 1) if size < 3 else (1,), int(rng.integers(0, 2)))
        target = random_target(rng, size)
        results = []
        for few in (True, False):
            monkeypatch.setattr(reachability, "_few_counts", lambda _, few=few: few)
            results.append(
                (
                    fail_lengths(target, nets_of(net), 14).tolist(),
                    least_counterexample(target, nets_of(net), 14),
                )
            )
        assert results[0] == results[1]


def test_both_ways_of_summarising_are_used():
    two, three = np.zeros((1, 4), np.int64), np.zeros((1, 5), np.int64)
    for values, few in ((two, True), (three, False)):
        lower = ScaledUnits.concatenate([], values.shape[1])
        top = ScaledUnits(values, values, np.zeros(1, np.int64))
        nets = Nets(lower, top, np.ones((1, 1), np.int64), np.zeros(1, np.int64))
        assert reachability._few_counts(nets) is few


def test_epsilon_and_length_one():
    """Always-true against: everything but ε; everything but one symbol; everything."""
    sigma = Alphabet(("a", "b"))
    always = GatedTransformer(sigma, 0, (GatedLayer((), (GatedUnit((), (0, 0, 0), 1),)),), (1,), 0)

    class Without:
        alphabet = sigma

        def __init__(self, word):
            self.word = word

        def start(self):
            return np.array([[1]])

        def step(self, states, symbol):
            return 3 * states + symbol + 1

        def labels(self, states):
            number = 1
            for code in self.word:
                number = 3 * number + code + 1
            return states[:, 0] != number

    for word in ((), (0,), (1,), (1, 0)):
        assert fail_lengths(Without(word), nets_of(always), 4).tolist() == [len(word)]
        assert least_counterexample(Without(word), nets_of(always), 4) == word
    longer = Without((0, 0, 0))
    assert fail_lengths(longer, nets_of(always), 2).tolist() == [-1]
    assert least_counterexample(longer, nets_of(always), 2) is None


def majority():
    unit = GatedUnit(((0, 0, 1),), (0, 0, 0), 0)
    return GatedTransformer(
        Alphabet(("0", "1")), 0, (GatedLayer((GatedHead(((0, 1, -1),)),), (unit,)),), (-1,), -1
    )


def test_horizon_is_counted_to_its_last_word():
    """A target that is majority up to length 30 and turns everything down from 31 on."""

    class Cut:
        alphabet = Alphabet(("0", "1"))

        def start(self):
            return np.zeros((1, 2), dtype=np.int64)

        def step(self, states, symbol):
            return np.stack([states[:, 0] + (-1, 1)[symbol], states[:, 1] + 1], axis=1)

        def labels(self, states):
            return (states[:, 0] >= 0) & (states[:, 1] <= 30)

    assert fail_lengths(Cut(), nets_of(majority()), 30).tolist() == [-1]
    assert fail_lengths(Cut(), nets_of(majority()), 31).tolist() == [31]
    word = least_counterexample(Cut(), nets_of(majority()), 31)
    assert word == (0,) * 15 + (1,) * 16


def test_max_states_is_a_budget():
    rng = np.random.default_rng(3)
    target = random_dfa(rng, 2, 3)
    net = random_net(rng, 2, (2, 1), 0)
    same = least_counterexample(target, nets_of(net), 2)
    with pytest.raises(BudgetError, match=r"joint states, more than the 3 .*--memory"):
        fail_lengths(EveryState(), nets_of(majority()), 20, max_states=3)
    with pytest.raises(BudgetError, match="exact check at length"):
        least_counterexample(EveryState(), nets_of(majority()), 20, max_states=3)
    assert least_counterexample(target, nets_of(net), 2, max_states=1000) == same


class EveryState:
    """Majority again, with a state of its own for every word."""

    alphabet = Alphabet(("0", "1"))

    def start(self):
        return np.array([[0, 1]])

    def step(self, states, symbol):
        return np.stack([states[:, 0] + (-1, 1)[symbol], 2 * states[:, 1] + symbol], axis=1)

    def labels(self, states):
        return states[:, 0] >= 0


def test_accumulators_beyond_float64_are_refused():
    top = ScaledUnits(np.array([[0, 1 << 50, 0]]), np.zeros((1, 3), np.int64), np.zeros(1, np.int64))
    nets = Nets(ScaledUnits.concatenate([], 3), top, np.ones((1, 1), np.int64), np.zeros(1, np.int64))
    with pytest.raises(PrecisionError, match="accumulator"):
        fail_lengths(EveryState(), nets, 16)


def test_take_keeps_units_of_a_hypothesis_together():
    rng = np.random.default_rng(0)
    nets = stacked([random_net(rng, 2, (2,), 0) for _ in range(4)])
    some = nets.take(np.array([2, 0]))
    assert len(some) == 2
    assert some.top.bias.tolist() == nets.top.bias[[4, 5, 0, 1]].tolist()
    assert some.signs.tolist() == nets.signs[[2, 0]].tolist()


@pytest.mark.parametrize("spread", [1, 2**31])
def test_first_of_each_row_packed_or_hashed(spread):
    rng = np.random.default_rng(2)
    rows = rng.integers(-2, 3, (200, 3)) * spread
    seen, want = set(), []
    for place, row in enumerate(rows.tolist()):
        if tuple(row) not in seen:
            seen.add(tuple(row))
            want.append(place)
    assert reachability._first_of_each(rows).tolist() == want


def test_the_judge_of_these_tests_is_the_reference():
    rng = np.random.default_rng(9)
    for size, widths in ((1, (2, 1)), (2, (1, 1)), (2, (2,)), (3, (1, 2, 1))):
        for precision in (0, 1):
            net = random_net(rng, size, widths, precision)
            dense = net.to_dense()
            for word, answer in answers(net, 3).items():
                assert reference_accepts(dense, word) == answer
