"""Runs and units of work on a cluster of two workers: the same bytes, whatever dies, and nothing left."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

import numpy as np
import pytest

import idinf
from idinf.errors import BudgetError, ClusterError
from idinf.experiments.catalogue import load
from idinf.inference.run import RunOptions, RunSettings, run
from idinf.report.files import dump_report
from idinf.report.value import Report
from idinf.runtime.cluster import connection, far_workers
from idinf.runtime.cluster.local import LocalScheduler
from idinf.runtime.cluster.scheduler import Scheduler
from idinf.runtime.limits import Limits
from idinf.runtime.parallel import Workers
from idinf.runtime.places import Engine
from idinf.runtime.program import Build
from idinf.sweeps.sweep import RunAnswer, RunTask, Sweep
from tests.runtime.cluster.local_cluster import descendants, peak_bytes, wait_for_end

pytest.importorskip("distributed")
engine_module = pytest.importorskip("idinf.runtime.cluster.engine")

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask's and of what it needs


@pytest.fixture(scope="module")
def scheduler() -> Iterator[LocalScheduler]:
    with LocalScheduler(2) as started:
        yield started


@pytest.fixture(scope="module")
def engine(scheduler: LocalScheduler) -> Iterator[Engine]:
    with engine_module.connect(Scheduler.of(scheduler.address)) as connected:
        yield connected


def asked(name: str, max_n: int, **bounds: float | str) -> RunSettings:
    return RunOptions(max_n=max_n, bounds=bounds, anneal_steps=0, preset="spec").about(load(name), name)


def timeless(report: Report | None) -> str:
    assert report is not None
    return dump_report(replace(report, seconds=0.0, peak_bytes=0))


def answers(runs: list[RunSettings], engine: Engine | None) -> list[str]:
    found = dict(Sweep(runs, Limits(60.0), engine=engine).answers())
    return [timeless(found[place].report) for place in range(len(runs))]


ROWS = [asked("majority", 4), asked("tomita-1", 4), asked("parity", 3, layers=1, max_r=8.0)]


def test_rows_are_the_same_bytes(engine: Engine) -> None:
    assert answers(ROWS, engine) == answers(ROWS, None)


def test_units_of_work_are_the_same_bytes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(far_workers, "FAR_PATIENCE_S", 0.0)
    sent = []
    messages = far_workers.FarWorkers._messages

    def noted(self, work, items, begin, unread):
        sent.append(len(items) - begin)
        yield from messages(self, work, items, begin, unread)

    monkeypatch.setattr(far_workers.FarWorkers, "_messages", noted)
    question, lines = asked("tomita-2", 3, layers=1, units=2, max_r=9.5), list[str]()
    found = run(question, Limits(), 1, lambda progress: lines.append(str(progress)), engine=engine)
    assert timeless(found.report) == timeless(run(question, Limits()).report)
    assert sum(sent) > 5
    told = [re.match(r"tcp://\S+: 2 workers, (\d+) tasks done, complete to R = ", line) for line in lines]
    assert all(told)
    assert max(int(match[1]) for match in told if match) > 0


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
def test_a_process_that_dies_is_tried_again_and_then_lost(engine: Engine, tmp_path: Path, times: int) -> None:
    with engine.places() as places:
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


def test_a_task_is_ended_when_its_time_is_over(engine: Engine, tmp_path: Path) -> None:
    with engine.places() as places:
        places.start(1, Sleeping(str(tmp_path)), 1.0)
        end = time.monotonic() + 30
        said: list[tuple[int, object]] = []
        while not said and time.monotonic() < end:
            said += places.received(0.2)
    assert getattr(said[0][1], "is_overdue", False)
    assert wait_for_end({int(name) for name in os.listdir(tmp_path)}) == set()


def test_what_is_not_wanted_any_more_ends(engine: Engine, tmp_path: Path) -> None:
    with engine.places() as places:
        places.start(1, Sleeping(str(tmp_path)), None)
        while not os.listdir(tmp_path):
            list(places.received(0.1))
    assert wait_for_end({int(name) for name in os.listdir(tmp_path)}) == set()


def test_a_worker_with_another_program_is_refused(
    scheduler: LocalScheduler, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(Build.here(), numpy="0.1")
    monkeypatch.setattr(Build, "here", classmethod(lambda cls: other))
    with pytest.raises(ClusterError, match=r"numpy .* there and 0\.1 here"):
        engine_module.connect(Scheduler.of(scheduler.address)).__enter__()
    monkeypatch.setattr(connection, "_check", lambda scheduler, client: None)  # one that joins later
    with engine_module.connect(Scheduler.of(scheduler.address)) as late, late.places() as places:
        places.start(0, RunTask(ROWS[0], None, 2**30), None)
        with pytest.raises(ClusterError, match=r"numpy .* there and 0\.1 here"):
            list(places.received(60.0))


def test_a_scheduler_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_S", 1.0)
    with pytest.raises(ClusterError, match="cannot be reached within 1 s") as raised:
        idinf.batch(["majority"], scheduler="tcp://127.0.0.1:1", max_n=2, space="spec")
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


def test_work_is_never_for_one_alone(engine: Engine) -> None:
    workers = engine.workers(2**30, 1, lambda: None)
    assert workers.jobs >= 2
    assert isinstance(workers, Workers)


def take(size: int) -> tuple[int, int]:
    """Take so many bytes, and say in which process, and its largest size so far."""
    block = np.ones(size, dtype=np.uint8)
    return os.getpid(), peak_bytes(os.getpid()) if block.any() else 0


def test_an_item_too_large_for_a_share_of_the_memory_is_done_here(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(far_workers, "FAR_PATIENCE_S", -1.0)
    bound, sizes = 400 * 2**20, [2**20, 500 * 2**20, 2**20, 2**20]
    workers = engine.workers(bound, 1, lambda: None)
    found = list(workers.map(take, sizes))
    assert [pid == os.getpid() for pid, _ in found] == [False, True, False, False]
    assert max(peak for pid, peak in found if pid != os.getpid()) < bound


def invert(number: int) -> float:
    return 1 / number


def test_an_error_comes_after_what_stands_before_it(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(far_workers, "FAR_PATIENCE_S", -1.0)
    results = engine.workers(2**30, 1, lambda: None).map(invert, [1, 2, 4, 0, 5])
    assert [next(results) for _ in range(3)] == [1.0, 0.5, 0.25]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_what_cannot_be_sent_is_done_here(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(far_workers, "FAR_PATIENCE_S", -1.0)
    workers = engine.workers(2**30, 1, lambda: None)
    assert list(workers.map(lambda item: (item, os.getpid()), [1, 2])) == [(1, os.getpid()), (2, os.getpid())]


def end_process(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_unit_that_always_ends_its_process_is_an_error(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(far_workers, "FAR_PATIENCE_S", -1.0)
    with pytest.raises(BudgetError, match=r"a worker process ended unexpectedly \(killed by signal 9\)"):
        list(engine.workers(2**30, 1, lambda: None).map(end_process, [1, 2]))


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
@pytest.mark.parametrize(
    "command",
    [
        ["identify", "tomita-7", "--space", "spec", "--max-n", "64"],
        ["batch", "tomita-7", "tomita-6", "-o", "x.csv"],
    ],
)
def test_an_interrupt_ends_everything(command: list[str], number: signal.Signals, tmp_path: Path) -> None:
    with run_command(*command, "--scheduler", "local:2", "-q", folder=tmp_path) as process:
        below: dict[int, str] = {}
        end = time.monotonic() + 120
        while time.monotonic() < end and sum("cluster.agent" in line for line in below.values()) < 2:
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
                if "cluster.agent" in line:
                    peaks[pid] = max(peaks.get(pid, 0), peak_bytes(pid))
            time.sleep(0.1)
        process.communicate()
    assert process.returncode == 0
    assert len(peaks) >= 4
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
def dask_cluster(folder: Path, *tls: str, path: Path | None = None) -> Iterator[str]:
    """A scheduler and a worker as a user would start them; gives the address."""
    protocol = "tls" if tls else "tcp"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"{protocol}://127.0.0.1:{port}"
    listen = ["--host", "127.0.0.1", "--port", str(port), "--protocol", protocol, "--no-dashboard"]
    processes = [
        start_dask(folder, "scheduler", *listen, *tls),
        start_dask(folder, "worker", address, "--nthreads", "1", "--no-dashboard", *tls, path=path),
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


def make_certificates(folder: Path) -> bool:
    """A CA and a certificate of it, by openssl; whether there is one."""
    if which("openssl") is None:
        return False
    new = ["-newkey", "rsa:2048", "-nodes", "-subj"]
    for command in (
        ["req", "-x509", *new, "/CN=ca", "-keyout", "ca-key.pem", "-out", "ca.pem"],
        ["req", *new, "/CN=idinf", "-keyout", "key.pem", "-out", "request.pem"],
        [
            "x509",
            "-req",
            "-in",
            "request.pem",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca-key.pem",
            "-CAcreateserial",
            "-out",
            "cert.pem",
        ],
    ):
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True)
    return True


@pytest.mark.slow
def test_tls(tmp_path: Path) -> None:
    if not make_certificates(tmp_path):
        pytest.skip("openssl is not installed")
    files = {key: str(tmp_path / f"{key}.pem") for key in ("ca", "cert", "key")}
    tls = ["--tls-ca-file", files["ca"], "--tls-cert", files["cert"], "--tls-key", files["key"]]
    with dask_cluster(tmp_path, *tls) as address:
        found = idinf.batch(["majority"], max_n=4, scheduler={"address": address, **files}, space="spec")
        assert found[0].row.n0 == 3
        for wrong, told in (
            ({}, "no certificate is given"),
            ({**files, "ca": "nowhere.pem"}, "'nowhere.pem' is no file"),
            ({**files, "ca": str(tmp_path / "cert.pem")}, "cannot be reached"),
        ):
            with pytest.raises(ClusterError, match=told):
                idinf.batch(["majority"], max_n=4, scheduler={"address": address, **wrong}, space="spec")


@pytest.mark.slow
def test_twenty_workers_are_killed_at_random_times(tmp_path: Path) -> None:
    from tests.perf.cluster import timeless as timeless_file
    from tests.perf.cluster import watch

    rows = [
        "batch",
        "tomita-1",
        "tomita-2",
        "tomita-7",
        "majority",
        "--space",
        "spec",
        "--max-n",
        "8",
        "-o",
        "-",
        "-q",
    ]
    search = ["identify", "tomita-7", "--space", "spec", "--max-n", "8", "--json", "-q"]
    killed = 0
    for command in (rows, search):
        alone, far = tmp_path / "alone", tmp_path / "far"
        watch(command, alone)
        seen = watch([*command, "--scheduler", "local:2"], far, deaths=10, every_s=0.7, seed=3)
        assert timeless_file(alone) == timeless_file(far)
        killed += seen.killed
    assert killed >= 10
