"""A run that is stopped in the middle of any stage, on a machine that is slow from there on, has a report."""

import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType, SimpleNamespace

import pytest

from idinf.inference.run import Run, run
from idinf.inference.settings import RunSettings, Settings
from idinf.proofs.check.report_check import check_report
from idinf.report.files import dump_report, parse_report
from idinf.report.value import Outcome
from idinf.spec.bounds import HypothesisClass
from idinf.spec.catalogue import load
from idinf.work import limits as limits_module
from idinf.work import signals
from idinf.work.limits import Limits, StopReason
from tests.inference.test_budgets import asked

#: A stage is the function in which it begins, and how often that was called when the machine stops.
STAGES = [
    *(("build_target", 1), ("Procedure.__post_init__", 1), ("Procedure.bound_by", 1)),
    ("BoundChecker.checked", 1),
    *(
        ("SliceWalk.run", 1),
        ("Search.slice", 1),
        ("Search.slice", 4),
        ("FailTable.add", 1),
        ("FailTable.add", 3),
    ),
    *(("Procedure.synthesize", 1), ("Procedure._reported", 1)),
    *(("Procedure._carried_on", 1), ("Procedure._report", 1), ("StageTable.stage", 2)),
    *(("Canonical._list_functions", 1), ("StageTable.records", 1), ("StageTable.worst", 1)),
    *(("list_shapes", 1), ("add_proofs_for_all_n", 1), ("prove_for_all_lengths", 1), ("Prover.proves", 1)),
    *(("build_report", 1), ("with_bracket", 2), ("build_target", 2), ("Search.slice", 9)),
    *(("LevelWalk.run", 1), ("LevelWalk.answers", 1), ("WholeClassSearch.level", 2)),
]

TARGETS: dict[str, RunSettings] = {
    "settled": Settings(max_n=6).about(load("majority"), "majority"),
    "open, beside a smaller space": asked("b*", 90),
    "a whole class": Settings(max_n=4, hypothesis_class=HypothesisClass.THETA).about(
        load("majority"), "majority"
    ),
}


#: How many times slower the machine is from there on.
SLOWER = 20


class SlowMachine:
    """A clock that jumps over the limit once a stage is reached, and runs faster from there on."""

    def __init__(self, stage: str, times: int, request: signal.Signals | None, limits: Limits) -> None:
        self.stage, self.left, self.request, self.limits = stage, times, request, limits
        self.stopped: float | None = None

    def perf_counter(self) -> float:
        now = time.perf_counter()
        return now if self.stopped is None else now + 1000.0 + SLOWER * (now - self.stopped)

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or self.stopped is not None or frame.f_code.co_qualname != self.stage:
            return
        self.left -= 1
        if not self.left:
            self.stopped = time.perf_counter()
            if self.request is not None:
                self.limits.requests._note(self.request, None)


@pytest.fixture
def fast_pulse(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(signals, "PULSE_S", 0.1 / SLOWER)
    yield
    sys.setprofile(None)


def stopped(
    settings: RunSettings, machine: SlowMachine, limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> Run:
    clock = SimpleNamespace(perf_counter=machine.perf_counter, process_time=time.process_time)
    monkeypatch.setattr(limits_module, "time", clock)
    sys.setprofile(machine)
    try:
        return run(settings, limits)
    finally:
        sys.setprofile(None)


@pytest.mark.thinned(30)
@pytest.mark.parametrize("request_", [None, signal.SIGTERM])
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(("stage", "times"), STAGES)
def test_a_stop_in_the_middle_of_any_stage_has_a_report_that_verifies(
    stage: str,
    times: int,
    name: str,
    request_: signal.Signals | None,
    monkeypatch: pytest.MonkeyPatch,
    fast_pulse: None,
) -> None:
    limits = Limits(100.0, enforced=True)
    machine = SlowMachine(stage, times, request_, limits)
    report = stopped(TARGETS[name], machine, limits, monkeypatch).report
    checks = check_report(parse_report(dump_report(report), "report.json"), length=4).checks
    assert [fault for check in checks for fault in check.faults] == []
    if report.outcome is Outcome.OPEN and machine.stopped is not None:
        assert report.stop in (StopReason.TIME, StopReason.INTERRUPTED, StopReason.WORK)
