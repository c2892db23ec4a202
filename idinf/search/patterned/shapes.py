"""Which structures with attention patterns are worth a visit, shape by shape.

A *shape* is a structure with uniform heads. What else its heads may attend to, φ and M, are many thousand
patterns for each head, and hardly any of them holds a net that is right on the few words that count. So
patterns are never listed layer by layer: what lower layers say is listed over all patterns at once
(`idinf.search.patterned.lower`), the last layer is judged class by class (`idinf.search.patterned.top`), and
only structures that these leave are searched as any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from idinf.nets.attention import Attention, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.patterned.ends import WordEnds
from idinf.search.patterned.lower import (
    LayerBehaviours,
    M,
    Stacks,
    floor_of,
    join,
    list_behaviours,
    list_stacks,
    total,
)
from idinf.search.patterned.top import TopPatterns
from idinf.search.short_words.features import Behaviours, Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import sort_distinct
from idinf.space.structures import LayerShape, PatternGrid, Structure, list_patterns
from idinf.space.units import SLACK, FloatArray
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target

T = TypeVar("T")

#: Sets of lower layers that are handed on with a structure that is left, at most.
MOST_SETS = 1024

#: Words that count are looked at up to a length with at most so many.
MOST_WORDS = 800


class PatternedShapes:
    """Lists patterned structures that may hold something right. Mutable: it remembers words and lists.

    ``count`` counts steps of work.
    """

    def __init__(self, target: Target, bounds: SpaceBounds, count: Callable[[int], None]) -> None:
        self.target, self.bounds, self.count = target, bounds, count
        self.symbols = len(target.alphabet)
        self._ends: dict[tuple[int, int], WordEnds] = {}
        #: Patterns of one head, for a grid, a number of features and a room, and what listing them took.
        self._listed: dict[
            tuple[PatternGrid, int, int], tuple[tuple[tuple[float, AttentionPattern], ...], int]
        ] = {}

        #: What the first layer of the shape that was judged last may say: its shares ask for it again.
        self._first: tuple[tuple[Structure, Attention, float, int], LayerBehaviours | None] | None = None

    def judges(self, shape: Structure, room: float) -> bool:
        """Whether the patterns of a shape are judged together; others are listed one by one.

        Where R leaves no room for any pattern, certificates tell as much of a chain of single units, in less
        time.
        """
        if not shape.heads or any(len(layer.heads) > 1 for layer in shape.layers):
            return False
        least = PatternGrid.of(self.bounds, shape.precision, Attention.CONTENT).least
        is_chain = all(layer.units == 1 for layer in shape.layers) and room + SLACK < least
        return not is_chain and _judged(shape, room).units <= _most_units(room)

    def ends(self, period: int, consistent: int) -> WordEnds:
        """The words that count, as far as there are not too many."""
        length, words = 0, 1
        while length < consistent and words + self.symbols ** (length + 1) <= MOST_WORDS:
            length += 1
            words += self.symbols**length
        if (period, length) not in self._ends:
            self._ends[period, length] = WordEnds(ShortWords.of(self.target, length), period)
        return self._ends[period, length]

    def left(
        self,
        shape: Structure,
        attention: Attention,
        high: float,
        consistent: int,
        share: tuple[int, int] = (0, 1),
    ) -> Iterator[tuple[Structure, Behaviours | None]]:
        """Structures of a shape that may hold something right within R ≤ ``high``, up to an attention.

        With what the layers below the judged one may say; None where there are none, or too many ways. Of a
        share (i, k) of its lower layers, for another process to take another one. What all shares list
        counts in the first.
        """
        assert self.judges(shape, high - shape.floor(Aggregate.MAX))
        ends = self.ends(shape.period, consistent)
        spare = high + SLACK - shape.floor(Aggregate.MAX)
        last, p = _judged(shape, spare), shape.precision
        hidden = shape.layers[: _place(shape, spare)]
        if share[0] and not hidden:
            return  # the first share has all
        room = high + SLACK - shape.base(Aggregate.MAX)
        grid = PatternGrid.of(self.bounds, p, attention)
        above = sum(layer.units for layer in shape.layers[len(hidden) + 1 :])
        top = TopPatterns(ends, grid, len(last.heads), last.units, room, self.count, above > 0, above > 1)
        at_last = replace(top, least=attention)
        floors = [floor_of(len(layer.heads), layer.units, p) for layer in (*hidden, last)]
        rests, counted = [], set[tuple[PatternGrid, int, int]]()
        for depth in range(len(hidden)):
            rest = floors[-1]
            for floor in floors[depth + 1 : -1]:
                rest = join(rest, floor)
            rests.append(rest)

        asked = shape, attention, high, consistent

        def list_layer(inputs: Inputs, layer: LayerShape, rest: FloatArray) -> LayerBehaviours | None:
            if inputs is not ends.first:
                return listed(inputs, layer, rest, self.count)
            if not share[0] or self._first is None or self._first[0] != asked:
                self._first = None  # which may be large
                count = (lambda _: self.count(0)) if share[0] else self.count
                self._first = asked, listed(inputs, layer, rest, count)
            return self._first[1]

        def listed(
            inputs: Inputs, layer: LayerShape, rest: FloatArray, count: Callable[[int], None]
        ) -> LayerBehaviours | None:
            own = floor_of(len(layer.heads), layer.units, p)
            # ‖M‖ is a maximum: what another layer has already costs nothing here.
            left = room - float(total(join(own, rest)) - rest[M])
            patterns = self._patterns(grid, inputs.size, left, counted, count) if layer.heads else ()
            return list_behaviours(inputs, layer, p, shape.period, patterns, rest, room, count)

        found: dict[Structure, list[tuple[Stacks, int]]] = {}  # the lower layers over which something is left
        for stacks in list_stacks(ends.first, hidden, list_layer, tuple(rests), room, share):
            # Either the lower layers attend to as much already, or the last one has to.
            parts = [(stacks.restricted(stacks.attention == attention), top)]
            if last.heads and attention > Attention.UNIFORM:
                parts.append((stacks.restricted(stacks.attention < attention), at_last))
            for part, judge in parts:
                for stack, pattern, points in judge.left(part):
                    chosen = part.chosen[part.points_of(stack)][points]
                    for structure in self._structures(shape, part.patterns, chosen, pattern, high):
                        found.setdefault(structure, []).append((part, stack))
        for structure, sets in found.items():
            is_told = hidden and len(sets) <= MOST_SETS
            yield structure, _list_said(ends, hidden, sets) if is_told else None

    def _patterns(
        self,
        grid: PatternGrid,
        features: int,
        room: float,
        counted: set[tuple[PatternGrid, int, int]],
        count: Callable[[int], None],
    ) -> tuple[tuple[float, AttentionPattern], ...]:
        """Patterns of one head within a room, listed once for several rooms and shapes.

        Every shape counts its lists, whatever was listed before it: work is the same in any process.
        """
        key = grid, features, math.ceil(room * 16)
        if key not in self._listed:
            steps = 0

            def step() -> None:
                nonlocal steps
                steps += 1
                self.count(0)

            self._listed[key] = list_patterns(grid, features, self.symbols + 1, key[2] / 16, step), steps
        listed, steps = self._listed[key]
        if key not in counted:
            counted.add(key)
            count(steps)
        return tuple(item for item in listed if item[0] <= room + SLACK)

    def _structures(
        self,
        shape: Structure,
        known: tuple[tuple[AttentionPattern, ...], ...],
        chosen: IntArray,
        pattern: AttentionPattern,
        high: float,
    ) -> Iterator[Structure]:
        """The structures of a pattern of the last layer over those that are chosen for lower ones, (P, L)."""
        for places in sorted({*map(tuple, chosen.tolist())}):
            lower = [
                replace(layer, heads=(patterns[k],)) if layer.heads else layer
                for layer, patterns, k in zip(shape.layers, known, places, strict=False)
            ]
            last, above = shape.layers[len(lower)], shape.layers[len(lower) + 1 :]
            top = replace(last, heads=(pattern,)) if last.heads else last
            structure = replace(shape, layers=(*lower, top, *above))
            if structure.floor(Aggregate.MAX) <= high + SLACK:
                yield from _in_every_order(structure, self.symbols)


def _list_said(ends: WordEnds, hidden: tuple[LayerShape, ...], sets: list[tuple[Stacks, int]]) -> Behaviours:
    """What the units of each lower layer say in some of the sets."""
    layers = [list[NDArray[np.uint8]]() for _ in hidden]
    for stacks, stack in sets:
        below = np.packbits(stacks.inputs.last[ends.first.size :].astype(np.bool_), axis=1)
        units = np.concatenate([below, stacks.bits.packed[stack]])
        for of_layer, layer in zip(layers, hidden, strict=True):
            of_layer.append(units[: layer.units])
            units = units[layer.units :]
    every = (sort_distinct(np.concatenate(of_layer), axis=0) for of_layer in layers)
    return Behaviours(ends.words.length, tuple(every))


def _in_every_order(structure: Structure, symbols: int) -> tuple[Structure, ...]:
    """The structures that a structure becomes when the units of its lower layers stand in another order.

    Units of a layer come in one order here and in another one where structures are searched, so what an M
    says of the first of them may be meant for any.
    """
    found = {structure: None}
    waiting = [structure]
    while waiting:
        known = waiting.pop()
        for index, layer in enumerate(known.hidden):
            first = known.num_features(symbols, index)
            for feature in range(first, first + layer.units - 1):
                above = (_with_exchanged(each, feature) for each in known.layers[index + 1 :])
                other = replace(known, layers=(*known.layers[: index + 1], *above))
                if other not in found:
                    found[other] = None
                    waiting.append(other)
    return tuple(found)


def _with_exchanged(layer: LayerShape, feature: int) -> LayerShape:
    """A layer whose heads take a feature for the next one, and the next one for it."""

    def exchange(items: tuple[T, ...]) -> tuple[T, ...]:
        return (*items[:feature], items[feature + 1], items[feature], *items[feature + 2 :])

    heads = (
        replace(head, logits=exchange(tuple(map(exchange, head.logits)))) if head.logits else head
        for head in layer.heads
    )
    return replace(layer, heads=tuple(heads))


def _most_units(room: float) -> float:
    """Units of a layer whose patterns are judged: where there is no room for rank_V = 2, any number."""
    return 2 if room + SLACK >= 1 else math.inf


def _place(shape: Structure, room: float) -> int:
    """Place of the layer that is judged: the last one with heads, unless it has too many units."""
    place = max(k for k, layer in enumerate(shape.layers) if layer.heads)
    return place if shape.layers[place].units <= _most_units(room) else shape.depth - 1


def _judged(shape: Structure, room: float) -> LayerShape:
    return shape.layers[_place(shape, room)]
