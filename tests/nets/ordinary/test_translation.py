"""Lemma 47 run: the same logits at every offset, members of the class, R and equation (8) for every N."""

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf import crasp, nets
from idinf.base.words import words_up_to
from idinf.errors import HypothesisFormatError
from idinf.nets.dense import matrix, vector
from idinf.nets.ordinary.lifting import lift
from idinf.nets.ordinary.products import Products, find_variant
from idinf.nets.ordinary.translation import bound_curve, compute_curve, translate
from idinf.nets.reference import trace
from tests.asked_for import few
from tests.nets.ordinary.nets import compiled, random_net, tomita_7

NAMES = ["majority", "tomita-7-local", "tomita-4", "contains-ab", "aa-star", "aaaa-star", "dyck-1"]


def assert_same(limit, ordinary, longest):
    """Logits, the verdict and next symbols of every word at every offset."""
    for word in words_up_to(len(limit.alphabet), longest):
        wanted = trace(limit, word)
        for offset in range(ordinary.context - len(word)):
            found = trace(ordinary, word, offset)
            assert (found.logits, found.accepted) == (wanted.logits, wanted.accepted), (word, offset)
            assert found.next_symbols == wanted.next_symbols


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", NAMES)
def test_every_word_at_every_offset(name):
    limit = compiled(name)
    ordinary = translate(limit, 9)
    assert_same(limit, ordinary, 6 if len(limit.alphabet) == 1 else 5)
    assert find_variant(Products(ordinary)) is None
    assert ordinary.depth == limit.depth + 2 * (limit.period > 1)
    assert ordinary.num_heads == max(limit.num_heads, limit.period + 1 if limit.period > 1 else 0)


@settings(max_examples=few(8, 30), deadline=None)
@given(data=st.data())
def test_random_hypotheses(networks, data):
    limit = data.draw(networks).to_dense()
    ordinary = translate(limit, 5)
    for word in words_up_to(len(limit.alphabet), 2):
        wanted = trace(limit, word).logits
        assert all(trace(ordinary, word, o).logits == wanted for o in range(5 - len(word)))
    assert find_variant(Products(ordinary)) is None


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_random_dense_transformers(dense_transformers, data):
    """Any entries, negative φ, ReLU, positions that are no unit vectors."""
    limit = data.draw(dense_transformers)
    ordinary = translate(limit, 4)
    for word in words_up_to(len(limit.alphabet), 2):
        wanted = trace(limit, word).logits
        assert all(trace(ordinary, word, o).logits == wanted for o in range(4 - len(word)))
    assert find_variant(Products(ordinary)) is None


@pytest.mark.thinned(6)
@pytest.mark.parametrize("precision", [0, 1, 2, 3])
@pytest.mark.parametrize("period", [2, 3, 4, 5])
def test_the_first_layers_find_the_residue(period, precision):
    """The lemma of the docstring: just one unit fires, and it is that of the distance from SOS."""
    even = compiled("aa-star")
    rows = tuple(vector([int(c == r) for c in range(even.width)]) for r in range(period))
    limit = replace(even, positions=rows, precision=precision) if period <= even.width else None
    assert limit is not None
    ordinary = translate(limit, 11)
    for n in range(9):
        for offset in {0, 1, 2, 10 - n} & set(range(11 - n)):
            fired = trace(ordinary, (0,) * n, offset).layers[1].activations
            for i, units in enumerate(fired):
                assert units == tuple(
                    Fraction(unit == (i % period if i else period)) for unit in range(period + 1)
                )


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["tomita-4", "aa-star", "abab-star", "induction-argmax"])
def test_equation_8_and_r_for_every_context(name):
    limit = compiled(name)
    points = compute_curve(limit, (8, 16, 64, 128))
    squares = sum(x * x for layer in limit.layers for head in layer.heads for x in head.phi)
    own = (limit.precision + 1) ** 2 if limit.period > 1 else 0
    assert {point.terms.phi for point in points} == {float(squares + own)}
    values = [point.r for point in points]
    assert values == sorted(values)
    assert values[-1] <= bound_curve(limit) + 1e-9
    assert bound_curve(limit) - values[-1] < 0.01
    assert len({point.width - point.context for point in points}) == 1
    assert len({(point.depth, point.num_heads, point.precision) for point in points}) == 1


# Ordinary transformers in one call each


def test_there_and_back_again(tmp_path: Path) -> None:
    net = crasp.compile("aa-star")
    ordinary = nets.translate(net, context=8)
    assert repr(ordinary) == "<OrdinaryTransformer aa-star: context 8, R = 18.796545910>"
    assert [ordinary.accepts("a" * n, offset=1) for n in range(4)] == [True, False, True, False]
    assert ordinary.logits("a") == ordinary.logits("a", offset=6) == (Fraction(-1),)
    assert ordinary.variant() is None
    path = tmp_path / "o.json"
    ordinary.save(path)
    lifted = nets.ordinary_transformer(path).lift()
    assert [("a" * n) in lifted for n in range(4)] == [True, False, True, False]
    assert ordinary.r_terms("sum").total > ordinary.r


# Lemma 52 run: the same logits on every input up to N, and there and back again


def assert_lifted(ordinary, lifted, longest):
    """The same logits and verdicts."""
    for word in words_up_to(len(ordinary.alphabet), longest):
        wanted, found = trace(ordinary, word), trace(lifted, word)
        assert (found.logits, found.accepted) == (wanted.logits, wanted.accepted), word


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-7-local", "tomita-4", "aa-star", "abab-star"])
def test_lifted_and_back_again(name):
    limit = compiled(name)
    lifted = lift(translate(limit, 8))
    assert_lifted(limit, lifted, 6 if len(limit.alphabet) == 1 else 5)
    assert lifted.period == limit.period
    assert lifted.reach == limit.reach


def test_half_bits_that_fit():
    assert_lifted(tomita_7(), lift(translate(tomita_7(), 8)), 5)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(60))
def test_random_members(seed):
    net = random_net(random.Random(seed), context=4)
    if find_variant(Products(net)) is None:
        assert_lifted(net, lift(net), 3)
    else:
        with pytest.raises(HypothesisFormatError, match="expected a translation invariant product"):
            lift(net)


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
