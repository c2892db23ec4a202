"""``idinf lab compose``: what it prints and writes, and every refusal as one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from idinf import crasp
from tests.commands.refusals import refused, runner

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
    assert rows[:4] == ["B      0", "right  16 of 32", "bits   0 at most", ""]
    assert rows[4].split() == ["|Z_0|", "|Z_1|", "cover", "|R|", "allowed", "Lemma", "4.3"]
    assert rows[5].split() == ["1", "1", "1", "4", "2", "wrong"]
    assert rows[-3] == "silent answers 0 to both, whose answers differ:"
    assert [json.loads(row)["chain"][-1] for row in rows[-2:]] == [0, 1]
    told = run("decompose", "reveal", "--m", "2", "--n", "2").stdout
    assert told.startswith("B      1\nright  4096 of 4096\nbits   5 at most\n\n")
    assert "wrong" not in told


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (("decompose", "revael", "--m", "2"), 3, ("did you mean 'reveal'?",)),
        (("generate", "--m", "100000"), 2, ("--m",)),
        (("generate", "--m", "2", "--n", "2,x"), 2, ("no list of sizes",)),
        (("generate", "--m", "60000", "--count", "1000"), 2, ("expected at most 4194304 tokens",)),
        (("generate", "--m", "1000", "--n", "1000"), 3, ("m and n make 1001002 tokens",)),
        (("parameters", "--layers", "2", "--prompt", "2^999999999"), 2, ("too large",)),
        (("parameters", "--layers", "2", "--prompt", "0"), 3, ("n = 0",)),
        (("decompose", "reveal", "--m", "2"), 3, ("level = 2; expected 2..L with L = 1",)),
        (("decompose", "reveal", "--m", "3", "--n", "2"), 3, ("would be run",)),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, parts: tuple[str, ...]) -> None:
    before = sorted(Path().iterdir())
    refused(run(*arguments), code, *parts)
    assert sorted(Path().iterdir()) == before


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


def test_prompts_and_players_that_do_not_fit(net: str) -> None:
    refused(run("communicate", net, "011", "--players", "3,1"), 3, "expected 3 numbers of tokens")
    refused(run("communicate", net, "011", "--players", "3,1,1"), 3, "players have 5 tokens; expected 4")
    refused(run("communicate", net, "011", "--players", "0,3,1"), 3, "at least 1 token for each")
    refused(run("communicate", net, "011", "--players", "x"), 2, "as in 2 or 2,3")
    refused(run("communicate", net, "019"), 3, "symbol '9' at position 3")
    refused(run("communicate", net, "0"), 3, "expected at least 3, one for each of the players -1..1")
    refused(run("communicate", "none.json", "0"), 3, "none.json")
