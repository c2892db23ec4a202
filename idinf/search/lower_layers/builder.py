"""The lower layers of hypotheses, one set for each behaviour on short words, with their Pareto costs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from idinf.errors import BudgetError
from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer.certificates import Exclusion
from idinf.search.last_layer.sieve import Sieve
from idinf.search.lower_layers.normal_form import exact_numbers
from idinf.search.lower_layers.stacks import LowerLayers, pareto_costs
from idinf.search.short_words.features import Inputs, TableRegistry
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.idle import feel_every_entry
from idinf.space.layers import list_layer_choices
from idinf.space.rows import list_members_of_groups, sort_distinct
from idinf.space.structures import Cost, Structure, join_floors
from idinf.space.units import (
    MAX_UNITS,
    RAW,
    LayerBudget,
    LayerFilter,
    Units,
    iter_unit_chunks,
    keep_units_alone,
)

#: Units of one list that serves many lower layers at most, before and after it is reduced, and such lists.
MOST_LISTED, MOST_KEPT, MOST_LISTS = 3_000_000, 400_000, 16
#: By the inputs of a list of units: the total of R it is for, the list, and a total at which it was too long.
Lists: TypeAlias = dict[object, tuple[float, Units, float]]

Starts: TypeAlias = tuple[LowerLayers, ...]  #: lower layers that others stand over


@dataclass(frozen=True, eq=False)
class LowerLayersBuilder:
    """Builds lower layers whose hypotheses can have R ≤ ``high`` and be right on screened words."""

    words: ShortWords
    structure: Structure
    aggregate: Aggregate
    high: float
    length: int  #: words up to this length are screened
    reduce: bool = True  #: True if costlier realisations of the same exact function are dropped
    #: For each of the first layers the behaviours its units may have, on the rows (N, prefix) of the words
    #: ``on``, or on all rows; all if not given.
    only: tuple[frozenset[bytes], ...] | None = None
    on: ShortWords | None = None
    most: int = MAX_UNITS  #: bound on every list of units or pairs
    checkpoint: Callable[[float], None] = lambda work: None
    #: Called while a list is made that every process makes for itself: it must count nothing.
    beat: Callable[[], None] = lambda: None
    lists: Lists = field(default_factory=dict)

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

    def batches(self, size: int) -> Iterator[Starts]:
        """Starts in batches."""
        starts = self.starts()
        return iter(lambda: tuple(itertools.islice(starts, size)), ())

    def finished(
        self, starts: Sequence[LowerLayers], exclusion: Exclusion | None = None
    ) -> Iterator[LowerLayers]:
        """All the lower layers over starts, but for those that known certificates exclude."""
        layers = len(self.structure.hidden)
        if exclusion is None or not self._sifts(starts[0]) or self._sieve is None:
            for start in starts:
                yield from self._extend(start, layers)
        else:
            for start, listed in zip(starts, self._sieve.sifted(starts, exclusion), strict=True):
                if len(listed):
                    yield from self._extend(start, layers, (listed,))

    def _extend(
        self, lower: LowerLayers, layers: int, listed: Iterable[Units] | None = None
    ) -> Iterator[LowerLayers]:
        """Sets of so many lower layers over given ones, from the tokens up."""
        if len(lower.layers) == layers:
            yield lower
            return
        for grown in self._layer(lower, len(lower.layers), listed):
            yield from self._extend(grown, layers)

    def _sifts(self, start: LowerLayers) -> bool:
        """True if candidates are sifted over all starts at once: a unit is missing, and reads no content."""
        index = len(self.structure.hidden) - 1
        if index < 0 or not self._lists_units(index) or len(start.layers) != index:
            return False
        heads = (*self.structure.layers[index].heads, *self.structure.layers[-1].heads)
        return not any(pattern.logits for pattern in heads)

    @cached_property
    def _sieve(self) -> Sieve | None:
        """Candidates for the one unit of the last lower layer over any start; None if there is no list."""
        units = self._list(len(self.structure.hidden) - 1)
        shared = self.structure.num_features(self.words.symbols, 0)
        return None if units is None else Sieve.of(self.structure, self.high, units, shared, self.checkpoint)

    def _lists_units(self, index: int) -> bool:
        """True if the units of a layer are those of a list, reduced by exact functions."""
        return self.structure.layers[index].units == 1 and self.reduce

    def _list(self, index: int) -> Units | None:
        """The units of a layer of one over the cheapest layers below it, without those that others beat.

        Units that fit over some lower layers fit over the cheapest, too, so one list serves all. None if the
        list is too long, even if a shorter one was kept.
        """
        structure = self.structure
        # Of a maximum the floor of the layer itself changes nothing, and makes more lists the same.
        below = structure.layers[: index + (self.aggregate is Aggregate.MAX)]
        cheapest = join_floors(below, structure.precision, self.aggregate)
        within, heads = self._within(index, cheapest), structure.layers[index].heads
        alike = tuple(map(heads.index, heads)), all(pattern.uniform for pattern in heads), structure.period
        key = alike, replace(within, total=0.0), self.most
        none = Units.none(within.features, within.precision, len(heads))
        total, units, too_much = self.lists.pop(key, (-math.inf, none, math.inf))
        while len(self.lists) >= MOST_LISTS:
            del self.lists[next(iter(self.lists))]
        if total < within.total < too_much:
            try:
                total, units = within.total, self._listed(within, index)
            except BudgetError:
                too_much = within.total
        self.lists[key] = total, units, too_much
        return units if within.total <= total else None

    def _listed(self, within: LayerBudget, index: int) -> Units:
        """All units within a budget but for those that others beat. Raises BudgetError if too many."""
        heads = len(self.structure.layers[index].heads)
        known = LayerFilter(
            lambda units: np.zeros(len(units), dtype=np.int64),
            self._exact(index),
            most=min(self.most, MOST_KEPT),
            checkpoint=lambda _: self.beat(),
        )
        chunks = iter_unit_chunks(within, (True,) * heads, True, min(self.most, MOST_LISTED // RAW))
        return keep_units_alone(chunks, heads, within, known)[0]

    def _exact(self, index: int) -> Callable[[Units], IntArray]:
        """Function that numbers the units of a layer by their exact functions."""
        heads, tokens = self.structure.layers[index].heads, self.words.symbols + 1
        return partial(exact_numbers, heads=heads, tokens=tokens, period=self.structure.period)

    def _layer(self, lower: LowerLayers, index: int, listed: Iterable[Units] | None) -> Iterator[LowerLayers]:
        """Lower layers with one more; its units are those that are listed, or all within the budget."""
        shape, tokens, period = self.structure.layers[index], self.words.symbols + 1, self.structure.period
        inputs, features = lower.inputs.hidden(shape.heads, self.structure.precision)
        registry = TableRegistry(features, self.checkpoint)
        within = self._within(index, Cost(*map(float, lower.lower_costs.min(axis=0))))
        if listed is None and self._lists_units(index):
            units = self._list(index)
            if units is not None:
                listed = (units.take(within.spare(units.costs(self.aggregate)) >= 0),)
        known = LayerFilter(
            registry.number,
            self._exact(index),
            reduce=self.reduce,
            most=self.most,
            checkpoint=self.checkpoint,
        )
        if self.only is not None and index < len(self.only):
            rows = None if self.on is None else self.words.rows_of(self.on, inputs.deep)
            known = replace(known, possible=partial(registry.having, allowed=self.only[index], rows=rows))
        choices = list_layer_choices(
            shape, within, known, None if listed is None else lambda reads, signed: listed
        )
        choices = choices.take(feel_every_entry(choices.units, shape.heads, tokens, period))
        if not len(choices):
            return
        tables, group = np.unique(choices.tables, axis=0, return_inverse=True)
        numbers = sort_distinct(tables)
        outputs = registry.tables(numbers)
        place = np.searchsorted(numbers, tables)
        of_table = list_members_of_groups(group.reshape(-1), len(tables))
        # Neighbours agree on the shortest words.
        packed = np.packbits(outputs, axis=1)
        for k in sorted(range(len(tables)), key=lambda k: packed[place[k]].tobytes()):
            chosen = choices.take(of_table[k])
            lower_costs = pareto_costs(lower.lower_costs, chosen.costs, self.aggregate)
            layers = (*lower.layers, chosen)
            yield LowerLayers(inputs, outputs[place[k]], lower_costs, layers)

    def _within(self, index: int, lower: Cost) -> LayerBudget:
        """The budget of a layer over lower layers that cost at least so much."""
        structure, precision = self.structure, self.structure.precision
        rest = join_floors(structure.layers[index + 1 :], precision, self.aggregate)
        total = self.high - structure.base(self.aggregate)
        features = structure.num_features(self.words.symbols, index)
        return LayerBudget(features, precision, total, rest.join(lower, self.aggregate), self.aggregate)
