"""Lemma 52 run: the same logits on every input up to N, and there and back again."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.errors import BudgetError, HypothesisFormatError, PrecisionError
from idinf.ordinary import pairs
from idinf.ordinary.lifting import lift
from idinf.ordinary.membership import find_variant
from idinf.ordinary.products import Products
from idinf.ordinary.translation import translate
from idinf.transformers.dense import matrix
from idinf.transformers.reference import trace
from idinf.words import words_up_to
from tests.ordinary.nets import compiled, mixed, one_hot_even, random_net, tomita_7


def assert_lifted(ordinary, lifted, longest):
    """The same logits and verdicts."""
    for word in words_up_to(len(ordinary.alphabet), longest):
        wanted, found = trace(ordinary, word), trace(lifted, word)
        assert (found.logits, found.accepted) == (wanted.logits, wanted.accepted), word


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-7-local", "tomita-4", "aa-star", "abab-star"])
def test_there_and_back_again(name):
    limit = compiled(name)
    lifted = lift(translate(limit, 8))
    assert_lifted(limit, lifted, 6 if len(limit.alphabet) == 1 else 5)
    assert lifted.period == limit.period
    assert lifted.reach == limit.reach


@pytest.mark.slow
@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-7-local", "tomita-2", "induction-all"])
def test_there_and_back_again_up_to_length_six(name):
    assert_lifted(compiled(name), lift(translate(compiled(name), 7)), 6)


@pytest.mark.parametrize("name", ["tomita-7-local", "aa-star", "tomita-4"])
def test_the_width_does_not_grow_with_the_context(name):
    nets = [lift(translate(compiled(name), context)) for context in (8, 16, 33)]
    assert nets[0] == nets[1] == nets[2]


@pytest.mark.parametrize("name", ["tomita-7-local", "aa-star", "contains-ab"])
def test_the_basis_does_not_matter(name):
    ordinary = translate(compiled(name), 6)
    assert lift(mixed(ordinary, random.Random(1))) == lift(ordinary)


def test_half_bits_that_fit():
    assert_lifted(tomita_7(), lift(translate(tomita_7(), 8)), 5)


@pytest.mark.parametrize("name", ["majority", "dyck-1"])
def test_a_fine_grid_that_is_not_used(name):
    """Products in units of 2^-(4 + 2L)p do not fit into machine integers."""
    limit = replace(compiled(name), precision=12)
    assert_lifted(limit, lift(translate(limit, 5)), 4)


@pytest.mark.parametrize("seed", range(60))
def test_random_members(seed):
    net = random_net(random.Random(seed), context=4)
    if find_variant(Products(net)) is None:
        assert_lifted(net, lift(net), 3)
    else:
        with pytest.raises(HypothesisFormatError, match="expected a translation invariant product"):
            lift(net)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_random_hypotheses(networks, data):
    limit = data.draw(networks).to_dense()
    try:
        lifted = lift(translate(limit, 4))
    except PrecisionError:
        assert limit.precision
    except BudgetError:
        assert limit.depth > 2
    else:
        assert_lifted(limit, lifted, 2)


def test_a_net_outside_of_the_class_is_refused():
    with pytest.raises(HypothesisFormatError, match=r"β\(S = \{\}, A_1 row 1, p_i\) is 1 at i = 1"):
        lift(one_hot_even(4))


def test_a_finer_grid_is_refused():
    """U E is 1/4 at p = 1."""
    ordinary, half = translate(replace(compiled("majority"), precision=1), 2), Fraction(1, 2)
    changed = replace(ordinary, embedding=matrix([[half] * ordinary.width] * 3))
    changed = replace(changed, unembedding=matrix([[half, *[0] * (ordinary.width - 1)]]))
    with pytest.raises(PrecisionError, match=r"more than p = 1 fractional bits; expected a multiple"):
        lift(changed)


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(pairs, "MOST_PAIRS", 5)
    with pytest.raises(BudgetError, match="more than 5 pairs"):
        lift(translate(compiled("aa-star"), 4))
    monkeypatch.setattr(pairs, "MOST_PAIRS", 2000)
    monkeypatch.setattr(pairs, "MOST_PRODUCTS", 5)
    with pytest.raises(BudgetError, match="products of positions; expected at most 5"):
        lift(translate(compiled("aa-star"), 4))


def test_what_nobody_reads_is_left_out():
    """A second head with V = 0, and a unit that writes nothing."""
    ordinary = translate(compiled("majority"), 4)
    layer, width = ordinary.layers[0], ordinary.width
    head = replace(layer.heads[0], V=matrix([[0] * width] * width))
    mlp = replace(
        layer.mlp,
        A=(*layer.mlp.A, layer.mlp.A[0]),
        b=layer.mlp.b * 2,
        B=tuple((*row, Fraction(0)) for row in layer.mlp.B),
        activation=layer.mlp.activation * 2,
    )
    more = replace(ordinary, layers=(replace(layer, heads=(*layer.heads, head), mlp=mlp),))
    assert lift(more) == lift(ordinary)
