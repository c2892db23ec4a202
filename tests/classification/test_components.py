"""Components and lengths modulo the period, against reachability and walks."""

from __future__ import annotations

import random

import numpy as np

from idinf.classification.components import measure_levels, number_components
from tests.classification.classes_by_definition import components_by_reach, random_dfa


def test_components_are_those_of_reachability() -> None:
    rng = random.Random(3)
    for _ in range(200):
        table, _ = random_dfa(rng, 8, rng.randint(1, 3))
        number = number_components(np.array(table))
        found = {frozenset(np.flatnonzero(number == own).tolist()) for own in range(number.max() + 1)}
        assert found == set(map(frozenset, components_by_reach(table)))
        # What a component leads to has a smaller number.
        assert all(number[q] >= number[p] for q, row in enumerate(table) for p in row)


def test_lengths_of_walks_agree_with_the_levels() -> None:
    rng = random.Random(4)
    for _ in range(60):
        table, _ = random_dfa(rng, 6, 2)
        number = number_components(np.array(table))
        level, period = measure_levels(np.array(table), number)
        for start in range(len(table)):
            at, met = {start}, {}
            for length in range(40):
                for state in at:
                    met.setdefault(state, set()).add(length)
                at = {p for q in at for p in table[q] if number[p] == number[start]}
            own = int(period[number[start]])
            for state, lengths in met.items():
                expected = int(level[state] - level[start])
                assert all((length - expected) % own == 0 if own else length == 0 for length in lengths)
            loops = [length for length in met[start] if length > 0]
            assert (int(np.gcd.reduce(loops)) if loops else 0) == own
