"""The judge of the upper-bound finder: words annealed against, words screened with, and the exact check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from idinf.space.grid import IntArray
from idinf.targets.machine import BoolArray, Target
from idinf.transformers.one_hot import OneHotTransformer
from idinf.upper_bound.annealing import Population
from idinf.upper_bound.evaluation import EvaluationWords
from idinf.upper_bound.vectors import Shape
from idinf.upper_bound.word_sample import MemberSampler, labels_of, near_misses, random_words, shortest_words
from idinf.words import Word

#: Words annealed against at first, and how long they are.
FIRST_SHORT, FIRST_MEMBERS, FIRST_LENGTH = 60, 25, 14

#: Words of one chunk of the screening, and the longest of them.
CHUNK, LONGEST = 700, 40


class CandidateTest:
    """The words a search uses and its exact check. Mutable: words are added where they refute something."""

    def __init__(
        self,
        target: Target,
        horizon: int,
        seed: int,
        counterexample: Callable[[OneHotTransformer], Word | None],
        cap: float,
    ) -> None:
        self.target, self._counterexample = target, counterexample
        self.cap = cap  # R of what is looked for
        self._rng = np.random.default_rng((seed, 7))
        self._sampler = MemberSampler(target)
        self._size = len(target.alphabet)
        self.words = self._sample(FIRST_SHORT, FIRST_MEMBERS, min(FIRST_LENGTH, horizon))
        self._added = 0
        self._screens = [
            self._sample(CHUNK, 0, horizon),
            self._sample(0, CHUNK // 3, min(12, horizon)),
            self._sample(0, CHUNK // 3, min(20, horizon)),
            random_words(self._size, min(20, horizon), CHUNK, self._rng),
            self._sample(0, CHUNK // 3, min(LONGEST, horizon)),
            random_words(self._size, min(LONGEST, horizon), CHUNK // 2, self._rng),
        ]
        self._batches: list[tuple[EvaluationWords, BoolArray]] = []
        self._shape: Shape | None = None

    def _sample(self, short: int, members: int, length: int) -> list[Word]:
        words = [word for word in shortest_words(self._size, short) if len(word) <= length] if short else []
        for _ in range(members):
            word = self._sampler.draw(int(self._rng.integers(1, length + 1)), self._rng)
            if word is not None:
                once = near_misses(word, self._size, self._rng)
                words += [word, once, near_misses(once, self._size, self._rng)]
        return [word for word in dict.fromkeys(words) if len(word) <= length] or [()]

    def refresh(self, shape: Shape, population: Population, always: bool = False) -> None:
        """Give a population the present words, if they are new to it."""
        if not always and not self._added:
            return
        self._added = 0
        labels = self.labels()
        # Members and others weigh the same together: sparse languages have hardly any members.
        weights = np.where(labels, 1 / max(labels.sum(), 1), 1 / max((~labels).sum(), 1))
        weights = np.clip(weights * len(labels) / 2, 0.5, 10.0)
        population.set_words(EvaluationWords(shape, self.words), labels, weights)

    def labels(self) -> BoolArray:
        """Labels of the words annealed against."""
        return labels_of(self.target, self.words)

    def survivors(self, shape: Shape, x: IntArray) -> IntArray:
        """The vectors nothing refutes, (K, C) → (K, S); a word against each other one is added."""
        alive = np.unique(x, axis=1)
        if shape is not self._shape:
            self._shape, self._batches = shape, []
        fresh: list[Word] = []
        for k, words in enumerate(self._screens):
            if not alive.shape[1]:
                break
            if k == len(self._batches):
                words = list(dict.fromkeys(words))
                self._batches.append((EvaluationWords(shape, words), labels_of(self.target, words)))
            batch, labels = self._batches[k]
            wrong = batch.verdicts(alive) != labels[:, None]
            refuted = wrong.any(axis=0)
            for column in np.flatnonzero(refuted)[:4]:
                bad = np.flatnonzero(wrong[:, column])
                lengths = np.array([len(batch.words[b]) for b in bad])
                fresh += [batch.words[bad[lengths.argmin()]], batch.words[int(self._rng.choice(bad))]]
            alive = alive[:, ~refuted]
        kept = []
        order = np.argsort(shape.regularizers(alive), kind="stable")
        for column in order:
            word = self._counterexample(shape.decode(alive[:, column], self.target.alphabet))
            if word is None:
                kept.append(column)
                break  # the others cost as much or more
            fresh.append(word)
        known = set(self.words)
        new = [word for word in dict.fromkeys(fresh) if word not in known]
        self.words += new
        self._added += len(new)
        return alive[:, kept]
