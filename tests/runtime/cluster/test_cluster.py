"""Whole runs on a cluster of two workers: the same bytes, whatever dies, and nothing left."""

from __future__ import annotations

import csv
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import idinf
from idinf.errors import ClusterError
from idinf.experiments.catalogue import load
from idinf.inference.settings import RunSettings, Settings
from idinf.report.files import dump_report
from idinf.report.value import Report
from idinf.runtime.cluster import connection
from idinf.runtime.cluster.connection import Cluster
from idinf.runtime.cluster.far_places import FarPlaces
from idinf.runtime.cluster.local import LocalScheduler
from idinf.runtime.cluster.scheduler import Scheduler
from idinf.runtime.limits import Limits
from idinf.sweeps.pool import RunAnswer, RunPool, RunTask
from tests.runtime.cluster.local_cluster import descendants, peak_bytes, wait_for_end

pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask's and of what it needs


@pytest.fixture(scope="module")
def scheduler() -> Iterator[LocalScheduler]:
    with LocalScheduler(2) as started:
        yield started


@pytest.fixture(scope="module")
def cluster(scheduler: LocalScheduler) -> Iterator[Cluster]:
    with connection.connected(Scheduler.of(scheduler.address)) as connected:
        yield connected


def asked(name: str, max_n: int, **bounds: float | str) -> RunSettings:
    return Settings(max_n=max_n, bounds=bounds, anneal_steps=0, space="spec").about(load(name), name)


def timeless(report: Report | None) -> str:
    assert report is not None
    return dump_report(replace(report, seconds=0.0, peak_bytes=0))


def answers(runs: list[RunSettings], places: FarPlaces | None = None) -> list[str]:
    found = dict(RunPool(runs, Limits(60.0), places=places).answers())
    return [timeless(found[place].report) for place in range(len(runs))]


ROWS = [asked("majority", 4), asked("tomita-1", 4), asked("parity", 3, layers=1, max_r=8.0)]


def test_rows_are_the_same_bytes(cluster: Cluster) -> None:
    assert answers(ROWS, FarPlaces(cluster)) == answers(ROWS)


@dataclass(frozen=True)
class Crashing:
    """A task whose process ends without a word, the first ``times`` that it is done."""

    folder: str
    times: int

    def __call__(self, tell: object) -> RunAnswer:
        name = Path(self.folder) / f"{time.monotonic_ns()}-{os.getpid()}"
        name.touch()
        if len(os.listdir(self.folder)) <= self.times:
            os.kill(os.getpid(), signal.SIGKILL)
        return RunAnswer(limit="done")


@pytest.mark.parametrize("times", [2, 99])
def test_a_process_that_dies_is_tried_again_and_then_lost(
    cluster: Cluster, tmp_path: Path, times: int
) -> None:
    with FarPlaces(cluster) as places:
        places.start(5, Crashing(str(tmp_path), times), 60.0)
        end = time.monotonic() + 60
        said: list[tuple[int, object]] = []
        while not said and time.monotonic() < end:
            said += places.received(0.2)
    [(number, answer)] = said
    assert number == 5
    if times == 2:
        assert answer == RunAnswer(limit="done")
    else:
        assert getattr(answer, "how", "") == "killed by signal 9"
    assert len(os.listdir(tmp_path)) == 3


@dataclass(frozen=True)
class Sleeping:
    """A task that takes too long."""

    folder: str

    def __call__(self, tell: object) -> RunAnswer:
        (Path(self.folder) / str(os.getpid())).touch()
        time.sleep(600)
        return RunAnswer()


def test_a_task_is_ended_when_its_time_is_over(cluster: Cluster, tmp_path: Path) -> None:
    with FarPlaces(cluster) as places:
        places.start(1, Sleeping(str(tmp_path)), 1.0)
        end = time.monotonic() + 30
        said: list[tuple[int, object]] = []
        while not said and time.monotonic() < end:
            said += places.received(0.2)
    assert getattr(said[0][1], "is_overdue", False)
    assert wait_for_end({int(name) for name in os.listdir(tmp_path)}) == set()


def test_what_is_not_wanted_any_more_ends(cluster: Cluster, tmp_path: Path) -> None:
    with FarPlaces(cluster) as places:
        places.start(1, Sleeping(str(tmp_path)), None)
        while not os.listdir(tmp_path):
            list(places.received(0.1))
    assert wait_for_end({int(name) for name in os.listdir(tmp_path)}) == set()


def test_a_task_of_another_version_is_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "__version__", "0.0.1")
    with FarPlaces(cluster) as places:
        places.start(0, RunTask(ROWS[0], None, 2**30), None)
        with pytest.raises(ClusterError, match=r"a worker has idinf \S+ and not 0\.0\.1"):
            list(places.received(60.0))


def test_a_scheduler_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_S", 1.0)
    with pytest.raises(ClusterError, match="cannot be reached within 1 s") as raised:
        idinf.batch(["majority"], scheduler="tcp://127.0.0.1:1", max_n=2, space="spec")
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


def run_command(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.Popen(
        [sys.executable, "-m", "idinf", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
def test_a_local_cluster_of_the_command_line_leaves_nothing(tmp_path: Path) -> None:
    command = [
        "batch",
        "majority",
        "tomita-1",
        "--space",
        "spec",
        "--max-n",
        "4",
        "--scheduler",
        "local:2",
        "-o",
        "-",
        "-q",
    ]
    with run_command(*command, folder=tmp_path) as process:
        below: dict[int, str] = {}
        while process.poll() is None:
            below |= descendants(process.pid)
            time.sleep(0.2)
        assert process.stdout is not None
        assert process.stdout.read().count(b"\n") == 3
    assert process.returncode == 0
    assert len(below) >= 3
    assert wait_for_end(set(below)) == set()
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_ends_everything(number: signal.Signals, tmp_path: Path) -> None:
    command = ["batch", "tomita-7", "tomita-6", "-o", "x.csv"]
    with run_command(*command, "--scheduler", "local:2", "-q", folder=tmp_path) as process:
        below: dict[int, str] = {}
        end = time.monotonic() + 120
        while time.monotonic() < end and sum("cluster.worker" in line for line in below.values()) < 2:
            below = descendants(process.pid)
            time.sleep(0.2)
        time.sleep(3.0)
        below |= descendants(process.pid)
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -9)
    assert wait_for_end(set(below), 20.0) == set()


@pytest.mark.slow
def test_a_worker_keeps_its_share_of_the_memory(tmp_path: Path) -> None:
    bound = 600 * 2**20
    command = [
        "batch",
        "tomita-7",
        "tomita-5",
        "--space",
        "spec",
        "--max-n",
        "32",
        "--time-limit",
        "20",
        "--memory",
        "600M",
    ]
    with run_command(*command, "--scheduler", "local:2", "-o", "-", "-q", folder=tmp_path) as process:
        peaks: dict[int, int] = {}
        while process.poll() is None:
            for pid, line in descendants(process.pid).items():
                if "cluster.worker" in line:
                    peaks[pid] = max(peaks.get(pid, 0), peak_bytes(pid))
            time.sleep(0.1)
        process.communicate()
    assert process.returncode == 0
    assert len(peaks) >= 2
    assert max(peaks.values()) <= bound / 2


def start_dask(folder: Path, *arguments: str, path: Path | None = None) -> subprocess.Popen[bytes]:
    """A process of dask's own command line, with idinf on its path or another one."""
    environment = {**os.environ, "PYTHONPATH": str(path or Path(__file__).parents[3])}
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        cwd=folder,
        env={**environment, "DASK_TEMPORARY_DIRECTORY": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def dask_cluster(folder: Path, path: Path | None = None) -> Iterator[str]:
    """A scheduler and a worker as a user would start them; gives the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    listen = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    processes = [
        start_dask(folder, "scheduler", *listen),
        start_dask(folder, "worker", address, "--nthreads", "1", "--no-dashboard", path=path),
    ]
    try:
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
                break
            time.sleep(0.2)
        yield address
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)


@pytest.mark.slow
def test_a_worker_without_idinf_is_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other" / "idinf"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise ImportError('there is no idinf here')\n")
    with (
        dask_cluster(tmp_path, path=other.parent) as address,
        run_command(
            "batch", "majority", "--space", "spec", "-o", "x.csv", "--scheduler", address, folder=tmp_path
        ) as process,
    ):
        _, told = process.communicate(timeout=120)
    assert process.returncode == 3
    assert b"cannot work for idinf" in told
    assert len(told.splitlines()) == 1
    assert len(told) < 300


@pytest.mark.slow
def test_workers_are_killed_at_random_times(tmp_path: Path) -> None:
    rows = ["batch", "tomita-1", "tomita-2", "tomita-7", "majority", "--space", "spec", "--max-n", "8", "-q"]
    with run_command(*rows, "-o", "alone.csv", folder=tmp_path) as process:
        process.communicate(timeout=120)
    draw, killed = random.Random(3), 0
    with run_command(*rows, "-o", "far.csv", "--scheduler", "local:2", folder=tmp_path) as process:
        while process.poll() is None:
            time.sleep(0.7)
            workers = [pid for pid, line in descendants(process.pid).items() if "dask worker" in line]
            if workers and killed < 10:
                with suppress(ProcessLookupError):
                    os.kill(draw.choice(workers), signal.SIGKILL)
                    killed += 1
        process.communicate()
    assert process.returncode == 0
    alone, far = (read_timeless(tmp_path / name) for name in ("alone.csv", "far.csv"))
    assert alone == far
    assert killed >= 5


def read_timeless(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [{key: cell for key, cell in row.items() if key != "seconds"} for row in csv.DictReader(file)]
