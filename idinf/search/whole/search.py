"""All nets of a whole class below its floor, level by level of R, with their exact fail lengths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property, partial

import numpy as np

from idinf.nets.regularizer import EPSILON
from idinf.search.exact_check.reachability import DEFAULT_MAX_STATES, fail_lengths
from idinf.search.short_words.prefix_trees import ShortWords, screening_length
from idinf.search.whole.floors import FLOOR
from idinf.search.whole.functions import CELLS, Functions, WeighedWords, as_nets, name_choices
from idinf.search.whole.periodic_sets import list_periodic_sets
from idinf.search.whole.token_sets import TokenSet, list_token_sets
from idinf.search.whole.unit_sets import list_unit_sets
from idinf.search.whole.weighted import Values, cost_of, list_placed, list_values
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.spec.bounds import HypothesisClass
from idinf.targets.machine import Target


class WholeClassSearch:
    """Lists nets of one class against one target of acceptance. Mutable: it remembers what it listed.

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
        #: Least R of nets with a φ that were left out although they are right up to twice what was asked.
        self.left_out = math.inf
        #: Least R of those that may go wrong beyond all lengths that were looked at.
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
        for placed in list_placed(self.target, self.weighed, tokens, values, lengths, keep, self.checkpoint):
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
        """Whether no function of what such nets read is right on the words up to a length."""
        return self.words.is_confused(tokens.period, length, counts=tokens.x is not None)

    def _new(
        self, tokens: TokenSet, choice: IntArray, phi: tuple[int, ...] = (), values: Values = ()
    ) -> IntArray:
        """Choices that were not met yet with a φ and all its values; what reads the last token alone was."""
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
