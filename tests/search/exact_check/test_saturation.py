"""Sums that need not be told apart: against the same check without merging them, and word by word."""

from dataclasses import replace

import numpy as np
import pytest

from idinf.crasp.checker import read_program
from idinf.nets.one_hot import OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.exact_check.summaries import DEFAULT_SIZES, CheckSizes
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target, accepts
from tests.asked_for import few
from tests.search.exact_check.counterexamples import least_counterexample
from tests.search.exact_check.test_dominance import frontier_of
from tests.search.exact_check.test_reachability import Table
from tests.search.known_hypotheses import KNOWN
from tests.search.random_nets import alphabet_of, answers, random_layer, random_target
from tests.search.word_by_word import random_family_net

MERGED = CheckSizes(cuts_from=-1)


def numbers(net, target, horizon, sizes):
    """Number of summaries after each length, of a check from the first length on."""
    run, met = frontier_of(nets_of(net), target, sizes), []
    extended = run._extended

    def counted(*args):
        met.append(len(extended(*args)))
        return extended(*args)

    run._extended = counted
    assert [length for length, _, _ in run.steps(horizon, None)] == list(range(horizon + 1))
    return met


def spread_net(rng, size):
    """Uniform heads and entries up to ±6, where thresholds are out of reach at various lengths."""
    features, layers, spread = size + 1, [], int(rng.integers(1, 7))
    widths = tuple(int(x) for x in rng.integers(1, 4, int(rng.integers(1, 4))))
    precision = int(rng.random() < 0.4)
    for units in widths:
        layers.append(random_layer(rng, features, units, precision, spread))
        features += units
    signs = tuple(int(x) for x in rng.choice([-1, 1], widths[-1]))
    positive = sum(sign > 0 for sign in signs)
    threshold = int(rng.integers(positive - widths[-1], positive))
    return OneHotTransformer(alphabet_of(size), precision, tuple(layers), signs, threshold)


@pytest.mark.thinned(11)
@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(k, marks=pytest.mark.slow) for k in range(10, 120))]
)
def test_sums_are_replaced_on_every_word(seed):
    """Right on all words up to every horizon though each word's sums are replaced again and again."""
    rng = np.random.default_rng([64, seed])
    chunk = int(rng.choice([2, 1 << 15]))
    sizes = replace(MERGED, chunk=chunk)
    for size, length in ((1, 12), (2, 7), (3, 4)):
        net = spread_net(rng, size)
        known = answers(net, length)
        for horizon in range(length + 1):
            right = Table(net.alphabet, known)
            assert fail_lengths(right, nets_of(net), horizon, sizes=sizes).tolist() == [-1]
        place = int(rng.integers(len(known)))
        flipped = Table(
            net.alphabet, {word: value ^ (k == place) for k, (word, value) in enumerate(known.items())}
        )
        assert least_counterexample(flipped, nets_of(net), length, sizes=sizes) == list(known)[place]
        for _ in range(3):
            target = random_target(rng, size)
            want = next((word for word, value in known.items() if value != accepts(target, word)), None)
            assert least_counterexample(target, nets_of(net), length, sizes=sizes) == want


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(12))
def test_against_the_check_that_tells_all_sums_apart(seed):
    """Longer words, where sums go out of reach; and fewer summaries at the end."""
    rng = np.random.default_rng([62, seed])
    size = int(rng.integers(1, 4))
    widths = tuple(int(x) for x in rng.integers(1, 3, int(rng.integers(1, 4 if size < 3 else 3))))
    horizon = {1: 60, 2: 24, 3: 14}[size]
    net = random_family_net(rng, size, widths, int(rng.integers(0, 2)), int(rng.integers(1, 3)), ("uniform",))
    targets = [random_target(rng, size) for _ in range(3)]
    results = []
    for sizes in (CheckSizes(cuts_from=10**9), MERGED):
        words = [least_counterexample(target, nets_of(net), horizon, sizes=sizes) for target in targets]
        results.append((words, numbers(net, targets[0], horizon, sizes)))
    assert results[0][0] == results[1][0]
    assert all(few <= all_ for few, all_ in zip(results[1][1], results[0][1], strict=True))
    assert sum(results[1][1]) < sum(results[0][1]) or sum(results[0][1]) <= 300


def test_a_late_fail_is_found_where_sums_were_merged():
    """Majority against itself up to a length: the flip at length n is found for every n, not before."""
    known = next(known for known in KNOWN if known.target == "d-2")
    target = build_target(load("d-2"))

    class Flipped(Target):
        alphabet = target.alphabet

        def __init__(self, word):
            self.word = np.array(word)

        def start(self):
            return np.concatenate([target.start(), [[0]]], axis=1)

        def step(self, states, symbol):
            at = states[:, 1]
            inside = (at >= 0) & (at < len(self.word))
            agrees = inside & (self.word[np.where(inside, at, 0)] == symbol)
            return np.stack([target.step(states[:, :1], symbol)[:, 0], np.where(agrees, at + 1, -1)], axis=1)

        def labels(self, states):
            return target.labels(states[:, :1]) ^ (states[:, 1] == len(self.word))

    rng, nets = np.random.default_rng(4), nets_of(known.hypothesis)
    for length in (0, 1, 5, 17, 30)[:: few(2, 1)]:
        word = tuple(rng.integers(0, 2, length).tolist())
        for sizes in (DEFAULT_SIZES, MERGED):
            horizons = (30, length) if not length else (30, length, length - 1)
            found = [least_counterexample(Flipped(word), nets, horizon, sizes=sizes) for horizon in horizons]
            assert found == [word, word, None][: len(horizons)]


@pytest.mark.parametrize("horizon", [1, 2, 5, pytest.param(9, marks=pytest.mark.slow)])
def test_counters_of_the_target_are_settled_up_to_the_horizon(horizon):
    """A bound on a count that the last symbol of one word passes, or that is out of reach by one."""
    always = OneHotTransformer(
        alphabet_of(2), 0, (OneHotLayer((), (OneHotUnit((), (0, 0, 0), 1),)),), (1,), 0
    )
    for text in (
        'accept = # "a" <= {}',
        'accept = 2 * # "a" - # "b" <= 2 * {}',
        'accept = # "b" - # "a" >= -{}',
    ):
        for bound, want in ((horizon - 1, (0,) * horizon), (horizon, None)):
            target = CountingTarget(read_program(text.format(bound), always.alphabet), always.alphabet)
            assert least_counterexample(target, nets_of(always), horizon) == want
            assert fail_lengths(target, nets_of(always), horizon).tolist() == [horizon if want else -1]


COUNTING = (
    'accept = # "a" - 2 * # "b" >= {} || # "b" == {}',
    'late = "a" && # "b" >= {}\naccept = # late == 0 && # "a" <= {}',
    'more = # "a" >= # "b" + {}\naccept = # more <= {}',
    'x = # "a" >= {}\naccept = (# "b" if x else 2 * # "a") <= {}',
    'accept = # (#[j = i-1] "a" >= 1 && "b") <= {} && max(# "a", # "b") != {}',
)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("program", COUNTING)
def test_counters_and_sums_are_replaced_side_by_side(program):
    """Programs with small numbers against random nets, on all words up to every horizon."""
    rng = np.random.default_rng([66, COUNTING.index(program)])
    for _ in range(few(2, 6)):
        net = spread_net(rng, 2)
        known = answers(net, 6)
        for _ in range(3):
            text = program.format(*rng.integers(0, 4, 2).tolist())
            target = CountingTarget(read_program(text, net.alphabet), net.alphabet)
            want = next((word for word, value in known.items() if value != accepts(target, word)), None)
            for horizon in range(7):
                expected = want if want is not None and len(want) <= horizon else None
                assert least_counterexample(target, nets_of(net), horizon, sizes=MERGED) == expected
