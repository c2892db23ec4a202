"""``idinf composition``: what it prints and writes, and every refusal as one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import idinf
from idinf.commands import main
from tests.commands.refusals import refused


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["composition", *arguments], input=stdin, prog_name="idinf")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_generate_and_solve() -> None:
    written = run("generate", "--m", "2", "--n", "2", "--count", "3")
    assert written.stdout == run("generate", "--m", "2", "--n", "2", "--count", "3").stdout
    assert run("generate", "--m", "2", "--n", "2", "--count", "3", "--seed", "1").stdout != written.stdout
    chains = run("solve", "-", "--chain", stdin=written.stdout).stdout
    assert chains == "1\t0\t3\n1\t0\t2\n1\t0\t0\n"
    Path("t.jsonl").write_text(written.stdout, encoding="utf-8")
    assert run("solve", "t.jsonl").stdout == "3\n2\n0\n"
    assert run("generate", "--m", "2", "--tokens").stdout == "z1(0)=1 z1(1)=0 z0=1 w=\n"


def test_simulate_on_a_file_and_on_everything() -> None:
    run("generate", "--m", "2", "--n", "2", "--count", "3", "-o", "t.jsonl")
    assert run("simulate", "reveal", "t.jsonl").stdout == "3\t3\tright\t5\n2\t2\tright\t5\n0\t0\tright\t5\n"
    shown = run("simulate", "reveal", "t.jsonl", "--messages").stdout.splitlines()
    assert (len(shown), shown[1]) == (3 * 13, "epoch 1  1 -> -1  2 of 2 bits  10")
    assert (
        run("simulate", "reveal", "--m", "2", "--n", "2").stdout
        == "B      1\nright  4096 of 4096\nbits   5 at most\n"
    )
    wrong = run("simulate", "silent", "--m", "2").stdout.splitlines()
    assert wrong[:3] == ["B      0", "right  4 of 8", "bits   0 at most"]
    assert json.loads(wrong[3].removeprefix("wrong  "))["z0"] == 1


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


def test_decompose_and_check() -> None:
    rows = run("decompose", "silent", "--m", "2", "--n", "1", "-o", "d.json").stdout.splitlines()
    assert rows[0].split() == ["|Z_0|", "|Z_1|", "cover", "|R|", "allowed", "Lemma", "4.3"]
    assert rows[1].split() == ["1", "1", "1", "4", "2", "wrong"]
    assert rows[-3] == "silent answers 0 to both, whose answers differ:"
    assert run("solve", "-", stdin="\n".join(rows[-2:])).stdout == "0\n1\n"
    checked = run("decompose", "silent", "--m", "2", "--n", "1", "--check", "d.json").stdout.splitlines()
    assert checked[0].split() == ["indistinguishable", "yes"]
    assert checked[2].endswith("yes: the protocol is wrong")
    told = run("decompose", "reveal", "--m", "2", "--n", "1", "--check", "d.json").stdout.splitlines()
    assert told[0] == "indistinguishable  no: epoch 2: message 2 -> -1 differs"


BAD = '{"m": 2, "n": [2], "z0": 2, "z": [[1, 0], [3, 2, 1, 0]], "w": [1]}'


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (("solve", "t.jsonl"), 3, ("t.jsonl, line 1: z0 = 2; expected 0..1",)),
        (("solve", "no.jsonl"), 3, ("no.jsonl", "no such file")),
        (("simulate", "reveal", "t.jsonl"), 3, ("t.jsonl, line 1: z0",)),
        (("simulate", "reveal"), 2, ("no --m is given",)),
        (("simulate", "revael", "--m", "2"), 3, ("did you mean 'reveal'?",)),
        (("simulate", "reveal", "--m", "4", "--n", "4"), 3, ("instances; expected at most 65536",)),
        (("simulate", "reveal", "other.jsonl", "--m", "3"), 3, ("is for m = 3 and n = []",)),
        (("generate", "--m", "100000"), 2, ("--m",)),
        (("generate", "--m", "2", "--n", "2,x"), 2, ("no list of sizes",)),
        (("generate", "--m", "60000", "--count", "1000"), 2, ("expected at most 4194304 tokens",)),
        (("generate", "--m", "1000", "--n", "1000"), 3, ("m and n make 1001002 tokens",)),
        (("parameters", "--layers", "2", "--reading", "product"), 3, ("608", "256")),
        (("parameters", "--layers", "2", "--prompt", "2^999999999"), 2, ("too large",)),
        (("parameters", "--layers", "2", "--prompt", "0"), 3, ("n = 0",)),
        (("decompose", "reveal", "--m", "2"), 3, ("level = 2; expected 2..L with L = 1",)),
        (("decompose", "reveal", "--m", "3", "--n", "2"), 3, ("would be run",)),
        (
            ("decompose", "reveal", "--m", "2", "--check", "d.json", "--level", "2"),
            2,
            ("--check and --level",),
        ),
        (("simulate", "reveal", "t.jsonl", "--n", "9"), 2, ("no --m is given",)),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, parts: tuple[str, ...]) -> None:
    Path("t.jsonl").write_text(BAD + "\n", encoding="utf-8")
    Path("other.jsonl").write_text(BAD.replace('"z0": 2', '"z0": 1'), encoding="utf-8")
    before = sorted(Path().iterdir())
    refused(run(*arguments), code, *parts)
    assert sorted(Path().iterdir()) == before


@pytest.fixture
def net() -> str:
    idinf.compile("majority").save("net.json")
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
    refused(run("communicate", net, "011", "--players", "x"), 2, "as in 4,1,1")
    refused(run("communicate", net, "019"), 3, "symbol '9' at position 3")
    refused(run("communicate", net, "0"), 3, "expected at least 3, one for each of the players -1..1")
    refused(run("communicate", "none.json", "0"), 3, "none.json")
