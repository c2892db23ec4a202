"""The units of a last layer of several units that can name next symbols, listed by intervals.

An assignment (`idinf.search.last_layer.next_symbols`) asks every unit to be 1 on certain rows and 0 on
others, so units that meet one of the conditions are listed for each condition alone, as the one unit of a
last layer is: for every v by intervals. A unit reads v = c·g, by a channel g of its own with c = 1 or by a
shared one with any c ≠ 0 of the grid. That is one list of v for all channels, so no channel has to be tried
on its own.

Units of one layer pay together: ‖A‖² and ‖b‖² are sums over them, ‖V‖ is at least that of each channel. So
the cost of the cheapest unit of every other condition is taken off the room of a unit, and over most lower
layers no unit is left. Without that the last layers of d-2-next take four times as long up to R = 10.4, and
with every unit within the budget listed instead 1.7 times in all; majority-next in `nope` takes 3.5 times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer.intervals import LastLayerBudget, OwnWeights, ValueVectors
from idinf.search.last_layer.next_symbols import Readings
from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray, find_largest_square, find_leading, list_grid_ball
from idinf.space.rows import group_rows, repeat_places
from idinf.space.structures import Structure, join_floors
from idinf.space.units import CHUNK, BoolArray, FloatArray, Reads, Units, check_size

#: Least shares of one unit, or of several, in the terms of a layer: ‖V‖, then ‖A‖² and ‖b‖², which add up.
_Shares = FloatArray


@dataclass(frozen=True)
class RightUnits(LastLayerBudget):
    """Units of a last layer with at most one head, each right for some condition and within the budget."""

    #: Features that the units read on the W rows of the conditions, or on any one row if there are none.
    features: Features
    found: Readings

    def __len__(self) -> int:
        return len(self._listed)

    def chunks(self, reads: Reads, signed: bool) -> Iterator[Units]:
        """The units that read the head, if there is one, or do not, in parts."""
        units = self._listed
        keep = (units.entry != 0).all(axis=1) if any(reads) else ~units.entry.any(axis=1)
        if not signed and any(reads):
            keep &= find_leading(units.channel) > 0
        index = np.flatnonzero(keep)
        for begin in range(0, len(index), CHUNK):
            yield units.take(index[begin : begin + CHUNK])

    def _shares_of(self, found: OwnWeights) -> _Shares:
        """Least shares of given own weights, each beside a v, (N, 3): ‖V‖, ‖A‖² and ‖b‖²."""
        values = self._ways[-1].take(found.place)
        squares = values.entries + np.einsum("nf,nf->n", found.own, found.own)
        return np.stack([values.norms, squares / self.one**2, (found.bias / self.one) ** 2], axis=1)

    def _units(self, found: OwnWeights) -> Units:
        """All units with given own weights beside a v, however they read it."""
        channels, entries, begins, _ = self._ways
        number_of = np.diff(begins)[found.place]
        check_size(int(number_of.sum()), self.most)
        row, step = repeat_places(number_of)
        pair = begins[found.place[row]] + step
        entry = entries[pair, None][:, : self.heads]
        return Units(self.structure.precision, channels[pair], entry, found.own[row], found.bias[row])

    def _fits(self, shares: _Shares) -> BoolArray:
        return self.fits(_terms(shares, self.heads))

    @cached_property
    def _ways(self) -> tuple[IntArray, IntArray, IntArray, ValueVectors]:
        return _list_ways(self.structure, self.aggregate, self.symbols, self.high)

    @cached_property
    def _listed(self) -> Units:
        """All units that may be of use, each once."""
        units = Units.none(self.features.size, self.structure.precision, self.heads)
        for _, found in sorted(self._solve().items()):
            self.checkpoint(1 / 2)
            units = Units.concatenate([units, self._units(found)])
            rows = np.concatenate([units.channel, units.entry, units.own, units.bias[:, None]], axis=1)
            units = units.take(np.sort(group_rows(rows)[0]))
            check_size(len(units), self.most)
        return units

    def _solve(self) -> dict[int, OwnWeights]:
        """Right units that may be affordable, for every condition of the assignments that are left."""
        values = self._ways[-1]
        scale = self.features.scale * self.one  # ⟨v, sums⟩ / scale is in units of 4^-p, s and b are of 2^-p
        features = Features(self.features.sums, self.features.last, scale)
        alive = sorted({tuple(sorted(reading.wanted)) for reading in self.found.readings})
        solved: dict[int, OwnWeights] = {}
        shares: dict[int, _Shares] = {}
        for number, condition in enumerate(self.found.conditions):
            with_it = [wanted for wanted in alive if number in wanted]
            if not with_it:
                continue
            others = np.min([_least(wanted, number, shares) for wanted in with_it], axis=0)
            spent = np.stack([values.norms, values.entries / self.one**2, np.zeros(len(values))], axis=1)
            affordable = np.flatnonzero(self._fits(_joined(spent, others)))
            with_others = ValueVectors(
                values.vectors[affordable],
                np.maximum(values.norms[affordable], others[0]),
                values.entries[affordable] + round(float(others[1]) * self.one**2),
            )
            found = self.list_own_weights(with_others, features, *condition.on(len(scale)))
            found = replace(found, place=affordable[found.place])
            of_units = self._shares_of(found)
            keep = self._fits(_joined(of_units, others))
            solved[number], shares[number] = found.take(keep), of_units[keep]
            if not keep.any():
                alive = [wanted for wanted in alive if number not in wanted]
        kept: dict[int, BoolArray] = {}
        for wanted in alive:
            least = {k: _least(wanted, k, shares) for k in wanted}
            fits = {k: self._fits(_joined(shares[k], others)) for k, others in least.items()}
            kept |= {k: own | kept[k] if k in kept else own for k, own in fits.items()}
        return {k: solved[k].take(keep) for k, keep in kept.items()}


@lru_cache(maxsize=8)
def _list_ways(
    structure: Structure, aggregate: Aggregate, symbols: int, high: float
) -> tuple[IntArray, IntArray, IntArray, ValueVectors]:
    """Every way to read the one head of a last layer, or none, within a budget, where each v begins, all v.

    A way is a channel and an entry, (P, H·f) and (P,); those of one v = c·g stand in a row. The costs of
    lower layers are taken off where units are solved.
    """
    heads, one = len(structure.layers[-1].heads), 2**structure.precision
    size = structure.num_features(symbols, structure.depth - 1)
    floor = np.array([[*join_floors(structure.hidden, structure.precision, aggregate)]])
    over = LastLayerBudget(structure, aggregate, symbols, high, floor)
    channels = [np.zeros((1, heads * size), dtype=np.int64)]
    entries = [np.zeros(1, dtype=np.int64)]
    if heads:
        # A channel has a reader of entry 1, or two that share it.
        widest = over.room_of_one(1, 1.0, 0.0, math.sqrt(min(2, one**2)) / one, 0.0)
        ball = list_grid_ball(size, find_largest_square(widest * one))[1:]
        norms = np.sqrt(np.einsum("nf,nf->n", ball, ball)) / one
        largest = over.room_of_one(2, 1.0, 1.0 / one, 0.0, 0.0) * one
        for entry in range(1, int(largest + 1e-6) + 1):
            for signed in (entry, -entry):
                others = 0 if signed == one else 1  # a unit with an entry other than 1 shares its channel
                taken = np.full(len(norms), (entry**2 + others) / one**2)
                shares = np.stack([norms, taken, np.zeros(len(norms))], axis=1)
                chosen = ball[over.fits(_terms(shares, heads))]
                channels.append(chosen)
                entries.append(np.full(len(chosen), signed, dtype=np.int64))
    read, by = np.concatenate(channels), np.concatenate(entries)
    vectors = read * by[:, None]
    first, group = group_rows(vectors)
    order = np.argsort(group, kind="stable")
    read, by, begins = read[order], by[order], np.searchsorted(group[order], np.arange(len(first) + 1))
    norms = np.maximum(np.sqrt(np.einsum("nf,nf->n", read, read)), heads) / one
    least = np.minimum.reduceat(norms, begins[:-1]), np.minimum.reduceat(by**2, begins[:-1])
    return read, by, begins, ValueVectors(vectors[first], *least)


def _terms(shares: _Shares, heads: int) -> FloatArray:
    """rank_V, ‖V‖, ‖A‖ and ‖b‖ of a layer at least, (N, 4)."""
    rank = np.full(len(shares), float(heads))
    return np.stack([rank, shares[:, 0], np.sqrt(shares[:, 1]), np.sqrt(shares[:, 2])], axis=1)


def _least(wanted: tuple[int, ...], number: int, shares: dict[int, _Shares]) -> _Shares:
    """Least shares of the units of all wanted conditions but one, counting those solved so far, (3,)."""
    least, place = np.zeros((1, 3)), wanted.index(number)
    for other in wanted[:place] + wanted[place + 1 :]:
        if other in shares:
            least = _joined(least, shares[other].min(axis=0, initial=np.inf))
    return np.asarray(least[0])


def _joined(shares: _Shares, others: _Shares) -> _Shares:
    """Shares of units together with others."""
    norms = np.maximum(shares[:, :1], others[..., :1])
    return np.concatenate([norms, shares[:, 1:] + others[..., 1:]], axis=1)
