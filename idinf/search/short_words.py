"""All words up to a screening length as arrays, with the target's label of each.

With uniform heads a unit is a Boolean function of the word read so far, so a unit's behaviour on all
positions of all words is one bit per word; the words form a tree in which the parent of a word is its
prefix. Everything the search decides on short words is decided on all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray
from idinf.targets.machine import Target

__all__ = ["BoolArray", "Features", "ShortWords", "screening_length"]


#: Number of words the screening looks at, at most: about a thousand rows keep a product of a few thousand
#: value vectors with all words inside the cache.
MAX_WORDS = 1100

#: Words up to this length are screened whatever their number: shorter ones leave floods of survivors.
MIN_LENGTH = 5


def screening_length(symbols: int, horizon: int) -> int:
    """Longest K ≤ ``horizon`` with at most ``MAX_WORDS`` words up to length K, or ``MIN_LENGTH``.

    Examples
    --------
    >>> screening_length(2, 128), screening_length(3, 128), screening_length(5, 128), screening_length(1, 40)
    (9, 6, 5, 40)
    """
    length, words, level = 0, 1, 1
    while length < horizon:
        level *= symbols
        if words + level > MAX_WORDS and length >= MIN_LENGTH:
            break
        words += level
        length += 1
    return length


@dataclass(frozen=True)
class Features:
    """What the units of one layer can read on every short word.

    Attributes
    ----------
    counts : (W, f) ndarray of int64
        Number of positions 0..n of the word with each feature: the sum a uniform head averages.
    last : (W, f) ndarray of int64
        The 0/1 features of the last position.
    positions : (W,) ndarray of int64
        n + 1, the number of keys of the last position.
    """

    counts: IntArray
    last: IntArray
    positions: IntArray

    @property
    def size(self) -> int:
        """Number f of features."""
        return int(self.counts.shape[1])

    @cached_property
    def rows(self) -> tuple[IntArray, IntArray]:
        """Distinct (counts, last) rows: index of a word for each row, and row of each word."""
        both = np.concatenate([self.counts, self.last], axis=1)
        return group_rows(both)

    def head(self, words: int) -> Features:
        """Restrict to the first ``words`` words."""
        return Features(self.counts[:words], self.last[:words], self.positions[:words])


@dataclass(frozen=True)
class ShortWords:
    """All words of length 0..``length`` in shortlex order, as a prefix tree.

    Attributes
    ----------
    parent : (W,) ndarray of int64
        Index of the word without its last symbol; 0 for ε itself.
    symbol : (W,) ndarray of int64
        1 + code of the last symbol, 0 for ε: the index of the token feature at the last position.
    starts : tuple of int
        ``starts[n]`` is the index of the first word of length n; one extra entry closes the list.
    labels : (W,) ndarray of bool
        Membership in the target.
    """

    symbols: int
    length: int
    parent: IntArray
    symbol: IntArray
    starts: tuple[int, ...]
    labels: BoolArray

    @staticmethod
    def of(target: Target, length: int) -> ShortWords:
        """Label all words up to ``length`` with one run of the target's machine per prefix."""
        size = len(target.alphabet)
        parents, symbols, starts = [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)], [0, 1]
        states = target.start()
        labels = [target.labels(states)]
        for _ in range(length):
            begin, width = starts[-2], len(states)
            steps = np.stack([target.step(states, code) for code in range(size)], axis=1)
            states = steps.reshape(width * size, -1)
            labels.append(target.labels(states))
            parents.append(np.repeat(np.arange(begin, begin + width), size))
            symbols.append(np.tile(np.arange(1, size + 1), width))
            starts.append(starts[-1] + width * size)
        return ShortWords(
            size,
            length,
            np.concatenate(parents),
            np.concatenate(symbols),
            tuple(starts),
            np.concatenate(labels),
        )

    def up_to(self, length: int) -> int:
        """Number of words of length at most ``length``."""
        return self.starts[min(length, self.length) + 1]

    def lengths(self) -> IntArray:
        """Length of every word, (W,)."""
        return np.repeat(np.arange(self.length + 1), np.diff(self.starts))

    def accumulate(self, bits: NDArray[np.integer]) -> NDArray[np.int16]:
        """Count, for every word, the prefixes (SOS included) on which a unit is 1.

        Parameters
        ----------
        bits : (..., W) integer ndarray
            Value of each unit on every word.

        Returns
        -------
        (..., W) ndarray of int16
        """
        counts = bits.astype(np.int16)
        for n in range(1, self.length + 1):
            level = slice(self.starts[n], self.starts[n + 1])
            counts[..., level] += counts[..., self.parent[level]]
        return counts

    @cached_property
    def tokens(self) -> Features:
        """Features of the first layer: one per token, ``$`` first."""
        last = np.zeros((len(self.parent), self.symbols + 1), dtype=np.int64)
        last[np.arange(len(self.parent)), self.symbol] = 1
        return Features(self.accumulate(last.T).T.astype(np.int64), last, self.lengths() + 1)

    def extend(self, features: Features, bits: BoolArray) -> Features:
        """Add units as features for later layers.

        Parameters
        ----------
        bits : (m, W) ndarray of bool
            Value of each new unit on every word.
        """
        counts = self.accumulate(bits.astype(np.int16))
        return Features(
            np.concatenate([features.counts, counts.T.astype(np.int64)], axis=1),
            np.concatenate([features.last, bits.T.astype(np.int64)], axis=1),
            features.positions,
        )

    def first_difference(self, outputs: BoolArray) -> IntArray:
        """Length of a shortest word on which an output differs from the target; -1 if there is none here.

        Parameters
        ----------
        outputs : (N, W) ndarray of bool

        Returns
        -------
        (N,) ndarray of int64
        """
        wrong = outputs != self.labels
        first = wrong.argmax(axis=1)
        return np.where(wrong[np.arange(len(wrong)), first], self.lengths()[first], -1)

    def word(self, index: int) -> tuple[int, ...]:
        """The word at an index, as symbol codes."""
        codes: list[int] = []
        while index:
            codes.append(int(self.symbol[index]) - 1)
            index = int(self.parent[index])
        return tuple(reversed(codes))
