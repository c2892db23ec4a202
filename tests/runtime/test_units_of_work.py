"""Units of work: the same results in the same order whatever is recalled and whoever works."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from idinf.runtime import units_of_work as module
from idinf.runtime.journal import Journal
from idinf.runtime.parallel import Workers
from idinf.runtime.units_of_work import GROUP, UnitsOfWork, count_array_bytes


class Work:
    """Sums groups and counts calls; fails from a number of calls on, as a kill would."""

    def __init__(self, calls_before_a_kill=10**9):
        self.calls, self.limit = 0, calls_before_a_kill

    def begin(self):
        return self

    def __call__(self, group):
        if self.calls == self.limit:
            raise KeyboardInterrupt
        self.calls += 1
        return sum(group), len(group)


def want(number):
    groups = [range(number)[k : k + GROUP] for k in range(0, number, GROUP)]
    return [(sum(group), len(group)) for group in groups]


@pytest.mark.parametrize("number", [0, 1, GROUP, GROUP + 1, 10 * GROUP + 3])
@pytest.mark.parametrize("jobs", [1, 2])
def test_groups_in_order(number, jobs, monkeypatch):
    for units, size in ((1024, 2**20), (3, 2**20), (1, 0)):
        monkeypatch.setattr(module, "MAX_UNITS_AT_ONCE", units)
        monkeypatch.setattr(module, "MAX_BYTES_AT_ONCE", size)
        all_work = UnitsOfWork(Workers(jobs, patience_s=0.0))
        assert list(all_work.run(("key",), iter(range(number)), Work().begin)) == want(number)


def untouched():
    raise AssertionError("the items of a finished unit are not built again")
    yield


@pytest.mark.parametrize("last", [None, lambda: "last"])
def test_a_finished_key_is_recalled_without_its_items(tmp_path, last):
    end = [] if last is None else ["last"]
    with Journal(tmp_path / "run", {}) as journal:
        all_work = UnitsOfWork(Workers(1), journal)
        for key, number in ((("a",), 40), (("b",), 0)):
            assert list(all_work.run(key, iter(range(number)), Work().begin, last)) == want(number) + end
    with Journal(tmp_path / "run", {}, resume=True) as journal:
        all_work, work = UnitsOfWork(Workers(2), journal), Work()
        for key, number in ((("a",), 40), (("b",), 0)):
            never = None if last is None else untouched
            assert list(all_work.run(key, untouched(), work.begin, never)) == want(number) + end
        assert work.calls == 0


def test_no_key_keeps_nothing(tmp_path):
    with Journal(tmp_path / "run", {}) as journal:
        list(UnitsOfWork(Workers(1), journal).run(None, iter(range(40)), Work().begin))
        assert len(journal._places) == 0


@pytest.mark.parametrize("portion", [1024, 2])
def test_a_run_that_was_killed_does_only_what_is_missing(tmp_path, portion, monkeypatch):
    monkeypatch.setattr(module, "MAX_UNITS_AT_ONCE", portion)
    number = 7 * GROUP
    done = 0
    for allowed in (2, 0, 3):
        work = Work(allowed)
        with Journal(tmp_path / "run", {}, resume=True) as journal, pytest.raises(KeyboardInterrupt):
            list(UnitsOfWork(Workers(1), journal).run((1,), iter(range(number)), work.begin, lambda: "end"))
        done += work.calls
    assert done == 5
    work = Work()
    with Journal(tmp_path / "run", {}, resume=True) as journal:
        assert list(
            UnitsOfWork(Workers(1), journal).run((1,), iter(range(number)), work.begin, lambda: "end")
        ) == [
            *want(number),
            "end",
        ]
    assert work.calls == 2


@pytest.mark.parametrize("damaged", [0, 3, 6, "end"])
def test_a_damaged_unit_of_a_finished_key_is_done_again(tmp_path, damaged):
    number = 7 * GROUP
    with Journal(tmp_path / "run", {}) as journal:
        list(UnitsOfWork(Workers(1), journal).run((1,), iter(range(number)), Work().begin, lambda: "end"))
        start = journal._places[journal._digest((1, damaged))][1]
    (path,) = (tmp_path / "run").glob("units-*.log")
    content = bytearray(path.read_bytes())
    content[start + 30] ^= 1
    path.write_bytes(content)
    work = Work()
    with Journal(tmp_path / "run", {}, resume=True) as journal:
        results = list(
            UnitsOfWork(Workers(1), journal).run((1,), iter(range(number)), work.begin, lambda: "end")
        )
    assert results == [*want(number), "end"]
    assert work.calls == (damaged != "end")


@dataclass
class Pair:
    one: object
    other: object


def test_array_bytes():
    row = np.zeros(10)
    assert count_array_bytes(Pair((row, [row]), {"not": "looked into"})) == 160
    assert count_array_bytes(("text", 1, None)) == 0
