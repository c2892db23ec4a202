"""Products and membership beside Definitions 43 and 46 written as loops."""

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.base.linear_algebra import find_pivot_columns
from idinf.nets.dense import matrix
from idinf.nets.ordinary.lifting import find_largest_period
from idinf.nets.ordinary.products import Products, find_variant
from idinf.nets.ordinary.translation import translate
from tests.nets.ordinary.nets import (
    compiled,
    plain_products,
    plain_readers,
    plain_sets,
    plain_vectors,
    random_net,
)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(80))
def test_membership_is_that_of_the_definition(seed):
    net = random_net(random.Random(seed), p=seed % 3)
    in_class = all(len(set(values)) == 1 for _, values in plain_products(net))
    variant = find_variant(Products(net))
    assert (variant is None) == in_class
    if variant is not None:
        assert variant.values[0] != variant.values[1]
        assert any(set(variant.values) <= set(values) for _, values in plain_products(net))


def test_some_random_nets_are_members_and_some_are_not():
    verdicts = [find_variant(Products(random_net(random.Random(seed)))) is None for seed in range(80)]
    assert 20 < sum(verdicts) < 60


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(12))
def test_lemma_49_bits_and_the_number_of_products(seed):
    net = random_net(random.Random(seed), p=2)
    products = Products(net)
    found = list(plain_products(net))
    assert all((value * 2**products.bits).denominator == 1 for _, values in found for value in values)
    sets, vectors = plain_sets(net), [*net.positions, *plain_vectors(net)]
    heads = sum(len(layer.heads) for layer in net.layers)
    assert products.num_sets == len(sets)
    assert products.num_alphas == heads * (len(sets) * len(vectors)) ** 2
    assert products.num_betas == len(sets) * len(vectors) * len(plain_readers(net))


def with_head(net, **changes):
    """The net with another first head."""
    head = replace(net.layers[0].heads[0], **changes)
    return replace(net, layers=(replace(net.layers[0], heads=(head,)), *net.layers[1:]))


def test_a_planted_fault_between_positions_is_named():
    net = translate(compiled("tomita-7-local"), 6)
    Q = [list(row) for row in net.layers[0].heads[0].Q]
    Q[-1][-1] = Fraction(5)  # key p_6, query p_6
    variant = find_variant(Products(with_head(net, Q=matrix(Q))))
    assert str(variant) == (
        "α(l = 1, h = 1, S1 = {}, S2 = {}, p_i, p_j) is 0 at i, j = 5, 5 and 5 at i, j = 6, 6"
    )


@pytest.mark.parametrize(
    ("key", "query", "shown"),
    [
        (1, -5, "E_0, p_j) is 0 at j = 1 and 5 at j = 2"),
        (-5, 1, "p_i, E_0) is 0 at i = 1 and 5 at i = 2"),
    ],
)
def test_a_planted_fault_between_a_symbol_and_positions_is_named(key, query, shown):
    net = translate(compiled("tomita-7-local"), 6)
    head, zero = net.layers[0].heads[0], [0] * net.width
    keys, queries = list(zero), list(zero)
    keys[key], queries[query] = 1, 5
    found = find_variant(Products(with_head(net, K=head.K + matrix([keys]), Q=head.Q + matrix([queries]))))
    assert str(found) == f"α(l = 1, h = 1, S1 = {{}}, S2 = {{}}, {shown}"


# The sharp form of Lemma 48 beside exhaustive searches that know no cyclotomic polynomial


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
