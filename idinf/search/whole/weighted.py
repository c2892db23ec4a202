"""Nets of Limit Transformers whose one head has a φ: where its distances stand is found while words grow.

A φ(k) ≠ 0 changes nothing on words shorter than k, so distances are chosen one by one with the lengths of
words: what is wrong on the words of a length is done with, and what is right goes on with one more
distance, whether φ is 0 there or one of the values that are left. R does not depend on where the values
stand.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from idinf.errors import BudgetError
from idinf.nets.attention import compute_scaled_weight
from idinf.search.whole.functions import WeighedWords
from idinf.search.whole.token_sets import TokenSet
from idinf.space.grid import IntArray
from idinf.space.rows import sort_distinct
from idinf.space.units import BoolArray
from idinf.targets.machine import Target

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


def list_placed(
    target: Target,
    weighed: WeighedWords,
    tokens: TokenSet,
    values: Values,
    lengths: range,
    keep: Callable[[IntArray, tuple[int, ...]], IntArray] = lambda choice, phi: choice,
    checkpoint: Callable[[], None] = lambda: None,
) -> Iterator[PlacedNets]:
    """Give the values all distances in all ways, and tell the fail lengths.

    `weighed`: all short words without a φ. `lengths`: fails of these lengths are told; what fails before is
    left out, and what is right on all of them has the fail −1. Values whose distance is beyond the fail, or
    beyond all lengths, are left. `keep`: chooses among the nets, (N, 1 + |Σ|), that are right on all shorter
    words, or the short ones of them, with a φ at the distances that these have.
    """
    begun = min(lengths.start, weighed.words.length + 1)
    for near in _list_right(target, weighed, tokens, values, begun, checkpoint):
        choice = keep(near.choice, near.phi)
        states = [replace(near, choice=choice)] if len(choice) else []
        for length in range(begun, lengths.stop):
            longer: list[PlacedNets] = []
            for state in states:
                checkpoint()
                for found in _at_length(target, weighed, tokens, state, length):
                    if found.fail < 0:
                        longer.append(found)
                    elif length in lengths:
                        yield found
            states = longer
        yield from states


def _list_right(
    target: Target,
    weighed: WeighedWords,
    tokens: TokenSet,
    values: Values,
    size: int,
    checkpoint: Callable[[], None],
) -> Iterator[PlacedNets]:
    """All nets that are right on the words shorter than ``size``, with a φ at the distances of these.

    They are listed on words shorter than `FIRST`, or longer ones where more than `MOST_FIRST` are right on
    these, and followed from there: a φ with which nothing is right is given no further distances.
    """

    def followed(phi: tuple[int, ...], left: Values, before: IntArray | None) -> Iterator[PlacedNets]:
        checkpoint()
        choice = weighed.listed.get((tokens, phi))
        if choice is None:
            choice = right_with(phi, before)
            if choice is not None and choice.size <= REMEMBERED and len(weighed.listed) < MOST_REMEMBERED:
                weighed.listed[tokens, phi] = choice
        if choice is not None and not len(choice):
            return
        if choice is not None and len(phi) == size:
            yield PlacedNets(phi, left, choice, -1)
            return
        for (value,), rest in list_near(left, 1):
            yield from followed((*phi, value), rest, choice)

    def right_with(phi: tuple[int, ...], before: IntArray | None) -> IntArray | None:
        length = len(phi) - 1
        if before is not None:
            return before[is_right_at(target, weighed, tokens, before, phi, length)]
        if len(phi) < min(FIRST, size):
            return None
        near = weighed.by(phi, tokens.precision, slice(weighed.words.up_to(length)))
        if len(phi) == size:
            return near.list_right(tokens, length, checkpoint)
        with suppress(BudgetError):
            return near.list_right(tokens, length, checkpoint, MOST_FIRST)
        return None

    return followed((), values, None)


def _at_length(
    target: Target, weighed: WeighedWords, tokens: TokenSet, state: PlacedNets, length: int
) -> Iterator[PlacedNets]:
    """Nets as they stand after the words of the next length, with each value or 0 at this distance."""
    for (value,), left in list_near(state.left, 1):
        phi = (*state.phi, value)
        right = is_right_at(target, weighed, tokens, state.choice, phi, length)
        if not right.all():
            yield PlacedNets(phi, left, state.choice[~right], length)
        if right.any():
            yield PlacedNets(phi, left, state.choice[right], -1)


def is_right_at(
    target: Target,
    weighed: WeighedWords,
    tokens: TokenSet,
    choice: IntArray,
    phi: tuple[int, ...],
    length: int,
) -> BoolArray:
    """Whether nets are right on all words of one length, (N, T) to (N,); exact."""
    if length <= (words := weighed.words).length:
        rows = slice(words.up_to(length - 1) if length else 0, words.up_to(length))
        near = weighed.by(phi, tokens.precision, rows)
        return near.are_right(tokens, choice, np.arange(len(near.rows)))
    weights = weigh(phi, tokens.precision, length)
    return np.array([_is_right(target, tokens.own[row, 0], tokens.sums[row, 0], weights) for row in choice])


def weigh(phi: tuple[int, ...], precision: int, length: int) -> IntArray:
    """Weights round_p(N^φ(N − 1 − j)) of positions j = 0..N − 1 for the last one, in units of 2^-p, (N,)."""
    N = length + 1
    weights = np.full(N, 1 << precision, dtype=np.int64)
    for distance, logit in enumerate(phi[:N]):
        weights[N - 1 - distance] = compute_scaled_weight(N, logit, precision)
    return weights


def _is_right(target: Target, own: IntArray, sums: IntArray, weights: IntArray) -> bool:
    """Whether a net is right on all words of a length, by joint states of the target and the weighed sum."""
    start = target.start()
    rows = np.concatenate([start, np.full((1, 1), weights[0] * sums[0])], axis=1)
    for weight in weights[1:-1].tolist():
        steps = [_stepped(target, rows, code, weight * int(sums[code + 1])) for code in range(len(own) - 1)]
        rows = sort_distinct(np.concatenate(steps), axis=0)
    for code in range(len(own) - 1):
        last = _stepped(target, rows, code, int(weights[-1] * sums[code + 1]))
        accepted = last[:, -1] + own[code + 1] * weights.sum() > 0
        if (accepted != target.labels(last[:, :-1])).any():
            return False
    return True


def _stepped(target: Target, rows: IntArray, code: int, added: int) -> IntArray:
    return np.concatenate([target.step(rows[:, :-1], code), rows[:, -1:] + added], axis=1)
