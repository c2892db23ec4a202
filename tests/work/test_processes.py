"""Pools of forked processes: what they say, ends without a word, and nothing left."""

import os
import signal
import time
from concurrent.futures.process import BrokenProcessPool

import pytest

from idinf.work.executors import Pool
from tests.search.leftovers import nothing_left


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Every test ends without new children and with the file descriptors it began with."""
    with nothing_left():
        yield


def test_several_pools_at_once_do_what_they_inherit():
    with Pool(2, lambda item: (item, os.getpid())) as one, Pool(1, lambda item: -item) as other:
        found = [future.result(30) for future in map(one.submit, range(20))]
        assert [item for item, _ in found] == list(range(20))
        assert os.getpid() not in {pid for _, pid in found}
        assert other.submit(7).result(30) == -7


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda item: os.kill(os.getpid(), signal.SIGKILL), "killed by signal 9"),
        (lambda item: os._exit(5), "exit code 5"),
    ],
)
def test_an_end_without_a_word_is_told_and_harms_no_other(end, how):
    with Pool(1, lambda item: time.sleep(0.2) or "fine") as other, Pool(1, end) as pool:
        fine = other.submit(0)
        with pytest.raises(BrokenProcessPool):
            pool.submit(0).result(30)
        with pytest.raises(BrokenProcessPool):  # whichever tells of it, the result or the next request
            pool.submit(1).result(30)
        assert pool.how_lost() == how
        assert fine.result(30) == "fine"


def test_closing_ends_what_runs_also_in_the_middle_of_a_large_result():
    started = time.monotonic()
    with Pool(2, lambda item: time.sleep(60)) as pool:
        pool.submit(0)
        pool.submit(1)
    with Pool(2, lambda item: b"x" * 2**26) as pool:
        for item in range(8):
            pool.submit(item)
        time.sleep(0.05)
    assert time.monotonic() - started < 30
