"""Whole runs on a cluster of two workers: the same bytes, whatever dies, and nothing left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import idinf
from idinf.errors import ArgumentError, ClusterError
from idinf.inference.settings import RunSettings, Settings
from idinf.report.files import dump_report
from idinf.report.value import Report
from idinf.spec.catalogue import load
from idinf.tables.pool import RunAnswer, RunPool
from idinf.work import cluster as module
from idinf.work.cluster import connect, count_local
from idinf.work.executors import Executor, LostTask
from idinf.work.limits import Limits
from tests.work.process_tree import descendants, wait_for_end

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask's and of what it needs


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("local:0", "scheduler local:0; expected 1 to 256 workers"),
        ("tls://node1:8786", "expected local:N or tcp://HOST:PORT"),
        ("tcp://node1:99999", "expected a port from 1 to 65535"),
        ("tcp://node1", "expected local:N or tcp://HOST:PORT"),
    ],
)
def test_addresses_that_are_none(address: str, told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        count_local(address)


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    pytest.importorskip("distributed")
    with connect("local:2") as connected:
        yield connected


def asked(name: str, max_n: int, **bounds: float | str) -> RunSettings:
    return Settings(max_n=max_n, bounds=bounds, space="spec").about(load(name), name)


def timeless(report: Report | None) -> str:
    assert report is not None
    return dump_report(replace(report, seconds=0.0, peak_bytes=0))


ROWS = [asked("majority", 4), asked("tomita-1", 4), asked("parity", 3, layers=1, max_r=8.0)]


class Kept(Executor):
    """An executor that stays for other tests."""

    def __init__(self, executor: Executor) -> None:
        self.__dict__ = executor.__dict__
        self.__class__ = type("Kept", (type(executor),), {"__exit__": lambda self, *raised: None})


def answers(executor: Executor | None = None) -> list[str]:
    found = dict(RunPool(ROWS, Limits(60.0), executor=None if executor is None else Kept(executor)).answers())
    return [timeless(found[place].report) for place in range(len(ROWS))]


def test_rows_are_the_same_bytes(executor: Executor) -> None:
    assert answers(executor) == answers()


def told(executor: Executor, number: int, task: object, at_most_s: float | None) -> object:
    """What is told of one task."""
    executor.start(number, task, at_most_s)  # type: ignore[arg-type]
    end = time.monotonic() + 120
    while time.monotonic() < end:
        for known, found in executor.completed(0.2):
            assert known == number
            return found
    raise TimeoutError


@dataclass(frozen=True)
class Crashing:
    """A task whose process ends without a word."""

    def __call__(self) -> RunAnswer:
        os.kill(os.getpid(), signal.SIGKILL)
        return RunAnswer()


def test_a_process_that_dies_is_told(executor: Executor) -> None:
    assert told(executor, 5, Crashing(), 60.0) == LostTask("killed by signal 9")


@dataclass(frozen=True)
class Sleeping:
    """A task that takes too long."""

    folder: str

    def __call__(self) -> RunAnswer:
        (Path(self.folder) / str(os.getpid())).touch()
        time.sleep(600)
        return RunAnswer()


def test_a_task_is_ended_when_its_time_is_over(executor: Executor, tmp_path: Path) -> None:
    assert told(executor, 1, Sleeping(str(tmp_path)), 5.0) == LostTask("killed by signal 9", is_overdue=True)
    assert wait_for_end({int(name) for name in os.listdir(tmp_path)}) == set()


def test_what_is_not_wanted_any_more_ends(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with connect("local:1") as executor:
        executor.start(1, Sleeping(str(tmp_path)), None)
        while not os.listdir(tmp_path):
            list(executor.completed(0.1))
    assert wait_for_end({int(name) for name in os.listdir(tmp_path)}) == set()


def test_a_scheduler_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(module, "CONNECT_S", 1.0)
    with pytest.raises(ClusterError, match="cannot be reached within 1 s") as raised:
        idinf.batch(["majority"], scheduler="tcp://127.0.0.1:1", max_n=2, space="spec")
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


def run_command(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(
        [sys.executable, "-m", "idinf", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_ends_everything(number: signal.Signals, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    command = ["batch", "tomita-7", "tomita-6", "-o", "x.csv"]
    with run_command(*command, "--scheduler", "local:2", "-q", folder=tmp_path) as process:
        below: dict[int, str] = {}
        end = time.monotonic() + 120
        while time.monotonic() < end and sum("work.cluster" in line for line in below.values()) < 4:
            below = descendants(process.pid)
            time.sleep(0.2)
        time.sleep(3.0)
        below |= descendants(process.pid)
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -9)
    assert wait_for_end(set(below), 20.0) == set()
