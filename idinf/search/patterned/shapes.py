"""Structures with attention patterns that may hold a right hypothesis, listed shape by shape.

A *shape* is a structure with uniform heads. With φ and M each head has many thousand patterns, and hardly
any of them holds a net that is right on the few words that count. So patterns are never listed layer by
layer: behaviours of lower layers are listed over all patterns at once (`idinf.search.patterned.lower`), the
last layer is judged class by class (`idinf.search.patterned.top`), and only structures that these leave are
searched as any other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from idinf.nets.attention import Attention, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.patterned.ends import WordEnds
from idinf.search.patterned.lower import (
    M,
    Stacks,
    floor_of,
    join,
    list_behaviours,
    list_stacks,
)
from idinf.search.patterned.top import TopPatterns
from idinf.search.short_words.features import Behaviours, Inputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import sort_distinct
from idinf.space.structures import SLACK, LayerShape, PatternGrid, Structure, list_patterns
from idinf.space.units import FloatArray
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target

#: Sets of lower layers that are handed on with a structure that is left, at most.
MOST_SETS = 1024

#: Words that count are looked at up to a length with at most so many.
MOST_WORDS = 800


class PatternedShapes:
    """Lists patterned structures that may hold something right. Mutable: it remembers words and lists.

    ``count`` counts steps of work.
    """

    def __init__(self, target: Target, bounds: SpaceBounds, count: Callable[[float], None]) -> None:
        self.target, self.bounds, self.count = target, bounds, count
        self.symbols = len(target.alphabet)
        self._ends: dict[tuple[int, int], WordEnds] = {}
        self._patterns = lru_cache(maxsize=256)(partial(list_patterns, checkpoint=lambda _: count(0)))

    def judges(self, shape: Structure, room: float) -> bool:
        """True if the patterns of a shape are judged together; others are listed one by one.

        Where R leaves no room for any pattern, certificates exclude as much of a chain of single units, in
        less time.
        """
        if not shape.heads or any(len(layer.heads) > 1 for layer in shape.layers):
            return False
        least = PatternGrid.of(self.bounds, shape.precision, Attention.CONTENT).least
        is_chain = all(layer.units == 1 for layer in shape.layers) and room + SLACK < least
        return not is_chain and _judged(shape, room).units <= _most_units(room)

    def is_confused(self, shape: Structure, consistent: int) -> bool:
        """True if heads stand in one layer, and tokens, residues and the last places leave no right net.

        Without it the last slice of tomita-7 takes more than five times as long.
        """
        if sum(bool(layer.heads) for layer in shape.layers) != 1:
            return False
        ends = self.ends(shape.period, consistent)
        none = Stacks.empty(ends.first).bits
        return bool(ends.confused(none, self.bounds.reach)[0])

    def ends(self, period: int, consistent: int) -> WordEnds:
        """The words that count, up to the greatest length at which they are not too many."""
        length, words = 0, 1
        while length < consistent and words + self.symbols ** (length + 1) <= MOST_WORDS:
            length += 1
            words += self.symbols**length
        if (period, length) not in self._ends:
            self._ends[period, length] = WordEnds(ShortWords.of(self.target, length), period)
        return self._ends[period, length]

    def left(
        self, shape: Structure, attention: Attention, high: float, consistent: int
    ) -> Iterator[tuple[Structure, Behaviours | None]]:
        """Structures of a shape that may hold something right within R ≤ ``high``, up to an attention.

        Beside each stand the possible behaviours of the layers below the judged one; None if there are none,
        or too many.
        """
        assert self.judges(shape, high - shape.floor(Aggregate.MAX))
        ends = self.ends(shape.period, consistent)
        spare = high + SLACK - shape.floor(Aggregate.MAX)
        last, p = _judged(shape, spare), shape.precision
        hidden = shape.layers[: _place(shape, spare)]
        room = high + SLACK - shape.base(Aggregate.MAX)
        grid = PatternGrid.of(self.bounds, p, attention)
        above = sum(layer.units for layer in shape.layers[len(hidden) + 1 :])
        top = TopPatterns(ends, grid, len(last.heads), last.units, room, self.count, above > 0, above > 1)
        at_last = replace(top, least=attention)
        rests = tuple(floor_of(p, *hidden[depth + 1 :], last) for depth in range(len(hidden)))

        def list_layer(inputs: Inputs, layer: LayerShape, rest: FloatArray) -> Stacks | None:
            own = floor_of(p, layer)
            # ‖M‖ is a maximum: a norm that another layer has already costs nothing here.
            left = math.ceil((room - float(join(own, rest).sum() - rest[M])) * 16) / 16  # few lists for many
            patterns = self._patterns(grid, inputs.size, self.symbols + 1, left) if layer.heads else ()
            self.count(1 / 2 + len(patterns) / 256)
            return list_behaviours(inputs, layer, p, shape.period, patterns, rest, room, self.count)

        found: dict[Structure, list[tuple[Stacks, int]]] = {}  # the lower layers over which something is left
        for stacks in list_stacks(ends.first, hidden, list_layer, rests, room):
            # Either the lower layers attend to as much already, or the last one has to.
            parts = [(stacks.restricted(stacks.attention == attention), top)]
            if last.heads and attention > Attention.UNIFORM:
                parts.append((stacks.restricted(stacks.attention < attention), at_last))
            for part, judge in parts:
                for stack, pattern in judge.left(part):
                    chosen = part.chosen[part.points_of(stack)]
                    for structure in self._structures(shape, part.patterns, chosen, pattern, high):
                        found.setdefault(structure, []).append((part, stack))
        for structure, sets in found.items():
            is_told = hidden and len(sets) <= MOST_SETS
            yield structure, _list_said(ends, hidden, sets) if is_told else None

    def _structures(
        self,
        shape: Structure,
        known: tuple[tuple[AttentionPattern, ...], ...],
        chosen: IntArray,
        pattern: AttentionPattern,
        high: float,
    ) -> Iterator[Structure]:
        """The structures of a pattern of the last layer over the patterns chosen for lower layers, (P, L)."""
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
    """Behaviours of the units of each lower layer in some of the sets."""
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

    Units of a layer come in one order here and in another one where structures are searched, so an entry of
    M for the first of them may be meant for any.
    """
    first = [structure.num_features(symbols, index) for index in range(structure.depth)]
    if structure.attention is not Attention.CONTENT:
        return (structure,)
    orders = itertools.product(*(itertools.permutations(range(*ends)) for ends in itertools.pairwise(first)))
    named = [(*range(first[0]), *itertools.chain.from_iterable(order)) for order in orders]
    every = (tuple(_with_order(layer, order) for layer in structure.layers) for order in named)
    return tuple(replace(structure, layers=layers) for layers in dict.fromkeys(every))


def _with_order(layer: LayerShape, order: Sequence[int]) -> LayerShape:
    """A layer whose heads take the features below it in another order."""

    def moved(head: AttentionPattern) -> AttentionPattern:
        known = order[: len(head.logits)]
        return replace(head, logits=tuple(tuple(head.logits[key][query] for query in known) for key in known))

    return replace(layer, heads=tuple(map(moved, layer.heads)))


def _most_units(room: float) -> float:
    """Units of a layer whose patterns are judged: where there is no room for rank_V = 2, any number."""
    return 2 if room + SLACK >= 1 else math.inf


def _place(shape: Structure, room: float) -> int:
    """Place of the layer that is judged: the last one with heads, unless it has too many units."""
    place = max(k for k, layer in enumerate(shape.layers) if layer.heads)
    return place if shape.layers[place].units <= _most_units(room) else shape.depth - 1


def _judged(shape: Structure, room: float) -> LayerShape:
    return shape.layers[_place(shape, room)]
