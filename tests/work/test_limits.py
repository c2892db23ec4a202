"""Limits: met at safe points, and enforced a moment later."""

import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from idinf.work import limits as module
from idinf.work.limits import Ending, Limits, Stop, StopReason, TimeIsUp
from idinf.work.memory import bound_memory, measure_resident_bytes
from idinf.work.signals import PULSE_S, Requests, call_at_every_tick


def spin() -> None:
    """Work that never stops by itself."""
    while True:
        pass


def look(limits: Limits) -> None:
    """Work that looks at its limits all the time."""
    while True:
        limits.check()


def grow(kept: list[bytes]) -> None:
    """Work that takes more and more memory."""
    while True:
        kept.append(os.urandom(2**16))


def test_work_that_looks_stops_at_a_safe_point() -> None:
    limits = Limits(0.05, enforced=True)
    with pytest.raises(Stop, match=r"the time limit of 0\.05 s"), limits.held():
        look(limits)


def test_work_that_does_not_look_is_ended_a_moment_later() -> None:
    limits = Limits(0.05, enforced=True)
    with pytest.raises(TimeIsUp, match=r"the time limit of 0\.05 s"), limits.held():
        spin()
    assert 0.05 + module.GRACE_S <= limits.elapsed_s < 5


@pytest.mark.parametrize(
    ("work", "wanted"), [(spin, ["the time limit of 0.05 s ended the run"]), (lambda: None, [])]
)
def test_work_in_a_thread_is_ended_as_in_the_main_one(work: Callable[[], None], wanted: list[str]) -> None:
    """Once, and in its own block: what comes after it goes on."""
    told: list[str] = []
    before = threading.enumerate()

    def call() -> None:
        try:
            with Limits(0.05, enforced=True).held():
                work()
        except TimeIsUp as end:
            told.append(str(end))
        time.sleep(2 * PULSE_S)
        told.append("and goes on")

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(20)
    assert told == [*wanted, "and goes on"]
    assert {*threading.enumerate()} <= {*before}  # what others left may have ended


def test_a_system_without_the_timer_ends_work_from_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    with pytest.raises(TimeIsUp, match=r"the time limit of 0\.05 s"), Limits(0.05, enforced=True).held():
        spin()


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
    before = signal.signal(number, signal.SIG_DFL)  # what started the tests may ignore it
    limits = Limits(enforced=True)
    with limits.requests.deferred(), limits.held():
        signal.raise_signal(number)
        assert limits.why_stop() == Ending(StopReason.INTERRUPTED, "interrupted")
        assert limits.requests.signal == number
        limits.closing()
        assert limits.why_stop() is None
        assert limits.requests.signal == number
    after = signal.signal(number, before)
    assert after is (signal.SIG_IGN if number == signal.SIGXCPU else signal.SIG_DFL)


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


def test_the_bound_holds_inside_and_is_gone_outside():
    before = resource.getrlimit(resource.RLIMIT_AS)
    bound = measure_resident_bytes() + 100 * 2**20
    with bound_memory(bound):
        small = np.ones(50 * 2**17)
        with pytest.raises(MemoryError):
            np.ones(200 * 2**17)
        assert small.sum() == 50 * 2**17
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert len(np.ones(200 * 2**17)) == 200 * 2**17


def test_linear_algebra_works_under_the_least_bound():
    """Its libraries end the process where they cannot map their buffers; nothing may be left to map."""
    code = (
        "import os\nos.environ['OPENBLAS_NUM_THREADS'] = '1'\nimport numpy as np, resource\n"
        "from idinf.proofs.find.candidates import find_facets\n"
        "from idinf.search.last_layer.certificates import load_solver\n"
        "from idinf.work.memory import share_memory\n"
        "share_memory(1, 1)\nbefore, _ = resource.getrlimit(resource.RLIMIT_AS)\n"
        "solver, square = load_solver(), np.eye(400)\n"
        "assert (square @ square).trace() == 400\nassert solver(square, square[0])[1] == 0\n"
        "assert find_facets(np.array([[0, 0], [0, 1], [1, 0]]))\n"
        "after, _ = resource.getrlimit(resource.RLIMIT_AS)\nassert 0 < after - before < 2**29\n"
        "try:\n    np.ones(32 * 2**17)\nexcept MemoryError:\n    raise SystemExit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 7
