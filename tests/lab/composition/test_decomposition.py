"""Decompositions beside all subsets, their quantifiers one by one, and Lemma 4.3."""

import itertools
from collections import defaultdict

import pytest

from idinf.lab.composition.protocol import (
    Decomposition,
    count_allowed,
    find_difference,
    fool,
    reached,
    search_largest,
    ship,
    simulate,
)
from idinf.lab.composition.task import Sizes

SMALL, TWO = Sizes(2, (1,)), Sizes(2, (2,))


class Says:
    """A protocol for L = 2 with one message, as a function of a view."""

    name, epochs, bits = "says", 2, 4

    def __init__(self, place, said):
        self.place, self.said = place, said

    def message(self, epoch, sender, receiver, view):
        return self.said(view) if (epoch, sender, receiver) == self.place else ""

    def answer(self, view):
        return 0


def everything(sizes: Sizes) -> Decomposition:
    """R and Z without any restriction."""
    upper = tuple((inputs,) for inputs in sizes.alternatives(2))
    return Decomposition(2, upper, tuple(tuple(sizes.alternatives(player)) for player in (0, 1)))


def test_largest_sets_beside_all_subsets() -> None:
    """L = 2, m = 2, n_1 = 1: every R of the four maps z_2, tried from the definition."""
    protocol = ship("reveal", SMALL)
    uppers = list(SMALL.alternatives(2))
    best: dict[tuple[int, int, int], int] = defaultdict(int)
    subsets = [
        [c for k in range(1, 5) for c in itertools.combinations(SMALL.alternatives(player), k)]
        for player in (0, 1)
    ]
    for z0s, z1s in itertools.product(*subsets):
        cover = len({z1[z0] for (z0,) in z0s for z1 in z1s})
        for size in range(1, 5):
            for chosen in itertools.combinations(uppers, size):
                same = True
                for (z0,), z1 in itertools.product(z0s, z1s):
                    runs = [
                        [
                            m.bits
                            for m in simulate(protocol, {-1: (0,), 0: (z0,), 1: z1, 2: z2}).messages
                            if m.sender == 2
                        ]
                        for z2 in chosen
                    ]
                    same = same and all(run == runs[0] for run in runs)
                if same:
                    key = len(z0s), len(z1s), cover
                    best[key] = max(best[key], size)
    found = {(*row.kept, row.cover): len(row.decomposition.upper) for row in search_largest(protocol, SMALL)}
    assert found == best


def test_a_right_protocol_never_exceeds_what_the_lemma_allows() -> None:
    rows = search_largest(ship("reveal", TWO), TWO)
    assert all(len(row.decomposition.upper) <= count_allowed(TWO, row.cover) for row in rows)
    assert all(find_difference(ship("reveal", TWO), TWO, row.decomposition) is None for row in rows[:3])


def test_nothing_said_is_fooled() -> None:
    silent = ship("silent", TWO)
    whole = everything(TWO)
    assert find_difference(silent, TWO, whole) is None
    assert reached(TWO, whole.lower) == {0, 1}
    pair = fool(silent, TWO, whole)
    assert pair is not None
    assert pair.first.solve() != pair.second.solve()
    assert (pair.first.z0, pair.first.maps[0], pair.first.w) == (
        pair.second.z0,
        pair.second.maps[0],
        pair.second.w,
    )
    for task in (pair.first, pair.second):
        assert simulate(silent, task.inputs()).answer == pair.answer == 0


def first_value(view):
    return f"{view.tokens(2)[0]:02b}"


@pytest.mark.parametrize("place", [(1, 2, -1), (2, 2, -1), (1, 2, 0), (2, 2, 0), (1, 2, 1), (2, 2, 1)])
def test_every_epoch_and_every_lower_player_counts(place: tuple[int, int, int]) -> None:
    difference = find_difference(Says(place, first_value), TWO, everything(TWO))
    assert difference is not None
    assert (difference.epoch, difference.sender, difference.receiver) == place
