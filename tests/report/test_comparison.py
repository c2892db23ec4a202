"""Comparison of files: every key decides, one at a time; times never do; bad files are refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.catalogue import load, load_family
from idinf.inference.procedure import Procedure
from idinf.report.comparison import ReportFormatError, compare, read_results
from idinf.report.json_text import dumps
from idinf.report.writer import report_object
from idinf.sweeps.family_table import family_object
from idinf.sweeps.members import Plan, run_members
from idinf.targets.build import build_target
from idinf.transformers.regularizer import Aggregate


@pytest.fixture(scope="module")
def report() -> dict[str, object]:
    spec, bounds = load("majority"), SpaceBounds(layers=1)
    run = Procedure(build_target(spec), bounds, 4).run()
    return json.loads(dumps(report_object(spec, bounds, run, Aggregate.MAX, None)))


@pytest.fixture(scope="module")
def table() -> dict[str, object]:
    family = load_family("ge-k-j")
    plan = Plan(family.first.space, 8, 8)
    return json.loads(dumps(family_object(family, plan, run_members(family.members(2), plan))))


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


def changed(content: dict[str, object], *path: str | int, to: object) -> dict[str, object]:
    """A copy with one value replaced."""
    whole = copy.deepcopy(content)
    place = whole
    for step in path[:-1]:
        place = place[step]
    assert place[path[-1]] != to
    place[path[-1]] = to
    return whole


def test_a_report_agrees_with_itself_whatever_the_time(report: dict[str, object]) -> None:
    later = changed(changed(report, "seconds", to=99.0), "peak_bytes", to=1)
    later = changed(changed(later, "idinf_version", to="9"), "counts", "enumerated", to=1)
    result = compare(report, later)
    assert result.differing == ()
    assert result.text("a.json", "b.json").endswith("\n\nthey agree\n")
    assert [row.remark[:4] for row in result.rows if row.name == "seconds"] == ["B/A "]


@pytest.mark.parametrize(
    ("path", "to", "name", "remark"),
    [
        (("outcome",), "open", "outcome", "differs"),
        (("n0",), None, "n0", "differs"),
        (("n0",), 3.5, "n0", "differs"),
        (("n0_canonical",), 9, "n0_canonical", "differs"),
        (("max_n",), 5, "max_n", "differs"),
        (("complete_up_to_r",), 8.5, "complete_up_to_r", "differs"),
        (("bracket",), {"r_lower": 1.0}, "bracket", "differs"),
        (("target", "name"), "x", "target.name", "differs"),
        (("space", "precision"), 0, "space.precision", "differs"),
        (("regularizer", "aggregate"), "sum", "regularizer.aggregate", "differs"),
        (("stages", 2, "good"), None, "stages", "differs, first at n = 3: good"),
        (("stages", 1, "r_star"), 99.0, "stages", "differs, first at n = 2: r_star"),
        (("records", 1, "fail"), 77, "records", "differs, first at row 2: fail"),
        (("records", 0, "r_terms", "norm_V"), 0.5, "records", "differs, first at row 1: r_terms"),
        (("records", 0, "hypothesis", "precision"), 9, "records", "differs, first at row 1: hypothesis"),
    ],
)
def test_one_difference_at_a_time(
    report: dict[str, object], path: tuple[str | int, ...], to: object, name: str, remark: str
) -> None:
    for pair in ((report, changed(report, *path, to=to)), (changed(report, *path, to=to), report)):
        result = compare(*pair)
        assert result.differing == (name,)
        assert [row.remark for row in result.rows if row.name == name] == [remark]
        assert result.text("a", "b").endswith(f"\n\nthey differ: {name}\n")


def test_lengths_and_rounding(report: dict[str, object]) -> None:
    shorter = changed(report, "records", to=report["records"][:-1])
    assert [row.remark for row in compare(report, shorter).rows if row.name == "records"] == [
        "differs, in length only"
    ]
    r = report["complete_up_to_r"]
    assert compare(report, changed(report, "complete_up_to_r", to=r + 1e-9)).differing == ()
    assert compare(report, changed(report, "complete_up_to_r", to=r + 1e-8)).differing == (
        "complete_up_to_r",
    )


def test_true_is_no_number(report: dict[str, object]) -> None:
    ones = changed(report, "n0", to=1)
    odd = copy.deepcopy(report)
    odd["n0"] = True  # equal to 1 in Python, not in JSON
    assert compare(ones, odd).differing == ("n0",)


def test_families(table: dict[str, object]) -> None:
    assert compare(table, changed(table, "members", 0, "seconds", to=99.0)).differing == ()
    assert compare(table, changed(table, "members", 1, "n0", to=99)).differing == ("ge-1-2 n0",)
    assert compare(table, changed(table, "max_n", to=99)).differing == ("max_n",)
    fewer = changed(table, "members", to=table["members"][1:])
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


def test_what_is_written_about_it() -> None:
    text = compare(BENCH, BENCH).text("old.json", "new.json")
    assert text.splitlines()[:3] == [
        "                       A old.json        B new.json",
        "identify t best_s      1 s               1 s               B/A 1.00",
        "identify t median_s    1.5 s             1.5 s             B/A 1.00",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", r"not JSON \(.*\); expected what 'idinf identify -o'"),
        (b"\xff", "not UTF-8 text"),
        (b"[" * 100_000, "nested more than 250 deep"),
        (rb'{"format": "\ud800"}', "half a character"),
        (b"[]", "format = None; expected one of: idinf-report/1, idinf-family/1, idinf-bench/1"),
        (b"{}", "format = None; expected one of"),
        (b'{"format": "idinf-report/2"}', "format = 'idinf-report/2'; expected one of"),
        (b'{"format": ["idinf-report/1"]}', "; expected one of"),
    ],
)
def test_files_that_cannot_be_compared(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(ReportFormatError, match=message) as caught:
        read_results(str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_unreadable_and_unlike_files(tmp_path: Path, report: dict[str, object]) -> None:
    for path, wrong in ((tmp_path / "none.json", "no such file"), (tmp_path, "is a folder, not a file")):
        with pytest.raises(ReportFormatError, match=wrong):
            read_results(str(path))
    with pytest.raises(ReportFormatError, match=r"first file is idinf-report/1, the second idinf-bench/1"):
        compare(report, BENCH)


@pytest.mark.parametrize("key", ["stages", "records"])
@pytest.mark.parametrize("value", [None, 3, {}, [3]])
def test_broken_reports(report: dict[str, object], key: str, value: object) -> None:
    with pytest.raises(ReportFormatError, match=f"{key} of an idinf-report/1 file is no list of tables"):
        compare(report, changed(report, key, to=value))


def test_the_benchmark_program_writes_the_format() -> None:
    source = (Path(__file__).parents[1] / "perf" / "bench.py").read_text(encoding="utf-8")
    assert 'FORMAT = "idinf-bench/1"' in source
    assert '{"format": FORMAT, ' in source
