"""Words drawn uniformly at random, by exact counts of how many ways there are to go on; and near misses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
from idinf.errors import BudgetError
from idinf.targets.machine import BoolArray, IntArray, Target

#: Counts that are kept, at most: pairs of a state and a number of symbols left; 100 MB, seconds.
MOST_COUNTS = 1_000_000

#: Where all words of a length are fewer, their ranks are int64; else integers of Python.
SMALL = 1 << 62


class UniformWords:
    """All words whose last state is wanted, by length: counted, ranked and drawn, all of it exact.

    Mutable: states are met, and words ahead of them counted, as far as lengths are asked for. A state has one
    number at all lengths, so that this is done once for each number of symbols left. All methods raise
    `ValueError` for a length or rank that does not fit.

    Parameters
    ----------
    machine
        Reads the words. Only equal states are merged, so anything may be wanted of them.
    wanted
        Whether words that end in these states are wanted; (S, k) → (S,).
    most_length
        Length of the longest words that may be asked for, in symbols.

    Examples
    --------
    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> majority = build_target(load("majority"))
    >>> words = UniformWords(majority, majority.labels, 150)
    >>> words.count(3), words.word_at(3, 0), words.count(149) == 2**148
    (4, (0, 1, 1), True)
    >>> words.draw(4, 2, np.random.default_rng(1)).shape
    (2, 4)
    """

    def __init__(self, machine: Target, wanted: Callable[[IntArray], BoolArray], most_length: int) -> None:
        self.machine, self.wanted, self.most_length = machine, wanted, most_length
        self._newest = machine.start()  # states whose successors are not known
        self._numbers = {self._newest.tobytes(): 0}
        self._is_wanted = wanted(self._newest)  # by the numbers of states, as the table of successors
        self._table = np.zeros((0, len(machine.alphabet)), dtype=np.int64)
        self._met = [1]  # how many states are met up to length 0, 1, …
        self._ahead = list[NDArray[Any]]()  # for 0, 1, … symbols left: wanted words ahead of each state

    def count(self, length: int) -> int:
        """The number of wanted words of a length.

        Costs an addition for each symbol, state and number of symbols left, once for all lengths up to this
        one. Raises `BudgetError` if states and numbers are more than `MOST_COUNTS` pairs.
        """
        if not 0 <= length <= self.most_length:
            raise ValueError(f"length = {length}; expected 0 to {self.most_length}; raise most_length")
        while len(self._met) <= length:
            self._meet()
        for left in range(length + 1) if length >= len(self._ahead) else ():
            known = self._ahead[left] if left < len(self._ahead) else np.zeros(0, dtype=np.int64)
            new = slice(len(known), self._met[length - left])
            if left == 0:
                counts = self._is_wanted[new].astype(np.int64)
            else:
                before = self._ahead[left - 1]
                is_small = int(before.max()) * self._table.shape[1] < SMALL
                counts = before[self._table[new]].astype(np.int64 if is_small else object).sum(axis=1)
            self._ahead[left : left + 1] = [np.concatenate([known, counts])]
        return int(self._ahead[length][0])

    def word_at(self, length: int, rank: int) -> Word:
        """The wanted word of a length that has ``rank`` such words before it in the order of their codes.

        Costs a step for each symbol.
        """
        number = self.count(length)
        if not 0 <= rank < number:
            raise ValueError(f"rank = {rank}; expected at least 0 and below {number}, the number of words")
        kind = np.int64 if number < SMALL else object
        return tuple(self._find(length, np.array([rank], dtype=kind))[0].tolist())

    def draw(self, length: int, number: int, rng: np.random.Generator) -> IntArray:
        """Draw words independently, each wanted one of a length equally likely; (number, length).

        Costs a step for each symbol of each word.
        """
        below = self.count(length)
        if not below:
            raise ValueError(f"length = {length}; expected one that has words; count() tells which have")
        if below < SMALL:
            return self._find(length, rng.integers(below, size=number))
        return self._find(length, np.array([draw_below(below, rng) for _ in range(number)], dtype=object))

    def _find(self, length: int, ranks: NDArray[Any]) -> IntArray:
        """The words of ranks; (N,) → (N, length)."""
        words, rows = np.empty((len(ranks), length), dtype=np.int64), np.arange(len(ranks))
        states = np.zeros(len(ranks), dtype=np.int64)
        for place in range(length):
            following = self._table[states]
            # At most all words of the length are ahead of a state on the way: int64 holds what ranks are.
            ahead = self._ahead[length - place - 1][following].astype(ranks.dtype)
            ends = ahead.cumsum(axis=1)
            codes = words[:, place] = (ranks[:, None] >= ends).sum(axis=1)
            ranks = ranks - (ends[rows, codes] - ahead[rows, codes])
            states = following[rows, codes]
        return words

    def _meet(self) -> None:
        """Meet the states that words lead to which are one symbol longer than before."""
        numbers, new = self._numbers, list[bytes]()
        table = np.empty((len(self._newest), self._table.shape[1]), dtype=np.int64)
        stepped = (self.machine.step(self._newest, code) for code in range(table.shape[1]))
        for code, states in enumerate(stepped):
            for place, row in enumerate(states):
                state = row.tobytes()
                if state not in numbers:
                    numbers[state] = len(numbers)
                    new.append(state)
                table[place, code] = numbers[state]
        if sum(self._met) + len(numbers) > MOST_COUNTS:
            raise BudgetError(
                f"words of length {len(self._met)}: the target has more than {MOST_COUNTS} states in all "
                "lengths up to there; expected fewer; ask for shorter words"
            )
        self._newest = np.frombuffer(b"".join(new), dtype=np.int64).reshape(len(new), self._newest.shape[1])
        self._table = np.concatenate([self._table, table])
        self._is_wanted = np.concatenate([self._is_wanted, self.wanted(self._newest)])
        self._met.append(len(numbers))


def draw_below(number: int, rng: np.random.Generator) -> int:
    """An integer from 0 to ``number`` − 1, each equally likely, however large; two tries or fewer on average.

    >>> draw_below(1, np.random.default_rng(0)), draw_below(10**40, np.random.default_rng(0)) < 10**40
    (0, True)
    """
    bits = (number - 1).bit_length()
    while (drawn := int.from_bytes(rng.bytes(-(-bits // 8)), "little") & ((1 << bits) - 1)) >= number:
        pass
    return drawn


def make_near_miss(word: Word, size: int, rng: np.random.Generator) -> Word:
    """Change a word a little: a symbol, a swap, a block doubled, moved or left out.

    The result may be the word itself.

    >>> make_near_miss((0, 0, 1, 1), 2, np.random.default_rng(2))
    (0, 1, 1)
    """
    if not word:
        return (int(rng.integers(size)),)
    letters = list(word)
    kind = int(rng.integers(8))
    i, j = sorted(int(k) for k in rng.integers(len(letters) + 1, size=2))
    if kind == 0:
        letters[min(i, len(letters) - 1)] = int(rng.integers(size))
    elif kind == 1:
        letters.insert(i, int(rng.integers(size)))
    elif kind == 2:
        del letters[min(i, len(letters) - 1)]
    elif kind == 3 and j < len(letters):
        letters[i], letters[j] = letters[j], letters[i]
    elif kind == 4:
        letters = letters[:j] + letters[i:j] + letters[j:]
    elif kind == 5:
        letters.insert(j, int(rng.integers(size)))
        letters.insert(i, int(rng.integers(size)))
    elif kind == 6:
        letters = letters[:i] + letters[j:]
    else:
        letters = letters[j:] + letters[:j]
    return tuple(letters)
