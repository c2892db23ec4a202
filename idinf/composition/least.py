"""The least B with which any protocol solves function composition at all.

From below it is bounded by counting, for every L (`idinf.composition.counting`), and from above by the best
shipped protocol. For L = 1 the two meet: all m^m maps need messages of their own, so 2^(2B) ≥ m^m, and that
is enough, as 2^(2B) ≥ m then holds for z_0, too. So 1, 3, 4, 6 for m = 2, 3, 4, 5.

For L = 2 and tiny sizes `search` goes through all protocols. It has found no B that counting leaves open so
far: what can be gone through is too small. Three things make them few, and lose none. A message to i
matters only by which X_j it tells apart for each X_i, so it is a set partition for each X_i. A finer message
is never worse, as whoever hears it can forget: so there are as many blocks as 2B·m_i bits or the X_j allow.
And in the last epoch only player -1 listens, and each X_{-1} is decided by itself.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from idinf.composition.counting import bound_by_counting, count_told
from idinf.composition.shipped import count_bits, ship_all
from idinf.composition.task import Sizes, show_count
from idinf.errors import CompositionError
from idinf.numbers import format_amount

#: Ways of the first epoch that are gone through, at most, and of the last one for each X_{-1}.
MOST_WAYS = 2**18

#: Numbers of ways are counted exactly up to here: by the bits they have, and the states that are told apart.
_MOST_BITS, _MOST_STATES = 2**12, 2**10

#: What everybody knows, as a number for each instance; equal numbers are what a player cannot tell apart.
_Known = dict[int, list[int]]


@dataclass(frozen=True)
class LeastB:
    """The least B, or bounds of it.

    Attributes
    ----------
    lower, upper : int
        The least B lies between them, both included.
    reason : str
        Where they come from.
    """

    lower: int
    upper: int
    reason: str


def bound_least(sizes: Sizes) -> LeastB:
    """Bound the least B by counting and by the best shipped protocol; for L = 1 the two meet.

    Examples
    --------
    >>> [bound_least(Sizes(m)).lower for m in (1, 2, 3, 4, 5)]
    [0, 1, 3, 4, 6]
    >>> bound_least(Sizes(2, (2,)))  # doctest: +ELLIPSIS
    LeastB(lower=1, upper=1, reason='with B = 0 player 2 writes 0 bits ... has 256 maps; protocol reveal')
    """
    best = min(ship_all(sizes), key=lambda protocol: protocol.bits)
    lower, reason = bound_by_counting(sizes), "one answer"
    if lower:
        told = format_amount(count_told(sizes, 2 * lower - 2), "bit")
        maps = f"{show_count(sizes.count_alternatives(sizes.layers))} maps"
        reason = f"with B = {lower - 1} player {sizes.layers} writes {told} at most and has {maps}"
    return LeastB(lower, best.bits, f"{reason}; protocol {best.name}")


def count_ways(sizes: Sizes, token_bits: int) -> int:
    """How many ways the first epoch has, before any of them is looked at; 1 for L = 1, 2^4096 for more.

    Examples
    --------
    >>> [count_ways(Sizes(2, (1,)), bits) for bits in (0, 1, 2)], count_ways(Sizes(3, (1,)), 2).bit_length()
    ([1, 117649, 1], 396)
    """
    _check_layers(sizes)
    if sizes.layers == 1:
        return 1
    amounts = {player: sizes.count_alternatives(player) for player in range(-1, sizes.layers + 1)}
    powers = []
    for sender, receiver in _pairs(sizes):
        states = amounts[sender]
        ways = _count_partitions(states, _blocks(sizes, receiver, token_bits, states))
        powers.append((ways, amounts[receiver]))
    if sum((ways.bit_length() - 1) * exponent for ways, exponent in powers) > _MOST_BITS:
        return 1 << _MOST_BITS
    return math.prod(ways**exponent for ways, exponent in powers)


def search(sizes: Sizes, token_bits: int) -> bool:
    """Whether a protocol is right whose messages have so many bits for each token of the receiver, 2B.

    All are gone through.

    Raises
    ------
    CompositionError
        If L is above 2, or there are more than `MOST_WAYS` to go through.

    Examples
    --------
    >>> search(Sizes(2, (1,)), 1), search(Sizes(2), 1), search(Sizes(2), 2)
    (True, False, True)
    """
    _check_ways(count_ways(sizes, token_bits), "first")
    if (count := sizes.count()) > MOST_WAYS:
        raise CompositionError(
            f"there are {show_count(count)} instances; expected at most {MOST_WAYS}; choose smaller sizes"
        )
    tasks = list(sizes.instances())
    answers = [task.solve() for task in tasks]
    inputs = [task.inputs() for task in tasks]
    start = {player: _number(row[player] for row in inputs) for player in inputs[0]}
    firsts: Iterable[_Known] = [start] if sizes.layers == 1 else _first_epochs(sizes, token_bits, start)
    return any(_ends_well(sizes, token_bits, known, answers) for known in firsts)


def _first_epochs(sizes: Sizes, token_bits: int, start: _Known) -> Iterator[_Known]:
    """What is known after the first epoch, in all ways."""
    choices = [
        [(sender, receiver, own, blocks) for blocks in _partitions(states, count)]
        for sender, receiver in _pairs(sizes)
        for own in sorted(set(start[receiver]))
        for states in [sorted(set(start[sender]))]
        for count in [_blocks(sizes, receiver, token_bits, len(states))]
    ]
    for chosen in itertools.product(*choices):
        told = {(sender, receiver, own): blocks for sender, receiver, own, blocks in chosen}
        yield {
            player: _number(
                (
                    own,
                    *(
                        told[sender, player, own][start[sender][k]]
                        for sender in range(player + 1, sizes.layers + 1)
                    ),
                )
                for k, own in enumerate(owns)
            )
            for player, owns in start.items()
        }


def _ends_well(sizes: Sizes, token_bits: int, known: _Known, answers: list[int]) -> bool:
    """Whether some messages of the last epoch let player -1 answer, whatever it knows."""
    classes: dict[int, dict[tuple[int, ...], int]] = defaultdict(dict)
    senders = range(sizes.layers + 1)
    for k, own in enumerate(known[-1]):
        state = tuple(known[sender][k] for sender in senders)
        if classes[own].setdefault(state, answers[k]) != answers[k]:
            return False  # nobody could tell these two apart
    return all(_answered(answer, sizes, token_bits) for answer in classes.values())


def _answered(answer: dict[tuple[int, ...], int], sizes: Sizes, token_bits: int) -> bool:
    columns = [sorted(set(column)) for column in zip(*answer, strict=True)]
    blocks = [_blocks(sizes, -1, token_bits, len(column)) for column in columns]
    _check_ways(math.prod(map(_count_partitions, map(len, columns), blocks)), "last")
    for chosen in itertools.product(*map(_partitions, columns, blocks)):
        heard: dict[tuple[int, ...], int] = {}
        if all(
            heard.setdefault(tuple(part[s] for part, s in zip(chosen, state, strict=True)), value) == value
            for state, value in answer.items()
        ):
            return True
    return False


def _pairs(sizes: Sizes) -> list[tuple[int, int]]:
    """Senders and receivers."""
    players = range(-1, sizes.layers + 1)
    return [(sender, receiver) for receiver in players for sender in players if sender > receiver]


def _blocks(sizes: Sizes, receiver: int, token_bits: int, states: int) -> int:
    """How many blocks a message makes of so many states."""
    room = token_bits * (sizes.domains[receiver - 1] if receiver > 0 else 1)
    return states if room >= count_bits(states) else 1 << room


def _number(values: Iterable[object]) -> list[int]:
    """Numbers for values, equal ones for equal ones."""
    seen: dict[object, int] = {}
    return [seen.setdefault(value, len(seen)) for value in values]


@cache
def _count_partitions(states: int, blocks: int) -> int:
    """How many set partitions of so many states have so many blocks (Stirling, second kind).

    Of many states it is what there are at least: pairs, for one block less than states.
    """
    if blocks in (1, states):
        return 1
    if states > _MOST_STATES:
        return states * (states - 1) // 2
    signed = ((-1) ** (blocks - k) * math.comb(blocks, k) * k**states for k in range(1, blocks + 1))
    return int(sum(signed) // math.factorial(blocks))


def _partitions(states: Sequence[int], blocks: int) -> Iterator[dict[int, int]]:
    """All set partitions into so many blocks, as the number of the block of each state."""
    if blocks in (1, len(states)):
        yield {state: min(place, blocks - 1) for place, state in enumerate(states)}
        return
    chosen: list[int] = []

    def extend(used: int) -> Iterator[dict[int, int]]:
        left = len(states) - len(chosen)
        if not left:
            yield dict(zip(states, chosen, strict=True))
            return
        for block in range(min(used + 1, blocks)):
            now = max(used, block + 1)
            if blocks - now < left:
                chosen.append(block)
                yield from extend(now)
                chosen.pop()

    yield from extend(0)


def _check_layers(sizes: Sizes) -> None:
    if sizes.layers > 2:
        raise CompositionError(
            f"L = {sizes.layers}; expected 1 or 2, for which protocols can be gone through; give fewer sizes"
        )


def _check_ways(ways: int, epoch: str) -> None:
    if ways > MOST_WAYS:
        raise CompositionError(
            f"the {epoch} epoch has {show_count(ways)} ways; expected at most {MOST_WAYS}, which are gone "
            "through; "
            "choose smaller sizes"
        )
