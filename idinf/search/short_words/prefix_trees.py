"""Words that are screened, as prefix trees, with the target's label of each.

All words up to a screening length are. With uniform heads a unit is a Boolean function of the word read so
far, so its behaviour on all positions of all words is one bit per word. Any other head weighs keys by
N = n + 1 of the whole input: below the last layer a unit is then a function of (N, prefix), and the rows are
the nodes of one prefix tree for every N. Everything the search decides on short words is decided on all of
them.

Rows are *judged* where a position counts (`idinf.targets.supervised`): whole inputs for acceptance of every
word. For next symbols, and in a domain, a row is judged for the least length of a word that it counts in.
Where weights may depend on N next symbols are judged for every N at every prefix, so the tree is that of all
N.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word, words_up_to
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget, draw_pumped_words
from idinf.targets.supervised import SupervisedTarget, supervise

#: Number of words the screening looks at, at most: a hypothesis that passes costs an exact check, while
#: most fail on the first few dozen words of any list.
MAX_WORDS = 4200
#: Words up to this length are screened as long as there are not very many: shorter ones leave floods of
#: survivors.
MIN_LENGTH, VERY_MANY_WORDS = 5, 120_000
#: Longer words that are drawn from an automaton, at most, and how long they are, in its states.
DRAWN, TIMES_STATES = 40, 3
#: Longest word that is screened where weights depend on N: keeps them, and the trees for all N, small.
MAX_LENGTH_WITH_LOGITS = 20


def screening_length(symbols: int, horizon: int, logits: bool = False) -> int:
    """Longest K ≤ ``horizon`` with at most ``MAX_WORDS`` words up to length K, or about ``MIN_LENGTH``.

    At least 1; up to ``MIN_LENGTH`` if there are at most ``VERY_MANY_WORDS``; ``MAX_LENGTH_WITH_LOGITS`` at
    most if the space has heads that are not uniform.

    >>> screening_length(2, 128), screening_length(3, 128), screening_length(5, 128), screening_length(1, 40)
    (11, 7, 5, 40)
    >>> screening_length(1, 40, logits=True), screening_length(20, 128), screening_length(60, 128)
    (20, 3, 2)
    """
    if logits:
        horizon = min(horizon, MAX_LENGTH_WITH_LOGITS)
    length, words, level = 0, 1, 1
    while length < horizon:
        level *= symbols
        most = MAX_WORDS if length >= MIN_LENGTH else VERY_MANY_WORDS
        if words + level > most and length:
            break
        words += level
        length += 1
    return length


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """Prefixes of all words up to a length, by their own length."""

    parent: IntArray  #: (T,): row of the prefix without its last symbol; its own row for ε
    #: (T,): 1 + code of the last symbol, 0 for ε: the index of the token feature at the last position.
    symbol: IntArray
    #: ``starts[i]`` is the first row of a prefix of length i; one extra entry closes the list.
    starts: tuple[int, ...]
    #: (T,): N of the whole input of the prefix; n + 1 of the prefix where one row serves every N.
    total: IntArray
    word: IntArray  #: (T,): index of the prefix among the words
    #: (W,): rows that are judged, by the length of the word they count in; whole inputs in the order of the
    #: words for acceptance.
    final: IntArray

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def lengths(self) -> IntArray:
        """Length of every prefix, (T,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def accumulate(self, bits: NDArray[np.integer]) -> NDArray[np.int16]:
        """Count, for the first T' prefixes, the positions up to its end (SOS included) on which a unit is 1.

        (..., T') values of units to as many counts.
        """
        counts = bits.astype(np.int16)
        for begin, end in zip(self.starts[1:-1], self.starts[2:], strict=True):
            parents = self.parent[begin : min(end, counts.shape[-1])]
            counts[..., begin:end] += counts[..., parents]
        return counts

    @cached_property
    def _ancestors(self) -> list[IntArray]:
        return [np.arange(len(self.parent))]

    def ancestor(self, distance: int) -> IntArray:
        """Row of the prefix ``distance`` positions earlier; the row of ε beyond it, (T,)."""
        while len(self._ancestors) <= distance:
            self._ancestors.append(self.parent[self._ancestors[-1]])
        return self._ancestors[distance]


@dataclass(frozen=True, eq=False)
class ShortWords:
    """All words of length 0..``length`` that can count, in shortlex order."""

    symbols: int
    length: int
    tree: PrefixTree  #: one row per word, or for every N
    #: (W,) or (W, K): right answers on the judged rows: membership in the target, or K next symbols.
    labels: BoolArray
    ends: IntArray  #: (W,): length of the word that a judged row counts in, ascending
    every_N: bool = False  #: True if the rows of the tree are (N, prefix)

    @staticmethod
    def of(target: Target, length: int, every_N: bool = False) -> ShortWords:
        """Label all words up to ``length`` with one run of the target's machine per prefix.

        If asked, a position is judged for every N of a word that it counts in.
        """
        judge = supervise(target)
        return _judged(judge, length, lambda states, left: judge.distance(states) <= left, every_N)

    @staticmethod
    def and_prefixes(target: Target, words: Iterable[Word], every_N: bool = False) -> ShortWords:
        """Given words and all their prefixes instead of all words, otherwise the same."""
        closed = {tuple(word[:end]) for word in words for end in range(len(word) + 1)}
        level: list[Word] = [()]  # the requested words of one length

        def asked(states: IntArray, left: int) -> BoolArray:
            grown = [(*word, code) for word in level for code in range(len(target.alphabet))]
            level[:] = [word for word in grown if word in closed]
            return np.array([word in closed for word in grown])

        return _judged(supervise(target), max(map(len, closed), default=0), asked, every_N)

    def with_drawn(self, target: SupervisedTarget) -> ShortWords:
        """These words first, then some longer ones that are drawn from the automaton of a regular target.

        A few of them exclude most units that longer words exclude: D_5 in the space of its spec takes 60 s
        with 38 of them, and more than ten times as long without.
        """
        machine = target.machine
        if not isinstance(machine, RegularTarget) or self.every_N:
            return self
        longest = max(TIMES_STATES * len(machine.table), self.length)
        drawn = draw_pumped_words(machine, self.length + 1, longest, DRAWN)
        return ShortWords.and_prefixes(target, (*words_up_to(self.symbols, self.length), *drawn))

    @cached_property
    def forest(self) -> PrefixTree:
        """One prefix tree for every N = 1..``length`` + 1, rows by length of the prefix, then by N."""
        return self.tree if self.every_N else _forest(self.tree, self.length, self.tree.final)

    def rows_of(self, shorter: ShortWords, deep: bool) -> IntArray:
        """Rows of the tree, or of the forest if ``deep``, for the rows of the forest of shorter words.

        Raises ValueError for longer words, of which there are no rows here.
        """
        if shorter.length > self.length:
            raise ValueError(f"words up to length {shorter.length} have no rows among those to {self.length}")
        tree, few = (self.forest if deep else self.tree), shorter.forest
        if not deep and not self.every_N:
            return few.word
        size = int(tree.word.max()) + 1
        keys = tree.total * size + tree.word
        order = np.argsort(keys)
        return np.asarray(order[np.searchsorted(keys, few.total * size + few.word, sorter=order)])

    def up_to(self, length: int) -> int:
        """Number of rows judged for words of length at most ``length``."""
        return int(np.searchsorted(self.ends, length, side="right"))

    def columns(self, count: int) -> BoolArray:
        """Labels of the first judged rows, one column for each output, (count, K); K = 1 for acceptance."""
        labels = self.labels[:count]
        return labels if labels.ndim == 2 else labels[:, None]

    def first_difference(self, outputs: BoolArray) -> IntArray:
        """Length of a shortest word on which outputs differ from the target; -1 if there is none here.

        Outputs (N, W) or (N, W, K) to (N,).
        """
        wrong = outputs != self.labels
        wrong = wrong if wrong.ndim == 2 else wrong.any(axis=2)
        if not len(self.ends):
            return np.full(len(wrong), -1)
        first = wrong.argmax(axis=1)
        return np.where(wrong[np.arange(len(wrong)), first], self.ends[first], -1)

    def is_confused(self, period: int, length: int, counts: bool = False) -> bool:
        """True if no function of a position's symbol and residue is right on words of at most some length.

        A net without heads is such a function. With ``counts`` the function may also read how often each
        symbol stood at each residue so far. Nets whose heads are uniform and stand in one layer are such
        functions: the units below see symbol and residue alone, their averages are linear in these counts,
        and units above without heads see nothing else.

        >>> from idinf.targets.regular import RegularTarget
        >>> from idinf.base.words import Alphabet
        >>> even = ShortWords.of(RegularTarget.from_regex("(aa)*", Alphabet(("a",))), 4)
        >>> even.is_confused(1, 4), even.is_confused(2, 4), even.is_confused(1, 4, counts=True)
        (True, False, False)
        """
        key = period, counts
        if key not in self._confused_at:
            self._confused_at[key] = self._find_confusion(*key)
        return self._confused_at[key] <= length

    @cached_property
    def _confused_at(self) -> dict[tuple[int, bool], float]:
        return {}

    def _find_confusion(self, period: int, counts: bool) -> float:
        """Least length up to which words are confused, or infinity."""
        tree, rows = self.tree, self.tree.final
        kinds = (tree.symbol * period + tree.lengths % period)[None]
        if counts:
            every = np.arange((self.symbols + 1) * period)
            kinds = np.concatenate([kinds, tree.accumulate(kinds == every[:, None])])
        first, kind = group_rows(kinds[:, rows].T)
        labels = self.columns(len(rows))
        wrong = np.flatnonzero((labels != labels[first[kind]]).any(axis=1))
        return float(self.ends[wrong[0]]) if len(wrong) else math.inf

    def word(self, index: int) -> Word:
        """The word at an index, as symbol codes."""
        codes: list[int] = []
        while index:
            codes.append(int(self.tree.symbol[index]) - 1)
            index = int(self.tree.parent[index])
        return tuple(reversed(codes))


def _forest(tree: PrefixTree, length: int, final: IntArray) -> PrefixTree:
    """The tree of every N; ``final`` are the rows of the tree that are judged at their end."""
    levels = [np.arange(begin, end) for begin, end in zip(tree.starts, tree.starts[1:], strict=False)]
    parents, totals, words, starts = [], [], [], [0]
    for i, level in enumerate(levels):
        inputs = range(i + 1, length + 2)  # an input with a prefix of length i has N > i
        words.append(np.tile(level, len(inputs)))
        totals.append(np.repeat(np.arange(i + 1, length + 2), len(level)))
        if i == 0:
            parents.append(np.arange(len(inputs)))
        else:
            # The previous level has one more N, the least one, which ends there.
            above = len(levels[i - 1])
            blocks = starts[i - 1] + above * (1 + np.arange(len(inputs)))
            parent = tree.parent[level] - tree.starts[i - 1]
            parents.append((blocks[:, None] + parent).reshape(-1))
        starts.append(starts[-1] + len(words[-1]))
    # Whole inputs are the first rows of every level.
    whole = np.concatenate(
        [np.arange(begin, begin + len(level)) for begin, level in zip(starts, levels, strict=False)]
    )
    word = np.concatenate(words)
    return PrefixTree(
        np.concatenate(parents),
        tree.symbol[word],
        tuple(starts),
        np.concatenate(totals),
        word,
        whole[final],
    )


def _judged(
    judge: SupervisedTarget, length: int, keep: Callable[[IntArray, int], BoolArray], every_N: bool
) -> ShortWords:
    """Words up to a length, symbol by symbol: ``keep`` says which of those with one more symbol are listed.

    It is asked by the target's states after these words, and by how many symbols may still follow.
    """
    size = len(judge.alphabet)
    parents, symbols, starts = [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)], [0, 1]
    levels = [judge.start()]
    for more in range(length - 1, -1, -1):
        steps = np.stack([judge.step(levels[-1], code) for code in range(size)], axis=1)
        grown = steps.reshape(-1, steps.shape[2])
        kept = keep(grown, more)
        levels.append(grown[kept])
        parents.append(np.repeat(np.arange(*starts[-2:]), size)[kept])
        symbols.append(np.tile(np.arange(1, size + 1), len(steps))[kept])
        starts.append(starts[-1] + int(kept.sum()))
    parent, symbol, states = np.concatenate(parents), np.concatenate(symbols), np.concatenate(levels)
    lengths = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    every = np.arange(len(parent))
    ends = lengths + judge.due(states)
    tree = PrefixTree(parent, symbol, tuple(starts), lengths + 1, every, every)
    labels = judge.labels(states)
    if every_N:
        tree = _forest(tree, length, every)
        left, ends = tree.total - 1 - tree.lengths, tree.total - 1
        counted = np.zeros(len(tree), dtype=np.bool_)
        for k in range(length + 1):
            counted[left == k] = judge.counts(states[tree.word[left == k]], k)
        labels, ends = labels[tree.word], np.where(counted, ends, length + 1)
    order = np.argsort(ends, kind="stable")
    final = order[: int(np.searchsorted(ends[order], length, side="right"))]
    tree = replace(tree, final=final)
    return ShortWords(len(judge.alphabet), length, tree, labels[final], ends[final], every_N)
