from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.transformers.attention import AttentionPattern
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.transformers.reference import accepts
from idinf.transformers.regularizer import Aggregate, compute_r_terms
from idinf.words import Alphabet, words_up_to


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def rounded_power(N, logit, p):
    """round_p(N^(logit / 2^p)) for logit >= 0, half to even, by bisection."""
    root, low, high = 1 << p, -1, N ** ((logit >> p) + 1) << p
    power = 2 ** ((p + 1) * root) * N**logit
    while high - low > 1:
        k = (low + high) // 2
        # (k + 1/2) / 2^p >= N^a, both sides to the power 2^p
        low, high = (low, k) if (2 * k + 1) ** root >= power else (k, high)
    tie = (2 * high + 1) ** root == power
    return Fraction(high + (tie and high % 2), 1 << p)


def accepts_by_definition(net, word):
    """The family's meaning in Fractions: [ Σ_h Σ_j α_h(i,j) v_h·feat_j + s·feat_i + b > 0 ], any pattern."""
    N, p, one = len(word) + 1, net.precision, 1 << net.precision
    features = [
        [int(token == k) for k in range(1 + len(net.alphabet))] for token in (0, *(1 + c for c in word))
    ]
    if net.period > 1:
        features = [f + [int(i % net.period == r) for r in range(net.period)] for i, f in enumerate(features)]
    for layer in net.layers:
        outputs = []
        for i, own in enumerate(features):
            averages = []
            for head in layer.heads:
                M, phi = head.pattern.logits, head.pattern.phi
                logits = [
                    sum(M[x][y] for x in range(len(M)) for y in range(len(M)) if key[x] and own[y])
                    + (phi[i - j] if i - j < len(phi) else 0)
                    for j, key in enumerate(features[: i + 1])
                ]
                weights = [rounded_power(N, logit, p) for logit in logits]
                averages.append(
                    [
                        sum(w * dot(g, f) for w, f in zip(weights, features, strict=False)) / sum(weights)
                        for g in head.channels
                    ]
                )
            units = [
                Fraction(dot(unit.s, own) + unit.b, one)
                + sum(Fraction(c, one) * averages[h][g] / one for h, g, c in unit.reads)
                for unit in layer.units
            ]
            outputs.append([int(value > 0) for value in units])
        features = [f + units for f, units in zip(features, outputs, strict=True)]
    return dot(net.signs, outputs[-1]) > net.threshold


@given(data=st.data())
def test_dense_realisation_means_the_same(networks, data):
    net = data.draw(networks)
    dense = net.to_dense()
    for word in words_up_to(len(net.alphabet), {1: 6, 2: 4, 3: 3}[len(net.alphabet)]):
        assert accepts(dense, word) == accepts_by_definition(net, word), word


def spectral(rows):
    return float(np.linalg.svd(np.array(rows, dtype=float), compute_uv=False)[0])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("aggregate", list(Aggregate))
@given(data=st.data())
def test_R_follows_the_cost_rules_of_the_family(networks, aggregate, data):
    """The terms of R read off heads, channels, patterns and units, without any matrix of the realisation."""
    net = data.draw(networks)
    terms, one = compute_r_terms(net.to_dense(), aggregate).as_dict(), 1 << net.precision
    join = max if aggregate is Aggregate.MAX else sum
    heads = [head for layer in net.layers for head in layer.heads] or [None]
    ranks = [np.linalg.matrix_rank(np.array(head.channels)) if head else 0 for head in heads]
    norms_V = [spectral(head.channels) / one if head else 0 for head in heads]
    norms_KQ = [spectral(head.pattern.logits) / one if head and head.pattern.logits else 0 for head in heads]
    entries = [
        [x for unit in layer.units for x in (*unit.s, *(c for _, _, c in unit.reads))] for layer in net.layers
    ]
    expected = {
        "layers_plus_heads": len(net.layers) + max(len(layer.heads) for layer in net.layers),
        "precision": net.precision,
        "rank_V": join(ranks),
        "norm_KQ": join(norms_KQ),
        "norm_V": join(norms_V),
        "norm_A": join(math.hypot(*row) / one for row in entries),
        "norm_B": join(math.sqrt(len(layer.units)) for layer in net.layers),
        "norm_U": math.sqrt(len(net.signs)),
        "norm_p": float(net.period > 1),
        "norm_E": 1,
        "norm_b": join(math.hypot(*(unit.b for unit in layer.units)) / one for layer in net.layers),
        "phi": sum(x * x for head in heads if head for x in head.pattern.phi) / one**2,
        "period": net.period if net.period > 1 else 0,
    }
    assert terms == pytest.approx(expected, abs=1e-9)


@given(data=st.data())
def test_keys_times_queries_are_the_logit_matrix(networks, data):
    net = data.draw(networks)
    dense, one = net.to_dense(), 1 << net.precision
    for layer, written in zip(net.layers, dense.layers, strict=True):
        for head, dense_head in zip(layer.heads, written.heads, strict=True):
            M = head.pattern.logits
            for x in range(dense.width):
                for y in range(dense.width):
                    entry = sum(k[x] * q[y] for k, q in zip(dense_head.K, dense_head.Q, strict=True))
                    assert entry == (Fraction(M[x][y], one) if x < len(M) and y < len(M) else 0)
            assert dense_head.phi == tuple(Fraction(value, one) for value in head.pattern.phi)
    assert (dense.period, dense.reach) == (net.period, net.reach)


def test_a_pattern_and_a_period_by_hand():
    """Features $, a, residues 0 and 1: a query at an odd place asks for SOS (1) and for a (1/2)."""
    pattern = AttentionPattern(((0, 0, 0, 2), (0, 0, 0, 1), (0,) * 4, (0,) * 4), (0, 3))
    layer = OneHotLayer(
        (OneHotHead(((0, 1, 0, -1),), pattern),), (OneHotUnit(((0, 0, 2),), (0, 0, 1, 0), 0),)
    )
    net = OneHotTransformer(Alphabet(("a",)), 1, (layer,), (1,), 0, period=2)
    dense = net.to_dense()
    # $, a, residues, the unit, the channel
    assert dense.positions == ((0, 0, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0))
    head = dense.layers[0].heads[0]
    assert head.Q == ((0, 0, 0, 1, 0, 0),)
    assert list(head.K) == [(1, Fraction(1, 2), 0, 0, 0, 0)]
    assert head.phi == (0, Fraction(3, 2))
    assert head.V[5] == (0, Fraction(1, 2), 0, Fraction(-1, 2), 0, 0)
    zero, K, Q = [0] * 6, [1, Fraction(1, 2), 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]
    V = zero * 5 + [0, Fraction(1, 2), 0, Fraction(-1, 2), 0, 0]
    A = [0, 0, Fraction(1, 2), 0, 0, 1]
    expected = K + Q + V + [0, Fraction(3, 2)] + A + [0] + [0, 0, 0, 0, 1, 0] + [0, 0, 0, 0, 1, 0] + [0]
    assert net.parameters_in_file_order() == tuple(expected)


def test_majority_accepts_ties_and_epsilon(majority):
    dense = majority.to_dense()
    for word in words_up_to(2, 6):
        assert accepts(dense, word) == (word.count(0) <= word.count(1)), word


def test_coordinates_by_hand():
    first = OneHotLayer((OneHotHead(((0, 1),)),), (OneHotUnit(((0, 0, 1),), (0, 3), -1),))
    second = OneHotLayer(
        (OneHotHead(((1, 0, 2), (0, 0, 1))), OneHotHead(((0, 0, 5),))),
        (OneHotUnit(((0, 0, 1), (1, 0, 2)), (0, 0, 7), 0), OneHotUnit(((0, 1, 1), (1, 0, -1)), (4, 0, 0), 0)),
    )
    dense = OneHotTransformer(Alphabet(("a",)), 0, (first, second), (1, -1), 0).to_dense()
    # $, a, unit of layer 1, units of layer 2, channel of layer 1, channels of layer 2
    assert dense.width == 9
    assert dense.embedding == ((1, *(0,) * 8), (0, 1, *(0,) * 7))
    assert dense.positions == ((0,) * 9,)
    assert [len(layer.heads) for layer in dense.layers] == [1, 2]
    assert dense.layers[0].heads[0].V[5] == (0, 1, 0, 0, 0, 0, 0, 0, 0)
    assert dense.layers[1].heads[0].V[6] == (1, 0, 2, 0, 0, 0, 0, 0, 0)
    assert dense.layers[1].heads[0].V[7] == (0, 0, 1, 0, 0, 0, 0, 0, 0)
    assert dense.layers[1].heads[1].V[8] == (0, 0, 5, 0, 0, 0, 0, 0, 0)
    assert sum(any(row) for layer in dense.layers for head in layer.heads for row in head.V) == 4
    assert dense.layers[0].mlp.A == ((0, 3, 0, 0, 0, 1, 0, 0, 0),)
    assert dense.layers[0].mlp.b == (-1,)
    assert dense.layers[1].mlp.A == ((0, 0, 7, 0, 0, 0, 1, 0, 2), (4, 0, 0, 0, 0, 0, 0, 1, -1))
    assert [row[0] for row in dense.layers[0].mlp.B] == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert dense.layers[1].mlp.B[3:5] == ((1, 0), (0, 1))
    assert dense.unembedding == ((0, 0, 0, 1, -1, 0, 0, 0, 0),)
    assert all(head.K == head.Q == ((0,) * 9,) for layer in dense.layers for head in layer.heads)


def test_numbers_are_in_units_of_the_grid():
    unit = OneHotUnit(((0, 0, 4),), (1, 0), 3)
    dense = OneHotTransformer(
        Alphabet(("a",)), 2, (OneHotLayer((OneHotHead(((0, -2),)),), (unit,)),), (1,), 0
    ).to_dense()
    assert dense.layers[0].heads[0].V[3][1] == Fraction(-1, 2)
    assert dense.layers[0].mlp.A[0] == (Fraction(1, 4), 0, 0, 1)
    assert dense.layers[0].mlp.b == (Fraction(3, 4),)
    assert dense.layers[0].mlp.B == ((0,), (0,), (1,), (0,))


def test_reach(majority):
    assert majority.reach == 0

    def patterned(pattern):
        layer = OneHotLayer((OneHotHead(((0, 1),), pattern),), (OneHotUnit(((0, 0, 1),), (0, 0), 0),))
        return OneHotTransformer(Alphabet(("a",)), 0, (layer,), (1,), 0)

    local, content = patterned(AttentionPattern(phi=(0, 0, 1))), patterned(AttentionPattern(((0, 1), (0, 0))))
    assert local.reach == 2
    assert content.reach == 0
