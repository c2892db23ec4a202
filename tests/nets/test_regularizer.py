import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.linear_algebra import find_pivot_columns
from idinf.base.words import Alphabet
from idinf.errors import PrecisionError
from idinf.nets.dense import Activation, Head, Layer, Mlp, matrix, vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import EPSILON, MAX_VALUE, Aggregate, compute_r_terms

HEAVISIDE = Activation.HEAVISIDE
ZERO = matrix([[0, 0]])
# ‖V‖ = 5, rank 1; K^T Q = 1·2 in one corner, ‖K^T Q‖ = 2.
STEEP = Head(matrix([[1, 0]]), matrix([[0, 2]]), matrix([[3, 0], [4, 0]]), vector([1, 0, 2]))
# ‖V‖ = 2, rank 2, K^T Q = 3·identity by two key rows.
ROUND = Head(matrix([[3, 0], [0, 3]]), matrix([[1, 0], [0, 1]]), matrix([[2, 0], [0, -2]]), vector([-3]))
WIDE = Mlp(matrix([[1, 2], [2, 0]]), vector([3, 4]), matrix([[1, 1], [1, 1]]), (HEAVISIDE,) * 2)
SLIM = Mlp(matrix([[4, 3]]), vector([2]), matrix([[1], [0]]), (HEAVISIDE,))
NET = LimitTransformer(
    alphabet=Alphabet(("a",)),
    precision=1,
    embedding=matrix([[3, 4], [0, 1]]),  # the largest row is that of $
    positions=matrix([[0, 0], [Fraction(1, 2), 0], [0, 0]]),
    layers=(Layer((STEEP, ROUND), WIDE), Layer((ROUND,), SLIM)),
    unembedding=matrix([[1, 1], [1, 1]]),  # rank 1: spectral norm 2, as Frobenius
)


def test_equal_r_is_a_convention():
    """Two sums of three norms on the grid of p = 3 are not equal, and closer than what counts as equal."""
    scale = 10**20
    one, other = (sum(math.isqrt(m * scale**2) for m in squares) for squares in ((1, 40, 60), (12, 17, 56)))
    assert 3 < other - one < 8 * EPSILON * scale  # each root was rounded down by less than 1
    assert (other - one) / (8 * scale) == pytest.approx(1.94e-10, rel=1e-3)


def test_definition_50_by_hand():
    """The largest norm is ‖V‖ = ‖E_$‖ = ‖A‖ = ‖b‖ = 5."""
    terms = compute_r_terms(NET)
    expected = {"layers_plus_heads": 4, "precision": 1, "largest_norm": 5, "phi": terms.phi, "period": 3}
    assert terms.by_definition_50() == pytest.approx(expected)


def test_terms_by_hand_with_max():
    assert compute_r_terms(NET).as_dict() == pytest.approx(
        {
            "layers_plus_heads": 2 + 2,
            "precision": 1,
            "rank_V": 2,
            "norm_KQ": 3,
            "norm_V": 5,
            "norm_A": 5,
            "norm_B": 2,
            "norm_U": 2,
            "norm_p": 0.5,
            "norm_E": 5,
            "norm_b": 5,
            "phi": 5 + 9 + 9,
            "period": 3,
        },
        abs=1e-12,
    )


def test_terms_by_hand_with_sum():
    changed = {
        "rank_V": 1 + 2 + 2,
        "norm_KQ": 2 + 3 + 3,
        "norm_V": 5 + 2 + 2,
        "norm_A": 3 + 5,
        "norm_B": 2 + 1,
        "norm_b": 5 + 2,
    }
    expected = compute_r_terms(NET).as_dict() | changed
    assert compute_r_terms(NET, Aggregate.SUM).as_dict() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("rows", "price"), [(ZERO, (0, 0)), (matrix([[3, 4]]), (5, 0)), (NET.positions, (0.5, 3))]
)
def test_positions_pay_their_norm_and_a_period_above_1(rows, price):
    terms = compute_r_terms(replace(NET, positions=rows))
    assert (terms.norm_p, terms.period) == price


@given(data=st.data())
def test_norms_and_ranks_against_numpy(dense_transformers, data):
    t = data.draw(dense_transformers)
    array = lambda rows: np.array([[float(x) for x in row] for row in rows]).reshape(len(rows), -1)  # noqa: E731
    heads = [head for layer in t.layers for head in layer.heads]
    for aggregate, combine in ((Aggregate.MAX, max), (Aggregate.SUM, sum)):
        terms = compute_r_terms(t, aggregate)
        ranks = [int(np.linalg.matrix_rank(array(head.V))) for head in heads]
        values = [np.linalg.svd(array(head.V))[1][0] for head in heads]
        logits = [np.linalg.svd(array(head.K).T @ array(head.Q))[1][0] for head in heads]
        assert terms.rank_V == combine(ranks or [0])
        assert terms.norm_V == pytest.approx(combine(values or [0]), abs=1e-9)
        assert terms.norm_KQ == pytest.approx(combine(logits or [0]), abs=1e-9)
    assert terms.norm_U == pytest.approx(np.linalg.svd(array(t.unembedding))[1][0], abs=1e-9)
    assert terms.total == pytest.approx(sum(terms.as_dict().values()))


@pytest.mark.parametrize(
    ("rows", "rank"),
    [
        ([[0, 0], [0, 0]], 0),
        ([[0, 1], [0, 2]], 1),
        ([[0, 1], [1, 0]], 2),
        ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 2),
        ([[0, 1, -1], [1, 0, 0], [1, 1, -1]], 2),
        ([[1, 1], [1, 1 + Fraction(1, 2**60)]], 2),  # float64 sees rank 1
    ],
)
def test_rank_is_exact(rows, rank):
    assert len(find_pivot_columns(matrix(rows))) == rank


def test_refuses_numbers_beyond_float():
    huge = replace(NET, unembedding=matrix([[MAX_VALUE * 2, 0]]))
    with pytest.raises(PrecisionError, match="number of 258 bits; expected at most 256"):
        compute_r_terms(huge)
    with pytest.raises(PrecisionError, match="use smaller entries"):
        compute_r_terms(replace(NET, precision=MAX_VALUE * 2))
