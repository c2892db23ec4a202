"""Layers of one and two units against nested loops, and what reduction may drop."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from idinf.errors import BudgetError
from idinf.space.layers import LayerFilter, layer_choices, undominated
from idinf.space.structures import Cost, LayerShape
from idinf.transformers.regularizer import Aggregate

RESTS = (Cost(), Cost(1.0, 0.5, 1.0, 0.0), Cost(1.0, math.sqrt(2.0), 0.5, 0.5))


def everything(reduce=False, number=None, exact=None, most=10**7):
    """A filter that keeps every table; units are numbered by what ``number`` says of them."""

    def nothing(units):
        return np.zeros(len(units), dtype=np.int64)

    def any_table(*tables):
        return np.ones(len(tables[0]), dtype=np.bool_)

    return LayerFilter(number or nothing, exact or number or nothing, any_table, any_table, reduce, most)


def total(terms, rest, aggregate):
    rest = (rest.rank, rest.norm_V, rest.norm_A, rest.norm_b)
    join = sum if aggregate is Aggregate.SUM else max
    return sum(join(pair) for pair in zip(rest, terms, strict=True))


def terms_of(channels, entries, owns, biases, step):
    """rank_V, ‖V‖, ‖A‖ and ‖b‖ of a layer from its matrices."""
    stack = np.array(channels, dtype=float) * step
    rank = float(np.linalg.matrix_rank(stack)) if channels else 0.0
    norm_v = float(np.linalg.norm(stack, 2)) if channels else 0.0
    squares = sum(c * c for c in entries) + sum(x * x for own in owns for x in own)
    return rank, norm_v, step * math.sqrt(squares), step * math.sqrt(sum(b * b for b in biases))


def nested(shape, features, precision, spare, rest, aggregate):
    """Multisets of units (channel, entry, own, bias), and whether they share a channel, with the terms."""
    step, one = 2.0**-precision, 2**precision
    floor = vars_of(shape.floor(precision))
    budget = total(floor, rest, aggregate) + spare
    # No single term can exceed the larger of its floor and the rest's by more than what is spare.
    widest = max(max(floor[1:]), max(vars_of(rest)[1:])) + spare + 1e-6
    reach = int(widest / step)
    box = [
        v
        for v in itertools.product(range(-reach, reach + 1), repeat=features)
        if step * math.sqrt(sum(x * x for x in v)) <= widest
    ]
    zero = (0,) * features
    nonzero = [v for v in box if any(v)]
    found = {}
    wirings = []
    for reading in itertools.product((False, True), repeat=shape.units):
        if any(reading) == (shape.heads > 0):
            own = [nonzero if r else [zero] for r in reading]
            entries = tuple(one if r else 0 for r in reading)
            wirings.extend((channels, entries, False) for channels in itertools.product(*own))
    if shape.heads and shape.units == 2:
        entries = [c for c in range(-reach, reach + 1) if c]
        wirings += [((g, g), (c, d), True) for g in nonzero for c in entries for d in entries]
    for channels, entries, shared in wirings:
        rows = [channels[0]] if shared else [c for c, e in zip(channels, entries, strict=True) if e]
        bare = terms_of(rows, entries, [zero], [0], step)
        if total(bare, rest, aggregate) > budget + 1e-9:
            continue
        alone = [
            own
            for own in box
            if total((*bare[:2], math.hypot(bare[2], step * math.hypot(*own)), 0.0), rest, aggregate)
            <= budget + 1e-6
        ]
        for owns in itertools.product(alone, repeat=shape.units):
            squares = sum(c * c for c in entries) + sum(x * x for own in owns for x in own)
            plain = (bare[0], bare[1], step * math.sqrt(squares), 0.0)
            if total(plain, rest, aggregate) > budget + 1e-9:
                continue
            for biases in itertools.product(range(-reach, reach + 1), repeat=shape.units):
                terms = (*plain[:3], step * math.sqrt(sum(b * b for b in biases)))
                if total(terms, rest, aggregate) <= budget + 1e-9:
                    units = sorted(zip(channels, entries, owns, biases, strict=True))
                    found[(tuple(units), shared)] = terms
    return found


def listed(choices):
    found, number = {}, 0
    for k in range(len(choices)):
        units = sorted(
            (tuple(u.channel[k].tolist()), int(u.entry[k]), tuple(u.own[k].tolist()), int(u.bias[k]))
            for u in choices.units
        )
        found[(tuple(units), bool(choices.shared[k]))] = tuple(choices.costs[k])
        number += 1
    return found, number


CASES = [
    (LayerShape(0, 1), 2, 0, 2.0),
    (LayerShape(1, 1), 2, 1, 1.0),
    (LayerShape(1, 1), 3, 0, 1.0),
    (LayerShape(0, 2), 2, 0, 1.0),
    (LayerShape(0, 2), 2, 1, 0.5),
    (LayerShape(1, 2), 2, 0, 0.5),
    (LayerShape(1, 2), 1, 1, 0.5),
    (LayerShape(1, 2), 3, 0, 0.42),
]


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize(("shape", "features", "precision", "spare"), CASES)
def test_exactly_the_layers_of_nested_loops(shape, features, precision, spare, rest, aggregate):
    budget = total(tuple(vars_of(shape.floor(precision))), rest, aggregate) + spare
    choices = layer_choices(shape, features, precision, budget, rest, aggregate, everything())
    want = nested(shape, features, precision, spare, rest, aggregate)
    have, number = listed(choices)
    assert have.keys() == want.keys()
    assert number == len(have)  # nothing twice
    for key, terms in want.items():
        assert have[key] == pytest.approx(terms, abs=1e-12)


def vars_of(cost):
    return cost.rank, cost.norm_V, cost.norm_A, cost.norm_b


def behaviour(units):
    """A coarse stand-in for the exact function: what matters is that equal numbers are interchangeable."""
    return (units.values.sum(axis=1) + 3 * units.own.sum(axis=1) + units.bias) % 5


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize(("shape", "features", "precision", "spare"), CASES)
def test_reduction_keeps_the_least_cost_of_every_function_over_any_rest(
    shape, features, precision, spare, aggregate
):
    budget = total(tuple(vars_of(shape.floor(precision))), Cost(), aggregate) + spare
    least, sizes = {}, []
    for reduce in (False, True):
        choices = layer_choices(
            shape, features, precision, budget, Cost(), aggregate, everything(reduce, behaviour)
        )
        for over, rest in enumerate(RESTS):
            costs = [total(tuple(row), rest, aggregate) for row in choices.costs]
            for table, cost in zip(map(tuple, choices.tables.tolist()), costs, strict=True):
                key = (reduce, over, table)
                least[key] = min(cost, least.get(key, math.inf))
        sizes.append(len(choices))
    assert sizes[1] < sizes[0]
    raw = {key[1:]: cost for key, cost in least.items() if not key[0]}
    reduced = {key[1:]: cost for key, cost in least.items() if key[0]}
    assert raw.keys() == reduced.keys()
    for key, cost in raw.items():
        assert reduced[key] == pytest.approx(cost, abs=1e-12)


def test_filters_by_table_and_by_pair():
    shape = LayerShape(1, 2)
    keep_all = layer_choices(shape, 2, 0, 4.0, Cost(), Aggregate.MAX, everything(False, behaviour))
    known = LayerFilter(behaviour, behaviour, lambda t: t != 2, lambda a, b: (a + b) % 2 == 0, False)
    some = layer_choices(shape, 2, 0, 4.0, Cost(), Aggregate.MAX, known)
    wanted = (keep_all.tables != 2).all(axis=1) & (keep_all.tables.sum(axis=1) % 2 == 0)
    assert listed(some)[0].keys() == listed(keep_all.take(wanted))[0].keys()
    assert 0 < len(some) < len(keep_all)
    assert (some.tables[:, 0] <= some.tables[:, 1]).all()
    for column, units in enumerate(some.units):
        assert np.array_equal(behaviour(units), some.tables[:, column])


def test_pairs_are_formed_in_blocks(monkeypatch):
    whole = layer_choices(LayerShape(1, 2), 2, 0, 4.0, Cost(), Aggregate.MAX, everything())
    monkeypatch.setattr("idinf.space.layers.PAIR_BLOCK", 7)
    blocks = layer_choices(LayerShape(1, 2), 2, 0, 4.0, Cost(), Aggregate.MAX, everything())
    assert listed(blocks) == listed(whole)


def test_more_pairs_than_the_bound_are_refused():
    with pytest.raises(BudgetError, match="more than 40 realisations"):
        layer_choices(LayerShape(0, 2), 2, 0, 2.0, Cost(), Aggregate.MAX, everything(most=40))


@settings(deadline=None)
@given(st.data())
def test_undominated_keeps_exactly_the_pareto_points(data):
    size = data.draw(st.integers(0, 14))
    columns = [data.draw(hnp.arrays(np.int64, size, elements=st.integers(0, 3))) for _ in range(3)]
    groups, first, second = columns
    want = []
    for i in range(size):
        beaten = any(
            groups[j] == groups[i]
            and first[j] <= first[i]
            and second[j] <= second[i]
            and ((first[j], second[j]) != (first[i], second[i]) or j < i)
            for j in range(size)
            if j != i
        )
        if not beaten:
            want.append(i)
    assert undominated(groups, first, second).tolist() == want
    assert undominated(groups, np.sqrt(first), np.sqrt(second)).tolist() == want
