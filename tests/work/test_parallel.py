"""Workers: the results of one process in the same order, and no child left whatever happens."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from idinf.errors import BudgetError
from idinf.work import parallel
from idinf.work.parallel import Learned, Workers
from tests.search.leftovers import nothing_left
from tests.work.process_tree import wait_for_end


def forking(jobs, **options):
    """Workers that fork at once, however short the work."""
    return Workers(jobs, patience_s=0.0, **options)


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Every test ends without new children and with the file descriptors it began with."""
    with nothing_left():
        yield


def where(item):
    return item, os.getpid()


@pytest.mark.thinned(9)
@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
@pytest.mark.parametrize("number", [0, 1, 2, 50])
def test_results_come_in_the_order_of_the_items(jobs, number):
    def work(item):
        time.sleep(0.002 * (item % 3))
        return where(item)

    results = list(forking(jobs).map(work, range(number)))
    assert [item for item, _ in results] == list(range(number))
    here = {pid for _, pid in results} == {os.getpid()}
    assert here == (jobs == 1 or number < 2) or not number
    assert len({pid for _, pid in results}) <= max(1, min(jobs, number))


def test_results_larger_than_a_pipe_and_than_the_bound_on_unread_ones(monkeypatch):
    monkeypatch.setattr(parallel, "MAX_UNREAD_BYTES", 100)
    monkeypatch.setattr(parallel, "MAX_AHEAD", 1)

    def work(item):
        time.sleep(0.05 if item == 0 else 0.0)
        return np.full(100_000, item)

    for item, result in enumerate(forking(3).map(work, range(12))):
        assert (result == item).all()
        assert len(result) == 100_000


class Refusal(Exception):
    """An error with more than a message."""

    def __init__(self, place):
        super().__init__(f"refused at {place}")
        self.place = place

    def __reduce__(self):
        return Refusal, (self.place,)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_in_its_turn_with_its_type(jobs):
    def work(item):
        if item >= 5:
            raise Refusal(item)
        return item

    seen = []
    with pytest.raises(Refusal, match="refused at 5") as caught:
        seen.extend(forking(jobs).map(work, range(20)))
    assert caught.value.place == 5
    assert seen == [0, 1, 2, 3, 4]
    if jobs > 1:
        assert "in work" in "".join(caught.value.__notes__)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("error", [MemoryError, BudgetError])
def test_what_a_share_of_the_memory_cannot_hold_is_done_alone(error):
    here = os.getpid()

    def work(item):
        if item % 7 == 3 and os.getpid() != here:
            raise error("too large for a share")
        return where(item)

    results = list(forking(2).map(work, range(20)))
    assert [item for item, _ in results] == list(range(20))
    assert [item for item, pid in results if pid == here] == [3, 10, 17]


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSEGV])
def test_a_child_that_dies_is_an_error_that_says_so(ending):
    def work(item):
        if item == 5:
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            os.kill(os.getpid(), ending)
        return item

    expected = f"ended unexpectedly .killed by signal {int(ending)}.*lower --jobs or --memory"
    with pytest.raises(BudgetError, match=expected):
        list(forking(2).map(work, range(20)))


def test_what_children_learn_is_known_to_those_that_start_later():
    memory = Learned({"before": 0})

    def work(item):
        if item == 9:
            raise Refusal(item)
        if item not in memory:
            memory[item] = os.getpid()
        return memory[item]

    workers = forking(2, memories=[Learned(), memory])
    first = list(workers.map(work, range(6)))
    assert os.getpid() not in first
    assert memory == {"before": 0, **dict(enumerate(first))}
    assert list(workers.map(work, range(6))) == first
    with pytest.raises(Refusal):
        list(workers.map(work, range(8, 10)))


@pytest.mark.parametrize("error", [KeyboardInterrupt, Refusal])
def test_a_stop_at_a_checkpoint_ends_the_children(error):
    calls = []

    def checkpoint():
        calls.append(None)
        if len(calls) == 3:
            raise error(0)

    started = time.monotonic()
    with pytest.raises(error):
        list(forking(2, checkpoint=checkpoint).map(lambda item: time.sleep(60), range(4)))
    assert time.monotonic() - started < 5


ORPHANS = """
import os, sys, time
from idinf.work.parallel import Workers
def work(item):
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getpid()}\\n")
    while True:
        sum(range(1000))
list(Workers(2, patience_s=0.0).map(work, range(2)))
"""


def test_children_end_when_their_parent_is_killed(tmp_path):
    notes = tmp_path / "pids"
    parent = subprocess.Popen([sys.executable, "-c", ORPHANS, str(notes)])
    pids = []
    deadline = time.monotonic() + 30
    while len(pids) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
        pids = notes.read_text().split() if notes.exists() else []
    parent.kill()
    parent.wait(timeout=30)
    assert len(pids) == 2
    assert wait_for_end(set(map(int, pids)), 30.0) == set()
