"""Lists of units of one layer as integer parameters: their costs, those that are kept, and shared lists.

Parameters are integers in units of 2^-p: for every head h the channel g_h a unit reads (over the layer's
features) and the entry c_h of A with which it reads it, own features s, bias b. The unit is

    Heaviside( Σ_h Σ_{j≤i} α_h(i, j) ⟨c_h·g_h, features_j⟩ + ⟨s, features_i⟩ + b ).

They are listed shell by shell, the cheapest first, none beyond a budget. Vectors of equal norm are a level.
One level of each of three sorted lists is a shell, whose members all have one sum. Shells are few where
vectors are many, so they are sorted, and members are made only when asked for.

Which units a layer of one may have depends on the layers below it only by what those cost. What fits over
some of them is part of what fits over the cheapest, so one list serves all, and of equal functions the
costlier realisations are dropped once."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import SHARED, ArrayRecord, repeat_places
from idinf.space.structures import Cost
from idinf.work.parallel import Learned, Workers

BAND = 1 << 20  #: shells that are sorted at once, about: 40 MB with what is computed from them


@dataclass(frozen=True, eq=False)
class EqualRuns:
    """Runs of equal numbers in a sorted list: the numbers, (K,), where runs begin and the end, (K + 1,)."""

    values: NDArray[np.float64] | IntArray
    starts: IntArray

    @staticmethod
    def of(numbers: NDArray[np.float64] | IntArray) -> EqualRuns:
        """The levels of a sorted list.

        >>> levels = EqualRuns.of(np.array([0.0, 1.0, 1.0, 2.5]))
        >>> levels.values.tolist(), levels.starts.tolist()
        ([0.0, 1.0, 2.5], [0, 1, 3, 4])
        """
        new = np.flatnonzero(np.r_[True, np.diff(numbers) != 0][: len(numbers)])
        return EqualRuns(numbers[new], np.append(new, len(numbers)))

    @property
    def sizes(self) -> IntArray:
        """Length of each run, (K,)."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class Shells:
    """The triples of places in three lists whose levels sum to at most a budget; no list is empty."""

    first: EqualRuns
    second: EqualRuns
    third: EqualRuns
    budget: float

    def __len__(self) -> int:
        return int(self._all.sum())

    @property
    def size(self) -> int:
        """How many triples there are."""
        return int(((self.second.starts[self._all] @ self.third.sizes) * self.first.sizes).sum())

    @cached_property
    def _all(self) -> IntArray:
        """Ends within the budget."""
        return self._ends(self.budget)

    def _ends(self, budget: float) -> IntArray:
        """How many levels of the second list fit beside each of the first and third, (K1, K3)."""
        spare = budget - self.first.values[:, None] - self.third.values
        return np.searchsorted(self.second.values, spare, side="right")

    def members(self, most: int) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Places in the first, second and third list, in parts of at most ``most``.

        They come by sum; inside a shell the place in the third list counts most, then that in the first.

        >>> near = EqualRuns.of(np.array([0.0, 1.0, 1.0]))
        >>> point = EqualRuns.of(np.zeros(1))
        >>> [[part.tolist() for part in each] for each in Shells(near, near, point, 1.0).members(9)]
        [[[0, 0, 0, 1, 2], [0, 1, 2, 0, 0], [0, 0, 0, 0, 0]]]
        """
        least = float(self.first.values[0] + self.second.values[0] + self.third.values[0])
        done = np.zeros((len(self.first.values), len(self.third.values)), dtype=np.int64)
        for edge in np.linspace(least, self.budget, 2 + len(self) // BAND)[1:]:
            ends = self._all if edge >= self.budget else self._ends(float(edge))
            # Levels of the shells from ``done`` to ``ends`` of the second list, the least sum first.
            pair, step = repeat_places(np.maximum(ends - done, 0).ravel())
            j = done.ravel()[pair] + step
            i, k = np.divmod(pair, done.shape[1])
            total = self.first.values[i] + self.second.values[j] + self.third.values[k]
            order = np.argsort(total, kind="stable")
            yield from self._of(i[order], j[order], k[order], most)
            done = np.maximum(done, ends)

    def _of(
        self, i: IntArray, j: IntArray, k: IntArray, most: int
    ) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """The members of some shells, one shell after the other."""
        rows, columns = self.first.sizes[i], self.second.sizes[j]
        sizes = rows * columns * self.third.sizes[k]
        ends = np.cumsum(sizes)
        begins = ends - sizes
        for begin in range(0, int(sizes.sum()), most):
            end = begin + most
            first, last = np.searchsorted(ends, (begin, end - 1), side="right")
            part = slice(first, last + 1)
            inside = np.minimum(ends[part], end) - np.maximum(begins[part], begin)

            def spread(of_shell: IntArray, part: slice = part, inside: IntArray = inside) -> IntArray:
                return np.repeat(of_shell[part], inside)

            index = np.arange(begin, begin + int(inside.sum())) - spread(begins)
            width = spread(columns)
            pair = index // width
            height = spread(rows)
            third = pair // height
            yield (
                spread(self.first.starts[i]) + pair - third * height,
                spread(self.second.starts[j]) + index - pair * width,
                spread(self.third.starts[k]) + third,
            )


BoolArray = NDArray[np.bool_]

FloatArray = NDArray[np.float64]

SLACK = 1e-9  #: slack of every pruning comparison of R; the reported comparisons use the documented epsilon
#: Units of one list unless a caller bounds it: about 4 GB with what is computed from them.
MAX_UNITS = 8_000_000
#: Units that are listed at a time; fewer of more than ``FEW_FEATURES``: their normal forms are long.
CHUNK, FEW_FEATURES = 1 << 17, 16
#: Units that may be listed for each one that fits the memory bound: what is not kept costs time alone.
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
        """c_h·g_h, what the unit reads of the averaged features of every head, (N, H·f) in units of 4^-p."""
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


def check_size(size: int, most: int) -> None:
    """Refuse a list of units, or of layers of units, that would not fit the memory bound."""
    if size > most:
        raise BudgetError(
            f"a layer has more than {most} realisations within the budget of R, more than the memory bound "
            "holds; raise --memory, or lower --max-r, --units or --precision"
        )


def aggregate_terms(rest: float, values: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Aggregate one term of R of the remaining layers with that of many candidates."""
    return rest + values if aggregate is Aggregate.SUM else np.maximum(rest, values)


@dataclass(frozen=True, eq=False)
class ChannelReads:
    """Which heads a unit reads, and how.

    For every head ``own`` says whether the unit reads a channel of its own there, with entry exactly 1, and
    ``shared`` is the channel that it shares with others, read with any entry but 0, or None.
    """

    own: tuple[bool, ...]
    shared: tuple[tuple[int, ...] | None, ...]

    @staticmethod
    def alone(heads: int) -> ChannelReads:
        """A unit that reads every head by channels of its own."""
        return ChannelReads((True,) * heads, (None,) * heads)

    @property
    def any(self) -> bool:
        """Whether any head is read."""
        return any(self.own) or any(g is not None for g in self.shared)


@dataclass(frozen=True, slots=True)
class LayerBudget:
    """The inputs of a layer, and the cost that it may have."""

    features: int
    precision: int
    total: float  #: bound on rank_V + ‖V‖ + ‖A‖ + ‖b‖ of the whole hypothesis
    rest: Cost  #: what the other layers cost at least
    aggregate: Aggregate

    @property
    def step(self) -> float:
        """2^-p."""
        return 2.0**-self.precision

    def admits(self, least: Cost) -> bool:
        """Whether a layer that costs at least so much may be within the budget."""
        return self.rest.join(least, self.aggregate).total <= self.total + SLACK

    def widest(self, least: Cost) -> Cost:
        """How large each term of such a layer may be while the others are least."""
        together = self.rest.join(least, self.aggregate)
        own = least if self.aggregate is Aggregate.SUM else together
        spare = self.total + SLACK - together.total
        return Cost(spare + own.rank, spare + own.norm_V, spare + own.norm_A, spare + own.norm_b)

    def fits(self, rank: FloatArray, norm_V: FloatArray, norm_A: FloatArray, norm_b: FloatArray) -> BoolArray:
        """Which layers are within the budget, by these terms of theirs, of one shape."""
        rest, aggregate = self.rest, self.aggregate
        whole = aggregate_terms(rest.rank, rank, aggregate) + aggregate_terms(rest.norm_V, norm_V, aggregate)
        whole = (
            whole
            + aggregate_terms(rest.norm_A, norm_A, aggregate)
            + aggregate_terms(rest.norm_b, norm_b, aggregate)
        )
        return np.asarray(whole <= self.total + SLACK)


def iter_unit_chunks(within: LayerBudget, reads: ChannelReads, most: int = MAX_UNITS) -> Iterator[Units]:
    """List every unit with given reads within a budget of R, cheapest first, in parts of at most ``CHUNK``.

    They come by R with the other layers at their least, and in the order of bias, channel, entries and own
    weights where all terms are equal; no unit within the budget is missing. A caller can keep ``most``.
    Raises BudgetError if there are more than ``RAW * most`` units; nothing is listed then.

    Units of equal joined ‖V‖, ‖A‖ and ‖b‖ are a shell: a run of channels times a run of (c, s) times ±b.
    Shells are sorted by their sum, and no vector is made that belongs to no unit within the budget. Floats
    prune with slack 1e-9, so they never lose a unit.
    """
    features, rest, aggregate = within.features, within.rest, within.aggregate
    step, one = within.step, 2**within.precision
    heads = len(reads.own)
    sharing = [h for h in range(heads) if reads.shared[h] is not None]
    reading = [h for h in range(heads) if reads.own[h]]
    shared_norms = [math.sqrt(sum(x * x for x in reads.shared[h] or ())) for h in sharing]
    norms = np.array([[1.0] * len(reading) + shared_norms])
    base_A = len(reading) * one * one
    least = Cost(
        rank=float(aggregate_over_heads(np.ones(norms.shape), aggregate)[0]),
        norm_V=step * float(aggregate_over_heads(norms, aggregate)[0]),
        norm_A=step * math.sqrt(base_A + len(sharing)),
    )
    if not within.admits(least):
        return
    widest = within.widest(least)
    channels, norm_V = list_channels(features, reads, widest.norm_V / step, aggregate)
    square = find_largest_square(math.sqrt(max(widest.norm_A**2 / step**2 - base_A, 0.0)))
    rows = list_grid_ball(len(sharing) + features, square)
    rows = rows[(rows[:, : len(sharing)] != 0).all(axis=1)]
    norm_A = np.sqrt(base_A + np.einsum("nf,nf->n", rows, rows))
    shares, own = rows[:, : len(sharing)], np.ascontiguousarray(rows[:, len(sharing) :])
    most_b = int(widest.norm_b / step)
    # By magnitude as ‖b‖ asks for; a bias and its negative are one level.
    biases = np.array(sorted(range(-most_b, most_b + 1), key=abs))
    shells = Shells(
        EqualRuns.of(aggregate_terms(rest.norm_V, step * norm_V, aggregate)),
        EqualRuns.of(aggregate_terms(rest.norm_A, step * norm_A, aggregate)),
        EqualRuns.of(aggregate_terms(rest.norm_b, step * np.abs(biases).astype(np.float64), aggregate)),
        within.total + SLACK - rest.join(least, aggregate).rank,
    )
    if shells.size > RAW * most:
        raise BudgetError(
            f"a layer has more than {RAW * most} units within the budget of R, too many to look at beside "
            "those that the memory bound holds; raise --memory, or lower --max-r, --units or --precision"
        )
    part = min(CHUNK, max(1, CHUNK * FEW_FEATURES**3 // features**3))
    for channel, row, bias in shells.members(part):
        entry = np.zeros((len(bias), heads), dtype=np.int64)
        entry[:, reading] = one
        entry[:, sharing] = shares.take(row, axis=0)
        yield Units(
            within.precision, channels.take(channel, axis=0), entry, own.take(row, axis=0), biases[bias]
        )


def list_channels(
    features: int, reads: ChannelReads, widest: float, aggregate: Aggregate
) -> tuple[IntArray, FloatArray]:
    """Channels of all heads, (K, H·f), with their aggregated norm in units of 2^-p, shortest first."""
    joint, norms = np.zeros((1, 0), dtype=np.int64), np.zeros(1)
    for reads_own, shared in zip(reads.own, reads.shared, strict=True):
        if reads_own:
            part = list_grid_ball(features, find_largest_square(widest))[1:]
        else:
            part = np.array([(0,) * features if shared is None else shared], dtype=np.int64)
        own = np.sqrt(np.einsum("nf,nf->n", part, part))
        spare = widest + SLACK - (norms if aggregate is Aggregate.SUM else 0.0 * norms)
        fits = np.searchsorted(own, spare, side="right")
        check_size(int(fits.sum()), MAX_UNITS)
        place, column = repeat_places(fits)
        norms = aggregate_over_heads(np.stack([norms[place], own[column]], axis=1), aggregate)
        joint = np.concatenate([joint[place], part[column]], axis=1)
    order = np.argsort(norms, kind="stable")
    return joint[order], norms[order]


#: Units of a list that are looked at in the time of one step of work, with what it takes to make the list.
UNITS_OF_STEP = 512


@dataclass(frozen=True, eq=False)
class LayerFilter:
    """The knowledge of the search about behaviours, so that hopeless layers are never built."""

    #: Table number of every unit of a list, (N,): its behaviour on short words.
    number: Callable[[Units], IntArray]
    #: Numbers within a list such that units with equal numbers agree on all words, (N,).
    exact: Callable[[Units], IntArray]
    #: Masks of the tables that may occur in a layer, and of the layers, (N, m) tables, that may occur.
    unit: Callable[[IntArray], BoolArray]
    layer: Callable[[IntArray], BoolArray]
    #: Whether a unit may be dropped when another with the same exact number is at most as costly in every
    #: term.
    reduce: bool = True
    most: int = MAX_UNITS  #: bound on every list of units or pairs
    #: For (N,) tables the conflicts that each misses, as an (N, bytes) bitset: a layer must hit all.
    missed: Callable[[IntArray], NDArray[np.uint8]] = lambda tables: np.zeros(
        (len(tables), 0), dtype=np.uint8
    )
    #: Mask of the units of a list that may occur as far as a quick look tells; others get no table.
    possible: Callable[[Units], BoolArray] = lambda units: np.ones(len(units), np.bool_)
    checkpoint: Callable[[], None] = lambda: None  #: called before every part of the work; may raise to stop


def find_undominated(
    groups: IntArray, first: FloatArray | IntArray, second: FloatArray | IntArray
) -> IntArray:
    """Indices of the entries that no other entry of their group beats in both keys; of equals the first.

    >>> find_undominated(np.array([0, 0, 0, 1]), np.array([1, 2, 2, 5]), np.array([3, 1, 4, 5])).tolist()
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


def keep_units(
    chunks: Iterable[Units], none: Units, known: LayerFilter, cheapest: Callable[[Units], IntArray]
) -> tuple[Units, IntArray]:
    """Keep the units of a list that may occur and that none beats, in their order, with their tables.

    ``chunks``: the list in consecutive parts. ``none``: the empty list. ``cheapest``: places of the units of
    a list that no other one beats, ascending; beating is transitive, and of equals the first beats the
    others. Raises BudgetError if more than ``known.most`` units are kept.

    What is beaten in a part of the list is beaten in the whole, by a unit that is kept. So chunks are reduced
    one by one, and again together whenever they have doubled what is kept: besides a chunk, at most twice the
    kept units are held.
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
        for _ in range(1 + len(chunk) // UNITS_OF_STEP):
            known.checkpoint()
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


#: Units of one list at most, before and after the reduction, and lists that are remembered.
MOST_LISTED, MOST_KEPT, MOST_LISTS = 3_000_000, 400_000, 16


@dataclass(frozen=True, slots=True)
class UnitListRequest:
    """A list of units.

    ``key``: with the budget but for its total, all that the list and exact numbers depend on. ``wide``: that
    over the cheapest lower layers. ``exact``: equal numbers mean equal functions, as for
    `idinf.space.units.LayerFilter`. ``most``: as for `idinf.space.units.iter_unit_chunks`.
    """

    key: Hashable
    wide: LayerBudget
    heads: int
    exact: Callable[[Units], IntArray]
    most: int = MAX_UNITS

    @property
    def name(self) -> Hashable:
        """All but the total of the budget: a list of a larger one holds that of a smaller one."""
        wide = self.wide
        return self.key, wide.features, wide.precision, wide.rest, wide.aggregate, self.heads


@dataclass(eq=False)
class UnitLists:
    """Remembers reduced lists of units. Mutable: it keeps the last ones.

    ``beat`` is called while a list is made, and may raise to stop. It must count nothing that is reported,
    because which process makes a list is left to chance.
    """

    beat: Callable[[], None] = lambda: None
    most_listed: int = MOST_LISTED
    known: Learned[Hashable, UnitList] = field(default_factory=Learned)
    _asked: dict[Hashable, UnitListRequest] = field(default_factory=dict)
    _took_s: float = 0.0  #: seconds for what was asked for and lacking the last time

    def find(self, wanted: UnitListRequest) -> UnitList:
        """The units of a layer of one within a budget or a larger one, without those that others dominate."""
        if self._lacks(wanted):
            listed = self._listed(wanted)
            self.known.pop(wanted.name, None)
            while len(self.known) >= MOST_LISTS:
                del self.known[next(iter(self.known))]
            self.known[wanted.name] = listed
        return self.known[wanted.name]

    def _lacks(self, wanted: UnitListRequest) -> bool:
        known = self.known.get(wanted.name)
        return known is None or known.total < wanted.wide.total

    def ask(self, wanted: UnitListRequest) -> None:
        """Say that a list is going to be needed."""
        earlier = self._asked.get(wanted.name, wanted)
        self._asked[wanted.name] = max(earlier, wanted, key=lambda asked: asked.wide.total)

    def make_asked(self, workers: Workers) -> None:
        """Make what was asked for and is not known, each list by one process.

        Otherwise every process that comes to it makes it anew. A single process makes nothing in advance.
        """
        lacking = [wanted for wanted in self._asked.values() if self._lacks(wanted)]
        lacking.sort(key=lambda wanted: (wanted.wide.precision, wanted.wide.total), reverse=True)  # long ones
        self._asked.clear()
        if lacking and workers.jobs > 1:
            started = time.perf_counter()
            with closing(workers.map(self._make, lacking, self._took_s)) as made:
                deque(made, maxlen=0)
            self._took_s = time.perf_counter() - started

    def _make(self, wanted: UnitListRequest) -> None:
        self.find(wanted)

    def _listed(self, wanted: UnitListRequest) -> UnitList:
        """The reduced list, or that there is none because it would be too long."""
        wide, heads, most = wanted.wide, wanted.heads, wanted.most
        known = LayerFilter(
            lambda units: np.zeros(len(units), dtype=np.int64),
            wanted.exact,
            lambda tables: np.ones(len(tables), dtype=np.bool_),
            lambda tables: np.ones(len(tables), dtype=np.bool_),
            most=min(most, MOST_KEPT),
            checkpoint=self.beat,
        )
        chunks = iter_unit_chunks(wide, ChannelReads.alone(heads), min(most, self.most_listed // RAW))
        try:
            units, _ = keep_units_alone(chunks, heads, wide, known)
        except BudgetError:
            return UnitList(wide.total, None, np.zeros((0, 4)))
        return UnitList(wide.total, units, units.costs(wide.aggregate))


@dataclass(frozen=True, eq=False)
class UnitList:
    """Units within a total of R, cheapest first, with their costs; None if they are too many."""

    total: float
    units: Units | None
    costs: FloatArray

    def within(self, budget: LayerBudget, heads: int, most: int = MAX_UNITS) -> Iterator[Units]:
        """The units within a smaller budget, listed anew if there is no list."""
        if self.units is None:
            yield from iter_unit_chunks(budget, ChannelReads.alone(heads), most)
            return
        index = np.flatnonzero(budget.fits(*self.costs.T))
        if len(index):
            yield self.units.take(index)


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
