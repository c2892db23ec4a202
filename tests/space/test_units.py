"""Lists of single units against nested loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.lower_layers.normal_form import exact_numbers
from idinf.space import units as unit_lists
from idinf.space import units as units_module
from idinf.space.structures import Cost
from idinf.space.units import (
    ChannelReads,
    LayerBudget,
    LayerFilter,
    UnitListRequest,
    UnitLists,
    Units,
    iter_unit_chunks,
    keep_units_alone,
)

STEPS = st.sampled_from([0.0, 0.25, 0.5, 1.0, math.sqrt(0.5), math.sqrt(2.0)])
RESTS = st.one_of(st.just(Cost()), st.builds(Cost, st.sampled_from([0.0, 1.0]), STEPS, STEPS, STEPS))


def total(terms, rest, aggregate):
    rest = (rest.rank, rest.norm_V, rest.norm_A, rest.norm_b)
    join = sum if aggregate is Aggregate.SUM else max
    return sum(join(pair) for pair in zip(rest, terms, strict=True))


def norm(vector, step):
    return step * math.sqrt(sum(x * x for x in vector))


def listed(units):
    channels = units.channels.sum(axis=1)
    return sorted(
        zip(*(x.tolist() for x in (channels, units.entry.sum(axis=1), units.own, units.bias)), strict=True)
    )


def reads(head):
    return ChannelReads.alone(int(head))


def nested(features, precision, head, spare, budget, rest, aggregate):
    step, one = 2.0**-precision, 2**precision
    reach = int((budget + 1e-6) / step)
    box = [
        list(v)
        for v in itertools.product(range(-reach, reach + 1), repeat=features)
        if norm(v, step) <= budget + 1e-6
    ]
    entry = one if head else 0
    least = (float(head), step if head else 0.0, norm([entry], step), 0.0)

    def fits(term, value):
        """Whether one term may have a value when the others are least."""
        return total((*least[:term], value, *least[term + 1 :]), rest, aggregate) <= budget + 1e-9

    channels = [v for v in box if any(v) and fits(1, norm(v, step))] if head else [[0] * features]
    owns = [v for v in box if fits(2, norm([entry, *v], step))]
    biases = [b for b in range(-reach, reach + 1) if fits(3, step * abs(b))]
    found = []
    for channel, own in itertools.product(channels, owns):
        plain = (float(head), norm(channel, step), norm([entry, *own], step))
        found.extend(
            (channel, entry, own, bias)
            for bias in biases
            if total((*plain, step * abs(bias)), rest, aggregate) <= budget + 1e-9
        )
    return sorted(found)


def all_units(features, precision, reads, *rest, **bounds):
    none = Units.none(features, precision, len(reads.own))
    return Units.concatenate(
        [none, *iter_unit_chunks(LayerBudget(features, precision, *rest), reads, **bounds)]
    )


@given(
    st.sampled_from([(2, 0), (2, 1), (3, 0)]),
    st.booleans(),
    st.sampled_from([-0.5, 0.0, 0.75, 1.0]),
    RESTS,
    st.sampled_from(Aggregate),
)
def test_exactly_the_units_of_nested_loops(size, head, spare, rest, aggregate):
    """Budgets reach ``spare`` above the cheapest unit, so boundary cases are met."""
    features, precision = size
    least = (1.0, 2.0**-precision, 1.0, 0.0) if head else (0.0, 0.0, 0.0, 0.0)
    budget = total(least, rest, aggregate) + spare
    units = all_units(features, precision, reads(head), budget, rest, aggregate)
    assert listed(units) == nested(features, precision, head, spare, budget, rest, aggregate)


@given(st.sampled_from([0, 1]), st.sampled_from([3.0, 4.25]), RESTS, st.sampled_from(Aggregate), st.data())
def test_units_come_cheapest_first(precision, budget, rest, aggregate, data):
    """By the sum that R sees; the parts and the bands of shells do not matter."""
    reading = data.draw(st.sampled_from([reads(False), reads(True), ChannelReads((False,), ((1, -1),))]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units_module, "CHUNK", data.draw(st.sampled_from([3, 50, 1 << 17])))
        patch.setattr("idinf.space.units.BAND", data.draw(st.sampled_from([1, 7, 1 << 20])))
        units = all_units(2, precision, reading, budget + rest.total / 2, rest, aggregate)
    sums = [total(terms, rest, aggregate) for terms in units.costs(aggregate)]
    assert all(before <= after + 1e-12 for before, after in itertools.pairwise(sums))
    assert max(sums, default=0.0) <= budget + rest.total / 2 + 1e-8


def rows_of(units):
    columns = [units.channel, units.entry, units.own, units.bias[:, None]]
    return sorted(map(tuple, np.concatenate(columns, axis=1).tolist()))


def kept(chunks, heads, within, exact):
    known = LayerFilter(
        lambda units: np.zeros(len(units), dtype=np.int64), exact, lambda t: t == 0, lambda t: t[:, 0] == 0
    )
    return rows_of(keep_units_alone(chunks, heads, within, known)[0])


def check_shared(lists, heads, precision, aggregate):
    def exact(units):
        return exact_numbers(units, heads, 3, 1)

    dearer = [Cost(), Cost(1.0, 1.0, 1.5, 0.5), Cost(2.0, 0.5, 1.0, 1.0), Cost(1.0, 2.0, 1.0, 1.0)]
    for total in (4.0, 4.5, 3.8):  # a larger list replaces a smaller one, and serves smaller totals
        wide = LayerBudget(3, precision, total, Cost(), aggregate)
        for rest in dearer:
            within = LayerBudget(3, precision, total, rest, aggregate)
            shared = lists.find(UnitListRequest(heads, wide, len(heads), exact)).within(within, len(heads))
            own = iter_unit_chunks(within, ChannelReads.alone(len(heads)))
            assert kept(shared, len(heads), within, exact) == kept(own, len(heads), within, exact)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("heads", [(), (UNIFORM,), (AttentionPattern(phi=(1,)),)], ids=len)
def test_every_unit_within_a_smaller_budget(heads, aggregate):
    for precision in (0, 1):
        check_shared(UnitLists(), heads, precision, aggregate)
    check_shared(UnitLists(most_listed=0), heads, 0, aggregate)  # too long a list is not shared


def test_a_list_for_dearer_layers_is_noticed(monkeypatch):
    """A planted fault: the list is that of one of the budgets it has to serve."""
    monkeypatch.setattr(
        unit_lists.UnitLists,
        "_listed",
        lambda self, wanted: unit_lists.UnitList(
            (wide := wanted.wide).total,
            part := Units.concatenate(
                list(
                    iter_unit_chunks(
                        LayerBudget(3, wide.precision, wide.total, Cost(1.0, 1.0, 1.5, 0.5), wide.aggregate),
                        ChannelReads.alone(wanted.heads),
                    )
                )
            ),
            part.costs(wide.aggregate),
        ),
    )
    with pytest.raises(AssertionError):
        check_shared(UnitLists(), (UNIFORM,), 0, Aggregate.MAX)
