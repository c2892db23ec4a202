"""Layers of units as integer parameters, with the cost of each realisation.

R of a function is the least over its dense realisations ([HYB25] Definition 5, one-hot realisation):

* a unit alone on a channel reads it with an entry of A of exactly 1, or reads no channel of that head;
* several units of a head may share a channel g, with non-zero entries c_u of A on the p-bit grid;
* V of a head stacks its channels: rank_V and ‖V‖ are those of the stack, and the largest over the heads.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from idinf.space.array_record import ArrayRecord
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.joining import Joining, Role
from idinf.space.reduction import LayerFilter, find_undominated, keep_units
from idinf.space.rows import group_rows
from idinf.space.sharing import Sharing, compute_channel_costs, list_sharings
from idinf.space.structures import Cost, LayerShape
from idinf.space.units import (
    CHUNK,
    ChannelReads,
    FloatArray,
    LayerBudget,
    Units,
    iter_unit_chunks,
)
from idinf.transformers.regularizer import Aggregate


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
    shape: LayerShape, within: LayerBudget, known: LayerFilter, source: UnitSource | None = None
) -> LayerChoices:
    """List every realisation of a layer within a budget of R.

    Every set of units comes once, tables in increasing order. With ``known.reduce`` some cheapest realisation
    of every behaviour remains. Units are those of a source, or all within the budget.
    """
    heads = len(shape.heads)
    if shape.units > 1:
        none = LayerChoices.none(within.features, within.precision, heads, shape.units)
        layers = _LayerBuilder(heads, shape.units, within, known, source).layers()
        return LayerChoices.concatenate([none, *layers])
    reads = ChannelReads.alone(heads)
    chunks = iter_unit_chunks(within, reads, known.most) if source is None else source.chunks(reads)
    units, tables = keep_units_alone(chunks, heads, within, known)
    groups = np.zeros((len(units), 1, heads), dtype=np.int64)
    return LayerChoices((units,), tables[:, None], groups, units.costs(within.aggregate))


def keep_units_alone(
    chunks: Iterable[Units], heads: int, within: LayerBudget, known: LayerFilter
) -> tuple[Units, IntArray]:
    """Keep the units that may be the one unit of a layer, with their tables, as `keep_units` does."""

    def cheapest(units: Units) -> IntArray:
        """Of equal functions with one bias; two heads have ways to be short: the key aggregates to ‖V‖."""
        biases, costs = np.abs(units.bias), units.costs(within.aggregate)
        group = known.exact(units) * (int(biases.max(initial=0)) + 1) + biases
        return find_undominated(group, costs[:, 1], costs[:, 2])

    return keep_units(chunks, Units.none(within.features, within.precision, heads), known, cheapest)


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
        for sharing in list_sharings(self.size, self.heads):
            keys = [tuple(row[unit] for row in sharing) for unit in range(self.size)]
            for shared in self._shared_roles(sharing, tuple(dict.fromkeys(filter(any, keys)))):
                self.known.checkpoint()
                roles = [shared.get(key, plain) for key in keys]
                known = self.known
                joining = Joining(tuple(roles), self.within, known.missed, known.most, known.checkpoint)
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
            kept = self._kept(key, tuple(map(tuple, some.tolist())), [listed])
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
        return self._kept(key, shared, itertools.chain.from_iterable(map(self._chunks, reads))).by_row()

    def _kept(self, key: tuple[int, ...], shared: tuple[object, ...], chunks: Iterable[Units]) -> Role:
        """The units of a list, by what they share, that may occur and that none beats, in their order."""
        none, known = Units.none(self.within.features, self.within.precision, self.heads), self.known
        if known.lists is None:
            return Role(key, *keep_units(chunks, none, known, self._cheapest))

        def reduced(checkpoint: Callable[[], None]) -> Units:
            untold = replace(
                known, number=lambda units: np.zeros(len(units), np.int64), checkpoint=checkpoint
            )
            return keep_units(chunks, none, untold, self._cheapest)[0]

        lists, kind = known.lists
        units = lists.find((kind, self.within, shared), reduced, known.checkpoint)
        return Role(key, units, known.number(units))

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
