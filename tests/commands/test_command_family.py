"""``idinf family``: rows that do not depend on -j, limits as rows and exit codes, files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from idinf.commands.family import family
from idinf.commands.identify import identify
from idinf.commands.search_options import BOUNDS
from idinf.json_text import dump_json
from idinf.sweeps import sweep as sweep_module

ROOT = Path(__file__).resolve().parents[2]

#: The family in a space that takes a moment.
ONE_UNIT = ("ge-k-j", "--space", "spec", "--layers", "1", "--units", "1", "--precision", "0")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["family", *arguments], prog_name="idinf")


@pytest.mark.slow
def test_the_table_does_not_depend_on_the_jobs(tmp_path: Path) -> None:
    texts, tables = [], []
    for jobs in ("1", "2"):
        path = tmp_path / f"{jobs}.json"
        result = run(*ONE_UNIT, "--up-to", "2", "--max-n", "8", "-j", jobs, "-o", str(path))
        assert (result.exit_code, result.stderr) == (0, "")
        texts.append(re.sub(r" +\d+\.\d\d$", "", result.stdout, flags=re.MULTILINE))
        content = json.loads(path.read_text())
        for member in content["members"]:
            assert member.pop("seconds") >= 0
        tables.append(dump_json(content))
    assert texts[0] == texts[1]
    assert tables[0] == tables[1]
    assert "  ge-1-2  2  identified-for-all-n  9.236067977  5   8" in texts[0]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("names", "options"),
    [
        (
            ["ge-1-1", "ge-1-2", "ge-2-1"],
            ("--max-n", "4", "--units", "1", "--precision", "0", "--tolerance", "0", "--aggregate", "sum"),
        ),
        (["ge-1-1"], ("--precision", "1", "--no-prove", "--anneal-steps", "3")),
    ],
)
def test_members_are_what_identify_says(names: list[str], options: tuple[str, ...], tmp_path: Path) -> None:
    """And what batch says, whose reports are those of identify."""
    largest = max(name[-1] for name in names)
    table = json.loads(run("ge-k-j", "--space", "spec", "--up-to", largest, *options, "--json").stdout)
    assert [member["name"] for member in table["members"]] == names
    spec = tmp_path / "some.toml"
    text = (ROOT / "specs" / "ge-k-j.toml").read_text(encoding="utf-8")
    spec.write_text(text.replace("up_to = 10", f"up_to = {largest}"), encoding="utf-8")
    batch = (
        "batch",
        str(spec),
        "--space",
        "spec",
        *options,
        "-o",
        str(tmp_path / "r.csv"),
        "--json-dir",
        str(tmp_path / "j"),
    )
    assert CliRunner().invoke(main, [*batch, "-q"]).exit_code == 0
    for member in table["members"]:
        values = [
            part for name, value in member["parameters"].items() for part in ("--set", f"{name}={value}")
        ]
        alone = CliRunner().invoke(
            main, ["identify", "ge-k-j", "--space", "spec", *values, *options, "--json"]
        )
        report = json.loads(alone.stdout)
        other = json.loads((tmp_path / "j" / f"{member['name']}.json").read_text(encoding="utf-8"))
        for content in (report, other):
            assert content.pop("seconds") > 0
            assert content.pop("peak_bytes") > 0
        assert report == other
        assert report["target"]["digest"] == member["digest"]
        assert report["space"] == table["space"]
        assert report["regularizer"] == table["regularizer"]
        for key in ("outcome", "n0", "n0_canonical", "max_n", "complete_up_to_r"):
            assert report[key] == member[key]
        last = report["records"][-1]
        assert (last["r"], last["formula"]) == (member["r_star"], member["formula"])


def test_every_option_of_identify_about_the_space_is_here() -> None:
    own = {option.name for option in family.params}
    assert own >= {"space", *BOUNDS, "max_r", "max_n", "tolerance", "aggregate", "anneal_steps", "proves"}
    assert own >= {"run_dir", "resume"}
    assert {option.name for option in identify.params} >= {"space", *BOUNDS, "max_r"}


def test_a_limit_ends_with_4_and_rows_that_say_so() -> None:
    result = run("ge-k-j", "--space", "spec", "--up-to", "1", "--max-n", "64", "--time-limit", "0.000001")
    assert result.exit_code == 4
    assert result.stderr == "Note: 1 of 1 members were ended by a limit\n"
    assert "ge-1-1: the time limit of" in result.stdout
    assert ">= 1" in result.stdout
    assert (
        run(
            "ge-k-j", "--space", "spec", "--up-to", "1", "--max-n", "64", "--time-limit", "0.000001", "-q"
        ).stderr
        == ""
    )


@pytest.mark.slow
def test_a_family_goes_on_where_it_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ("--run-dir", str(tmp_path / "kept"))
    first = run(*ONE_UNIT, "--up-to", "2", "--max-n", "8", *kept, "--json")
    assert first.exit_code == 0
    refused = run(*ONE_UNIT, "--up-to", "2", "--max-n", "8", *kept)
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert "already holds a batch" in refused.stderr
    monkeypatch.setattr(sweep_module, "answer_request", None)  # nothing may be worked out again
    again = run(*ONE_UNIT, "--up-to", "2", "--max-n", "8", *kept, "--resume", "--json", "-j", "2")
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    alone = run("ge-k-j", "--resume")
    assert (alone.exit_code, alone.stderr.count("\n")) == (2, 1)
    assert "--resume is given without --run-dir" in alone.stderr


def test_json_goes_to_stdout_or_to_the_file(tmp_path: Path) -> None:
    arguments = (*ONE_UNIT, "--up-to", "1", "--max-n", "4")
    path = tmp_path / "table.json"
    alone = run(*arguments, "--json", "-o", str(path))
    assert (alone.exit_code, alone.stdout) == (0, "")
    for result in (run(*arguments, "--json"), run(*arguments, "-o", "-")):
        assert {key: value for key, value in json.loads(result.stdout).items() if key != "members"} == {
            key: value for key, value in json.loads(path.read_text()).items() if key != "members"
        }
