"""The heads that look back, at every query and N in reach, with every number of other positions that hold."""

from __future__ import annotations

import pytest

from idinf.translation.local_counts import LocalHead, local_head


def firing(head: LocalHead, N: int, i: int, held: bool, others: int) -> bool:
    """2 · average > 1, in integers: `held` at i − k ≥ 1, and `others` of the other positions j ≥ 1."""
    heavy, weight = i - head.distance, N**head.logit
    at_sos = head.at_sos * (weight if heavy == 0 else 1)
    total = at_sos + (weight * held if heavy >= 1 else 0) + others
    weights = weight + i if heavy >= 0 else i + 1
    return 2 * total > weights


def wrong(head: LocalHead, largest: int) -> list[tuple[int, int, bool, int]]:
    """All (N, i, P(i − k), others) up to a length on which the unit answers wrongly."""
    found = []
    for N in range(1, largest + 1):
        for i in range(N):
            heavy = i - head.distance >= 1
            for held in (False, True) if heavy else (False,):
                most = i - 1 if heavy else i
                found += [
                    (N, i, held, others)
                    for others in range(most + 1)
                    if firing(head, N, i, held, others) != held
                ]
    return found


@pytest.mark.parametrize("distance", range(1, 13))
def test_every_distance_for_every_n(distance: int) -> None:
    assert wrong(local_head(distance), 36) == []


def test_far_distances() -> None:
    assert wrong(local_head(40), 60) == []


@pytest.mark.parametrize(
    ("fault", "i", "held"),
    [
        (LocalHead(3, 1, 0), 2, False),  # nothing is heavy yet, and 2/3 hold
        (LocalHead(3, 2, 0), 2, False),
        (LocalHead(3, 1, -3), 4, True),  # SOS outweighs the key that is meant
        (LocalHead(1, 0, 0), 2, True),  # nothing is ever heavy
    ],
)
def test_planted_faults_are_caught(fault: LocalHead, i: int, held: bool) -> None:
    assert any(case[1:3] == (i, held) for case in wrong(fault, 6))


def test_what_a_unit_sees_is_bounded() -> None:
    head = local_head(5)
    assert (head.phi, head.least) == ((0, 0, 0, 0, 0, 2), -11)
