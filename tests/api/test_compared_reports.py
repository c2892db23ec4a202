"""Comparison of results: every key decides, one at a time; times never do."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from idinf.api.reports import ReportComparison, compare
from idinf.report.files import report_from_dict, report_to_dict
from idinf.report.value import Report
from tests.small_runs import Run


@pytest.fixture(scope="module")
def report(opened: Run) -> Report:
    """Of a run that is open, so that it has a bracket."""
    return opened.report


BENCH: dict[str, object] = {
    "format": "idinf-bench/1",
    "machine": {"cpu": "x"},
    "kernels": [{"name": "k", "best_s": 0.5, "cells_per_s": 10.0, "ratio_to_copy": 0.5}],
    "commands": [
        {
            "name": "identify t",
            "outcome": "identified",
            "n0": 3,
            "max_n": 64,
            "complete_up_to_r": 8.5,
            "best_s": 1.0,
            "median_s": 1.5,
            "peak_bytes": 1000,
        }
    ],
}


def compare_reports(one: Report, other: Report) -> ReportComparison:
    """Compare them as plain values."""
    return compare(report_to_dict(one), report_to_dict(other))


def changed(content: Any, *path: str | int, to: object) -> Any:
    """A copy with one value replaced."""
    if isinstance(content, Report):
        return report_from_dict(changed(report_to_dict(content), *path, to=to))
    whole = copy.deepcopy(content)
    place = whole
    for step in path[:-1]:
        place = place[step]
    assert place[path[-1]] != to
    place[path[-1]] = to
    return whole


def test_a_report_agrees_with_itself_whatever_the_time(report: Report) -> None:
    later = changed(changed(report, "seconds", to=99.0), "peak_bytes", to=1)
    later = changed(changed(later, "idinf_version", to="9"), "counts", "enumerated", to=1)
    result = compare_reports(report, later)
    assert (result.differing, result.differs) == ((), False)
    assert not any(row.differs for row in result.rows)
    assert result.text("a.json", "b.json").endswith("\n\nthey agree\n")
    assert [row.remark[:4] for row in result.rows if row.name == "seconds"] == ["B/A "]


@pytest.mark.parametrize(
    ("path", "to", "name", "remark"),
    [
        (("outcome",), "identified", "outcome", "differs"),
        (("n0",), 3, "n0", "differs"),
        (("n0_canonical",), 9, "n0_canonical", "differs"),
        (("complete_up_to_r",), 8.5, "complete_up_to_r", "differs"),
        (("bracket",), None, "bracket", "differs"),
        (("bracket", "n0_lower"), 1, "bracket.n0_lower", "differs"),
        (("target", "name"), "x", "target.name", "differs"),
        (("space", "precision"), 0, "space.precision", "differs"),
        (("regularizer", "aggregate"), "sum", "regularizer.aggregate", "differs"),
        (("stages", 2, "good"), True, "stages", "differs, first at n = 3: good"),
        (("stages", 1, "r_star"), 99.0, "stages", "differs, first at n = 2: r_star"),
        (("records", 1, "fail"), 77, "records", "differs, first at row 2: fail"),
        (("records", 0, "r_terms", "norm_V"), 0.5, "records", "differs, first at row 1: r_terms"),
        (("records", 0, "hypothesis", "precision"), 9, "records", "differs, first at row 1: hypothesis"),
    ],
)
def test_one_difference_at_a_time(
    report: Report, path: tuple[str | int, ...], to: object, name: str, remark: str
) -> None:
    for pair in ((report, changed(report, *path, to=to)), (changed(report, *path, to=to), report)):
        result = compare_reports(*pair)
        assert (result.differing, result.differs) == ((name,), True)
        assert [row.name for row in result.rows if row.differs] == [name]
        assert [row.remark for row in result.rows if row.name == name] == [remark]
        assert result.text("a", "b").endswith(f"\n\nthey differ: {name}\n")


def test_lengths_and_rounding(report: Report) -> None:
    shorter = replace(report, records=report.records[:-1])
    assert [row.remark for row in compare_reports(report, shorter).rows if row.name == "records"] == [
        "differs, in length only"
    ]
    r = report.complete_up_to_r
    assert compare_reports(report, changed(report, "complete_up_to_r", to=r + 1e-9)).differing == ()
    assert compare_reports(report, changed(report, "complete_up_to_r", to=r + 1e-8)).differing == (
        "complete_up_to_r",
    )


def test_benchmarks_show_ratios_and_differ_in_answers_only() -> None:
    slower = changed(changed(BENCH, "kernels", 0, "best_s", to=1.0), "commands", 0, "best_s", to=1.2)
    result = compare(BENCH, slower)
    assert result.differing == ()
    remarks = {row.name: row.remark for row in result.rows}
    assert remarks["k best_s"] == "B/A 2.00"
    assert remarks["k ratio_to_copy"] == "B/A 1.00"
    assert remarks["identify t best_s"] == "B/A 1.20"
    assert compare(BENCH, slower, 1.5).differing == ("k best_s",)
    assert compare(BENCH, slower, 2.0).differing == ()
    assert compare(BENCH, slower, 1.1).differing == ("identify t best_s", "k best_s")
    assert compare(BENCH, changed(BENCH, "commands", 0, "n0", to=4)).differing == ("identify t n0",)
    assert compare(BENCH, changed(BENCH, "kernels", 0, "name", to="z")).differing == ("k", "z")
