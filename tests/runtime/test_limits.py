"""Limits: met at safe points, enforced a moment later, and answered by a little time for the end."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from idinf.runtime import limits as module
from idinf.runtime.limits import Ending, Limits, Stop, StopReason, TimeIsUp
from idinf.runtime.memory import measure_resident_bytes
from idinf.runtime.signals import Requests


def spin() -> None:
    """Work that never stops by itself."""
    while True:
        pass


def wait() -> None:
    """Work that waits for a processor all the time."""
    while True:
        time.sleep(0.01)


def look(limits: Limits) -> None:
    """Work that looks at its limits all the time."""
    while True:
        limits.check()


def go_on() -> None:
    """Work that goes on after any error."""
    while True:
        try:
            spin()
        except Exception:
            continue


def grow(kept: list[bytes]) -> None:
    """Work that takes more and more memory."""
    while True:
        kept.append(os.urandom(2**16))


def signalled(number: int, after_s: float) -> threading.Timer:
    """Send a signal to this process in a moment."""
    timer = threading.Timer(after_s, os.kill, (os.getpid(), number))
    timer.start()
    return timer


def test_work_that_looks_stops_at_a_safe_point() -> None:
    limits = Limits(0.05, enforced=True)
    with pytest.raises(Stop, match=r"the time limit of 0\.05 s"), limits.held():
        look(limits)


def test_work_that_does_not_look_is_ended_a_moment_later() -> None:
    limits = Limits(0.05, enforced=True)
    with pytest.raises(TimeIsUp, match=r"the time limit of 0\.05 s"), limits.held():
        spin()
    assert 0.05 + module.GRACE_S <= limits.elapsed_s < 5


def test_whoever_goes_on_after_any_error_is_ended_as_well() -> None:
    limits = Limits(0.05, enforced=True)
    with pytest.raises(TimeIsUp), limits.held():
        go_on()


def test_limits_that_are_not_enforced_wait_for_a_safe_point() -> None:
    limits = Limits(0.0)
    with limits.held():
        time.sleep(module.GRACE_S + 0.3)
    assert limits.why_stop() == Ending(StopReason.TIME, "the time limit of 0 s ended the run")


def test_limits_inside_one_another_end_once_and_the_outer_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AGAIN_S", 0.2)
    outer, inner = Limits(60.0, enforced=True), Limits(0.05, enforced=True)
    with outer.held():
        with pytest.raises(TimeIsUp), inner.held():
            spin()
        time.sleep(module.GRACE_S + module.AGAIN_S)
        assert outer.why_stop() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU])
def test_a_signal_is_a_request(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    limits = Limits(enforced=True)
    with limits.requests.deferred(), limits.held():
        signal.raise_signal(number)
        assert limits.why_stop() == Ending(StopReason.INTERRUPTED, "interrupted")
        assert limits.requests.signal == number
        limits.closing()
        assert limits.why_stop() is None
        assert limits.requests.signal == number
    after = signal.signal(number, before)
    assert after is (signal.SIG_IGN if number == signal.SIGXCPU else before)


def test_a_signal_ends_work_that_does_not_look() -> None:
    limits = Limits(enforced=True)
    timer = signalled(signal.SIGTERM, 0.3)
    with limits.requests.deferred(), pytest.raises(KeyboardInterrupt), limits.held():
        spin()
    timer.join()
    assert limits.requests.signal == signal.SIGTERM


def test_the_second_signal_interrupts_but_that_of_a_spent_processor_does_not() -> None:
    requests = Requests()
    with requests.deferred():
        signal.raise_signal(signal.SIGXCPU)
        signal.raise_signal(signal.SIGXCPU)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        requests.answer()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        requests = Requests()
        with requests.deferred():
            signal.raise_signal(signal.SIGHUP)
        assert requests.signal is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_memory_that_grows_bit_by_bit_is_bounded() -> None:
    before = measure_resident_bytes()
    limits = Limits(memory_bytes=before + 64 * 2**20, enforced=True)
    kept: list[bytes] = []
    with pytest.raises(MemoryError), limits.held():
        grow(kept)
    # What other tests left free is used first, so this is less than all that is kept; memory is looked at now
    # and then, so it is a little more than the bound.
    assert measure_resident_bytes() - before < 160 * 2**20
    kept.clear()


def test_the_end_has_little_time_and_memory_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLOSING_S", 0.2)
    limits = Limits(0.0, enforced=True)
    with limits.held():
        with pytest.raises(TimeIsUp, match="the time limit of 0 s"):
            spin()
        limits.closing()
        begin = limits.elapsed_s
        with pytest.raises(TimeIsUp, match="the report of a stopped run"):
            spin()
    assert module.CLOSING_S <= limits.elapsed_s - begin < module.CLOSING_S + 2


def test_the_end_waits_for_the_processor_as_far_as_the_clock_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLOSING_S", 0.2)
    monkeypatch.setattr(module, "STARVED_S", 1.0)
    limits = Limits(0.0, enforced=True)
    with limits.held():
        limits.closing()
        begin = limits.elapsed_s
        with pytest.raises(TimeIsUp):
            wait()
    assert module.STARVED_S <= limits.elapsed_s - begin < 4


def test_what_is_beside_the_answer_waits_for_no_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLOSING_S", 0.2)
    limits = Limits(0.0, enforced=True)
    limits.closing()
    limits.hurry()
    begin = limits.elapsed_s
    with limits.held(), pytest.raises(TimeIsUp):
        wait()
    assert limits.elapsed_s - begin < module.STARVED_S / 2


def test_where_memory_ended_the_work_the_clock_goes_on() -> None:
    patient, hurried = Limits(), Limits(5.0)
    patient.closing()
    hurried.closing()
    assert module.PATIENT_S - 1 < patient.left_s <= module.PATIENT_S
    assert 4 < hurried.left_s <= 5
    hurried.closing()
    assert hurried.left_s <= module.CLOSING_S


def test_a_library_that_finds_no_room_is_a_lack_of_memory() -> None:
    limits = Limits(enforced=True)
    with pytest.raises(MemoryError, match="failed to map"), limits.held():
        raise ImportError("failed to map segment")
    with pytest.raises(ModuleNotFoundError), limits.held():
        raise ModuleNotFoundError("no such module")
