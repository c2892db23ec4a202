"""Lists of single units against nested loops."""

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from idinf.nets.regularizer import Aggregate
from idinf.space.structures import Cost
from idinf.space.units import (
    LayerBudget,
    Units,
    iter_unit_chunks,
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


def all_units(features, precision, reads, *rest, alone=True):
    none = Units.none(features, precision, len(reads))
    return Units.concatenate([none, *iter_unit_chunks(LayerBudget(features, precision, *rest), reads, alone)])


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
    units = all_units(features, precision, (head,), budget, rest, aggregate)
    assert listed(units) == nested(features, precision, head, spare, budget, rest, aggregate)
