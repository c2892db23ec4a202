from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.reference import accepts
from idinf.nets.regularizer import Aggregate, compute_r_terms
from tests.search.word_by_word import answer


@given(data=st.data())
def test_dense_realisation_means_the_same(networks, data):
    net = data.draw(networks)
    dense = net.to_dense()
    for word in words_up_to(len(net.alphabet), {1: 6, 2: 4, 3: 3}[len(net.alphabet)]):
        assert accepts(dense, word) == answer(net, word), word


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
