"""Words as a prefix tree, their labels and counts, against words one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import random_target

from idinf.search.short_words import MAX_WORDS, MIN_LENGTH, ShortWords, screening_length
from idinf.targets.machine import accepts
from idinf.words import words_up_to


@pytest.mark.parametrize(("size", "length"), [(1, 9), (2, 5), (3, 3), (2, 0)])
def test_words_labels_parents_and_counts(size, length):
    rng = np.random.default_rng(size)
    target = random_target(rng, size)
    short = ShortWords.of(target, length)
    words = list(words_up_to(size, length))
    assert [short.word(k) for k in range(len(words))] == words
    assert len(short.parent) == len(words)
    assert short.labels.tolist() == [accepts(target, w) for w in words]
    assert short.lengths().tolist() == [len(w) for w in words]
    assert [words[k] for k in short.parent] == [w[:-1] for w in words]
    features = short.tokens
    for k, word in enumerate(words):
        tokens = [0, *(code + 1 for code in word)]
        assert features.counts[k].tolist() == [tokens.count(t) for t in range(size + 1)]
        assert features.last[k].tolist() == [int(tokens[-1] == t) for t in range(size + 1)]
        assert features.positions[k] == len(word) + 1
    for n in range(length + 2):
        assert short.up_to(n) == sum(len(w) <= n for w in words)


def test_extend_counts_a_unit_on_all_prefixes_with_epsilon():
    rng = np.random.default_rng(0)
    short = ShortWords.of(random_target(rng, 2), 5)
    words = list(words_up_to(2, 5))
    bits = rng.random((2, len(words))) < 0.5
    features = short.extend(short.tokens, bits)
    place = {w: k for k, w in enumerate(words)}
    for k, word in enumerate(words):
        prefixes = [place[word[:n]] for n in range(len(word) + 1)]
        assert features.counts[k, 3:].tolist() == bits[:, prefixes].sum(axis=1).tolist()
        assert features.last[k, 3:].tolist() == bits[:, k].tolist()
    assert features.head(7).counts.tolist() == features.counts[:7].tolist()
    assert features.size == 5


def test_first_difference():
    rng = np.random.default_rng(1)
    short = ShortWords.of(random_target(rng, 2), 4)
    words = list(words_up_to(2, 4))
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


@pytest.mark.parametrize("symbols", range(1, 8))
@pytest.mark.parametrize("horizon", [1, 2, 7, 4000])
def test_screening_length_is_the_longest_that_fits(symbols, horizon):
    length = screening_length(symbols, horizon)
    assert 1 <= length <= horizon

    def number(n):
        return sum(symbols**k for k in range(n + 1))

    assert number(length) <= MAX_WORDS or length == MIN_LENGTH
    assert length == horizon or (number(length + 1) > MAX_WORDS and length >= MIN_LENGTH)
