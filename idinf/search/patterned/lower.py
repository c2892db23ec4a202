"""Behaviours of lower layers over all attention patterns, with their costs.

‖M‖ is one more maximum in R and Σ φ² one more sum. So units that differ in the pattern of their head and say
the same on all rows (N, prefix) of the words that count are one behaviour, with a list of points of cost.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.nets.attention import AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.short_words.features import Features, Inputs, unit_outputs
from idinf.space.grid import IntArray
from idinf.space.idle import find_felt
from idinf.space.layers import Readers, join_units
from idinf.space.rows import find_undominated, group_rows
from idinf.space.structures import SLACK, Cost, LayerShape, join_floors
from idinf.space.units import (
    RAW,
    BoolArray,
    FloatArray,
    LayerBudget,
    Units,
    iter_unit_chunks,
)

#: Columns of a point of cost; the second is a sum over the layers, the others are maxima.
M, PHI, RANK, V, A, B = range(6)

#: Bytes of the behaviours of a lower layer, and units of one list, at most.
MOST_BYTES, MOST_UNITS = 1 << 30, 1 << 25

#: Outputs and weights of several patterns at once, about.
CELLS = 1 << 22


def join(points: FloatArray, others: FloatArray) -> FloatArray:
    """Points of two groups of layers together, broadcast against each other, (..., 6)."""
    joined = np.maximum(points, others)
    joined[..., PHI] = points[..., PHI] + others[..., PHI]
    return joined


def floor_of(precision: int, *layers: LayerShape) -> FloatArray:
    """Least costs of some layers, (6,)."""
    return np.array([0.0, 0.0, *join_floors(layers, precision, Aggregate.MAX)])


@dataclass(frozen=True, eq=False)
class PackedBits:
    """Outputs of B sets of m units on T rows, (B, m, T): kept as eight rows a byte, unpacked by an index.

    >>> bits = PackedBits(np.packbits([[[True, False]], [[True, True]]], axis=2), 2)
    >>> bits[np.array([1])].tolist(), bits.shape
    ([[[True, True]]], (2, 1, 2))
    """

    packed: NDArray[np.uint8]  #: (B, m, ⌈T / 8⌉)
    rows: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """(B, m, T)."""
        return (*self.packed.shape[:2], self.rows)

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, places: int | IntArray) -> BoolArray:
        return np.unpackbits(self.packed[places], axis=-1, count=self.rows).view(np.bool_)

    def take(self, places: IntArray) -> PackedBits:
        """Outputs of some sets."""
        return PackedBits(self.packed[places], self.rows)


def list_behaviours(
    inputs: Inputs,
    shape: LayerShape,
    precision: int,
    period: int,
    patterns: tuple[tuple[float, AttentionPattern], ...],
    rest: FloatArray,
    room: float,
    count: Callable[[float], None],
) -> Stacks | None:
    """List the behaviours of a layer by itself beside other layers; None if nothing fits.

    The others cost at least ``rest``, (6,). The shape has one head at most, whose pattern means nothing;
    ``patterns`` are all that it may have, with their costs, cheapest first. ``room`` bounds the total of the
    six terms of all layers.
    """
    heads, step, floor = len(shape.heads), 0.5**precision, floor_of(precision, shape)
    options = patterns if heads else ((0.0, AttentionPattern()),)
    alike: dict[tuple[float, float], list[int]] = {}  # patterns beside which units may cost the same
    for number, (_, pattern) in enumerate(options):
        cost = round(pattern.norm_KQ(precision), 12), pattern.phi_square() * step * step
        alike.setdefault(cost, []).append(number)
    found: list[tuple[NDArray[np.uint8], FloatArray, IntArray]] = []
    held = 0
    for cost, numbers in alike.items():
        own = floor.copy()
        own[M], own[PHI] = cost
        base = join(own, rest)
        if base.sum() > room + SLACK:
            continue
        rest_of = Cost(*base[RANK:].tolist())
        within = LayerBudget(inputs.size, precision, room - base[M] - base[PHI], rest_of, Aggregate.MAX)
        units = _list_units(shape, within)
        if not len(units):
            continue
        felt = None
        if cost[0] and shape.units == 1:  # sets of several may feel more
            felt = find_felt(units, inputs.words.symbols + 1, period).reshape(len(units), -1)
        each = len(inputs.tree) * (len(units) + 8 * inputs.words.length)
        block = max(1, CELLS // each) if shape.units == 1 else 1
        for begin in range(0, len(numbers), block):
            some = np.array(numbers[begin : begin + block])
            said, group = _say(units, inputs, tuple(options[k][1] for k in some), shape, count)
            # Equal outputs beside another pattern are another behaviour here.
            group = (group * len(some) + np.arange(len(some))[:, None]).reshape(-1)
            of_unit = np.tile(np.arange(len(units)), len(some))
            if felt is not None:
                kept = np.flatnonzero(_feel_all(felt, [options[k][1] for k in some]))
                group, of_unit = group[kept], of_unit[kept]
            which, paid = _list_sets(units, of_unit, group, shape, within)
            place = some[which[:, 0] % len(some)] if heads else np.full(len(which), -1)
            held += which.size * said.shape[1]
            _check_bytes(held)
            points = np.tile(own, (len(which), 1))
            points[:, RANK:] = np.maximum(points[:, RANK:], paid)
            found.append((said[which // len(some)], points, place))
    if not any(len(which) for which, _, _ in found):
        return None
    sets, points, pattern_of = (np.concatenate(parts) for parts in zip(*found, strict=True))
    found.clear()  # all of it is held once more
    first, group = group_rows(sets.reshape(len(sets), -1))
    _check_bytes(len(first) * shape.units * len(inputs.tree))
    bits = PackedBits(sets[first], len(inputs.tree))
    order = np.lexsort((pattern_of, group))
    chosen = pattern_of[order, None]
    return Stacks(inputs, bits, group[order], points[order], chosen, (tuple(q for _, q in options),))


def _say(
    units: Units,
    inputs: Inputs,
    patterns: tuple[AttentionPattern, ...],
    shape: LayerShape,
    count: Callable[[float], None],
) -> tuple[NDArray[np.uint8], IntArray]:
    """Behaviours on all rows, (B, T / 8), and which of them N units have beside each pattern, (G, N)."""
    heads = [(pattern,) if shape.heads else () for pattern in patterns]
    features = Features.concatenate([inputs.everywhere(each, units.precision) for each in heads])
    kinds, kind = features.rows
    count(2 + len(units) * len(kinds) / (1 << 16))
    outputs = unit_outputs(units, features.take(kinds))
    first, alike = group_rows(np.packbits(outputs, axis=1))
    outputs = outputs[first][:, kind].reshape(len(first), len(patterns), -1).transpose(1, 0, 2)
    packed = np.packbits(outputs, axis=2).reshape(len(first) * len(patterns), -1)
    first, group = group_rows(packed)
    return packed[first], group.reshape(len(patterns), -1)[:, alike]


def _feel_all(felt: BoolArray, patterns: list[AttentionPattern]) -> BoolArray:
    """Mask of units that feel every entry of M, of G patterns in turn, (G·N,); others come with another M."""
    entries = np.array([np.ravel(pattern.logits) for pattern in patterns]) > 0
    return np.asarray(entries.astype(np.float32) @ ~felt.T == 0).reshape(-1)


def _check_bytes(number: int) -> None:
    """Refuse behaviours of lower layers that would not fit into memory."""
    if number > MOST_BYTES:
        raise BudgetError(
            f"what lower layers say takes more than {MOST_BYTES >> 20} MiB; lower --max-r, --units or "
            "--precision"
        )


def _list_units(shape: LayerShape, within: LayerBudget) -> Units:
    """Every unit that may stand in a layer: alone on its channel, or where there are several in any way."""
    heads, alone = len(shape.heads), shape.units == 1
    chunks = [
        iter_unit_chunks(within, reads, alone, MOST_UNITS // RAW, signed=alone)
        for reads in ([(True,) * heads] if alone else itertools.product((False, True), repeat=heads))
    ]
    none = Units.none(within.features, within.precision, heads)
    return Units.concatenate([none, *itertools.chain.from_iterable(chunks)])


def _list_sets(
    units: Units, of_unit: IntArray, group: IntArray, shape: LayerShape, within: LayerBudget
) -> tuple[IntArray, FloatArray]:
    """Sets of m behaviours within a budget: (n, m) groups, and rank_V, ‖V‖, ‖A‖ and ‖b‖ at least, (n, 4).

    Units of a layer of one are within it, and each may have several behaviours: that of which unit is given.
    """
    sets, costs = group[:, None], units.costs(within.aggregate)[of_unit]
    if shape.units > 1:
        readers = Readers.of(units, group)
        # Of the units of a behaviour on a channel only the cheapest points matter.
        kinds = np.concatenate([readers.units.channel, readers.shared, readers.tables[:, None]], axis=1)
        readers = readers.take(find_undominated(group_rows(kinds)[1], readers.squares[:, -2:]))
        joined = join_units(readers, shape.units, within, most=MOST_UNITS)
        sets, costs = np.sort(readers.tables[joined.chosen], axis=1), joined.costs(within)
    kept = find_undominated(group_rows(sets)[1], costs)
    return sets[kept], costs[kept]


@dataclass(frozen=True, eq=False)
class Stacks:
    """Sets of lower layers that differ in the last of them: base features, and its bits."""

    inputs: Inputs  #: features below the last lower layer, on the rows (N, prefix)
    #: (S, m, T): outputs of its units, in one of all orders: `PatternedShapes` gives the others.
    #: Without lower layers m = 0 and S = 1.
    bits: PackedBits
    owner: IntArray  #: (P,): set of each point, ascending
    points: FloatArray  #: (P, 6): ‖M‖, Σ φ², rank_V, ‖V‖, ‖A‖ and ‖b‖ of its lower layers, at least
    chosen: IntArray  #: (P, L): the places of the patterns of all lower layers; −1 where there are no heads
    patterns: tuple[tuple[AttentionPattern, ...], ...]  #: patterns that ``chosen`` numbers, layer by layer

    def __len__(self) -> int:
        return len(self.bits)

    @staticmethod
    def empty(inputs: Inputs) -> Stacks:
        """No lower layer."""
        none = PackedBits(np.zeros((1, 0, (len(inputs.tree) + 7) // 8), dtype=np.uint8), len(inputs.tree))
        zero = np.zeros(1, dtype=np.int64)
        return Stacks(inputs, none, zero, np.zeros((1, 6)), np.zeros((1, 0), dtype=np.int64), ())

    @property
    def attention(self) -> IntArray:
        """(P,): attention of the heads of each point, as numbers of `Attention`."""
        found = np.zeros(len(self.points), dtype=np.int64)
        for known, place in zip(self.patterns, self.chosen.T, strict=True):
            found = np.maximum(found, np.array([pattern.attention for pattern in known])[place])
        return found

    def restricted(self, kept: BoolArray) -> Stacks:
        """The sets that have some of the points that are kept, (P,), with these."""
        known, owner = np.unique(self.owner[kept], return_inverse=True)
        bits = self.bits if len(known) == len(self) else self.bits.take(known)
        return replace(self, bits=bits, owner=owner, points=self.points[kept], chosen=self.chosen[kept])

    def points_of(self, stack: int) -> slice:
        """The points of one set."""
        begin, end = np.searchsorted(self.owner, [stack, stack + 1])
        return slice(int(begin), int(end))

    def grown(self, stack: int, layer: Stacks, rest: FloatArray, room: float) -> Stacks:
        """One set with one more layer, where both fit beside layers that cost ``rest``."""
        below = self.points[self.points_of(stack)]
        chosen = self.chosen[self.points_of(stack)]
        joint = join(below[:, None], layer.points[None])  # (b, P, 6)
        row, place = np.nonzero(join(joint, rest).sum(axis=2) <= room + SLACK)
        order = np.lexsort((row, layer.owner[place]))
        row, place = row[order], place[order]
        known, owner = np.unique(layer.owner[place], return_inverse=True)
        return Stacks(
            layer.inputs,
            layer.bits.take(known),
            owner,
            joint[row, place],
            np.concatenate([chosen[row], layer.chosen[place]], axis=1),
            self.patterns + layer.patterns,
        )

    def least(self, costs: FloatArray) -> FloatArray:
        """The least of some costs of the points, (P, ...), over those of each set, (S, ...)."""
        return np.minimum.reduceat(costs, np.searchsorted(self.owner, np.arange(len(self))), axis=0)


def list_stacks(
    inputs: Inputs,
    hidden: tuple[LayerShape, ...],
    list_layer: Callable[[Inputs, LayerShape, FloatArray], Stacks | None],
    rests: tuple[FloatArray, ...],
    room: float,
) -> Iterator[Stacks]:
    """All sets of lower layers, in groups that differ in the last layer.

    ``rests`` are the least costs of the layers above each lower layer, (6,).
    """

    def grow(stacks: Stacks, depth: int) -> Iterator[Stacks]:
        if depth == len(hidden):
            yield stacks
            return
        for stack in range(len(stacks)):
            below = stacks.inputs if not depth else stacks.inputs.extend(stacks.bits[stack])
            least = stacks.points[stacks.points_of(stack)].min(axis=0)
            layer = list_layer(below, hidden[depth], join(least, rests[depth]))
            grown = layer and stacks.grown(stack, layer, rests[depth], room)
            if grown:
                yield from grow(grown, depth + 1)

    yield from grow(Stacks.empty(inputs), 0)
