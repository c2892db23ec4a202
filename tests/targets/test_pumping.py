"""Words drawn from automata: what they are for, their lengths and number, always the same."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regular import draw_pumped_words
from tests.search.random_nets import random_dfa


@pytest.mark.parametrize("seed", range(12))
def test_lengths_and_number_are_kept(seed):
    target = random_dfa(np.random.default_rng(seed), 1 + seed % 3, 2 + seed % 5)
    words = draw_pumped_words(target, 3, 9, 12)
    assert words == draw_pumped_words(target, 3, 9, 12)
    assert len(set(words)) == len(words) <= 12
    assert list(words) == sorted(words, key=lambda word: (len(word), word))
    assert all(3 <= len(word) <= 9 and set(word) <= set(range(1 + seed % 3)) for word in words)
    assert set(words) <= set(draw_pumped_words(target, 3, 9, 10**6))


def test_the_word_that_tells_deep_dyck_languages_apart_is_drawn():
    d_12, dyck = (build_target(load(name)) for name in ("d-12", "dyck-1"))
    words = draw_pumped_words(d_12, 12, 26, 40)
    assert {accepts(d_12, word) for word in words} == {False, True}
    assert (0,) * 13 + (1,) * 13 in words
    assert any(accepts(d_12, word) != accepts(dyck, word) for word in words)
