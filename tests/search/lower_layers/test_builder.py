"""Stacks: every behaviour of the lower layers once, with all its Pareto costs, against nested loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import words_up_to
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.lower_layers.builder import LowerLayersBuilder
from idinf.search.lower_layers.stacks import pareto_costs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.structures import Cost, LayerShape, Structure
from tests.search.brute_force import Inputs as NaiveInputs
from tests.search.nested_loops import idle_entries, layers_of
from tests.search.random_nets import random_target

LENGTH = 3


def pareto(points):
    """Points that no other point beats in every term; equal up to rounding counts once."""
    points = {tuple(round(float(x), 9) for x in point) for point in points}
    return {
        p
        for p in points
        if not any(q != p and all(a <= b for a, b in zip(q, p, strict=True)) for q in points)
    }


def joined(first, second, aggregate):
    join = sum if aggregate is Aggregate.SUM else max
    return tuple(join(pair) for pair in zip(first, second, strict=True))


TERMS = st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, 2.0**0.5, 2.0])] * 4)


@given(
    st.lists(TERMS, min_size=1, max_size=4),
    st.lists(TERMS, min_size=1, max_size=8),
    st.sampled_from(Aggregate),
)
def test_pareto_costs_are_the_pareto_points_of_all_pairs(lower_costs, costs, aggregate):
    have = pareto_costs(np.array(lower_costs), np.array(costs), aggregate)
    want = pareto(joined(a, b, aggregate) for a, b in itertools.product(lower_costs, costs))
    assert len(have) == len(want)
    assert {tuple(round(float(x), 9) for x in row) for row in have} == want


LOCAL = AttentionPattern(phi=(0, 1))
HALF = AttentionPattern(phi=(1,))
ASKED = AttentionPattern(logits=((0, 1), (0, 0)))
HEAD = LayerShape((UNIFORM,), 1)

#: Symbols, Δ, p, hidden layers, last layer, spare above the floor.
CASES = {
    "headless": (2, 1, 0, (LayerShape((), 1),), HEAD, 1.5),
    "headless-three-units": (1, 1, 0, (LayerShape((), 3),), LayerShape((), 1), 1.0),
    "uniform": (2, 1, 0, (HEAD,), HEAD, 1.0),
    "uniform-half": (1, 1, 1, (HEAD,), LayerShape((), 1), 0.8),
    "two-units": (2, 1, 0, (LayerShape((UNIFORM,), 2),), HEAD, 0.8),
    "two-units-half": (1, 1, 1, (LayerShape((UNIFORM,), 2),), HEAD, 0.5),
    "three-units": (1, 1, 0, (LayerShape((UNIFORM,), 3),), LayerShape((), 2), 0.8),
    "period": (1, 2, 0, (HEAD,), LayerShape((), 1), 1.0),
    "local": (2, 1, 0, (LayerShape((LOCAL,), 1),), HEAD, 1.0),
    "half-weights": (1, 1, 1, (LayerShape((HALF,), 1),), LayerShape((), 1), 0.8),
    "content": (1, 1, 0, (LayerShape((ASKED,), 1),), HEAD, 1.5),
    "two-heads": (1, 1, 0, (LayerShape((UNIFORM, LOCAL), 1),), HEAD, 1.0),
    "two-heads-two-units": (1, 1, 0, (LayerShape((UNIFORM, LOCAL), 2),), LayerShape((), 1), 0.42),
    "two-hidden": (2, 1, 0, (LayerShape((), 1), HEAD), HEAD, 0.8),
    "two-hidden-local-below": (1, 1, 0, (LayerShape((LOCAL,), 1), HEAD), HEAD, 0.8),
    "two-hidden-local-above": (1, 1, 0, (HEAD, LayerShape((LOCAL,), 1)), LayerShape((), 1), 0.8),
}


def builder(name, aggregate=Aggregate.MAX, **options):
    size, period, precision, hidden, top, spare = CASES[name]
    structure = Structure((*hidden, top), precision, period)
    words = ShortWords.of(random_target(np.random.default_rng(0), size), LENGTH)
    high = structure.floor(aggregate) + spare
    return LowerLayersBuilder(words, structure, aggregate, high, LENGTH, **options)


def lower_layers_of(build):
    return [lower for start in build.starts() for lower in build.finished((start,))]


def behaviour(lower, structure):
    """The bits of the units of every layer on all rows (N, prefix), units of a layer in any order."""
    lifted = lower.inputs.lifted().last
    start = len(lifted) - sum(layer.units for layer in structure.hidden)
    layers = []
    for layer in structure.hidden:
        layers.append(tuple(sorted(map(tuple, lifted[start : start + layer.units].tolist()))))
        start += layer.units
    return tuple(layers)


def nested(name, aggregate):
    """Every behaviour of lower layers within the budget, with the terms of all its realisations."""
    size, period, precision, hidden, top, spare = CASES[name]
    structure = Structure((*hidden, top), precision, period)
    budget = structure.floor(aggregate) + spare - structure.base(aggregate)
    floor = top.floor(precision, aggregate)
    words = list(words_up_to(size, LENGTH))
    rows = [
        (n, w) for i in range(LENGTH + 1) for n in range(i, LENGTH + 1) for w in words if len(w) == i
    ]  # in the order of the forest
    found = {}

    def extend(inputs, index, done, terms):
        rest = Cost(*terms).join(floor, aggregate)
        for layer in hidden[index + 1 :]:
            rest = rest.join(layer.floor(precision, aggregate), aggregate)
        if index == len(hidden):
            if rest.total <= budget + 1e-9:
                found.setdefault(done, []).append(terms)
            return
        shape = hidden[index]
        if rest.join(shape.floor(precision, aggregate), aggregate).total > budget + 1e-9:
            return
        room = budget - rest.total if aggregate is Aggregate.SUM else budget
        layers = layers_of(
            len(inputs.features[0, ()]),
            len(shape.heads),
            shape.units,
            precision,
            round(room, 12),
            aggregate.value,
        )
        for layer in layers:
            if idle_entries(shape.heads, layer, precision, size + 1, period):
                continue
            grown = joined(terms, layer.terms, aggregate)
            bits = [
                tuple(inputs.unit(shape.heads, values, unit, precision, *row) for row in rows)
                for values, unit in zip(layer.values, layer.units, strict=True)
            ]
            order = sorted(bits)
            above = {
                row: (*inputs.features[row], *column)
                for row, column in zip(rows, zip(*order, strict=True), strict=True)
            }
            # Equal behaviours in another order of the units have the same realisations above.
            extend(NaiveInputs(above), index + 1, (*done, tuple(order)), grown)

    extend(NaiveInputs.of_tokens(size, LENGTH, period), 0, (), (0.0,) * 4)
    return found


ONE_HIDDEN = [name for name, case in CASES.items() if len(case[3]) == 1]
TWO_HIDDEN = [name for name, case in CASES.items() if len(case[3]) == 2]

#: These take seconds; the other aggregate of the same case stays quick.
SLOW = {
    ("two-heads-two-units", Aggregate.SUM),
    ("two-units-half", Aggregate.MAX),
    ("two-hidden", Aggregate.MAX),
}


def with_some_slow(names):
    pairs = [(name, aggregate) for name in names for aggregate in Aggregate]
    return [pytest.param(*pair, marks=pytest.mark.slow if pair in SLOW else ()) for pair in pairs]


@pytest.mark.thinned(18)
@pytest.mark.parametrize(("name", "aggregate"), with_some_slow(ONE_HIDDEN))
def test_every_behaviour_once_with_its_pareto_costs(name, aggregate):
    want = nested(name, aggregate)
    for reduce in (True, False):
        build = builder(name, aggregate, reduce=reduce)
        lower_layers = lower_layers_of(build)
        have = {behaviour(lower, build.structure): pareto(lower.lower_costs) for lower in lower_layers}
        assert len(have) == len(lower_layers)
        assert have == {bits: pareto(terms) for bits, terms in want.items()}
        for lower in lower_layers:
            assert len(lower.lower_costs) == len(pareto(lower.lower_costs))


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "aggregate"), with_some_slow(TWO_HIDDEN))
def test_stacks_of_two_layers_lose_no_behaviour_and_no_cost(name, aggregate):
    """The budget of an upper layer counts the least costs below, so some lower layers cost too much."""
    want = nested(name, aggregate)
    build = builder(name, aggregate)
    lower_layers = lower_layers_of(build)
    have = {behaviour(lower, build.structure): pareto(lower.lower_costs) for lower in lower_layers}
    assert len(have) == len(lower_layers) >= len(want) > 1
    for bits, terms in want.items():
        for point in pareto(terms):
            assert any(all(a <= b + 1e-9 for a, b in zip(p, point, strict=True)) for p in have[bits])
