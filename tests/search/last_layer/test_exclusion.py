"""Certificates that are handed on: by words, the most useful ones, and only where all their words count."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.last_layer.certificates import Certificate
from idinf.search.last_layer.exclusion import (
    CARRIED,
    HANDED_ON,
    SharedCertificates,
    share_certificates,
)
from idinf.search.short_words.prefix_trees import ShortWords
from tests.search.random_nets import random_target


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_certificate_comes_back_under_the_indices_of_other_words(size):
    target = random_target(np.random.default_rng(size), size)
    short = ShortWords.of(target, 4)
    kept = Certificate(np.array([1, 3]), np.array([5, -7]))
    learned = share_certificates((((kept, 2),), ()), short)
    assert learned == ((0, (short.word(1), short.word(3)), (5, -7), 2),)
    known = SharedCertificates()
    known.learn(learned)
    more = ShortWords.and_prefixes(target, [*(short.word(k) for k in range(len(short.labels))), (0,) * 6])
    ((again,), none) = known.known(more, len(more.labels))
    assert [more.word(k) for k in again.words] == [short.word(1), short.word(3)]
    assert again.weights.tolist() == [5, -7]
    assert none == ()
    assert known.known(more, 3) == ((), ())  # the word of index 3 does not count
    assert known.known(ShortWords.of(target, 0), 1) == ((), ())


def test_the_most_useful_are_kept_and_uses_fade():
    short = ShortWords.of(random_target(np.random.default_rng(0), 2), 4)
    used = tuple((Certificate(np.array([k]), np.array([1])), k) for k in range(1, 10))
    learned = share_certificates(((), used), short)
    assert [times for _, _, _, times in learned] == list(range(9, 9 - HANDED_ON, -1))
    known = SharedCertificates()
    known.learn(learned)
    assert [int(kept.words[0]) for kept in known.known(short, len(short.labels))[1]] == [9, 8, 7, 6, 5, 4]
    known.learn([(1, (short.word(4),), (1,), 6)])
    assert known.known(short, len(short.labels))[1][0].words[0] == 4
    for _ in range(4):
        known.fade()
    assert known.known(short, len(short.labels)) == ((), ())
    known.learn((0, (short.word(k % 31),), (k + 1,), 1) for k in range(2 * CARRIED))
    assert len(known.known(short, len(short.labels))[0]) == CARRIED
