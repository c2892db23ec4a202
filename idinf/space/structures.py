"""Structures: the discrete shape of a gated Limit Transformer, and the floor of R over a shape.

A structure fixes the number of heads and units of every layer and the precision; what is left are integer
vectors. Structures are visited by their floor, never by their depth: a further one-unit layer costs 1,
a further unit in a layer more than that.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from idinf.spec.bounds import SpaceBounds
from idinf.transformers.regularizer import Aggregate

__all__ = ["Cost", "LayerShape", "Structure", "structures"]


@dataclass(frozen=True, slots=True)
class Cost:
    """The terms of R that the parameters of layers decide, aggregated over those layers.

    Attributes
    ----------
    rank, norm_V, norm_A, norm_b : float
        Terms rank_V, ‖V‖, ‖A‖_F and ‖b‖_2 of [HYB25] Definition 5.
    """

    rank: float = 0.0
    norm_V: float = 0.0
    norm_A: float = 0.0
    norm_b: float = 0.0

    def join(self, other: Cost, aggregate: Aggregate) -> Cost:
        """Aggregate two groups of layers by max or by sum."""
        if aggregate is Aggregate.SUM:
            return Cost(
                self.rank + other.rank,
                self.norm_V + other.norm_V,
                self.norm_A + other.norm_A,
                self.norm_b + other.norm_b,
            )
        return Cost(
            max(self.rank, other.rank),
            max(self.norm_V, other.norm_V),
            max(self.norm_A, other.norm_A),
            max(self.norm_b, other.norm_b),
        )

    @property
    def total(self) -> float:
        """Sum of the four terms."""
        return self.rank + self.norm_V + self.norm_A + self.norm_b


@dataclass(frozen=True, slots=True, order=True)
class LayerShape:
    """Number of heads and of units of one layer.

    A layer with heads has at least one channel that some unit reads; a head that nobody reads is no head.
    """

    heads: int
    units: int

    def floor(self, precision: int) -> Cost:
        """Least cost of a layer of this shape: one short channel, and its cheapest readers."""
        if self.heads == 0:
            return Cost()
        step = 2.0**-precision
        shared = math.sqrt(2.0) * step if self.units > 1 else 1.0
        return Cost(rank=1.0, norm_V=step, norm_A=min(1.0, shared))


@dataclass(frozen=True, slots=True)
class Structure:
    """Shape of a whole hypothesis.

    Examples
    --------
    >>> one = Structure((LayerShape(heads=1, units=1),), precision=0)
    >>> one.floor(Aggregate.MAX)
    8.0
    """

    layers: tuple[LayerShape, ...]
    precision: int

    @property
    def depth(self) -> int:
        """Number of layers L."""
        return len(self.layers)

    @property
    def heads(self) -> int:
        """H, the largest number of heads of a layer."""
        return max(layer.heads for layer in self.layers)

    @property
    def hidden(self) -> tuple[LayerShape, ...]:
        """The layers whose units are features of later layers."""
        return self.layers[:-1]

    @property
    def units(self) -> int:
        """Number of units of all layers."""
        return sum(layer.units for layer in self.layers)

    def base(self, aggregate: Aggregate) -> float:
        """Terms of R that the shape alone decides: L + H, p, ‖B‖, ‖U‖ and ‖E‖ = 1."""
        norms_B = [math.sqrt(layer.units) for layer in self.layers]
        norm_B = sum(norms_B) if aggregate is Aggregate.SUM else max(norms_B)
        return self.depth + self.heads + self.precision + norm_B + math.sqrt(self.layers[-1].units) + 1.0

    def rest_floor(self, without: int, aggregate: Aggregate) -> Cost:
        """Least cost of all layers but the one at index ``without``."""
        cost = Cost()
        for index, layer in enumerate(self.layers):
            if index != without:
                cost = cost.join(layer.floor(self.precision), aggregate)
        return cost

    def floor(self, aggregate: Aggregate) -> float:
        """Lower bound of R over all hypotheses of this structure."""
        return self.base(aggregate) + self.rest_floor(-1, aggregate).total

    @property
    def order_key(self) -> tuple[int, int, int, int, int, int]:
        """(L, H, p, Δ, τ, number of units): the order of theory at equal R, before the parameters."""
        return (self.depth, self.heads, self.precision, 1, 0, self.units)


def structures(bounds: SpaceBounds, aggregate: Aggregate) -> tuple[Structure, ...]:
    """List every structure within the bounds, by floor, ties by the total order on hypotheses.

    A net of two or more layers has one unit on top.

    Examples
    --------
    >>> bounds = SpaceBounds.from_preset("nope", layers=2, units=1, precision=0)
    >>> [s.floor(Aggregate.MAX) for s in structures(bounds, Aggregate.MAX)]
    [4.0, 5.0, 8.0, 9.0, 9.0, 9.0]
    """
    found: list[Structure] = []
    hidden = [LayerShape(h, m) for h in range(bounds.heads + 1) for m in range(1, bounds.units + 1)]
    for depth in range(1, bounds.layers + 1):
        top = hidden if depth == 1 else [shape for shape in hidden if shape.units == 1]
        for below in itertools.product(hidden, repeat=depth - 1):
            for last in top:
                found.extend(
                    Structure((*below, last), precision) for precision in range(bounds.precision + 1)
                )
    return tuple(sorted(found, key=lambda s: (s.floor(aggregate), s.order_key, s.layers)))
