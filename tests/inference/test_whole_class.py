"""The procedure on whole classes: values that were worked out by hand, and what is open."""

from dataclasses import replace

import pytest

from idinf.errors import UnsupportedBoundError
from idinf.inference.run import run
from idinf.inference.settings import KnownHypothesis, Settings
from idinf.nets.reference import accepts
from idinf.proofs.check.report_check import check_report
from idinf.report.files import report_from_dict, report_to_dict
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import HypothesisClass
from idinf.spec.catalogue import load
from idinf.whole.floors import FLOOR
from idinf.work.limits import Limits, StopReason
from tests.show.reports import golden

THETA = HypothesisClass.THETA


def identified(name: str, kind: HypothesisClass = THETA, max_n: int = 16, **more: object) -> Report:
    settings = Settings(max_n=max_n, hypothesis_class=kind, **more).about(load(name), name)
    return run(settings, Limits()).report


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("name", "r_star", "n0"),
    [("majority", 5.5, 3), ("tomita-1", 5.5, 3), ("at-least-3-ones", 5.914213562, 4)],
)
def test_values_for_every_n(name, r_star, n0):
    report = identified(name)
    assert report.outcome is Outcome.IDENTIFIED_FOR_ALL_N
    assert (report.stages[-1].r_star, report.n0) == (r_star, n0)
    assert report_from_dict(report_to_dict(report)) == report
    assert check_report(report, 5, witness=[report.selected.hypothesis]).right


def test_two_nets_tie_for_ones_at_n_2():
    """One of two nets of R = 5.5 that are right up to length 2 is wrong on 011, so 2 is bad."""
    stage = identified("tomita-1").stages[1]
    assert (stage.r_star, stage.good, stage.counterexample) == (5.5, False, "011")
    narrow = Settings(max_n=8, hypothesis_class=THETA).about(load("tomita-1"), "")
    assert run(narrow, Limits()).report.stages[1].num_selected >= 2


def test_what_is_not_below_the_floor_is_open():
    report = identified("parity")
    assert (report.outcome, report.stop) == (Outcome.OPEN, StopReason.FLOOR)
    assert report.complete_up_to_r == pytest.approx(FLOOR, abs=1e-8)
    assert "attention that depends on content or position" in report.stop_reason
    assert [stage.good for stage in report.stages[:3]] == [False, False, None]
    assert check_report(report, 4).right


@pytest.mark.parametrize("kind", [THETA, HypothesisClass.LIMIT])
def test_a_net_with_a_threshold_bounds_nothing(kind):
    """That of Dyck-1 reads U y > -1 or the like, and whole classes have 0."""
    asked = Settings(max_n=2, hypothesis_class=kind).about(load("dyck-1"), "")
    report = run(asked, Limits()).report
    assert report.bracket is None or report.bracket.hypothesis is None
    net = golden("dyck-1").records[-1].hypothesis
    assert net.threshold
    with pytest.raises(UnsupportedBoundError, match=r"has the threshold -?[0-9]+; expected 0"):
        run(replace(asked, known=(KnownHypothesis("a file", net, True),)), Limits())


def test_written_nets_are_right_as_far_as_they_are_said_to_be():
    report = identified("at-least-3-ones", max_n=4)
    bad = [stage for stage in report.stages if stage.good is False]
    assert list(dict.fromkeys(map(report.worst_of, bad))) == list(report.worst) != []
    for stage, record in zip(bad, map(report.worst_of, bad), strict=True):
        assert stage.r_star <= record.r <= stage.r_star + 1 / (2 * stage.n) + 1e-9
    for record in (*report.records, *report.worst):
        length = 4 if record.fail is None else record.fail - 1
        for size in range(min(length, 4) + 1):
            for code in range(2**size):
                word = tuple(code >> k & 1 for k in range(size))
                assert accepts(record.hypothesis, word) is (sum(word) >= 3)
        if record.counterexample is not None:
            word = tuple(map(int, record.counterexample))
            assert accepts(record.hypothesis, word) is not (sum(word) >= 3)


def test_a_period_needs_no_head():
    """(aa)* costs 5 among Limit Transformers: Δ = 2, U and one position of norm 1, no head and no unit."""
    report = identified("aa-star", HypothesisClass.LIMIT)
    assert (report.outcome, report.n0) == (Outcome.IDENTIFIED_FOR_ALL_N, 2)
    assert report.stages[-1].r_star == 5.0
    assert report.selected.hypothesis.period == 2
    assert check_report(report, 6).right
    assert identified("aa-star").outcome is Outcome.OPEN
