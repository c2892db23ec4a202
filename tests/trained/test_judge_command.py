"""The command `idinf judge`: exit codes, files, Ctrl-C."""

import itertools
import json
import signal
from pathlib import Path

import pytest

import idinf
from idinf.api.programs import compile_source
from idinf.spec.catalogue import load
from idinf.trained.calls import judgement as api
from idinf.trained.tree import Walk
from tests.commands.refusals import runner
from tests.trained.nets import by_majority

MAJORITY = load("majority")
SMALL = ("--length", 8, "--samples", 0, "--no-report")

judge, net = runner("judge"), runner("net")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    by_majority(MAJORITY.alphabet).save(folder / "right")
    by_majority(MAJORITY.alphabet, 8.5).save(folder / "wrong")
    compile_source("majority").save(folder / "majority.json")
    return folder


def test_exit_codes_and_files(models: Path, tmp_path: Path) -> None:
    found = judge(models / "right", "--target", "majority", *SMALL)
    limited = judge(models / "right", "--target", "majority", "--length", 40, *SMALL[2:], "--time-limit", 1)
    assert limited.exit_code == 0
    assert "the time limit of 1 s ended the run" in limited.stdout
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.startswith("majority: no wrong word among all 511 words of the task up to length 8\n")
    path = tmp_path / "judgement.json"
    found = judge(models / "wrong", "--target", "majority", *SMALL, "-o", path, "--json")
    assert (found.exit_code, found.stderr, found.stdout) == (1, "", path.read_text())
    told = json.loads(found.stdout)
    assert told["mistakes"][0]["word"] == "0000111"
    called = idinf.judge(models / "wrong", "majority", length=8, samples=0, report=False).to_dict()
    assert {**called, "seconds": 0} == {**told, "seconds": 0}


@pytest.mark.parametrize("during", ["walk", "records"])
def test_ctrl_c_tells_what_was_finished(during: str, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name = (Walk, "to") if during == "walk" else (api, "run")
    complete, calls = getattr(place, name), itertools.count(1)

    def interrupted(*arguments: object) -> object:
        if next(calls) == (2 if during == "walk" else 1):
            signal.raise_signal(signal.SIGINT)
        return complete(*arguments)

    monkeypatch.setattr(place, name, interrupted)
    asked = ("--length", 14, "--samples", 5, "--json")
    found = judge(models / "wrong", "--target", "majority", *asked, *(["--no-report"] * (during == "walk")))
    assert found.exit_code == 130, found.output
    if during == "walk":
        told = json.loads(found.stdout)
        assert (told["exhaustive_to"], told["ended_by"], told["samples"]) == (11, "interrupted", [])
        assert [each["words"] for each in told["counts"]] == [1 << n for n in range(12)]
    else:
        assert found.stdout == ""
