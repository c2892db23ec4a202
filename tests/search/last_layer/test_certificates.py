"""Certificates: never a right unit excluded, bounds as good as a convex solver's, conflicts included."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.search.enumeration import Search
from idinf.search.last_layer import certificates as exclusion
from idinf.search.last_layer.certificates import FIRST_WORDS, Certificate, Exclusion, coefficients
from idinf.search.short_words.features import Features
from idinf.search.slice_types import Mode
from idinf.space.corners import Corners
from idinf.space.structures import LayerShape, Structure
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.search.random_features import drawn_inputs, drawn_pattern
from tests.spaces import small_space

KINDS = [(), ("uniform",), ("phi",), ("uniform", "phi"), ("phi", "M")]

#: What is below this corner may have any norms.
ANYTHING = Corners.maximal([(9.0, 1e6, 1e6, 1e6)])


def corner(norm_V, norm_s, norm_b, heads, point=(0.0, 0.0, 0.0, 0.0)):
    """rank_V, ‖V‖, ‖A‖ and ‖b‖ of one last unit over lower layers at a point of cost."""
    own = float(min(heads, 1)), norm_V, math.hypot(math.sqrt(heads), norm_s), norm_b
    return tuple(map(max, point, own))


@dataclass
class Read:
    """Lower layers by what a last unit reads over them, with their points of cost."""

    features: Features
    lower_costs: np.ndarray = field(default_factory=lambda: np.zeros((1, 4)))

    def read_by_last(self, structure, words):
        return self.features.take(words)


def excluding(labels, precision, heads, corners, known=((), ())):
    """What excludes lower layers of a structure whose last unit has so many heads."""
    return Exclusion(labels, Structure((LayerShape((UNIFORM,) * heads, 1),), precision), corners, known)


def excluded(pool, *lower):
    """Whether a pool excludes lower layers with given features, and points of cost or none."""
    return bool(pool.excluded([Read(*lower)])[0])


def drawn_costs(rng):
    """Pareto points of lower layers."""
    lower_costs = np.abs(rng.normal(size=(rng.integers(1, 3), 4)))
    lower_costs[:, 0] = rng.integers(0, 3, len(lower_costs))
    return lower_costs


def drawn_case(rng, kinds, precision):
    """Features of random words, with and without one more lower unit; a random unit's answers and norms."""
    inputs, _, _ = drawn_inputs(rng, 2, 4, int(rng.integers(1, 3)), int(rng.integers(0, 3)), True)
    heads = tuple(drawn_pattern(rng, inputs.size, precision, kind) for kind in kinds)
    features = inputs.top(heads, precision)
    v = rng.integers(-2, 3, (len(heads), features.size)) * (rng.random((len(heads), features.size)) < 0.6)
    s = rng.integers(-2, 3, features.size) * (rng.random(features.size) < 0.5)
    b = int(rng.integers(-2, 3))
    ones = features.sums @ v.reshape(-1) + features.scale * (features.last @ s + b) > 0
    norms = np.linalg.norm(v, axis=1) * 0.5**precision
    norm_V = float(norms.max(initial=0.0))
    larger = inputs.extend(rng.random((1, len(inputs.tree))) < 0.5)
    wider = tuple(AttentionPattern(_padded(head.logits), head.phi) for head in heads)
    every = (features, larger.top(wider, precision))
    return every, ones, (norm_V, float(np.linalg.norm(s)) * 0.5**precision, abs(b) * 0.5**precision)


def _padded(logits):
    return (*((*row, 0) for row in logits), (0,) * (len(logits) + 1)) if logits else ()


@pytest.mark.thinned(9)
@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
def test_a_right_unit_is_never_excluded(kinds):
    number = 0
    for seed in range(few(10, 40)):
        rng = np.random.default_rng([seed, len(kinds)])
        precision, lower_costs = seed % 2, drawn_costs(rng)
        every, ones, norms = drawn_case(rng, kinds, precision)
        heads, wrong = len(kinds), rng.random(len(ones)) < 0.2
        one = corner(*norms, heads, lower_costs[-1])
        less = corner(*(norm / 4 for norm in norms), heads)
        fits, short = Corners.maximal([one]), Corners.maximal([less])
        of_ones = ones ^ bool(rng.integers(2))
        pools = [excluding(of_ones, precision, heads, corners) for corners in (fits, short)]
        for _ in range(2):  # what a pool has learned on one list of features is used on the other
            for features in every:
                assert not excluded(pools[0], features, lower_costs)
                number += excluded(pools[1], features)
        pool = excluding(ones ^ wrong, precision, heads, fits)
        number += sum(excluded(pool, features, lower_costs) for features in every)
    assert number > few(5, 20)


@pytest.mark.parametrize("label", [True, False])
def test_a_conflict_is_found_where_all_the_shortest_words_have_one_label(label):
    """As in aa*bb*cc*dd*ee*: whatever is 0 everywhere is right on them, so they ask for nothing."""
    number = 3 * FIRST_WORDS
    sums = np.array([[k // 2, 1] for k in range(number)])
    features = Features(sums, np.array([[0, 1]] * number), np.full(number, 3))
    labels = np.full(number, label)
    assert not excluded(excluding(labels, 0, 1, ANYTHING), features)
    labels[-1] = not label
    assert excluded(excluding(labels, 0, 1, ANYTHING), features)


def test_no_bound_from_numbers_beyond_exact_floats():
    """Squares and products would be rounded, so such a certificate says nothing."""
    large = Features(np.array([[2**40], [2**40]]), np.array([[1], [1]]), np.array([2**40, 2**40]))
    weights = Certificate(np.array([0, 1]), np.array([2**20, -(2**20)]))
    assert np.isnan(coefficients([weights], weights.words, [large])).all()
    corners = Corners.maximal([corner(0.0, 0.0, 0.0, 1)])
    assert not excluded(excluding(np.array([True, False]), 0, 1, corners), large)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("precision", [0, 1])
def test_bounds_are_nearly_those_of_a_convex_solver(precision):
    """Against cvxpy, which minimises the sum of the norms under all inequalities at once."""
    cvxpy = pytest.importorskip("cvxpy")
    close = 0
    for seed in range(few(3, 8)):
        rng = np.random.default_rng([seed, precision])
        (features, _), ones, _ = drawn_case(rng, ("uniform",), precision)
        v, s, b = cvxpy.Variable(features.size), cvxpy.Variable(features.size), cvxpy.Variable()
        scale = features.scale
        total = features.sums @ v + cvxpy.multiply(scale, features.last @ s + b)
        right = [total[np.flatnonzero(ones)] >= 0.5**precision] if ones.any() else []
        right += [total[np.flatnonzero(~ones)] <= 0] if not ones.all() else []
        floor = np.array([0.5**precision, 1.0, 0.0])
        norms = (
            cvxpy.maximum(floor[0], cvxpy.norm(v)),
            cvxpy.norm(cvxpy.hstack([np.ones(1), s])),
            cvxpy.abs(b),
        )
        least = cvxpy.Problem(cvxpy.Minimize(sum(norms)), right).solve(solver="CLARABEL")
        best = np.array([float(norm.value) for norm in norms]) - floor
        for factor, wanted in ((1.0 + 1e-4, False), (0.97, True)):
            spare = factor * least - floor.sum()  # of the corners each pays it in another way
            parts = np.vstack([best / max(best.sum(), 1e-9), rng.dirichlet([1.0] * 3, 60)])
            rows = np.column_stack([np.ones(len(parts)), parts * max(spare, 0.0) + floor])
            corners = Corners.maximal([tuple(row) for row in rows.tolist()])
            pool = excluding(ones, precision, 1, corners)
            masks = corners.masks(np.zeros((1, 4)))
            found = pool._learned(pool._pools[0], [Read(features)], np.array([0]), masks) is not None
            assert wanted or not found
            close += wanted and found
    assert close >= few(2, 4)


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
    want, looked_at = single_layers(name, Mode(certified_above=math.inf, **PLAIN))
    found, less = single_layers(name, Mode(certified_above=0.0, **PLAIN))
    assert found == want
    assert want
    assert less < looked_at


def test_certificates_that_promise_too_much_are_noticed(monkeypatch):
    want, _ = single_layers("counts", Mode(certified_above=math.inf, **PLAIN))
    monkeypatch.setattr(exclusion, "ROUNDING", -0.3)
    assert single_layers("counts", Mode(certified_above=0.0, **PLAIN))[0] != want
