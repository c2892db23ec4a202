"""Candidates for the last lower layer over several starts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.search.last_layer.candidates import Samples
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.last_layer.sieve import Below, Sieve
from idinf.search.lower_layers.stacks import LowerLayers
from idinf.space.corners import Corners, Masks
from idinf.space.forms import FormSpace
from idinf.space.structures import Structure
from idinf.space.units import BoolArray, LayerBudget, Units
from idinf.transformers.regularizer import Aggregate

#: Candidates that may be left over some starts; if there are more, they are sifted over fewer starts.
MOST_LEFT = 100_000

#: In how many shares the forms of a first layer are sifted, where there are about so many or more.
SHARES, SHARED_FROM = 4, 100_000

#: Which candidates are left over which of several layers below them, (S, N).
Sift = Callable[[Sieve, Below], BoolArray]


@dataclass(frozen=True)
class Sifting:
    """Candidates for the one unit of the last lower layer of a structure, for R ≤ ``high``."""

    structure: Structure
    high: float
    symbols: int  #: |Σ|
    tokens: int  #: features of the first layer
    units: Callable[[], Units | None]  #: the candidates; None if they are not listed
    samples: Samples
    checkpoint: Callable[[], None] = lambda: None

    def left(self, starts: Sequence[LowerLayers], sift: Sift) -> list[Units] | None:
        """The candidates that are left over each start; None if there are too many."""
        if self._listed is None:
            return None
        left = sift(self._listed, self._below(starts))
        if int(left.sum()) > MOST_LEFT:
            return None
        return [self._listed.units.take(np.flatnonzero(row)) for row in left]

    def count_shares(self) -> int:
        """In how many shares `over_tokens` is to be asked for everything."""
        are_many = self.samples.heads and self._forms.estimate(self._corners) >= SHARED_FROM
        return SHARES if are_many else 1

    def over_tokens(
        self, start: LowerLayers, within: LayerBudget, sift: Sift, share: tuple[int, int] = (0, 1)
    ) -> Iterator[Units]:
        """The candidates that are left in the first layer, part by part, by what they compute.

        What is learned of one part is known for the next. A share is as of `FormSpace.parts`.
        """
        below, space = self._below([start]), self._forms
        for part in space.parts(self._corners, share):
            self.checkpoint()
            left = sift(self._sieve(part.units, part.masks), below)[0]
            yield from space.realisations(part.units.take(left), within)

    def _below(self, starts: Sequence[LowerLayers]) -> Below:
        """What the candidates stand over, with what it costs."""
        inputs = [start.inputs.under(self.samples.heads) for start in starts]
        top, precision = self.structure.layers[-1].heads, self.structure.precision
        masks = self._corners.masks(np.concatenate([start.lower_costs for start in starts]))
        sizes = np.array([len(start.lower_costs) for start in starts])
        joined = np.bitwise_or.reduceat(masks, np.cumsum(sizes) - sizes)
        return Below([LastLayerInputs.of(each, top, precision) for each in inputs], joined, self.tokens)

    @property
    def _forms(self) -> FormSpace:
        """What units of a first layer compute."""
        return FormSpace(self.symbols + 1, self.tokens, self.structure.precision, len(self.samples.heads))

    @cached_property
    def _corners(self) -> Corners:
        return Corners.of(self.structure, self.high)

    @cached_property
    def _listed(self) -> Sieve | None:
        """The sieve that all starts share."""
        units = self.units()
        return None if units is None else self._sieve(units, self._corners.masks(units.costs(Aggregate.MAX)))

    def _sieve(self, units: Units, masks: Masks) -> Sieve:
        heads = len(self.structure.layers[-1].heads)
        return Sieve(units, masks, self._corners, self.samples, heads, self.tokens, self.checkpoint)
