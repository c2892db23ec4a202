"""``idinf lab compose``: what it prints and writes."""

import json
from pathlib import Path

import pytest

from idinf import crasp
from tests.commands.refusals import runner

run = runner("lab", "compose")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_generate() -> None:
    written = run("generate", "--m", "2", "--n", "2", "--count", "3")
    assert written.stdout == run("generate", "--m", "2", "--n", "2", "--count", "3").stdout
    assert run("generate", "--m", "2", "--n", "2", "--count", "3", "--seed", "1").stdout != written.stdout
    chains = [json.loads(line)["chain"] for line in written.stdout.splitlines()]
    assert chains == [[1, 0, 3], [1, 0, 2], [1, 0, 0]]
    assert run("generate", "--m", "2", "--tokens").stdout == "z1(0)=1 z1(1)=0 z0=1 w=\t0\n"


def test_parameters() -> None:
    shown = run("parameters", "--layers", "2").stdout.splitlines()
    assert [line.split()[-1] for line in shown[2:5]] == ["2^320", "2^128", "2^448"]
    answers = {
        ("--layers", "2", "--prompt", "2^449"): "excluded",
        ("--layers", "2", "--prompt", "2^448"): "out of range",
        ("--layers", "1", "--heads", "8", "--prompt", "1000000"): "not covered",
    }
    for arguments, answer in answers.items():
        assert run("parameters", *arguments).stdout.splitlines()[-1].startswith(f"{answer}: ")


def test_decompose() -> None:
    rows = run("decompose", "silent", "--m", "2", "--n", "1").stdout.splitlines()
    assert rows[:3] == ["B      0", "right  16 of 32", "bits   0 at most"]
    assert rows[5].split() == ["1", "1", "1", "4", "2", "wrong"]
    assert rows[-3] == "silent answers 0 to both, whose answers differ:"
    assert [json.loads(row)["chain"][-1] for row in rows[-2:]] == [0, 1]
    assert "wrong" not in run("decompose", "reveal", "--m", "2", "--n", "2").stdout


@pytest.fixture
def net() -> str:
    crasp.compile("majority").save("net.json")
    return "net.json"


def test_a_net_is_run_as_a_protocol(net: str) -> None:
    text = run("communicate", net, "011", "--players", "2,1,1").stdout
    assert "p          3, the bits of the largest number met" in text
    assert "activations equal those of the whole forward pass\nanswer  accept\n" in text
    shown = json.loads(run("communicate", net, "011", "--players", "2,1,1", "--json").stdout)
    assert shown["format"] == "idinf-composition-run/1"
    assert (shown["B"], shown["equal"], shown["answer"], shown["total_bits"]) == (3, True, "accept", 18)
    assert shown["players"][0] == {"player": 1, "tokens": ["$", "0"]}
    assert sum(len(message["bits"]) for message in shown["messages"]) == 18
    assert all(len(message["bits"]) <= message["at_most"] for message in shown["messages"])
