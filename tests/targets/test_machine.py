"""`accepts` runs a machine from its start state, for any target."""

from __future__ import annotations

import numpy as np

from idinf.targets.machine import BoolArray, IntArray, accepts
from idinf.words import Alphabet, words_up_to


class EndsInOne:
    """A minimal target written by hand: one column, the last symbol read."""

    alphabet = Alphabet(("0", "1"))

    def start(self) -> IntArray:
        return np.array([[-1]])

    def step(self, states: IntArray, symbol: int) -> IntArray:
        return np.full_like(states, symbol)

    def labels(self, states: IntArray) -> BoolArray:
        return np.asarray(states[:, 0] == 1)


def test_accepts() -> None:
    for word in words_up_to(2, 4):
        assert accepts(EndsInOne(), word) is (word[-1:] == (1,))
