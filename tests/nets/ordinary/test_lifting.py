"""Lemma 52 run: the same logits on every input up to N, and there and back again."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.base.words import words_up_to
from idinf.errors import BudgetError, HypothesisFormatError, PrecisionError
from idinf.nets.dense import matrix
from idinf.nets.ordinary.lifting import lift
from idinf.nets.ordinary.products import Products, find_variant
from idinf.nets.ordinary.translation import translate
from idinf.nets.reference import trace
from tests.nets.ordinary.nets import compiled, random_net, tomita_7


def assert_lifted(ordinary, lifted, longest):
    """The same logits and verdicts."""
    for word in words_up_to(len(ordinary.alphabet), longest):
        wanted, found = trace(ordinary, word), trace(lifted, word)
        assert (found.logits, found.accepted) == (wanted.logits, wanted.accepted), word


@pytest.mark.thinned(3)
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


def test_half_bits_that_fit():
    assert_lifted(tomita_7(), lift(translate(tomita_7(), 8)), 5)


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
