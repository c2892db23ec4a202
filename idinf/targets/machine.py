"""A target as a deterministic step machine, vectorised over states, and the states that one reaches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from idinf.base.words import Alphabet, Word

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: A number of symbols that no word is long enough for.
NEVER = 1 << 40

S = TypeVar("S")


class Target(Protocol):
    """A machine that every exact check runs beside a hypothesis.

    A state is a row of k ≥ 1 int64 columns; equal rows behave alike for ever. All arithmetic is exact. The
    arrays given out are new or read-only; arguments are never written to.
    """

    if TYPE_CHECKING:

        @property
        def alphabet(self) -> Alphabet:
            """The alphabet whose codes `step` reads."""
            ...

    def start(self) -> IntArray:
        """The state after SOS alone, that of the empty word; (1, k)."""
        ...

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """States that `start` and `step` gave after one more symbol, a code; (S, k) → (S, k), S may be 0."""
        ...

    def labels(self, states: IntArray) -> BoolArray:
        """True for states whose word read so far is in the language; (S, k) → (S,)."""
        ...

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States whose labels after 1 to ``left`` more symbols are those of the given ones; (S, k) → (S, k).

        Rows that become equal can be merged. Their labels before the next step mean nothing.
        """
        return states

    def foretold(self, states: IntArray, left: int) -> IntArray:
        """The label after any 1 to ``left`` more symbols, 0 or 1, or −1 where not sure; (S, k) → (S,)."""
        return np.full(len(states), -1, dtype=np.int64)


class SideBySide(Target):
    """Machines that read the same word; the columns of their states stand side by side."""

    @cached_property
    def machines(self) -> tuple[Target, ...]:
        """The machines, at least one."""
        raise NotImplementedError

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of all."""
        return self.machines[0].alphabet

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """The columns of each machine in a state."""
        ends = itertools.accumulate((machine.start().shape[1] for machine in self.machines), initial=0)
        return tuple(slice(*pair) for pair in itertools.pairwise(ends))

    def start(self) -> IntArray:
        """The start states; (1, k)."""
        return np.concatenate([machine.start() for machine in self.machines], axis=1)

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        own = zip(self.machines, self.columns, strict=True)
        return np.concatenate([machine.step(states[:, columns], symbol) for machine, columns in own], axis=1)

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        own = zip(self.machines, self.columns, strict=True)
        return np.concatenate([machine.settled(states[:, columns], left) for machine, columns in own], axis=1)


@dataclass(frozen=True, eq=False)
class RelabelledTarget(Target):
    """A machine whose states are asked something else."""

    machine: Target

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the machine."""
        return self.machine.alphabet

    def start(self) -> IntArray:
        """The start state; (1, k)."""
        return self.machine.start()

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        return self.machine.step(states, symbol)

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return self.machine.settled(states, left)


def read_word(target: Target, word: Word) -> IntArray:
    """The state after a word in codes of the target's alphabet; (1, k)."""
    states = target.start()
    for symbol in word:
        states = target.step(states, symbol)
    return states


def accepts(target: Target, word: Word) -> bool:
    """Decide one word; the empty word is decided by the start state."""
    return bool(target.labels(read_word(target, word))[0])


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


def explore_states(target: Target, most: int | None = None) -> tuple[IntArray, IntArray, bool]:
    """The states that a target reaches, (S, k), and the rest as of `explore`, the table as an array."""

    def successors(found: list[bytes]) -> Iterator[tuple[bytes, ...]]:
        rows = _joined(found)
        stepped = (target.step(rows, code) for code in range(len(target.alphabet)))
        return zip(*([row.tobytes() for row in rows] for rows in stepped), strict=True)

    states, table, is_complete = explore(target.start().tobytes(), successors, most)
    return _joined(states), np.array(table, dtype=np.int64), is_complete


def _joined(states: list[bytes]) -> IntArray:
    return np.frombuffer(b"".join(states), dtype=np.int64).reshape(len(states), -1)


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
