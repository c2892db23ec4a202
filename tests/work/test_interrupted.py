"""A search that is interrupted anywhere goes on as if nothing had been: what is slow is only done again."""

import random
import sys
from contextlib import suppress

import pytest

from idinf.inference.canonical import Canonical
from idinf.inference.table import FailTable
from idinf.search.enumeration import Search
from idinf.search.slice_types import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.asked_for import few
from tests.spaces import small_space

MAX_N = 8


class _Alarm:
    """Raises KeyboardInterrupt at the k-th call of a Python function. Mutable: it counts."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self, frame, event, argument):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        sys.settrace(self)

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)


def search_of(name: str, **bounds: float) -> Search:
    return Search(build_target(load(name)), small_space(**bounds), 2 * MAX_N)


def edges(search: Search, high: float) -> list[tuple[float, float]]:
    count = int((high - search.structures.floor) / 0.5) + 1
    return [(high - (k + 1) * 0.5, high - k * 0.5) for k in reversed(range(count))]


def empty_table(search: Search) -> FailTable:
    return FailTable(search.words.length, MAX_N, lambda n: 1 / (2 * n))


def answers(search: Search, table: FailTable, complete: float) -> list[object]:
    """All rows and records: what a report is made from."""
    canonical = Canonical(search, table, complete)
    rows = [(row.r, row.fail, row.found.outputs[row.index].tobytes()) for row in table.rows(complete)]
    return [sorted(rows, key=str), list(canonical.records()), canonical.limit]


CASES = {
    "accepted": ("dyck-1", {"layers": 2, "precision": 1}, 8.75),
    "symmetric": ("parity", {"layers": 2, "precision": 1}, 9.25),
    "next": ("tomita-1-next", {"layers": 2, "precision": 1}, 8.5),
}


# An interrupt in a generator that is thrown away is lost, as anywhere in Python; the next one is heard.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.thinned(3)
@pytest.mark.parametrize("case", CASES)
def test_interrupts_anywhere_leave_the_search_usable(case):
    name, bounds, high = CASES[case]
    calm = search_of(name, **bounds)
    table = empty_table(calm)
    for low, end in edges(calm, high):
        for found in list(calm.slice(low, end, table.words_needed(low), Mode())):
            table.add(found)
    want = answers(calm, table, high)

    rng, interrupts = random.Random(3), 0
    search = search_of(name, **bounds)
    table = empty_table(search)
    for low, end in edges(search, high):
        for _ in range(few(3, 6)):
            with suppress(KeyboardInterrupt), _Alarm(int(10 ** rng.uniform(0, 4.5))):
                list(search.slice(low, end, table.words_needed(low), Mode()))
                interrupts -= 1
            interrupts += 1
        for found in list(search.slice(low, end, table.words_needed(low), Mode())):
            table.add(found)
        for _ in range(2):  # the report of a run that was stopped here, and stopped again
            canonical = Canonical(search, table, end)
            with suppress(KeyboardInterrupt), _Alarm(int(10 ** rng.uniform(0, 4.5))):
                list(canonical.records())
    assert interrupts > few(8, 20)
    assert answers(search, table, high) == want
