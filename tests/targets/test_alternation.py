"""Changes along u y^k against all words u, one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from idinf.targets.alternation import LONGEST_LOOP, count_changes
from idinf.targets.machine import accepts
from idinf.words import words_up_to
from tests.search.random_nets import random_dfa


def plain_changes(target, length, period):
    """The same by membership of whole words, with every u."""
    size, most = len(target.alphabet), {}
    loops = [y for n in range(1, LONGEST_LOOP + 1) for y in itertools.product(range(size), repeat=n)]
    for y in loops:
        q = math.lcm(len(y), period)
        most.setdefault(q, 0)
        for u in words_up_to(size, max(length - 2 * q, 0)):
            words = [u + y * (k * q // len(y)) for k in range(1, (length - len(u)) // q + 1)]
            labels = [accepts(target, word) for word in words]
            most[q] = max(most[q], sum(a != b for a, b in itertools.pairwise(labels)))
    return most


@pytest.mark.parametrize("seed", range(6))
def test_changes_of_random_automata(seed):
    target = random_dfa(np.random.default_rng(seed), 1 + seed % 2, 2 + seed % 4)
    for length, period in ((6, 1), (7, 2), (1, 1)):
        assert count_changes(target, length, period) == plain_changes(target, length, period)
