"""A report in the hands of a user: what it is, files, pages, figures, tables."""

import json
from pathlib import Path

import pytest

import idinf
from idinf import crasp, errors


@pytest.fixture(scope="module")
def majority() -> idinf.Report:
    return idinf.identify("majority", max_n=8, space="spec")


@pytest.fixture(scope="module")
def opened() -> idinf.Report:
    return idinf.identify("parity", max_n=4, max_r=9.0, space="spec")


def test_a_report_says_what_was_found(majority: idinf.Report) -> None:
    assert (majority.outcome, majority.n0) == (idinf.Outcome.IDENTIFIED_FOR_ALL_N, 3)
    assert majority.selected is not None
    assert majority.selected.formula == "accept iff #1 - #0 >= 0"
    assert repr(majority).startswith("<Report majority: n0 = 3 in nope, layers <= 2, heads <= 1")
    assert repr(majority).endswith(", for every n>")
    assert majority.sentences()[0].startswith("n0 = 3 in nope, ")
    assert "n0 = 3" in majority.text()


def test_a_report_is_its_file(majority: idinf.Report, opened: idinf.Report, tmp_path: Path) -> None:
    for report in (majority, opened):
        path = tmp_path / f"{report.target.name}.json"
        report.save(path)
        assert idinf.read_report(path) == report
        assert idinf.Report.from_dict(json.loads(path.read_text())) == report
        assert report.to_dict() == json.loads(path.read_text())


def test_tables(majority: idinf.Report, opened: idinf.Report) -> None:
    frame = majority.stages.to_frame()
    assert frame["good"].tolist() == [False, False, True, True, True, True, True, True]
    assert majority.records.to_frame()["fail"].tolist()[:2] == [1, 2]
    assert "hypothesis" not in majority.records.to_frame()
    assert majority.stages._repr_html_().count("<tr>") == 9
    shown = opened._repr_html_()
    assert "parity: no n0 in nope, layers &lt;= 2, " in shown
    assert "<script" not in shown


def test_pages_and_figures(majority: idinf.Report, tmp_path: Path) -> None:
    page = majority.page(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    majority.plot(tmp_path / "r.svg")
    assert (tmp_path / "r.svg").read_text(encoding="utf-8").count("<svg") == 1
    idinf.plot(majority, majority, path=tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    for wrong, told in (
        ({"path": tmp_path / "r.eps"}, "expected .svg, .pdf or .png"),
        ({"kind": "heatmap"}, "kind = 'heatmap'; expected reports and one of"),
        ({"word": "012"}, "'2'"),
    ):
        with pytest.raises(idinf.IdinfError, match=told):
            majority.plot(**wrong)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.png", "r.html", "r.svg"]


def test_hypotheses_of_reports(majority: idinf.Report, tmp_path: Path) -> None:
    majority.save(tmp_path / "m.json")
    for source in (majority, tmp_path / "m.json"):
        net = idinf.hypothesis(source)
        assert (net.formula, round(net.r, 6)) == ("accept iff #1 - #0 >= 0", 8.414214)
        assert idinf.hypothesis(source, record=1).formula == "accept iff true"
        with pytest.raises(errors.ArgumentError, match="record 9 is asked of"):
            idinf.hypothesis(source, record=9)
    net.save(tmp_path / "net.json")
    again = idinf.hypothesis(tmp_path / "net.json")
    assert again.transformer == net.transformer
    assert crasp.decompile(again).difference(idinf.target("majority"), max_n=10).equal
    with pytest.raises(errors.ArgumentError, match="expected a report; leave it out"):
        idinf.hypothesis(tmp_path / "net.json", record=1)
    assert net.r_terms("sum").total == net.r


def test_a_report_may_bound_another_run(majority: idinf.Report) -> None:
    for bound in (majority, majority.selected.hypothesis if majority.selected else None):
        found = idinf.identify("majority", max_n=4, max_r=7, upper_bound=[bound], space="spec")
        assert found.bracket is not None
        assert round(found.bracket.r_upper or 0, 6) == 8.414214
