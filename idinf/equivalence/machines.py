"""The shortlex-least word on which two step machines differ, by joint reachability.

Pairs of states are merged at every length, so all words of a length are covered by its pairs; where a machine
can forget what the symbols left cannot ask for, pairs that behave alike that far are merged as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from idinf.errors import StatesExceeded
from idinf.search.exact_check.merging import Merged, Steps, union, word_of
from idinf.targets.machine import BoolArray, IntArray, SettlingTarget, Target
from idinf.words import Word

__all__ = ["Beat", "all_pairs", "first_difference", "states_exceeded"]

#: Told the length up to which all words were compared, -1 if not even ε; may raise to stop.
Beat = Callable[[int], None]

#: Pairs that are extended at a time.
CHUNK = 1 << 15

#: Arrivals that may wait to be merged with the others, however few the others are.
WAITING = 1 << 18

#: Steps of a trail that take about as much memory as a pair.
TRAIL_PER_STATE = 10


def first_difference(
    one: Target,
    other: Target,
    horizon: int,
    max_states: int,
    beat: Beat = lambda length: None,
    only_last: bool = False,
    *,
    chunk: int = CHUNK,
    waiting: int = WAITING,
) -> Word | None:
    """Shortlex-least word up to length ``horizon`` that exactly one of two machines accepts; None if none.

    The length is found first. Then pairs are kept in the order of their least words, and the steps to them
    are remembered, up to this length only.

    Parameters
    ----------
    one, other : Target
        Over one alphabet.
    horizon : int
    max_states : int
        Bound on the pairs of one length.
    beat : callable
        Called before every chunk of pairs.
    only_last : bool
        Whether only words of length ``horizon`` count, as where a machine is made for one N.
    chunk : int
        Pairs that are extended at a time.
    waiting : int
        Arrivals that may wait to be merged with the others, however few the others are.

    Raises
    ------
    StatesExceeded
        If there are more pairs; says up to which length all words were compared.

    Examples
    --------
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> one, other = (RegularTarget.from_regex(text, sigma) for text in ("(ab)*", "(ab)*|ba(ab)*"))
    >>> first_difference(one, other, 9, 100), first_difference(one, other, 1, 100)
    ((1, 0), None)
    """
    begin, at_a_time = horizon if only_last else 0, (chunk, waiting)
    found = _lengths(one, other, begin, horizon, max_states, beat, None, at_a_time)
    length = next((length for length, least in found if least is not None), None)
    if length is None:
        return None
    trail: list[Steps] = []
    for _, least in _lengths(
        one, other, length, length, max_states, lambda _: beat(length - 1), trail, at_a_time
    ):
        if least is not None:
            return word_of(trail, *least)
    raise RuntimeError(f"internal error: a word of length {length} made a difference, now none does")


def all_pairs(one: Target, other: Target, most: int, beat: Beat = lambda length: None) -> Word | bool:
    """Compare two machines on all words, if at most ``most`` pairs of states can be reached.

    Returns
    -------
    tuple of int or bool
        The shortlex-least difference; True if all reachable pairs agree, so that all words do; False if
        there are too many pairs, or states that are too many, to tell.

    Examples
    --------
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> one, other = (RegularTarget.from_regex(text, sigma) for text in ("(ab)*a", "a(ba)*"))
    >>> all_pairs(one, other, 100), all_pairs(one, other, 1)
    (True, False)
    """
    rows, width, size = _start(one, other), one.start().shape[1], len(one.alphabet)
    seen, trail, length = {rows[0].tobytes()}, list[Steps](), 0
    if _differ(one, other, rows, width).any():
        return ()
    while len(rows):
        beat(length)
        length += 1
        stepped = np.stack([_step(one, other, rows, width, code) for code in range(size)], axis=1)
        stepped = stepped.reshape(-1, rows.shape[1])  # in the order of the least words
        wrong = _differ(one, other, stepped, width)
        if wrong.any():
            return word_of(trail, *divmod(int(np.argmax(wrong)), size))
        new = []
        for place, row in enumerate(stepped):
            key = row.tobytes()
            if key not in seen:
                seen.add(key)
                new.append(place)
                if len(seen) > most:
                    return False
        trail.append(np.stack(np.divmod(np.array(new, dtype=np.int32), size), axis=1))
        rows = stepped[new]
    return True


def states_exceeded(states: int, max_states: int, exact_to: int) -> StatesExceeded:
    """The error of a run whose joint states are more than the memory bound holds."""
    return StatesExceeded(
        f"{states} joint states, more than the {max_states} that fit the memory bound; raise --memory or "
        "lower --max-n",
        exact_to,
    )


def _start(one: Target, other: Target) -> IntArray:
    return np.concatenate([one.start(), other.start()], axis=1)


def _step(one: Target, other: Target, rows: IntArray, width: int, code: int) -> IntArray:
    return np.concatenate([one.step(rows[:, :width], code), other.step(rows[:, width:], code)], axis=1)


def _differ(one: Target, other: Target, rows: IntArray, width: int) -> BoolArray:
    return np.asarray(one.labels(rows[:, :width]) != other.labels(rows[:, width:]))


def _settled(one: Target, other: Target, rows: IntArray, width: int, left: int) -> IntArray:
    parts = [rows[:, :width], rows[:, width:]]
    for place, machine in enumerate((one, other)):
        if isinstance(machine, SettlingTarget):
            parts[place] = machine.settled(parts[place], left)
    return np.concatenate(parts, axis=1)


def _lengths(
    one: Target,
    other: Target,
    begin: int,
    horizon: int,
    max_states: int,
    beat: Beat,
    trail: list[Steps] | None,
    at_a_time: tuple[int, int],
) -> Iterator[tuple[int, tuple[int, int] | None]]:
    """Every length from ``begin``, and a pair and symbol that lead to a difference there, if there are any.

    With a trail, the pairs are in the order of their least words, and those given are the least.
    """
    rows, width, size = _start(one, other), one.start().shape[1], len(one.alphabet)
    most, waiting = at_a_time
    if begin == 0:
        yield 0, (0, -1) if _differ(one, other, rows, width).any() else None
    now = Merged(rows)
    for length in range(1, horizon + 1):
        parts: list[Merged] = []
        least = None
        for start in range(0, len(now), most):
            beat(length - 1 if begin == 0 else begin - 1)
            chunk = now.rows[start : start + most].astype(np.int64)
            stepped = [_step(one, other, chunk, width, code) for code in range(size)]
            if length >= begin:
                wrong = np.stack([_differ(one, other, rows, width) for rows in stepped], axis=1)
                if wrong.any():
                    place, symbol = divmod(int(np.argmax(wrong)), size)
                    least = (start + place, symbol)
                    break
            if length == horizon or (parts and len(parts[0]) > max_states):
                continue  # all words of this length are compared, whatever becomes of longer ones
            for code, rows in enumerate(stepped):
                steps = None
                if trail is not None:
                    places = np.arange(start, start + len(rows))
                    steps = np.stack([places, np.full(len(rows), code)], axis=1).astype(np.int32)
                parts.append(Merged(_settled(one, other, rows, width, horizon - length), None, steps))
            if sum(map(len, parts[1:])) > max(len(parts[0]), waiting):
                parts = [union(parts)]
        if length >= begin:
            yield length, least
        if least is not None or length == horizon:
            return
        now = union(parts)
        if len(now) > max_states:
            raise states_exceeded(len(now), max_states, length if begin == 0 else begin - 1)
        if trail is not None and now.steps is not None:
            trail.append(now.steps)
            if sum(map(len, trail)) > TRAIL_PER_STATE * max_states:
                raise states_exceeded(sum(map(len, trail)), max_states, begin - 1)
            now = Merged(now.rows)
