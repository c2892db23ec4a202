"""Products and membership beside Definitions 43 and 46 written as loops."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.errors import HypothesisFormatError
from idinf.ordinary.integers import scale, times, to_integers
from idinf.ordinary.membership import check_membership, find_variant
from idinf.ordinary.products import Products
from idinf.ordinary.translation import translate
from idinf.transformers.dense import matrix
from idinf.transformers.reference import accepts
from tests.ordinary.nets import (
    behind,
    compiled,
    mixed,
    one_hot_even,
    plain_products,
    plain_readers,
    plain_sets,
    plain_vectors,
    random_net,
    tomita_7,
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


def test_sets_are_taken_from_the_lowest_layer_up():
    net = random_net(random.Random(4), p=1)
    products = Products(net)
    images = {tuple(int(x) for x in image.ravel()) for _, image in products.list_images()}
    unit = Fraction(1, 2 ** (1 + net.depth))
    vectors = [*net.positions, *plain_vectors(net)]
    wanted = set()
    for S in plain_sets(net):
        columns = [behind(S, v) for v in vectors]
        wanted.add(tuple(int(column[row] / unit) for row in range(net.width) for column in columns))
    assert images == wanted


def test_one_hot_positions_that_are_read_are_refused():
    """The simple translation of (aa)* is right, and outside of the class."""
    net = one_hot_even(4)
    assert [accepts(net, (0,) * n) for n in range(4)] == [True, False, True, False]
    assert str(find_variant(Products(net))) == "β(S = {}, A_1 row 1, p_i) is 1 at i = 1 and 0 at i = 2"
    with pytest.raises(HypothesisFormatError, match=r"expected a translation invariant product"):
        check_membership(net)


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


def test_all_pairs_count_not_only_causal_ones():
    """K^T Q that differs only where the key is behind the query."""
    net = translate(compiled("tomita-7-local"), 4)
    Q = [list(row) for row in net.layers[0].heads[0].Q]
    Q[-1][-4] = Fraction(1)  # key p_4, query p_1: no other pair has that distance
    assert find_variant(Products(with_head(net, Q=matrix(Q)))) is None
    Q[-2][-4] = Fraction(1)  # key p_3, query p_1, but not p_4 with p_2
    assert "p_i, p_j) is 1 at i, j = 3, 1" in str(find_variant(Products(with_head(net, Q=matrix(Q)))))


@pytest.mark.parametrize("name", ["tomita-7-local", "aa-star", "induction-all"])
def test_another_basis_changes_no_product(name):
    net = translate(compiled(name), 4)
    assert find_variant(Products(mixed(net, random.Random(0)))) is None


def test_large_numbers_are_exact():
    large = 2**200
    a = to_integers(((Fraction(large), Fraction(1)),), 0)
    assert int(times(a, a.T)[0, 0]) == large**2 + 1
    assert scale(to_integers(((Fraction(3),),), 0), 100).tolist() == [[3 * 2**100]]
    assert find_variant(Products(translate(tomita_7(), 3))) is None
