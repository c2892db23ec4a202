"""Behaviours of lower layers over all attention patterns, with what they cost.

‖M‖ is one more maximum in R and Σ φ² one more sum. So units that differ in the pattern of their head and say
the same on all rows (N, prefix) of the words that count are one behaviour, with a list of points of cost.

*Directions.* Two units that read ``a`` and ``b`` by one head need both entries 1, and rank_V = 2. For a unit
alone on a channel reads it by exactly 1, and a channel that two units share is one row g of V for both
(`idinf.space.layers`); g and −g are one channel, as the entry takes the sign. So two units that both read a
head do so in one of three ways: (i) by one channel, with any entries; (ii) by parallel channels g and h, both
by 1, and ‖V‖² = g² + h², since the product of V with its transpose has rank 1 and this trace; (iii) by
channels in two directions, both by 1, and rank_V = 2. Where one of them reads nothing, the other reads by 1.
With more units each channel has two readers or one that reads by 1, channels in two directions cost
rank_V = 2, and parallel ones alone the sum of their squares. No part of V has a larger norm than V, so a set
is grown channel by channel, and left as soon as it does not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.nets.attention import AttentionPattern
from idinf.search.short_words.features import Features, Inputs, unit_outputs
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.idle import find_felt
from idinf.space.rows import group_rows, repeat_places
from idinf.space.structures import LayerShape
from idinf.space.units import SLACK, BoolArray, EqualRuns, FloatArray, Units

#: Columns of a point of cost; the second is a sum over the layers, the others are maxima.
M, PHI, RANK, V, A, B = range(6)

#: Bytes of what a lower layer may say, and units of one list, at most.
MOST_BYTES, MOST_UNITS = 1 << 30, 1 << 25

#: Outputs and weights of several patterns at once, about.
CELLS = 1 << 22

#: Sets of units of one layer, or of parameters, that are made at once.
BLOCK = 1 << 18


def total(points: FloatArray) -> FloatArray:
    """Sum of the terms of points, (..., 6) to (...)."""
    return np.asarray(points.sum(axis=-1))


def join(points: FloatArray, others: FloatArray) -> FloatArray:
    """Points of two groups of layers together, broadcast against each other, (..., 6)."""
    joined = np.maximum(points, others)
    joined[..., PHI] = points[..., PHI] + others[..., PHI]
    return joined


def floor_of(heads: int, units: int, precision: int) -> FloatArray:
    """What a layer costs at least, (6,)."""
    step = 0.5**precision
    entry = 1.0 if units == 1 else min(1.0, np.sqrt(2.0) * step)
    return np.array([0.0, 0.0, min(heads, 1), step * heads, entry * np.sqrt(heads), 0.0])


@dataclass(frozen=True, eq=False)
class PackedBits:
    """What B sets of m units say on T rows, (B, m, T), eight rows in a byte until some are asked for.

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
        """Those of some sets."""
        return PackedBits(self.packed[places], self.rows)


@dataclass(frozen=True, eq=False)
class LayerBehaviours:
    """What a lower layer of m units can say on T rows, and for how much."""

    bits: PackedBits  #: (B, m, T); units stand in any one order: `PatternedShapes` gives the others
    owner: IntArray  #: (P,): behaviour of each point, ascending
    points: FloatArray  #: (P, 6): ‖M‖, Σ φ², rank_V, ‖V‖, ‖A‖ and ‖b‖ of the layer alone, at least
    pattern: IntArray  #: (P,): place of its head's pattern among ``patterns``; −1 for a layer without heads
    patterns: tuple[AttentionPattern, ...]


def list_behaviours(
    inputs: Inputs,
    shape: LayerShape,
    precision: int,
    period: int,
    patterns: tuple[tuple[float, AttentionPattern], ...],
    rest: FloatArray,
    room: float,
    count: Callable[[int], None],
) -> LayerBehaviours | None:
    """List what a layer can say beside other layers; None if nothing fits.

    The others cost at least ``rest``, (6,). The shape has one head at most, whose pattern means nothing;
    ``patterns`` are all that it may have, with their costs, cheapest first. ``room`` bounds the total of the
    six terms of all layers.
    """
    heads, step = len(shape.heads), 0.5**precision
    floor = floor_of(heads, shape.units, precision)
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
        if total(base) > room + SLACK:
            continue
        units, costs = _list_units(inputs.size, shape, precision, base, room)
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
            # What units say beside another pattern is another behaviour here.
            group = (group * len(some) + np.arange(len(some))[:, None]).reshape(-1)
            every = np.tile(costs, (len(some), 1))
            if felt is not None:
                kept = np.flatnonzero(_feel_all(felt, [options[k][1] for k in some]))
                group, every = group[kept], every[kept]
            for which, paid in _list_sets(units, every, group, shape, base, room):
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
    return LayerBehaviours(bits, group[order], points[order], pattern_of[order], tuple(q for _, q in options))


def _say(
    units: Units,
    inputs: Inputs,
    patterns: tuple[AttentionPattern, ...],
    shape: LayerShape,
    count: Callable[[int], None],
) -> tuple[NDArray[np.uint8], IntArray]:
    """Behaviours on all rows, (B, T / 8), and which of them N units have beside each pattern, (G, N)."""
    heads = [(pattern,) if shape.heads else () for pattern in patterns]
    features = Features.concatenate([inputs.everywhere(each, units.precision) for each in heads])
    kinds, kind = features.rows
    count(1 + len(units) * len(kinds) // (1 << 18))
    outputs = unit_outputs(units, features.take(kinds))
    first, alike = group_rows(np.packbits(outputs, axis=1))
    outputs = outputs[first][:, kind].reshape(len(first), len(patterns), -1).transpose(1, 0, 2)
    packed = np.packbits(outputs, axis=2).reshape(len(first) * len(patterns), -1)
    first, group = group_rows(packed)
    return packed[first], group.reshape(len(patterns), -1)[:, alike]


def _feel_all(felt: BoolArray, patterns: list[AttentionPattern]) -> BoolArray:
    """Which of N units feel every entry of each M of G patterns, (G·N,); others come beside another M."""
    entries = np.array([np.ravel(pattern.logits) for pattern in patterns]) > 0
    return np.asarray(entries.astype(np.float32) @ ~felt.T == 0).reshape(-1)


def _check_bytes(number: int) -> None:
    """Refuse what lower layers say if it would not fit."""
    if number > MOST_BYTES:
        raise BudgetError(
            f"what lower layers say takes more than {MOST_BYTES >> 20} MiB; lower --max-r, --units or "
            "--precision"
        )


def _list_units(
    size: int, shape: LayerShape, precision: int, base: FloatArray, room: float
) -> tuple[Units, FloatArray]:
    """Every unit that may stand in a layer beside what costs ``base``, (6,), and what each adds, (N, 4).

    That is rank_V and the squares of ‖V‖, ‖A‖ and ‖b‖.

    Alone in its layer it reads the head by a channel of its own. Beside others it may share a channel g, read
    with any entry c, or read none; what the others cost is left out here. Of g and −g only one is listed.
    """
    heads, one = len(shape.heads), 1 << precision
    fixed = base[M] + base[PHI] + base[RANK]
    most_b = room - fixed - base[V] - base[A]
    most_A = room - fixed - base[V] - base[B]
    most_V = room - fixed - base[A] - base[B]
    if min(most_b, most_A, most_V) < -SLACK:
        return Units.none(size, precision, heads), np.zeros((0, 4))
    rows = list_grid_ball(1 + size, find_largest_square(most_A * one))
    channels = (
        list_grid_ball(size, find_largest_square(most_V * one)) if heads else np.zeros((1, 0), np.int64)
    )
    biases = np.arange(-int((most_b + SLACK) * one), int((most_b + SLACK) * one) + 1)
    read = channels.any(axis=1)
    if not heads:
        rows = rows[rows[:, 0] == 0]
    elif shape.units == 1:
        rows, channels = rows[rows[:, 0] == one], channels[read]
    else:
        channels = channels[~read | (channels[np.arange(len(channels)), (channels != 0).argmax(axis=1)] > 0)]
    norms_V = np.sqrt((channels**2).sum(axis=1)) / one
    norms_A = np.sqrt((rows**2).sum(axis=1)) / one
    paid_V, paid_A = np.maximum(norms_V, base[V]), np.maximum(norms_A, base[A])
    cost_b = np.maximum(np.abs(biases) / one, base[B])
    left = room + SLACK - fixed - cost_b.min()
    # Rows are sorted by their norm, so what fits beside a channel is a prefix.
    fits = np.searchsorted(paid_A, left - paid_V, side="right")
    if int(fits.sum()) * len(biases) > MOST_UNITS:
        raise BudgetError(
            f"more than {MOST_UNITS} units of one layer have to be looked at; lower --max-r or --precision"
        )
    channel, row = repeat_places(fits)
    if heads and shape.units > 1:  # an entry without a channel, or a channel without an entry, is none
        keep = (rows[row, 0] != 0) == channels[channel].any(axis=1)
        channel, row = channel[keep], row[keep]
    joint = paid_V[channel] + paid_A[row]
    pairs, bias = np.nonzero(joint[:, None] + cost_b <= room + SLACK - fixed)
    channel, row = channel[pairs], row[pairs]
    entry = rows[row, :1] if heads else np.zeros((len(row), 0), dtype=np.int64)
    units = Units(precision, channels[channel], entry, np.ascontiguousarray(rows[row, 1:]), biases[bias])
    integers = (units.channel, np.concatenate([entry, units.own], axis=1), units.bias[:, None])
    squares = [(each**2).sum(axis=1) / one**2 for each in integers]  # exact
    return units, np.stack([units.channel.any(axis=1), *squares], axis=1)


def _list_sets(
    units: Units, costs: FloatArray, group: IntArray, shape: LayerShape, base: FloatArray, room: float
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Sets of m behaviours within the room: (n, m) groups, and rank_V, ‖V‖, ‖A‖ and ‖b‖ at least, (n, 4).

    Units of a layer of one are within it, and may come several times.
    """
    sets, sums = group[:, None], costs
    if shape.units > 1:
        sets, sums = _grow(units, costs, group, shape, base, room)
    kept = _find_undominated(sets, sums)
    for begin in range(0, len(kept), BLOCK):
        paid = sums[kept[begin : begin + BLOCK]]
        paid[:, 1:] = np.sqrt(paid[:, 1:])
        yield sets[kept[begin : begin + BLOCK]], paid


def _grow(
    units: Units, costs: FloatArray, group: IntArray, shape: LayerShape, base: FloatArray, room: float
) -> tuple[IntArray, FloatArray]:
    """Sets of m ≥ 2 units within the room, each in order: groups, (n, m), and what they add, (n, 4).

    A set is grown by a unit on the channel of its last one, or on a later channel if none is left open.
    """
    way, channel = _number_channels(units)
    alone = ~units.entry.any(axis=1) | (np.abs(units.entry) == 1 << units.precision).any(axis=1)
    # Of the units of a behaviour on a channel only the cheapest points matter.
    places = _find_undominated(np.stack([channel, group, alone], axis=1), costs)
    places = places[np.lexsort((group[places], channel[places], way[places]))]
    way, channel, group = way[places], channel[places], group[places]
    alone, costs = alone[places], costs[places]
    every = np.arange(len(places))
    ends, limits = _ends_of_runs(channel), _limits(way, channel, shape, base, room)
    which, sums, closed = every[:, None], costs, alone
    for number in range(2, shape.units + 1):
        others = np.flatnonzero(alone) if number == shape.units else every
        menu, done = np.concatenate([every, others]), np.flatnonzero(closed)
        last = which[:, -1]
        beyond = np.where(sums[done, 0] > 0, limits[last[done]], len(every))
        rows = np.concatenate([np.arange(len(which)), done])
        begins = np.concatenate([last, len(every) + np.searchsorted(others, ends[last[done]])])
        counts = np.concatenate([ends[last], len(every) + np.searchsorted(others, beyond)]) - begins
        grown = []
        block = max(1, BLOCK // (4 * len(every)))
        for begin in range(0, len(rows), block):
            row, step = repeat_places(counts[begin : begin + block])
            added, row = menu[begins[row + begin] + step], rows[row + begin]
            fresh = channel[last[row]] != channel[added]
            joint = _joined(sums[row], costs[added], way[last[row]] == way[added], fresh)
            fits = _fit(joint, base, room)
            if number == shape.units and shape.heads:
                fits &= joint[:, 0] > 0  # some unit reads the head
            row, added = row[fits], added[fits]
            sets = np.concatenate([which[row], added[:, None]], axis=1)
            grown.append((sets, joint[fits], alone[added] | ~fresh[fits]))
        which, sums, closed = (np.concatenate(parts) for parts in zip(*grown, strict=True))
    return np.sort(group[which], axis=1), sums


def _number_channels(units: Units) -> tuple[IntArray, IntArray]:
    """Numbers of the direction of what each unit reads, and of its channel; −1 for none, (N,) each."""
    if not units.heads:
        return np.full(len(units), -1), np.full(len(units), -1)
    channels = units.channels[:, 0]
    read = channels.any(axis=1)
    primitive = channels // np.maximum(np.gcd.reduce(channels, axis=1), 1)[:, None]
    return np.where(read, group_rows(primitive)[1], -1), np.where(read, group_rows(channels)[1], -1)


def _ends_of_runs(numbers: IntArray) -> IntArray:
    """Where the run of equal numbers ends that each number stands in, (N,)."""
    runs = EqualRuns.of(numbers)
    return np.repeat(runs.starts[1:], runs.sizes)


def _limits(way: IntArray, channel: IntArray, shape: LayerShape, base: FloatArray, room: float) -> IntArray:
    """Up to where units may join a unit on channels of their own: its channel, its direction, or all."""
    least = base.copy()
    least[A] = max(base[A], math.sqrt(2.0) if shape.units == 2 else 0.0)
    if total(least) > room + SLACK:
        return _ends_of_runs(channel)
    least[RANK] = max(base[RANK], 2.0)
    return np.full(len(way), len(way)) if total(least) <= room + SLACK else _ends_of_runs(way)


def _joined(paid: FloatArray, added: FloatArray, parallel: BoolArray, fresh: BoolArray) -> FloatArray:
    """rank_V and squares of ‖V‖, ‖A‖ and ‖b‖ of sets with a unit more, on a channel that is fresh or not."""
    joint = paid + added
    joint[:, :2] = np.maximum(paid[:, :2], added[:, :2])
    stacked = parallel & fresh & (paid[:, 0] == 1)
    joint[stacked, 1] = paid[stacked, 1] + added[stacked, 1]
    joint[~parallel & (paid[:, 0] > 0) & (added[:, 0] > 0), 0] = 2
    return joint


def _fit(sums: FloatArray, base: FloatArray, room: float) -> BoolArray:
    """Which sums of rank_V and the squares of ‖V‖, ‖A‖ and ‖b‖ are within the room beside a ``base``."""
    paid = np.concatenate([sums[:, :1], np.sqrt(sums[:, 1:])], axis=1)
    return np.asarray(base[M] + base[PHI] + np.maximum(paid, base[RANK:]).sum(axis=1) <= room + SLACK)


def _find_undominated(kinds: IntArray, costs: FloatArray) -> IntArray:
    """Places of the costs, (N, k), that no other one of an equal row of ``kinds`` is below; of equals one."""
    _, kind = group_rows(kinds)
    left, kept = np.lexsort((*costs.T[::-1], kind)), []
    while len(left):  # the first that is left of each kind is below some others, and none is below it
        new = np.r_[True, kind[left[1:]] != kind[left[:-1]]]
        kept.append(left[new])
        first = left[new][np.cumsum(new) - 1]
        left = left[(costs[first] > costs[left]).any(axis=1)]
    return np.concatenate(kept) if kept else left


@dataclass(frozen=True, eq=False)
class Stacks:
    """Sets of lower layers that differ in the last of them: base features, and its bits."""

    inputs: Inputs  #: features below the last lower layer, on the rows (N, prefix)
    bits: PackedBits  #: (S, m, T): what its units say; m = 0 without lower layers, S = 1
    owner: IntArray  #: (P,): set of each point, ascending
    points: FloatArray  #: (P, 6): what it costs
    chosen: IntArray  #: (P, L): the places of the patterns of all lower layers
    patterns: tuple[tuple[AttentionPattern, ...], ...]  #: what ``chosen`` names, layer by layer

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
        """(P,): what the heads of each point depend on, as numbers of `Attention`."""
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

    def grown(
        self, stack: int, layer: LayerBehaviours, inputs: Inputs, rest: FloatArray, room: float
    ) -> Stacks:
        """One set with one more layer, where both fit beside layers that cost ``rest``."""
        below = self.points[self.points_of(stack)]
        chosen = self.chosen[self.points_of(stack)]
        joint = join(below[:, None], layer.points[None])  # (b, P, 6)
        row, place = np.nonzero(total(join(joint, rest)) <= room + SLACK)
        order = np.lexsort((row, layer.owner[place]))
        row, place = row[order], place[order]
        known, owner = np.unique(layer.owner[place], return_inverse=True)
        return Stacks(
            inputs,
            layer.bits.take(known),
            owner,
            joint[row, place],
            np.concatenate([chosen[row], layer.pattern[place][:, None]], axis=1),
            (*self.patterns, layer.patterns),
        )


def least_points(stacks: Stacks) -> FloatArray:
    """The least of every term over the points of each set, (S, 6)."""
    starts = np.searchsorted(stacks.owner, np.arange(len(stacks)))
    return np.minimum.reduceat(stacks.points, starts, axis=0)


def least_totals(stacks: Stacks, rest: FloatArray) -> FloatArray:
    """The least total over the points of each set beside layers that cost ``rest``, (S,)."""
    starts = np.searchsorted(stacks.owner, np.arange(len(stacks)))
    return np.asarray(np.minimum.reduceat(total(join(stacks.points, rest)), starts))


def list_stacks(
    inputs: Inputs,
    hidden: tuple[LayerShape, ...],
    list_layer: Callable[[Inputs, LayerShape, FloatArray], LayerBehaviours | None],
    rests: tuple[FloatArray, ...],
    room: float,
    share: tuple[int, int] = (0, 1),
) -> Iterator[Stacks]:
    """All sets of lower layers, in groups that differ in the last layer.

    ``rests`` says of each lower layer what those above it cost at least, (6,). A share (i, k) is the i-th of
    k parts: every k-th behaviour of the first layer.
    """
    begin, step = share

    def grow(stacks: Stacks, stack: int, depth: int) -> Iterator[Stacks]:
        below = stacks.inputs if not stacks.bits.shape[1] else stacks.inputs.extend(stacks.bits[stack])
        least = stacks.points[stacks.points_of(stack)].min(axis=0)
        layer = list_layer(below, hidden[depth], join(least, rests[depth]))
        if layer is None:
            return
        grown = stacks.grown(stack, layer, below, rests[depth], room)
        if not depth:
            grown = grown.restricted(grown.owner % step == begin)
        if depth + 1 == len(hidden):
            if len(grown):
                yield grown
            return
        for k in range(len(grown)):
            yield from grow(grown, k, depth + 1)

    first = Stacks.empty(inputs)
    if not hidden:
        yield first
    else:
        yield from grow(first, 0, 0)
