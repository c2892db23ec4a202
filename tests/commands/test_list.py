"""``idinf list``: exact rows, and folders with what cannot be read."""

import json
from pathlib import Path

import pytest

from idinf.crasp.programs import list_names as list_programs
from idinf.spec.catalogue import list_family_names, list_names
from tests.commands.refusals import refused, runner

run = runner("list")


@pytest.mark.parametrize(
    ("what", "row"),
    [
        ("", "ge-k-j|0 1|crasp k=1..16 j=1..16|16|crasp=yes crasp_periodic_local=yes"
            "|The family k * #1 >= j * #0 for coprime k and j: at least j/(k + j) of the symbols are 1"),
        ("targets", "majority|0 1|crasp|64|crasp=yes crasp_periodic_local=yes|At least as many 1s as 0s"),
        ("programs",
            "a-then-b|a b c|C-RASP[]|Σ*aΣ*bΣ* over abc: some a before some b, a piecewise testable language"),
        ("tasks", "copy-repeat|0 1 #|w#w with w over 01"),
    ],
)  # fmt: skip
def test_rows(what: str, row: str) -> None:
    rows = [line.split("\t") for line in run(*what.split()).stdout.splitlines()]
    assert row.split("|") in rows
    assert {len(each) for each in rows} == {row.count("|") + 1}
    assert all(each[-1] for each in rows)


def test_every_name_is_listed() -> None:
    listed = json.loads(run("--json").stdout)
    assert listed["format"] == "idinf-targets/1"
    names = [entry["name"] for entry in listed["targets"]]
    assert names == sorted((*list_names(), *list_family_names()))
    shown = json.loads(run("programs", "--json").stdout)["programs"]
    assert [entry["name"] for entry in shown] == list(list_programs())


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text('# All.\nname = "b"\nalphabet = "a"\nregex = "a*"\n')
    (tmp_path / "a.toml").write_text('name = "a"\n')
    first, second = run(str(tmp_path)).stdout.splitlines()
    assert "alphabet is missing" in first
    assert second.endswith("\tAll")
    refused(run("nowhere"), 2, "'nowhere' is no list; expected targets, programs, tasks or a folder of specs")
