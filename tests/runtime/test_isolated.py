"""Processes of their own: results, words on the way, ends without a result, and nothing left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from idinf.errors import BudgetError
from idinf.runtime.isolated import Event, Isolated
from tests.search.leftovers import nothing_left


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Every test ends without new children and with the file descriptors it began with."""
    with nothing_left():
        yield


def gathered(processes, patience_s=30.0):
    """All messages until no process runs."""
    found, until = [], time.monotonic() + patience_s
    while len(processes):
        assert time.monotonic() < until
        found += processes.messages(0.05)
    return found


def test_results_and_words_on_the_way():
    def work(tell):
        tell("half")
        return os.getpid()

    with Isolated() as processes:
        for key in (3, 1):
            processes.start(key, work)
        assert len(processes) == 2
        found = gathered(processes)
    for key in (3, 1):
        events = [(message.event, message.value) for message in found if message.key == key]
        assert [event for event, _ in events] == [Event.TOLD, Event.RESULT]
        assert events[0][1] == "half"
        assert events[1][1] != os.getpid()


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda tell: os.kill(os.getpid(), signal.SIGKILL), "killed by signal 9"),
        (lambda tell: os._exit(5), "exit code 5"),
        (lambda tell: lambda: "cannot be pickled", "exit code 0"),
        (lambda tell: 1 // 0, "exit code 0"),
    ],
)
def test_an_end_without_a_result_harms_no_other(end, how, capfd):
    with Isolated() as processes:
        processes.start(0, lambda tell: time.sleep(0.2) or "fine")
        processes.start(1, end)
        found = {message.key: message for message in gathered(processes)}
    assert (found[0].event, found[0].value) == (Event.RESULT, "fine")
    assert (found[1].event, found[1].value) == (Event.LOST, how)


def test_a_large_result_comes_whole():
    with Isolated() as processes:
        processes.start(0, lambda tell: b"x" * 3_000_000)
        (message,) = gathered(processes)
    assert message.value == b"x" * 3_000_000


def test_closing_ends_what_runs():
    started = time.monotonic()
    with Isolated() as processes:
        processes.start(0, lambda tell: time.sleep(60))
        processes.start(1, lambda tell: time.sleep(60))
    assert len(processes) == 0
    assert time.monotonic() - started < 30


def test_requests_to_stop_are_not_for_children():
    with Isolated() as processes:
        processes.start(0, lambda tell: (tell(os.getpid()), time.sleep(0.4), "done")[2])
        (told,) = processes.messages(30.0)
        for request in (signal.SIGINT, signal.SIGTERM):
            os.kill(told.value, request)
        assert [message.value for message in gathered(processes)] == ["done"]


def test_no_further_process(monkeypatch):
    def refuse():
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("os.fork", refuse)
    with Isolated() as processes, pytest.raises(BudgetError, match="lower --jobs"):
        processes.start(0, lambda tell: None)


def test_a_child_ends_when_its_parent_is_killed():
    code = (
        "import os, time\nfrom idinf.runtime.isolated import Isolated\n"
        "processes = Isolated()\n"
        "def work(tell):\n    print(os.getpid(), flush=True)\n    time.sleep(60)\n"
        "processes.start(0, work)\ntime.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    until = time.monotonic() + 20
    while os.path.exists(f"/proc/{child}/stat"):
        with open(f"/proc/{child}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[0] == "Z":
                break
        assert time.monotonic() < until
        time.sleep(0.05)
    parent.stdout.close()
