"""What `idinf verify` says of another training length: right reports, and each value changed."""

from dataclasses import replace
from functools import cache

import pytest

from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.report_check import check_report
from idinf.proofs.check.report_table import ReportTable, TrainingCheck
from idinf.proofs.check.word_check import WordCheck
from idinf.report.value import Outcome, Report
from idinf.spec.catalogue import load
from idinf.spec.training import TrainingLength
from idinf.work.limits import Limits
from tests.asked_for import few

RULES = ("n/2", "n/4", "sqrt", "log2")


@cache
def report_of(name: str, rule: str, paper: bool = False, max_r: float | None = None) -> Report:
    training = TrainingLength.named(rule, counts_sos=paper)
    asked = Settings(max_n=8, training_length=training, bounds={"max_r": max_r}, prove=False, space="spec")
    return run(asked.about(load(name), name), Limits()).report


def faults(report: Report) -> list[str]:
    assert report.training is not None
    definition = TargetDefinition.of(report.target.spec())
    table = ReportTable(report, definition)
    return list(TrainingCheck(table, WordCheck(definition), report.training).faults())


def with_stage(report: Report, n: int, **changed: object) -> Report:
    assert report.training is not None
    stages = (replace(s, **changed) if s.n == n else s for s in report.training.stages)
    return replace(report, training=replace(report.training, stages=tuple(stages)))


@pytest.mark.thinned(12)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["majority", "ge-2-3", "tomita-1"])
def test_real_reports_are_right(name: str, rule: str) -> None:
    for paper in (False, True):
        report = report_of(name, rule, paper)
        assert faults(report) == []
    (found,) = (check for check in check_report(report, 2).checks if check.place == "training")
    assert found.faults == ()


def test_an_open_run_is_right() -> None:
    for max_r in (6.0, 5.0, 7.0)[: few(1, 3)]:
        report = report_of("ge-2-3", "log2", max_r=max_r)
        assert report.outcome is Outcome.OPEN
        assert faults(report) == []


@pytest.mark.thinned(4)
@pytest.mark.parametrize("rule", RULES)
def test_every_all_fail_by_that_is_changed_is_a_fault(rule: str) -> None:
    report = report_of("ge-2-3", rule)
    assert report.training is not None
    for stage in report.training.stages[:: few(3, 1)]:
        here = stage.all_fail_by
        for other in {None, stage.n, (here or 1) + 1, (here or 2) - 1} - {here}:
            said = faults(with_stage(report, stage.n, all_fail_by=other))
            assert any(f"n = {stage.n}: all_fail_by = " in fault for fault in said), (stage, other)


@pytest.mark.slow
def test_the_rule_and_n0() -> None:
    report = report_of("ge-2-3", "sqrt")
    assert report.training is not None
    other = replace(report, training=replace(report.training, rule="n/4"))
    assert "rule = 'n/4'; expected its n and trained in stages" in faults(other)
    late = replace(report, training=replace(report.training, n0=(report.training.n0 or 0) + 1))
    assert any(fault.startswith("training.n0 = ") for fault in faults(late))
    table = replace(report, training=replace(report.training, rule="mine.csv"))
    assert faults(table) == []
    assert "training: that its table is 'mine.csv'" in check_report(table, 2).not_checked
