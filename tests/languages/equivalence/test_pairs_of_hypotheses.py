"""Hypotheses of the family against targets and each other: the least word, told by all words in turn."""

import numpy as np
import pytest

from idinf.languages.equivalence.comparison import find_first_difference
from idinf.targets.machine import accepts
from tests.languages.equivalence.languages_by_words import first_difference_of_answers
from tests.search.random_nets import random_target
from tests.search.word_by_word import all_answers, random_family_net, varied


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kinds", [("uniform",), ("uniform", "phi")])
def test_pairs_and_targets(kinds):
    rng = np.random.default_rng([51, len(kinds)])
    lengths = set()
    for _ in range(6):
        size = int(rng.integers(1, 3))
        length = {1: 7, 2: 4}[size]
        one = random_family_net(rng, size, (1, 1), int(rng.integers(0, 2)), int(rng.integers(1, 3)), kinds)
        other, target = varied(rng, one), random_target(rng, size)
        known, others = all_answers(one, length), all_answers(other, length)
        wanted = first_difference_of_answers(known, others)
        beaten = []
        assert find_first_difference(one, other, length, 10_000, beaten.append) == wanted
        assert beaten == list(range(length + 1 if wanted is None else len(wanted)))
        lengths.add(None if wanted is None else len(wanted))
        wanted = first_difference_of_answers(known, {word: accepts(target, word) for word in known})
        assert find_first_difference(one, target, length, 10_000) == wanted
    assert len(lengths) > 1
