"""A target as a deterministic step machine, vectorised over states."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from idinf.base.words import Alphabet, Word

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: A number of symbols that no word is long enough for.
NEVER = 1 << 40


class Target(Protocol):
    """What every exact check runs beside a hypothesis.

    A state is a row of k ≥ 1 int64 columns; equal rows behave alike for ever. All arithmetic is exact. The
    arrays given out are new or read-only; arguments are never written to.
    """

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
        """Whether the word read so far is in the language; (S, k) → (S,)."""
        ...


@runtime_checkable
class SettlingTarget(Target, Protocol):
    """A target that can forget what the symbols still to come cannot ask for."""

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States whose labels after 1 to ``left`` more symbols are those of the given ones; (S, k) → (S, k).

        Rows that become equal can be merged. Their labels before the next step mean nothing.
        """
        ...


@runtime_checkable
class ForetellingTarget(Target, Protocol):
    """A target that can tell where the labels to come are all alike."""

    def foretold(self, states: IntArray, left: int) -> IntArray:
        """The label after any 1 to ``left`` more symbols, 0 or 1, or −1 where not sure; (S, k) → (S,)."""
        ...


def foretell(target: Target, states: IntArray, left: int) -> IntArray:
    """The label after any 1 to ``left`` more symbols, 0 or 1, or −1 where that cannot be told; (S,)."""
    if isinstance(target, ForetellingTarget):
        return target.foretold(states, left)
    return np.full(len(states), -1, dtype=np.int64)


def settle_states(target: Target, states: IntArray, left: int) -> IntArray:
    """States that behave alike for up to ``left`` more symbols; the same ones where it cannot be told."""
    return target.settled(states, left) if isinstance(target, SettlingTarget) else states


class SideBySide:
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
        return np.concatenate(
            [settle_states(machine, states[:, columns], left) for machine, columns in own], axis=1
        )


@dataclass(frozen=True, eq=False)
class RelabelledTarget:
    """A machine whose states are asked something else."""

    machine: Target

    @property
    def alphabet(self) -> Alphabet:
        """That of the machine."""
        return self.machine.alphabet

    def start(self) -> IntArray:
        """The start state; (1, k)."""
        return self.machine.start()

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        return self.machine.step(states, symbol)

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return settle_states(self.machine, states, left)


def accepts(target: Target, word: Word) -> bool:
    """Decide one word, in codes of the target's alphabet; the empty word is decided by the start state.

    >>> from idinf.targets.regular import RegularTarget
    >>> sigma = Alphabet(("a", "b"))
    >>> even = RegularTarget.from_regex("(aa)*", sigma)
    >>> accepts(even, ()), accepts(even, (0,)), accepts(even, (0, 0)), accepts(even, (1,))
    (True, False, True, False)
    """
    states = target.start()
    for symbol in word:
        states = target.step(states, symbol)
    return bool(target.labels(states)[0])
