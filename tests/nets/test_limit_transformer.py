from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError, PrecisionError
from idinf.nets.dense import Activation, Head, Layer, Mlp, matrix, vector
from idinf.nets.limit_transformer import LimitTransformer

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ZERO = matrix([[0, 0]])
HEAD = Head(K=ZERO, Q=ZERO, V=matrix([[1, 0], [0, 1]]), phi=vector([0, 1]))
MLP = Mlp(matrix([[1, 0]]), vector([1]), matrix([[1], [0]]), (Activation.RELU,))
NET = LimitTransformer(
    alphabet=Alphabet(("a",)),
    precision=1,
    embedding=matrix([[1, 0], [0, 1]]),
    positions=matrix([[0, 0], [0, HALF]]),
    layers=(Layer((HEAD,), MLP), Layer((), MLP)),
    unembedding=matrix([[0, 1]]),
)


def with_head(**changes):
    return {"layers": (Layer((replace(HEAD, **changes),), MLP),)}


def with_mlp(**changes):
    return {"layers": (Layer((HEAD,), replace(MLP, **changes)),)}


REFUSALS = [
    ({"precision": -1}, r"precision = -1; expected an integer >= 0"),
    ({"embedding": matrix([[1, 0]])}, r"embedding has 1 rows; expected 2, one for each of \$ a"),
    ({"positions": ()}, r"positions = \(\); expected at least one row"),
    ({"positions": ZERO * 2}, r"positions has 2 rows that repeat after 1; .*keep the first 1"),
    ({"layers": ()}, r"layers = \(\); expected at least one layer"),
    (with_head(Q=ZERO * 2), r"layers\[0\]\.heads\[0\]\.Q has 2 rows; expected 1 x 2"),
    (with_head(V=ZERO), r"layers\[0\]\.heads\[0\]\.V has 1 rows; expected 2 x 2"),
    (with_mlp(b=vector([0, 0])), r"layers\[0\]\.mlp\.b has 2 entries; expected 1"),
    (with_mlp(B=matrix([[0], [0, 0]])), r"layers\[0\]\.mlp\.B\[1\] has 2 entries; expected 1"),
    ({"unembedding": ()}, r"unembedding = \(\); expected at least one row"),
    ({"accept_row": -1}, r"accept\.row = -1; expected an integer from 0 to 0"),
    ({"unembedding": ((Fraction(0), 0.5),)}, r"unembedding\[0\]\[1\] = 0\.5; expected a Fraction"),
]

OFF_GRID = [
    ({"embedding": matrix([[1, 0], [Fraction(1, 4), 1]])}, r'embedding\["a"\]\[0\] = 1/4'),
    ({"positions": matrix([[0, 0], [THIRD, 0]])}, r"positions\[1\]\[0\] = 1/3"),
    (with_head(K=matrix([[0, THIRD]])), r"layers\[0\]\.heads\[0\]\.K\[0\]\[1\] = 1/3"),
    (with_head(Q=matrix([[0, THIRD]])), r"layers\[0\]\.heads\[0\]\.Q\[0\]\[1\] = 1/3"),
    (with_head(V=matrix([[0, 0], [THIRD, 0]])), r"layers\[0\]\.heads\[0\]\.V\[1\]\[0\] = 1/3"),
    (with_head(phi=vector([0, THIRD])), r"layers\[0\]\.heads\[0\]\.phi\[1\] = 1/3"),
    (with_mlp(A=matrix([[0, THIRD]])), r"layers\[0\]\.mlp\.A\[0\]\[1\] = 1/3"),
    (with_mlp(b=vector([THIRD])), r"layers\[0\]\.mlp\.b\[0\] = 1/3"),
    (with_mlp(B=matrix([[0], [THIRD]])), r"layers\[0\]\.mlp\.B\[1\]\[0\] = 1/3"),
    ({"unembedding": matrix([[0, THIRD]])}, r"unembedding\[0\]\[1\] = 1/3"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSALS)
def test_refuses_one_broken_rule(changes, message):
    with pytest.raises(HypothesisFormatError, match=message):
        replace(NET, **changes)


@pytest.mark.parametrize(("changes", "message"), OFF_GRID)
def test_refuses_a_number_off_the_grid(changes, message):
    with pytest.raises(PrecisionError, match=message + r"; expected a multiple of 2\^-1; raise precision"):
        replace(NET, **changes)


def test_reach_is_zero_without_phi():
    assert replace(NET, **with_head(phi=())).reach == 0
    assert replace(NET, layers=(Layer((), MLP),)).reach == 0


@given(st.data())
def test_period_is_the_least_one_of_the_sequence(data):
    rows = data.draw(st.lists(st.sampled_from([(0, 0), (1, 0)]), min_size=1, max_size=8))
    n = len(rows)
    least = next(t for t in range(1, n + 1) if all(rows[i % n] == rows[(i + t) % n] for i in range(n)))
    if least == n:
        assert replace(NET, positions=matrix(rows)).period == n
    else:
        with pytest.raises(HypothesisFormatError, match=f"repeat after {least};"):
            replace(NET, positions=matrix(rows))


@pytest.mark.parametrize(
    ("phi", "kept"), [([], []), ([0], []), ([0, 0], []), ([1, 0], [1]), ([0, 1], [0, 1])]
)
def test_phi_has_one_form(phi, kept):
    assert replace(HEAD, phi=vector(phi)).phi == vector(kept)
