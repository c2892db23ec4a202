"""The pulse: it reaches work that looks at nothing, and is gone afterwards."""

from __future__ import annotations

import gc
import signal
import time

import pytest

from idinf.work.signals import call_at_every_tick


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


def test_what_is_raised_inside_a_finalizer_is_raised_again() -> None:
    """Python drops it there with a message on stderr, which pytest takes for a failure."""

    def collect(phase: str, info: dict[str, int]) -> None:
        time.sleep(0.3)

    def end() -> None:
        raise TimeoutError

    def work() -> None:
        gc.collect()
        gc.callbacks.remove(collect)
        spin()

    gc.callbacks.append(collect)
    with pytest.raises(TimeoutError), call_at_every_tick(end):
        work()
