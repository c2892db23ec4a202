"""The JSON Schema that ships with the package is that of the reader, and refuses what the reader refuses."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import idinf
from idinf.base.json_text import dump_json
from idinf.errors import ReportFormatError
from idinf.report.files import build_schema, report_from_dict
from tests.proofs.check.small_reports import RUNS, place_of, report_of

SHIPPED = Path(idinf.__file__).parent / "report" / "idinf-report-2.schema.json"
GOLDEN = Path(__file__).parents[1] / "golden"
VALIDATOR = Draft202012Validator(build_schema())

#: What golden files leave out, since it may change while no answer does.
LEFT_OUT = {
    "idinf_version": "0",
    "stop": "stop-bound",
    "counts": {"enumerated": 1, "distinct": 1, "exact": 1, "dp": 1},
    "seconds": 0.5,
    "peak_bytes": 1,
}


def faults(report: object) -> list[str]:
    """Paths that the schema refuses."""
    return [error.json_path for error in VALIDATOR.iter_errors(report)]


def is_read(report: dict[str, Any]) -> bool:
    try:
        report_from_dict(report)
    except ReportFormatError:
        return False
    return True


def test_the_file_is_the_schema_of_the_reader() -> None:
    text = dump_json(build_schema())
    if os.environ.get("IDINF_GOLDEN") == "1":
        SHIPPED.write_text(text, encoding="utf-8")
    assert SHIPPED.read_text(encoding="utf-8") == text
    Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("path", [GOLDEN / f"{name}.json" for name in ("dyck-1", "majority", "parity")])
def test_golden_reports_fit(path: Path) -> None:
    report = {**LEFT_OUT, **json.loads(path.read_text(encoding="utf-8"))}
    report["target"].setdefault("digest", "0")
    assert faults(report) == []
    assert is_read(report)


@pytest.mark.parametrize("name", RUNS)
def test_reports_of_all_kinds_fit(name: str) -> None:
    assert faults(report_of(name)) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("colour",), 1),
        (("max_n",), "4"),
        (("target", "kind"), "prose"),
        (("space", "max_r"), 0),
        (("regularizer", "tolerance"), "1/n"),
        (("stages", 1, "good"), 1),
        (("records", 0, "r_terms", "phi"), None),
        (("records", 0, "hypothesis", "layers", 0, "mlp", "activation", 0), "gelu"),
        (("proofs", 0, "reasons", 0, 3), [[[1]]]),
        (("proofs", 0, "reasons", 0, 3), [[[0, "1/0"]]]),
    ],
)
def test_planted_faults_are_refused_by_both(path: tuple[str | int, ...], value: object) -> None:
    report = report_of("proved")
    place_of(report, path[:-1])[path[-1]] = value
    assert faults(report)
    assert not is_read(report)
