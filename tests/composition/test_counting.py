"""What player L has to say, counted, beside protocols that are right, and Lemma 4.4 beside the definition."""

from __future__ import annotations

import itertools

import pytest

from idinf.composition.construction import construct
from idinf.composition.counting import bound_by_counting, count_told
from idinf.composition.decomposition import count_allowed, find_difference, search_largest
from idinf.composition.least import search
from idinf.composition.protocol import simulate
from idinf.composition.shipped import SHIPPED, ship, ship_all
from idinf.composition.task import Sizes

SIZES = [
    Sizes(m, n)
    for m in (1, 2, 3, 4, 7, 16, 40)
    for n in ((), (1,), (2,), (5,), (16,), (40,), (1, 1), (2, 3), (7, 2), (2, 2, 2))
    if m * len(n) < 100
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_no_right_protocol_is_below_the_bound(sizes: Sizes) -> None:
    bound = bound_by_counting(sizes)
    assert all(protocol.bits >= bound for protocol in ship_all(sizes))
    maps = sizes.domains[-1] ** sizes.domains[-1]
    assert 2 ** count_told(sizes, 2 * bound) >= maps
    assert bound == 0 or 2 ** count_told(sizes, 2 * bound - 2) < maps


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["reveal", "slice", "compose"])
@pytest.mark.parametrize(
    "sizes", [Sizes(2, (2,)), Sizes(3, (1,)), Sizes(2, (1, 1)), Sizes(2, (2, 1))], ids=str
)
def test_what_a_right_protocol_says_tells_the_last_map_and_is_no_more_than_counted(
    name: str, sizes: Sizes
) -> None:
    """The proof itself: with identities below, what player L writes in all is injective, and fits."""
    protocol, top = ship(name, sizes), sizes.layers
    lower = {player: tuple(range(sizes.domains[player - 1])) for player in range(1, top)}
    starts = list(itertools.product(sizes.alternatives(-1), sizes.alternatives(0)))
    seen: set[tuple[str, ...]] = set()
    most = 0
    for tokens in sizes.alternatives(top):
        said: dict[tuple[object, ...], str] = {}
        for w, z0 in starts:
            told = simulate(protocol, {-1: w, 0: z0, **lower, top: tokens})
            for m in told.messages:
                if m.sender == top and (m.receiver == -1 or m.epoch < top):
                    knows = {-1: (w, *(told.message(e, 0, -1).bits for e in range(1, m.epoch))), 0: z0}
                    place = m.epoch, m.receiver, knows.get(m.receiver)
                    assert said.setdefault(place, m.whole) == m.whole
        most = max(most, sum(map(len, said.values())))
        seen.add(tuple(said[place] for place in sorted(said, key=str)))
    assert len(seen) == sizes.count_alternatives(top)
    assert most <= count_told(sizes, 2 * protocol.bits)


@pytest.mark.parametrize("sizes", [Sizes(2), Sizes(2, (1,)), Sizes(1, (2,))], ids=str)
def test_the_bound_beside_an_exhaustive_search(sizes: Sizes) -> None:
    bound = bound_by_counting(sizes)
    assert search(sizes, 2 * bound)
    assert bound == 0 or not search(sizes, 2 * bound - 2)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("sizes", [Sizes(2, (2,)), Sizes(3, (1,))], ids=str)
def test_a_construction_is_indistinguishable_and_keeps_its_promises(name: str, sizes: Sizes) -> None:
    protocol = ship(name, sizes)
    for starts, maps in itertools.product(range(1, sizes.m + 1), (1, 2)):
        found = construct(protocol, sizes, starts, maps)
        chosen = found.largest.decomposition
        assert find_difference(protocol, sizes, chosen) is None
        assert found.frozen >= found.frozen_promised
        assert len(chosen.upper) >= found.promised == -(-sizes.count_alternatives(2) // 2**found.delta_bits)
        applies = len(chosen.upper) > count_allowed(sizes, found.largest.cover)
        assert applies == (name == "silent")


def test_a_construction_is_no_larger_than_the_largest() -> None:
    sizes = Sizes(2, (1,))
    for name in SHIPPED:
        protocol = ship(name, sizes)
        best = {
            (*row.kept, row.cover): len(row.decomposition.upper) for row in search_largest(protocol, sizes)
        }
        for starts, maps in itertools.product((1, 2), repeat=2):
            found = construct(protocol, sizes, starts, maps).largest
            assert len(found.decomposition.upper) <= best[*found.kept, found.cover]
