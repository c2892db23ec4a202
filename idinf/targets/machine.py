"""A target as a deterministic step machine, vectorised over states."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from idinf.words import Alphabet, Word

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


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
        """States after one more symbol; (S, k) → (S, k).

        Parameters
        ----------
        states : (S, k) ndarray of int64
            Rows that `start` and `step` gave; S may be 0.
        symbol : int
            Code, 0 ≤ symbol < |Σ|.
        """
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


def accepts(target: Target, word: Word) -> bool:
    """Decide one word; the empty word is decided by the start state.

    Parameters
    ----------
    target : Target
    word : tuple of int
        Codes of the target's alphabet.

    Examples
    --------
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
