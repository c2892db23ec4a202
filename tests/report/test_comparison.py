"""Comparison of results: every key decides, one at a time; times never do."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from idinf.report.comparison import ReportComparison, compare
from idinf.report.files import report_from_dict, report_to_dict
from idinf.report.value import Report
from tests.small_runs import Run
from tests.verification.small_reports import report_of


@pytest.fixture(scope="module")
def report(opened: Run) -> Report:
    """Of a run that is open, so that it has a bracket."""
    return opened.report


def member(name: str, n0: int) -> dict[str, object]:
    """What a table says of a member."""
    return {
        "name": name,
        "parameters": {"k": 1},
        "size": 2,
        "digest": "0",
        "outcome": "identified",
        "max_n": 8,
        "n0": n0,
        "n0_canonical": n0,
        "n0_lower": n0,
        "r_star": 8.5,
        "complete_up_to_r": 9.0,
        "formula": None,
        "stop_reason": "",
        "seconds": 0.5,
    }


FAMILY: dict[str, object] = {
    "format": "idinf-family/1",
    "idinf_version": "0",
    "family": {"name": "g", "alphabet": ["0"], "parameters": {"k": [1, 2]}, "gcd": None, "size": "sum"},
    "space": report_of("proved")["space"],
    "regularizer": {"aggregate": "max", "tolerance": "1/(2n)"},
    "max_n": 8,
    "max_n_cap": 8,
    "members": [member("ge-1-1", 3), member("ge-1-2", 4)],
    "maxima": [{"size": 2, "n0": 4, "n0_lower": 4, "members": ["ge-1-2"]}],
    "fits": [
        {
            "formula": "4",
            "coefficients": ["4"],
            "sizes": [2],
            "exact": True,
            "residual": 0.0,
            "largest": "0",
        }
    ],
}

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


def test_families() -> None:
    table = FAMILY
    assert compare(table, changed(table, "members", 0, "seconds", to=99.0)).differing == ()
    assert compare(table, changed(table, "members", 1, "n0", to=99)).differing == ("ge-1-2 n0",)
    assert compare(table, changed(table, "max_n", to=99)).differing == ("max_n",)
    assert compare(table, changed(table, "fits", 0, "formula", to="x")).differing == ("fits",)
    fewer = changed(table, "members", to=[member("ge-1-2", 4)])
    assert compare(table, fewer).differing == ("ge-1-1",)
    assert compare(fewer, table).differing == ("ge-1-1",)


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


@pytest.mark.parametrize("huge", [10**400, 10**19])
def test_numbers_that_no_float_holds_are_compared_exactly(huge: int) -> None:
    one, other = (changed(BENCH, "commands", 0, "n0", to=value) for value in (huge, huge + 1))
    assert compare(one, other).differing == ("identify t n0",)
    assert compare(one, one).differing == ()
