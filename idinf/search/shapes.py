"""Which shapes the upper-bound finder tries, cheap first."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.search.candidates import HeadShape, LayerShape, Shape
from idinf.spec.bounds import SpaceBounds
from idinf.transformers.regularizer import Aggregate

__all__ = ["candidate_shapes"]


def candidate_shapes(bounds: SpaceBounds, symbols: int, aggregate: Aggregate) -> list[tuple[float, Shape]]:
    """Shapes inside the bounds with what their R is at least, cheap first.

    Not every structure of the family, and none with logits M: a layer of several units has either one channel
    for all or one for each in every head, at most one layer has more than one unit unless all have two, and φ
    sits in the first layer or, with two layers, in any.
    """
    shapes = []
    for p in range(bounds.precision + 1):
        for period in range(1, bounds.period + 1):
            for layers in _layer_stacks(bounds):
                shape = Shape(symbols, p, period, layers, bounds.logit_max, aggregate)
                shapes.append((shape.floor, shape))
    shapes = [(floor, shape) for floor, shape in shapes if floor <= bounds.max_r]
    return sorted(shapes, key=lambda pair: (pair[0], pair[1].precision, pair[1].layers))


def _layer_stacks(bounds: SpaceBounds) -> Iterator[tuple[LayerShape, ...]]:
    seen = set()
    for depth in range(1, bounds.layers + 1):
        for counts in _unit_counts(depth, bounds.units):
            for shared in (True, False):
                for heads in range(min(1, bounds.heads), bounds.heads + 1):
                    for reach in (-1, *range(1, bounds.reach + 1)) if bounds.logit_max and heads else (-1,):
                        for local in {1, min(depth, 2)} if reach >= 0 else {0}:
                            stack = tuple(
                                _layer(count, shared, heads, reach if k < local else -1)
                                for k, count in enumerate(counts)
                            )
                            if stack not in seen:
                                seen.add(stack)
                                yield stack


def _layer(count: int, shared: bool, heads: int, reach: int) -> LayerShape:
    units = tuple(range(count))
    channels = (units,) if shared else tuple((unit,) for unit in units)
    # φ sits in the first head only; a second head stays uniform.
    return LayerShape(tuple(HeadShape(channels, reach if h == 0 else -1) for h in range(heads)), count)


def _unit_counts(depth: int, most: int) -> Iterator[tuple[int, ...]]:
    yield (1,) * depth
    for count in range(2, most + 1):
        for place in range(depth):
            yield tuple(count if k == place else 1 for k in range(depth))
    if most >= 2 and depth > 1:
        yield (2,) * depth
