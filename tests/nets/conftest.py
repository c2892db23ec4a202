"""Strategies that several test modules draw from; session fixtures, so `@given` may take them."""

from fractions import Fraction

import pytest
from hypothesis import strategies as st

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.dense import Activation, Head, Layer, Mlp
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit


@st.composite
def _dense(draw):
    p, d = draw(st.integers(0, 2)), draw(st.integers(1, 3))
    alphabet = Alphabet(tuple("ab"[: draw(st.integers(1, 2))]))
    entry = st.integers(-(2 << p), 2 << p).map(lambda k: Fraction(k, 1 << p))
    # Keys and queries are small and often zero, so that logits of a second layer stay moderate.
    small = st.sampled_from([0, 0, 1, -1]).map(lambda k: Fraction(k, 1 << p))

    def vectors(length, entries=entry):
        return st.tuples(*[entries] * length)

    def matrices(rows, columns, entries=entry):
        return st.tuples(*[vectors(columns, entries)] * rows)

    positions = draw(st.one_of(matrices(1, d), matrices(2, d).filter(lambda rows: rows[0] != rows[1])))
    layers = []
    for _ in range(draw(st.integers(1, 2))):
        heads = []
        for _ in range(draw(st.integers(0, 2))):
            r = draw(st.integers(1, 2))
            phi = draw(vectors(draw(st.integers(0, 2))))
            K, Q = draw(matrices(r, d, small)), draw(matrices(r, d, small))
            heads.append(Head(K, Q, draw(matrices(d, d)), phi))
        m = draw(st.integers(0, 2))
        activation = draw(st.tuples(*[st.sampled_from(Activation)] * m))
        mlp = Mlp(draw(matrices(m, d)), draw(vectors(m)), draw(matrices(d, m)), activation)
        layers.append(Layer(tuple(heads), mlp))
    rows = draw(st.integers(1, 2))
    return LimitTransformer(
        alphabet=alphabet,
        precision=p,
        embedding=draw(matrices(1 + len(alphabet), d)),
        positions=positions,
        layers=tuple(layers),
        unembedding=draw(matrices(rows, d)),
        accept_row=draw(st.integers(0, rows - 1)),
        threshold=draw(st.integers(-1, 1)),
    )


@st.composite
def _pattern(draw, num_features, one):
    """Uniform as often as not; else φ with a reach up to 2, a sparse M, or both; logits up to 2."""
    logit = st.sampled_from([0, 1, one, 2 * one])
    phi = draw(st.lists(logit, max_size=3)) if draw(st.booleans()) else []
    while phi and not phi[-1]:
        phi.pop()
    if draw(st.integers(0, 2)):
        return AttentionPattern(phi=tuple(phi))
    entry = st.sampled_from([0, 0, 0, 1, one])
    matrix = draw(st.tuples(*[st.tuples(*[entry] * num_features)] * num_features))
    return AttentionPattern(matrix if any(map(any, matrix)) else (), tuple(phi))


@st.composite
def _gated_layer(draw, num_features, one):
    """One layer of the family: units read channels first, then what nobody reads is dropped."""
    entry = st.integers(-2, 2)
    vector = st.tuples(*[entry] * num_features)
    num_units = draw(st.integers(1, 3))
    heads, reads = [], [[] for _ in range(num_units)]
    for _ in range(draw(st.integers(0, 2))):
        # choice[u] = the channel unit u reads in this head, or None
        choice = [draw(st.sampled_from([None, 0, 1])) for _ in range(num_units)]
        used = sorted({g for g in choice if g is not None})
        if not used:
            continue
        for unit, g in enumerate(choice):
            if g is not None:
                shared = choice.count(g) > 1
                factor = draw(st.sampled_from([-2, -1, 1, 2, 3])) if shared else one
                reads[unit].append((len(heads), used.index(g), factor))
        channels = tuple(draw(vector.filter(any)) for _ in used)
        heads.append(OneHotHead(channels, draw(_pattern(num_features, one))))
    units = tuple(OneHotUnit(tuple(unit), draw(vector), draw(entry)) for unit in reads)
    return OneHotLayer(tuple(heads), units)


@st.composite
def _gated(draw):
    p, size, period = draw(st.integers(0, 2)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    layers, num_features = [], 1 + size + (period if period > 1 else 0)
    for _ in range(draw(st.integers(1, 3))):
        layers.append(draw(_gated_layer(num_features, 1 << p)))
        num_features += len(layers[-1].units)
    signs = draw(st.tuples(*[st.sampled_from([1, -1])] * len(layers[-1].units)))
    alphabet, threshold = Alphabet(tuple("abc"[:size])), draw(st.integers(-2, 1))
    return OneHotTransformer(alphabet, p, tuple(layers), signs, threshold, period)


@pytest.fixture(scope="session")
def dense_transformers():
    """Small Limit Transformers of every shape: 0..2 heads, φ, Δ <= 2, p <= 2, both activations, m = 0."""
    return _dense()


@pytest.fixture(scope="session")
def networks():
    """Members of the family: up to 3 layers, 3 units, 2 heads of any pattern, Δ <= 3, any sharing."""
    return _gated()


@pytest.fixture(scope="session")
def majority():
    """Majority with ties over 01: not (#0 − #1 > 0), one head, one unit, read by the complement."""
    head, unit = OneHotHead(((0, 1, -1),)), OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    return OneHotTransformer(Alphabet(("0", "1")), 0, (OneHotLayer((head,), (unit,)),), (-1,), -1)
