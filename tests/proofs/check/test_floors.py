"""Shapes with floors, listed again, against those that the search lists, and against nested loops."""

import itertools
import math

import pytest

from idinf.nets.regularizer import Aggregate
from idinf.proofs.check.floors import (
    NetShape,
    digest_shapes,
    floor_of_a_head,
    list_net_shapes,
    measure_floor,
)
from idinf.space.structures import Structure, StructureSpace
from idinf.spec.bounds import SpaceBounds
from idinf.spec.spec import Answer
from tests.asked_for import few

#: Layers, heads, units, precision, period.
SIZES = [(1, 1, 4, 3, 1), (2, 2, 2, 2, 2), (3, 1, 3, 1, 4), (4, 2, 1, 3, 1), (5, 0, 2, 0, 3), (2, 2, 4, 3, 1)]
ANSWERS = [(Answer.ACCEPT, 2), (Answer.SYMBOL, 1), (Answer.SYMBOL, 3), (Answer.SET, 1), (Answer.SET, 2)]


def shape_of(structure: Structure) -> NetShape:
    layers = tuple((len(layer.heads), layer.units) for layer in structure.layers)
    return NetShape(layers, structure.precision, structure.period, structure.readers)


def has_heads(shape: NetShape) -> bool:
    return any(heads for heads, _ in shape.layers)


def bounds_of(*sizes: int) -> SpaceBounds:
    names = ("layers", "heads", "units", "precision", "period")
    return SpaceBounds.from_preset("nope", **dict(zip(names, sizes, strict=True)))


def listed_by_search(structures: StructureSpace, high: float) -> list[tuple[float, Structure]]:
    found = list(structures.shapes(high))
    for period in range(1, structures.bounds.period + 1):
        found += structures.headless(min(high, floor_of_a_head(period)), period)
    return found


@pytest.mark.thinned(3)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize(("answer", "symbols"), ANSWERS)
def test_the_search_lists_the_same_shapes(aggregate: Aggregate, answer: Answer, symbols: int) -> None:
    met = 0
    for sizes, high in itertools.product(SIZES[:: few(2, 1)], (4.0, 7.3, 8.5, 9.0, 9 + math.sqrt(2), 10.6)):
        space = bounds_of(*sizes)
        listed = listed_by_search(StructureSpace(space, aggregate, symbols, answer), high)
        floors = {shape_of(structure): floor for floor, structure in listed}
        again = list(list_net_shapes(space, high, answer, symbols, aggregate))
        assert sorted(again) == sorted(floors)
        assert all(abs(measure_floor(shape, aggregate) - floor) < 1e-12 for shape, floor in floors.items())
        met += len(again)
    assert met > 20


@pytest.mark.thinned(2)
@pytest.mark.parametrize("aggregate", Aggregate)
def test_nothing_is_left_out_by_pruning(aggregate: Aggregate) -> None:
    """All tuples of numbers, each tested by its floor alone."""
    for high in (8.0, 9.7, 10.5):
        layers = list(itertools.product(range(3), range(1, 5)))
        every = (
            NetShape(rows, precision, period, 0)
            for depth in (1, 2, 3)
            for rows in itertools.product(layers, repeat=depth)
            for precision in range(4)
            for period in (1, 2, 3)
        )
        expected = sorted(
            shape
            for shape in every
            if measure_floor(shape, aggregate)
            <= min(high, math.inf if has_heads(shape) else floor_of_a_head(shape.period)) + 1e-9
        )
        space = bounds_of(3, 2, 4, 3, 3)
        assert sorted(list_net_shapes(space, high, Answer.ACCEPT, 2, aggregate)) == expected


def test_a_floor_is_that_of_the_cheapest_net_of_its_shape() -> None:
    """Entries as small as can be: what the search calls its floor is met by the smallest parameters."""
    assert measure_floor(NetShape(((0, 1),), 0, 1, 0), Aggregate.MAX) == 4.0
    assert measure_floor(NetShape(((1, 1),), 0, 1, 0), Aggregate.MAX) == 8.0
    assert measure_floor(NetShape(((1, 1), (1, 1)), 0, 1, 0), Aggregate.SUM) == 13.0


@pytest.mark.parametrize("wrong", ["head", "no head", "unit", "layer", "precision"])
def test_a_shape_that_is_missing_is_seen(wrong: str) -> None:
    space = bounds_of(2, 1, 2, 1, 1)
    listed = [shape_of(s) for _, s in listed_by_search(StructureSpace(space, Aggregate.MAX, 2), 10.0)]
    planted = {
        "head": [shape for shape in listed if shape.layers != ((1, 1),)],
        "no head": [shape for shape in listed if shape.layers != ((0, 1), (0, 2))],
        "unit": [shape for shape in listed if (0, 2) not in shape.layers],
        "layer": [shape for shape in listed if len(shape.layers) == 1],
        "precision": [shape for shape in listed if not shape.precision],
    }
    again = list(list_net_shapes(space, 10.0, Answer.ACCEPT, 2, Aggregate.MAX))
    assert digest_shapes(again) == digest_shapes(listed)
    assert digest_shapes(again) != digest_shapes(planted[wrong])
