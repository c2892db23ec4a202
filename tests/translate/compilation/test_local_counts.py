"""The heads that look back, at every query and N in reach, with every number of other positions that hold."""

from __future__ import annotations

import pytest

from idinf.translate.compilation.local_counts import LocalHead, _tells, build_local_head, find_telling


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
    assert wrong(build_local_head(distance), 36) == []


def told_wrongly(distance: int, width: int, hits: int, factor: int, at_sos: int, largest: int) -> bool:
    """Whether average > c · m and at least m hits differ somewhere, N up to a length."""
    for N in range(1, largest + 1):
        for i in range(N):
            heavy = [i - d for d in range(distance, distance + width) if d <= i]
            weights = len(heavy) * N + i + 1 - len(heavy)
            in_word = sum(j >= 1 for j in heavy)
            sos = at_sos * (N if 0 in heavy else 1)
            for held in range(in_word + 1):
                for more in range(i - in_word + 1):
                    total = factor * (width + 1) * (held * N + more) + sos
                    if (total > factor * hits * weights) != (held >= hits):
                        return True
    return False


@pytest.mark.parametrize("distance", range(1, 6))
@pytest.mark.parametrize("width", range(2, 6))
def test_several_distances_for_every_n(distance: int, width: int) -> None:
    for hits in range(1, width + 1):
        found = find_telling(distance, width, hits)
        assert found is None or not told_wrongly(distance, width, hits, *found, 20)
        for at_sos in (-2, -1, 0, 1):  # what is refused is wrong somewhere
            told = _tells(distance, width, hits, 1, at_sos)
            assert told != told_wrongly(distance, width, hits, 1, at_sos, 20)
    assert distance > width + 1 or find_telling(distance, width, width) == (1, 0)


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
