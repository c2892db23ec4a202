"""All words in turn, against the search's own fail lengths, and by hand where a domain leaves words out."""

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.one_hot import NextReads, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.joint_steps import JointSteps, WordComparison
from idinf.proofs.check.report_check import check_report
from idinf.proofs.check.word_check import WordCheck, answer_word
from idinf.report.files import report_from_dict
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import fail_lengths
from idinf.spec.spec import Answer
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from tests.asked_for import few
from tests.proofs.check.followed import random_hypothesis, spec_of
from tests.proofs.check.small_reports import read, report_of
from tests.search.exact_check.counterexamples import least_counterexample


def words_of(*lines):
    return WordCheck(TargetDefinition.of(spec_of(*lines)))


SPECS = [spec_of('regex = "a*b*"'), spec_of('regex = "(a|b)*b|()"', 'domain = "a(a|b)*"')]


@pytest.mark.parametrize("spec", SPECS)
def test_the_first_wrong_word_is_the_one_of_the_exact_check(spec):
    target, fails = supervise(build_target(spec)), set()
    for seed in range(few(6, 12)):
        hypothesis = random_hypothesis(seed)
        nets, length = nets_of(hypothesis), 4
        [fail] = fail_lengths(target, nets, length, 10**6, lambda: None)
        expected = None if fail < 0 else least_counterexample(target, nets, int(fail), 10**6)
        assert WordCheck(TargetDefinition.of(spec)).first_wrong(hypothesis.to_dense(), length) == expected
        fails.add(int(fail))
    assert len(fails) >= 2


def next_net(units, read):
    """Sets of next symbols by units that see the present symbol alone: $, a or b."""
    layer = OneHotLayer((), tuple(OneHotUnit((), s, 0) for s in units))
    reads = NextReads(Answer.SET, read)
    return OneHotTransformer(Alphabet(("a", "b")), 0, (layer,), (1,) * len(units), 0, reads=reads).to_dense()


def test_a_mistake_at_any_position_counts():
    """Of (ab)*: a or the end after $ and b, b after a. Past a prefix of no word nothing may be named."""
    net = next_net(((1, 0, 1), (0, 1, 0)), (0, 1, 0))
    words = words_of('mode = "next"', 'regex = "(ab)*"')
    assert words.first_wrong(net, 0) is None
    assert words.first_wrong(net, 3) == (1,)  # b begins no word
    inside = words_of('mode = "next"', 'regex = "(ab)*"', 'domain = "(ab)*"')
    assert inside.first_wrong(net, 6) is None


def test_only_prefixes_that_are_judged_count():
    """Wrong after a alone, which is judged only where the rule says so."""
    net = next_net(((1, 1, 1),), (0, -1, 0))
    everywhere = words_of('mode = "next"', 'regex = "(ab)*"', 'domain = "(ab)*"')
    assert everywhere.first_wrong(net, 4) == (0, 1)
    judged_there = 'judged = "(ab)*"'
    asked = words_of('mode = "next"', 'regex = "(ab)*"', 'domain = "(ab)*"', judged_there)
    assert asked.first_wrong(net, 4) is None


@pytest.mark.parametrize("spec", [SPECS[1], spec_of('mode = "next"', 'regex = "a*"', 'judged = "a*"')])
def test_what_is_known_to_be_right_is_what_the_reference_says(spec):
    """After the words were tried; outside the domain, or off the places that are judged, it is asked."""
    words = WordCheck(TargetDefinition.of(spec))
    if words.definition.everywhere:
        net = next_net(((1, 1, 0), (1, 1, 1)), (0, -1, 1))  # also names the end after b, where no one asks
    else:
        layer = OneHotLayer((), (OneHotUnit((), (0, 0, 1), 0),))
        net = OneHotTransformer(Alphabet(("a", "b")), 0, (layer,), (1,), 0).to_dense()
    before = [words.given(net, word) for word in words_up_to(2, 4)]
    assert words.first_wrong(net, 4) is None
    assert [words.given(net, word) for word in words_up_to(2, 4)] == before
    assert before == [answer_word(net, word) for word in words_up_to(2, 4)]


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
