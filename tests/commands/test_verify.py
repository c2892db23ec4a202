"""``idinf verify``: exit codes 0, 1 and 3, one line for each thing, and JSON."""

from __future__ import annotations

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
    content = json.loads(report.read_text())
    paths = [tmp_path / f"{number}.json" for number in range(4)]
    right, wrong = (content["records"][number]["hypothesis"] for number in (-1, 1))
    for path, given in zip(paths, (content, wrong, right, right), strict=True):
        path.write_text(json.dumps(given))
    paths[2].write_text(json.dumps(right).replace('"0"', '"a"'))
    result = run("verify", str(report), "--length", "2", *(f"--witness={path}" for path in paths[:2]))
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.removeprefix("ok     ") for line in result.stdout.splitlines() if "witness[" in line]
    name = "nope, layers <= 2, heads <= 1, units <= 1, precision <= 1"
    assert lines == [
        "witness[0].hypothesis: in the space",
        "witness[0].r: 8.0",
        "witness[0].hypothesis: right on all words up to length 2",
        "witness[0]: the same by its steps on all words up to length 6; these are right up to 2",
        f"witness[0]: no R*_n of {name} is above its R for n <= 3",
        "witness[1].hypothesis: in the space",
        "witness[1].r: 5.0",
        "witness[1].hypothesis: first wrong on '01', all words up to length 2",
        f"witness[1]: no R*_n of {name} is above its R for n <= 1",
    ]
    result = run("verify", str(report), "--length", "2", "--witness", str(paths[2]))
    assert result.exit_code == 1
    assert "witness[0].hypothesis: alphabet a 1; expected that of the target, 0 1; give" in result.stdout
    # The report of a smaller space, where it does not lie, and of a larger R*.
    content["space"]["heads"] = 0
    content["stages"][1]["r_star"] = content["stages"][1]["r_star_lower"] = 8.5
    report = tmp_path / "falsified.json"
    report.write_text(json.dumps(content))
    shown = run("verify", str(report), "--length", "2", "--witness", str(paths[3])).stdout
    assert "WRONG  witness[0].hypothesis: heads = 1; expected at most 0" in shown
    assert "witness[0]: " not in shown
    content["space"]["heads"] = 1
    report.write_text(json.dumps(content))
    shown = run("verify", str(report), "--length", "2", "--witness", str(paths[3])).stdout
    told = "R*_2 = 8.500000000; expected at most R = 8.000000000 of what is right up to length 6"
    assert f"WRONG  witness[0]: {told}" in shown.splitlines()


def test_json(report: Path) -> None:
    result = run("verify", str(report), "--length", "2", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    shown = json.loads(result.stdout)
    assert list(shown) == ["format", "report", "right", "length", "checks", "not_checked"]
    assert (shown["format"], shown["right"], shown["length"]) == ("idinf-verify/1", True, 2)
    assert all(list(check) == ["place", "about", "right", "faults"] for check in shown["checks"])


def test_what_is_no_report(report: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    content = json.loads(report.read_text())
    for data, parts in (
        (None, ("no such file", "check the path")),
        (b"\xff", ("not UTF-8",)),
        (b"{", ("not JSON",)),
        (b'{"format": "idinf-family/1"}', ("idinf-family/1", 'expected "idinf-report/2"')),
        (json.dumps(content | {"max_n": None}).encode(), ("max_n = null", "expected an integer")),
        (json.dumps(content | {"outcome": "done"}).encode(), ('outcome = "done"', 'expected "identified"')),
    ):
        if data is not None:
            other.write_bytes(data)
        result = run("verify", str(other))
        assert (result.exit_code, result.stdout) == (3, "")
        assert result.stderr.startswith(f"Error: {other}: ")
        assert result.stderr.count("\n") == 1
        assert all(part in result.stderr for part in parts)
    assert run("verify", str(report), "--length", "-1").exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        ("dyck-1", "--max-n", "64"),  # two layers, proved by an invariant
        ("dyck-1", "--max-n", "8", "--aggregate", "sum"),
        ("tomita-7", "--max-n", "8"),  # φ
        ("contains-ab", "--max-n", "8"),  # several hypotheses are proved
        ("aaaa-star", "--max-n", "64"),  # one symbol, Δ = 4
        ("induction-next", "--max-n", "4", "--max-r", "9.5"),  # some positions are judged
        ("contains-ab-abc", "--max-n", "4", "--max-r", "9"),
    ],
    ids=" ".join,
)
def test_reports_of_all_kinds_are_right(target: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    assert run("identify", *target, "--json", "-o", str(path)).exit_code == 0
    result = run("verify", str(path), *(("--length", "8") if "contains-ab-abc" not in target else ()))
    assert result.exit_code == 0, result.stdout
