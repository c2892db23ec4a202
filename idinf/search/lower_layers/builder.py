"""The lower layers of hypotheses, one set for each behaviour on short words, with their Pareto costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from idinf.search.exact_check.nets import NetLayer, ScaledUnits
from idinf.search.last_layer.candidates import Candidates, Samples
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.lower_layers.conflicts import Conflicts
from idinf.search.lower_layers.normal_form import exact_numbers, normal_forms
from idinf.search.lower_layers.symmetry import Renaming, Symmetry
from idinf.search.short_words.behaviours import TableRegistry
from idinf.search.short_words.features import Features, Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices, list_layer_choices
from idinf.space.reduction import LayerFilter
from idinf.space.rows import group_rows, list_members_of_groups, sort_distinct
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.unit_lists import UnitLists
from idinf.space.units import MAX_UNITS, BoolArray, ChannelReads, FloatArray, LayerBudget, Units
from idinf.transformers.regularizer import Aggregate

#: Fewer candidates than these are evaluated on all words at once.
FEW = 4

#: Which candidates for the last lower layer have no right last layer above, by their joint Pareto costs with
#: the layers below, (N, F, 4); may leave some in.
Exclude = Callable[[Candidates, FloatArray], BoolArray]


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
    #: Lists of units that other builders use as well.
    lists: UnitLists = field(default_factory=UnitLists)

    def starts(self) -> Iterator[LowerLayers]:
        """Lower layers to share out, which `finished` completes.

        Two layers of several units are all there is. Otherwise the last lower layer is missing: a layer of
        one unit is listed where its certificates are known.
        """
        hidden = self.structure.hidden
        inputs = Inputs.first(self.words, self.structure.period)
        first = LowerLayers(inputs, np.zeros((0, len(inputs.tree)), dtype=np.bool_), np.zeros((1, 4)))
        whole = len(hidden) == 1 and hidden[0].units > 1
        yield from self._extend(first, len(hidden) if whole else max(len(hidden) - 1, 0))

    def finished(self, start: LowerLayers, exclude: Exclude | None = None) -> Iterator[LowerLayers]:
        """All the lower layers over a start, but for candidates of the last one that are excluded."""
        yield from self._extend(start, len(self.structure.hidden), exclude)

    def _extend(
        self, lower: LowerLayers, layers: int, exclude: Exclude | None = None
    ) -> Iterator[LowerLayers]:
        """Sets of so many lower layers over given ones, from the tokens up."""
        if len(lower.layers) == layers:
            yield lower
            return
        for grown in self._layer(lower, len(lower.layers), exclude):
            if lower.layers or self._is_least(grown):
                yield from self._extend(grown, layers, exclude)

    def _is_least(self, lower: LowerLayers) -> bool:
        return self.symmetry is None or self.symmetry.is_least(self._first_units(lower), lower.inputs.tree)

    def renamings(self, lower: LowerLayers) -> tuple[Renaming, ...]:
        """Renamings that give what stands over other first layers from what stands over this one."""
        if self.symmetry is None or not lower.layers:
            return ()
        return self.symmetry.others(self._first_units(lower), lower.inputs.tree)

    def _first_units(self, lower: LowerLayers) -> NDArray[np.int16]:
        """The units of the first layer on every row, (m, T)."""
        first = self.structure.num_features(self.words.symbols, 0)
        return lower.inputs.last[first : first + self.structure.layers[0].units]

    def _layer(self, lower: LowerLayers, index: int, exclude: Exclude | None) -> Iterator[LowerLayers]:
        """Lower layers with one more; conflicts and certificates act on the last lower layer."""
        shape, tokens, period = self.structure.layers[index], self.words.symbols + 1, self.structure.period
        grown = _NextLayer(self, lower, index)
        last_inputs = grown.last_inputs
        alone = grown.alone if shape.units == 1 else _any_table
        if self.only is not None:
            alone = partial(grown.among, allowed=self.only[index])

        def exact(units: Units) -> IntArray:
            return exact_numbers(units, shape.heads, tokens, period)

        within = self._within(index, Cost(*map(float, lower.lower_costs.min(axis=0))))
        source = None
        if shape.units == 1 and self.reduce and self.only is None:
            source = _SharedList(self, index, within, exact)
        possible = _any_unit
        if exclude is not None and last_inputs is not None and last_inputs.fixed and shape.units == 1:
            possible = partial(self._possible, grown, exclude)
        choices = list_layer_choices(
            shape,
            within,
            LayerFilter(
                grown.number,
                exact,
                alone,
                grown.together,
                self.reduce,
                self.most,
                grown.missed,
                possible,
                self.checkpoint,
            ),
            source,
        )
        if not len(choices):
            return
        tables, group = np.unique(choices.tables, axis=0, return_inverse=True)
        known = sort_distinct(tables)
        outputs = grown.registry.tables(known)
        place = np.searchsorted(known, tables)
        for k, members in enumerate(list_members_of_groups(group.reshape(-1), len(tables))):
            chosen = choices.take(members)
            lower_costs = pareto_costs(lower.lower_costs, chosen.costs, self.aggregate)
            layers = (*lower.layers, chosen)
            yield LowerLayers(grown.inputs, outputs[place[k]], lower_costs, layers, last_inputs)

    def _within(self, index: int, lower: Cost) -> LayerBudget:
        """The budget of a layer over lower layers that cost at least so much."""
        rest = self._rest(index).join(lower, self.aggregate)
        total = self.high - self.structure.base(self.aggregate)
        features = self.structure.num_features(self.words.symbols, index)
        return LayerBudget(features, self.structure.precision, total, rest, self.aggregate)

    def _possible(self, grown: _NextLayer, exclude: Exclude, units: Units) -> BoolArray:
        """Units of the last lower layer that certificates leave; few are not worth a look."""
        if len(units) < FEW or grown.last_inputs is None:
            return _any_unit(units)
        count = self.words.up_to(self.length)
        candidates = Candidates(
            units, grown.last_inputs, self._samples, lambda: grown.features, count, self.aggregate
        )
        rest, own = grown.lower.lower_costs[None], units.costs(self.aggregate)[:, None, :]
        joint = rest + own if self.aggregate is Aggregate.SUM else np.maximum(rest, own)
        return ~exclude(candidates, joint)

    @cached_property
    def _samples(self) -> Samples:
        """What candidates for the last lower layer are looked at on."""
        return Samples(self.structure.hidden[-1].heads)

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


def _any_unit(units: Units) -> BoolArray:
    return np.ones(len(units), dtype=np.bool_)


@dataclass(frozen=True)
class _SharedList:
    """The units of one layer over some lower layers, out of a list that others have in common."""

    builder: LowerLayersBuilder
    index: int
    within: LayerBudget
    exact: Callable[[Units], IntArray]

    def chunks(self, reads: ChannelReads) -> Iterator[Units]:
        """The units of a layer of one."""
        builder, heads = self.builder, self.builder.structure.layers[self.index].heads
        cheapest = Cost()
        for shape in builder.structure.layers[: self.index]:
            floor = shape.floor(builder.structure.precision, builder.aggregate)
            cheapest = cheapest.join(floor, builder.aggregate)
        kind = tuple(heads.index(pattern) for pattern in heads), all(pattern.uniform for pattern in heads)
        key = kind, builder.words.symbols, builder.structure.period
        wide = builder._within(self.index, cheapest)
        yield from builder.lists.chunks(key, wide, self.within, len(reads.own), self.exact, builder.most)

    def shared_channels(self) -> list[tuple[int, ...]]:
        """None: one unit shares no channel."""
        return []


class _NextLayer:
    """One more layer over given ones: what its units read and say on all rows, once it is asked for.

    Mutable: tables, and bitsets of the conflicts each misses, are added.
    """

    def __init__(self, builder: LowerLayersBuilder, lower: LowerLayers, index: int) -> None:
        self.lower, self._builder = lower, builder
        self._heads = builder.structure.layers[index].heads
        self.inputs = lower.inputs.under(self._heads)
        self.last_inputs = builder._last_inputs(self.inputs, index)

    @cached_property
    def features(self) -> Features:
        """What its units read on all rows."""
        rows = np.arange(len(self.inputs.tree))
        weights = self.inputs.weights(self._heads, self._builder.structure.precision, rows)
        return self.inputs.read(weights, rows)

    @cached_property
    def registry(self) -> TableRegistry:
        """The behaviours of its units."""
        return TableRegistry(self.features, self._builder.checkpoint)

    @cached_property
    def _conflicts(self) -> Conflicts | None:
        return self._builder._conflicts(self.last_inputs)

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
            return _any_table(tables)
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
