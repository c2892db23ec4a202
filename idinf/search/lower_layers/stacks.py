"""Lower layers with one behaviour on short words, their exact functions, and one more layer over them.

*Conflicts* are pairs of words that the last layer cannot tell apart unless a lower unit helps. Two words
with different labels (for next symbols: prefixes that are judged, and any one of K labels) whose attended
sums, last features and denominators are equal look alike to any unit over those features. A set of lower
units can serve only if for every such pair some unit of the set has a different attended sum or a different
last value on the two words; otherwise no v, s, b of any precision, and no number of units above, gives both
words their labels. Without conflicts a run takes 1.3 times as long for D_2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.nets.regularizer import Aggregate
from idinf.search.exact_check.nets import ScaledUnits
from idinf.search.lower_layers.normal_form import normal_forms
from idinf.search.short_words.features import Features, Inputs, LastLayerInputs, TableRegistry, units_sums
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.rows import group_rows, list_members_of_groups, sort_distinct
from idinf.space.structures import LayerShape, Structure
from idinf.space.units import BoolArray, FloatArray, Units

#: Any subset of the conflicts is a sound filter; more than this many cost more time than they save.
MAX_CONFLICTS = 512


class Conflicts:
    """Conflicts among words up to a length, and what each unit separates; those of the shortest are kept.

    They are those of the last layer over the features that every candidate set shares. If its logits depend
    on content, new units change its weights, and nothing is a conflict.
    """

    def __init__(self, last_inputs: LastLayerInputs, length: int, most: int = MAX_CONFLICTS) -> None:
        self.inputs = last_inputs.inputs
        self.pairs = np.zeros((0, 2), dtype=np.int64)
        words = last_inputs.inputs.words
        count = words.up_to(length)
        if not last_inputs.fixed or not count:
            return
        features = last_inputs.features.take(slice(count))
        _, group = group_rows(np.concatenate([features.sums, features.last, features.scale[:, None]], axis=1))
        columns = words.columns(count).T
        found = [_mixed_pairs(group, labels)[: most // len(columns)] for labels in columns]
        self.pairs = sort_distinct(np.concatenate(found), axis=0)
        met, self._places = np.unique(self.pairs, return_inverse=True)
        self._rows = last_inputs.inputs.tree.final[met]
        self._weights = tuple(w.take(met) for w in last_inputs.weights)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def reach(self) -> int:
        """Values of units are needed on so many rows of the inputs, the first ones."""
        return int(self._rows.max(initial=-1)) + 1

    def separated(self, bits: BoolArray) -> BoolArray:
        """Which of N units, (N, reach) on the first rows, separates which conflict, (N, conflicts)."""
        sums = units_sums(self.inputs, self._weights, self._rows, bits)
        left, right = self._places.reshape(-1, 2).T
        apart: BoolArray = bits[:, self._rows[left]] != bits[:, self._rows[right]]
        for total in sums:
            apart |= total[:, left] != total[:, right]
        return apart


def _mixed_pairs(group: IntArray, labels: BoolArray) -> IntArray:
    """Pairs (a word, one before it in its group with the other label): the first and the last such one."""
    index = np.arange(len(group))
    order = np.argsort(group, kind="stable")
    begin = np.r_[True, np.diff(group[order]) != 0]
    begin = np.maximum.accumulate(np.where(begin, index, 0))  # where the group of each place begins
    pairs = []
    for label in (False, True):
        has = labels[order] == label
        last = np.maximum.accumulate(np.where(has, index, -1))
        following = np.minimum.accumulate(np.where(has, index, len(group))[::-1])[::-1]
        first = following[begin]
        later = np.flatnonzero(~has & (last >= begin))
        pairs += [np.stack([order[later], order[partner[later]]], axis=1) for partner in (first, last)]
    return sort_distinct(np.concatenate(pairs), axis=0)


@dataclass(frozen=True, eq=False)
class LowerLayers:
    """Lower layers with one behaviour on all short words."""

    below: Inputs  #: the features of its last layer on all short words
    bits: BoolArray  #: (m, T): values of the units of that layer
    lower_costs: FloatArray  #: (F, 4): aggregated costs of the lower layers, one row per Pareto point
    layers: tuple[LayerChoices, ...] = ()  #: for every lower layer its realisations with this behaviour
    #: The last layer over ``below``, shared with other sets; None if it is not the next one.
    last_inputs: LastLayerInputs | None = None

    @cached_property
    def inputs(self) -> Inputs:
        """The features of the next layer on all short words."""
        return self.below.extend(self.bits) if len(self.bits) else self.below

    def read_by_last(self, structure: Structure, count: int | None = None) -> Features:
        """What the last layer reads at the end of the first ``count`` words, or of all."""
        every = count in (None, len(self.below.words.labels))
        return self.read_at_ends(structure, None if every else np.arange(count or 0))

    def read_at_ends(self, structure: Structure, words: IntArray | None) -> Features:
        """What the last layer reads at the end of some words, (k,), or of all."""
        if self.last_inputs is not None:
            return self.last_inputs.over(self.bits, words)
        return self.inputs.top(structure.layers[-1].heads, structure.precision, words)

    def members(self, structure: Structure, tokens: int, aggregate: Aggregate) -> Iterator[Member]:
        """Split into exact functions: realisations with equal normal forms agree on all words."""
        grown = [Member((), np.zeros((1, 4)))]
        for layer, shape in zip(self.layers, structure.hidden, strict=True):
            grown = [
                larger
                for member in grown
                for larger in _grow(member, layer, shape, tokens, structure.period, aggregate)
            ]
        yield from grown


@dataclass(frozen=True, eq=False)
class Member:
    """Lower layers with one exact behaviour."""

    layers: tuple[LayerChoices, ...]  #: all their realisations, layer by layer
    lower_costs: FloatArray  #: (F, 4)


def _grow(
    member: Member, layer: LayerChoices, shape: LayerShape, tokens: int, period: int, aggregate: Aggregate
) -> Iterator[Member]:
    forms = [normal_forms(ScaledUnits.of(units), shape.heads, tokens, period) for units in layer.units]
    _, group = group_rows(np.concatenate(forms, axis=1))
    for members in list_members_of_groups(group, int(group.max(initial=-1)) + 1):
        chosen = layer.take(members)
        yield Member((*member.layers, chosen), pareto_costs(member.lower_costs, chosen.costs, aggregate))


def pareto_costs(lower_costs: FloatArray, costs: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Pareto points of lower layers extended by one more layer."""
    rest, own = lower_costs[:, None, :], costs[None]
    joint = (rest + own if aggregate is Aggregate.SUM else np.maximum(rest, own)).reshape(-1, 4)
    if len(joint) == 1:
        return joint
    points: list[tuple[float, ...]] = []
    for row in sorted({tuple(row) for row in joint.tolist()}):  # what is below a point comes before it
        if not any(all(a <= b for a, b in zip(point, row, strict=True)) for point in points):
            points.append(row)
    return np.array(points)


class NextLayer:
    """One more layer over given ones: what its units read and say on all rows, once it is asked for.

    Mutable: tables, and bitsets of the conflicts each misses, are added.
    """

    def __init__(
        self,
        lower: LowerLayers,
        structure: Structure,
        index: int,
        find_conflicts: Callable[[LastLayerInputs], Conflicts | None],
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self.lower, self._checkpoint, self._find_conflicts = lower, checkpoint, find_conflicts
        self._heads, self._precision = structure.layers[index].heads, structure.precision
        self.inputs = lower.inputs.under(self._heads)
        #: The last layer, if it is the next one.
        self.last_inputs: LastLayerInputs | None = None
        if index == len(structure.hidden) - 1:
            self.last_inputs = LastLayerInputs(self.inputs, structure.layers[-1].heads, self._precision)

    @cached_property
    def features(self) -> Features:
        """What its units read on all rows."""
        return self.inputs.everywhere(self._heads, self._precision)

    @cached_property
    def registry(self) -> TableRegistry:
        """The behaviours of its units."""
        return TableRegistry(self.features, self._checkpoint)

    @cached_property
    def _conflicts(self) -> Conflicts | None:
        """Conflicts that the layer has to separate: only the last hidden one, above which nothing can."""
        return None if self.last_inputs is None else self._find_conflicts(self.last_inputs)

    @cached_property
    def _bitsets(self) -> list[NDArray[np.uint8]]:
        """Bitset of the conflicts each known table misses, (tables, bytes), in parts."""
        return [np.zeros((0, -(-len(self._conflicts) // 8) if self._conflicts else 0), dtype=np.uint8)]

    def _missed(self, conflicts: Conflicts) -> NDArray[np.uint8]:
        parts = self._bitsets
        for tables in self.registry.blocks_from(sum(map(len, parts)), 512):
            apart = conflicts.separated(tables[:, : conflicts.reach])
            parts.append(np.packbits(~apart, axis=1))
        parts[:] = [np.concatenate(parts)]
        return parts[0]

    def number(self, units: Units) -> IntArray:
        """Table number of every unit, (N,)."""
        return self.registry.number(units)

    def among(self, tables: IntArray, allowed: frozenset[bytes]) -> BoolArray:
        """Which tables are in a set of behaviours."""
        return self.registry.among(tables, allowed)

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of the conflicts that each table misses, (N, bytes)."""
        if self._conflicts is None:
            return np.zeros((len(tables), 0), dtype=np.uint8)
        return self._missed(self._conflicts)[tables]

    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that separate every conflict by themselves."""
        return self.together(tables[:, None])

    def together(self, tables: IntArray) -> BoolArray:
        """Layers, (N, m) arrays of tables, that separate every conflict together."""
        if self._conflicts is None:
            return np.ones(len(tables), dtype=np.bool_)
        missed = self._missed(self._conflicts)
        keep = np.arange(len(tables))
        for begin in range(0, missed.shape[1], 8):
            part = np.ascontiguousarray(missed[:, begin : begin + 8])
            clashes = part[tables[keep, 0]]
            for place in range(1, tables.shape[1]):
                clashes = clashes & part[tables[keep, place]]
            keep = keep[~clashes.any(axis=1)]
        mask = np.zeros(len(tables), dtype=np.bool_)
        mask[keep] = True
        return mask
