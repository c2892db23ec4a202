"""Whole answers, byte for byte; `make golden` rewrites them, and the difference is reviewed."""

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from idinf.base.json_text import dump_json
from idinf.commands import main

GOLDEN = Path(__file__).parent / "golden"

#: One run that is identified, one whose hypothesis has two layers, one of a language without n0.
RUNS = {
    "majority": ("majority", "--max-n", "64"),
    "dyck-1": ("dyck-1", "--space", "spec", "--max-n", "8"),
    "parity": ("parity", "--space", "spec", "--max-n", "64", "--max-r", "9.5"),
}


def check(name: str, text: str) -> None:
    """Compare with the golden file, or rewrite it with IDINF_GOLDEN=1."""
    path = GOLDEN / name
    if os.environ.get("IDINF_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name != "majority" else ()) for name in RUNS]
)
def test_golden(name: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    result = CliRunner().invoke(main, ["identify", *RUNS[name], "-v", "-o", str(file)])
    assert (result.exit_code, result.stderr) == (0, "")
    # Work, time, version and the digest (of the default space too) may change while no answer does.
    answer = re.sub(r"\n\d+ parameter vectors enumerated.*\n$", "\n", result.stdout)
    check(f"{name}.txt", answer)
    report = json.loads(file.read_text())
    report |= {
        "idinf_version": "",
        "counts": dict.fromkeys(report["counts"], 0),
        "seconds": 0.0,
        "peak_bytes": 0,
    }
    report["target"]["digest"] = ""
    check(f"{name}.json", dump_json(report))


def test_every_golden_file_is_compared() -> None:
    names = {f"{name}.{ending}" for name in RUNS for ending in ("txt", "json")}
    assert {path.name for path in GOLDEN.iterdir()} == names | {"hypothesis.json"}  # of test_json_format
