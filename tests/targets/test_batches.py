"""Many words at once beside each word alone, and no slower for next symbols than for acceptance."""

from __future__ import annotations

import time

import numpy as np
import pytest

from idinf.crasp.batch import lay_out_words
from idinf.experiments.catalogue import load
from idinf.targets.batches import answer_words, name_next
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.supervised import supervise
from idinf.words import words_up_to


def _words(target, length, rng):
    """All words up to a length in a random order, one more than once, and a few long ones."""
    size = len(target.alphabet)
    words = [*words_up_to(size, length), (0,), ()]
    rng.shuffle(words)
    return [*words, *(tuple(rng.integers(0, size, 40).tolist()) for _ in range(5)), (0,)]


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-4", "contains-ab-abc"])
def test_acceptance(name):
    target = supervise(build_target(load(name)))
    words = _words(target, 4, np.random.default_rng(1))
    accepted, counted = answer_words(target, lay_out_words(words))
    assert accepted == [accepts(target, word) for word in words]
    assert counted == [target.is_counted(word) for word in words]


@pytest.mark.parametrize(
    "name", ["tomita-2-next", "dyck-1-next", "induction-argmax-next", "sort-next", "addition-next"]
)
def test_next_symbols(name):
    target = supervise(build_target(load(name)))
    words = _words(target, 3, np.random.default_rng(2))
    named, counted = name_next(target, lay_out_words(words))
    assert list(map(tuple, named)) == [target.next_symbols(word) for word in words]
    assert counted == [target.is_counted(word) for word in words]


def test_no_words():
    target = supervise(build_target(load("dyck-1-next")))
    assert name_next(target, lay_out_words([])) == ([], [])
    assert answer_words(supervise(build_target(load("dyck-1"))), lay_out_words([])) == ([], [])


@pytest.mark.slow
def test_next_symbols_take_a_small_multiple_of_the_time_of_acceptance():
    """Processor time of pairs on the same words; a word at a time took seventy times as long."""
    rng = np.random.default_rng(3)
    batch = lay_out_words([tuple(rng.integers(0, 2, 60).tolist()) for _ in range(3_000)])
    plain, after = (supervise(build_target(load(name))) for name in ("dyck-1", "dyck-1-next"))

    def ratio():
        begun = time.process_time()
        answer_words(plain, batch)
        between = time.process_time()
        name_next(after, batch)
        return (time.process_time() - between) / (between - begun)

    assert min(ratio() for _ in range(5)) < 12
