"""Layers of one or two units as integer parameters, with the cost of each realisation.

This is the one module that knows which dense realisations a layer has and what they cost; R of a function is
the least over them ([HYB25] Definition 5, one-hot realisation):

* a unit alone on a channel reads it with an entry of A of exactly 1, or reads no channel at all;
* two units of a head may share a channel g, with non-zero entries c_1, c_2 of A on the p-bit grid;
* V stacks the channels: rank_V and ‖V‖ are those of the stack.

A tighter family of realisations (scaled embeddings, factors moved between V and A) would be added here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from idinf.space.grid import IntArray, grid_ball, largest_square
from idinf.space.rows import group_rows
from idinf.space.structures import Cost, LayerShape
from idinf.space.units import MAX_UNITS, SLACK, BoolArray, FloatArray, Units, check_size, joined, single_units
from idinf.transformers.regularizer import Aggregate

__all__ = ["LayerChoices", "LayerFilter", "layer_choices", "undominated"]

#: Pairs of units looked at in one block; a block holds a few arrays of that many numbers.
PAIR_BLOCK = 1_000_000


@dataclass(frozen=True)
class LayerFilter:
    """What the search knows about behaviours, so that hopeless layers are never built.

    Attributes
    ----------
    number : callable
        Table number of every unit of a list, (N,): its behaviour on short words.
    exact : callable
        Numbers within a list such that units with equal numbers agree on all words, (N,).
    unit : callable
        Mask of the tables that may occur in a layer.
    pair : callable
        Mask of the pairs of tables that may occur together.
    reduce : bool
        Whether a unit may be dropped when another with the same exact number is at most as costly in every
        term.
    most : int
        Bound on every list of units or pairs.
    """

    number: Callable[[Units], IntArray]
    exact: Callable[[Units], IntArray]
    unit: Callable[[IntArray], BoolArray]
    pair: Callable[[IntArray, IntArray], BoolArray]
    reduce: bool = True
    most: int = MAX_UNITS


@dataclass(frozen=True)
class LayerChoices:
    """N realisations of a layer of m units.

    Attributes
    ----------
    units : tuple of Units
        The m lists of units, N each.
    tables : (N, m) ndarray of int64
        Their table numbers.
    shared : (N,) ndarray of bool
        Whether the two units read one channel together.
    costs : (N, 4) ndarray of float64
        rank_V, ‖V‖, ‖A‖_F, ‖b‖ of this layer.
    """

    units: tuple[Units, ...]
    tables: IntArray
    shared: BoolArray
    costs: FloatArray

    def __len__(self) -> int:
        return len(self.costs)

    def take(self, index: IntArray | BoolArray) -> LayerChoices:
        """The realisations at the given places."""
        return LayerChoices(
            tuple(u.take(index) for u in self.units),
            self.tables[index],
            self.shared[index],
            self.costs[index],
        )

    @staticmethod
    def concatenate(parts: list[LayerChoices]) -> LayerChoices:
        """Join non-empty lists of layers with the same number of units."""
        columns = zip(*(part.units for part in parts), strict=True)
        return LayerChoices(
            tuple(Units.concatenate(list(column)) for column in columns),
            np.concatenate([part.tables for part in parts]),
            np.concatenate([part.shared for part in parts]),
            np.concatenate([part.costs for part in parts]),
        )


def undominated(groups: IntArray, first: FloatArray | IntArray, second: FloatArray | IntArray) -> IntArray:
    """Indices of the entries that no other entry of their group beats in both keys; of equals the first.

    Examples
    --------
    >>> undominated(np.array([0, 0, 0, 1]), np.array([1, 2, 2, 5]), np.array([3, 1, 4, 5])).tolist()
    [0, 1, 3]
    """
    if not len(groups):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((second, first, groups))
    _, ranks = np.unique(second[order], return_inverse=True)
    new_group = np.r_[True, np.diff(groups[order]) != 0]
    # Groups are pushed below one another, so one running minimum serves them all.
    pushed = ranks - np.cumsum(new_group) * (int(ranks.max()) + 1)
    keep = np.r_[True, pushed[1:] < np.minimum.accumulate(pushed)[:-1]]
    return np.sort(order[keep])


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
        Up to one head, one or two units.
    budget : float
        Bound on rank_V + ‖V‖ + ‖A‖ + ‖b‖ of the whole hypothesis.
    rest : Cost
        What the other layers cost at least.
    known : LayerFilter
        Prunes by behaviour; with ``reduce`` some cheapest realisation of every behaviour remains.

    Returns
    -------
    LayerChoices
        Pairs of units are listed once, the smaller table first.
    """
    if shape.units == 1:
        units = single_units(features, precision, shape.heads > 0, budget, rest, aggregate, known.most)
        tables = known.number(units)
        keep = known.unit(tables)
        units, tables = units.take(keep), tables[keep]
        choices = LayerChoices((units,), tables[:, None], np.zeros(len(units), np.bool_), units.costs)
        if known.reduce:
            biases = np.abs(units.bias)
            group = known.exact(units) * (int(biases.max(initial=0)) + 1) + biases
            choices = choices.take(undominated(group, choices.costs[:, 1], choices.costs[:, 2]))
        return choices
    pairs = _PairBuilder(features, precision, budget, rest, aggregate, known)
    return LayerChoices.concatenate(list(pairs.headless() if shape.heads == 0 else pairs.with_head()))


def _pair_costs(first: Units, second: Units, shared: BoolArray) -> FloatArray:
    step = 2.0**-first.precision
    a, c = first.channel_square, second.channel_square
    d = np.einsum("nf,nf->n", first.channel, second.channel)
    rank = np.where(shared | (a * c == d * d), 1.0, 2.0) * ((a > 0) | (c > 0))
    stacked = 0.5 * (a + c + np.sqrt((a - c) ** 2 + 4.0 * d * d))
    norm_V = step * np.sqrt(np.where(shared, a, stacked))
    norm_A = step * np.sqrt(first.row_square + second.row_square)
    norm_b = step * np.sqrt(first.bias**2 + second.bias**2)
    return np.stack([rank, norm_V, norm_A, norm_b], axis=1)


@dataclass(frozen=True)
class _PairBuilder:
    """Lists pairs of units: no channel, one channel, two channels, one shared channel."""

    features: int
    precision: int
    budget: float
    rest: Cost
    aggregate: Aggregate
    known: LayerFilter

    def headless(self) -> Iterator[LayerChoices]:
        """Both units read their own position only."""
        plain, tables = self._units(False, self.rest)
        yield self._pairs(plain, tables, plain, tables, shared=False, same=True)

    def with_head(self) -> Iterator[LayerChoices]:
        """At least one unit reads a channel."""
        least = Cost(rank=1.0, norm_V=2.0**-self.precision)
        reading, reading_tables = self._units(True, self.rest)
        plain, plain_tables = self._units(False, self.rest.join(least, self.aggregate))
        yield self._pairs(reading, reading_tables, plain, plain_tables, shared=False, same=False)
        yield self._pairs(reading, reading_tables, reading, reading_tables, shared=False, same=True)
        yield from self._shared()

    def _units(self, head: bool, rest: Cost) -> tuple[Units, IntArray]:
        units = single_units(
            self.features, self.precision, head, self.budget, rest, self.aggregate, self.known.most
        )
        return self._known(units)

    def _known(self, units: Units) -> tuple[Units, IntArray]:
        """Number the units, drop those whose table cannot occur, and costlier twins on the same channel."""
        tables = self.known.number(units)
        keep = np.flatnonzero(self.known.unit(tables))
        if self.known.reduce and len(keep):
            _, channel = group_rows(units.channel[keep])
            group = self.known.exact(units.take(keep)) * (int(channel.max()) + 1) + channel
            keep = keep[undominated(group, units.row_square[keep], np.abs(units.bias[keep]))]
        return units.take(keep), tables[keep]

    def _shared(self) -> Iterator[LayerChoices]:
        """Both units read one channel g with entries c_1, c_2 ≠ 0; g and −g give the same layers."""
        step = 2.0**-self.precision
        least_A = float(joined(self.rest.norm_A, np.array([np.sqrt(2.0) * step]), self.aggregate)[0])
        rank = float(joined(self.rest.rank, np.array([1.0]), self.aggregate)[0])
        spare = self.budget + SLACK - rank - self.rest.norm_b
        widest_V = spare - least_A - (self.rest.norm_V if self.aggregate is Aggregate.SUM else 0.0)
        for g in grid_ball(self.features, largest_square(widest_V / step))[1:]:
            leading = g[np.flatnonzero(g)[0]]
            if leading < 0 and self.known.reduce:
                continue
            norm_V = float(joined(self.rest.norm_V, np.array([step * np.sqrt(g @ g)]), self.aggregate)[0])
            widest_A = spare - norm_V - (self.rest.norm_A if self.aggregate is Aggregate.SUM else 0.0)
            square = largest_square(widest_A / step) - 1  # the other reader has an entry of at least one step
            rows = grid_ball(self.features + 1, square)
            rows = rows[rows[:, 0] != 0]
            norm_b = self.budget + SLACK - rank - norm_V - least_A
            reach = int((norm_b - (self.rest.norm_b if self.aggregate is Aggregate.SUM else 0.0)) / step)
            if reach < 0 or not len(rows):
                continue
            biases = np.arange(-reach, reach + 1)
            units, tables = self._known(
                Units(
                    self.precision,
                    np.broadcast_to(g, (len(rows) * len(biases), self.features)),
                    np.repeat(rows[:, 0], len(biases)),
                    np.repeat(rows[:, 1:], len(biases), axis=0),
                    np.tile(biases, len(rows)),
                )
            )
            yield self._pairs(units, tables, units, tables, shared=True, same=True)

    def _pairs(
        self,
        first: Units,
        first_tables: IntArray,
        second: Units,
        second_tables: IntArray,
        shared: bool,
        same: bool,
    ) -> LayerChoices:
        """Combine two lists within the budget; one list with itself is combined without order."""
        parts = [self._choose(first, second, first_tables, second_tables, shared, np.zeros((0, 2), np.int64))]
        step = 2.0**-self.precision
        order = np.argsort(second.row_square, kind="stable")
        rows, biases = second.row_square[order], second.bias[order] ** 2
        square_V = second.channel_square[order]
        block = max(1, PAIR_BLOCK // max(1, len(second)))
        for begin in range(0, len(first), block):
            part = slice(begin, begin + block)
            norm_A = step * np.sqrt(first.row_square[part, None] + rows)
            norm_b = step * np.sqrt(first.bias[part, None] ** 2 + biases)
            norm_V = step * np.sqrt(np.maximum(first.channel_square[part, None], square_V))
            total = (
                joined(self.rest.norm_A, norm_A, self.aggregate)
                + joined(self.rest.norm_b, norm_b, self.aggregate)
                + joined(self.rest.norm_V, norm_V, self.aggregate)
                + self.rest.rank * (self.aggregate is Aggregate.SUM)
            )
            pairs = np.argwhere(total <= self.budget + SLACK)
            pairs[:, 0] += begin
            pairs[:, 1] = order[pairs[:, 1]]
            if same:
                pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
            parts.append(self._choose(first, second, first_tables, second_tables, shared, pairs))
            check_size(sum(map(len, parts)), self.known.most)
        return LayerChoices.concatenate(parts)

    def _choose(
        self,
        first: Units,
        second: Units,
        tables_1: IntArray,
        tables_2: IntArray,
        shared: bool,
        pairs: IntArray,
    ) -> LayerChoices:
        i, j = pairs[:, 0], pairs[:, 1]
        keep = self.known.pair(tables_1[i], tables_2[j])
        i, j = i[keep], j[keep]
        one, two = first.take(i), second.take(j)
        flags = np.full(len(i), shared)
        costs = _pair_costs(one, two, flags)
        total = sum(
            joined(value, column, self.aggregate)
            for value, column in zip(
                (self.rest.rank, self.rest.norm_V, self.rest.norm_A, self.rest.norm_b), costs.T, strict=True
            )
        )
        keep = np.asarray(total <= self.budget + SLACK)
        one, two, costs, flags = one.take(keep), two.take(keep), costs[keep], flags[keep]
        tables = np.stack([tables_1[i][keep], tables_2[j][keep]], axis=1)
        swap = tables[:, 0] > tables[:, 1]
        return LayerChoices(
            (_where(swap, two, one), _where(swap, one, two)), np.sort(tables, axis=1), flags, costs
        )


def _where(condition: BoolArray, one: Units, two: Units) -> Units:
    column = condition[:, None]
    return Units(
        one.precision,
        np.where(column, one.channel, two.channel),
        np.where(condition, one.entry, two.entry),
        np.where(column, one.own, two.own),
        np.where(condition, one.bias, two.bias),
    )
