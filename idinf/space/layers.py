"""Layers of units as integer parameters, with the cost of each realisation.

R of a function is the least over its dense realisations ([HYB25] Definition 5, one-hot realisation):

* a unit alone on a channel reads it with an entry of A of exactly 1, or reads no channel of that head;
* several units of a head may share a channel g, with non-zero entries c_u of A on the p-bit grid;
* V of a head stacks its channels: rank_V and ‖V‖ are those of the stack, and the largest over the heads.

*Joining.* A layer is a set of units, grown unit by unit. Each reads a channel of a head alone or shares it,
and of one that shares a channel another unit of the layer must share it, too. Exchanging units exchanges rows
of A, entries of b and rows of V, so no norm and no rank changes, and later layers read the same features in
another order, which they are free in. So one order of every set is listed: units stand by the channels that
they read of the first head, and a shared channel that has one reader so far is the next one's.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray, find_shortest
from idinf.space.rows import ArrayRecord, find_undominated, group_rows, repeat_places
from idinf.space.structures import SLACK, Cost, LayerShape
from idinf.space.units import (
    MAX_UNITS,
    BoolArray,
    FloatArray,
    LayerBudget,
    LayerFilter,
    Reads,
    Units,
    aggregate_over_heads,
    check_size,
    iter_unit_chunks,
    keep_units,
    keep_units_alone,
)


def compute_channel_costs(
    channels: IntArray, groups: IntArray, precision: int, aggregate: Aggregate
) -> FloatArray:
    """rank_V and ‖V‖ of layers, (N, 2).

    ``channels``, (N, m, H, f): the channel that each unit reads of each head, in units of 2^-p. ``groups``,
    (N, m, H): for a unit that shares it the place of the first unit that does, from 1 on, else 0.

    A shared channel is one row of V, that of its first reader; rows of zeros change neither.
    """
    size, units, heads, _ = channels.shape
    ranks, norms = np.zeros((size, heads)), np.zeros((size, heads))
    first = (groups == 0) | (groups == np.arange(1, units + 1)[:, None])
    for head in range(heads):
        stack = channels[:, :, head] * first[:, :, head, None]
        ranks[:, head], norms[:, head] = compute_ranks_and_norms(np.einsum("naf,nbf->nab", stack, stack))
    return np.stack(
        [aggregate_over_heads(ranks, aggregate), 2.0**-precision * aggregate_over_heads(norms, aggregate)],
        axis=1,
    )


def compute_ranks_and_norms(gram: IntArray) -> tuple[IntArray, FloatArray]:
    """Rank and spectral norm of N matrices from the products of their rows, (N, m, m).

    Ranks are exact: the rank of a Gram matrix is the size of its largest non-zero principal minor, in
    integers, and there is one of each size up to that. The largest eigenvalue is closed form up to two rows.

    >>> [array.tolist() for array in compute_ranks_and_norms(np.array([[[4, 0], [0, 9]], [[1, 1], [1, 1]]]))]
    [[2, 1], [3.0, 1.4142135623730951]]
    """
    rank = np.zeros(len(gram), dtype=np.int64)
    longest = int(np.einsum("nii->ni", gram).max(initial=0))
    for size in range(1, gram.shape[1] + 1):
        left = np.flatnonzero(rank == size - 1)
        if not len(left):
            break
        # A minor is at most the product of its diagonal (Hadamard).
        some = gram[left].astype(np.int64 if longest**size < 2**63 else object)
        for rows in itertools.combinations(range(gram.shape[1]), size):
            rank[left[_determinant(some[:, rows][:, :, rows]) != 0]] = size
    if gram.shape[1] == 1:
        largest = gram[:, 0, 0].astype(np.float64)
    elif gram.shape[1] == 2:
        a, c, d = gram[:, [0, 1, 0], [0, 1, 1]].T.astype(np.float64)
        largest = np.asarray(0.5 * (a + c + np.sqrt((a - c) ** 2 + 4.0 * d * d)))
    else:
        largest = np.maximum(np.linalg.eigvalsh(gram.astype(np.float64))[:, -1], 0.0)
    return rank, np.sqrt(largest)


def _determinant(matrices: IntArray) -> IntArray:
    """Integer determinants by expansion along the first row."""
    size = matrices.shape[1]
    if size == 1:
        return np.asarray(matrices[:, 0, 0])
    total = np.zeros(len(matrices), dtype=matrices.dtype)
    for column in range(size):
        others = [c for c in range(size) if c != column]
        total += (-1) ** column * matrices[:, 0, column] * _determinant(matrices[:, 1:][:, :, others])
    return total


#: Pairs (set so far, next unit) looked at in one block; a block holds a few arrays of that many numbers.
PAIR_BLOCK, PAIRS_OF_STEP = 1 << 18, 1 << 11
_NONE, _SEVERAL = -1, -2  #: directions of the channels of a set on one head: none, or more than one


@dataclass(frozen=True, eq=False)
class Readers(ArrayRecord):
    """N units that may stand in a layer, with the channels that they share with others."""

    units: Units
    shared: IntArray  #: (N, H): 0 for a channel of its own, or none; else a name beside that of the channel
    tables: IntArray  #: (N,): their table numbers

    @staticmethod
    def of(units: Units, tables: IntArray, signed: bool = False, names: int = 1) -> Readers:
        """Every way in which units may share the channels that they read, by so many names for a channel.

        A unit reads a channel of its own by exactly 1. Where units are not listed with both signs of a
        channel, one that is read by −1 is turned. Units that share a channel under several names are listed
        in each order of the names.
        """
        readers, one = Readers(units, (units.entry != 0).astype(np.int64), tables), 2**units.precision
        for head in range(units.heads):
            parts = [readers]
            for name in range(2, names + 1):
                shared = readers.shared.copy()
                shared[:, head] *= name
                parts.append(replace(readers, shared=shared).take(np.flatnonzero(shared[:, head])))
            read = readers.units.entry[:, head]
            alone = readers.take(np.flatnonzero((read if signed else np.abs(read)) == one))
            units, shared = alone.units, alone.shared.copy()
            channels, entry = units.channels.copy(), units.entry.copy()
            channels[:, head] *= np.sign(entry[:, head, None])
            entry[:, head], shared[:, head] = one, 0
            turned = replace(units, channel=channels.reshape(units.channel.shape), entry=entry)
            readers = Readers.concatenate([*parts, replace(alone, units=turned, shared=shared)])
        return readers

    @cached_property
    def reads(self) -> tuple[IntArray, IntArray]:
        """Numbers of the direction of each channel, and of one that is shared; −1 for none, (N, H) each.

        Names of one channel have consecutive numbers.
        """
        channels = self.units.channels
        flat = channels.reshape(-1, channels.shape[2])
        (_, way), shape = group_rows(find_shortest(flat)), self.shared.shape
        named = group_rows(flat)[1].reshape(shape) * (int(self.shared.max(initial=0)) + 1) + self.shared
        ways = np.where(flat.any(axis=1), way, _NONE).reshape(shape)
        return ways, np.where(self.shared, named, _NONE)

    @property
    def squares(self) -> IntArray:
        """Squares of each channel, of the row of A and of the bias, in units of 4^-p, (N, H + 2)."""
        units = self.units
        own = np.stack([units.row_square, units.bias**2], axis=1)
        return np.concatenate([units.channel_squares, own], axis=1)


@dataclass(frozen=True, eq=False)
class UnitSets(ArrayRecord):
    """N sets of units of a layer, and their least costs."""

    chosen: IntArray  #: (N, m): places of the units
    way: IntArray  #: (N, H): the direction of all channels of a head
    squares: IntArray  #: (N, H + 2): ‖V‖² of each head at least, ‖A‖² and ‖b‖², in units of 4^-p

    def costs(self, within: LayerBudget) -> FloatArray:
        """rank_V, ‖V‖, ‖A‖ and ‖b‖ at least, (N, 4)."""
        norms = within.step * np.sqrt(self.squares)
        ranks = np.where(self.way == _SEVERAL, 2.0, np.where(self.way == _NONE, 0.0, 1.0))
        rank, norm_V = (aggregate_over_heads(each, within.aggregate) for each in (ranks, norms[:, :-2]))
        return np.stack([rank, norm_V, norms[:, -2], norms[:, -1]], axis=1)


def join_units(
    readers: Readers,
    size: int,
    within: LayerBudget,
    keep: Callable[[IntArray], BoolArray] = lambda chosen: np.ones(len(chosen), dtype=np.bool_),
    most: int = MAX_UNITS,
    checkpoint: Callable[[float], None] = lambda work: None,
) -> UnitSets:
    """Every set of ``size`` units within a budget, by a lower bound, each in one order.

    ``keep`` says which sets may occur, of places of units, (N, size), and of fewer units which may begin one,
    in any order. Raises BudgetError if there are more than ``most``, or more of fewer units.

    Two units that read a head do so by one channel; or by parallel channels g and h, when ‖V‖² = g² + h²
    since the product of V with its transpose has rank 1 and this trace; or in two directions: rank_V = 2.
    No part of V has a larger norm than V.
    """
    ways, shared = readers.reads
    # By the direction and the channel of the first head, those alone on theirs first; short rows of A first.
    first = [part[:, 0] for part in (shared, ways) if part.shape[1]]
    order = np.lexsort((readers.squares[:, -2], *first))
    readers = readers.take(order)
    runs, (ways, shared), squares = _Runs.of(readers, size, within), readers.reads, readers.squares
    before = shared - (readers.shared > 1)  # the name of the channel that comes before each
    sets, closed = UnitSets(np.arange(len(readers))[:, None], ways, squares), runs.alone
    for length in range(2, size + 1):
        grown, held = list[tuple[UnitSets, BoolArray]](), 0
        spare = _spare_squares(sets, within)
        for row, added in runs.beside(sets.chosen[:, -1], closed, spare, length == size):
            checkpoint(1 / 2 + len(row) / PAIRS_OF_STEP)
            joined = _joined(sets, row, added, ways, shared, squares)
            keeps = within.spare(joined.costs(within)) >= 0
            if length == size:
                keeps &= _is_whole(joined, shared, before)
            keeps[keeps] = keep(order[joined.chosen[keeps]])
            joined, row, added = joined.take(keeps), row[keeps], added[keeps]
            is_read_twice = runs.run[added] == runs.run[sets.chosen[row, -1]]
            grown.append((joined, runs.alone[added] | is_read_twice))
            check_size(held := held + len(joined), most)
        sets = UnitSets.concatenate([part for part, _ in grown])
        closed = np.concatenate([is_closed for _, is_closed in grown])
    return replace(sets, chosen=order[sets.chosen])


def _spare_squares(sets: UnitSets, within: LayerBudget) -> FloatArray:
    """Largest ‖A‖² that fits beside each set, (N,), in units of 4^-p."""
    costs, paid = sets.costs(within), within.rest.norm_A if within.aggregate is Aggregate.SUM else 0.0
    costs[:, 2] = 0.0
    left = replace(within, rest=replace(within.rest, norm_A=0.0)).spare(costs) - paid
    return np.asarray((np.maximum(left, 0.0) / within.step) ** 2 + SLACK - sets.squares[:, -2])


@dataclass(frozen=True)
class _Runs:
    """Units in the order that they are joined in: runs of those that share a channel of the first head.

    Units alone on their channel are one run of each direction. A run has short rows of A first.
    """

    run: IntArray  #: (N,): the run of each unit
    begins: IntArray  #: (K + 1,): where each run begins, and N
    alone: BoolArray  #: (N,): units that share no channel of the first head
    own: BoolArray  #: (K,): mask of runs in which a unit may be followed by one of its run
    limits: IntArray  #: (K,): the run before which the runs end that units of each may be followed by
    squares: IntArray  #: (N,): ‖A‖² of each in units of 4^-p

    @staticmethod
    def of(readers: Readers, size: int, within: LayerBudget) -> _Runs:
        """The runs of units that stand in that order.

        Two units that read the head by two channels have rank_V = 2 or one direction; if they are all there
        are, each reads its own by 1.
        """
        (ways, shared), number = readers.reads, len(readers)
        names = np.concatenate([ways[:, :1], shared[:, :1]], axis=1)
        new = np.flatnonzero(np.r_[True, (names[1:] != names[:-1]).any(axis=1)][:number])
        run = np.repeat(np.arange(len(new)), np.diff(np.append(new, number)))
        alone = (shared[:, :1] == _NONE).all(axis=1)
        way = ways[new, 0] if ways.shape[1] else np.full(len(new), _NONE)
        parallel = within.admits(Cost(1.0, norm_A=math.sqrt(2.0) if size == 2 else 0.0))
        everywhere = (way == _NONE) | (parallel and within.admits(Cost(2.0, within.step)))
        alike = np.searchsorted(way, way, side="right") if parallel else np.arange(len(new))
        limits = np.where(everywhere, len(new), alike)
        own = ~alone[new] | everywhere | parallel
        return _Runs(run, np.append(new, number), alone, own, limits, readers.squares[:, -2])

    def beside(
        self, last: IntArray, closed: BoolArray, spare: FloatArray, is_final: bool
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs of a set and a unit that may follow its last one, in blocks, one at least: places of each.

        Of a set that is not closed the last channel has one reader so far. ‖A‖² of the unit is at most what
        each set has to ``spare``. Nothing follows that is ``is_final`` and has to share a channel with more.
        """
        run = self.run[last]
        later = np.flatnonzero(self.alone[self.begins[:-1]]) if is_final else np.arange(len(self.begins) - 1)
        low = np.searchsorted(later, run, side="right")
        high = np.where(closed, np.searchsorted(later, self.limits[run]), low)
        widest = int(self.squares.max(initial=0)) + 1
        keys = self.run * widest + self.squares
        most = np.clip(np.floor(spare), -1, widest - 1).astype(np.int64)
        for row, step in _in_blocks(1 + np.maximum(high - low, 0)):
            of = np.append(later, 0)[np.minimum(low[row] + step - 1, len(later))]
            of = np.where(step == 0, run[row], of)
            begins = np.where(step == 0, last[row], self.begins[of])
            ends = np.searchsorted(keys, of * widest + most[row], side="right")
            counts = np.where((step > 0) | self.own[of], np.maximum(ends - begins, 0), 0)
            for place, more in _in_blocks(counts):
                yield row[place], begins[place] + more


def _in_blocks(counts: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Rows and numbers below the count of each, in blocks of about `PAIR_BLOCK`, one at least."""
    total, begin = np.cumsum(counts), 0
    while begin < max(1, len(counts)):
        most = (total[begin - 1] if begin else 0) + PAIR_BLOCK
        until = max(begin + 1, int(np.searchsorted(total, most, side="right")))
        row, step = repeat_places(counts[begin:until])
        yield begin + row, step
        begin = until


def _joined(
    sets: UnitSets, row: IntArray, added: IntArray, ways: IntArray, shared: IntArray, squares: IntArray
) -> UnitSets:
    """Some sets with one more unit each."""
    chosen = np.concatenate([sets.chosen[row], added[:, None]], axis=1)
    known, way = sets.way[row], ways[added]
    met = (shared[chosen[:, :-1]] == shared[added][:, None]).any(axis=1) & (shared[added] != _NONE)
    is_fresh = (way != _NONE) & ~met
    so_far, more = sets.squares[row], squares[added]
    summed = so_far + more
    longest = np.where(known == way, summed[:, :-2], np.maximum(so_far[:, :-2], more[:, :-2]))
    summed[:, :-2] = np.where(is_fresh, longest, so_far[:, :-2])
    joint = np.where(known == _NONE, way, np.where((way == _NONE) | (way == known), known, _SEVERAL))
    return UnitSets(chosen, joint, summed)


def _is_whole(sets: UnitSets, shared: IntArray, before: IntArray) -> BoolArray:
    """Sets in which every head is read, every shared channel by two units, and no name is skipped."""
    names, earlier = shared[sets.chosen], before[sets.chosen]
    alike = (names[:, :, None] == names[:, None]).sum(axis=2)
    named = (earlier[:, :, None] == names[:, None]).any(axis=2)
    return np.asarray(
        (((names == _NONE) | (alike > 1)) & named).all(axis=(1, 2)) & (sets.way != _NONE).all(axis=1)
    )


#: Lists the units of a layer that read given heads, in parts; of a channel and its negative both if asked to.
ListUnits: TypeAlias = Callable[[Reads, bool], Iterable[Units]]


@dataclass(frozen=True, eq=False)
class LayerChoices(ArrayRecord):
    """N realisations of a layer of m units."""

    units: tuple[Units, ...]  #: the m lists of units, N each
    tables: IntArray  #: (N, m): their table numbers
    #: (N, m, H): for a unit that shares the channel of a head the first place that does, from 1 on, else 0.
    groups: IntArray
    costs: FloatArray  #: (N, 4): rank_V, ‖V‖, ‖A‖_F, ‖b‖ of this layer

    @staticmethod
    def alone(units: Units, tables: IntArray, aggregate: Aggregate) -> LayerChoices:
        """Layers of one unit each, with their table numbers, (N,)."""
        groups = np.zeros((len(units), 1, units.heads), dtype=np.int64)
        return LayerChoices((units,), tables[:, None], groups, units.costs(aggregate))


def list_layer_choices(
    shape: LayerShape, within: LayerBudget, known: LayerFilter, chunks: ListUnits | None = None
) -> LayerChoices:
    """List every realisation of a layer within a budget of R.

    Every set of units comes once, tables in increasing order. With ``known.reduce`` some cheapest realisation
    of every behaviour remains. Units are all within the budget, unless ``chunks`` lists them.
    """
    heads, size = len(shape.heads), shape.units

    def list_all(reads: Reads, signed: bool) -> Iterator[Units]:
        # Other units read the other heads.
        unread = float(aggregate_over_heads(np.ones((1, reads.count(False))), within.aggregate)[0])
        least = within.rest.join(Cost(rank=unread, norm_V=unread * within.step), within.aggregate)
        narrow = replace(within, rest=least)
        return iter_unit_chunks(narrow, reads, size == 1, known.most, signed)

    listed = list_all if chunks is None else chunks
    if size == 1:
        units = keep_units_alone(listed((True,) * heads, True), heads, within, known)
        return LayerChoices.alone(*units, within.aggregate)

    def cheapest(units: Units) -> IntArray:
        """Of equal functions on the same channels the shorter row and the smaller bias serve as well."""
        alone = np.abs(units.entry) == 2**units.precision
        _, channel = group_rows(np.concatenate([units.channel, alone], axis=1))
        group = known.exact(units) * (int(channel.max(initial=0)) + 1) + channel
        return find_undominated(group, np.stack([units.row_square, np.abs(units.bias)], axis=1))

    none = Units.none(within.features, within.precision, heads)
    as_listed = (False, 1) if known.reduce else (True, size // 2)
    readers = Readers.concatenate(
        [
            Readers.of(*keep_units(listed(reads, not known.reduce), none, known, cheapest), *as_listed)
            for reads in itertools.product((False, True), repeat=heads)
        ]
    )
    missed = known.missed(readers.tables)
    if len(readers) and np.bitwise_and.reduce(missed, axis=0).any():  # no layer hits a word that all miss
        readers = readers.take(slice(0))

    def keep(chosen: IntArray) -> BoolArray:
        may = known.layer(readers.tables[chosen])
        if chosen.shape[1] == size:
            may &= ~np.bitwise_and.reduce(missed[chosen], axis=1).any(axis=1)
        return may

    chosen = join_units(readers, size, within, keep, known.most, known.checkpoint).chosen
    return _priced(readers, chosen, within)


def _priced(readers: Readers, chosen: IntArray, within: LayerBudget) -> LayerChoices:
    """Layers of given units, (N, m), with exact costs and tables in increasing order."""
    order = np.argsort(readers.tables[chosen], axis=1, kind="stable")
    chosen = np.take_along_axis(chosen, order, axis=1)
    shared = readers.reads[1][chosen]
    alike = (shared[:, :, None] == shared[:, None]).argmax(axis=2)
    groups = np.where(shared == _NONE, 0, alike + 1)
    units = readers.units
    stacked = units.channels[chosen]
    squares = readers.squares[chosen, -2:].sum(axis=1)
    channel_costs = compute_channel_costs(stacked, groups, within.precision, within.aggregate)
    costs = np.concatenate([channel_costs, within.step * np.sqrt(squares)], axis=1)
    keep = np.flatnonzero(within.spare(costs) >= 0)
    members = tuple(units.take(column) for column in chosen[keep].T)
    return LayerChoices(members, readers.tables[chosen[keep]], groups[keep], costs[keep])
