from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from idinf.base.words import Alphabet
from idinf.errors import AlphabetMismatchError
from idinf.nets.dense import Activation, Head, Layer, Mlp, matrix, vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.reference import accepts, trace

HEAVISIDE, RELU = Activation.HEAVISIDE, Activation.RELU
SIGMA = Alphabet(("a", "b"))

# Coordinates of the hand-made nets: $, a, b, attended value, unit.
EMBEDDING = matrix([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]])
ZERO = matrix([[0] * 5])


def value_matrix(*values):
    """V that writes a value of ($, a, b) into coordinate 3."""
    return matrix([[0] * 5] * 3 + [[*values, 0, 0]] + [[0] * 5])


def net(head, unit=(0, 0, 0, 1, 0), b=0, activation=HEAVISIDE, p=0, **changes):
    """One head and one unit that accepts where its pre-activation is positive."""
    mlp = Mlp(matrix([unit]), vector([b]), matrix([[0]] * 4 + [[1]]), (activation,))
    heads = () if head is None else (head,)
    fields = {"positions": ZERO, "unembedding": matrix([[0, 0, 0, 0, 1]])} | changes
    return LimitTransformer(
        alphabet=SIGMA, precision=p, embedding=EMBEDDING, layers=(Layer(heads, mlp),), **fields
    )


def test_uniform_attention_by_hand():
    # averages of [a] − [b] over $ a b a: 0, 1/2, 0, 1/4
    head = Head(ZERO, ZERO, value_matrix(0, 1, -1))
    seen = trace(net(head), (0, 1, 0))
    assert [y[3] for y in seen.layers[0].mixed] == [0, Fraction(1, 2), 0, Fraction(1, 4)]
    assert seen.layers[0].heads[0].attention[2] == (Fraction(1, 3),) * 3
    assert [units[0] for units in seen.layers[0].activations] == [0, 1, 0, 1]
    assert seen.layers[0].outputs[3] == (0, 1, 0, Fraction(1, 4), 1)
    assert seen.logits == (1,)
    assert seen.accepted


def test_epsilon_is_judged_at_sos():
    assert accepts(net(None, unit=(1, 0, 0, 0, 0)), ())
    assert not accepts(net(None, unit=(1, 0, 0, 0, 0)), (0,))


def test_local_phi_scales_with_the_whole_input():
    # φ(1) = 1 and N = 4: the previous position weighs 4 at every query, also at the early ones.
    head = Head(ZERO, ZERO, value_matrix(0, 1, 0), phi=vector([0, 1]))
    seen = trace(net(head), (0, 1, 1)).layers[0].heads[0]
    assert seen.logits[3] == (0, 0, 1, 0)
    assert seen.weights == matrix([[1], [4, 1], [1, 4, 1], [1, 1, 4, 1]])
    assert seen.attention[2] == (Fraction(1, 6), Fraction(4, 6), Fraction(1, 6))


def test_logits_are_rounded_to_the_grid_half_to_even():
    # K y_j = 1/2 at a; Q y_i = 1/2 or 3/2: logits 1/4 -> 0 and 3/4 -> 1 at p = 1.
    half = Fraction(1, 2)
    for query, rounded in ((half, 0), (3 * half, 1)):
        head = Head(matrix([[0, half, 0, 0, 0]]), matrix([[0, 0, query, 0, 0]]), value_matrix(0, 1, 0))
        seen = trace(net(head, p=1), (0, 1)).layers[0].heads[0]
        assert seen.logits[2] == (0, rounded, 0)
        assert seen.weights[2] == (1, 3**rounded, 1)


def test_no_weight_left_gives_zero_output():
    # φ(0) = φ(1) = −1, p = 0: 1/2 ties to 0, 1/3 rounds to 0, but at ε N = 1 and the weight is 1.
    head = Head(ZERO, ZERO, value_matrix(1, 1, 1), phi=vector([-1, -1]))
    seen = trace(net(head), (0,)).layers[0]
    assert seen.heads[0].weights == matrix([[0], [0, 0]])
    assert seen.heads[0].attention == matrix([[0], [0, 0]])
    assert [y[3] for y in seen.mixed] == [0, 0]
    assert [accepts(net(head), (0,) * n) for n in range(4)] == [True, False, True, True]


def test_heaviside_of_zero_is_zero_and_threshold_is_strict():
    assert not accepts(net(None, unit=(0, 0, 0, 0, 0)), ())
    assert accepts(net(None, unit=(0, 0, 0, 0, 0), threshold=-1), ())


@pytest.mark.parametrize("word", [(2,), (0, -1)])
def test_refuses_a_code_outside_the_alphabet(word):
    with pytest.raises(AlphabetMismatchError, match="is no symbol; expected codes from 0 to 1"):
        accepts(net(None), word)


# --- an independent float implementation -------------------------------------------------------------------


class TooCloseForFloatsError(Exception):
    """A value lies so near a rounding boundary, or is so large, that floats cannot be trusted with it."""


def snapped(x, *, where=1.0):
    """Round what is a multiple of ``where`` up to float noise; refuse what is merely close to one."""
    near = np.round(x / where) * where
    distance = np.abs(x - near)
    if np.any((distance > 1e-9) & (distance < 1e-6)):
        raise TooCloseForFloatsError
    return np.where(distance <= 1e-9, near, x)


def half_even(x, p):
    """np.round on the p-bit grid; x is snapped to half steps first so that ties are real ties."""
    return np.round(snapped(x * 2**p, where=0.5)) / 2**p


def floats(rows):
    return np.array([[float(entry) for entry in row] for row in rows]).reshape(len(rows), -1)


def accepts_in_floats(t, word):
    N, p = len(word) + 1, t.precision
    E, P = floats(t.embedding), floats(t.positions)
    y = np.stack([E[row] + P[i % len(P)] for i, row in enumerate([0, *(c + 1 for c in word)])])
    for layer in t.layers:
        total = y.copy()
        for head in layer.heads:
            a = np.einsum("ic,rc,rd,jd->ij", y, floats(head.Q), floats(head.K), y)  # query, key
            for k, value in enumerate(head.phi):
                a += float(value) * np.eye(N, k=-k)
            if np.abs(a).max() > 9:
                raise TooCloseForFloatsError
            w = np.tril(half_even(np.power(float(N), half_even(a, p)), p))
            z = w.sum(axis=1, keepdims=True)
            alpha = np.divide(w, z, out=np.zeros_like(w), where=z != 0)
            total += alpha @ y @ floats(head.V).T
        m = len(layer.mlp.b)
        if m:
            pre = snapped(total @ floats(layer.mlp.A).T + floats([layer.mlp.b]))
            relu = np.array([ψ is RELU for ψ in layer.mlp.activation])
            total = total + np.where(relu, np.maximum(pre, 0), pre > 0) @ floats(layer.mlp.B).T
        y = total
    return bool(snapped(floats(t.unembedding)[t.accept_row] @ y[-1]) > t.threshold)


@given(data=st.data())
def test_reference_equals_floats_away_from_boundaries(dense_transformers, data):
    transformer = data.draw(dense_transformers)
    word = tuple(data.draw(st.lists(st.integers(0, len(transformer.alphabet) - 1), max_size=4)))
    try:
        expected = accepts_in_floats(transformer, word)
    except TooCloseForFloatsError:
        reject()
    assert accepts(transformer, word) == expected
