"""The lower layers of hypotheses, one set for each behaviour on short words, with their Pareto costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from idinf.search.exact_check.nets import NetLayer, ScaledUnits
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.lower_layers.conflicts import Conflicts
from idinf.search.lower_layers.normal_form import exact_numbers, normal_forms
from idinf.search.lower_layers.symmetry import Renaming, Symmetry
from idinf.search.short_words.behaviours import TableRegistry
from idinf.search.short_words.features import Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices, list_layer_choices
from idinf.space.reduction import LayerFilter
from idinf.space.rows import group_rows, list_members_of_groups
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import MAX_UNITS, BoolArray, FloatArray, LayerBudget, Units
from idinf.transformers.regularizer import Aggregate


@dataclass(frozen=True)
class LowerLayers:
    """Lower layers with one behaviour on all short words."""

    #: The features of its last layer on all short words.
    below: Inputs
    #: (m, T): values of the units of that layer.
    bits: BoolArray
    #: (F, 4): aggregated costs of the lower layers, one row per Pareto point.
    lower_costs: FloatArray
    #: For every lower layer its realisations with this behaviour.
    layers: tuple[LayerChoices, ...] = ()
    #: The last layer over ``below``, shared with other sets; None if it is not the next one.
    last_inputs: LastLayerInputs | None = None

    @cached_property
    def inputs(self) -> Inputs:
        """The features of the next layer on all short words."""
        return self.below.extend(self.bits) if len(self.bits) else self.below

    def members(self, structure: Structure, tokens: int, aggregate: Aggregate) -> Iterator[Member]:
        """Split into exact functions: realisations with equal normal forms agree on all words."""
        grown = [Member((), np.zeros((1, 4)), ())]
        for layer, shape in zip(self.layers, structure.hidden, strict=True):
            grown = [
                larger
                for member in grown
                for larger in _grow(member, layer, shape, tokens, structure.period, aggregate)
            ]
        yield from grown


@dataclass(frozen=True)
class Member:
    """Lower layers with one exact behaviour."""

    #: All their realisations, layer by layer.
    layers: tuple[LayerChoices, ...]
    lower_costs: FloatArray  #: (F, 4)
    #: One realisation of every layer.
    lower: tuple[NetLayer, ...]


def _grow(
    member: Member, layer: LayerChoices, shape: LayerShape, tokens: int, period: int, aggregate: Aggregate
) -> Iterator[Member]:
    forms = [normal_forms(ScaledUnits.of(units), shape.heads, tokens, period) for units in layer.units]
    _, group = group_rows(np.concatenate(forms, axis=1))
    for members in list_members_of_groups(group, int(group.max(initial=-1)) + 1):
        chosen = layer.take(members)
        first = ScaledUnits.of(Units.concatenate([units.take(slice(0, 1)) for units in chosen.units]))
        yield Member(
            (*member.layers, chosen),
            pareto_costs(member.lower_costs, chosen.costs, aggregate),
            (*member.lower, NetLayer(shape.heads, first)),
        )


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


@dataclass(frozen=True)
class LowerLayersBuilder:
    """Builds lower layers whose hypotheses can have R ≤ ``high`` and be right on screened words."""

    words: ShortWords
    structure: Structure
    aggregate: Aggregate
    high: float
    #: Words up to this length are screened.
    length: int
    #: Whether costlier realisations of the same exact function are dropped.
    reduce: bool = True
    #: Whether the conflict filter prunes.
    use_conflicts: bool = True
    #: For every layer the behaviours its units may have; all if not given.
    only: tuple[frozenset[bytes], ...] | None = None
    #: Bound on every list of units or pairs.
    most: int = MAX_UNITS
    checkpoint: Callable[[], None] = lambda: None
    #: Of all first layers that it maps to each other, only the least is built.
    symmetry: Symmetry | None = None

    def starts(self) -> Iterator[LowerLayers]:
        """Lower layers to share out: all of them up to two; deeper nets lack the last lower layer."""
        hidden = len(self.structure.hidden)
        inputs = Inputs.first(self.words, self.structure.period)
        first = LowerLayers(inputs, np.zeros((0, len(inputs.tree)), dtype=np.bool_), np.zeros((1, 4)))
        yield from self._extend(first, hidden if hidden < 2 else hidden - 1)

    def finished(self, start: LowerLayers) -> Iterator[LowerLayers]:
        """All the lower layers over a start."""
        yield from self._extend(start, len(self.structure.hidden))

    def _extend(self, lower: LowerLayers, layers: int) -> Iterator[LowerLayers]:
        """Sets of so many lower layers over given ones, from the tokens up."""
        if len(lower.layers) == layers:
            yield lower
            return
        for grown in self._layer(lower, len(lower.layers)):
            if lower.layers or self._is_least(grown):
                yield from self._extend(grown, layers)

    def _is_least(self, lower: LowerLayers) -> bool:
        return self.symmetry is None or self.symmetry.is_least(self._first_units(lower), lower.inputs.tree)

    def renamings(self, start: LowerLayers) -> tuple[Renaming, ...]:
        """Renamings that give what stands over other first layers from what stands over this start."""
        if self.symmetry is None:
            return ()
        return self.symmetry.others(self._first_units(start), start.inputs.tree)

    def _first_units(self, lower: LowerLayers) -> NDArray[np.int16]:
        """The units of the first layer on every row, (m, T)."""
        first = self.structure.num_features(self.words.symbols, 0)
        return lower.inputs.last[first : first + self.structure.layers[0].units]

    def _layer(self, lower: LowerLayers, index: int) -> Iterator[LowerLayers]:
        """Lower layers with one more; the conflict filter acts on the last lower layer."""
        shape, precision = self.structure.layers[index], self.structure.precision
        inputs, features = lower.inputs.hidden(shape.heads, precision)
        registry = TableRegistry(features, self.checkpoint)
        least = Cost(*map(float, lower.lower_costs.min(axis=0)))
        rest = self._rest(index).join(least, self.aggregate)
        last_inputs = self._last_inputs(inputs, index)
        separation = _Separation(registry, self._conflicts(last_inputs))
        alone = separation.alone if shape.units == 1 else _any_table
        if self.only is not None:
            alone = partial(registry.among, allowed=self.only[index])
        tokens, period = self.words.symbols + 1, self.structure.period
        base = self.structure.base(self.aggregate)
        choices = list_layer_choices(
            shape,
            LayerBudget(features.size, precision, self.high - base, rest, self.aggregate),
            LayerFilter(
                registry.number,
                lambda units: exact_numbers(units, shape.heads, tokens, period),
                alone,
                separation.together,
                self.reduce,
                self.most,
                separation.missed,
                checkpoint=self.checkpoint,
            ),
        )
        if not len(choices):
            return
        tables, group = np.unique(choices.tables, axis=0, return_inverse=True)
        known = np.unique(tables)
        outputs = registry.tables(known)
        place = np.searchsorted(known, tables)
        for k, members in enumerate(list_members_of_groups(group.reshape(-1), len(tables))):
            chosen = choices.take(members)
            lower_costs = pareto_costs(lower.lower_costs, chosen.costs, self.aggregate)
            yield LowerLayers(inputs, outputs[place[k]], lower_costs, (*lower.layers, chosen), last_inputs)

    def _last_inputs(self, inputs: Inputs, index: int) -> LastLayerInputs | None:
        """The last layer, if it is the next one."""
        if index < len(self.structure.hidden) - 1:
            return None
        return LastLayerInputs(inputs, self.structure.layers[-1].heads, self.structure.precision)

    def _conflicts(self, last_inputs: LastLayerInputs | None) -> Conflicts | None:
        """Conflicts that the layer has to separate: only the last hidden one, above which nothing can."""
        if last_inputs is None or not self.use_conflicts:
            return None
        conflicts = Conflicts(last_inputs, self.length)
        return conflicts if len(conflicts) else None

    def _rest(self, index: int) -> Cost:
        """Least cost of the layers above ``index``."""
        rest = Cost()
        for layer in self.structure.layers[index + 1 :]:
            rest = rest.join(layer.floor(self.structure.precision, self.aggregate), self.aggregate)
        return rest


def _any_table(tables: IntArray) -> BoolArray:
    return np.ones(len(tables), dtype=np.bool_)


class _Separation:
    """Which tables, or layers of tables, separate every conflict. Mutable: bitsets of tables are added."""

    def __init__(self, registry: TableRegistry, conflicts: Conflicts | None) -> None:
        self.registry, self.conflicts = registry, conflicts
        self._missed = np.zeros((0, -(-len(conflicts) // 8) if conflicts else 0), dtype=np.uint8)

    def _update(self, conflicts: Conflicts) -> None:
        """Bitset of the conflicts each known table misses, (tables, bytes)."""
        for tables in self.registry.blocks_from(len(self._missed), 512):
            apart = conflicts.separated(tables[:, : conflicts.reach])
            self._missed = np.concatenate([self._missed, np.packbits(~apart, axis=1)])

    def missed(self, tables: IntArray) -> NDArray[np.uint8]:
        """Bitsets of the conflicts that each table misses, (N, bytes)."""
        if self.conflicts is None:
            return np.zeros((len(tables), 0), dtype=np.uint8)
        self._update(self.conflicts)
        return self._missed[tables]

    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that separate every conflict by themselves."""
        return self.together(tables[:, None])

    def together(self, tables: IntArray) -> BoolArray:
        """Layers, (N, m) arrays of tables, that separate every conflict together."""
        if self.conflicts is None:
            return _any_table(tables)
        self._update(self.conflicts)
        keep = np.arange(len(tables))
        for begin in range(0, self._missed.shape[1], 8):
            part = np.ascontiguousarray(self._missed[:, begin : begin + 8])
            clashes = part[tables[keep, 0]]
            for place in range(1, tables.shape[1]):
                clashes = clashes & part[tables[keep, place]]
            keep = keep[~clashes.any(axis=1)]
        mask = np.zeros(len(tables), dtype=np.bool_)
        mask[keep] = True
        return mask
