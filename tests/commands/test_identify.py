"""``idinf identify``: where output goes, which options reach the procedure, limits and interrupts."""

from __future__ import annotations

import dataclasses
import json
import signal
from pathlib import Path

import click
import pytest

from idinf.commands.progress import board, watching
from idinf.inference.outcome import Progress
from idinf.inference.procedure import Procedure
from idinf.nets.regularizer import Aggregate
from idinf.search.found import Counts
from idinf.work.limits import Ending, StopReason
from tests.commands.refusals import runner

run = runner("identify")


SMALL = ("majority", "--space", "spec", "--max-n", "3", "--layers", "1", "--precision", "0")


def test_text_by_default() -> None:
    result = run(*SMALL)
    assert (result.exit_code, result.stderr) == (0, "")
    space = "nope, layers <= 1, heads <= 1, units <= 2, precision <= 0"
    first, blank, target, named = result.stdout.splitlines()[:4]
    assert (first, blank) == (f"n0 = 3 in {space}, for every n", "")
    assert target == "target  majority over 0 1 (crasp), n <= 3"
    assert named.startswith(f"space   {space}; max_r 10.5; ")


def test_json_alone_goes_to_stdout() -> None:
    result = run(*SMALL, "--json")
    report = json.loads(result.stdout)
    assert (report["format"], report["outcome"], report["max_n"]) == (
        "idinf-report/2",
        "identified-for-all-n",
        3,
    )
    assert (report["space"]["layers"], report["space"]["precision"], report["space"]["units"]) == (1, 0, 2)
    assert run(*SMALL, "-o", "-").stdout.startswith('{\n  "format"')


def test_output_file_gets_json_and_stdout_the_text(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    result = run(*SMALL, "-o", str(path), "-v")
    assert result.stdout.startswith("n0 = 3 in nope")
    assert "norm_V" in result.stdout
    assert json.loads(path.read_text())["n0"] == 3
    assert list(tmp_path.iterdir()) == [path]


def test_options_reach_the_procedure(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Procedure] = []

    def stop(procedure: Procedure, steps: float) -> None:
        seen.append(procedure)
        raise click.ClickException("seen")

    monkeypatch.setattr(Procedure, "go_on", stop)
    monkeypatch.setenv("IDINF_JOBS", "2")
    options = "--max-n 7 --space nope --layers 2 --heads 0 --units 1 --precision 1 --max-r 9 --tolerance 0"
    more = "--aggregate sum --time-limit 61.5 --memory 512M"
    run("parity", "--space", "spec", *options.split(), *more.split())
    run("parity")
    given, default = seen
    bounds = given.bounds
    assert (bounds.layers, bounds.heads, bounds.units, bounds.precision, bounds.max_r) == (2, 0, 1, 1, 9.0)
    assert (given.max_n, given.tolerance, given.aggregate, given.jobs) == (7, 0.0, Aggregate.SUM, 2)
    assert (given.limits.time_limit_s, given.limits.memory_bytes) == (61.5, 512 * 2**20)
    assert (default.max_n, default.tolerance, default.limits.time_limit_s) == (64, None, None)
    assert (default.bounds.is_family, default.limits.memory_bytes) == (True, 2**30)


@pytest.mark.parametrize(
    ("reason", "code"), [("the time limit of 1 s ended the run", 4), ("interrupted", 130)]
)
def test_a_stopped_run_writes_its_report_and_says_so(
    reason: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = Procedure.report

    ending = Ending(StopReason.TIME, reason)
    if reason == "interrupted":
        ending = Ending(StopReason.INTERRUPTED, reason)

    def stopped(procedure: Procedure, ended: Ending | None) -> object:
        if reason == "interrupted":
            signal.raise_signal(signal.SIGINT)
        return dataclasses.replace(complete(procedure, ended), stop=ending.reason, stop_reason=ending.text)

    monkeypatch.setattr(Procedure, "report", stopped)
    path = tmp_path / "report.json"
    result = run("parity", "--space", "spec", "--max-n", "3", "--max-r", "8", "-o", str(path))
    assert (result.exit_code, result.stderr) == (code, f"Note: {reason}; the report is partial\n")
    report = json.loads(path.read_text())
    assert (report["stop"], report["stop_reason"]) == (ending.reason.value, reason)
    assert f"The table ends there: {reason}." in result.stdout
    assert run("parity", "--space", "spec", "--max-n", "3", "--max-r", "8", "-q").stderr == ""


def test_a_time_limit_ends_the_run_with_a_partial_report(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    result = run(
        "parity", "--space", "spec", "--max-r", "12", "--time-limit", "0.5", "--json", "-o", str(path)
    )
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.startswith("Note: the time limit of 0.5 s ended the run")
    report = json.loads(path.read_text())
    assert (report["outcome"], report["n0"]) == ("never", None)
    assert report["complete_up_to_r"] < 12


def test_a_spec_file_with_its_own_space(tmp_path: Path) -> None:
    spec = tmp_path / "ends-in-b.toml"
    spec.write_text(
        'name = "ends-in-b"\nalphabet = "ab"\nregex = "(a|b)*b"\nmax_n = 2\n[space]\nlayers = 1\n'
    )
    report = json.loads(run(str(spec), "--space", "spec", "--json").stdout)
    assert (report["target"]["name"], report["max_n"], report["space"]["layers"]) == ("ends-in-b", 2, 1)
    assert report["records"][-1]["formula"] == "accept iff last = b"


def test_progress_is_shown_on_a_terminal_and_now_and_then_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    beat = Progress(8.0, 8.25, Counts(enumerated=12000), 2.0)
    with watching(quiet=False) as watch, board(quiet=False) as shown:
        assert watch is not None
        watch(beat)
        shown.show(["not yet"])
        assert capsys.readouterr().err == ""
        monkeypatch.setattr("idinf.commands.progress.PERIOD_S", 0.0)
        watch(beat)
        shown.show(["a: 31 s", "b: 30 s"])
        assert capsys.readouterr().err == f"{beat}\na: 31 s; b: 30 s\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with watching(quiet=True) as watch:
        assert watch is None
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with watching(quiet=False) as watch:
        assert watch is not None
        watch(Progress(8.0, 8.25, Counts(enumerated=12000), 2.0))
    captured = capsys.readouterr()
    assert captured.out == ""


def right_majority(tmp_path):
    """A file with the hypothesis that `identify majority` selects."""
    report = tmp_path / "report.json"
    run("majority", "--space", "spec", "--max-n", "4", "--layers", "1", "-o", str(report))
    path = tmp_path / "right.json"
    path.write_text(json.dumps(json.loads(report.read_text())["records"][-1]["hypothesis"]))
    return path


def test_a_given_upper_bound_closes_the_bracket(tmp_path):
    path = right_majority(tmp_path)
    options = ("--max-n", "4", "--layers", "1", "--max-r", "8", "--upper-bound", str(path))
    assert "R*_4 lies in (8, 8.414213562]" in run("majority", "--space", "spec", *options).stdout
    bracket = json.loads(run("majority", "--space", "spec", *options, "--json").stdout)["bracket"]
    assert (bracket["r_lower"], bracket["r_upper"]) == (8.0, 8.414213562)
    assert bracket["hypothesis"] == json.loads(path.read_text())


def test_a_given_upper_bound_that_is_wrong_is_refused(tmp_path):
    path = right_majority(tmp_path)
    for target, parts in (("parity", ("wrong on", "up to length 8")), ("dyck-1", ("alphabet 0 1", "a b"))):
        result = run(target, "--max-n", "4", "--layers", "1", "--upper-bound", str(path))
        assert (result.exit_code, result.stdout) == (3, "")
        assert result.stderr.startswith(f"Error: {path}: ")
        assert all(part in result.stderr for part in parts)


def spec_with_upper(tmp_path, upper, program='# "0" <= # "1"', bounds="max_r = 8.0"):
    path = tmp_path / "mine.toml"
    path.write_text(
        f"name = 'mine'\nalphabet = '01'\ncrasp = 'accept = {program}'\nmax_n = 4\nupper = ['{upper}']\n"
        f"[space]\nlayers = 1\n{bounds}\n"
    )
    return str(path)


def test_a_spec_may_name_its_upper_bounds(tmp_path):
    right_majority(tmp_path)
    result = run(spec_with_upper(tmp_path, "right.json"), "--space", "spec", "--json")
    bracket = json.loads(result.stdout)["bracket"]
    assert (bracket["r_lower"], bracket["r_upper"], bracket["upper_length"]) == (8.0, 8.414213562, 8)
    assert bracket["stop_bound_upper"] == 8.664213562  # 1/4 above: R*_2 is not known
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("name", "part"),
    [("right.json", "right.json: the hypothesis is wrong on '1'"), ("left.json", "left.json: no such file")],
)
def test_an_upper_bound_of_a_spec_that_is_wrong_names_file_and_key(tmp_path, name, part):
    right_majority(tmp_path)
    result = run(spec_with_upper(tmp_path, name, '# "0" == # "1"'))
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"mine.toml: upper: {part}" in result.stderr
