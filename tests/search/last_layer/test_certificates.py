"""Certificates: never a right unit excluded, bounds as good as a convex solver's, conflicts included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.last_layer import certificates as exclusion
from idinf.search.last_layer.certificates import (
    FIRST_WORDS,
    Certificate,
    Exclusion,
    LastCosts,
    coefficients,
    least_costs,
)
from idinf.search.short_words.features import Features
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.search.random_features import drawn_inputs, drawn_pattern
from tests.spaces import small_space

KINDS = [(), ("uniform",), ("phi",), ("uniform", "phi"), ("phi", "M")]

AGGREGATES = [Aggregate.MAX, Aggregate.SUM]


def costs_over(lists, budget, heads, aggregate):
    """Costs over lists with given Pareto points, (F, 4) each."""
    return LastCosts(np.concatenate(lists), np.array([*map(len, lists)]), budget, heads, aggregate)


def cost(norm_V, norm_s, norm_b, point, costs):
    """rank_V + ‖V‖ + ‖A‖ + ‖b‖ of a hypothesis, by Definition 5 of [HYB25]."""
    heads, adding = costs.heads, costs.aggregate is Aggregate.SUM
    own = (float(heads if adding else min(heads, 1)), norm_V, math.hypot(math.sqrt(heads), norm_s), norm_b)
    return sum(a + b if adding else max(a, b) for a, b in zip(point, own, strict=True))


class Read:
    """What a unit reads over some lists of lower units, here given as features."""

    def __init__(self, *every):
        self.every = every

    def on(self, words, places):
        return [self.every[k].take(words) for k in places]

    def alone(self, place):
        return self.every[place]


def excluded(pool, features, costs):
    """Whether a pool excludes one list of lower units."""
    return bool(pool.excluded(Read(features), costs)[0])


def drawn_costs(rng):
    """Pareto points of lower layers."""
    lower_costs = np.abs(rng.normal(size=(rng.integers(1, 3), 4)))
    lower_costs[:, 0] = rng.integers(0, 3, len(lower_costs))
    return lower_costs


@pytest.mark.thinned(10)
@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("heads", [0, 1, 2])
def test_least_cost_is_that_of_a_solver(heads, aggregate):
    rng = np.random.default_rng([heads, aggregate is Aggregate.SUM])
    for _ in range(few(8, 25)):
        gain, alpha, gamma, delta = rng.random(4) * (3, heads > 0, 1, 1) * (rng.random(4) < 0.8)
        costs = costs_over([drawn_costs(rng)[:1]], 99.0, heads, aggregate)
        point = costs.lower_costs[0].tolist()
        bound = float(least_costs(gain, alpha, gamma, delta, costs.lower_costs[0], heads, aggregate))
        if gain and not alpha + gamma + delta:
            assert bound == math.inf
            continue
        best = min(solved_cost(np.array([alpha, gamma, delta]), gain, point, costs), 1e9)
        best = min(best, *grid_cost(gain, alpha, gamma, delta, point, costs))
        assert bound <= best + 1e-7
        assert bound >= best - 0.02, (gain, alpha, gamma, delta, point)


def solved_cost(slopes, gain, point, costs):
    """The least cost that a local solver finds from right points on the axes."""
    best = math.inf
    for start in np.eye(3)[slopes > 0]:
        x = start * gain / max(start @ slopes, 1e-9)
        for _ in range(3):
            x = minimize(
                lambda x: cost(*x, point, costs),
                x,
                method="SLSQP",
                bounds=[(0, None)] * 3,
                constraints={"type": "ineq", "fun": lambda x: x @ slopes - gain},
            ).x
        if x @ slopes >= gain - 1e-9:
            best = min(best, cost(*x, point, costs))
    return best


def grid_cost(gain, alpha, gamma, delta, point, costs):
    """Costs of right points: norms of s and b on a grid, ‖V‖ then as small as it may be."""
    for norm_s in np.linspace(0, 4, 81):
        for norm_b in (0.0, point[3], max(0.0, (gain - gamma * norm_s) / delta) if delta else 0.0):
            missing = gain - gamma * norm_s - delta * norm_b
            if missing <= 0 or alpha:
                yield cost(max(0.0, missing / alpha) if alpha else 0.0, norm_s, norm_b, point, costs)
    yield math.inf


def drawn_case(rng, kinds, precision, aggregate):
    """Features of random words, with and without one more lower unit; a random unit's answers and norms."""
    inputs, _, _ = drawn_inputs(rng, 2, 4, int(rng.integers(1, 3)), int(rng.integers(0, 3)), True)
    heads = tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in kinds)
    features = inputs.top(heads, precision)
    v = rng.integers(-2, 3, (len(heads), features.size)) * (rng.random((len(heads), features.size)) < 0.6)
    s = rng.integers(-2, 3, features.size) * (rng.random(features.size) < 0.5)
    b = int(rng.integers(-2, 3))
    ones = features.sums @ v.reshape(-1) + features.scale * (features.last @ s + b) > 0
    norms = np.linalg.norm(v, axis=1) * 0.5**precision
    norm_V = float(norms.sum() if aggregate is Aggregate.SUM else norms.max(initial=0.0))
    larger = inputs.extend(rng.random((1, len(inputs.tree))) < 0.5)
    wider = tuple(AttentionPattern(_padded(head.logits), head.phi) for head in heads)
    every = (features, larger.top(wider, precision))
    return every, ones, (norm_V, float(np.linalg.norm(s)) * 0.5**precision, abs(b) * 0.5**precision)


def _padded(logits):
    return (*((*row, 0) for row in logits), (0,) * (len(logits) + 1)) if logits else ()


@pytest.mark.thinned(18)
@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
def test_a_right_unit_is_never_excluded(kinds, aggregate):
    number = 0
    for seed in range(few(10, 40)):
        rng = np.random.default_rng([seed, len(kinds)])
        precision, lower_costs = seed % 2, drawn_costs(rng)
        every, ones, norms = drawn_case(rng, kinds, precision, aggregate)
        heads = len(kinds)
        least = min(
            cost(*norms, point, costs_over([lower_costs], 0.0, heads, aggregate))
            for point in lower_costs.tolist()
        )
        pool = Exclusion(ones ^ bool(rng.integers(2)), precision)
        for _ in range(2):  # what the pool has learned on one list of features is used on the other
            for features in every:
                assert not excluded(pool, features, costs_over([lower_costs], least, heads, aggregate))
                number += excluded(pool, features, costs_over([lower_costs], 0.7 * least, heads, aggregate))
        pool = Exclusion(ones ^ (rng.random(len(ones)) < 0.2), precision)
        number += excluded(pool, every[0], costs_over([lower_costs], least, heads, aggregate))
    assert number > few(5, 20)


@pytest.mark.parametrize("label", [True, False])
def test_a_conflict_is_found_where_all_the_shortest_words_have_one_label(label):
    """As in aa*bb*cc*dd*ee*: whatever is 0 everywhere is right on them, so they ask for nothing."""
    number = 3 * FIRST_WORDS
    sums = np.array([[k // 2, 1] for k in range(number)])
    features = Features(sums, np.array([[0, 1]] * number), np.full(number, 3))
    labels = np.full(number, label)
    costs = costs_over([np.zeros((1, 4))], 1e6, 1, Aggregate.MAX)
    assert not excluded(Exclusion(labels, 0), features, costs)
    labels[-1] = not label
    assert excluded(Exclusion(labels, 0), features, costs)


def test_no_bound_from_numbers_beyond_exact_floats():
    """Squares and products would be rounded, so such a certificate says nothing."""
    large = Features(np.array([[2**40], [2**40]]), np.array([[1], [1]]), np.array([2**40, 2**40]))
    weights = Certificate(np.array([0, 1]), np.array([2**20, -(2**20)]))
    assert np.isnan(coefficients([weights], weights.words, [large], Aggregate.MAX)).all()
    costs = costs_over([np.zeros((1, 4))], 0.0, 1, Aggregate.MAX)
    assert not excluded(Exclusion(np.array([True, False]), 0), large, costs)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("precision", [0, 1])
def test_bounds_are_nearly_those_of_a_convex_solver(precision):
    """Against cvxpy, which minimises the norms under all inequalities at once."""
    cvxpy = pytest.importorskip("cvxpy")
    close = 0
    for seed in range(few(3, 6)):
        rng = np.random.default_rng([seed, precision])
        (features, _), ones, _ = drawn_case(rng, ("uniform",), precision, Aggregate.MAX)
        v, s, b = cvxpy.Variable(features.size), cvxpy.Variable(features.size), cvxpy.Variable()
        scale = features.scale
        total = features.sums @ v + cvxpy.multiply(scale, features.last @ s + b)
        right = [total[np.flatnonzero(ones)] >= 0.5**precision] if ones.any() else []
        right += [total[np.flatnonzero(~ones)] <= 0] if not ones.all() else []
        norm_A = cvxpy.norm(cvxpy.hstack([np.ones(1), s]))
        point = [1.0, 0.5**precision, 1.0, 0.0]
        objective = 1.0 + cvxpy.maximum(point[1], cvxpy.norm(v)) + norm_A + cvxpy.abs(b)
        least = cvxpy.Problem(cvxpy.Minimize(objective), right).solve(solver="CLARABEL")
        for factor, wanted in ((1.0 + 1e-6, False), (0.97, True)):
            costs = costs_over([np.array([point])], factor * least, 1, Aggregate.MAX)
            pool = Exclusion(ones, precision)
            found = pool._learned(pool._pools[0], Read(features), np.array([0]), costs) is not None
            assert wanted or not found
            close += wanted and found
    assert close >= few(2, 4)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
def test_lists_together_are_excluded_as_each_alone(kinds, aggregate):
    """By the certificates that were learned: on one list each, or on all at once."""
    number = 0
    for seed in range(few(5, 15)):
        rng = np.random.default_rng([seed, len(kinds), 7])
        (features, _), ones, norms = drawn_case(rng, kinds, 0, aggregate)
        heads = len(kinds)
        several = [drawn_costs(rng) for _ in range(4)]
        budget = float(rng.random()) * 2 * max(norms) + 2.0
        costs = costs_over(several, budget, heads, aggregate)
        pool = Exclusion(ones, 0)
        together = pool.excluded(Read(*[features] * 4), costs)
        for k in range(4):
            assert excluded(Exclusion(ones, 0), features, costs.take(np.array([k]))) == together[k]
        known = tuple(tuple(kept for kept, _ in of_reading) for of_reading in pool.used())
        again = Exclusion(ones, 0, known)
        again._learned = None  # nothing new is needed
        if together.all():
            assert again.excluded(Read(*[features] * 4), costs).all()
            assert sum(times for of_reading in again.used() for _, times in of_reading) == 8
        number += together.sum()
    assert number > few(0, 3)


#: Languages and single layers that are just dear enough: with and without φ, M and residues.
SINGLE_LAYERS = {
    "counts": ("b*ab*ab*a(a|b)*", {}, 4, 10.2),
    "local": ("a*(b|())", {"reach": 1, "logit_max": 1}, 3, 10.4),
    "content": ("(b|ab)*(a|())", {"logit_max": 1, "content_max": 1, "precision": 0}, 2, 9.2),
    "period": ("(aa|ab)*", {"period": 2, "precision": 0}, 3, 12.5),
}

#: Without the shortcuts that leave out whole structures.
PLAIN = {"use_confusion": False}


def single_layers(name, mode):
    """What is found in steps of R, every hypothesis by structure, R, fail and outputs, and how many lists."""
    regex, more, consistent, high = SINGLE_LAYERS[name]
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    bounds = small_space("nope", **{"layers": 1, "units": 1, "precision": 1, "max_r": high, **more})
    search = Search(target, bounds, 6)
    found = [
        (batch.structure, round(float(r), 9), int(fail), outputs.tobytes())
        for low, end in ((0.0, high - 0.9), (high - 0.9, high))
        for batch in search.slice(low, end, consistent, mode)
        for r, fail, outputs in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found, key=repr), search.counts.enumerated


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SINGLE_LAYERS)
def test_certificates_of_single_layers_lose_nothing(name):
    want, looked_at = single_layers(name, Mode(use_certificates=False, **PLAIN))
    found, less = single_layers(name, Mode(certified_above=0.0, **PLAIN))
    assert found == want
    assert want
    assert less < looked_at


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("regex", "layers", "high"), [("b*ab*ab*a(a|b)*", 1, 10.2), ("a*b*a*", 3, 10.3)])
def test_bounds_in_blocks_of_any_size_say_the_same(regex, layers, high, monkeypatch):
    """What is found and what it takes, also with several Pareto points of the layers below."""
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    bounds = small_space(layers=layers, units=1, precision=1, max_r=high)
    told = []
    for most in (exclusion.MOST_BOUNDS, 50):
        monkeypatch.setattr(exclusion, "MOST_BOUNDS", most)
        search = Search(target, bounds, 6)
        found = search.slice(0.0, high, 4, Mode(certified_above=0.0, **PLAIN))
        told.append((sorted(float(r) for batch in found for r in batch.r), search.counts))
    assert told[0] == told[1]
    assert told[0][1].lower_layers


def test_certificates_that_promise_too_much_are_noticed(monkeypatch):
    want, _ = single_layers("counts", Mode(use_certificates=False, **PLAIN))
    monkeypatch.setattr(exclusion, "SLACK", -0.3)
    assert single_layers("counts", Mode(certified_above=0.0, **PLAIN))[0] != want
