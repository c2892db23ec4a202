"""Sets of units that form a layer: every one within a budget that covers what a layer has to separate.

A layer is a set of units, one for each place. Places of equal key read the same shared channels and have
one list of units: exchanging their units exchanges rows of A, entries of b and rows of V that nobody shares,
so no norm and no rank changes, and later layers read the same features in another order, which they are
free in. So one order of every multiset is listed, the ascending one. Two bounds keep the sets few:

* *Cover.* The search names conflicts, of which every layer must hit all (`LayerFilter.missed`). Branching on
  the hardest conflict that a set so far misses, only units that hit it are added. Each wanted layer is met:
  as long as one of its subsets misses a conflict, another of its units hits it. Of a shared channel whose
  units all miss some conflict nothing is listed, whatever the number of units: its direction is dead.
* *Rank.* Channels in two directions cost rank_V = 2 on their head. Where the budget has no room for that, all
  channels of the head are parallel, and directions whose units together miss a conflict are dropped first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.space.array_record import SHARED, ArrayRecord
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, sort_distinct
from idinf.space.structures import Cost
from idinf.space.units import BoolArray, LayerBudget, Units, aggregate_over_heads, check_size
from idinf.transformers.regularizer import Aggregate

#: Pairs (layer so far, next unit) looked at in one block; a block holds a few arrays of that many numbers.
PAIR_BLOCK = 1_000_000

#: Directions of the channels of a layer so far on one head: none, or more than one.
_NONE, _SEVERAL = -1, -2


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
class Joining:
    """Joins units of given roles to layers within a budget."""

    #: One for each place; places that can be exchanged have the same role and are neighbours.
    roles: tuple[Role, ...]
    within: LayerBudget
    #: Those of `idinf.space.reduction.LayerFilter`.
    missed: Callable[[IntArray], NDArray[np.uint8]]
    most: int
    checkpoint: Callable[[], None] = lambda: None

    def layers(self) -> IntArray:
        """Every layer, (N, m) indices of units within their roles, each set once, in lexicographic order."""
        size = len(self.roles)
        if not all(len(role.units) for role in self.roles) or self._is_hopeless:
            return np.zeros((0, size), dtype=np.int64)
        done = []
        begun: dict[tuple[int, ...], IntArray] = {(): np.zeros((1, size), dtype=np.int64)}
        for _ in range(size):
            grown: dict[tuple[int, ...], list[IntArray]] = {}
            for filled, chosen in begun.items():
                conflict = self._first_missed(filled, chosen)
                done.append(self._completed(filled, chosen[conflict < 0]))
                for number in sort_distinct(conflict[conflict >= 0]):
                    part = chosen[conflict == number]
                    for place in self._next_places(filled):
                        # Units that hit the conflict and may be used at all.
                        misses = self._missed[self._of[place]][:, number // 8] >> (7 - number % 8) & 1
                        index = np.flatnonzero((misses == 0) & self._living[self._of[place]])
                        larger = tuple(sorted((*filled, place)))
                        grown.setdefault(larger, []).append(self._with(filled, part, place, index))
            begun = {filled: self._sets(filled, parts) for filled, parts in grown.items()}
            check_size(sum(map(len, begun.values())), self.most)
        every = tuple(range(size))
        whole = begun.get(every, np.zeros((0, size), dtype=np.int64))
        done.append(whole[self._first_missed(every, whole) < 0])
        return self._sets(every, done)

    def _next_places(self, filled: tuple[int, ...]) -> list[int]:
        """The first empty place of every kind."""
        empty = [place for place in range(len(self.roles)) if place not in filled]
        return [p for p in empty if p - 1 not in empty or self.roles[p - 1] is not self.roles[p]]

    def _sets(self, filled: tuple[int, ...], parts: list[IntArray]) -> IntArray:
        """Each set once: units of exchangeable places in increasing order; empty places hold 0."""
        chosen = np.concatenate(parts)
        for _, places in itertools.groupby(filled, key=self._of.__getitem__):
            inside = list(places)
            chosen[:, inside] = np.sort(chosen[:, inside], axis=1)
        first, _ = group_rows(chosen)
        chosen = chosen[first]
        return chosen[np.lexsort(chosen.T[::-1])]

    def _completed(self, filled: tuple[int, ...], chosen: IntArray) -> IntArray:
        """Sets that hit every conflict with any further units; new units of one kind in increasing order."""
        before = filled
        for place in range(len(self.roles)):
            if place in before:
                continue
            ordered = place - 1 not in before and place and self.roles[place - 1] is self.roles[place]
            every = np.flatnonzero(self._living[self._of[place]])
            chosen = self._with(filled, chosen, place, every, bool(ordered))
            filled = tuple(sorted((*filled, place)))
        return chosen

    def _with(
        self, filled: tuple[int, ...], chosen: IntArray, place: int, index: IntArray, ordered: bool = False
    ) -> IntArray:
        """Sets so far with one of the given units in an empty place, within the budget by a lower bound."""
        so_far, more = self._so_far(filled, chosen), self._alone(place).take(index)
        block = max(1, PAIR_BLOCK // max(1, len(index)))
        parts = [np.zeros((0, len(self.roles)), dtype=np.int64)]
        for begin in range(0, len(chosen), block):
            self.checkpoint()
            row, column = so_far.take(slice(begin, begin + block)).fitting(self.within, more)
            if ordered:
                later = index[column] >= chosen[begin + row, place - 1]
                row, column = row[later], column[later]
            larger = chosen[begin + row]
            larger[:, place] = index[column]
            parts.append(larger)
            check_size(sum(map(len, parts)), self.most)
        return np.concatenate(parts)

    def _so_far(self, filled: tuple[int, ...], chosen: IntArray) -> _Terms:
        heads = self.roles[0].units.heads
        so_far = _Terms(np.zeros((len(chosen), 2 + heads), np.int64), np.full((len(chosen), heads), _NONE))
        for place in filled:
            so_far = so_far.join(self._alone(place).take(chosen[:, place]))
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

    @cached_property
    def _hardest_first(self) -> IntArray:
        """The conflicts by the number of units that miss them."""
        misses = np.zeros(8 * self._missed[0].shape[1], dtype=np.int64)
        for bits in self._missed:
            block = max(1, PAIR_BLOCK // max(1, len(misses)))
            for begin in range(0, len(bits), block):
                misses += np.unpackbits(bits[begin : begin + block], axis=1).sum(axis=0, dtype=np.int64)
        return np.argsort(-misses, kind="stable")

    @cached_property
    def _living(self) -> list[BoolArray]:
        """For every role the units that no dead direction rules out, (N,)."""
        living = [np.ones(len(role.units), dtype=np.bool_) for role in self._distinct]
        within = self.within
        missed = np.concatenate(self._missed)
        crossing = Cost(rank=2.0, norm_V=within.step)
        if within.admits(crossing) or within.aggregate is Aggregate.SUM or not missed.size:
            return living
        for h in range(self.roles[0].units.heads):
            direction = np.concatenate([of_role[:, h] for of_role in self._directions])
            order = np.argsort(direction, kind="stable")
            begins = np.flatnonzero(np.r_[True, np.diff(direction[order]) != 0])
            together = np.bitwise_and.reduceat(missed[order], begins, axis=0)
            known = direction[order][begins]
            if known[0] == _NONE:  # units without a channel go with every direction
                together = together & together[0]
                together[0] = 0
            dead = known[together.any(axis=1)]
            for mask, of_role in zip(living, self._directions, strict=True):
                mask &= ~np.isin(of_role[:, h], dead)
        return living

    def _first_missed(self, filled: tuple[int, ...], chosen: IntArray) -> IntArray:
        """The hardest conflict that no unit of a set so far hits, (N,); -1 where there is none."""
        first = np.full(len(chosen), -1)
        width = self._missed[0].shape[1]
        if not width:
            return first
        block = max(1, PAIR_BLOCK // (8 * width))
        for begin in range(0, len(chosen), block):
            self.checkpoint()
            part = chosen[begin : begin + block]
            missed = np.full((len(part), width), 255, dtype=np.uint8)
            for place in filled:
                missed &= self._missed[self._of[place]][part[:, place]]
            bits = np.unpackbits(missed, axis=1)[:, self._hardest_first]
            hardest = self._hardest_first[bits.argmax(axis=1)]
            first[begin : begin + block] = np.where(bits.any(axis=1), hardest, -1)
        return first


@dataclass(frozen=True, eq=False)
class _Terms(ArrayRecord):
    """What the terms of R need of N sets of units, of one unit or more each."""

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
