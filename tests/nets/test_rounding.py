from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.errors import BudgetError
from idinf.nets.attention import MAX_BITS, compute_rounded_weight, find_grid_index


def weight_by_decimals(N: int, k: int, p: int) -> Fraction:
    """2^p · N^(k/2^p) to 200 digits by correctly rounded square roots, then half to even."""
    with localcontext(prec=200):
        root = Decimal(N) ** abs(k)
        for _ in range(p):
            root = root.sqrt()
        scaled = (root if k >= 0 else 1 / root) * 2**p
        return Fraction(int(scaled.to_integral_value(ROUND_HALF_EVEN)), 2**p)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("p", range(5))
def test_weight_equals_high_precision_on_a_grid(p):
    for N in (*range(1, 18), 31, 32, 33, 64, 127, 128, 129, 256):
        for k in range(-4 * 2**p - 1, 3 * 2**p + 2):
            assert compute_rounded_weight(N, k, p) == weight_by_decimals(N, k, p), (N, k, p)


@pytest.mark.parametrize("p", range(6))
def test_exact_ties_go_to_even(p):
    # N^-1 = 2^-(p+1) lies halfway between 0 and 2^-p; one input shorter it is nearer to 2^-p.
    assert compute_rounded_weight(2 ** (p + 1), -(2**p), p) == 0
    assert compute_rounded_weight(2 ** (p + 1) - 1, -(2**p), p) == Fraction(1, 2**p)
    # the same tie reached through a root: (4^(p+1))^(-1/2)
    if p:
        assert compute_rounded_weight(4 ** (p + 1), -(2 ** (p - 1)), p) == 0
        assert compute_rounded_weight(4 ** (p + 1) - 1, -(2 ** (p - 1)), p) == Fraction(1, 2**p)


def test_weight_refuses_integers_beyond_the_bound():
    with pytest.raises(BudgetError, match=r"precision 30 needs integers of .* bits; expected at most 524288"):
        compute_rounded_weight(2, 1, 30)
    with pytest.raises(BudgetError, match="lower precision or the logits"):
        compute_rounded_weight(2, 10**9, 0)


@given(st.fractions(max_denominator=1000), st.integers(0, 8))
def test_the_index_is_the_nearest_with_ties_to_even(x, p):
    k = find_grid_index(x, p)
    distance, half = abs(x - Fraction(k, 2**p)), Fraction(1, 2 ** (p + 1))
    assert distance < half or (distance == half and k % 2 == 0)


@pytest.mark.parametrize("k", range(-9, 10))
def test_ties_go_to_the_even_index(k):
    # k odd: k/8 is halfway between two quarters
    assert find_grid_index(Fraction(k, 8), 2) == round(k / 2)


def test_a_grid_beyond_the_bound_is_refused():
    assert find_grid_index(Fraction(0), MAX_BITS + 1) == 0
    with pytest.raises(BudgetError, match="needs integers of"):
        find_grid_index(Fraction(1), MAX_BITS + 1)
