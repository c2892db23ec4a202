"""Splits for two last units: never a right pair excluded, whatever channels it shares; what is handed on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.last_layer import case_splits
from idinf.search.last_layer.case_splits import CaseSplit, most_by_large_entries
from idinf.search.last_layer.certificates import LastCosts
from idinf.search.last_layer.exclusion import SharedCertificates, share_certificates
from idinf.search.last_layer.pair_exclusion import PairExclusion, Splitting
from idinf.search.last_layer.several_units import ReadingScreen
from idinf.search.short_words.features import Features
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.targets.regular import RegularTarget
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet
from tests.asked_for import few
from tests.search.last_layer.test_certificates import AGGREGATES, drawn_costs, excluded
from tests.search.random_features import drawn_inputs, drawn_pattern
from tests.search.random_nets import random_target
from tests.spaces import small_space


def drawn_pair(rng, features, precision):
    """Answers of two random units on all words, (2, W), and ‖V‖, C², ‖s‖, ‖b‖ of their layer."""
    size, one, heads = features.size, 2**precision, features.heads
    s = rng.integers(-1, 2, (2, size)) * (rng.random((2, size)) < 0.3)
    b = rng.integers(-1, 2, 2) * (rng.random(2) < 0.2)
    g = rng.integers(-1, 2, (2, size)) * (rng.random((2, size)) < 0.6)
    entries, rows = np.array([one, one]), g
    if heads and rng.random() < 0.6:
        entries = rng.integers(1, one + 1, 2) * rng.choice([-1, 1], 2)
        rows, g = g[:1], np.stack([g[0], g[0]])
    read = g.any(axis=1) * heads
    v = entries[:, None] * g * heads
    total = features.sums @ v.T if heads else np.zeros((len(features.scale), 2))
    total = total + one * features.scale[:, None] * (features.last @ s.T + b)
    norms = (
        np.linalg.norm(rows) * heads / one,
        float(((entries / one) ** 2 * read).sum()),
        np.linalg.norm(s) / one,
        np.linalg.norm(b) / one,
    )
    return (total > 0).T, norms


def pair_cost(norms, point, costs):
    """rank_V + ‖V‖ + ‖A‖ + ‖b‖ with at least the rank of a head."""
    norm_V, square, norm_s, norm_b = norms
    own = (float(min(costs.heads, 1)), norm_V, math.sqrt(square + norm_s**2), norm_b)
    adding = costs.aggregate is Aggregate.SUM
    return sum(a + b if adding else max(a, b) for a, b in zip(point, own, strict=True))


def wrongly_excluded(kind, aggregate, seeds):
    """How many right pairs within the budget are excluded, and lists in all."""
    wrong = number = 0
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 3])
        precision, point = seed % 3, np.zeros((1, 4)) if seed % 4 else drawn_costs(rng)
        inputs, _, _ = drawn_inputs(rng, 2, 5, 1, int(rng.integers(0, 2)), True)
        heads = () if kind is None else (drawn_pattern(rng, inputs.size, precision, kind),)
        features = inputs.top(heads, precision)
        drawn = [drawn_pair(rng, features, precision) for _ in range(20)]
        # Both units count, and where there is a head they read it.
        drawn = [
            (units, norms)
            for units, norms in drawn
            if len(set(map(tuple, units.T.tolist()))) > 2 and (norms[1] or not heads)
        ]

        none_left = LastCosts.of([point], 0.0, len(heads), aggregate)
        priced = [
            (min(pair_cost(norms, row, none_left) for row in point.tolist()), k)
            for k, (_, norms) in enumerate(drawn)
        ]
        if not priced:
            continue
        least, cheapest = min(priced)
        literals = drawn[cheapest][0] ^ rng.integers(0, 2, 2)[:, None].astype(bool)
        pool = PairExclusion(literals.all(axis=0) ^ bool(rng.integers(2)), precision)
        for part in (0.75, 1.0, 0.9, 1.0):
            costs = LastCosts.of([point], part * least, len(heads), aggregate)
            hit = excluded(pool, features, costs)
            wrong += hit and part == 1.0
            number += hit
    return wrong, number


@pytest.mark.thinned(3)
@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("kind", [None, "uniform", "phi"])
def test_a_right_pair_is_never_excluded(kind, aggregate):
    wrong, number = wrongly_excluded(kind, aggregate, few(15, 90))
    assert not wrong
    assert number > 2


def test_units_that_share_a_channel_have_a_finer_grid(monkeypatch):
    """An entry ½ of A halves what t is a multiple of: without that, right pairs would be excluded."""
    of = case_splits.Reads.of

    def coarse(precision, heads):
        reads = of(precision, heads)
        return case_splits.Reads(reads.entries, np.full_like(reads.multiples, 0.5**precision))

    monkeypatch.setattr(case_splits.Reads, "of", coarse)
    assert wrongly_excluded("uniform", Aggregate.MAX, 30)[0]


def test_either_literal_may_fail():
    """On the second word ¬u2 fails for less than u1: u1 = [x > 0], u2 = [x > 1], which share a channel."""
    nothing = np.zeros((2, 1), dtype=np.int64)
    features = Features(np.array([[1], [2]]), nothing, np.ones(2, dtype=np.int64))
    for budget, split in ((1 + 1 + math.sqrt(2) + 1, False), (3.0, True)):
        costs = LastCosts.of([np.zeros((1, 4))], budget, 1, Aggregate.MAX)
        found = Splitting(features, np.array([True, False]), (1, -1), 0, costs).find()
        assert (found is not None) == split


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_what_large_entries_allow_is_a_maximum(aggregate):
    """Against random layers within the budget: none has more, and some come close."""
    rng = np.random.default_rng(5)
    for _ in range(few(10, 40)):
        alpha, gamma, delta = rng.random((3, 1, 1)) * (rng.random((3, 1, 1)) < 0.8)
        point, budget, square = drawn_costs(rng)[:1], 4 + 4 * rng.random(), 1 + 2 * rng.random()
        costs = LastCosts.of([point], budget, 1, aggregate)
        most = float(most_by_large_entries(alpha, gamma, delta, costs, square)[0, 0])
        best = -math.inf
        for V, A, norm_b in rng.random((3000, 3)) * budget * (rng.random((3000, 3)) < 0.8):
            A, angle = max(A, math.sqrt(square)), rng.random() * math.pi / 2
            C = max(A * math.cos(angle), math.sqrt(square))
            norm_s = math.sqrt(max(A**2 - C**2, 0.0))
            if pair_cost((V, C**2, norm_s, norm_b), point[0].tolist(), costs) <= budget:
                best = max(best, float(alpha[0, 0] * V * C + gamma[0, 0] * norm_s + delta[0, 0] * norm_b))
        assert best <= most + 1e-6


#: Languages, lengths to be right on, and R, for two units of a single layer.
PAIRS = {"alternating": ("(ab)*", 3, 9.6)}


def found_pairs(name, mode):
    """What structures with two last units give: structure, R, fail, outputs; and how much was looked at."""
    regex, consistent, high = PAIRS[name]
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    bounds = small_space(layers=1, units=2, precision=1, max_r=high)
    search = Search(target, bounds, 8)
    reached = [s for s in search.reached(high, mode) if s.layers[-1].units == 2]
    found = [
        (batch.structure, round(float(r), 9), int(fail), outputs.tobytes())
        for low, end in ((0.0, high - 0.4), (high - 0.4, high))
        for batch in search.slice(low, end, consistent, mode, reached)
        for r, fail, outputs in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found, key=repr), search.counts.enumerated


@pytest.mark.parametrize("name", PAIRS)
def test_splits_lose_nothing(name):
    plain = {
        "use_hard_words": False,
        "use_headless_bound": False,
        "use_confusion": False,
        "use_alternation": False,
    }
    want, looked_at = found_pairs(name, Mode(use_certificates=False, **plain))
    found, less = found_pairs(name, Mode(certified_above=0.0, **plain))
    assert found == want
    assert want
    assert less < looked_at


@pytest.mark.parametrize("name", PAIRS)
def test_units_that_serve_each_other_are_all_pairs(name, monkeypatch):
    plain = {"use_headless_bound": False, "use_confusion": False, "use_alternation": False}
    found, _ = found_pairs(name, Mode(use_certificates=False, **plain))
    monkeypatch.setattr(ReadingScreen, "kinds", lambda self: (self,))
    assert found_pairs(name, Mode(use_certificates=False, **plain))[0] == found


def test_a_split_comes_back_under_the_indices_of_other_words():
    target = random_target(np.random.default_rng(2), 2)
    short = ShortWords.of(target, 4)
    weights = np.array([[[5, -7], [0, 3]], [[1, 0], [2, -2]]])
    used = ((), (), (), ((CaseSplit(np.array([1, 3]), weights), 4),), (), (), (), ())
    learned = SharedCertificates()
    learned.learn(share_certificates(used, short))
    assert learned.known(short, len(short.labels)) == ((), ())
    more = ShortWords.and_prefixes(target, [(0,) * 6, *(short.word(k) for k in range(len(short.labels)))])
    none, (again,), *others = learned.known_splits(more, len(more.labels))
    assert [more.word(k) for k in again.words] == [short.word(1), short.word(3)]
    assert (again.weights == weights).all()
    assert not none
    assert not any(others)
