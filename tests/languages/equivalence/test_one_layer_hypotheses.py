"""Nets of one layer as conditions on counts, against the reference on all words up to a length."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.languages.equivalence.conditions import Conditions, WordSlice
from idinf.languages.equivalence.one_layer import build_condition_of_hypothesis, has_one_layer
from idinf.nets import reference
from tests.languages.equivalence.languages_by_words import holds_on, random_dense
from tests.search.word_by_word import random_family_net


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(8))
def test_random_nets(seed):
    """ReLU units, periods and several heads among them."""
    rng = np.random.default_rng([111, seed])
    size = int(rng.integers(1, 3))
    net = random_dense(rng, size, 1, int(rng.integers(0, 3)))
    if seed >= 6:
        net = random_family_net(rng, size, (2,), 1, 3, kinds=("uniform",)).to_dense()
    assert has_one_layer(net)
    modulus = net.period * int(rng.integers(1, 3))
    for word in words_up_to(size, 6 if size == 1 else 4):
        if word:
            part, conditions = WordSlice(size, modulus, word[-1], len(word) % modulus), Conditions()
            condition = build_condition_of_hypothesis(net, part, conditions)
            assert holds_on(condition, conditions, part, word) == reference.accepts(net, word), word
