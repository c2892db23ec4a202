"""States that are reached from a start, numbered breadth-first, and the least words that lead to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from idinf.base.words import Word
from idinf.targets.machine import IntArray

S = TypeVar("S")


def explore(
    start: S, successors: Callable[[list[S]], Iterable[Sequence[S]]], most: int | None = None
) -> tuple[list[S], list[list[int]], bool]:
    """Follow all symbols from a state, in the order of least words: state 0 is the start.

    ``successors`` gets the states that were met last, and gives for each of them one state for each symbol.
    The states come with the numbers of the successors of each, and whether these are all: where there are
    more than ``most`` it ends early, with the successors of the first states.

    >>> explore(1, lambda found: ([n % 3 + 1] for n in found))
    ([1, 2, 3], [[1], [2], [0]], True)
    >>> explore(0, lambda found: ([n + 1] for n in found), most=2)
    ([0, 1, 2], [[1], [2]], False)
    """
    numbers, table, frontier = {start: 0}, list[list[int]](), [start]
    while frontier:
        met: list[S] = []
        for row in successors(frontier):
            for state in row:
                if state not in numbers:
                    numbers[state] = len(numbers)
                    met.append(state)
            table.append([numbers[state] for state in row])
            if most is not None and len(numbers) > most:
                return list(numbers), table, False
        frontier = met
    return list(numbers), table, True


def find_entered(table: IntArray) -> tuple[IntArray, IntArray]:
    """The state and the symbol from which each state of such a table is first met; (V,), (V,).

    Where the table ends early, -1 stands for a state that has no number.

    >>> [array.tolist() for array in find_entered(np.array([[1, 0], [1, 2], [0, -1]]))]
    [[0, 0, 1], [1, 0, 1]]
    """
    first = np.zeros(len(table), dtype=np.int64)
    numbers, places = np.unique(table, return_index=True)
    first[numbers[numbers >= 0]] = places[numbers >= 0]
    return np.divmod(first, table.shape[1])


def find_least_word(table: IntArray, state: int) -> Word:
    """The shortlex-least word that leads to a state of such a table.

    >>> find_least_word(np.array([[1, 0], [1, 2], [0, 0]]), 2)
    (0, 1)
    """
    before, symbol = find_entered(table)
    codes = []
    while state:
        codes.append(int(symbol[state]))
        state = int(before[state])
    return tuple(reversed(codes))
