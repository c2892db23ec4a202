"""Units of one layer as integer parameters: lists of them, their costs, and those that are kept.

Parameters are integers in units of 2^-p: for every head h the channel g_h a unit reads (over the layer's
features) and the entry c_h of A with which it reads it, own features s, bias b. The unit is

    Heaviside( Σ_h Σ_{j≤i} α_h(i, j) ⟨c_h·g_h, features_j⟩ + ⟨s, features_i⟩ + b ).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray, find_largest_square, find_leading, list_grid_ball
from idinf.space.rows import SHARED, ArrayRecord, find_undominated, repeat_places
from idinf.space.structures import SLACK, Cost

BoolArray = NDArray[np.bool_]

FloatArray = NDArray[np.float64]

#: Units of one list unless a caller bounds it: about 4 GB with the arrays computed from them.
MAX_UNITS = 8_000_000
#: Units that are listed at a time; fewer of more than ``FEW_FEATURES``: their normal forms are long.
CHUNK, FEW_FEATURES = 1 << 17, 16
#: Units that may be listed for each one that fits the memory bound: dropped ones cost time alone.
RAW = 100


@dataclass(frozen=True, eq=False)
class Units(ArrayRecord):
    """A list of N units over H heads and f features, as arrays of int64 in units of 2^-p."""

    precision: int = field(metadata=SHARED)
    #: (N, H·f): the channel g_h each unit reads of every head, head by head; zero if it reads none.
    channel: IntArray
    #: (N, H): the entries c_h of A that read them: 2^p on a channel of its own, 0 without a channel.
    entry: IntArray
    own: IntArray  #: (N, f): s, the weights of the unit's own position
    bias: IntArray  #: (N,)

    @property
    def heads(self) -> int:
        """H, the number of heads of the layer."""
        return int(self.entry.shape[1])

    @property
    def channels(self) -> IntArray:
        """The channels as an (N, H, f) array."""
        return self.channel.reshape(len(self), self.heads, self.own.shape[1])

    @staticmethod
    def none(features: int, precision: int, heads: int) -> Units:
        """The empty list."""
        return Units(
            precision,
            np.zeros((0, heads * features), dtype=np.int64),
            np.zeros((0, heads), dtype=np.int64),
            np.zeros((0, features), dtype=np.int64),
            np.zeros(0, dtype=np.int64),
        )

    @property
    def values(self) -> IntArray:
        """c_h·g_h, coefficients of averaged features of every head in a unit, (N, H·f) in units of 4^-p."""
        product: IntArray = self.channel * np.repeat(self.entry, self.own.shape[1], axis=1)
        return product

    @property
    def channel_squares(self) -> IntArray:
        """‖g_h‖² of every head in units of 4^-p, (N, H)."""
        return np.asarray(np.einsum("nhf,nhf->nh", self.channels, self.channels))

    @property
    def row_square(self) -> IntArray:
        """Σ c_h² + ‖s‖², the unit's share of ‖A‖_F² in units of 4^-p, (N,)."""
        return np.asarray(
            np.einsum("nh,nh->n", self.entry, self.entry) + np.einsum("nf,nf->n", self.own, self.own)
        )

    def costs(self, aggregate: Aggregate) -> FloatArray:
        """rank_V, ‖V‖, ‖A‖_F and ‖b‖ of a layer of this unit alone, (N, 4)."""
        step = 2.0**-self.precision
        norms = np.sqrt(self.channel_squares)
        ranks = (self.entry != 0).astype(np.float64)
        return np.stack(
            [
                aggregate_over_heads(ranks, aggregate),
                step * aggregate_over_heads(norms, aggregate),
                step * np.sqrt(self.row_square),
                step * np.abs(self.bias),
            ],
            axis=1,
        )


def aggregate_over_heads(terms: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Aggregate a term of R over the heads of N layers, (N, H) to (N,); 0 without heads."""
    whole = terms.sum(axis=1) if aggregate is Aggregate.SUM else terms.max(axis=1, initial=0.0)
    return np.asarray(whole)


Reads: TypeAlias = tuple[bool, ...]  #: which heads a unit reads


def check_size(size: int, most: int) -> None:
    """Refuse a list of units, or of layers of units, that would not fit the memory bound."""
    if size > most:
        raise BudgetError(
            f"a layer has more than {most} realisations within the budget of R, more than the memory bound "
            "holds; raise --memory, or lower --max-r, --units or --precision"
        )


def aggregate_terms(rest: float | FloatArray, values: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Aggregate one term of R of the remaining layers with that of many candidates."""
    return rest + values if aggregate is Aggregate.SUM else np.maximum(rest, values)


@dataclass(frozen=True, slots=True)
class LayerBudget:
    """The inputs of a layer, and the cost that it may have."""

    features: int
    precision: int
    total: float  #: bound on rank_V + ‖V‖ + ‖A‖ + ‖b‖ of the whole hypothesis
    rest: Cost  #: least costs of the other layers
    aggregate: Aggregate

    @property
    def step(self) -> float:
        """2^-p."""
        return 2.0**-self.precision

    def admits(self, least: Cost) -> bool:
        """True if a layer that costs at least so much may be within the budget."""
        return self.rest.join(least, self.aggregate).total <= self.total + SLACK

    def widest(self, least: Cost) -> Cost:
        """Largest value of each term of such a layer while the others are least."""
        together = self.rest.join(least, self.aggregate)
        own = least if self.aggregate is Aggregate.SUM else together
        spare = self.total + SLACK - together.total
        return Cost(*(spare + term for term in own))

    def spare(self, costs: FloatArray) -> FloatArray:
        """Rest of the budget beside layers with given costs, (N, 4) → (N,); below 0 they do not fit."""
        terms = zip(self.rest, costs.T, strict=True)
        paid = sum(aggregate_terms(of_rest, own, self.aggregate) for of_rest, own in terms)
        return np.asarray(self.total + SLACK - paid)


def iter_unit_chunks(
    within: LayerBudget, reads: Reads, alone: bool, most: int = MAX_UNITS, signed: bool = True
) -> Iterator[Units]:
    """List every unit within a budget of R that reads given heads, in parts of about ``CHUNK``.

    A unit that is ``alone`` on its channels reads them by exactly 1, others by any entry but 0. Short
    channels come first, then short rows (c, s), then small biases. Of a channel and its negative only one is
    listed unless they are ``signed``. A caller can keep ``most``. Raises BudgetError if there are more than
    ``RAW * most`` units; nothing is listed then. Floats prune with slack 1e-9, so they never lose a unit.
    """
    features, rest, aggregate = within.features, within.rest, within.aggregate
    step, one, number = within.step, 2**within.precision, sum(reads)
    base_A, entries = (number * one * one, 0) if alone else (0, number)
    heads = float(aggregate_over_heads(np.ones((1, number)), aggregate)[0])
    least = Cost(rank=heads, norm_V=step * heads, norm_A=step * math.sqrt(base_A + entries))
    if not within.admits(least):
        return
    widest = within.widest(least)
    channels, norm_V = list_channels(features, reads, widest.norm_V / step, aggregate, signed)
    square = find_largest_square(math.sqrt(max(widest.norm_A**2 / step**2 - base_A, 0.0)))
    rows = list_grid_ball(entries + features, square)
    rows = rows[(rows[:, :entries] != 0).all(axis=1)]
    norm_A = np.sqrt(base_A + np.einsum("nf,nf->n", rows, rows))
    most_b = int(widest.norm_b / step)
    biases = np.array(sorted(range(-most_b, most_b + 1), key=abs))
    paid_V, paid_A, paid_b = (
        aggregate_terms(of_rest, step * norms, aggregate)
        for of_rest, norms in ((rest.norm_V, norm_V), (rest.norm_A, norm_A), (rest.norm_b, np.abs(biases)))
    )
    total = within.total + SLACK - rest.join(least, aggregate).rank
    # Lists are sorted by costs, so the entries that fit beside a channel, and beside a row, are a prefix.
    fits = np.searchsorted(paid_A, total - paid_V - paid_b[0], side="right")
    check_listed(paid_V, paid_A, paid_b, total, RAW * most)
    ends = np.cumsum(fits)
    part = min(CHUNK, max(1, CHUNK * FEW_FEATURES**3 // features**3))
    block = max(1, part // len(biases))
    for begin in range(0, int(fits.sum()), block):
        pair = np.arange(begin, min(begin + block, int(ends[-1])))
        channel = np.searchsorted(ends, pair, side="right")
        row = pair - (ends - fits)[channel]
        left = total - paid_V[channel] - paid_A[row]
        pair, bias = repeat_places(np.searchsorted(paid_b, left, side="right"))
        channel, row = channel[pair], row[pair]
        entry = np.zeros((len(bias), len(reads)), dtype=np.int64)
        entry[:, reads] = one if alone else rows[row, :entries]
        own = np.ascontiguousarray(rows[row, entries:])
        yield Units(within.precision, channels[channel], entry, own, biases[bias])


def check_listed(paid_V: FloatArray, paid_A: FloatArray, paid_b: FloatArray, total: float, most: int) -> None:
    """Refuse to list more units than may be looked at: triples of sorted terms with at most a sum."""
    (of_V, number_V), (of_A, number_A) = (np.unique(paid, return_counts=True) for paid in (paid_V, paid_A))
    beside = np.searchsorted(paid_b, total - of_V[:, None] - of_A, side="right")
    if int(number_V @ beside @ number_A) > most:
        raise BudgetError(
            f"a layer has more than {most} units within the budget of R, too many to look at beside those "
            "that the memory bound holds; raise --memory, or lower --max-r, --units or --precision"
        )


def list_channels(
    features: int, reads: Reads, widest: float, aggregate: Aggregate, signed: bool = True
) -> tuple[IntArray, FloatArray]:
    """Channels of all heads, (K, H·f), with their aggregated norm in units of 2^-p, shortest first.

    They are zero on heads that are not read. Of a channel and its negative both are listed if ``signed``.
    """
    joint, norms = np.zeros((1, 0), dtype=np.int64), np.zeros(1)
    ball = list_grid_ball(features, find_largest_square(widest) if any(reads) else 0)
    channels = ball[1:]
    if not signed:
        channels = channels[find_leading(channels) > 0]
    for is_read in reads:
        part = channels if is_read else ball[:1]
        own = np.sqrt(np.einsum("nf,nf->n", part, part))
        spare = widest + SLACK - (norms if aggregate is Aggregate.SUM else 0.0 * norms)
        fits = np.searchsorted(own, spare, side="right")
        check_size(int(fits.sum()), MAX_UNITS)
        place, column = repeat_places(fits)
        norms = aggregate_over_heads(np.stack([norms[place], own[column]], axis=1), aggregate)
        joint = np.concatenate([joint[place], part[column]], axis=1)
    order = np.argsort(norms, kind="stable")
    return joint[order], norms[order]


#: Units of a list that are made and looked at in the time of one step of work.
UNITS_OF_STEP = 1 << 12


@dataclass(frozen=True, eq=False)
class LayerFilter:
    """The knowledge of the search about behaviours, so that hopeless layers are never built."""

    #: Table number of every unit of a list, (N,): its behaviour on short words.
    number: Callable[[Units], IntArray]
    #: Numbers within a list such that units with equal numbers agree on all words, (N,).
    exact: Callable[[Units], IntArray]
    #: Masks of the tables that may occur in a layer, and of the layers, (N, m) tables, that may occur; with
    #: fewer tables of those that may begin one, in any order.
    unit: Callable[[IntArray], BoolArray] = lambda tables: np.ones(len(tables), np.bool_)
    layer: Callable[[IntArray], BoolArray] = lambda tables: np.ones(len(tables), np.bool_)
    #: True if a unit may be dropped when another with the same exact number is at most as costly in every
    #: term.
    reduce: bool = True
    most: int = MAX_UNITS  #: bound on every list of units or pairs
    #: For (N,) tables the conflicts that each misses, as an (N, bytes) bitset: a layer must hit all.
    missed: Callable[[IntArray], NDArray[np.uint8]] = lambda tables: np.zeros(
        (len(tables), 0), dtype=np.uint8
    )
    #: Mask of the units of a list that a quick look does not exclude; others get no table.
    possible: Callable[[Units], BoolArray] = lambda units: np.ones(len(units), np.bool_)
    checkpoint: Callable[[float], None] = lambda work: (
        None
    )  #: called before every part of the work; may raise to stop


def keep_units(
    chunks: Iterable[Units], none: Units, known: LayerFilter, cheapest: Callable[[Units], IntArray]
) -> tuple[Units, IntArray]:
    """Keep the units of a list that may occur and that none beats, in their order, with their tables.

    ``chunks``: the list in consecutive parts. ``none``: the empty list. ``cheapest``: places of the units of
    a list that no other one beats, ascending; beating is transitive, and of equals the first beats the
    others. Raises BudgetError if more than ``known.most`` units are kept.

    A unit that is beaten in a part of the list is beaten in the whole, by a unit that is kept. So chunks are
    reduced one by one, and again together whenever the number of kept units has doubled: besides a chunk, at
    most twice the kept units are held.
    """

    def merged() -> tuple[Units, IntArray]:
        listed = [part for part in parts if len(part[0])] or parts[:1]
        units = Units.concatenate([units for units, _ in listed])
        tables = np.concatenate([tables for _, tables in listed])
        if not known.reduce or len(listed) == 1:
            return units, tables
        index = cheapest(units)
        return units.take(index), tables[index]

    parts: list[tuple[Units, IntArray]] = [(none, np.zeros(0, dtype=np.int64))]
    for chunk in chunks:
        known.checkpoint(1 / 8 + len(chunk) / UNITS_OF_STEP)
        chunk = chunk.take(np.flatnonzero(known.possible(chunk)))
        if not len(chunk):
            continue
        tables = known.number(chunk)
        keep = np.flatnonzero(known.unit(tables))
        if known.reduce and len(keep):
            keep = keep[cheapest(chunk.take(keep))]
        parts.append((chunk.take(keep), tables[keep]))
        size, settled = sum(len(units) for units, _ in parts), len(parts[0][0])
        if size > min(settled + max(settled, CHUNK), known.most):
            parts = [merged()]
            check_size(len(parts[0][0]), known.most)
    return merged()


def keep_units_alone(
    chunks: Iterable[Units], heads: int, within: LayerBudget, known: LayerFilter
) -> tuple[Units, IntArray]:
    """Keep the units that may be the one unit of a layer, with their tables, as `keep_units` does."""

    def cheapest(units: Units) -> IntArray:
        return find_undominated(known.exact(units), units.costs(within.aggregate))

    return keep_units(chunks, Units.none(within.features, within.precision, heads), known, cheapest)
