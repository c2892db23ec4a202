"""``--run-dir --resume``: a run killed at any moment goes on, and reports what an undisturbed one does."""

import json
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from idinf.inference.run import run_identity
from idinf.inference.settings import RunSettings
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Regularizer
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import load
from idinf.work.journal import FILE
from tests.commands.refusals import IDINF, refused, runner

#: Longest that a process may take on a busy machine.
PATIENCE_S = 240

SMALL = ("identify", "majority", "--space", "spec", "--max-n", "3", "--layers", "1", "--precision", "0")

SLOW = shlex.split("identify d-2 --space spec --max-n 12 --layers 2 --max-r 10.3 --json")

run = runner()


def finished(*arguments: str) -> str:
    """The report of an undisturbed run, without what may differ."""
    process = started(*arguments)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, "")
    return comparable(output)


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start a command that can be killed; Ctrl-C reaches it even from a background job."""
    return subprocess.Popen(
        [*IDINF, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def comparable(report: str) -> list[str]:
    """The lines of a report without the two that depend on time and machine."""
    lines = report.splitlines()
    kept = [line for line in lines if not line.startswith(('  "seconds":', '  "peak_bytes":'))]
    assert len(kept) == len(lines) - 2
    return kept


def wait_until_kept(directory: Path, more: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many units more than there were are kept, or the process ended."""
    deadline, wanted = time.monotonic() + PATIENCE_S, kept_rows(directory) + more
    while process.poll() is None and kept_rows(directory) < wanted:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def kept_rows(directory: Path) -> int:
    """How much is finished by now."""
    address = f"file:{directory / FILE}?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as file:
        return file.execute("SELECT count(*) FROM kept").fetchone()[0]
    return 0


def killed(directory: Path, more: int, *arguments: str) -> bool:
    """Kill a run once it has kept so many units more than there were; False if it ended before that."""
    process = started(*arguments, "--run-dir", str(directory), "--resume")
    wait_until_kept(directory, more, process)
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    return process.returncode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_run_killed_at_many_moments(seed: int, tmp_path: Path) -> None:
    moments, directory = random.Random(seed), tmp_path / "run"
    want = finished(*SLOW)
    kills = 0
    for _ in range(6):
        kills += killed(directory, moments.randrange(0, 30), *SLOW, "-j", str(moments.randint(1, 3)))
        time.sleep(moments.random() * 0.2)
    assert kills >= 3
    assert finished(*SLOW, "-j", str(1 + seed), "--run-dir", str(directory), "--resume") == want


def test_a_finished_run_is_recalled(tmp_path: Path) -> None:
    kept = ("--json", "--run-dir", tmp_path / "run")
    first = run(*SMALL, *kept)
    refused(run(*SMALL, *kept), 3, "already holds a run")
    assert comparable(first.stdout) == comparable(run(*SMALL, *kept, "--resume").stdout)


@pytest.mark.slow
def test_a_time_limit_is_gone_on_from(tmp_path: Path) -> None:
    directory = str(tmp_path / "run")
    assert run(*SLOW, "--run-dir", directory, "--time-limit", "0.4").exit_code == 4
    result = run(*SLOW, "--run-dir", directory, "--resume", "--memory", "2G")
    assert comparable(result.stdout) == comparable(run(*SLOW).stdout)


def test_the_identity_names_all_that_the_work_depends_on() -> None:
    settings = RunSettings(load("majority"), SpaceBounds(), 8, 8, Regularizer(Aggregate.MAX, None))
    identity = run_identity(settings)
    assert set(SpaceBounds().to_dict()) - {"work"} < set(identity)
    assert "work" not in identity  # a run goes on with more
    assert json.loads(json.dumps(identity)) == identity
    for other in (
        {"spec": load("dyck-1")},
        {"bounds": SpaceBounds(layers=1)},
        {"max_n": 9, "max_n_cap": 9},
        {"regularizer": Regularizer(Aggregate.SUM, None)},
        {"regularizer": Regularizer(Aggregate.MAX, 0.5)},
    ):
        assert run_identity(replace(settings, **other)) != identity


@pytest.mark.thinned(4)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("request_", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_request_to_stop_writes_the_partial_report(request_, code: int, jobs: str, tmp_path: Path) -> None:
    path, directory = tmp_path / "report.json", tmp_path / "run"
    command = f"identify parity --space spec --max-r 12 --work 1000000 -j {jobs} -o {path}"
    # A parent that ignores a signal, as a shell's background job does, would pass that on.
    before = signal.signal(request_, signal.SIG_DFL)
    try:
        process = started(*command.split(), "--run-dir", str(directory))
    finally:
        signal.signal(request_, before)
    wait_until_kept(directory, 3, process)
    process.send_signal(request_)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (code, "Note: interrupted; the report is partial\n")
    assert "The table ends there: interrupted." in output
    report = json.loads(path.read_text())
    assert (report["outcome"], report["stop_reason"], report["n0"]) == ("never", "interrupted", None)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.json", "run"]
