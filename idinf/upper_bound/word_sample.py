"""Words to test hypotheses on where not all words fit: short ones, members of the target, near misses.

Random words of a sparse language are all negative, and of a dense one all positive. Members are drawn by
walking only through states from which the language can still be reached; near misses are members with a
symbol or a block changed.
"""

from __future__ import annotations

import itertools

import numpy as np

from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.targets.machine import BoolArray, Target
from idinf.words import Word, words_up_to

#: States of the target kept for each length when members are drawn; more are not needed for variety.
MAX_STATES = 3000


def labels_of(target: Target, words: list[Word]) -> BoolArray:
    """Whether each word is in the language, (W,); exact.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> labels_of(build_target(load("tomita-1")), [(), (1, 0), (1,)]).tolist()
    [True, False, True]
    """
    states = np.repeat(target.start(), len(words), axis=0)
    lengths = np.array([len(word) for word in words])
    codes = np.full((len(words), int(lengths.max(initial=0))), -1, dtype=np.int64)
    for row, word in enumerate(words):
        codes[row, : len(word)] = word
    for place in range(codes.shape[1]):
        for symbol in range(len(target.alphabet)):
            here = np.flatnonzero(codes[:, place] == symbol)
            if len(here):
                states[here] = target.step(states[here], symbol)
    return target.labels(states)


def shortest_words(size: int, most: int) -> list[Word]:
    """All words of length 0, 1, … as long as there are at most ``most`` of them together.

    Examples
    --------
    >>> len(shortest_words(2, 20)), len(shortest_words(1, 5))
    (15, 5)
    """
    length, count, level = 0, 1, 1
    while count + level * size <= most:
        level *= size
        count += level
        length += 1
    return list(words_up_to(size, length))


class MemberSampler:
    """Draws members of the language by length. Mutable: it extends its levels on demand."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._levels: list[IntArray] = [target.start()]
        self._next: list[IntArray] = []

    def draw(self, length: int, rng: np.random.Generator) -> Word | None:
        """A random member of the length, or None where there is none (or too many states to find one)."""
        while len(self._next) < length:
            self._extend()
        alive = self._target.labels(self._levels[length])
        useful = [alive]
        for step in reversed(self._next[:length]):
            alive = np.asarray(((step >= 0) & alive[step]).any(axis=1))
            useful.append(alive)
        useful.reverse()
        if not useful[0][0]:
            return None
        state, word = 0, []
        # Each word has favourite symbols: a fair walk hardly ever gets to the deep states.
        liking = rng.exponential(size=len(self._target.alphabet)) ** 3
        for n in range(length):
            following = self._next[n][state]
            choices = [code for code, s in enumerate(following) if s >= 0 and useful[n + 1][s]]
            chance = liking[choices].cumsum()
            code = choices[min(int(np.searchsorted(chance, rng.random() * chance[-1])), len(choices) - 1)]
            word.append(code)
            state = int(following[code])
        return tuple(word)

    def _extend(self) -> None:
        states = self._levels[-1]
        size = len(self._target.alphabet)
        steps = np.concatenate([self._target.step(states, code) for code in range(size)])
        first, group = group_rows(steps)
        places = first.argsort().argsort()[group]  # states are numbered as they come
        kept = np.sort(first)[:MAX_STATES]
        self._levels.append(steps[kept])
        self._next.append(np.where(places < len(kept), places, -1).reshape(size, -1).T)


def near_misses(word: Word, size: int, rng: np.random.Generator) -> Word:
    """Change a word a little: a symbol, a swap, a block doubled, moved or left out."""
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


def random_words(size: int, length: int, count: int, rng: np.random.Generator) -> list[Word]:
    """Words of up to ``length`` symbols: half uniform, half in runs of one symbol."""
    words: list[Word] = []
    for k in range(count):
        n = int(rng.integers(1, length + 1))
        if k % 2:
            words.append(tuple(int(code) for code in rng.integers(size, size=n)))
            continue
        runs = int(rng.integers(1, 2 * size + 3))
        longest = max(2, 2 * n // runs)
        pieces = [[int(rng.integers(size))] * int(rng.integers(1, longest + 1)) for _ in range(runs)]
        words.append(tuple(itertools.chain.from_iterable(pieces))[:length])
    return words
