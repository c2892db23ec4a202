"""The judge of the upper-bound finder: words annealed against, words screened with, and the exact check.

Not all words fit. Random words of a sparse language are all negative, and of a dense one all positive, so
members are drawn by walking only through states from which the language can still be reached; near misses are
members with a symbol or a block changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from idinf.base.words import Word, words_up_to
from idinf.nets.one_hot import OneHotTransformer
from idinf.search.meter import CellMeter
from idinf.search.upper.vectors import EvaluationWords, VectorShape
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.targets.drawing import make_near_miss
from idinf.targets.machine import BoolArray, Target

#: Words annealed against at first, and how long they are.
FIRST_SHORT, FIRST_MEMBERS, FIRST_LENGTH = 60, 25, 14
CHUNK, LONGEST = 700, 40  #: words of one chunk of the screening, and the longest of them
CELLS_OF_STEP = 100_000  #: cells that are looked at in the time of one step of work
LOCAL = 4  #: how many times as long a cell takes where weights depend on the position
#: States of the target kept for each length when members are drawn; more are not needed for variety.
MAX_STATES = 3000


class CandidateJudge:
    """The words a search uses and its exact check. Mutable: words are added where they refute something."""

    def __init__(
        self,
        target: Target,
        horizon: int,
        seed: int,
        counterexample: Callable[[OneHotTransformer], Word | None],
        cap: float,
        count: Callable[[int], None] = lambda work: None,
    ) -> None:
        self.target, self._counterexample = target, counterexample
        self.cap = cap  # R of what is looked for
        self._cells = CellMeter(count, CELLS_OF_STEP)
        self._rng = np.random.default_rng((seed, 7))
        self._sampler = MemberSampler(target)
        self._size = len(target.alphabet)
        self.words = self._sample(FIRST_SHORT, FIRST_MEMBERS, min(FIRST_LENGTH, horizon))
        self.labels = label_words(target, self.words)
        screens = [
            self._sample(CHUNK, 0, horizon),
            self._sample(0, CHUNK // 3, min(12, horizon)),
            self._sample(0, CHUNK // 3, min(20, horizon)),
            draw_random_words(self._size, min(20, horizon), CHUNK, self._rng),
            self._sample(0, CHUNK // 3, min(LONGEST, horizon)),
            draw_random_words(self._size, min(LONGEST, horizon), CHUNK // 2, self._rng),
        ]
        self._screens = [[*dict.fromkeys(words)] for words in screens]
        self._batches: list[tuple[EvaluationWords, BoolArray]] = []
        self._shape: VectorShape | None = None

    def _sample(self, short: int, members: int, length: int) -> list[Word]:
        words = list_shortest_words(self._size, short) if short else []
        for _ in range(members):
            word = self._sampler.draw(int(self._rng.integers(1, length + 1)), self._rng)
            if word is not None:
                once = make_near_miss(word, self._size, self._rng)
                words += [word, once, make_near_miss(once, self._size, self._rng)]
        return [word for word in dict.fromkeys(words) if len(word) <= length] or [()]

    def spend_on(self, shape: VectorShape, vectors: int) -> None:
        """Count cells (vector × word × parameter) before vectors are judged; may raise to stop."""
        self._cells.spend(vectors * len(self.words) * shape.size * (1 if shape.uniform else LOCAL))

    def survivors(self, shape: VectorShape, x: IntArray) -> IntArray:
        """The cheapest vector that nothing refutes, (K, C) → (K, S); a word against each other is added."""
        alive = np.unique(x, axis=1)
        self._cells.spend(alive.shape[1] * CHUNK * shape.size)
        if shape is not self._shape:
            self._shape, self._batches = shape, []
        fresh: list[Word] = []
        for k, words in enumerate(self._screens):
            if not alive.shape[1]:
                break
            if k == len(self._batches):
                self._batches.append((EvaluationWords(shape, words), label_words(self.target, words)))
            batch, labels = self._batches[k]
            wrong = batch.verdicts(alive) != labels[:, None]
            refuted = wrong.any(axis=0)
            for column in np.flatnonzero(refuted)[:4]:
                bad = np.flatnonzero(wrong[:, column])
                lengths = np.array([len(words[b]) for b in bad])
                fresh += [words[bad[lengths.argmin()]], words[int(self._rng.choice(bad))]]
            alive = alive[:, ~refuted]
        kept = []
        for column in np.argsort(shape.regularizers(alive), kind="stable"):
            word = self._counterexample(shape.decode(alive[:, column], self.target.alphabet))
            if word is None:
                kept.append(column)
                break  # the others cost as much or more
            fresh.append(word)
        known = set(self.words)
        if new := [word for word in dict.fromkeys(fresh) if word not in known]:
            self.words = [*self.words, *new]
            self.labels = np.append(self.labels, label_words(self.target, new))
        return alive[:, kept]


def label_words(target: Target, words: list[Word]) -> BoolArray:
    """Whether each word is in the language, (W,); exact.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> label_words(build_target(load("tomita-1")), [(), (1, 0), (1,)]).tolist()
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


def list_shortest_words(size: int, most: int) -> list[Word]:
    """All words of length 0, 1, … as long as there are at most ``most`` of them together.

    >>> len(list_shortest_words(2, 20)), len(list_shortest_words(1, 5))
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


def draw_random_words(size: int, length: int, count: int, rng: np.random.Generator) -> list[Word]:
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
