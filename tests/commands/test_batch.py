"""``idinf batch``: rows whatever happens, the same after a resume, and exit codes."""

import csv
import io
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from idinf.base.options import options_of
from idinf.commands.batch import batch
from idinf.commands.identify import identify
from idinf.inference.procedure import Procedure
from idinf.inference.settings import Settings
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import list_family_names, load, load_family
from idinf.tables import pool as pool_module
from idinf.work.limits import Ending
from tests.commands.refusals import runner

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


def spec(
    folder: Path, name: str, regex: str = "(0|1)*1", more: str = "", was: str = "@", now: str = ""
) -> Path:
    path = folder / f"{name}.toml"
    path.write_text((SPEC.format(name, regex) + more).replace(was, now))
    return path


@pytest.mark.slow
def test_bad_specs_are_rows_and_the_run_goes_on(tmp_path: Path) -> None:
    planted = {
        "bad-toml": ("name = = 1", "not valid TOML"),
        "unknown-key": (SPEC.format("x", "1*") + "colour = 1", "unknown key"),
        "wrong-bounds": (SPEC.format("x", "1*").replace("layers = 1", "layers = 99"), "space.layers = 99"),
        "wrong-regex": (SPEC.format("wrong-regex", "((1"), "regex"),
        "empty-space": (SPEC.format("empty-space", "1*") + "max_r = 0.5", "the space is empty"),
        "large-n": (SPEC.format("large-n", "1*").replace("max_n = 3", "max_n = 5000"), "max_n = 5000"),
        "no-upper": ('upper = ["nowhere.json"]\n' + SPEC.format("no-upper", "1*"), "nowhere.json"),
    }
    for name, (text, _) in planted.items():
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
        told = planted[row["target"]][1] if row["target"] in planted else ""
        assert told in row["error"]
        assert (row["outcome"], row["r_star"] == "") == ("" if told else "identified-for-all-n", bool(told))
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


def test_every_option_of_identify_about_the_space_is_here() -> None:
    wanted = {*options_of(Settings), *options_of(SpaceBounds), "time_limit", "memory", "jobs"}
    assert {option.name for option in batch.params} >= wanted - {"space"}
    assert {option.name for option in identify.params} >= wanted


# Limits and crashes


def crashing(monkeypatch: pytest.MonkeyPatch, crash: Callable[[], None]) -> None:
    """Plant a crash in the runs on the target whose language is 1*."""
    sound = Procedure.go_on

    def run_or_crash(self: Procedure, work: float) -> Ending | None:
        if self.max_n == 2:
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
    crash, told: str, jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IDINF_DEBUG", raising=False)
    crashing(monkeypatch, crash)
    spec(tmp_path, "a")
    spec(tmp_path, "b", "1*", was="max_n = 3", now="max_n = 2")
    spec(tmp_path, "c", "0*")
    assert run(tmp_path, "-o", tmp_path / "r.csv", "-j", jobs).exit_code == 0
    rows = rows_of((tmp_path / "r.csv").read_text())
    assert [(row["target"], bool(row["error"])) for row in rows] == [("a", False), ("b", True), ("c", False)]
    assert told in rows[1]["error"]


@pytest.mark.slow
def test_a_time_limit_is_that_of_one_target(tmp_path: Path) -> None:
    spec(
        tmp_path,
        "long",
        "(0|1)*00(0|1)*11(0|1)*",
        was="layers = 1\nunits = 1\nprecision = 0",
        now="max_r = 12",
    )
    spec(tmp_path, "short")
    arguments = (tmp_path, "-o", tmp_path / "r.csv", "--run-dir", tmp_path / "run", "--spaces", "spec")
    for more in ((), ("--resume",)):
        result = run(*arguments, "--time-limit", "1", "--max-n", "64", *more)
        assert result.exit_code == 0
        assert result.stderr.endswith("Note: 1 of 2 rows were ended by a limit\n")
        rows = rows_of((tmp_path / "r.csv").read_text())
        assert [(row["outcome"], row["error"]) for row in rows] == [
            ("open", ""),
            ("identified-for-all-n", ""),
        ]
        assert float(rows[0]["complete_up_to_r"]) < 12


# What is kept


def test_a_finished_batch_is_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output, report = tmp_path / "table.csv", tmp_path / "reports" / "tomita-1.json"
    kept = ("--run-dir", tmp_path / "kept", "--resume")
    arguments = ("majority", "tomita-1", *TINY, "-o", tmp_path, *kept)
    assert run(*arguments).exit_code == 0
    first = output.read_text(), report.read_text()
    monkeypatch.setattr(pool_module, "answer_request", None)  # nothing may be worked out again
    assert run(*arguments, "-j", "2").exit_code == 0
    assert (output.read_text(), report.read_text()) == first
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
