"""Many words read by one machine at once, and what a target says about them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from idinf.crasp.interpreter import WordBatch
from idinf.spec.spec import END
from idinf.targets.machine import IntArray, Target
from idinf.targets.supervised import SupervisedTarget

#: Prefixes that a target is asked about at once, roughly.
ROWS = 2**15

#: What a target says after one prefix: the next symbols, or None where it does not judge.
Sets = tuple[str, ...] | None


def read_words(machine: Target, batch: WordBatch) -> Iterator[tuple[IntArray, IntArray, int]]:
    """Read all words together: at every position, from 0 on, the words that are as long, with their states.

    Gives the numbers of these words, (S,), their states, (S, k), and how many go on: those come first.

    >>> from idinf.crasp.interpreter import lay_out_words
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.base.words import Alphabet
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


def name_next(target: SupervisedTarget, batch: WordBatch) -> tuple[list[Sets], IntArray, list[bool]]:
    """The right next symbols after every prefix of every word, and which words are in the domain.

    Gives different sets, which of them stands after each prefix, (words, longest length + 1), with −1
    behind the end of a word, and whether each word counts. The same as `SupervisedTarget.next_symbols` and
    `SupervisedTarget.is_counted` of each word.
    """
    marks = target.outputs + 1  # a truth value for each output, and whether the target judges at all
    packed = np.zeros((len(batch), batch.codes.shape[1] + 1, -(-marks // 8)), dtype=np.uint8)
    counted = np.zeros(len(batch), dtype=np.bool_)
    met: list[tuple[IntArray, IntArray, int]] = []
    for place, (words, states, going) in enumerate(read_words(target, batch)):
        if going < len(words):
            counted[words[going:]] = target.distance(states[going:]) == 0
        met.append((words, states, place))
        if going and len(words) * len(met) < ROWS:
            continue
        after = np.concatenate([states for _, states, _ in met])
        judged = target.is_place(after)[:, None]
        bits = np.packbits(np.hstack([judged, target.labels(after) & judged]), axis=1)
        places = np.repeat([place for _, _, place in met], [len(words) for words, _, _ in met])
        packed[np.concatenate([words for words, _, _ in met]), places] = bits
        met.clear()
    rows = packed.reshape(-1, packed.shape[2])
    numbers = _number_rows(rows)
    examples = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    examples[numbers] = np.arange(len(rows))
    symbols = (*target.alphabet.symbols, END)
    unpacked = np.unpackbits(rows[examples], axis=1, count=marks).tolist()
    sets = [tuple(itertools.compress(symbols, labels)) if judged else None for judged, *labels in unpacked]
    numbers = numbers.reshape(packed.shape[:2])
    numbers[np.arange(numbers.shape[1]) > batch.lengths[:, None]] = -1
    return sets, numbers, counted.tolist()


def _number_rows(rows: NDArray[np.uint8]) -> IntArray:
    """Number rows of bytes from 0 on, equal ones alike; (S, bytes) → (S,)."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        numbers = numbers * 256 + column
        found = np.flatnonzero(np.bincount(numbers))
        places = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
        places[found] = np.arange(len(found))
        numbers = places[numbers]
    return numbers
