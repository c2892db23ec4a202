"""``idinf communicate``: tables, one word, figures, and every refusal as one line."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from idinf.communication.study import measure_study
from idinf.compilation.compiler import compile_program
from idinf.crasp.library import load
from idinf.render.text.communication import format_json
from idinf.targets.tasks import TASKS
from idinf.transformers import json_format
from tests.commands.refusals import refused


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["communicate", *arguments], prog_name="idinf")


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
    assert "            and for every C at some n: no Limit Transformer with periodic positions" in lines
    assert lines[-1] == "note        no Limit Transformer expresses it: nothing is run"


def test_csv_and_json_say_the_same() -> None:
    names = ("dyck-1", "addition", "target:parity")
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


def test_refuted_constants_are_rounded_down() -> None:
    for n in range(4, 60, 2):
        found = measure_study("equality", "", None, TASKS["equality"], (n,), 1)
        assert found.refuted == n / 2 / math.log2(n)
        told = json.loads(format_json([found]))["targets"][0]["refuted_c_below"]
        assert found.refuted - 2e-9 < told <= found.refuted


def test_a_hypothesis_on_one_word(majority_file: str) -> None:
    result = run(majority_file, "--word", "0110", "--split", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "Alice   $ 011",
        "Bob     0",
        "layer 1  4 bits  0011",
        "total    4 bits, at most 1·⌈log2(m + 2)⌉ + 2 = 5",
        "check    Bob's 11 numbers equal those of the whole forward pass",
        "verdict  accept",
    ]
    assert "verdict" not in run(majority_file, "--word", "", "--split", "0").stdout


def test_what_the_family_cannot_express_is_compiled_directly(tmp_path: Path) -> None:
    """Its ReLU units and a thousand positions, too: the protocol compares every number with the reference."""
    path = tmp_path / "my.crasp"
    path.write_text('accept = i mod 1025 == 3 && max(# "a", # "b") > 1', encoding="utf-8")
    result = run(str(path), "--alphabet", "ab", "--max-n", "4", "--words", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split()[:5] for line in lines[3:6]] == [
        ["2", "1", "6", "9", "all"],
        ["3", "1", "6", "9", "all"],
        ["4", "2", "6", "9", "all"],
    ]
    assert "protocol    Bob's activations equal the whole forward pass on all 28 words run" in lines
    assert lines[-1] == (
        "note        compiled directly, outside the searched family: line 1, column 10: the moduli up to "
        "here have the common multiple 1025"
    )
    one = run(str(path), "--alphabet", "ab", "--word", "bab").stdout.splitlines()
    assert one[0] == "Alice   $ b"
    assert one[-1] == "verdict  accept"


def test_a_hypothesis_has_no_lower_side(majority_file: str) -> None:
    lines = run(majority_file, "--max-n", "4").stdout.splitlines()
    assert lines[-1] == "note        a hypothesis is not a step machine: its behaviours are not counted"
    assert lines[3].split() == ["2", "1", "3", "4", "all", "4"]


def test_a_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = tmp_path / "bits.svg"
    result = run("dyck-1", "copy-repeat", "--max-n", "4", "--words", "1", "--plot", str(figure))
    assert result.exit_code == 0
    assert figure.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("majorty",), 3, "unknown operand 'majorty'; did you mean 'majority'?"),
        (
            ("coppy-repeat",),
            3,
            "expected equality, copy-repeat, addition, multiplication, dyck-2, a name",
        ),
        (("regex:.*",), 3, "Error: regex:.*: no symbol is named; expected an alphabet; give --alphabet"),
        (("majority", "majority"), 2, "'majority' is given twice; expected each name once"),
        (("majority", "--csv", "--json"), 2, "--csv and --json are both given; expected at most one"),
        (("majority", "--split", "1"), 2, "--split is given without --word; expected both"),
        (
            ("majority", "--word", "01", "--split", "3"),
            3,
            "majority: split = 3; expected a number of symbols",
        ),
        (("majority", "--word", "012"), 3, "symbol '2' at position 3 is not in the alphabet"),
        (("majority", "dyck-1", "--word", "01"), 2, "--word is about one name, as text"),
        (
            ("equality", "--word", "01"),
            2,
            "'equality' has no transformer to run on a word: no Limit Transformer expresses it",
        ),
        (("MODULI", "--word", "ab"), 2, "common multiple 16411; expected at most 16384, for the positions"),
        (("REPORT",), 3, "idinf_version is missing; expected the keys"),
        (("majority", "--plot", "x.gif"), 2, "'x.gif' ends in 'gif'; expected .svg, .pdf or .png"),
        (("majority", "--word", "01", "--plot", "x.svg"), 2, "--plot is about tables; expected no --word"),
        (("majority", "--set", "k=3"), 2, "--set is given, but no name is that of a family"),
        (("equality", "--alphabet", "ab"), 2, "an alphabet is given, but 'equality' has its own"),
        (("majority", "--max-n", "1"), 2, "1 is not in the range 2<=x<=1024"),
        (("d-2-next",), 3, "expected a language, which every word is in or not"),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, message: str, tmp_path: Path) -> None:
    files = {"MODULI": tmp_path / "moduli.crasp", "REPORT": tmp_path / "report.json"}
    files["MODULI"].write_text('accept = i mod 16411 == 3 && # "a" > # "b"', encoding="utf-8")
    files["REPORT"].write_text('{"format": "idinf-report/1"}', encoding="utf-8")
    refused(run(*(str(files.get(argument, argument)) for argument in arguments)), code, message)


def test_a_family_member_and_a_regex() -> None:
    result = run("ge-k-j", "regex:(ab)*", "--set", "k=3", "--set", "j=2", "--max-n", "4", "--words", "1")
    assert result.exit_code == 0
    assert "ge-k-j: a C-RASP target" in result.stdout
    assert "regex:(ab)*: a regular language" in result.stdout
