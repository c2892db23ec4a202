"""Tables of what is reached: states numbered as they are met, and the minimal DFA of such a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from idinf.experiments.spec import FiniteAutomaton
from idinf.targets.regular import RegularTarget
from idinf.words import Alphabet

__all__ = ["explored", "minimal_machine"]

S = TypeVar("S")


def explored(
    start: S, successors: Callable[[S], Iterable[S]], most: int | None = None
) -> tuple[list[S], list[list[int]]] | None:
    """Follow all symbols from a state, breadth-first: the states, and the numbers of the successors of each.

    Parameters
    ----------
    start : hashable
        Gets number 0.
    successors : callable
        One for each symbol.
    most : int, optional
        None is the answer if there are more states.

    Examples
    --------
    >>> explored(1, lambda n: (n % 3 + 1,)), explored(0, lambda n: (n + 1,), most=5)
    (([1, 2, 3], [[1], [2], [0]]), None)
    """
    numbers, states, table = {start: 0}, [start], []
    for state in states:  # grows while it is read
        row = []
        for following in successors(state):
            if following not in numbers:
                if len(numbers) == most:
                    return None
                numbers[following] = len(numbers)
                states.append(following)
            row.append(numbers[following])
        table.append(row)
    return states, table


def minimal_machine(
    table: Sequence[Sequence[int]], accepting: Sequence[bool], alphabet: Alphabet
) -> RegularTarget:
    """The minimal complete DFA of a table whose state 0 is the start.

    Examples
    --------
    >>> minimal_machine([[1], [2], [1]], [True, False, True], Alphabet(("a",))).table.tolist()
    [[1], [0]]
    """
    names = tuple(map(str, range(len(table))))
    moves = (
        (name, symbol, names[following])
        for name, row in zip(names, table, strict=True)
        for symbol, following in zip(alphabet.symbols, row, strict=True)
    )
    accepted = tuple(name for name, accepts in zip(names, accepting, strict=True) if accepts)
    return RegularTarget.from_automaton(FiniteAutomaton(names, names[0], accepted, tuple(moves)), alphabet)
