"""Stacks: the lower layers of hypotheses, one per behaviour on short words, with their Pareto costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from idinf.search.conflicts import Conflicts
from idinf.search.normal_form import exact_numbers, normal_forms
from idinf.search.reachability import ScaledUnits
from idinf.search.short_words import Features, ShortWords
from idinf.search.tables import TableRegistry
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices, LayerFilter, layer_choices
from idinf.space.rows import group_rows
from idinf.space.structures import Cost, Structure
from idinf.space.units import MAX_UNITS, BoolArray, FloatArray, joined
from idinf.transformers.regularizer import Aggregate

__all__ = ["Member", "Stack", "StackBuilder", "join_fronts"]


@dataclass(frozen=True)
class Stack:
    """Lower layers with one behaviour on all short words.

    Attributes
    ----------
    features : Features
        What the next layer reads on every short word.
    fronts : (F, 4) ndarray of float64
        Aggregated costs of the lower layers, one row per Pareto point.
    layers : tuple of LayerChoices
        For every lower layer its realisations with this behaviour.
    """

    features: Features
    fronts: FloatArray
    layers: tuple[LayerChoices, ...] = ()

    def members(self, tokens: int, aggregate: Aggregate) -> Iterator[Member]:
        """Split into exact functions: realisations with equal normal forms agree on all words."""
        grown = [Member((), np.zeros((1, 4)), ScaledUnits.concatenate([], tokens))]
        for layer in self.layers:
            grown = [larger for member in grown for larger in _grow(member, layer, tokens, aggregate)]
        yield from grown


@dataclass(frozen=True)
class Member:
    """Lower layers with one exact behaviour.

    Attributes
    ----------
    layers : tuple of LayerChoices
        All their realisations, layer by layer.
    fronts : (F, 4) ndarray of float64
    lower : ScaledUnits
        One realisation of the units, all layers in order.
    """

    layers: tuple[LayerChoices, ...]
    fronts: FloatArray
    lower: ScaledUnits


def _grow(member: Member, layer: LayerChoices, tokens: int, aggregate: Aggregate) -> Iterator[Member]:
    below = len(member.lower.bias)
    forms = [normal_forms(ScaledUnits.of(units), tokens) for units in layer.units]
    _, group = group_rows(np.concatenate(forms, axis=1))
    for k in range(int(group.max(initial=-1)) + 1):
        chosen = layer.take(group == k)
        width = len(layer.units)
        added = [ScaledUnits.of(units.take(slice(0, 1))) for units in chosen.units]
        lower = ScaledUnits.concatenate([member.lower, *added], tokens + below + width)
        yield Member((*member.layers, chosen), join_fronts(member.fronts, chosen.costs, aggregate), lower)


def join_fronts(fronts: FloatArray, costs: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Pareto points of lower layers extended by one more layer."""
    joint = np.stack(
        [_outer(fronts[:, column], costs[:, column], aggregate) for column in range(4)],
        axis=1,
    )
    joint = np.unique(joint, axis=0)
    keep = [k for k, row in enumerate(joint) if not (joint[:k] <= row).all(axis=1).any()]
    return joint[keep]


def _outer(rest: FloatArray, values: FloatArray, aggregate: Aggregate) -> FloatArray:
    """One term of R for every pair of lower layers and next layer."""
    return np.concatenate([joined(float(value), values, aggregate) for value in rest])


@dataclass(frozen=True)
class StackBuilder:
    """Builds the stacks of a structure whose hypotheses can have R ≤ ``high`` and be right on screened words.

    Attributes
    ----------
    length : int
        Words up to this length are screened.
    reduce : bool
        Whether costlier realisations of the same exact function are dropped.
    use_conflicts : bool
        Whether the conflict filter prunes.
    only : tuple of frozenset of bytes, optional
        For every layer the behaviours its units may have; all if not given.
    most : int
        Bound on every list of units or pairs.
    checkpoint : callable
        Called now and then; may raise to stop the search.
    """

    words: ShortWords
    structure: Structure
    aggregate: Aggregate
    high: float
    length: int
    reduce: bool = True
    use_conflicts: bool = True
    only: tuple[frozenset[bytes], ...] | None = None
    most: int = MAX_UNITS
    checkpoint: Callable[[], None] = lambda: None

    def stacks(self) -> Iterator[Stack]:
        """All stacks, layer by layer from the tokens up."""
        yield from self._extend(Stack(self.words.tokens, np.zeros((1, 4))), 0)

    def _extend(self, stack: Stack, index: int) -> Iterator[Stack]:
        if index == len(self.structure.hidden):
            yield stack
            return
        for grown in self._layer(stack, index):
            yield from self._extend(grown, index + 1)

    def _layer(self, stack: Stack, index: int) -> Iterator[Stack]:
        """Stacks with one more layer; the conflict filter acts on the last lower layer."""
        registry = TableRegistry(stack.features, self.checkpoint)
        least = Cost(*map(float, stack.fronts.min(axis=0)))
        rest = self._rest(index).join(least, self.aggregate)
        last = index == len(self.structure.hidden) - 1
        separation = _Separation(
            self.words, stack.features, self.length, registry, last and self.use_conflicts
        )
        alone = separation.alone if self.structure.layers[index].units == 1 else _any_table
        if self.only is not None:
            alone = partial(registry.among, allowed=self.only[index])
        choices = layer_choices(
            self.structure.layers[index],
            stack.features.size,
            self.structure.precision,
            self.high - self.structure.base(self.aggregate),
            rest,
            self.aggregate,
            LayerFilter(
                registry.number,
                lambda units: exact_numbers(units, self.words.symbols + 1),
                alone,
                separation.together,
                self.reduce,
                self.most,
            ),
        )
        if not len(choices):
            return
        tables, group = np.unique(choices.tables, axis=0, return_inverse=True)
        group = group.reshape(-1)
        order = np.argsort(group, kind="stable")
        bounds = np.searchsorted(group[order], np.arange(len(tables) + 1))
        outputs = registry.tables(np.unique(tables))
        place = np.searchsorted(np.unique(tables), tables)
        for k in range(len(tables)):
            chosen = choices.take(order[bounds[k] : bounds[k + 1]])
            fronts = join_fronts(stack.fronts, chosen.costs, self.aggregate)
            features = self.words.extend(stack.features, outputs[place[k]])
            yield Stack(features, fronts, (*stack.layers, chosen))

    def _rest(self, index: int) -> Cost:
        """Least cost of the layers above ``index``."""
        rest = Cost()
        for layer in self.structure.layers[index + 1 :]:
            rest = rest.join(layer.floor(self.structure.precision), self.aggregate)
        return rest


def _any_table(tables: IntArray) -> BoolArray:
    return np.ones(len(tables), dtype=np.bool_)


class _Separation:
    """Which tables, or pairs of tables, separate every conflict. Mutable: bitsets of new tables are added."""

    def __init__(
        self, words: ShortWords, features: Features, length: int, registry: TableRegistry, active: bool
    ) -> None:
        self.words, self.registry = words, registry
        self.conflicts = Conflicts(words, features, length)
        self.active = active and len(self.conflicts) > 0
        self.missed = np.zeros((0, -(-len(self.conflicts) // 8)), dtype=np.uint8)

    def _update(self) -> None:
        """Bitset of the conflicts each known table misses, (tables, bytes)."""
        new = np.arange(len(self.missed), len(self.registry))
        for begin in range(0, len(new), 512):
            bits = self.registry.tables(new[begin : begin + 512])
            apart = self.conflicts.separated(bits, self.words.accumulate(bits.astype(np.int16)))
            self.missed = np.concatenate([self.missed, np.packbits(~apart, axis=1)])

    def alone(self, tables: IntArray) -> BoolArray:
        """Tables that separate every conflict by themselves."""
        if not self.active:
            return _any_table(tables)
        self._update()
        return np.logical_not(self.missed[tables].any(axis=1))

    def together(self, first: IntArray, second: IntArray) -> BoolArray:
        """Pairs of tables that separate every conflict together."""
        if not self.active:
            return _any_table(first)
        self._update()
        keep = np.arange(len(first))
        for begin in range(0, self.missed.shape[1], 8):
            part = np.ascontiguousarray(self.missed[:, begin : begin + 8])
            clashes = np.any(part[first[keep]] & part[second[keep]], axis=1)
            keep = keep[np.logical_not(clashes)]
        mask = np.zeros(len(first), dtype=np.bool_)
        mask[keep] = True
        return mask
