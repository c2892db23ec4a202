"""A smaller space beside a family that stays open: when it is asked, what it adds, and how it is told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from idinf import errors
from idinf.inference.run import put_beside, run
from idinf.proofs.check.report_check import check_report
from idinf.report.files import report_from_dict, report_to_dict
from idinf.report.value import Outcome
from idinf.show.html.page import render_page
from idinf.show.sentences import headline
from idinf.show.text.answer import render_answer
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import load
from idinf.tables.row import Row
from idinf.work.limits import Limits, StopReason
from tests.inference.test_budgets import asked

NOPE = "nope, layers <= 1, units <= 1, precision <= 0"


@pytest.fixture(scope="module")
def report():
    """Words of b alone: the family is open with 90 steps, one layer without φ, Δ and M is not."""
    return run(asked("b*", 90), Limits()).report


def test_both_are_said_each_under_its_name(report):
    line = f"open in the one-hot family: n0 >= 2, R* in (7.5, 8]; in {NOPE}: n0 = 2, for every n"
    assert headline(report) == line
    text = render_answer(report).splitlines()
    assert text[0] == line
    spaces = [row for row in text if row.startswith("space")]
    assert [row.split(";")[0] for row in spaces] == ["space   one-hot family (reach <= 3)", f"space   {NOPE}"]
    assert repr(report) == f"<Report x: {line}>"
    page = render_page(report)
    assert f"<title>x (the one-hot family) beside x ({NOPE})".replace("<=", "&lt;=") in page
    row = Row.of_report(report.target.spec(), report)
    assert (row.space, row.outcome, row.n0) == ("one-hot family", "open", None)
    told = row.smaller_space, row.smaller_outcome, row.smaller_n0, row.smaller_r_star
    assert told == (NOPE, "identified-for-all-n", 2, 8.0)
    assert row.in_space == "yes"


def test_what_is_right_there_is_the_upper_end_of_the_family(report):
    smaller = report.smaller
    assert (report.outcome, report.stop) == (Outcome.OPEN, StopReason.WORK)
    assert report.upper_end == (8.0, 6, smaller.selected.hypothesis)
    assert report.bracket.stop_bound_upper == 8.25  # R*_1 is known
    own = replace(report, smaller=None)
    assert put_beside(own, smaller) == report  # nothing better was known


def test_a_hypothesis_that_the_family_missed_is_an_internal_error(report):
    stages = (report.stages[0], *(replace(stage, r_star_lower=8.2) for stage in report.stages[1:]))
    missed = r"R = 8\.20+ for n = 2 and missed a hypothesis with R = 8\.0+, .* length 6: accept iff #a = 0"
    with pytest.raises(RuntimeError, match=missed):
        put_beside(replace(report, stages=stages), report.smaller)


def test_files_hold_a_report_inside_a_report(report):
    content = json.loads(json.dumps(report_to_dict(report)))
    assert report_from_dict(content) == report
    assert report_from_dict(content["smaller"]) == report.smaller
    inside = content
    for _ in range(20):
        inside["smaller"] = json.loads(json.dumps(report_to_dict(report)))
        inside = inside["smaller"]
    with pytest.raises(errors.ReportFormatError, match="at most 8 reports inside one another"):
        report_from_dict(content, "deep.json")
    for change, message in (
        ({"format": "idinf-family/1"}, r"smaller.format = \"idinf-family/1\"; expected \"idinf-report/1\""),
        ({"n0": "2"}, r"smaller.n0 = \"2\"; expected an integer"),
        ({"target": {**content["target"], "source": "a*"}}, r"smaller.target = .*expected the target"),
    ):
        wrong = report_to_dict(report)
        wrong["smaller"] = {**wrong["smaller"], **change}
        with pytest.raises(errors.ReportFormatError, match=message):
            report_from_dict(wrong, "wrong.json")


def test_the_check_reads_both(report):
    found = check_report(report, 4)
    assert found.right
    assert {check.place for check in found.checks} >= {"smaller", "smaller.n0", "smaller.outcome"}
    wrong = replace(report, smaller=replace(report.smaller, n0=3))
    assert [check.place for check in check_report(wrong, 4).checks if check.faults] == ["smaller.n0"]


def faults(report):
    return {check.place: check.faults for check in check_report(report, 4).checks if check.faults}


def test_planted_faults_beside_one_another_are_seen(report):
    smaller, bracket = report.smaller, report.bracket
    wide = replace(smaller, space=SpaceBounds())
    assert "expected a smaller one" in faults(replace(report, smaller=wide))["smaller"][0]
    rule = replace(smaller.regularizer, tolerance=0.5)
    assert "regularizer" in faults(replace(report, smaller=replace(smaller, regularizer=rule)))["smaller"][0]
    nothing = replace(bracket, r_upper=None, upper_length=None, hypothesis=None, stop_bound_upper=None)
    assert "expected at most 8.0" in faults(replace(report, bracket=nothing))["smaller"][0]
    settled = replace(smaller, smaller=replace(smaller, space=SpaceBounds(layers=1)))
    assert "expected open" in faults(settled)["smaller"][0]
    # The family says it is complete where the smaller space has something that lasts longer.
    far = replace(report, records=report.records[:-1])
    assert "lasts longer than every record" in faults(far)["smaller"][0]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        (
            "tomita-7",
            ["local, layers <= 2, heads <= 1, units <= 1, precision <= 1, reach <= 1, logit_max <= 1"],
        ),
        (None, ["one-hot family, content_max <= 0", "periodic"]),
    ],
)
def test_which_spaces_are_smaller(name, names):
    spec = asked("b*", 10).spec if name is None else load(name)
    spec = spec if name else replace(spec, space=SpaceBounds())
    family = SpaceBounds(work=7, max_r=9.0, threshold="zero")
    smaller = spec.list_smaller(family)
    assert [each.name.removesuffix(", threshold 0") for each in smaller] == names
    assert {(each.work, each.max_r, each.threshold) for each in smaller} == {(7, 9.0, "zero")}
    assert spec.list_smaller(SpaceBounds(layers=1)) == ()
