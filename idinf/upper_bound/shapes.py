"""Which shapes the upper-bound finder tries, the narrow and cheap ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from idinf.experiments.bounds import SpaceBounds
from idinf.transformers.regularizer import Aggregate
from idinf.upper_bound.vectors import Shape, VectorHead, VectorLayer


def candidate_shapes(
    bounds: SpaceBounds, symbols: int, aggregate: Aggregate, checkpoint: Callable[[], None] = lambda: None
) -> list[tuple[float, Shape]]:
    """Shapes inside the bounds with what their R is at least: chains of one unit first, each kind by floor.

    Not every structure of the family: a layer of several units has either one channel for all or one for each
    in every head, at most one layer has more than one unit unless all have two, φ sits in the first layer or,
    with two layers, in any, and M, over the tokens alone and without positions, in the first layer only.
    """
    shapes = []
    for p in range(bounds.precision + 1):
        for period in range(1, bounds.period + 1):
            for layers in dict.fromkeys(_layer_sequences(bounds)):
                checkpoint()
                shape = Shape(symbols, p, period, layers, bounds.logit_max, aggregate, bounds.content_max)
                is_positional = period > 1 and any(head.content for head in layers[0].heads)
                if shape.floor <= bounds.max_r and not is_positional:
                    shapes.append((shape.floor, shape))
    return sorted(shapes, key=_place)


def _place(pair: tuple[float, Shape]) -> tuple[int, float, int, tuple[VectorLayer, ...]]:
    """Sort key: how many units the widest layer has, the floor, and what tells the rest apart."""
    floor, shape = pair
    return max(layer.units for layer in shape.layers), floor, shape.precision, shape.layers


def _layer_sequences(bounds: SpaceBounds) -> Iterator[tuple[VectorLayer, ...]]:
    for depth in range(1, bounds.layers + 1):
        for counts in _unit_counts(depth, bounds.units):
            for shared in (True, False):
                for heads in range(min(1, bounds.heads), bounds.heads + 1):
                    for reach, local, content in _attention(bounds, depth) if heads else ((-1, 0, False),):
                        yield tuple(
                            _layer(count, shared, heads, reach if k < local else -1, content and k == 0)
                            for k, count in enumerate(counts)
                        )


def _attention(bounds: SpaceBounds, depth: int) -> Iterator[tuple[int, int, bool]]:
    """How far φ reaches, in how many layers, and whether there is an M: none, one or the other."""
    yield -1, 0, False
    if bounds.content_max:
        yield -1, 0, True
    for reach in range(1, bounds.reach + 1) if bounds.logit_max else ():
        for local in sorted({1, min(depth, 2)}):
            yield reach, local, False


def _layer(count: int, shared: bool, heads: int, reach: int, content: bool) -> VectorLayer:
    units = tuple(range(count))
    channels = (units,) if shared else tuple((unit,) for unit in units)
    # φ and M sit in the first head only; a second head stays uniform.
    return VectorLayer(
        tuple(VectorHead(channels, reach if h == 0 else -1, content and h == 0) for h in range(heads)), count
    )


def _unit_counts(depth: int, most: int) -> Iterator[tuple[int, ...]]:
    yield (1,) * depth
    for count in range(2, most + 1):
        for place in range(depth):
            yield tuple(count if k == place else 1 for k in range(depth))
    if most >= 2 and depth > 1:
        yield (2,) * depth
