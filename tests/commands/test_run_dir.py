"""``--run-dir --resume``: a run killed at any moment goes on, and reports what an undisturbed one does."""

from __future__ import annotations

import json
import random
import shlex
import signal
import time
from pathlib import Path

import pytest

from idinf.inference.run import run_identity
from idinf.inference.settings import RunSettings
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Regularizer
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import load
from tests.commands.killed_runs import PATIENCE_S, comparable, kept_rows, started
from tests.commands.refusals import refused, runner

SMALL = ("identify", "majority", "--space", "spec", "--max-n", "3", "--layers", "1", "--precision", "0")

#: Runs of half a second and of several, with hundreds of units of work.
QUICK = shlex.split("identify dyck-1 --space spec --max-n 8 --layers 2 --units 1 --max-r 9.7 --json")
SLOW = shlex.split("identify d-2 --space spec --max-n 12 --layers 2 --max-r 10.3 --json")

run = runner()


def finished(*arguments: str) -> str:
    """The report of an undisturbed run, without what may differ."""
    process = started(*arguments)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, "")
    return comparable(output)


def killed(directory: Path, more: int, *arguments: str) -> bool:
    """Kill a run once it has kept so many units more than there were; False if it ended before that."""
    before = kept_rows(directory)
    process = started(*arguments, "--run-dir", str(directory), "--resume")
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and kept_rows(directory) < before + more:
        assert time.monotonic() < deadline
        time.sleep(0.01)
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


@pytest.mark.slow
def test_every_number_of_jobs_gives_the_same_bytes() -> None:
    shorter = [word.replace("9.7", "8.9") for word in QUICK]
    one, three = (finished(*shorter, "-j", jobs) for jobs in "13")
    assert one == three


def test_a_finished_run_is_recalled(tmp_path: Path) -> None:
    directory = str(tmp_path / "run")
    first = run(*SMALL, "--json", "--run-dir", directory)
    again = run(*SMALL, "--json", "--run-dir", directory, "--resume")
    assert (first.exit_code, again.exit_code) == (0, 0)
    assert comparable(first.stdout) == comparable(again.stdout)


@pytest.mark.slow
def test_a_time_limit_is_gone_on_from(tmp_path: Path) -> None:
    directory = str(tmp_path / "run")
    assert run(*SLOW, "--run-dir", directory, "--time-limit", "0.4").exit_code == 4
    result = run(*SLOW, "--run-dir", directory, "--resume", "--memory", "2G")
    assert comparable(result.stdout) == comparable(run(*SLOW).stdout)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("--resume",), 2, "--resume is given without --run-dir"),
        (("--run-dir", "{}/run"), 3, "already holds a run"),
        (("--run-dir", "{}/nowhere/run"), 3, "No such file or directory"),
    ],
)
def test_refusals(options: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    assert run(*SMALL, "--run-dir", str(tmp_path / "run")).exit_code == 0
    refused(run(*SMALL, *(option.format(tmp_path) for option in options)), code, told)


def test_the_identity_names_all_that_the_work_depends_on() -> None:
    spec = load("majority")
    identity = run_identity(RunSettings(spec, SpaceBounds(), 8, 8, Regularizer(Aggregate.MAX, None)))
    assert set(SpaceBounds().to_dict()) - {"work"} < set(identity)
    assert "work" not in identity  # a run goes on with more
    assert json.loads(json.dumps(identity)) == identity
    for other in (
        run_identity(RunSettings(load("dyck-1"), SpaceBounds(), 8, 8, Regularizer(Aggregate.MAX, None))),
        run_identity(RunSettings(spec, SpaceBounds(layers=1), 8, 8, Regularizer(Aggregate.MAX, None))),
        run_identity(RunSettings(spec, SpaceBounds(), 9, 9, Regularizer(Aggregate.MAX, None))),
        run_identity(RunSettings(spec, SpaceBounds(), 8, 8, Regularizer(Aggregate.SUM, None))),
        run_identity(RunSettings(spec, SpaceBounds(), 8, 8, Regularizer(Aggregate.MAX, 0.5))),
    ):
        assert other != identity


@pytest.mark.thinned(4)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("request_", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_request_to_stop_writes_the_partial_report(
    request_: signal.Signals, code: int, jobs: str, tmp_path: Path
) -> None:
    path, directory = tmp_path / "report.json", tmp_path / "run"
    command = f"identify parity --space spec --max-r 12 --work 1000000 -j {jobs} -o {path}"
    arguments = f"{command} --run-dir {directory}".split()
    # A parent that ignores a signal, as a shell's background job does, would pass that on.
    before = signal.signal(request_, signal.SIG_DFL)
    try:
        process = started(*arguments)
    finally:
        signal.signal(request_, before)
    deadline = time.monotonic() + PATIENCE_S
    while kept_rows(directory) < 3:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(request_)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, errors
    assert errors == "Note: interrupted; the report is partial\n"
    assert "The table ends there: interrupted." in output
    report = json.loads(path.read_text())
    assert (report["outcome"], report["stop_reason"], report["n0"]) == ("never", "interrupted", None)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.json", "run"]
