"""Smaller spaces beside a family that stays open: when they are asked, what they add, how they are told."""

import itertools
import math
from dataclasses import replace

import pytest

from idinf.inference import ladder
from idinf.inference.ladder import Ladder
from idinf.inference.required_predicates import UNKNOWN, RequiredPredicates
from idinf.inference.run import run
from idinf.proofs.check.report_check import check_report
from idinf.report.value import Outcome, SearchCounts
from idinf.show.html.page import render_page
from idinf.show.sentences import headline
from idinf.show.text.answer import render_answer
from idinf.spec.bounds import LADDER, SpaceBounds
from idinf.spec.catalogue import load
from idinf.tables.row import Row
from idinf.targets.build import build_target
from idinf.work.deterministic_map import Remembered
from idinf.work.limits import Limits
from tests.inference.test_budgets import asked, stable
from tests.small_runs import prepare

NOPE = "nope, layers <= 1, units <= 1, precision <= 0"


@pytest.fixture(scope="module")
def report():
    """Words of b alone: the family is open with 115 steps, one layer of one unit without φ is not."""
    settings = asked("b*", 115)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder, "EAGER_PART", 0.25)
        patch.setattr(ladder, "PATIENCE", 1)
        return run(replace(settings, smaller=settings.smaller[:1]), Limits()).report


def test_both_are_said_each_under_its_name(report):
    line = f"open in the one-hot family: n0 >= 2, R* in (7.75, 8]; in {NOPE}: n0 = 2, for every n"
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


def test_a_hypothesis_that_the_family_missed_is_an_internal_error(report):
    stages = (report.stages[0], *(replace(stage, r_star_lower=8.2) for stage in report.stages[1:]))
    missed = r"R = 8\.20+ for n = 2 and missed a hypothesis with R = 8\.0+, .* length 6: accept iff #a = 0"
    with pytest.raises(RuntimeError, match=missed):
        ladder._refuse_missed(replace(report, stages=stages))


def test_the_check_reads_both(report):
    found = check_report(report, 4)
    assert found.right
    assert {check.place for check in found.checks} >= {"smaller[0]", "smaller[0].n0", "smaller[0].outcome"}
    wrong = replace(report, smaller=(replace(report.smaller[0], n0=3),))
    assert [check.place for check in check_report(wrong, 4).checks if check.faults] == ["smaller[0].n0"]


def faults(report):
    return {check.place: check.faults for check in check_report(report, 4).checks if check.faults}


def test_planted_faults_beside_one_another_are_seen(report):
    (smaller,), bracket = report.smaller, report.bracket

    def beside(smaller):
        return faults(replace(report, smaller=(smaller,)))["smaller[0]"][0]

    assert "expected a smaller one" in beside(replace(smaller, space=SpaceBounds()))
    assert "regularizer" in beside(replace(smaller, regularizer=replace(smaller.regularizer, tolerance=0.5)))
    nothing = replace(bracket, r_upper=None, upper_length=None, hypothesis=None, stop_bound_upper=None)
    assert "expected at most 8.0" in faults(replace(report, bracket=nothing))["smaller[0]"][0]
    settled = replace(report, outcome=Outcome.IDENTIFIED)
    assert "expected open" in faults(settled)["smaller[0]"][0]
    # The family says it is complete where the smaller space has something that lasts longer.
    far = replace(report, records=report.records[:-1])
    assert "lasts longer than every record" in faults(far)["smaller[0]"][0]


def test_which_spaces_are_smaller():
    family = SpaceBounds(work=7, max_r=9.0, threshold="zero")
    spec = load("tomita-7")
    assert spec.list_smaller(SpaceBounds(layers=1)) == ()
    smaller = spec.list_smaller(family)
    assert [each.name.removesuffix(", threshold 0") for each in smaller] == [
        *(space.name for space in dict.fromkeys((spec.space, *LADDER)))
    ]
    assert {(each.work, each.max_r, each.threshold) for each in smaller} == {(7, 9.0, "zero")}
    assert all(family.holds(each) for each in smaller)


def in_pieces(regex, piece, jobs=1):
    """A report of a run that is interrupted after some steps, again and again, without what was counted."""
    settings = asked(regex, None)
    journal = Remembered()
    procedure = prepare(build_target(settings.spec), settings.smaller[0], 3, jobs=jobs, journal=journal)
    shares = itertools.count(piece, piece) if piece < math.inf else [piece]
    pieces = sum(1 for _ in itertools.takewhile(lambda end: end is not None, map(procedure.go_on, shares)))
    assert not journal  # nobody asks for a finished slice again
    return stable(replace(procedure.report(None), counts=SearchCounts(0, 0, 0, 0))), pieces


@pytest.mark.parametrize("regex", ["a*b*", "a*ba*"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_space_goes_on_where_it_stopped(regex, jobs):
    """In pieces of any size, the same report as at once."""
    whole, _ = in_pieces(regex, math.inf)
    for piece in (15, 40):
        found, pieces = in_pieces(regex, piece, jobs)
        assert pieces > 1
        assert found == whole


def test_spaces_that_hold_nothing_right_are_not_asked(monkeypatch):
    """No count tells whether ab comes last, by a theorem: spaces without φ and positions are left out."""
    begun = []
    begin = Ladder._begin

    def noted(self, procedure, space):
        begun.append(space.preset)
        return begin(self, procedure, space)

    monkeypatch.setattr(Ladder, "_begin", noted)
    run(replace(asked("(ba)*", 60), max_n=2), Limits())
    assert "nope" in begun
    begun.clear()
    run(replace(asked("(a|b)*ab", 60), max_n=2), Limits())
    assert "nope" not in begun
    assert {"family", "local", "periodic"} == set(begun)


def judged_alike(regex, poison=False):
    """Whether the family says the same alone and after its parts, whose judgement it shares."""
    target, beside = build_target(asked(regex, None).spec), None
    family = SpaceBounds(max_r=9.83)
    for part in ("nope", "local"):
        beside = prepare(target, SpaceBounds.from_preset(part, max_r=9.83), 4, beside=beside)
        beside.run()
    judged = beside._judged
    assert judged
    if poison:
        judged |= {key: (end, words, {}) for key, (end, words, _) in judged.items()}
    reports = [prepare(target, family, 4, beside=each).run() for each in (None, beside)]
    return len({stable(replace(each, counts=SearchCounts(0, 0, 0, 0))) for each in reports}) == 1


@pytest.mark.parametrize("regex", ["(a|b)*ab"])
def test_what_is_judged_in_a_part_serves_the_family(regex):
    assert judged_alike(regex)


def test_a_wrong_judgement_that_is_shared_is_seen():
    """A planted fault: parts that say that nothing is left."""
    assert not judged_alike("(a|b)*ab", poison=True)


def test_needs_rule_out_parts():
    local, nope = SpaceBounds.from_preset("local", layers=1), SpaceBounds.from_preset("nope", layers=1)
    found = [RequiredPredicates(is_outside=True), RequiredPredicates(is_beyond_counts=True), UNKNOWN]
    assert [(each.rules_out(nope), each.rules_out(local)) for each in found] == [
        (True, True),
        (True, False),
        (False, False),
    ]
