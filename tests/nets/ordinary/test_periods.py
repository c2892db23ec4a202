"""The sharp form of Lemma 48 beside exhaustive searches that know no cyclotomic polynomial."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from idinf.base.linear_algebra import find_pivot_columns
from idinf.nets.ordinary.lifting import find_largest_period


def order_of_recurrence(coefficients, most=200):
    """The period of all x_n = Σ c_j x_{n-j}, the order of the companion matrix; None if it is large."""
    size = len(coefficients)
    states = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    start, limit = list(states), 10**6
    for step in range(1, most + 1):
        states = [
            (*s[1:], sum(c * x for c, x in zip(coefficients, reversed(s), strict=True))) for s in states
        ]
        if states == start:
            return step
        if any(abs(x) > limit for s in states for x in s):
            return None
    return None


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_all_bounded_integer_recurrences(rank):
    """Roots on the unit circle bound coefficient j by C(k, j), and the last one is ±1."""
    ranges = [range(-math.comb(rank, j), math.comb(rank, j) + 1) for j in range(1, rank)]
    orders = {order_of_recurrence((*inner, last)) for inner in itertools.product(*ranges) for last in (1, -1)}
    assert max(order for order in orders if order is not None) == find_largest_period(rank)[0]


def rank_of(sequence):
    """The rank of G(i − j) for a periodic G: that of the circulant matrix."""
    size = len(sequence)
    rows = [[Fraction(sequence[(i - j) % size]) for j in range(size)] for i in range(size)]
    return len(find_pivot_columns(rows))


def least_period(sequence):
    """The least period of a sequence that repeats."""
    size = len(sequence)
    return next(d for d in range(1, size + 1) if size % d == 0 and sequence == sequence[d:] + sequence[:d])


@pytest.mark.parametrize(
    "size", [*range(1, 7), *(pytest.param(size, marks=pytest.mark.slow) for size in (7, 8))]
)
def test_all_short_periodic_functions(size):
    """Every function with values −1, 0, 1 that repeats after ``size``: its rank allows for its period."""
    for sequence in itertools.product((-1, 0, 1), repeat=size):
        if least_period(sequence) == size and any(sequence):
            rank = rank_of(sequence)
            assert size <= find_largest_period(rank)[0], sequence


@pytest.mark.parametrize("rank", range(1, 9))
def test_the_bound_is_met(rank):
    """The function with the recurrence of the cyclotomic polynomials has the period, and the rank."""
    period, parts = find_largest_period(rank)
    assert math.lcm(*parts) == period
    assert sum(sum(math.gcd(m, a) == 1 for a in range(1, m + 1)) for m in parts) <= rank
    # Ramanujan sums have the primitive m-th roots of unity as their spectrum, once each.
    values = tuple(sum(ramanujan(m, n) for m in parts) for n in range(period))
    assert least_period(values) == period
    assert rank_of(values) <= rank


def ramanujan(m, n):
    """Σ cos(2π a n/m) over a coprime to m, an integer."""
    total = sum(math.cos(2 * math.pi * a * n / m) for a in range(1, m + 1) if math.gcd(a, m) == 1)
    return round(total)
