"""Layers of units as integer parameters, with the cost of each realisation.

R of a function is the least over its dense realisations ([HYB25] Definition 5, one-hot realisation):

* a unit alone on a channel reads it with an entry of A of exactly 1, or reads no channel of that head;
* several units of a head may share a channel g, with non-zero entries c_u of A on the p-bit grid;
* V of a head stacks its channels: rank_V and ‖V‖ are those of the stack, and the largest over the heads.

*Joining.* A layer is a set of units, one for each place. Places of equal key read the same shared channels
and have one list of units: exchanging their units exchanges rows of A, entries of b and rows of V that nobody
shares, so no norm and no rank changes, and later layers read the same features in another order, which they
are free in. So one order of every multiset is listed, the ascending one. The search names conflicts, of which
every layer must hit all (`LayerFilter.missed`). Where all units there are for a sharing miss one, nothing is
joined, whatever the number of units.

*Sharing.* Units of a head may share a channel g and read it with entries c_u ≠ 0 of A; a head then has one
row g in V instead of one per unit. A sharing numbers the shared channels: entry (h, u) is 0 where unit u has
a channel of its own on head h or none, else the number of the channel it shares with others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import SHARED, ArrayRecord, group_rows
from idinf.space.structures import Cost, LayerShape
from idinf.space.units import (
    CHUNK,
    BoolArray,
    ChannelReads,
    FloatArray,
    LayerBudget,
    LayerFilter,
    Units,
    aggregate_over_heads,
    check_size,
    find_undominated,
    iter_unit_chunks,
    keep_units,
    keep_units_alone,
)

Sharing = tuple[tuple[int, ...], ...]  #: one tuple of group numbers (one for each unit) for every head


#: Sharings that were listed, by units and heads.
_listed: dict[tuple[int, int], tuple[Sharing, ...]] = {}


def list_sharings(
    units: int, heads: int, checkpoint: Callable[[], None] = lambda: None
) -> tuple[Sharing, ...]:
    """List the ways in which units may share channels, one for each orbit of permutations of the units.

    Units of a layer may be exchanged (the rows of A, entries of b, columns of B go along): no norm changes,
    and later layers read the exchanged features. So the least sharing of every orbit is enough; units with
    equal columns stand next to each other in it. Its first heads are the least of their orbit, so heads are
    added one by one. The checkpoint is called for every one that is tried, and may raise to stop.

    >>> list_sharings(2, 1)
    (((0, 0),), ((1, 1),))
    >>> len(list_sharings(3, 1)), len(list_sharings(4, 1)), len(list_sharings(2, 2))
    (3, 5, 4)
    """
    if not heads:
        return ((),)
    if (units, heads) not in _listed:
        found = []
        for sharing in list_sharings(units, heads - 1, checkpoint):
            columns = list(zip(*sharing, strict=True)) or [()] * units
            alike = [False, *(one == other for one, other in itertools.pairwise(columns))]
            for row in _list_rows(alike):
                checkpoint()
                if _is_least((*sharing, row)):
                    found.append((*sharing, row))
        _listed[units, heads] = tuple(found)
    return _listed[units, heads]


def _list_rows(alike: list[bool], row: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Groups of at least two, numbered by first appearance; they rise from a unit to one that is alike."""
    if len(row) == len(alike):
        if all(row.count(group) > 1 for group in row if group):
            yield row
        return
    for group in range(row[-1] if alike[len(row)] else 0, max(row, default=0) + 2):
        yield from _list_rows(alike, (*row, group))


def _is_least(sharing: Sharing) -> bool:
    """Whether it is the least of its orbit, which has sorted columns once its groups are numbered so."""
    for names in itertools.product(*(itertools.permutations(range(1, max(row) + 1)) for row in sharing)):
        renamed = ([(0, *own)[group] for group in row] for own, row in zip(names, sharing, strict=True))
        if tuple(zip(*sorted(zip(*renamed, strict=True)), strict=True)) < sharing:
            return False
    return True


def compute_channel_costs(
    channels: IntArray, groups: IntArray, precision: int, aggregate: Aggregate
) -> FloatArray:
    """rank_V and ‖V‖ of layers, (N, 2).

    ``channels``, (N, m, H, f): the channel that each unit reads of each head, in units of 2^-p. ``groups``,
    (H, m): the sharing of all N layers.

    A shared channel is one row of V.
    """
    size, units, heads, _ = channels.shape
    ranks, norms = np.zeros((size, heads)), np.zeros((size, heads))
    for head in range(heads):
        rows = [u for u in range(units) if not groups[head, u] or groups[head, u] not in groups[head, :u]]
        stack = channels[:, rows, head, :]
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


#: Pairs (layer so far, next unit) looked at in one block; a block holds a few arrays of that many numbers.
PAIR_BLOCK = 1_000_000
_NONE, _SEVERAL = -1, -2  #: directions of the channels of a layer so far on one head: none, or more than one


@dataclass(frozen=True, eq=False)
class Role(ArrayRecord):
    """The units that may take one place of a layer, with their table numbers, (N,).

    Keys are equal for places that can be exchanged.
    """

    key: tuple[int, ...] = field(metadata=SHARED)
    units: Units
    tables: IntArray

    def by_row(self) -> Role:
        """The same, short rows of A first."""
        return self.take(np.argsort(self.units.row_square, kind="stable"))


@dataclass(frozen=True, eq=False)
class LayerJoiner:
    """Joins units of given roles to layers within a budget."""

    #: One for each place; places that can be exchanged have the same role and are neighbours.
    roles: tuple[Role, ...]
    within: LayerBudget
    missed: Callable[[IntArray], NDArray[np.uint8]]  #: those of `idinf.space.units.LayerFilter`
    most: int
    checkpoint: Callable[[], None] = lambda: None

    def layers(self) -> IntArray:
        """Every layer, (N, m) indices of units within their roles, each set once, in lexicographic order."""
        size = len(self.roles)
        if not all(len(role.units) for role in self.roles) or self._is_hopeless:
            return np.zeros((0, size), dtype=np.int64)
        chosen = np.zeros((1, 0), dtype=np.int64)
        for _ in range(size):
            chosen = self._with_one_more(chosen)
        return chosen

    def _with_one_more(self, chosen: IntArray) -> IntArray:
        """Sets so far with a unit in the next place, within the budget by a lower bound.

        Neighbours of one role ascend, and whole layers hit every conflict.
        """
        place = chosen.shape[1]
        ordered = place and self.roles[place - 1] is self.roles[place]
        so_far, more = self._so_far(chosen), self._alone(place)
        block = max(1, PAIR_BLOCK // len(more))
        parts = [np.zeros((0, place + 1), dtype=np.int64)]
        for begin in range(0, len(chosen), block):
            self.checkpoint()
            row, column = so_far.take(slice(begin, begin + block)).fitting(self.within, more)
            larger = np.concatenate([chosen[begin + row], column[:, None]], axis=1)
            if ordered:
                larger = larger[larger[:, place - 1] <= larger[:, place]]
            if place + 1 == len(self.roles):
                larger = larger[self._hit(larger)]
            parts.append(larger)
            check_size(sum(map(len, parts)), self.most)
        return np.concatenate(parts)

    def _so_far(self, chosen: IntArray) -> _Terms:
        heads = self.roles[0].units.heads
        so_far = _Terms(np.zeros((len(chosen), 2 + heads), np.int64), np.full((len(chosen), heads), _NONE))
        for place, column in enumerate(chosen.T):
            so_far = so_far.join(self._alone(place).take(column))
        return so_far

    def _alone(self, place: int) -> _Terms:
        """Every unit of one place alone."""
        units = self.roles[place].units
        squares = [units.row_square[:, None], units.bias[:, None] ** 2, units.channel_squares]
        return _Terms(np.concatenate(squares, axis=1), self._directions[self._of[place]])

    @cached_property
    def _distinct(self) -> list[Role]:
        return list({id(role): role for role in self.roles}.values())

    @cached_property
    def _of(self) -> list[int]:
        """Which of the different roles each place has."""
        return [next(k for k, role in enumerate(self._distinct) if role is own) for own in self.roles]

    @cached_property
    def _directions(self) -> list[IntArray]:
        """For every role and unit the number of the direction of its channel of each head, (N, H)."""
        return _numbered_directions([role.units for role in self._distinct])

    @cached_property
    def _missed(self) -> list[NDArray[np.uint8]]:
        """For every role and unit the bitset of the conflicts it misses."""
        return [self.missed(role.tables) for role in self._distinct]

    @property
    def _is_hopeless(self) -> bool:
        """Whether all units of all roles miss one conflict."""
        return bool(np.bitwise_and.reduce(np.concatenate(self._missed), axis=0).any())

    def _hit(self, chosen: IntArray) -> BoolArray:
        """Layers whose units together hit every conflict, (N,)."""
        missed = [self._missed[of][chosen[:, place]] for place, of in enumerate(self._of)]
        return ~np.asarray(np.bitwise_and.reduce(missed, axis=0).any(axis=1))


@dataclass(frozen=True, eq=False)
class _Terms(ArrayRecord):
    """The norms that the terms of R need of N sets of units, of one unit or more each."""

    squares: IntArray  #: (N, 2 + H): Σ rows², Σ biases² and the square of the longest channel of each head
    direction: IntArray  #: (N, H): numbers of directions

    @cached_property
    def kinds(self) -> tuple[IntArray, IntArray]:
        """The first set of every kind, alike in all squares, and the kind of each set."""
        return group_rows(self.squares)

    def join(self, others: _Terms) -> _Terms:
        """Each set together with one of as many others."""
        sums = self.squares[:, :2] + others.squares[:, :2]
        longest = np.maximum(self.squares[:, 2:], others.squares[:, 2:])
        direction = _joint_direction(self.direction, others.direction)
        return _Terms(np.concatenate([sums, longest], axis=1), direction)

    def fit(self, within: LayerBudget) -> BoolArray:
        """Whether a lower bound of what each costs is within a budget, (N,)."""
        ranks = np.where(self.direction == _SEVERAL, 2.0, np.where(self.direction == _NONE, 0.0, 1.0))
        norm_A, norm_b = within.step * np.sqrt(self.squares[:, :2].T)
        norms = within.step * np.sqrt(self.squares[:, 2:])
        rank, norm_V = (aggregate_over_heads(each, within.aggregate) for each in (ranks, norms))
        return within.fits(rank, norm_V, norm_A, norm_b)

    def fitting(self, within: LayerBudget, more: _Terms) -> tuple[IntArray, IntArray]:
        """The sets, and the places of one more each, that may be within a budget together, (P,) each.

        Squares have few values, so what fits if channels are parallel is asked once for all that agree in
        them. Where no layer has room for channels in two directions, only parallel ones are looked at.
        """
        (first, kind), (first_more, kind_more) = self.kinds, more.kinds
        row, column = map(np.ravel, np.indices((len(first), len(first_more))))
        parallel = self.take(first[row]).join(more.take(first_more[column])).parallel
        fits = parallel.fit(within).reshape(len(first), len(first_more))[:, kind_more][kind]
        if not within.admits(Cost(rank=2.0, norm_V=within.step)):
            for one, other in zip(self.direction.T[..., None], more.direction.T, strict=True):
                fits &= (one == other) | (one == _NONE) | (other == _NONE)
        row, column = np.nonzero(fits)
        keep = self.take(row).join(more.take(column)).fit(within)
        return row[keep], column[keep]

    @property
    def parallel(self) -> _Terms:
        """The same with all channels of a head in one direction."""
        return _Terms(self.squares, np.where(self.squares[:, 2:] > 0, 0, _NONE))


def _joint_direction(one: IntArray, other: IntArray) -> IntArray:
    """The direction of two groups of channels together."""
    same = np.where(one == other, one, _SEVERAL)
    return np.where(one == _NONE, other, np.where(other == _NONE, one, same))


def _numbered_directions(lists: list[Units]) -> list[IntArray]:
    """Number of the direction of every channel, alike for parallel ones, (N, H) for each list of units."""
    channels = np.concatenate([units.channels.reshape(-1, units.own.shape[1]) for units in lists])
    divisor = np.gcd.reduce(channels, axis=1, initial=0)
    leading = np.take_along_axis(channels, (channels != 0).argmax(axis=1)[:, None], axis=1)
    primitive = channels // np.maximum(divisor, 1)[:, None] * np.where(leading < 0, -1, 1)
    _, number = group_rows(primitive)
    number = np.where(divisor == 0, _NONE, number)
    heads = lists[0].heads
    bounds = np.cumsum([len(units) * heads for units in lists])[:-1]
    parts = np.split(number, bounds)
    return [part.reshape(len(units), heads) for part, units in zip(parts, lists, strict=True)]


class UnitSource(Protocol):
    """Lists the units of a layer that may be of use, where more than the budget is known."""

    def chunks(self, reads: ChannelReads) -> Iterator[Units]:
        """The units with given reads, in parts."""
        ...

    def shared_channels(self) -> list[tuple[int, ...]]:
        """The channels that several units may share; one head at most, and several units."""
        ...


@dataclass(frozen=True, eq=False)
class LayerChoices(ArrayRecord):
    """N realisations of a layer of m units."""

    units: tuple[Units, ...]  #: the m lists of units, N each
    tables: IntArray  #: (N, m): their table numbers
    #: (N, m, H): number of the channel that a unit shares with others on a head; 0 where it shares none.
    groups: IntArray
    costs: FloatArray  #: (N, 4): rank_V, ‖V‖, ‖A‖_F, ‖b‖ of this layer

    @staticmethod
    def none(features: int, precision: int, heads: int, units: int) -> LayerChoices:
        """The empty list of layers of m units."""
        return LayerChoices(
            (Units.none(features, precision, heads),) * units,
            np.zeros((0, units), dtype=np.int64),
            np.zeros((0, units, heads), dtype=np.int64),
            np.zeros((0, 4)),
        )


def list_layer_choices(
    shape: LayerShape,
    within: LayerBudget,
    known: LayerFilter,
    source: UnitSource | None = None,
    listed: Iterable[Units] | None = None,
) -> LayerChoices:
    """List every realisation of a layer within a budget of R.

    Every set of units comes once, tables in increasing order. With ``known.reduce`` some cheapest realisation
    of every behaviour remains. Units are all within the budget, unless they are given: ``listed`` for a layer
    of one, a source for others.
    """
    heads = len(shape.heads)
    if shape.units > 1:
        none = LayerChoices.none(within.features, within.precision, heads, shape.units)
        layers = _LayerBuilder(heads, shape.units, within, known, source).layers()
        return LayerChoices.concatenate([none, *layers])
    reads = ChannelReads.alone(heads)
    chunks = iter_unit_chunks(within, reads, known.most) if listed is None else listed
    units, tables = keep_units_alone(chunks, heads, within, known)
    groups = np.zeros((len(units), 1, heads), dtype=np.int64)
    return LayerChoices((units,), tables[:, None], groups, units.costs(within.aggregate))


@dataclass(frozen=True, eq=False)
class _LayerBuilder:
    """Lists layers of two or more units: every sharing of channels, units joined one after the other."""

    heads: int
    size: int
    within: LayerBudget
    known: LayerFilter
    source: UnitSource | None = None

    def layers(self) -> Iterator[LayerChoices]:
        """Every layer, sharing by sharing and channel by channel."""
        plain = self._role((0,) * self.heads, (None,) * self.heads)
        for sharing in list_sharings(self.size, self.heads, self.known.checkpoint):
            keys = [tuple(row[unit] for row in sharing) for unit in range(self.size)]
            for shared in self._shared_roles(sharing, tuple(dict.fromkeys(filter(any, keys)))):
                self.known.checkpoint()
                roles = [shared.get(key, plain) for key in keys]
                known = self.known
                joining = LayerJoiner(tuple(roles), self.within, known.missed, known.most, known.checkpoint)
                chosen = joining.layers()
                if len(chosen):
                    yield self._finished(chosen, sharing, roles)

    def _shared_roles(
        self, sharing: Sharing, keys: tuple[tuple[int, ...], ...]
    ) -> Iterator[dict[tuple[int, ...], Role]]:
        """The roles of some keys, for every choice of the channels that they share."""
        if self.heads == len(keys) == 1 and self.source is None:
            [key] = keys
            for _, run in itertools.groupby(self._ball(sharing, 1), key=lambda g: sum(x * x for x in g)):
                for role in self._roles(key, list(run)):
                    yield {key: role}
            return
        for channels in self._shared_channels(sharing):
            yield {
                key: self._role(key, tuple(channels.get((h, key[h])) for h in range(self.heads)))
                for key in keys
            }

    def _shared_channels(self, sharing: Sharing) -> Iterator[dict[tuple[int, int], tuple[int, ...]]]:
        """Every choice of the shared channels within the budget; g and −g give the same layers."""
        places = sorted({(h, group) for h, row in enumerate(sharing) for group in row if group})
        if not places:
            yield {}
            return
        for chosen in itertools.product(self._ball(sharing, len(places)), repeat=len(places)):
            yield dict(zip(places, chosen, strict=True))

    def _ball(self, sharing: Sharing, number: int) -> list[tuple[int, ...]]:
        """The channels that may be shared, where so many are, shortest first."""
        if self.source is not None:
            ball = self.source.shared_channels()
        else:
            within = self.within
            readers = sum(group > 0 for row in sharing for group in row)
            rank = number if within.aggregate is Aggregate.SUM else 1.0
            widest = within.widest(Cost(rank=rank, norm_A=within.step * math.sqrt(readers))).norm_V
            square = find_largest_square(widest / within.step)
            ball = list(map(tuple, list_grid_ball(within.features, square)[1:].tolist()))
        if self.known.reduce:
            ball = [g for g in ball if next(x for x in g if x) > 0]
        return ball

    def _roles(self, key: tuple[int, ...], channels: list[tuple[int, ...]]) -> Iterator[Role]:
        """Roles that share a channel of one head each, of equal norms: their units differ in it alone.

        So they are listed for the first one, and looked at together as far as they fit one chunk.
        """
        chunks = list(itertools.islice(self._chunks(ChannelReads((False,), (channels[0],))), 2))
        number = sum(map(len, chunks))
        together = min(CHUNK, self.known.most) // max(1, number)
        if len(chunks) > 1 or together < 2 or len(channels) < 2:
            yield from (self._role(key, (g,)) for g in channels)
            return
        for begin in range(0, len(channels) if number else 0, together):
            some = np.array(channels[begin : begin + together])
            units = chunks[0].take(np.tile(np.arange(number), len(some)))
            listed = replace(units, channel=np.repeat(some, number, axis=0))
            kept = self._kept(key, [listed])
            _, group = group_rows(np.concatenate([some, kept.units.channel]))
            place = np.argsort(group[: len(some)])[group[len(some) :]]  # ascending
            for first, last in itertools.pairwise(np.searchsorted(place, np.arange(len(some) + 1))):
                yield kept.take(slice(first, last)).by_row()

    def _role(self, key: tuple[int, ...], shared: tuple[tuple[int, ...] | None, ...]) -> Role:
        """Units with given shared channels, and any channels of their own on the other heads."""
        reads = [
            ChannelReads(own, shared)
            for own in itertools.product((False, True), repeat=self.heads)
            if not any(o and g is not None for o, g in zip(own, shared, strict=True))
        ]
        return self._kept(key, itertools.chain.from_iterable(map(self._chunks, reads))).by_row()

    def _kept(self, key: tuple[int, ...], chunks: Iterable[Units]) -> Role:
        """The units of a list that may occur and that none beats, in their order."""
        none = Units.none(self.within.features, self.within.precision, self.heads)
        return Role(key, *keep_units(chunks, none, self.known, self._cheapest))

    def _chunks(self, reads: ChannelReads) -> Iterator[Units]:
        """The units with given reads."""
        if self.source is not None:
            return self.source.chunks(reads)
        within = self.within
        if self.heads and not reads.any:  # another unit reads
            least = Cost(rank=1.0, norm_V=within.step)
            within = replace(within, rest=within.rest.join(least, within.aggregate))
        return iter_unit_chunks(within, reads, self.known.most)

    def _cheapest(self, units: Units) -> IntArray:
        """Of equal functions on the same channels the shorter row and the smaller bias serve as well."""
        _, channel = group_rows(units.channel)
        group = self.known.exact(units) * (int(channel.max(initial=0)) + 1) + channel
        return find_undominated(group, units.row_square, np.abs(units.bias))

    def _finished(self, chosen: IntArray, sharing: Sharing, roles: list[Role]) -> LayerChoices:
        """The layers that may occur, with exact costs and tables in increasing order."""
        tables = np.stack([role.tables[chosen[:, u]] for u, role in enumerate(roles)], axis=1)
        keep = self.known.layer(tables)
        chosen, tables = chosen[keep], tables[keep]
        units = [role.units.take(chosen[:, u]) for u, role in enumerate(roles)]
        groups = np.array(sharing, dtype=np.int64).reshape(self.heads, self.size)
        step = self.within.step
        stacked = np.stack([u.channels for u in units], axis=1)
        costs = np.concatenate(
            [
                compute_channel_costs(stacked, groups, self.within.precision, self.within.aggregate),
                step * np.sqrt(sum(u.row_square for u in units))[:, None],
                step * np.sqrt(sum(u.bias**2 for u in units))[:, None],
            ],
            axis=1,
        )
        read = (stacked != 0).any(axis=(1, 3)).all(axis=1)  # a head that nobody reads is no head
        keep = self.within.fits(*costs.T) & read
        order = np.argsort(tables[keep], axis=1, kind="stable")
        every, size = Units.concatenate([u.take(keep) for u in units]), len(order)
        numbers = np.broadcast_to(groups.T, (size, self.size, self.heads))
        return LayerChoices(
            tuple([every.take(order[:, u] * size + np.arange(size)) for u in range(self.size)]),
            np.take_along_axis(tables[keep], order, axis=1),
            np.take_along_axis(numbers, order[:, :, None], axis=1),
            costs[keep],
        )
