"""``idinf verify``: exit codes 0 and 1, one line for each thing, and JSON."""

import json
from pathlib import Path

import pytest

import idinf
from tests.commands.refusals import runner

run = runner()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of 1*, proved for all n."""
    path = tmp_path_factory.mktemp("verify") / "r.json"
    options = ("--max-n", "3", "--layers", "2", "--units", "1", "--precision", "1", "--json", "-o", str(path))
    assert run("identify", "tomita-1", "--space", "spec", *options).exit_code == 0
    return path


def test_a_right_report(report: Path) -> None:
    result = run("verify", str(report), "--length", "4")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert "ok     records[2].fail: right on all words up to length 4" in lines
    assert "ok     proofs[0]: proves it right on all words" in lines
    assert "ok     outcome: identified-for-all-n" in lines
    assert any(line.startswith("not checked: completeness: ") for line in lines)
    assert not any(line.startswith("WRONG") for line in lines)
    assert lines[-1].endswith(" things checked, all of them right")
    assert str(idinf.read_report(report).verify(length=4)) + "\n" == result.stdout


def test_a_wrong_report(report: Path, tmp_path: Path) -> None:
    content = json.loads(report.read_text())
    content["n0"] = 1
    content["records"][1]["r"] = 4.5
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(content))
    result = run("verify", str(path), "--length", "3")
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert "WRONG  n0: n0 = 1; expected 2" in lines
    assert "WRONG  records[1].r: R = 4.5; expected 5.0" in lines
    assert "ok     records[1].r: 4.5" not in lines
    assert lines[-1].endswith(" of them WRONG")
    shown = json.loads(run("verify", str(path), "--length", "3", "--json").stdout)
    assert shown["right"] is False
    wrong = {check["place"]: check["faults"] for check in shown["checks"] if not check["right"]}
    assert wrong["n0"] == ["n0 = 1; expected 2"]


def test_a_witness_beside_a_report(report: Path, tmp_path: Path) -> None:
    right, wrong = (json.loads(report.read_text())["records"][number]["hypothesis"] for number in (-1, 1))
    paths = [report, tmp_path / "wrong.json", tmp_path / "other.json"]
    paths[1].write_text(json.dumps(wrong))
    paths[2].write_text(json.dumps(right).replace('"0"', '"a"'))
    result = run("verify", report, "--length", "2", *(f"--witness={path}" for path in paths[:2]))
    assert (result.exit_code, result.stderr) == (0, "")
    name = "nope, layers <= 2, heads <= 1, units <= 1, precision <= 1"
    for line in (
        "ok     witness[0].hypothesis: right on all words up to length 2",
        "ok     witness[0]: the same by its steps on all words up to length 6; these are right up to 2",
        f"ok     witness[0]: no R*_n of {name} is above its R for n <= 3",
        "ok     witness[1].hypothesis: first wrong on '01', all words up to length 2",
        f"ok     witness[1]: no R*_n of {name} is above its R for n <= 1",
    ):
        assert line in result.stdout.splitlines()
    result = run("verify", report, "--length", "2", "--witness", paths[2])
    assert result.exit_code == 1
    assert "witness[0].hypothesis: alphabet a 1; expected that of the target, 0 1; give" in result.stdout


def test_json(report: Path) -> None:
    shown = json.loads(run("verify", report, "--length", "2", "--json").stdout)
    assert list(shown) == ["format", "report", "right", "length", "checks", "not_checked"]
    assert (shown["format"], shown["right"], shown["length"]) == ("idinf-verify/1", True, 2)
    assert all(list(check) == ["place", "about", "right", "faults"] for check in shown["checks"])
