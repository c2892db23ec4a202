"""Words followed together, beside each word alone; and a report whose claim only long words refute."""

from __future__ import annotations

import pytest

from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.joint_steps import JointSteps, WordComparison
from idinf.proofs.check.report_check import check_report
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.check.word_check import WordCheck
from idinf.report.files import report_from_dict
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from tests.proofs.check.small_reports import read, report_of


def joints(name):
    """The steps of every record of a report, and what judges words."""
    report = read(name)
    spec = report.target.spec()
    words = WordCheck(TargetDefinition.of(spec))
    for record in report.records:
        yield JointSteps(record.hypothesis, supervise(build_target(spec))), words


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["not-identified", "proved", "open"])
def test_the_first_wrong_word_is_that_of_all_words_in_turn(name):
    for joint, words in joints(name):
        found = WordComparison.of(joint, 7)
        assert found.wrong == words.first_wrong(joint.net, 7)
        assert found.length == (7 if found.wrong is None else len(found.wrong))


def test_open_steps_are_those_of_all_steps_whose_guards_hold():
    for joint, _ in joints("not-identified"):
        place, _, _ = joint.start
        for counters in ((0, 0), (1, 0), (0, 5), (7, 5)):
            wanted = [s for s in joint.steps(place) if all(one.holds(counters) for one in s.guard)]
            assert joint.open_steps(place, counters) == wanted


def test_no_more_is_said_than_was_followed():
    joint, _ = [*joints("not-identified")][-1]
    found = WordComparison.of(joint, 7, most=6)
    assert found.wrong is None
    assert found.length < 7


def test_next_symbols_in_a_domain_are_left_out():
    with pytest.raises(Unprovable):
        WordComparison.of(next(joints("layers"))[0], 3)


def _faults(report, length=3):
    checks = check_report(report_from_dict(report, "r.json"), length).checks
    return [fault for check in checks for fault in check.faults]


def test_claims_beyond_the_words_that_are_tried_are_checked():
    """The last record fails at length 7; a report says otherwise, and words to length 3 do not show it."""
    report = report_of("not-identified")
    assert not _faults(report)
    record = report["records"][3]
    record["counterexample"] = "1111000"
    assert "by its steps the first word it gets wrong is '0001111'" in _faults(report)
    record["counterexample"], record["fail"] = "00001111", 8
    assert "by its steps the first word it gets wrong is '0001111'" in _faults(report)
    record["fail"] = record["counterexample"] = None
    assert "by its steps the first word it gets wrong is '0001111'" in _faults(report)
    record["counterexample"], record["fail"] = "011111", 6
    assert "by its steps it is right on all words up to length 6" in _faults(report)
