"""A list that many lower layers share holds for each of them what its own list would."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.lower_layers.normal_form import exact_numbers
from idinf.space import units as unit_lists
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
