"""Candidates hold wherever words lead, as tightly as these words allow."""

from __future__ import annotations

import numpy as np

from idinf.equivalence.conditions import Inequality
from idinf.proofs.candidates import list_candidates, list_directions, list_plain
from idinf.proofs.samples import SampledStates, draw_sample
from idinf.words import words_up_to
from tests.asked_for import few
from tests.proofs.joint_runs import joint_of, run
from tests.search.known_hypotheses import KNOWN

D_3 = next(known.hypothesis for known in KNOWN if known.target == "d-3")


def test_they_hold_on_words_and_are_tight():
    joint = joint_of(D_3, "d-3")
    length = few(7, 9)
    reached = draw_sample(joint, length)
    wanted = list_directions(2, 4, [Inequality((1, 0, -1, 0), 2)])[0]
    claims = {
        place: (*list_plain(reached, place), *list_candidates(reached, wanted, place))
        for place in reached.counters
    }
    tight = set()
    for word in words_up_to(2, length):
        place, counters, _ = run(joint, word)
        for claim in claims[place]:
            assert claim.holds(counters), word
            if np.dot(claim.coefficients, counters) == claim.bound:
                tight.add((place, claim))
    assert tight == {(place, claim) for place, found in claims.items() for claim in found}


def reached_by(rows, early):
    return SampledStates({}, {"here": np.array(rows)}, {"here": early}, frozenset(), False)


def test_what_longer_words_still_move_is_left_out():
    rows = [[0, 0], [1, 0], [2, 5], [3, -1]]
    assert list_plain(reached_by(rows, 2), "here") == (Inequality((1, 0), 0),)
    assert list_plain(reached_by(rows, 4), "here") == (Inequality((1, 0), 0), Inequality((0, 1), -1))
    assert Inequality((0, 1), -1) not in list_candidates(reached_by(rows, 2), ((0, 1),), "here")


def test_plain_ones_are_equations_and_least_values():
    """i = 2 · (i div 2) + 1 at every place with odd i."""
    found = list_plain(reached_by([[1, 0, 0], [2, 1, 1], [0, 3, 1], [5, 0, 2]], 4), "here")
    assert set(found) >= {Inequality((1, 1, -2), 1), Inequality((-1, -1, 2), -1), Inequality((0, 1, 0), 0)}
