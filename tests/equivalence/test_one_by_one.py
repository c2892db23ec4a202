"""Words in turn: the least difference, and how far the comparison has come."""

from __future__ import annotations

import numpy as np

from idinf.equivalence.one_by_one import first_difference_one_by_one
from idinf.targets.regular import RegularTarget
from idinf.words import Alphabet
from tests.equivalence.languages_by_words import least_difference, random_dense, random_regex


def test_nets_and_regexes():
    rng = np.random.default_rng(61)
    lengths = set()
    for _ in range(5):
        net = random_dense(rng, 2, 1, 0)
        regex = RegularTarget.from_regex(random_regex(rng, "ab"), Alphabet(("a", "b")))
        for sides in ((net, regex), (regex, net), (net, net), (regex, regex)):
            beaten = []
            found = first_difference_one_by_one(*sides, 4, beaten.append)
            assert found == least_difference(*sides, 4)
            assert beaten[-1] == (3 if found is None else len(found) - 1)
            lengths.add(beaten[-1])
    assert len(lengths) > 2
