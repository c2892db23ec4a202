"""Helper processes without dask: sessions, their crashes, and nothing left when the other side is gone."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from idinf.runtime.cluster.worker import Helper, LostSession
from tests.asked_for import few

Receive, Send = Callable[[], bytes], Callable[[bytes], None]


class Echo:
    """A session that says its process id, and then what it hears, until it is told to end."""

    def __call__(self, receive: Receive, send: Send) -> None:
        send(str(os.getpid()).encode())
        while True:
            match receive():
                case b"crash":
                    os.kill(os.getpid(), signal.SIGKILL)
                case b"end":
                    return
                case b"hang":
                    time.sleep(600)
                case heard:
                    send(heard)


@pytest.fixture
def helper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Helper]:
    monkeypatch.setattr("idinf.runtime.cluster.worker.PRELOADED", ())
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    mine = Helper()
    yield mine
    mine.end()


def always() -> bool:
    return True


def begun(helper: Helper) -> int:
    helper.begin(pickle.dumps(Echo()))
    return int(helper.answer(always))


def is_there(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def wait_for_end(pid: int) -> None:
    for _ in range(100):
        if not is_there(pid):
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} is still there")


def test_a_session_has_a_process_of_its_own(helper: Helper) -> None:
    first = begun(helper)
    helper.give(b"x" * 300_000)
    assert helper.answer(always) == b"x" * 300_000
    second = begun(helper)
    assert second != first
    wait_for_end(first)


def test_a_crash_ends_the_session_and_not_the_helper(helper: Helper) -> None:
    begun(helper)
    helper.give(b"crash")
    with pytest.raises(LostSession, match="killed by signal 9"):
        helper.answer(always)
    assert is_there(begun(helper))


def test_the_end_of_a_session_is_not_that_of_the_next_one(helper: Helper) -> None:
    for _ in range(few(2, 5)):
        session = begun(helper)
        helper.give(b"end")
        wait_for_end(session)
        assert begun(helper) != session


def test_what_is_not_wanted_any_more_is_ended(helper: Helper) -> None:
    session = begun(helper)
    helper.give(b"hang")
    with pytest.raises(LostSession, match="not wanted"):
        helper.answer(lambda: False)
    helper.end()
    wait_for_end(session)


def test_a_helper_that_is_killed_is_told(helper: Helper) -> None:
    session = begun(helper)
    os.kill(helper._process.pid, signal.SIGKILL)
    with pytest.raises(LostSession):
        helper.answer(always)
    wait_for_end(session)
