"""The pulse: it reaches work that looks at nothing, and is gone afterwards and in children."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from idinf.runtime.signals import call_at_every_tick


def spin() -> None:
    """Work that never stops by itself."""
    while True:
        pass


def test_what_a_watcher_raises_ends_work_that_looks_at_nothing() -> None:
    def end() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError), call_at_every_tick(end):
        spin()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_watchers_inside_one_another() -> None:
    seen: list[str] = []
    with call_at_every_tick(lambda: seen.append("outer")):
        with call_at_every_tick(lambda: seen.append("inner")):
            time.sleep(0.35)
        assert "inner" in seen
        del seen[:]
        time.sleep(0.35)
        assert set(seen) == {"outer"}
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_child_starts_without_watchers() -> None:
    with call_at_every_tick(lambda: os._exit(7) if os.getpid() != parent else None):
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            time.sleep(0.4)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_another_thread_is_left_alone() -> None:
    ended: list[str] = []

    def work() -> None:
        with call_at_every_tick(lambda: ended.append("ticked")):
            time.sleep(0.3)
        ended.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == ["done"]
