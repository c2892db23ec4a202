"""``idinf batch``: rows whatever happens, the same after any kill, and exit codes."""

from __future__ import annotations

import csv
import io
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from idinf.base.options import options_of
from idinf.commands import main
from idinf.commands.batch import batch
from idinf.commands.identify import identify
from idinf.inference.procedure import Procedure
from idinf.inference.settings import Settings
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import list_family_names, load, load_family
from idinf.tables import pool as pool_module
from idinf.work.limits import Ending
from tests.commands.killed_runs import PATIENCE_S, started, stopped
from tests.commands.refusals import refused, runner

ROOT = Path(__file__).resolve().parents[2]

#: Spaces and lengths with which a target takes a fraction of a second.
TINY = ("--spaces", "spec", "--max-n", "3", "--layers", "1", "--units", "1", "--precision", "0")


SPEC = """name = "{}"
alphabet = ["0", "1"]
regex = "{}"
max_n = 3
[space]
layers = 1
units = 1
precision = 0
"""

run = runner("batch")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def spec(folder: Path, name: str, regex: str = "(0|1)*1", more: str = "") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(SPEC.format(name, regex) + more)
    return path


@pytest.mark.slow
def test_bad_specs_are_rows_and_the_run_goes_on(tmp_path: Path) -> None:
    planted = {
        "bad-toml": "name = = 1",
        "unknown-key": SPEC.format("x", "1*") + "colour = 1",
        "wrong-bounds": SPEC.format("x", "1*").replace("layers = 1", "layers = 99"),
        "wrong-regex": SPEC.format("wrong-regex", "((1"),
        "empty-space": SPEC.format("empty-space", "1*") + "max_r = 0.5",
        "large-n": SPEC.format("large-n", "1*").replace("max_n = 3", "max_n = 5000"),
        "no-upper": 'upper = ["nowhere.json"]\n' + SPEC.format("no-upper", "1*"),
    }
    told = {
        "bad-toml": "not valid TOML",
        "unknown-key": "unknown key",
        "wrong-bounds": "space.layers = 99",
        "wrong-regex": "regex",
        "empty-space": "the space is empty",
        "large-n": "max_n = 5000",
        "no-upper": "nowhere.json",
    }
    for name, text in planted.items():
        (tmp_path / f"{name}.toml").write_text(text)
    spec(tmp_path, "a-good-one")
    spec(tmp_path, "zz-good-one")
    output = tmp_path / "report.csv"
    arguments = (tmp_path, "-o", output, "-j", "2", "--spaces", "spec")
    result = run(*arguments)
    rows = rows_of(output.read_text())
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith("7 of 9 rows failed; the column error says why\n")
    assert "Traceback" not in result.stderr
    assert [row["target"] for row in rows] == ["a-good-one", *sorted(planted), "zz-good-one"]
    for row in rows:
        if row["target"] in told:
            assert told[row["target"]] in row["error"]
            assert (row["outcome"], row["r_star"]) == ("", "")
        else:
            assert (row["outcome"], row["error"]) == ("identified-for-all-n", "")
    assert run(*arguments, "--check").exit_code == 1
    assert run(tmp_path / "a-good-one.toml", "-o", output, "--check", "--spaces", "spec").exit_code == 0
    assert run(*arguments, "-q").stderr == ""


@pytest.mark.slow
def test_check_finds_a_wrong_verdict(tmp_path: Path) -> None:
    good = spec(tmp_path, "good", more='[expected]\ncrasp_periodic_local = "yes"\n')
    wrong = spec(tmp_path, "wrong", more='[expected]\ncrasp_periodic_local = "no"\n')
    silent = spec(tmp_path, "silent")
    output, in_spec = tmp_path / "report.csv", ("--spaces", "spec")
    result = run(good, wrong, silent, *in_spec, "-o", output, "--check")
    assert result.exit_code == 1
    assert result.stderr.endswith("1 of 3 rows disagree with their specs: wrong\n")
    assert [row["agrees"] for row in rows_of(output.read_text())] == ["yes", "no", ""]
    assert run(good, wrong, silent, *in_spec, "-o", output).exit_code == 0
    assert run(good, silent, *in_spec, "-o", output, "--check").exit_code == 0
    assert run(wrong, *in_spec, "-o", output, "--check", "--max-r", "4.2").exit_code == 0


@pytest.mark.slow
def test_reports_are_those_of_identify(tmp_path: Path) -> None:
    names = ("majority", "aa-star", "d-12")
    folder = tmp_path / "found" / "reports"
    options = ("--max-n", "2", "--max-r", "8.2", "--tolerance", "0.1", "--aggregate", "sum")
    result = run(*names, *options, "-o", f"{folder.parent}/", "-j", "2")
    assert result.exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.json" for name in names)
    for name in names:
        alone = CliRunner().invoke(main, ["identify", name, *options, "--json", "-q"])
        want, have = alone.stdout.splitlines(), (folder / f"{name}.json").read_text().splitlines()
        differing = [one for one, other in zip(want, have, strict=True) if one != other]
        assert all(line.startswith(('  "seconds":', '  "peak_bytes":')) for line in differing)


def test_every_option_of_identify_about_the_space_is_here() -> None:
    wanted = {*options_of(Settings), *options_of(SpaceBounds), "time_limit", "memory", "jobs"}
    assert {option.name for option in batch.params} >= wanted - {"space"}
    assert {option.name for option in identify.params} >= wanted


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((), 2, "Missing argument"),
        (("majority", "parity", "-o", "{}/r.csv", "--spaces", "nop"), 2, "did you mean 'nope'"),
        (("majority", "majorty", "-o", "{}/r.csv"), 3, "unknown target 'majorty'"),
        (("majority", "{}/no.toml", "-o", "{}/r.csv"), 3, "no.toml: no such file"),
        (("majority", "-o", "{}/r.csv", "--time-limit", "0"), 2, "--time-limit"),
        (("majority", "-o", "{}/nowhere/r.csv"), 3, "there is no folder"),
        (("majority", "-o", "{}/r.csv", "--set", "k=1..0"), 2, "k=1..4 or j=2,3"),
        (("majority", "-o", "{}/r.csv", "--set", "k=1"), 3, "no family among the targets has it"),
        (("ge-k-j", "-o", "{}/r.csv", "--set", "k=99"), 3, "from 1 to 16"),
        (("majority", "-o", "{}/r.csv", "--only", "crasp"), 2, "for example crasp=no"),
        (("majority", "-o", "{}/r.csv", "--run-dir", "{}/nowhere/j"), 3, "--run-dir"),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, told: str, tmp_path: Path) -> None:
    refused(run(*(argument.format(tmp_path) for argument in arguments)), code, told)
    assert list(tmp_path.iterdir()) == []


# Limits and crashes


def crashing(
    monkeypatch: pytest.MonkeyPatch, crash: Callable[[], None], only_once: Path | None = None
) -> None:
    """Plant a crash in the runs on the target whose language is 1*."""
    sound = Procedure.go_on

    def run_or_crash(self: Procedure, work: float) -> Ending | None:
        if self.max_n == 2 and not (only_once is not None and only_once.exists()):
            if only_once is not None:
                only_once.touch()
            crash()
        return sound(self, work)

    monkeypatch.setattr(Procedure, "go_on", run_or_crash)


def out_of_memory() -> None:
    raise MemoryError


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def broken() -> None:
    raise ZeroDivisionError("planted")


@pytest.mark.thinned(4)
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("crash", "told"),
    [
        (out_of_memory, "the memory bound of 1024 MiB was reached"),
        (killed, "ended unexpectedly (killed by signal 9)"),
        (broken, "internal error: ZeroDivisionError: planted"),
    ],
)
def test_a_crash_is_a_row(
    crash: Callable[[], None], told: str, jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IDINF_DEBUG", raising=False)
    crashing(monkeypatch, crash)
    spec(tmp_path, "a")
    crashed = spec(tmp_path, "b", "1*")
    crashed.write_text(crashed.read_text().replace("max_n = 3", "max_n = 2"))
    spec(tmp_path, "c", "0*")
    result = run(tmp_path, "-o", tmp_path / "r.csv", "-j", jobs)
    rows = rows_of((tmp_path / "r.csv").read_text())
    assert result.exit_code == 0
    assert [(row["target"], bool(row["error"])) for row in rows] == [("a", False), ("b", True), ("c", False)]
    assert told in rows[1]["error"]


@pytest.mark.slow
def test_a_time_limit_is_that_of_one_target(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    long = spec(tmp_path, "long", "(0|1)*00(0|1)*11(0|1)*").read_text()
    long = long.replace("layers = 1\nunits = 1\nprecision = 0", "max_r = 12").replace(
        "max_n = 3", "max_n = 64"
    )
    (tmp_path / "long.toml").write_text(long)
    spec(tmp_path, "short")
    arguments = (tmp_path, "-o", tmp_path / "r.csv", "--run-dir", folder, "--spaces", "spec")
    arguments += ("--time-limit", "1")
    result = run(*arguments)
    assert result.exit_code == 0
    assert result.stderr.endswith("Note: 1 of 2 rows were ended by a limit\n")
    rows = rows_of((tmp_path / "r.csv").read_text())
    assert [(row["outcome"], row["error"]) for row in rows] == [("open", ""), ("identified-for-all-n", "")]
    assert float(rows[0]["complete_up_to_r"]) < 12
    again = run(*arguments, "--resume")
    assert rows_of((tmp_path / "r.csv").read_text()) == rows
    assert again.stderr.endswith("Note: 1 of 2 rows were ended by a limit\n")


# What is kept


def test_a_finished_batch_is_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output, folder = tmp_path / "table.csv", tmp_path / "reports"
    kept = ("--run-dir", tmp_path / "kept", "--resume")
    arguments = ("majority", "tomita-1", *TINY, "-o", tmp_path, *kept)
    assert run(*arguments).exit_code == 0
    first, report = output.read_text(), (folder / "tomita-1.json").read_text()
    monkeypatch.setattr(pool_module, "answer_request", None)  # nothing may be worked out again
    assert run(*arguments, "-j", "2").exit_code == 0
    assert output.read_text() == first
    assert (folder / "tomita-1.json").read_text() == report
    # Another question, or another order, is told apart from what is kept.
    assert run("tomita-1", "majority", *TINY, "-o", output, *kept).exit_code == 0
    assert [row["target"] for row in rows_of(output.read_text())] == ["tomita-1", "majority"]
    changed = run("majority", *TINY[:2], *TINY[4:], "--max-n", "2", "-o", output, *kept)
    assert "1 of 1 rows failed" in changed.stderr


def test_stdout_has_the_rows_in_order(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("no spec")
    result = run("majority", str(tmp_path / "broken.toml"), "tomita-1", *TINY, "-o", "-", "-j", "2", "-q")
    assert result.exit_code == 0
    assert [row["target"] for row in rows_of(result.stdout)] == ["majority", "broken", "tomita-1"]


# Spaces and readings crossed

#: A member of a family, and a target of next symbols, in two spaces and some readings.
CROSSED = (
    *("ge-k-j", "tomita-1-next", "--set", "k=1..1", "--set", "j=1", "--spaces", "nope,periodic"),
    *("--readings", "one-hot,theta,lengths of the paper", "--max-r", "8.8"),
    *TINY[2:],
)


@pytest.mark.slow
def test_the_same_bytes_for_every_number_of_jobs_and_after_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, texts = ("table.csv", "stages.csv", "records.csv"), []
    kept = ("--run-dir", tmp_path / "kept", "-q")
    for more in (("-j", "2", *kept), ("--resume", *kept), ("-q",)):
        folder = tmp_path / str(len(texts))
        assert run(*CROSSED, "-o", f"{folder}/", *more).exit_code == 0
        texts.append([(folder / name).read_bytes() for name in names])
    assert texts[0] == texts[1] == texts[2]
    rows, stages = rows_of(texts[0][0].decode()), rows_of(texts[0][1].decode())
    assert {row["reading"] for row in rows} == {"one-hot", "theta", "lengths of the paper"}
    assert list(stages[0])[:8] == ["target", "family", "k", "j", "size", "preset", "reading", "n"]
    assert [tuple(row.values())[:7] for row in stages].count(tuple(rows[0].values())[:7]) == 3


# Kills


def finished(output: Path, *arguments: str) -> list[dict[str, str]]:
    process = started("batch", *arguments, "-o", str(output))
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    return rows_of(output.read_text())


@pytest.mark.slow
def test_a_batch_killed_twice_gives_the_same_table(tmp_path: Path) -> None:
    output = tmp_path / "r.csv"
    names, space = (
        ("tomita-1", "dyck-1"),
        ("--spaces", "spec", "--max-n", "4", "--max-r", "9.5", "--units", "1"),
    )
    for jobs, wait_s in (("2", 0.2), ("1", 0.02)):
        assert stopped(signal.SIGKILL, wait_s, output, "batch", *names, *space, "-j", jobs) in (-9, 0)
        if output.exists():
            assert {row["target"] for row in rows_of(output.read_text())} <= set(names)
    resumed = finished(output, *names, *space, "-j", "2", "--resume")
    assert run(*names, *space, "-o", tmp_path / "whole.csv").exit_code == 0
    assert resumed == rows_of((tmp_path / "whole.csv").read_text())


# All of the gallery


@pytest.mark.slow
def test_all_shipped_specs(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    output = tmp_path / "r.csv"
    arguments = ("--max-n", "6", "--max-r", "8.3", "-j", "2", "-o", str(output), "--check")
    result = run(ROOT / "specs", *arguments)
    assert result.exit_code == 0, result.stderr
    table = pandas.read_csv(output)
    assert table["error"].isna().all()
    assert set(table["agrees"]) <= {"yes", "open"}
    wanted: list[str] = []
    for stem in sorted(path.stem for path in (ROOT / "specs").glob("*.toml")):
        members = load_family(stem).members() if stem in list_family_names() else (load(stem),)
        wanted += [member.name for member in members]
    assert list(table["target"]) == wanted
    assert {"identified-for-all-n", "open"} <= set(table["outcome"])
