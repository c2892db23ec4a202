"""Many words read by one machine at once, and what a target says about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from idinf.crasp.batch import WordBatch
from idinf.experiments.spec import END
from idinf.targets.machine import IntArray, Target
from idinf.targets.supervised import SupervisedTarget

#: What a target says after one prefix: the next symbols, or None where it does not judge.
Sets = tuple[str, ...] | None


def read_words(machine: Target, batch: WordBatch) -> Iterator[tuple[IntArray, IntArray, int]]:
    """Read all words together: at every position, from 0 on, the words that are as long, with their states.

    Gives the numbers of these words, (S,), their states, (S, k), and how many go on: those come first.

    Examples
    --------
    >>> from idinf.crasp.batch import lay_out_words
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.words import Alphabet
    >>> ends_in_a = RegularTarget.from_regex(".*a", Alphabet(("a", "b")))
    >>> [(words.tolist(), states[:, 0].tolist(), goes_on)
    ...  for words, states, goes_on in read_words(ends_in_a, lay_out_words([(), (0, 1)]))]
    [([1, 0], [0, 0], 1), ([1], [1], 1), ([1], [0], 0)]
    """
    order = np.argsort(-batch.lengths, kind="stable")
    codes, lengths = batch.codes[order], batch.lengths[order]
    states = np.repeat(machine.start(), len(batch), axis=0)
    for place in range(int(lengths.max(initial=0)) + 1):
        going = int(np.searchsorted(-lengths, -place))  # those with more symbols than this position
        yield order[: len(states)], states, going
        if not going:
            return
        states, column = states[:going], codes[:going, place]
        after = np.empty_like(states)
        for code in np.flatnonzero(np.bincount(column)).tolist():
            rows = np.flatnonzero(column == code)
            after[rows] = machine.step(states[rows], code)
        states = after


def answer_words(target: SupervisedTarget, batch: WordBatch) -> tuple[list[bool], list[bool]]:
    """Which words a target of acceptance accepts, and which are in its domain."""
    accepted, counted = np.zeros((2, len(batch)), dtype=np.bool_)
    for words, states, going in read_words(target, batch):
        accepted[words[going:]] = target.labels(states[going:])
        counted[words[going:]] = target.distance(states[going:]) == 0
    return accepted.tolist(), counted.tolist()


def name_next(target: SupervisedTarget, batch: WordBatch) -> tuple[list[list[Sets]], list[bool]]:
    """The right next symbols after every prefix of every word, and which words are in the domain.

    The same as `SupervisedTarget.next_symbols` and `SupervisedTarget.is_counted` of each word.
    """
    named: list[list[Sets]] = [[] for _ in range(len(batch))]
    counted = np.zeros(len(batch), dtype=np.bool_)
    symbols, known = (*target.alphabet.symbols, END), dict[bytes, Sets]()
    for words, states, going in read_words(target, batch):
        labels = np.ascontiguousarray(np.packbits(target.labels(states), axis=1))
        judged = target.is_place(states).tolist()
        keys = labels.view(np.dtype((np.void, labels.shape[1])))[:, 0].tolist()
        for word, key, here in zip(words.tolist(), keys, judged, strict=True):
            if key not in known:
                known[key] = _read(key, symbols)
            named[word].append(known[key] if here else None)
        counted[words[going:]] = target.distance(states[going:]) == 0
    return named, counted.tolist()


def _read(key: bytes, symbols: Sequence[str]) -> Sets:
    bits = np.unpackbits(np.frombuffer(key, dtype=np.uint8))[: len(symbols)].tolist()
    return tuple(symbol for symbol, holds in zip(symbols, bits, strict=True) if holds)
