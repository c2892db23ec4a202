"""Certificates in one slice of one structure: on candidates for the last lower layer, and on lower layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.search.found import Slice
from idinf.search.last_layer.certificates import LastCosts
from idinf.search.last_layer.exclusion import Exclusion, Known, LastUnitFeatures, load_solver
from idinf.search.last_layer.solver import FeaturesOver
from idinf.search.lower_layers.stacks import LowerLayers
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.structures import Structure
from idinf.space.units import BoolArray, FloatArray
from idinf.spec.spec import Answer

if TYPE_CHECKING:
    from idinf.search.last_layer.sieve import LayersBelow, Sieve

ExcludeBy: TypeAlias = Callable[..., Exclusion]  #: what makes exclusions for labels and a precision

#: Certificates that may fail to be found for candidates of one list before the others are left to later.
PATIENCE = 2


def load_for_children() -> None:
    """Load what units of work with certificates need, so that not every child loads it."""
    load_solver()
    import_module("idinf.search.last_layer.sieve")


@dataclass(frozen=True, eq=False)
class CertifiedSlice:
    """Which lower layers have no right last layer above them within the budget of a slice."""

    structure: Structure
    wanted: Slice
    words: ShortWords
    aggregate: Aggregate
    exclusion: Exclusion

    @property
    def prunes(self) -> bool:
        """Whether there are certificates, which are for one last unit, and words that it has to serve."""
        mode, last, answer = self.wanted.mode, self.structure.layers[-1], self.structure.answer
        serves = last.units == 1 and answer is not Answer.SYMBOL
        return serves and mode.certifies(self.wanted.high) and self._count > 0

    @property
    def _count(self) -> int:
        return self.words.up_to(self.wanted.consistent)

    def left(self, lower_layers: list[LowerLayers]) -> list[LowerLayers]:
        """The lower layers, of some, over which a last layer may be right and affordable."""
        if not self.prunes:
            return lower_layers
        points = [lower.lower_costs for lower in lower_layers]
        costs = self._costs(np.concatenate(points), np.array([*map(len, points)]))
        reading = FeaturesOver(self.structure, lower_layers, self._count, self.aggregate)
        excluded = self.exclusion.excluded(reading, costs)
        return [lower for lower, useless in zip(lower_layers, excluded, strict=True) if not useless]

    def exclude(self, candidates: LastUnitFeatures, joint: FloatArray, sizes: IntArray) -> BoolArray:
        """Which candidates for the last lower layer are excluded, by joint costs (P, 4), so many for each."""
        return self.exclusion.excluded(candidates, self._costs(joint, sizes), PATIENCE)

    def sift(self, sieve: Sieve, below: LayersBelow) -> BoolArray:
        """Which candidates for the last lower layer what is known leaves over which layers below them."""
        return self.exclusion.sift(sieve, below)

    def _costs(self, lower_costs: FloatArray, sizes: IntArray) -> LastCosts:
        budget = self.wanted.high - self.structure.base(self.aggregate)
        return LastCosts(lower_costs, sizes, budget, len(self.structure.layers[-1].heads), self.aggregate)


@dataclass(eq=False)
class FixedCertificates:
    """Makes exclusions by certificates that are chosen once. Mutable: it remembers those."""

    choose: Callable[[], Known]

    @cached_property
    def known(self) -> Known:
        """What is known, chosen where it is needed: that is slow."""
        return self.choose()

    def __call__(self, labels: BoolArray, precision: int, count: Callable[[int], None]) -> Exclusion:
        """Make an exclusion."""
        return Exclusion(labels, precision, known=self.known, count=count)
