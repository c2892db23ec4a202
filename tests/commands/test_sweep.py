"""``idinf sweep``: what is crossed with what, the same bytes however it is run, and what is refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import idinf
from idinf.commands import main
from idinf.sweeps import sweep as sweep_module
from idinf.sweeps.readings import READINGS
from idinf.sweeps.row import COLUMNS
from tests.commands.refusals import refused

#: Spaces and lengths with which a row takes a fraction of a second.
TINY = ("--max-n", "3", "--layers", "1", "--units", "1", "--precision", "0", "--anneal-steps", "0")

#: A member of a family, and a target of next symbols, in two spaces and some readings.
CROSSED = (
    *("ge-k-j", "tomita-1-next", "--set", "k=1..1", "--set", "j=1", "--spaces", "nope,periodic"),
    *("--readings", "one-hot,theta,lengths of the paper", "--max-r", "8.8"),
    *TINY,
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["sweep", *map(str, arguments)], prog_name="idinf")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the finished work of these rows is kept, so that they need not be worked out again."""
    return tmp_path_factory.mktemp("kept") / "run"


@pytest.fixture(scope="module")
def crossed(kept: Path) -> str:
    result = run(*CROSSED, "-o", "-", "-q", "--run-dir", kept)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_a_row_is_that_of_a_batch_and_of_the_readings(crossed: str) -> None:
    rows = rows_of(crossed)
    bounds = {"max_n": 3, "layers": 1, "units": 1, "precision": 0, "max_r": 8.8, "anneal_steps": 0}
    [item] = idinf.batch([idinf.target("ge-k-j", values={"k": 1, "j": 1}).spec], space="periodic", **bounds)
    [row] = [
        row
        for row in rows
        if tuple(row.values())[:6] == ("ge-1-1", "ge-k-j", "1", "1", "periodic", "one-hot")
    ]
    for name in COLUMNS:
        if name != "seconds":
            cell = getattr(item.row, name)
            assert row[name] == ("" if cell is None else str(cell)), name
    spec = idinf.target("ge-k-j", values={"k": 1, "j": 1}).spec
    [read] = idinf.readings([spec], ["theta"], max_n=3, work=100_000)
    row = next(row for row in rows if row["target"] == "ge-1-1" and row["reading"] == "theta")
    assert (row["space"], row["r_star"], row["n0"]) == ("class theta", str(read.r_star), str(read.n0))


@pytest.mark.slow
def test_the_same_bytes_for_every_number_of_jobs_and_after_a_resume(
    crossed: str, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ("-o", tmp_path / "a.csv", "--long", tmp_path / "l.csv", "--records", tmp_path / "r.csv")
    assert run(*CROSSED, *files, "-j", "2", "-q").exit_code == 0
    texts = [(tmp_path / name).read_bytes() for name in ("a.csv", "l.csv", "r.csv")]
    assert texts[0].decode() == crossed
    monkeypatch.setattr(sweep_module, "answer_request", None)  # nothing may be worked out again
    for name in ("a.csv", "l.csv", "r.csv"):
        (tmp_path / name).unlink()
    assert run(*CROSSED, *files, "--run-dir", kept, "--resume", "-q").exit_code == 0
    assert [(tmp_path / name).read_bytes() for name in ("a.csv", "l.csv", "r.csv")] == texts
    stages = rows_of(texts[1].decode())
    assert {row["reading"] for row in stages} == {"one-hot", "theta", "lengths of the paper"}
    assert list(stages[0])[:7] == ["target", "family", "k", "j", "preset", "reading", "n"]
    keys = [tuple(row.values())[:6] for row in stages]
    assert keys.count(tuple(rows_of(crossed)[0].values())[:6]) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
(("ge-k-j", "--set", "k=99"), 3, ("specs/ge-k-j.toml: k = 99", "from 1 to 16", "widen it")),
(("regular-k-i", "--set", "k=1", "--set", "i=3"), 3, ("no member with k = 1; i = 3",)),
(("majority", "--only", "crasp"), 2, ("'crasp='", "for example crasp=no")),
(("majority", "--layers", "99"), 2, ("layers = 99", "lower it to")),
],
)  # fmt: skip
def test_refusals(arguments: tuple[str, ...], code: int, parts: tuple[str, ...], tmp_path: Path) -> None:
    refused(run(*arguments, "-o", tmp_path / "a.csv"), code, *parts)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_every_reading_has_its_row() -> None:
    names = [reading.name for reading in READINGS]
    asked = ("majority", "--spaces", "nope", "--readings", ",".join(names), *TINY)
    assert [row["reading"] for row in rows_of(run(*asked, "-o", "-", "-q").stdout)] == names
