"""Layers of units as integer parameters, with the cost of each realisation.

This module and its neighbour ``sharing`` know which dense realisations a layer has and what they cost; R of a
function is the least over them ([HYB25] Definition 5, one-hot realisation):

* a unit alone on a channel reads it with an entry of A of exactly 1, or reads no channel of that head;
* several units of a head may share a channel g, with non-zero entries c_u of A on the p-bit grid;
* V of a head stacks its channels: rank_V and ‖V‖ are those of the stack, and the largest over the heads.

A tighter family of realisations (scaled embeddings, factors moved between V and A) would be added here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from idinf.space.grid import IntArray, grid_ball, largest_square
from idinf.space.reduction import LayerFilter, kept_units, undominated
from idinf.space.rows import group_rows
from idinf.space.sharing import Sharing, sharings, stack_costs
from idinf.space.structures import Cost, LayerShape
from idinf.space.units import (
    SLACK,
    BoolArray,
    FloatArray,
    Reads,
    Units,
    check_size,
    joined,
    unit_chunks,
)
from idinf.transformers.regularizer import Aggregate

__all__ = ["LayerChoices", "LayerFilter", "layer_choices", "undominated"]

#: Pairs (layer so far, next unit) looked at in one block; a block holds a few arrays of that many numbers.
PAIR_BLOCK = 1_000_000


@dataclass(frozen=True)
class LayerChoices:
    """N realisations of a layer of m units.

    Attributes
    ----------
    units : tuple of Units
        The m lists of units, N each.
    tables : (N, m) ndarray of int64
        Their table numbers.
    groups : (N, m, H) ndarray of int64
        Number of the channel that a unit shares with others on a head; 0 where it shares none.
    costs : (N, 4) ndarray of float64
        rank_V, ‖V‖, ‖A‖_F, ‖b‖ of this layer.
    """

    units: tuple[Units, ...]
    tables: IntArray
    groups: IntArray
    costs: FloatArray

    def __len__(self) -> int:
        return len(self.costs)

    def take(self, index: IntArray | BoolArray) -> LayerChoices:
        """The realisations at the given places."""
        return LayerChoices(
            tuple(u.take(index) for u in self.units),
            self.tables[index],
            self.groups[index],
            self.costs[index],
        )

    @staticmethod
    def concatenate(parts: list[LayerChoices]) -> LayerChoices:
        """Join non-empty lists of layers with the same number of units."""
        columns = zip(*(part.units for part in parts), strict=True)
        return LayerChoices(
            tuple(Units.concatenate(list(column)) for column in columns),
            np.concatenate([part.tables for part in parts]),
            np.concatenate([part.groups for part in parts]),
            np.concatenate([part.costs for part in parts]),
        )


def layer_choices(
    shape: LayerShape,
    features: int,
    precision: int,
    budget: float,
    rest: Cost,
    aggregate: Aggregate,
    known: LayerFilter,
) -> LayerChoices:
    """List every realisation of a layer within a budget of R.

    Parameters
    ----------
    shape : LayerShape
    budget : float
        Bound on rank_V + ‖V‖ + ‖A‖ + ‖b‖ of the whole hypothesis.
    rest : Cost
        What the other layers cost at least.
    known : LayerFilter
        Prunes by behaviour; with ``reduce`` some cheapest realisation of every behaviour remains.

    Returns
    -------
    LayerChoices
        Layers are listed once for every set of units, tables in increasing order.
    """
    heads = len(shape.heads)
    if shape.units > 1:
        builder = _LayerBuilder(features, precision, heads, shape.units, budget, rest, aggregate, known)
        return LayerChoices.concatenate([builder.nothing(), *builder.layers()])

    def cheapest(units: Units) -> IntArray:
        """Of equal functions with one bias; two heads have ways to be short: the key aggregates to ‖V‖."""
        biases, costs = np.abs(units.bias), units.costs(aggregate)
        group = known.exact(units) * (int(biases.max(initial=0)) + 1) + biases
        return undominated(group, costs[:, 1], costs[:, 2])

    chunks = unit_chunks(features, precision, Reads.alone(heads), budget, rest, aggregate, known.most)
    units, tables = kept_units(chunks, Units.none(features, precision, heads), known, cheapest)
    groups = np.zeros((len(units), 1, heads), dtype=np.int64)
    return LayerChoices((units,), tables[:, None], groups, units.costs(aggregate))


@dataclass(frozen=True)
class _Role:
    """The units that may take one place of a layer.

    ``key`` is equal for places that can be exchanged.
    """

    key: tuple[int, ...]
    units: Units
    tables: IntArray


@dataclass(frozen=True)
class _LayerBuilder:
    """Lists layers of two or more units: every sharing of channels, units joined one after the other."""

    features: int
    precision: int
    heads: int
    size: int
    budget: float
    rest: Cost
    aggregate: Aggregate
    known: LayerFilter

    def nothing(self) -> LayerChoices:
        """The empty list of layers."""
        none = Units.none(self.features, self.precision, self.heads)
        return LayerChoices(
            (none,) * self.size,
            np.zeros((0, self.size), dtype=np.int64),
            np.zeros((0, self.size, self.heads), dtype=np.int64),
            np.zeros((0, 4)),
        )

    def layers(self) -> Iterator[LayerChoices]:
        """Every layer, sharing by sharing and channel by channel."""
        plain = self._role((0,) * self.heads, (None,) * self.heads)
        for sharing in sharings(self.size, self.heads):
            for channels in self._shared_channels(sharing):
                roles: list[_Role] = []
                for unit in range(self.size):
                    key = tuple(row[unit] for row in sharing)
                    if not any(key):
                        roles.append(plain)
                    elif roles and roles[-1].key == key:
                        roles.append(roles[-1])
                    else:
                        shared = tuple(channels.get((h, key[h])) for h in range(self.heads))
                        roles.append(self._role(key, shared))
                yield from self._joined(sharing, roles)

    def _shared_channels(self, sharing: Sharing) -> Iterator[dict[tuple[int, int], tuple[int, ...]]]:
        """Every choice of the shared channels; g and −g give the same layers."""
        places = sorted({(h, group) for h, row in enumerate(sharing) for group in row if group})
        if not places:
            yield {}
            return
        step = 2.0**-self.precision
        adding = self.aggregate is Aggregate.SUM
        readers = sum(group > 0 for row in sharing for group in row)
        least_A = step * math.sqrt(readers)
        spare = self.budget + SLACK - self.rest.norm_b - (len(places) if adding else 1.0)
        spare -= self.rest.rank if adding else max(self.rest.rank - 1.0, 0.0)
        spare -= float(joined(self.rest.norm_A, np.array([least_A]), self.aggregate)[0])
        widest = spare - (self.rest.norm_V if adding else 0.0)
        ball = [tuple(int(x) for x in g) for g in grid_ball(self.features, largest_square(widest / step))[1:]]
        if self.known.reduce:
            ball = [g for g in ball if next(x for x in g if x) > 0]
        for chosen in itertools.product(ball, repeat=len(places)):
            yield dict(zip(places, chosen, strict=True))

    def _role(self, key: tuple[int, ...], shared: tuple[tuple[int, ...] | None, ...]) -> _Role:
        """Units with given shared channels, and any channels of their own on the other heads."""
        least = Cost(rank=1.0, norm_V=2.0**-self.precision) if self.heads else Cost()
        reads = [
            Reads(own, shared)
            for own in itertools.product((False, True), repeat=self.heads)
            if not any(o and g is not None for o, g in zip(own, shared, strict=True))
        ]
        chunks = itertools.chain.from_iterable(
            unit_chunks(
                self.features,
                self.precision,
                each,
                self.budget,
                self.rest if each.any else self.rest.join(least, self.aggregate),
                self.aggregate,
                self.known.most,
            )
            for each in reads
        )
        none = Units.none(self.features, self.precision, self.heads)
        units, tables = kept_units(chunks, none, self.known, self._cheapest)
        order = np.argsort(units.row_square, kind="stable")
        return _Role(key, units.take(order), tables[order])

    def _cheapest(self, units: Units) -> IntArray:
        """Of equal functions on the same channels the shorter row and the smaller bias serve as well."""
        _, channel = group_rows(units.channel)
        group = self.known.exact(units) * (int(channel.max(initial=0)) + 1) + channel
        return undominated(group, units.row_square, np.abs(units.bias))

    def _joined(self, sharing: Sharing, roles: list[_Role]) -> Iterator[LayerChoices]:
        """All layers with one unit of each role; places that can be exchanged are filled in order."""
        if not all(len(role.units) for role in roles):
            return
        chosen = np.arange(len(roles[0].units))[:, None]
        for place in range(1, self.size):
            chosen = self._with_next(chosen, roles[: place + 1])
            check_size(len(chosen), self.known.most)
        if len(chosen):
            yield self._finished(chosen, sharing, roles)

    def _sums(self, chosen: IntArray, roles: list[_Role]) -> tuple[IntArray, IntArray, IntArray]:
        """Σ rows², Σ biases² and the longest channel of every head, of layers so far."""
        square_A, square_b = np.zeros(len(chosen), np.int64), np.zeros(len(chosen), np.int64)
        square_V = np.zeros((len(chosen), self.heads), np.int64)
        for place, role in enumerate(roles):
            index = chosen[:, place]
            square_A += role.units.row_square[index]
            square_b += role.units.bias[index] ** 2
            square_V = np.maximum(square_V, role.units.channel_squares[index])
        return square_A, square_b, square_V

    def _with_next(self, chosen: IntArray, roles: list[_Role]) -> IntArray:
        """Layers so far with one more unit, within the budget by a lower bound of R."""
        step, rest, last = 2.0**-self.precision, self.rest, roles[-1]
        same = roles[-2] is last
        square_A, square_b, square_V = self._sums(chosen, roles[:-1])
        add_A, add_b, add_V = last.units.row_square, last.units.bias**2, last.units.channel_squares
        block = max(1, PAIR_BLOCK // max(1, len(last.units)))
        parts = [np.zeros((0, chosen.shape[1] + 1), dtype=np.int64)]
        for begin in range(0, len(chosen), block):
            part = slice(begin, begin + block)
            total = joined(rest.norm_A, step * np.sqrt(square_A[part, None] + add_A), self.aggregate)
            total = total + joined(rest.norm_b, step * np.sqrt(square_b[part, None] + add_b), self.aggregate)
            norm_V = np.zeros(total.shape)
            for h in range(self.heads):
                norm = step * np.sqrt(np.maximum(square_V[part, None, h], add_V[:, h]))
                norm_V = norm_V + norm if self.aggregate is Aggregate.SUM else np.maximum(norm_V, norm)
            total = total + joined(rest.norm_V, norm_V, self.aggregate)
            total = total + rest.rank * (self.aggregate is Aggregate.SUM)
            fits = total <= self.budget + SLACK
            if same:
                fits &= np.arange(len(last.units)) >= chosen[part, -1:]
            pairs = np.argwhere(fits)
            parts.append(np.concatenate([chosen[begin + pairs[:, 0]], pairs[:, 1:]], axis=1))
            check_size(sum(map(len, parts)), self.known.most)
        return np.concatenate(parts)

    def _finished(self, chosen: IntArray, sharing: Sharing, roles: list[_Role]) -> LayerChoices:
        """The layers that may occur, with exact costs and tables in increasing order."""
        tables = np.stack([role.tables[chosen[:, u]] for u, role in enumerate(roles)], axis=1)
        keep = self.known.layer(tables)
        chosen, tables = chosen[keep], tables[keep]
        units = [role.units.take(chosen[:, u]) for u, role in enumerate(roles)]
        groups = np.array(sharing, dtype=np.int64).reshape(self.heads, self.size)
        step = 2.0**-self.precision
        stacked = np.stack([u.channels for u in units], axis=1)
        costs = np.concatenate(
            [
                stack_costs(stacked, groups, self.precision, self.aggregate),
                step * np.sqrt(sum(u.row_square for u in units))[:, None],
                step * np.sqrt(sum(u.bias**2 for u in units))[:, None],
            ],
            axis=1,
        )
        total = sum(
            joined(value, column, self.aggregate)
            for value, column in zip(
                (self.rest.rank, self.rest.norm_V, self.rest.norm_A, self.rest.norm_b), costs.T, strict=True
            )
        )
        read = (stacked != 0).any(axis=(1, 3)).all(axis=1)  # a head that nobody reads is no head
        keep = np.asarray(total <= self.budget + SLACK) & read
        order = np.argsort(tables[keep], axis=1, kind="stable")
        numbers = np.broadcast_to(groups.T, (int(keep.sum()), self.size, self.heads))
        return LayerChoices(
            _permuted([u.take(keep) for u in units], order),
            np.take_along_axis(tables[keep], order, axis=1),
            np.take_along_axis(numbers, order[:, :, None], axis=1),
            costs[keep],
        )


def _permuted(units: list[Units], order: IntArray) -> tuple[Units, ...]:
    """The units of every layer in the given order."""
    channel = np.stack([u.channel for u in units], axis=1)
    entry = np.stack([u.entry for u in units], axis=1)
    own = np.stack([u.own for u in units], axis=1)
    bias = np.stack([u.bias for u in units], axis=1)
    rows = np.arange(len(order))
    return tuple(
        Units(
            units[0].precision,
            channel[rows, order[:, u]],
            entry[rows, order[:, u]],
            own[rows, order[:, u]],
            bias[rows, order[:, u]],
        )
        for u in range(len(units))
    )
