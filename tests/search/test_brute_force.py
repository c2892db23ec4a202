"""The judge is judged: answers by the reference, R by the dense matrices, the loops by random hypotheses."""

import dataclasses
import math
import random
from fractions import Fraction

import pytest

from idinf.base.words import words_up_to
from idinf.nets.attention import AttentionPattern
from idinf.nets.dense import Layer
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.reference import accepts
from idinf.nets.regularizer import Aggregate, compute_r_terms
from tests.search.brute_force import Entry, Space, expected, hypotheses
from tests.search.nested_loops import EPS, ball, normal_form, patterns_of, readers
from tests.search.test_against_brute_force import brute_table
from tests.search.tiny_spaces import (
    CASES,
    is_seen,
)
from tests.search.tiny_targets import A

#: One of each kind; the others take as long again as the comparison itself.
QUICK = (
    "local",
    "local-in-both-sum",
    "content-above",
    "period-2-letters",
    "one-unit-two-heads",
    "two-heads-half",
    "three-units-shared",
    "two-outputs-above",
)

FEATURE_CASES = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name, case in CASES.items()
    if case.uses
]


def dense(hypothesis: OneHotTransformer) -> LimitTransformer:
    """The dense realisation, with logits and positions written out here once more."""
    plain = hypothesis.to_dense()
    width, p = plain.width, hypothesis.precision

    def row(entries):
        return tuple(Fraction(entries.get(k, 0)) for k in range(width))

    layers = []
    for number, layer in enumerate(plain.layers):
        heads = []
        for place, head in enumerate(layer.heads):
            pattern = hypothesis.layers[number].heads[place].pattern
            phi = tuple(Fraction(x, 2**p) for x in pattern.phi)
            K = tuple(row({k: 1}) for k in range(hypothesis.num_features(number)))
            Q = tuple(row({q: Fraction(x, 2**p) for q, x in enumerate(r)}) for r in pattern.logits)
            heads.append(dataclasses.replace(head, K=K if Q else head.K, Q=Q or head.Q, phi=phi))
        layers.append(Layer(tuple(heads), layer.mlp))
    residues = 1 + len(hypothesis.alphabet)
    period = hypothesis.period
    positions = tuple(row({residues + k: 1}) for k in range(period)) if period > 1 else plain.positions
    return dataclasses.replace(plain, layers=tuple(layers), positions=positions)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", FEATURE_CASES)
def test_case_shows_its_feature(name):
    """Its hypotheses are those of the reference, and without those that use the feature a report differs."""
    case = CASES[name]
    entries = brute_table(name)
    sample = random.Random(name).sample(entries, min(20_000, len(entries)))
    using = [e for e in sample if case.uses(e.hypothesis)]
    for entry in using[:4]:
        check_by_reference(entry, case)
    end = end_of_search(entries, case)
    entries = [e for e in entries if e.r <= end + EPS]
    ignoring = [e for e in entries if not case.uses(e.hypothesis)]
    assert any(report_of(entries, n, case) != report_of(ignoring, n, case) for n in range(1, case.max_n + 1))


def check_by_reference(entry: Entry, case) -> None:
    """R from the matrices, answers from the forward pass, and the place in the total order."""
    words = list(words_up_to(len(case.target.alphabet), min(2 * case.max_n, 4)))
    transformer = dense(entry.hypothesis)
    assert compute_r_terms(transformer, Aggregate(case.aggregate)).total == pytest.approx(entry.r, abs=EPS)
    assert [accepts(transformer, w) for w in words] == list(entry.answers[: len(words)])
    place = (transformer.depth, transformer.num_heads, transformer.precision, transformer.period)
    assert entry.key == (*place, transformer.reach, transformer.num_units)


def end_of_search(entries: list[Entry], case) -> float:
    """R up to which a run looks: the stop bound, or the budget while some n has no consistent hypothesis."""
    ends = [
        min((e.r for e in entries if e.fail is None or e.fail > n), default=math.inf) + 1 / (2 * n)
        for n in range(1, case.max_n + 1)
    ]
    return min(max(ends), case.space.max_r)


def report_of(entries: list[Entry], n: int, case) -> tuple:
    """R*_n, the number of selected functions as far as a report promises it, the worst fail and its word."""
    want = expected(entries, n, case.target.alphabet, case.target.label, 2 * case.max_n)
    return want.r_star and round(want.r_star, 8), want.bad or want.selected, want.worst, want.word


def test_number_of_patterns():
    # φ(0), φ(1) from {0, 1/2, 1}: 9 tuples, of which 3 lose a trailing zero and stay distinct.
    assert len(patterns_of(2, 1, 1, 1, 0, 9.0)) == 9
    # M over 2 features from {0, 1}: 16 matrices, times φ(0) from {0, 1}.
    assert len({x[0] for x in patterns_of(2, 0, 0, 1, 1, 9.0)}) == 32
    # Norm at most 1: zero, four with one 1, two permutations.
    assert len(patterns_of(2, 0, 0, 0, 1, 1.0)) == 7
    assert [x[0].phi for x in patterns_of(2, 0, 1, 1, 0, 1.0)] == [(), (0, 1), (1,)]
    assert sum(is_seen(x[0]) for x in patterns_of(2, 0, 0, 0, 1, 1.0)) == 4


def test_number_of_ways_to_read_a_head():
    # Partitions of the subsets of m units, without the empty one: Bell numbers of m + 1 less 1.
    assert [len(list(readers(m))) for m in (1, 2, 3, 4)] == [1, 4, 14, 51]
    assert len(ball(2, 4)) == 13


def test_one_layer_by_hand():
    # One letter, no head, p = 0, R <= 5: L, ‖E‖, ‖B‖, ‖U‖ cost 4, so s or b has one entry ±1 or none has.
    space = Space(1, 0, 1, 0, 5.0)
    assert len(list(hypotheses(space, A, "max", 2))) == 1 + 4 + 2
    # Δ = 2 costs 3 more and adds two features.
    space = Space(1, 0, 1, 0, 8.0, period=2, periods=(2,))
    assert len(list(hypotheses(space, A, "max", 2))) == 1 + 8 + 2


def drawn(rng: random.Random, space: Space) -> OneHotTransformer:
    """A random hypothesis of the shapes of a space, small entries preferred."""
    p = rng.choice(space.precisions or range(space.precision + 1))
    period = rng.choice(space.periods or range(1, space.period + 1))
    one, layers, features = 2**p, [], 2 + (period if period > 1 else 0)
    for heads, units in rng.choice(space.shapes):
        groups = [rng.choice(list(readers(units))) for _ in range(heads)]
        reads: list[list[tuple[int, int, int]]] = [[] for _ in range(units)]
        built = []
        for h, each in enumerate(groups):
            for g, group in enumerate(each):
                for unit in group:
                    entry = one if len(group) == 1 else rng.choice((-1, 1))
                    reads[unit].append((h, g, entry))
            built.append(
                OneHotHead(tuple(sparse(rng, features) for _ in each), pattern(rng, space, p, features))
            )
        own = [tuple(rng.choices((0, 1, -1), (20, 1, 1), k=features)) for _ in range(units)]
        biases = rng.choices((0, 1, -1), (12, 1, 1), k=units)
        net = (OneHotUnit(tuple(r), s, b) for r, s, b in zip(reads, own, biases, strict=True))
        layers.append(OneHotLayer(tuple(built), tuple(net)))
        features += units
    return OneHotTransformer(A, p, tuple(layers), (1,) * len(layers[-1].units), 0, period)


def sparse(rng: random.Random, features: int) -> tuple[int, ...]:
    """A vector that is not zero."""
    vector = rng.choices((0, 1, -1), (10, 1, 1), k=features)
    vector[rng.randrange(features)] = rng.choice((1, -1))
    return tuple(vector)


def pattern(rng: random.Random, space: Space, p: int, features: int) -> AttentionPattern:
    """A random pattern within the bounds of a space."""
    most = space.content_max * 2**p
    logits = tuple(
        tuple(rng.randint(0, most) if rng.random() < 0.15 else 0 for _ in range(features))
        for _ in range(features)
    )
    phi = [rng.choice((0, 0, rng.randint(0, space.logit_max * 2**p))) for _ in range(space.reach + 1)]
    while phi and not phi[-1]:
        phi.pop()
    drawn = AttentionPattern(logits if any(map(any, logits)) else (), tuple(phi))
    return normal_form(drawn, 1 + len(A), 2**p)
