"""Words as prefix trees, one for every N, with their labels and counts, against words one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.short_words.prefix_trees import (
    ShortWords,
)
from idinf.targets.machine import accepts
from idinf.words import words_up_to
from tests.search.random_nets import random_target

SIZES = [(1, 9), (2, 5), (3, 3), (2, 0)]


def drawn(size, length, seed=0):
    rng = np.random.default_rng([size, length, seed])
    target = random_target(rng, size)
    return rng, target, ShortWords.of(target, length), list(words_up_to(size, length))


@pytest.mark.parametrize(("size", "length"), SIZES)
def test_the_tree_has_one_row_per_word(size, length):
    _, target, short, words = drawn(size, length)
    tree = short.tree
    assert [short.word(k) for k in range(len(words))] == words
    assert len(tree) == len(words)
    assert short.labels.tolist() == [accepts(target, w) for w in words]
    assert tree.lengths.tolist() == [len(w) for w in words]
    assert [words[k] for k in tree.parent] == [w[:-1] for w in words]
    assert tree.symbol.tolist() == [w[-1] + 1 if w else 0 for w in words]
    assert tree.total.tolist() == [len(w) + 1 for w in words]
    assert tree.word.tolist() == tree.final.tolist() == list(range(len(words)))
    for n in range(length + 2):
        assert short.up_to(n) == sum(len(w) <= n for w in words)


def rows_of_forest(size, length):
    """Every (N, prefix) with N > its length, by length of the prefix, then N, then the prefix."""
    words = list(words_up_to(size, length))
    return [
        (N, prefix)
        for i in range(length + 1)
        for N in range(i + 1, length + 2)
        for prefix in words
        if len(prefix) == i
    ]


@pytest.mark.parametrize(("size", "length"), SIZES)
def test_the_forest_has_one_tree_for_every_input_length(size, length):
    _, _, short, words = drawn(size, length)
    forest, want = short.forest, rows_of_forest(size, length)
    place = {row: k for k, row in enumerate(want)}
    assert list(zip(forest.total.tolist(), [words[k] for k in forest.word], strict=True)) == want
    assert len(forest) == len(want)
    assert forest.parent.tolist() == [place[N, prefix[:-1]] for N, prefix in want]
    assert forest.symbol.tolist() == [prefix[-1] + 1 if prefix else 0 for _, prefix in want]
    assert forest.lengths.tolist() == [len(prefix) for _, prefix in want]
    assert forest.starts == tuple(sum(len(p) < i for _, p in want) for i in range(length + 2))
    assert forest.final.tolist() == [place[len(word) + 1, word] for word in words]


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize(("size", "length"), [(1, 7), (2, 4), (3, 2)])
def test_counts_and_ancestors_run_along_prefixes(size, length, deep):
    rng, _, short, words = drawn(size, length)
    tree = short.forest if deep else short.tree
    rows = rows_of_forest(size, length) if deep else [(None, word) for word in words]
    place = {row: k for k, row in enumerate(rows)}
    bits = rng.random((2, 3, len(rows))) < 0.5
    counts = tree.accumulate(bits)
    for distance in (0, 2, 1, length + 2):
        ancestor = tree.ancestor(distance)
        assert ancestor.tolist() == [place[N, w[: max(len(w) - distance, 0)]] for N, w in rows]
    for k, (N, word) in enumerate(rows):
        prefixes = [place[N, word[:i]] for i in range(len(word) + 1)]
        assert counts[..., k].tolist() == bits[..., prefixes].sum(axis=-1).tolist()
    assert bits.dtype == np.bool_  # what was counted is left alone


def test_first_difference():
    rng, _, short, words = drawn(2, 4)
    outputs = short.labels ^ (rng.random((200, len(words))) < 0.05)
    outputs[0] = short.labels
    outputs[1] = short.labels
    outputs[1, 0] ^= True
    want = [
        min((len(w) for w, x, y in zip(words, row, short.labels, strict=True) if x != y), default=-1)
        for row in outputs
    ]
    assert want[:2] == [-1, 0]
    assert short.first_difference(outputs).tolist() == want
