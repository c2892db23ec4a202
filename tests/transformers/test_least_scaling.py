"""Scaled realisations: the same logits up to a factor, and the least R, beside nested loops."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import idinf
from idinf.errors import BudgetError, PrecisionError
from idinf.transformers import least_scaling, reference
from idinf.transformers.dense import Activation, DenseTransformer, Head, Layer, Mlp, matrix, vector
from idinf.transformers.least_scaling import find_least_scaling
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import Aggregate, compute_r_terms
from idinf.transformers.scaling import Scaling, power
from idinf.words import Alphabet, words_up_to
from tests.compilation.random_hypotheses import random_hypothesis
from tests.ordinary.nets import random_net

#: Figures found by hand, with an exponent for each kind of matrix; a threshold may be a fraction.
FIGURES = {
    "specs/known/abab-star.json": 12.368545,
    "specs/known/anbncn.json": 9.442214,
    "specs/known/d-12.json": 9.664214,
}


def total(net: DenseTransformer, aggregate: Aggregate = Aggregate.MAX) -> float:
    return compute_r_terms(net, aggregate).total


def assert_same_answers(net: LimitTransformer, scaled: LimitTransformer, longest: int = 3) -> None:
    """All logits are those of before times one power of two, and so is the threshold."""
    factors = set()
    for word in words_up_to(len(net.alphabet), longest):
        old, new = reference.trace(net, word), reference.trace(scaled, word)
        assert (old.accepted, old.next_symbols) == (new.accepted, new.next_symbols)
        pairs = [*zip(old.logits, new.logits, strict=True), (net.threshold, scaled.threshold)]
        factors |= {Fraction(b) / Fraction(a) for a, b in pairs if a}
        assert all(not b for a, b in pairs if not a)
    assert len(factors) <= 1


@pytest.mark.parametrize(("path", "r"), FIGURES.items())
def test_known_hypotheses_cost_no_more_than_by_hand(path: str, r: float) -> None:
    net = idinf.hypothesis(path).transformer
    scaled = find_least_scaling(net)
    assert total(scaled) <= r + 1e-6
    assert_same_answers(net, scaled)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(9))
def test_outputs_can_stay_what_they_were(seed: int) -> None:
    net = random_hypothesis(seed, largest=1).to_dense()
    kept = find_least_scaling(net, same_outputs=True)
    assert kept.threshold == net.threshold
    assert total(find_least_scaling(net)) <= total(kept) + 1e-9 <= total(net) + 2e-9
    for word in words_up_to(len(net.alphabet), 3):
        assert reference.trace(kept, word).logits == reference.trace(net, word).logits


@pytest.mark.parametrize(
    ("name", "fraction", "whole"), [("majority", 6.353553391, 7.707106781), ("tomita-1", 6.25, 7.5)]
)
def test_complements_cost_less_if_the_threshold_is_a_fraction(
    name: str, fraction: float, whole: float
) -> None:
    net = idinf.compile(name).transformer
    assert total(find_least_scaling(net)) == pytest.approx(fraction, abs=1e-8)
    kept = find_least_scaling(net, whole_threshold=True)
    assert (total(kept), kept.threshold) == (pytest.approx(whole, abs=1e-8), -1)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(5, 25))
def test_random_hypotheses_answer_as_before(seed: int) -> None:
    net = random_hypothesis(seed, matrices=0.3).to_dense()
    for aggregate in Aggregate:
        scaled = find_least_scaling(net, aggregate)
        assert total(scaled, aggregate) <= total(net, aggregate) + 1e-9
        assert_same_answers(net, scaled)


@pytest.mark.parametrize("name", ["majority", "dyck-1", "contains-ab", "aa-star"])
def test_relu_units_and_shared_streams_answer_as_before(name: str) -> None:
    net = idinf.program(name).compile(direct=True).transformer
    scaled = find_least_scaling(net)
    assert total(scaled) < total(net)
    assert_same_answers(net, scaled)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.integers(0, 1 << 30))
def test_any_exponents_leave_the_logits(data: int) -> None:
    """Not only the best ones: every choice of exponents multiplies all logits by 2^u."""
    rng = random.Random(data)
    net = random_hypothesis(rng.randrange(1 << 30), matrices=0.3).to_dense()
    scaling = Scaling(net)
    assert scaling.keeps_weights()
    exponents = [0, *(rng.randint(-3, 3) for _ in range(scaling.size - 1))]
    made = scaling.apply(exponents, net.precision + 10)
    for word in words_up_to(2, 2):
        old, new = reference.trace(net, word).logits, reference.trace(made, word).logits
        assert new == tuple(power(exponents[scaling.unembedding]) * logit for logit in old)


def nested_loops(net: DenseTransformer, aggregate: Aggregate, whole: bool, width: int, most_p: int) -> float:
    """The least R by all exponents in a box and every p up to a bound, each net written down."""
    scaling = Scaling(net)
    best = total(net, aggregate)
    precisions = range(most_p + 1) if scaling.keeps_weights() else [net.precision]
    used = sorted({part.group for part in scaling.parts()})
    for p in precisions:
        for chosen in itertools.product(range(-width, width + 1), repeat=len(used)):
            exponents = [0] * scaling.size
            for group, x in zip(used, chosen, strict=True):
                exponents[group] = x
            try:
                made = scaling.apply(exponents, p)
            except PrecisionError:
                continue
            if not whole or isinstance(made.threshold, int):
                best = min(best, total(made, aggregate))
    return best


def tiny_net(seed: int) -> LimitTransformer:
    """One layer with at most one head and two units, coordinates shared at random, p = 0."""
    rng = random.Random(seed)
    d = rng.randint(1, 2)

    def rows(count: int, width: int) -> list[list[int]]:
        return [[rng.choice([0, 0, 1, -1, 2]) for _ in range(width)] for _ in range(count)]

    zero = [[0] * d]
    K, Q = (rows(1, d), rows(1, d)) if seed % 3 == 0 else (zero, zero)
    heads = (Head(matrix(K), matrix(Q), matrix(rows(d, d))),) if rng.random() < 0.7 else ()
    units = rng.randint(0, 2)
    kinds = tuple(rng.choice([*Activation]) for _ in range(units))
    mlp = Mlp(
        matrix(rows(units, d)),
        vector(rng.choice([0, 1]) for _ in range(units)),
        matrix(rows(d, units)),
        kinds,
    )
    return LimitTransformer(
        Alphabet(("a",)), 0, matrix(rows(2, d)), matrix(zero), (Layer(heads, mlp),), matrix(rows(1, d)),
        threshold=rng.choice([0, 0, -1, 2]),
    )  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(24))
def test_nothing_is_less_by_nested_loops(seed: int) -> None:
    net = tiny_net(seed)
    for whole in (False, True):
        aggregate = [*Aggregate][seed % 2]
        found = find_least_scaling(net, aggregate, whole)
        assert total(found, aggregate) <= nested_loops(net, aggregate, whole, 2, 2) + 1e-9
        assert_same_answers(net, found)


def test_the_least_one_is_not_found_again_for_less() -> None:
    once = find_least_scaling(idinf.compile("dyck-1").transformer)
    assert find_least_scaling(once) == once


def test_p_stays_where_a_weight_would_change() -> None:
    """N^(1/2) is rounded in another way on another grid."""
    net = idinf.compile("contains-ab", precision=1).transformer
    assert Scaling(net).keeps_weights()
    (head, *_), phi = net.layers[0].heads, vector([0, Fraction(1, 2)])
    layer = replace(net.layers[0], heads=(replace(head, phi=phi), *net.layers[0].heads[1:]))
    net = replace(net, layers=(layer, *net.layers[1:]))
    assert not Scaling(net).keeps_weights()
    assert find_least_scaling(net).precision == 1


def test_a_logit_of_an_average_is_noticed() -> None:
    """An average is no natural number, so logits that read one are rounded; p stays."""
    one = matrix([[1, 0], [0, 0]])
    uniform = Layer(
        (Head(matrix([[0, 0]]), matrix([[0, 0]]), matrix([[0, 0], [1, 0]])),), Mlp((), (), ((), ()), ())
    )
    asks = Layer(
        (Head(matrix([[0, 1]]), matrix([[0, 1]]), matrix([[0, 0], [0, 0]])),), Mlp((), (), ((), ()), ())
    )
    reads = replace(asks, heads=(Head(matrix([[1, 0]]), matrix([[1, 0]]), matrix([[0, 0], [0, 0]])),))
    made = [
        LimitTransformer(Alphabet(("a",)), 0, one, matrix([[0, 0]]), (uniform, last), matrix([[0, 1]]))
        for last in (asks, reads)
    ]
    assert [Scaling(net).keeps_weights() for net in made] == [False, True]


def test_a_factor_at_a_wrong_place_is_caught() -> None:
    """The comparison with the reference can fail: without S, ReLU units answer 2^a times as much."""
    net = idinf.program("majority").compile(direct=True).transformer
    scaled = find_least_scaling(net)
    B = tuple(tuple(2 * entry for entry in row) for row in scaled.layers[-1].mlp.B)
    last = replace(scaled.layers[-1], mlp=replace(scaled.layers[-1].mlp, B=B))
    with pytest.raises(AssertionError):
        assert_same_answers(net, replace(scaled, layers=(*scaled.layers[:-1], last)))


@pytest.mark.parametrize("seed", range(12))
def test_ordinary_transformers_are_scaled_as_well(seed: int) -> None:
    net = random_net(random.Random(seed), p=seed % 2)
    scaled = find_least_scaling(net)
    assert total(scaled) <= total(net) + 1e-9
    for word in words_up_to(1, 2):
        assert reference.accepts(scaled, word) == reference.accepts(net, word)


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(least_scaling, "MOST_STATES", 30)
    with pytest.raises(BudgetError, match="more than 30 states"):
        find_least_scaling(idinf.compile("tomita-7").transformer, whole_threshold=True)
