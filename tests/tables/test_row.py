"""Rows of a batch: every column against the report, and a CSV that others can read."""

import csv
import io
from dataclasses import astuple
from pathlib import Path

import pytest

from idinf.api.classification import classify
from idinf.base.files import OutputError
from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.report.value import Outcome, Report
from idinf.spec.catalogue import load
from idinf.spec.spec import Spec, Verdict
from idinf.tables.classes import list_class_cells
from idinf.tables.files import GrowingTable
from idinf.tables.row import (
    COLUMNS,
    Row,
    compare_with_verdict,
    format_csv,
)
from idinf.work.limits import Limits


def reported(name: str, max_n: int, **bounds: int | float | str) -> tuple[Spec, Report]:
    """Spec and report of a small run."""
    spec = load(name)
    settings = Settings(max_n=max_n, bounds=bounds, space="spec").about(spec, name)
    return spec, run(settings, Limits()).report


def test_the_columns_are_those_of_the_format() -> None:
    assert ",".join(COLUMNS) == (
        "target,family,size,preset,reading,alphabet,space,outcome,n0,n0_canonical,max_n,r_star,fail_frontier,"
        "layers,heads,precision,period,reach,formula,complete_up_to_r,hypotheses,expected,agrees,error,"
        "smaller_space,smaller_outcome,smaller_n0,smaller_r_star,"
        "n0_lower,r_lower,r_upper,in_space,states,star_free,ac0,r_trivial,piecewise_testable,da,dot_depth,"
        "crasp,crasp_periodic_local"
    )


def test_a_row_says_what_the_report_says() -> None:
    spec, report = reported("majority", 4, layers=1, precision=0)
    row = Row.of_report(spec, report)
    assert (row.target, row.alphabet, row.space) == ("majority", "0 1", report.space.name)
    assert row.space == "nope, layers <= 1, heads <= 1, units <= 2, precision <= 0"
    assert row.outcome == report.outcome.value
    for key in ("n0", "n0_canonical", "max_n", "complete_up_to_r"):
        assert getattr(row, key) == getattr(report, key)
    assert row.r_star == 8.414213562 == report.records[-1].r
    assert row.fail_frontier == "4.0:1;5.0:2;8.414213562:inf"
    assert row.hypotheses == report.counts.enumerated
    assert row.formula == report.records[-1].formula
    assert (row.layers, row.heads, row.precision, row.period, row.reach) == (1, 1, 0, 1, 0)
    assert (row.expected, row.agrees, row.error) == ("yes", "yes", None)


@pytest.mark.parametrize(
    ("expected", "outcome", "agrees"),
    [
        ("yes", "identified", "yes"),
        ("yes", "identified-for-all-n", "yes"),
        ("yes", "open", "open"),
        ("no", "identified", "no"),
        ("no", "identified-for-all-n", "no"),
        ("no", "not-identified", "yes"),
        ("unknown", "identified", "open"),
        ("unknown", "not-identified", "open"),
    ],
)
def test_agreement(expected: str, outcome: str, agrees: str) -> None:
    assert compare_with_verdict(Verdict(expected), Outcome(outcome)) == agrees


def test_classes_are_those_of_classify() -> None:
    for name in ("parity", "majority", "dyck-1", "d-12", "aa-star"):
        said = classify(name).to_dict()
        cells = list_class_cells(load(name))
        assert cells.pop("states") == said["states"]
        assert set(cells) == set(list(COLUMNS)[list(COLUMNS).index("star_free") :])
        for key, verdict in cells.items():
            assert verdict == said[key]["verdict"], key


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("name", "bounds", "wanted"),
    [
        ("majority", {"layers": 1, "precision": 0}, "yes"),  # proved right
        ("parity", {"max_r": 5.0}, "no"),  # proved to be outside
        ("dyck-1", {"max_r": 5.0}, "unknown"),
        ("aa-star", {"max_r": 5.0, "preset": "nope"}, "no"),  # no counts without positions decide it
        ("aa-star", {"max_r": 5.0, "preset": "nope", "period": 2}, "unknown"),
        ("parity-next", {"max_r": 5.0}, "unknown"),  # the classes are about acceptance
    ],
)
def test_in_space_is_what_is_proved(name: str, bounds: dict, wanted: str) -> None:
    preset = bounds.pop("preset", None)
    spec = load(name)
    settings = Settings(4, preset, bounds=bounds).about(spec, name)
    row = Row.of_report(spec, run(settings, Limits()).report, list_class_cells(spec))
    assert row.in_space == wanted
    assert Row.of_report(spec, run(settings, Limits()).report).in_space == (
        "yes" if wanted == "yes" else "unknown"
    )


def test_errors_are_rows() -> None:
    spec = load("parity")
    assert Row.of_error("parity", "what\n  was wrong", spec, spec.space) == Row(
        "parity",
        alphabet="0 1",
        space=spec.space.name,
        expected="no",
        agrees="open",
        error="what was wrong",
    )
    assert Row.of_error("parity", "x", spec) == Row("parity", alphabet="0 1", error="x")


@pytest.mark.parametrize(
    ("text", "cell"),
    {"=1": "=1", "'a": "'a", "\r=1": "\\u000d=1", "\0\x1b[31m": "\\u0000\\u001b[31m"}.items(),
)
def test_texts_are_written_without_control_characters(text: str, cell: str) -> None:
    written = format_csv([Row(text, alphabet=text, n0=-3, r_star=-2.5, error=text)])
    (row,) = csv.DictReader(io.StringIO(written, newline=""))
    assert (row["target"], row["alphabet"], row["error"]) == (cell,) * 3
    assert (row["n0"], row["r_star"]) == ("-3", "-2.5")


# The CSV of a batch: at any moment a whole one


def table_of(*names: str) -> str:
    return format_csv(map(Row, names))


def grown(path: Path, *names: str, total: int = 9) -> list[str]:
    """Fill a table; what the file has before the first row and after each."""
    table = GrowingTable(str(path), total, COLUMNS)
    seen = [path.read_text() if path.exists() else ""]
    for place, name in enumerate(names):
        table.put(place, [astuple(Row(name))])
        seen.append(path.read_text() if path.exists() else "")
    return seen


def test_a_missing_file_grows_from_the_first_row(tmp_path: Path) -> None:
    assert grown(tmp_path / "r.csv", "a", "b") == ["", table_of("a"), table_of("a", "b")]


def test_another_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("thesis\n")
    assert grown(tmp_path / "r.csv", "a", "b", total=2) == ["thesis\n", table_of("a"), table_of("a", "b")]


def test_a_full_disk_leaves_the_old_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "r.csv"
    path.write_text(table_of("a", "b"))
    monkeypatch.setattr("os.fsync", full)
    table = GrowingTable(str(path), 3, COLUMNS)
    with pytest.raises(OutputError, match="No space left on device"):
        table.put(0, [astuple(Row("a"))])
    assert path.read_text() == table_of("a", "b")
