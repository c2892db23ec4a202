"""Lattice realisations: the same verdicts, no more R than scaled, and R* of the whole class where known."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idinf
from idinf.equivalence.rewritten import NotRewritten, check_rewritten
from idinf.errors import BudgetError
from idinf.transformers import lattice, reference
from idinf.transformers.dense import Activation, Layer, Mlp, matrix, vector
from idinf.transformers.direct_reading import list_direct_readings
from idinf.transformers.equal_units import join_equal_heads, join_equal_units, list_split_units
from idinf.transformers.factorizations import list_factorizations, list_moves
from idinf.transformers.lattice import LatticeRealisation, find_lattice_realisation
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.transformers.regularizer import Aggregate, compute_r_terms
from idinf.transformers.stream_factors import list_groups, rewrite, split_off
from idinf.words import Alphabet, words_up_to
from tests.compilation.random_hypotheses import random_hypothesis
from tests.ordinary.nets import random_net

SIGMA = Alphabet(("0", "1"))


def total(net, aggregate=Aggregate.MAX):
    return compute_r_terms(net, aggregate).total


def verdicts(net, longest=6):
    return [reference.accepts(net, word) for word in words_up_to(len(net.alphabet), longest)]


def one_layer(channel, s=(0, 0, 0), b=0, *, complement=False):
    """One head, one unit that reads its one channel and the last token."""
    layer = OneHotLayer((OneHotHead((channel,)),), (OneHotUnit(((0, 0, 1),), s=s, b=b),))
    return OneHotTransformer(SIGMA, 0, (layer,), (-1 if complement else 1,), -complement).to_dense()


#: Records of one-hot runs, as (SOS, 0, 1), and R* of the whole class Θ of Definition 4 by `--class theta`.
RECORDS = {
    "majority": (one_layer((0, 1, -1), complement=True), 5.5),
    "tomita-1": (one_layer((0, 1, 0), complement=True), 5.5),
    "at-least-3-ones": (one_layer((-2, 0, 1)), 5.914213562),
    "ge-2-3": (one_layer((0, 3, -2), complement=True), 6.116025404),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_of_one_layer_reach_the_least_r_of_the_whole_class(name):
    net, r = RECORDS[name]
    found = find_lattice_realisation(net)
    assert total(found.transformer) == pytest.approx(r, abs=1e-8)
    assert found.transformer.threshold == 0
    assert found.steps[0] == "U reads the stream"
    assert find_lattice_realisation(net) == found  # the same every time
    assert check_rewritten(net, found.transformer)[0] is None
    assert idinf.hypothesis(found.transformer).difference(idinf.target(name), max_n=16).equal


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("aggregate", Aggregate)
def test_a_whole_threshold_stays_one(name, aggregate):
    net, r = RECORDS[name]
    found = find_lattice_realisation(net, aggregate, True).transformer
    assert Fraction(found.threshold).denominator == 1
    assert total(found, aggregate) == pytest.approx(r, abs=1e-8)


def test_words_of_even_length_need_neither_head_nor_unit():
    """5 is R* of (aa)* among Limit Transformers: a period of 2 and nothing but p and U."""
    found = find_lattice_realisation(idinf.compile("aa-star").transformer)
    net = found.transformer
    assert (total(net), net.num_heads, net.num_units, net.period) == (5.0, 0, 0, 2)


@pytest.mark.thinned(21)
@pytest.mark.parametrize("seed", range(7, 28))
def test_random_hypotheses_answer_as_before(seed, monkeypatch):
    monkeypatch.setattr(lattice, "WORK", 200)
    net, aggregate = random_hypothesis(seed, matrices=0.3).to_dense(), [*Aggregate][seed % 2]
    found = find_lattice_realisation(net, aggregate, seed % 3 == 0)
    assert verdicts(found.transformer) == verdicts(net)
    assert total(found.transformer, aggregate) <= total(found.scaled, aggregate) + 1e-9
    assert Fraction(found.transformer.threshold).denominator == 1 or seed % 3


def random_single_unit(rng):
    """One unit that U reads by itself or by its complement, one or two layers, heads or none."""
    two = rng.random() < 0.5

    def numbers(count):
        return tuple(rng.randint(-2, 2) for _ in range(count))

    layers = []
    for features in (3, 4)[: 1 + two]:
        heads = (OneHotHead(((*numbers(features - 1), 1),)),) if rng.random() < 0.8 else ()
        reads = ((0, 0, 1),) * len(heads)
        layers.append(OneHotLayer(heads, (OneHotUnit(reads, numbers(features), rng.randint(-2, 2)),)))
    sign = rng.choice([1, -1])
    return OneHotTransformer(SIGMA, 0, tuple(layers), (sign,), min(sign, 0)).to_dense()


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_u_reads_the_stream_without_the_last_unit(seed):
    net = random_single_unit(random.Random(seed))
    readings = list_direct_readings(net)
    assert readings
    for made in readings:
        assert not made.layers[-1].mlp.b
        assert verdicts(made, 4) == verdicts(net, 4)


def test_a_wrong_strictness_is_caught():
    """Ties are what δ at SOS is for: without it, or with 2q, majority is another language."""
    net = RECORDS["majority"][0]
    right, _ = list_direct_readings(net)
    check_rewritten(net, right)
    sum_ = right.width - 1
    for factor in (0, 2):
        U = (*right.unembedding[0][:sum_], factor * right.unembedding[0][sum_])
        with pytest.raises(NotRewritten):
            check_rewritten(net, replace(right, unembedding=(U,)))
    strict = list_direct_readings(RECORDS["at-least-3-ones"][0])[0]
    with pytest.raises(NotRewritten):
        check_rewritten(strict, replace(strict, threshold=-1))


def test_heads_that_are_not_uniform_have_no_complement():
    net = RECORDS["majority"][0]
    (head,) = net.layers[0].heads
    local = replace(head, phi=vector([0, 1]))
    assert not list_direct_readings(replace(net, layers=(replace(net.layers[0], heads=(local,)),)))


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(30, 42))
def test_other_coordinates_leave_what_is_read(seed):
    net = random_hypothesis(seed, matrices=0.3).to_dense()
    before = verdicts(net, 4)
    for place in range(len(list_groups(net))):
        group = list_groups(net)[place]
        product = split_off(net, group).product()
        options = list_factorizations(product)[:4]
        for factors in (*options, *[move for option in options[:1] for move in list_moves(option)][:6]):
            assert factors.product() == product
            assert verdicts(rewrite(net, group, factors), 4) == before


def test_a_wrong_factor_is_caught():
    net = RECORDS["ge-2-3"][0]
    group = list_groups(net)[0]
    factors = list_factorizations(split_off(net, group).product())[0]
    wrong = tuple(tuple(max(entry, Fraction(-1)) for entry in row) for row in factors.written)
    with pytest.raises(NotRewritten):
        check_rewritten(net, rewrite(net, group, replace(factors, written=wrong)))


def test_units_are_joined_and_split():
    unit, other = OneHotUnit((), (0, 0, 1), 0), OneHotUnit((), (0, 1, 0), 0)
    net = OneHotTransformer(SIGMA, 0, (OneHotLayer((), (unit, other, unit)),), (1, 1, 1), 1).to_dense()
    joined = join_equal_units(net)
    assert (joined.num_units, verdicts(joined)) == (2, verdicts(net))
    B = matrix([[0, 0], [0, 0], [0, 0], [3, 1]])
    mlp = Mlp(matrix([[0, 0, 1, 0], [0, 1, 0, 0]]), vector([0, 0]), B, (Activation.HEAVISIDE,) * 2)
    E, U = matrix([[int(row == k) for k in range(4)] for row in range(3)]), matrix([[0, 0, 0, 1]])
    weighed = LimitTransformer(SIGMA, 0, E, matrix([[0] * 4]), (Layer((), mlp),), U, threshold=2)
    split = [*list_split_units(weighed)]
    assert [made.num_units for made in split] == [3, 4]
    found = find_lattice_realisation(weighed)
    assert found.steps[0] == "a unit as several equal ones"
    assert (total(found.transformer), verdicts(found.transformer)) == (4.5, verdicts(weighed))
    assert total(found.scaled) == pytest.approx(4.644122806, abs=1e-8)
    assert all(verdicts(made) == verdicts(weighed) for made in split)
    assert all(join_equal_units(made) == weighed for made in split)


def test_equal_heads_are_one():
    head = OneHotHead(((0, 1, -1),))
    unit = OneHotUnit(((0, 0, 1), (1, 0, 1)), (0, 0, 0), 0)
    net = OneHotTransformer(SIGMA, 0, (OneHotLayer((head, head), (unit,)),), (1,), 0).to_dense()
    one = join_equal_heads(net)
    assert (one.num_heads, verdicts(one)) == (1, verdicts(net))
    assert find_lattice_realisation(net).steps[0] == "equal heads as one"


@pytest.mark.parametrize("seed", range(4))
def test_ordinary_transformers_keep_their_answers(seed, monkeypatch):
    monkeypatch.setattr(lattice, "WORK", 400)
    net = random_net(random.Random(seed), p=seed % 2)
    found = find_lattice_realisation(net)
    assert isinstance(found, LatticeRealisation)
    assert check_rewritten(net, found.transformer)[1] == "word by word"


@pytest.mark.slow
def test_next_symbols_stay(monkeypatch):
    monkeypatch.setattr(lattice, "WORK", 400)
    net = idinf.hypothesis("specs/known/dyck-1-next.json").transformer
    found = find_lattice_realisation(net)
    up_to, _ = check_rewritten(net, found.transformer)
    assert (up_to or 0) >= 6


def test_a_very_large_net_is_refused_by_its_size():
    layers = tuple(
        OneHotLayer(
            (OneHotHead(((0, 1, -1, *[0] * k),)),), (OneHotUnit(((0, 0, 1),), (0, 0, 0, *[0] * k), 0),)
        )
        for k in range(16)
    )
    net = OneHotTransformer(SIGMA, 0, layers, (1,), 0).to_dense()
    with pytest.raises(BudgetError, match="the net has 50 matrices"):
        find_lattice_realisation(net)
