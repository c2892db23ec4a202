"""All nets of a whole class below its floor, level by level of R, with their exact fail lengths.

If the one head of a Limit Transformer has a φ, the distances of its values are found while words grow. A
φ(k) ≠ 0 changes nothing on words shorter than k, so distances are chosen one by one with the lengths of
words: a net that is wrong on the words of a length is dropped, and a right one gets one more distance, where
φ is 0 or one of the values that are left. R does not depend on the distances of the values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from idinf.errors import BudgetError
from idinf.nets.attention import compute_scaled_weight
from idinf.nets.regularizer import EPSILON
from idinf.search.exact_check.reachability import DEFAULT_MAX_STATES, fail_lengths
from idinf.search.short_words.prefix_trees import ShortWords, screening_length
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, sort_distinct
from idinf.space.units import BoolArray
from idinf.spec.bounds import HypothesisClass
from idinf.targets.machine import Target
from idinf.whole.floors import FLOOR
from idinf.whole.functions import CELLS, Functions, WeighedWords, as_nets, name_choices
from idinf.whole.token_sets import TokenSet, list_periodic_sets, list_token_sets, list_unit_sets

#: Nets are listed on words shorter than this, and followed to longer ones.
FIRST = 3

#: More than that are not followed.
MOST_FIRST = 20_000

#: Lists of nets that are remembered, and numbers in each, at most: a few hundred megabytes.
MOST_REMEMBERED, REMEMBERED = 50_000, 500

#: Values of φ that are not 0, in units of 2^-p, in ascending order.
Values = tuple[int, ...]


def list_values(p: int, most: float) -> list[Values]:
    """All multisets of values of φ that are not 0 with Σ φ² ≤ ``most``; without the empty one.

    >>> list_values(1, 0.6)
    [(-1,), (1,), (-1, -1), (-1, 1), (1, 1)]
    """
    largest = int(most * 4**p)
    values = [v for v in range(-largest, largest + 1) if v and v * v <= largest]
    shapes = itertools.chain.from_iterable(
        itertools.combinations_with_replacement(values, size) for size in range(1, largest + 1)
    )
    return [shape for shape in shapes if sum(v * v for v in shape) <= largest]


def cost_of(values: Values, p: int) -> float:
    """Σ φ², the term of R."""
    return sum(v * v for v in values) * 0.25**p


@dataclass(frozen=True, eq=False)
class PlacedNets:
    """Nets of one token set with the values of φ that were given distances, and those that are left."""

    phi: tuple[int, ...]  #: at the distances that words so far have
    left: Values
    choice: IntArray  #: (N, 1 + |Σ|)
    fail: int  #: the length at which all of them are wrong, or −1


def list_near(values: Values, size: int) -> Iterator[tuple[tuple[int, ...], Values]]:
    """All ways to give some values distances below ``size``: the φ there, and the values that are left.

    >>> [*list_near((1, 1), 2)]
    [((0, 0), (1, 1)), ((0, 1), (1,)), ((1, 0), (1,)), ((1, 1), ())]
    """
    if not size:
        yield (), values
        return
    for phi, left in list_near(values, size - 1):
        for value in sorted({0, *left}):
            rest = list(left)
            if value:
                rest.remove(value)
            yield (*phi, value), tuple(rest)


@dataclass(frozen=True, eq=False)
class Placements:
    """Nets of one token set, whose one head is given the values of a φ at all distances in all ways."""

    target: Target
    weighed: WeighedWords  #: all short words without a φ
    tokens: TokenSet
    checkpoint: Callable[[], None] = lambda: None

    def placed(
        self,
        values: Values,
        lengths: range,
        keep: Callable[[IntArray, tuple[int, ...]], IntArray] = lambda choice, phi: choice,
    ) -> Iterator[PlacedNets]:
        """Nets with their fails, of those lengths; −1 for nets that are right on all of them.

        Nets that fail before are left out. Values whose distance is beyond the fail, or beyond all lengths,
        have no distance yet. `keep`: chooses among the nets, (N, 1 + |Σ|), that are right on all shorter
        words, or the short ones of them, with a φ at the distances of these words.
        """
        begun = min(lengths.start, self.weighed.words.length + 1)
        for near in self.right(values, begun):
            choice = keep(near.choice, near.phi)
            states = [replace(near, choice=choice)] if len(choice) else []
            for length in range(begun, lengths.stop):
                longer: list[PlacedNets] = []
                for state in states:
                    self.checkpoint()
                    for found in self._at_length(state, length):
                        if found.fail < 0:
                            longer.append(found)
                        elif length in lengths:
                            yield found
                states = longer
            yield from states

    def right(self, values: Values, size: int) -> Iterator[PlacedNets]:
        """All nets that are right on the words shorter than ``size``, with a φ at the distances of these.

        They are listed on words shorter than `FIRST`, or longer ones where more than `MOST_FIRST` are right
        on these, and followed from there: a φ with which nothing is right is given no further distances.
        """
        listed = self.weighed.listed

        def followed(phi: tuple[int, ...], left: Values, before: IntArray | None) -> Iterator[PlacedNets]:
            self.checkpoint()
            choice = listed.get((self.tokens, phi))
            if choice is None:
                choice = self._right_with(phi, before, size)
                if choice is not None and choice.size <= REMEMBERED and len(listed) < MOST_REMEMBERED:
                    listed[self.tokens, phi] = choice
            if choice is not None and not len(choice):
                return
            if choice is not None and len(phi) == size:
                yield PlacedNets(phi, left, choice, -1)
                return
            for (value,), rest in list_near(left, 1):
                yield from followed((*phi, value), rest, choice)

        return followed((), values, None)

    def _right_with(self, phi: tuple[int, ...], before: IntArray | None, size: int) -> IntArray | None:
        """Nets that are right on all words that have no more distances than a φ; None: not listed yet."""
        length = len(phi) - 1
        if before is not None:
            return before[self.are_right_at(before, phi, length)]
        if len(phi) < min(FIRST, size):
            return None
        near = self.weighed.by(phi, self.tokens.precision, slice(self.weighed.words.up_to(length)))
        if len(phi) == size:
            return near.list_right(self.tokens, length, self.checkpoint)
        with suppress(BudgetError):
            return near.list_right(self.tokens, length, self.checkpoint, MOST_FIRST)
        return None

    def _at_length(self, state: PlacedNets, length: int) -> Iterator[PlacedNets]:
        """Nets as they stand after the words of the next length, with each value or 0 at this distance."""
        for (value,), left in list_near(state.left, 1):
            phi = (*state.phi, value)
            right = self.are_right_at(state.choice, phi, length)
            if not right.all():
                yield PlacedNets(phi, left, state.choice[~right], length)
            if right.any():
                yield PlacedNets(phi, left, state.choice[right], -1)

    def are_right_at(self, choice: IntArray, phi: tuple[int, ...], length: int) -> BoolArray:
        """Mask of nets that are right on all words of one length, (N, T) to (N,); exact."""
        tokens, words, N = self.tokens, self.weighed.words, length + 1
        if length <= words.length:
            rows = slice(words.up_to(length - 1) if length else 0, words.up_to(length))
            near = self.weighed.by(phi, tokens.precision, rows)
            return near.are_right(tokens, choice, np.arange(len(near.rows)))
        # Weights round_p(N^φ(N − 1 − j)) of positions j = 0..N − 1 for the last one, in units of 2^-p, (N,).
        weights = np.full(N, 1 << tokens.precision, dtype=np.int64)
        for distance, logit in enumerate(phi[:N]):
            weights[N - 1 - distance] = compute_scaled_weight(N, logit, tokens.precision)
        each = ((tokens.own[row, 0], tokens.sums[row, 0]) for row in choice)
        return np.array([self._is_right(own, sums, weights) for own, sums in each])

    def _is_right(self, own: IntArray, sums: IntArray, weights: IntArray) -> bool:
        """True if a net is right on all words of a length, by joint states of target and weighed sum."""
        codes = range(len(own) - 1)

        def step(rows: IntArray, code: int, weight: int) -> IntArray:
            more = rows[:, -1:] + weight * sums[code + 1]
            return np.concatenate([self.target.step(rows[:, :-1], code), more], axis=1)

        rows = np.concatenate([self.target.start(), np.full((1, 1), weights[0] * sums[0])], axis=1)
        for weight in weights[1:-1].tolist():
            rows = sort_distinct(np.concatenate([step(rows, code, weight) for code in codes]), axis=0)
        for code in codes:
            last = step(rows, code, int(weights[-1]))
            accepted = last[:, -1] + own[code + 1] * weights.sum() > 0
            if (accepted != self.target.labels(last[:, :-1])).any():
                return False
        return True


class WholeClassSearch:
    """Lists nets of one class against one target of acceptance. Mutable: it remembers listed nets.

    `horizon`: longest length that counts, 2 · max_n. `max_states`: bound on the joint states of the exact
    check. `checkpoint`: called before every part of the work; may raise to stop.

    The cheapest nets that are right on the words of majority up to length 2 cost 5.5: two functions.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> search = WholeClassSearch(build_target(load("majority")), HypothesisClass.THETA, 8)
    >>> [len(found) for found in search.level(5.5, 2)]
    [2]
    """

    def __init__(
        self,
        target: Target,
        kind: HypothesisClass,
        horizon: int,
        max_states: int = DEFAULT_MAX_STATES,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self.target, self.kind, self.horizon = target, kind, horizon
        self.max_states, self.checkpoint = max_states, checkpoint
        self.floor = FLOOR
        self.words = ShortWords.of(target, min(screening_length(len(target.alphabet), horizon), horizon))
        self.weighed = WeighedWords.of(self.words)
        self.listed = self.exact = 0  #: choices that were right as long as it mattered; exact checks
        #: Least R of nets with a φ that were left out although they are right up to twice the asked length.
        self.left_out = math.inf
        #: Least R of nets that may go wrong beyond all lengths that were looked at.
        self.unseen = math.inf
        self._met: set[bytes] = set()

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The values of R below the floor that nets have, ascending."""
        values = sorted([*(tokens.r for tokens in self._sets), *(r for r, _, _ in self._with_phi)])
        return tuple(r for r, before in zip(values, [-1.0, *values], strict=False) if r > before + EPSILON)

    @cached_property
    def _sets(self) -> tuple[TokenSet, ...]:
        periodic = list_periodic_sets() if self.kind is HypothesisClass.LIMIT else ()
        return (*list_token_sets(FLOOR), *list_unit_sets(), *periodic)

    @cached_property
    def _with_phi(self) -> tuple[tuple[float, TokenSet, Values], ...]:
        """Token sets with values of a φ, and their R; of Limit Transformers alone."""
        if self.kind is not HypothesisClass.LIMIT:
            return ()
        sets = (tokens for tokens in list_token_sets(FLOOR) if tokens.x is not None)
        made = (
            (tokens.r + cost_of(values, tokens.precision), tokens, values)
            for tokens in sets
            for values in list_values(tokens.precision, FLOOR - tokens.r)
        )
        return tuple(sorted((item for item in made if item[0] < FLOOR - EPSILON), key=lambda item: item[0]))

    def level(self, r: float, length: int, last: int | None = None) -> Iterator[Functions]:
        """Nets with R = ``r`` that are right on all words up to a length, each function once in a search.

        Of nets with a φ those alone whose fail is at most ``last``, and all if that is None, but none whose
        φ is beyond its fail: with 0 there it has the same fail and less R. Without a φ there are none where
        two words with equal counts of symbols and an equal last one have other labels.
        """
        yield from self._uniform(r, length)
        for cost, tokens, values in self._with_phi:
            if abs(cost - r) <= EPSILON:
                yield from self._weighted(cost, tokens, values, length, last)

    def _weighted(
        self, r: float, tokens: TokenSet, values: Values, length: int, last: int | None
    ) -> Iterator[Functions]:
        lengths = range(length + 1, (self.horizon if last is None else last) + 1)
        keep = partial(self._new, tokens, values=values)
        nets = Placements(self.target, self.weighed, tokens, self.checkpoint)
        for placed in nets.placed(values, lengths, keep):
            if placed.left or (placed.fail < 0 and last is not None):
                if placed.fail < 0:
                    self.unseen = min(self.unseen, r)
                if placed.fail < 0 or placed.fail > 2 * length:
                    self.left_out = min(self.left_out, r)
                continue
            number, phi = len(placed.choice), placed.phi[: max(np.flatnonzero(placed.phi)) + 1]
            answers = self.weighed.by(phi, tokens.precision).answers(tokens, placed.choice)
            fail, packed = np.full(number, placed.fail), np.packbits(answers, axis=1)
            yield Functions(tokens, phi, placed.choice, np.full(number, r), fail, packed)

    def _uniform(self, r: float, length: int) -> Iterator[Functions]:
        for tokens in self._sets:
            if abs(tokens.r - r) <= EPSILON and not self._is_confused(tokens, length):
                self.checkpoint()
                choice = self._new(tokens, self.weighed.list_right(tokens, length, self.checkpoint))
                if len(choice):
                    found = self._decided(tokens, choice)
                    yield found.take((found.fail > length) | (found.fail < 0))

    def _is_confused(self, tokens: TokenSet, length: int) -> bool:
        """True if no function of the features that such nets read is right on the words up to a length."""
        return self.words.is_confused(tokens.period, length, counts=tokens.x is not None)

    def _new(
        self, tokens: TokenSet, choice: IntArray, phi: tuple[int, ...] = (), values: Values = ()
    ) -> IntArray:
        """Choices not met yet with a φ and all its values; nets that read the last token alone were met."""
        if tokens.x is not None:
            choice = choice[tokens.sums[choice].any(axis=(1, 2))]
        kind = repr((tokens.joined.value, tokens.period, phi, values, tokens.precision if values else 0))
        names = name_choices(tokens, choice)
        self.listed += len(choice)
        new = []
        for place in np.sort(group_rows(names)[0]).tolist():
            name = kind.encode() + names[place].tobytes()
            if name not in self._met:
                self._met.add(name)
                new.append(place)
        return choice[np.array(new, dtype=np.int64)]

    def _decided(self, tokens: TokenSet, choice: IntArray) -> Functions:
        each = max(1, CELLS // len(self.words.labels))
        parts = [
            self.weighed.answers(tokens, choice[start : start + each])
            for start in range(0, len(choice), each)
        ]
        fail = np.concatenate([self.words.first_difference(part) for part in parts])
        open_ = np.flatnonzero(fail < 0)
        if len(open_):
            self.exact += len(open_)
            nets = as_nets(tokens, choice[open_])
            fail[open_] = fail_lengths(self.target, nets, self.horizon, self.max_states, self.checkpoint)
        packed = np.concatenate([np.packbits(part, axis=1) for part in parts])
        return Functions(tokens, (), choice, np.full(len(choice), tokens.r), fail, packed)
