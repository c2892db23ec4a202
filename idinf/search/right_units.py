"""The units of a last layer of several units that can name next symbols, listed by intervals.

An assignment (`idinf.search.next_readings`) asks every unit to be 1 on certain rows and 0 on others, so units
that meet one of the conditions are listed for each condition alone, as the one unit of a last layer is: for
every v by intervals. A unit reads v = c·g, by a channel g of its own with c = 1 or by one that it shares with
any c ≠ 0 of the grid. That is one list of v for all channels, so no channel has to be tried on its own, and a
shared channel is worth joining only if enough of its units meet different conditions of one assignment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.search.features import Features
from idinf.search.intervals import Intervals, Room, Values
from idinf.search.next_readings import NextReading, NextReadings
from idinf.space.grid import IntArray, grid_ball, largest_square
from idinf.space.rows import group_rows
from idinf.space.units import CHUNK, BoolArray, FloatArray, Reads, Units, check_size

__all__ = ["RightUnits"]


@dataclass(frozen=True)
class RightUnits:
    """Units of a last layer with at most one head, each right for some condition and within the budget.

    Attributes
    ----------
    room : Room
        What the lower layers leave.
    precision, tokens, heads : int
        p, |Σ| + 1, and 0 or 1.
    features : Features
        What the units read on the W rows of the conditions, or on any one row if there are none.
    found : NextReadings
    most : int
        Bound on every list.
    """

    room: Room
    precision: int
    tokens: int
    heads: int
    features: Features
    found: NextReadings
    most: int

    def chunks(self, reads: Reads) -> Iterator[Units]:
        """The units with given reads that may be of use, in parts."""
        units = self._listed.units
        shared = reads.shared[0] if self.heads else None
        if shared is not None:
            index = self._by_channel.get(shared, np.zeros(0, dtype=np.int64))
        elif reads.any:
            index = np.flatnonzero((units.entry == 2**self.precision).all(axis=1))
        else:
            index = np.flatnonzero(~units.entry.any(axis=1))
        for begin in range(0, len(index), CHUNK):
            yield units.take(index[begin : begin + CHUNK])

    def shares(self, channel: tuple[int, ...]) -> bool:
        """Whether two units of one layer may share a channel."""
        return channel in self._by_channel

    @cached_property
    def _rank(self) -> float:
        return float(self.heads)

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """Channels and entries (g, c) within the budget, (P, H·f) and (P,); no channel is (0, 0)."""
        size, one = self.features.size, 2**self.precision
        none = np.zeros((1, self.heads * size), dtype=np.int64)
        if not self.heads:
            return none, np.zeros(1, dtype=np.int64)
        # Whoever shares a channel reads it with an entry, and another unit with one of the grid as well.
        shortest = math.sqrt(min(2.0, 4.0**self.precision)) / one
        widest = self.room.of_one(1, (self._rank, 0.0, shortest, 0.0))
        ball = grid_ball(size, largest_square(widest * one))[1:]
        norms = np.sqrt(np.einsum("nf,nf->n", ball, ball)) / one
        channels, entries = [none], [np.zeros(1, dtype=np.int64)]
        magnitude = 1
        while len(ball):
            beside = 0 if magnitude == one else 1  # a channel of its own has no other reader
            fits = self.room.fits(self._costs(norms, math.sqrt(magnitude**2 + beside) / one, 0.0))
            if magnitude > one and not fits.any():
                break
            for entry in (magnitude,) if magnitude == one else (magnitude, -magnitude):
                channels.append(ball[fits])
                entries.append(np.full(int(fits.sum()), entry, dtype=np.int64))
            if magnitude == one:
                fits = self.room.fits(self._costs(norms, math.sqrt(magnitude**2 + 1) / one, 0.0))
                channels.append(ball[fits])
                entries.append(np.full(int(fits.sum()), -one, dtype=np.int64))
            check_size(sum(map(len, channels)), self.most)
            magnitude += 1
        return np.concatenate(channels), np.concatenate(entries)

    def _costs(self, norms: FloatArray, norm_A: FloatArray | float, norm_b: FloatArray | float) -> FloatArray:
        columns = np.broadcast_arrays(np.float64(self._rank), norms, norm_A, norm_b)
        return np.stack(columns, axis=1)

    @cached_property
    def _listed(self) -> _Listed:
        """All units that may be of use."""
        channels, entries = self._pairs
        vectors = channels * entries[:, None]
        first, group = group_rows(vectors)
        lengths = np.sqrt(np.einsum("nf,nf->n", channels, channels))
        norms, squares = np.full(len(first), np.inf), np.full(len(first), np.iinfo(np.int64).max)
        np.minimum.at(norms, group, np.maximum(lengths, self.heads) * 0.5**self.precision)
        np.minimum.at(squares, group, entries**2)
        values = Values(vectors[first], norms, squares)
        order = np.argsort(group, kind="stable")
        begins = np.searchsorted(group[order], np.arange(len(first) + 1))
        # ⟨v, sums⟩ / scale is in units of 4^-p, own weights are in units of 2^-p.
        scale = self.features.scale * 2**self.precision
        features = Features(self.features.sums, self.features.last, scale)
        intervals = Intervals(self.room, self.precision, self.tokens, self._rank)
        listed = _Listed.none(self.features.size, self.precision, self.heads, len(self.found.conditions))
        alive = list(self.found.readings)
        for number, condition in enumerate(self.found.conditions):
            if not any(number in reading.wanted for reading in alive):
                continue
            ones, zeros = np.zeros((2, len(scale)), dtype=np.bool_)
            ones[: len(condition.ones)], zeros[: len(condition.zeros)] = condition.ones, condition.zeros
            solved = intervals.solve(values, features, ones, zeros, (False,))
            pairs = np.diff(begins)[solved.place]
            check_size(len(listed.units) + int(pairs.sum()), self.most)
            row = np.repeat(np.arange(len(solved)), pairs)
            step = np.arange(len(row)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
            pair = order[begins[solved.place[row]] + step]
            heads = entries[pair, None][:, : self.heads]
            units = Units(self.precision, channels[pair], heads, solved.own[row], solved.bias[row])
            units = units.take(self.room.fits(self._terms(units)))
            listed = listed.extend(units, number)
            if not len(units):
                alive = [reading for reading in alive if number not in reading.wanted]
        return self._useful(self._affordable(listed, alive), alive)

    def _terms(self, units: Units) -> FloatArray:
        """The terms of R of a layer with each unit, at least; (N, 4)."""
        return self._costs(
            np.maximum(np.sqrt(units.channel_squares.sum(axis=1)), self.heads) * 0.5**self.precision,
            np.sqrt(units.row_square) * 0.5**self.precision,
            np.abs(units.bias) * 0.5**self.precision,
        )

    def _affordable(self, listed: _Listed, alive: list[NextReading]) -> _Listed:
        """Those that fit the budget together with the least of every other condition of some assignment."""
        terms = self._terms(listed.units)
        squares = np.concatenate([terms[:, 1:2], terms[:, 2:] ** 2], axis=1)  # ‖V‖, ‖A‖², ‖b‖²
        least = np.stack([squares[met].min(axis=0, initial=np.inf) for met in listed.met.T])
        keep = np.zeros_like(listed.met)
        for wanted in sorted({tuple(sorted(reading.wanted)) for reading in alive}):
            for place, number in enumerate(wanted):
                others = least[[k for i, k in enumerate(wanted) if i != place]]
                index = np.flatnonzero(listed.met[:, number])
                own = squares[index]
                norm_V = np.maximum(own[:, 0], others[:, 0].max(initial=0.0))
                norm_A, norm_b = np.sqrt(own[:, 1:] + others[:, 1:].sum(axis=0)).T
                keep[index, number] |= self.room.fits(self._costs(norm_V, norm_A, norm_b))
        return listed.take(keep)

    def _useful(self, listed: _Listed, alive: list[NextReading]) -> _Listed:
        """Those with a channel of their own or none, or on one whose units can share it."""
        _, group = group_rows(listed.units.channel)
        met = np.zeros((int(group.max(initial=-1)) + 1, listed.met.shape[1]), dtype=np.int64)
        np.maximum.at(met, group, listed.met.astype(np.int64))
        worth = np.zeros(len(met), dtype=np.bool_)
        for wanted in sorted({tuple(sorted(reading.wanted)) for reading in alive}):
            worth |= met[:, wanted].sum(axis=1) >= 2
        shared = listed.units.channel.any(axis=1) & worth[group]
        own = (listed.units.entry == 2**self.precision).all(axis=1)
        unread = (listed.units.entry == 0).all(axis=1)
        keep = shared | own | unread
        return _Listed(listed.units.take(keep), listed.met[keep], shared[keep])

    @cached_property
    def _by_channel(self) -> dict[tuple[int, ...], IntArray]:
        """Places of the units on every channel that is worth sharing."""
        places = np.flatnonzero(self._listed.shared)
        first, group = group_rows(self._listed.units.channel[places])
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(len(first) + 1))
        return {
            tuple(self._listed.units.channel[places[first[k]]].tolist()): places[order[ends[k] : ends[k + 1]]]
            for k in range(len(first))
        }


@dataclass(frozen=True)
class _Listed:
    """Units, each once, the conditions each meets, (N, C), and whether its channel is worth sharing, (N,)."""

    units: Units
    met: BoolArray
    shared: BoolArray

    @staticmethod
    def none(features: int, precision: int, heads: int, conditions: int) -> _Listed:
        return _Listed(
            Units.none(features, precision, heads),
            np.zeros((0, conditions), dtype=np.bool_),
            np.zeros(0, dtype=np.bool_),
        )

    def extend(self, units: Units, number: int) -> _Listed:
        """With units that meet a condition, some of which may be listed already."""
        met = np.zeros((len(units), self.met.shape[1]), dtype=np.bool_)
        met[:, number] = True
        both = Units.concatenate([self.units, units])
        joint = np.concatenate([self.met, met])
        rows = np.concatenate([both.channel, both.entry, both.own, both.bias[:, None]], axis=1)
        first, group = group_rows(rows)
        merged = np.zeros((len(first), joint.shape[1]), dtype=np.bool_)
        np.logical_or.at(merged, group, joint)
        order = np.argsort(first)
        return _Listed(both.take(first[order]), merged[order], np.zeros(len(first), dtype=np.bool_))

    def take(self, met: BoolArray) -> _Listed:
        """With fewer conditions met, without units that meet none."""
        keep = met.any(axis=1)
        return _Listed(self.units.take(keep), met[keep], self.shared[keep])
