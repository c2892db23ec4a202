"""The least B beside protocols that are gone through function by function, without partitions."""

from __future__ import annotations

import itertools

import pytest

from idinf.composition.least import bound_least, count_ways, search
from idinf.composition.task import Sizes
from idinf.errors import CompositionError


def solvable_by_functions(m: int, bits: int) -> bool:
    """L = 1: all functions from maps, and from starts, to messages of so many bits."""
    maps = list(itertools.product(range(m), repeat=m))
    for told in itertools.product(range(2**bits), repeat=len(maps)):
        for start in itertools.product(range(2**bits), repeat=m):
            heard: dict[tuple[int, int], int] = {}
            if all(
                heard.setdefault((a, start[z0]), z1[z0]) == z1[z0]
                for z1, a in zip(maps, told, strict=True)
                for z0 in range(m)
            ):
                return True
    return False


@pytest.mark.parametrize("bits", [0, 1, 2])
def test_one_map_beside_all_functions(bits: int) -> None:
    assert search(Sizes(2), bits) is solvable_by_functions(2, bits) is (bits == 2)


def test_least_b_of_one_map() -> None:
    for m, b in {1: 0, 2: 1, 3: 3, 4: 4, 5: 6, 6: 8}.items():
        assert 4**b >= m**m > 4 ** (b - 1) or m == 1
        assert (bound_least(Sizes(m)).lower, bound_least(Sizes(m)).upper) == (b, b)


@pytest.mark.parametrize(
    ("m", "n", "bounds"), [(1, 1, (0, 0)), (2, 1, (1, 1)), (2, 2, (1, 1)), (3, 1, (1, 1)), (4, 4, (2, 4))]
)
def test_least_b_of_two_maps(m: int, n: int, bounds: tuple[int, int]) -> None:
    found = bound_least(Sizes(m, (n,)))
    assert (found.lower, found.upper) == bounds


@pytest.mark.parametrize(("m", "n", "bits", "right"), [(2, 1, 0, False), (2, 1, 1, True), (1, 2, 1, True)])
def test_two_maps_searched(m: int, n: int, bits: int, right: bool) -> None:
    assert search(Sizes(m, (n,)), bits) is right


def test_ways_are_counted_from_partitions() -> None:
    # One bit: S(4, 2) = 7 for both z_0 from 2 and from 1 to 0, and once for each to -1; 4 blocks else.
    assert count_ways(Sizes(2, (1,)), 1) == 7**2 * 7**2 * 7 * 7
    assert count_ways(Sizes(100, (100,)), 1) == 2**4096


@pytest.mark.parametrize(
    ("sizes", "bits", "said"),
    [
        (Sizes(3, (1,)), 2, "the first epoch has at least 2.395 ways; expected at most"),
        (Sizes(3), 3, "the last epoch has"),
        (Sizes(4, (4,)), 64, "instances; expected at most"),
        (Sizes(2, (1, 1)), 2, "L = 3; expected 1 or 2"),
    ],
)
def test_large_searches_are_refused(sizes: Sizes, bits: int, said: str) -> None:
    with pytest.raises(CompositionError, match=said):
        search(sizes, bits)


def test_many_states_in_one_block_or_in_blocks_of_their_own() -> None:
    assert not search(Sizes(5), 0)
    assert not search(Sizes(1, (5,)), 0)
