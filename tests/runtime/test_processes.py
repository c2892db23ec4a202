"""Children: what they say, ends without a word, and nothing left."""

from __future__ import annotations

import os
import signal
import time

import pytest

from idinf.runtime.processes import Children, Lost
from tests.search.leftovers import nothing_left


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Every test ends without new children and with the file descriptors it began with."""
    with nothing_left():
        yield


def gathered(children, patience_s=30.0):
    """All messages of each child until none runs."""
    found, until = {pipe: [] for pipe in children.running}, time.monotonic() + patience_s
    while children.running:
        assert time.monotonic() < until
        for pipe, message in children.received(0.05):
            found[pipe].append(message)
    return list(found.values())


def test_messages_come_in_order_and_the_end_is_told():
    def life(pipe):
        pipe.send("half")
        pipe.send(os.getpid())

    with Children() as children:
        pids = list(map(children.running.get, [children.start(life), children.start(life)]))
        assert len(children.running) == 2
        assert gathered(children) == [["half", pid, Lost("exit code 0")] for pid in pids]
    assert os.getpid() not in pids


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda pipe: os.kill(os.getpid(), signal.SIGKILL), "killed by signal 9"),
        (lambda pipe: os._exit(5), "exit code 5"),
        (lambda pipe: pipe.send(lambda: "cannot be pickled"), "exit code 0"),
        (lambda pipe: 1 // 0, "exit code 0"),
    ],
)
def test_an_end_without_a_word_harms_no_other(end, how, capfd):
    with Children() as children:
        children.start(lambda pipe: time.sleep(0.2) or pipe.send("fine"))
        children.start(end)
        assert gathered(children) == [["fine", Lost("exit code 0")], [Lost(how)]]


def test_closing_ends_what_runs():
    started = time.monotonic()
    with Children() as children:
        children.start(lambda pipe: time.sleep(60))
        children.start(lambda pipe: time.sleep(60))
    assert not children.running
    assert time.monotonic() - started < 30
