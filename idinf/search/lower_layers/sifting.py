"""Candidates for the last lower layer over several starts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.search.last_layer.candidates import Samples
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.last_layer.sieve import Below, Sieve
from idinf.search.lower_layers.stacks import LowerLayers
from idinf.space.corners import Corners
from idinf.space.structures import Structure
from idinf.space.units import BoolArray, Units

#: Candidates that may be left over some starts; if there are more, they are sifted over fewer starts.
MOST_LEFT = 100_000

#: Which candidates are left over which of several layers below them, (S, N).
Sift = Callable[[Sieve, Below], BoolArray]


@dataclass(frozen=True)
class Sifting:
    """Candidates for the one unit of the last lower layer of a structure, for R ≤ ``high``."""

    structure: Structure
    high: float
    tokens: int  #: features of the first layer
    units: Callable[[], Iterable[Units] | None]  #: the candidates, in parts; None if they are not listed
    samples: Samples
    checkpoint: Callable[[], None] = lambda: None

    def left(self, starts: Sequence[LowerLayers], sift: Sift) -> list[Units] | None:
        """The candidates that are left over each start; None if there are too many."""
        heads, top = self.structure.hidden[-1].heads, self.structure.layers[-1].heads
        inputs = [start.inputs.under(heads) for start in starts]
        last_inputs = [LastLayerInputs(each, top, self.structure.precision) for each in inputs]
        masks = self._corners.masks(np.concatenate([start.lower_costs for start in starts]))
        sizes = np.array([len(start.lower_costs) for start in starts])
        below = Below(last_inputs, np.bitwise_or.reduceat(masks, np.cumsum(sizes) - sizes), self.tokens)
        none = Units.none(inputs[0].size, self.structure.precision, len(heads))
        parts, number = [[none] for _ in starts], 0
        if self._listed is None:
            return None
        for sieve in self._listed:
            left = sift(sieve, below)
            number += int(left.sum())
            if number > MOST_LEFT:
                return None
            for part, row in zip(parts, left, strict=True):
                if len(places := np.flatnonzero(row)):
                    part.append(sieve.units.take(places))
        return [Units.concatenate(part) for part in parts]

    @cached_property
    def _corners(self) -> Corners:
        return Corners.of(self.structure, self.high)

    @cached_property
    def _listed(self) -> tuple[Sieve, ...] | None:
        """The sieves that all starts share."""
        sieves = self._sieves()
        return None if sieves is None else tuple(sieves)

    def _sieves(self) -> Iterable[Sieve] | None:
        parts, top = self.units(), len(self.structure.layers[-1].heads)
        if parts is None:
            return None
        return (
            Sieve(units, self._corners, self.samples, top, self.tokens, self.checkpoint) for units in parts
        )
