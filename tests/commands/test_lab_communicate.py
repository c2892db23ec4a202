"""``idinf lab communicate``: tables, their CSV and JSON, and one word."""

import csv
import io
import json
from pathlib import Path

import pytest

from idinf.crasp.programs import load
from idinf.nets import json_format
from idinf.translate.compilation.compiler import compile_program
from tests.commands.refusals import runner

run = runner("lab", "communicate")


@pytest.fixture
def majority_file(tmp_path: Path) -> str:
    loaded = load("majority")
    path = tmp_path / "majority.json"
    net = compile_program(loaded.program, loaded.alphabet()).to_dense()
    path.write_text(json_format.dumps(net), encoding="utf-8")
    return str(path)


def test_both_sides_of_a_program() -> None:
    result = run("majority", "--max-n", "16", "--words", "2")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "majority: a C-RASP program"
    assert lines[2].split() == ["n", "m", "bits", "at", "most", "words", "behaviours", "log2", "log2/log2(n)"]
    assert lines[9].split() == ["16", "8", "5", "6", "2", "9", "3.170", "0.792"]
    assert "protocol    Bob's activations equal the whole forward pass on all 98 words run" in lines
    counted = (
        "behaviours  log2 of them is at most logarithmic in n: a machine of 1 counter, each at most c · n"
    )
    assert counted in lines
    assert "bits        at most 1·⌈log2(m + 2)⌉ + 2 for every word, proved" in lines


def test_tasks_refute_every_constant() -> None:
    lines = run("equality", "--max-n", "32").stdout.splitlines()
    assert "too few     C·log2(n) bits at some n shown, for every C < 3.200" in lines
    assert "            positions and local φ expresses it (Corollary 13)" in lines
    assert lines[-1] == "note        no Limit Transformer expresses it: nothing is run"


def test_a_hypothesis_on_one_word(majority_file: str) -> None:
    told = run(majority_file, "--word", "0110", "--split", "3").stdout
    for line in (
        "layer 1  4 bits  0011",
        "total    4 bits, at most 1·⌈log2(m + 2)⌉ + 2 = 5",
        "check    Bob's 11 numbers equal those of the whole forward pass",
        "verdict  accept",
    ):
        assert line in told.splitlines()
    assert "verdict" not in run(majority_file, "--word", "", "--split", "0").stdout


def test_csv_and_json_say_the_same() -> None:
    names = ("dyck-1", "addition", "parity")
    rows = list(csv.DictReader(io.StringIO(run(*names, "--max-n", "8", "--words", "1", "--csv").stdout)))
    found = json.loads(run(*names, "--max-n", "8", "--words", "1", "--json").stdout)
    assert found["format"] == "idinf-communication/1"
    assert [target["name"] for target in found["targets"]] == list(names)
    for target in found["targets"]:
        own = [row for row in rows if row["target"] == target["name"]]
        behaviours = {row["n"]: row["behaviours"] for row in target["behaviours"]}
        bits = {row["n"]: row["bits"] for row in target["protocol"]}
        for row in own:
            assert row["behaviours"] == str(behaviours.get(int(row["n"]), ""))
            assert row["bits"] == str(bits.get(int(row["n"]), ""))
    assert [target["growth"] for target in found["targets"]] == ["logarithmic", "linear", "constant"]
    assert found["targets"][2]["notes"] == ["no program is given for it, so no transformer is run"]
