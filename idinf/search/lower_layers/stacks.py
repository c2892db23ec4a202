"""Lower layers with one behaviour on short words, and their exact functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.search.lower_layers.normal_form import normal_forms
from idinf.search.short_words.features import Features, Inputs
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.rows import find_undominated, group_rows, list_members_of_groups
from idinf.space.structures import LayerShape, Structure
from idinf.space.units import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class LowerLayers:
    """Lower layers with one behaviour on all short words."""

    below: Inputs  #: the features of its last layer on all short words
    bits: BoolArray  #: (m, T): values of the units of that layer
    lower_costs: FloatArray  #: (F, 4): aggregated costs of the lower layers, one row per Pareto point
    layers: tuple[LayerChoices, ...] = ()  #: for every lower layer its realisations with this behaviour

    @cached_property
    def inputs(self) -> Inputs:
        """The features of the next layer on all short words."""
        return self.below.extend(self.bits) if len(self.bits) else self.below

    def read_by_last(self, structure: Structure, words: IntArray | None = None) -> Features:
        """Features that the last layer reads at the end of some words, (k,), ascending, or of all."""
        return self.inputs.top(structure.layers[-1].heads, structure.precision, words)

    def members(
        self, structure: Structure, tokens: int, aggregate: Aggregate
    ) -> Iterator[LowerLayerRealisation]:
        """Split into exact functions: realisations with equal normal forms agree on all words."""
        grown = [LowerLayerRealisation((), np.zeros((1, 4)))]
        for layer, shape in zip(self.layers, structure.hidden, strict=True):
            grown = [
                larger
                for member in grown
                for larger in _grow(member, layer, shape, tokens, structure.period, aggregate)
            ]
        yield from grown


@dataclass(frozen=True, eq=False)
class LowerLayerRealisation:
    """Lower layers with one exact behaviour."""

    layers: tuple[LayerChoices, ...]  #: all their realisations, layer by layer
    lower_costs: FloatArray  #: (F, 4)


def _grow(
    member: LowerLayerRealisation,
    layer: LayerChoices,
    shape: LayerShape,
    tokens: int,
    period: int,
    aggregate: Aggregate,
) -> Iterator[LowerLayerRealisation]:
    forms = [normal_forms(units, shape.heads, tokens, period) for units in layer.units]
    _, group = group_rows(np.concatenate(forms, axis=1))
    for members in list_members_of_groups(group, int(group.max(initial=-1)) + 1):
        chosen = layer.take(members)
        yield LowerLayerRealisation(
            (*member.layers, chosen), pareto_costs(member.lower_costs, chosen.costs, aggregate)
        )


def pareto_costs(lower_costs: FloatArray, costs: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Pareto points of lower layers extended by one more layer."""
    rest, own = lower_costs[:, None, :], costs[None]
    joint = (rest + own if aggregate is Aggregate.SUM else np.maximum(rest, own)).reshape(-1, 4)
    if len(joint) == 1:
        return joint
    return joint[find_undominated(np.zeros(len(joint), dtype=np.int64), joint)]
