"""``idinf identify``: where output goes, which options reach the procedure, limits and interrupts."""

import json
from pathlib import Path

import click
import pytest

from idinf.commands.progress import board, watching
from idinf.inference.outcome import Progress
from idinf.inference.procedure import Procedure
from idinf.nets.regularizer import Aggregate
from idinf.search.slice_types import Counts
from tests.commands.refusals import runner

run = runner("identify")


SMALL = ("majority", "--space", "spec", "--max-n", "3", "--layers", "1", "--precision", "0")


def test_json_alone_goes_to_stdout() -> None:
    report = json.loads(run(*SMALL, "--json").stdout)
    assert (report["format"], report["outcome"]) == ("idinf-report/2", "identified-for-all-n")
    assert [report["space"][name] for name in ("layers", "precision", "units")] == [1, 0, 2]
    assert run(*SMALL, "-o", "-").stdout.startswith('{\n  "format"')


def test_output_file_gets_json_and_stdout_the_text(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    result = run(*SMALL, "-o", path, "-v")
    assert json.loads(path.read_text())["n0"] == 3
    assert list(tmp_path.iterdir()) == [path]
    assert "norm_V" in result.stdout
    assert {*runner("show")(path, "-v").stdout.splitlines()} <= {*result.stdout.splitlines()}


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


def test_a_time_limit_ends_the_run_with_a_partial_report(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    asked = ("parity", "--space", "spec", "--max-r", "12", "--time-limit", "0.5")
    result = run(*asked, "-o", path)
    assert result.exit_code == 4
    assert result.stderr.startswith("Note: the time limit of 0.5 s ended the run")
    report = json.loads(path.read_text())
    assert (report["stop"], report["outcome"], report["n0"]) == ("time-limit", "never", None)
    assert f"The table ends there: {report['stop_reason']}." in result.stdout
    assert report["complete_up_to_r"] < 12
    assert run(*asked, "--json", "-q").stderr == ""


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
