"""Forecasts: equal to what is listed, a lower bound where the work ends, the same for any budget's size."""

from __future__ import annotations

import pytest

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Answer
from idinf.space import forecast as module
from idinf.space.forecast import forecast, measure_longest_list
from idinf.space.structures import LayerShape, StructureSpace
from idinf.space.units import ChannelReads, LayerBudget, iter_unit_chunks
from idinf.transformers.attention import UNIFORM
from idinf.transformers.regularizer import Aggregate

HUGE = [20.0, 100.0, 1e6, 1e160, 1e308]
WIDE = {"layers": 5, "heads": 2, "units": 4, "precision": 3, "period": 4}
WIDEST = {**WIDE, "reach": 3, "logit_max": 2, "content_max": 2}


@pytest.mark.thinned(5)
@pytest.mark.parametrize("preset", ["nope", "local", "periodic"])
@pytest.mark.parametrize("answer", Answer)
def test_structures_are_those_of_the_search(preset, answer):
    bounds = SpaceBounds.from_preset(preset, layers=3, max_r=10.5)
    known = forecast(bounds, Aggregate.MAX, 2, answer)
    listed = StructureSpace(bounds, Aggregate.MAX, 2, answer).up_to(10.5)
    depths = [structure.depth for structure in listed]
    assert known.all_structures
    assert known.structures == tuple((depth, depths.count(depth)) for depth in sorted(set(depths)))


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("heads", [0, 1])
def test_the_longest_list_is_that_of_the_units(aggregate, heads):
    bounds = SpaceBounds.from_preset("nope", layers=1, heads=heads, units=1, precision=1, max_r=8.0 + heads)
    space = StructureSpace(bounds, aggregate, 2)
    known = forecast(bounds, aggregate, 2)
    sizes = []
    for precision in (0, 1):
        structure = space.structure((LayerShape((UNIFORM,) * heads, 1),), precision, 1)
        room = bounds.max_r - structure.base(aggregate)
        within = LayerBudget(3, precision, room, structure.rest_floor(0, aggregate), aggregate)
        chunks = iter_unit_chunks(within, ChannelReads.alone(heads))
        sizes.append(sum(map(len, chunks)))
    assert known.all_units
    assert known.largest >= max(sizes) > 0
    if not heads:
        assert known.largest == max(sizes)


@pytest.mark.thinned(50)
@pytest.mark.parametrize("max_r", HUGE)
@pytest.mark.parametrize("symbols", [2, 20, 60])
@pytest.mark.parametrize(
    "bounds",
    [SpaceBounds.from_preset("nope"), SpaceBounds.from_preset("full", **WIDEST)],
    ids=["nope", "wide"],
)
def test_any_budget_is_counted_as_far_as_the_work_goes(bounds, symbols, max_r):
    bounds = bounds.overridden(max_r=max_r)
    known = forecast(bounds, Aggregate.MAX, symbols)
    assert known.largest > 1e6
    assert known.total > 0
    assert measure_longest_list(bounds, Aggregate.MAX, symbols)[0] <= known.largest
    assert not (known.all_units and max_r > 20)


def test_work_that_ends_early_gives_lower_bounds(monkeypatch):
    bounds = SpaceBounds.from_preset("periodic", max_r=11)
    whole = forecast(bounds, Aggregate.MAX, 2)
    assert whole.all_structures
    assert whole.all_units
    seen = set()
    for steps in (20_000, 200_000, 1_000_000):
        monkeypatch.setattr(module, "STEPS", steps)
        part = forecast(bounds, Aggregate.MAX, 2)
        assert part == forecast(bounds, Aggregate.MAX, 2)
        assert part.total <= whole.total
        assert part.largest <= whole.largest
        assert (part.total < whole.total) <= (not part.all_structures)
        assert (part.largest < whole.largest) <= (not part.all_units)
        seen.add(part.total)
    assert len(seen) == 3


def test_no_step_is_taken_that_was_not_allowed():
    """The work is bounded by steps, so the longest count takes about as long as any other."""
    count = module._SizeCount(10)
    with pytest.raises(module._Enough):
        count.spend(11)
    assert count.left == 10
