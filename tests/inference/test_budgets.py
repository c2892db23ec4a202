"""A larger budget turns open into an answer, and never one answer into another."""

import math
from dataclasses import replace

import pytest

from idinf.inference.run import keep_journals, run
from idinf.inference.settings import Settings
from idinf.inference.table import StageTable
from idinf.report.files import dump_report
from idinf.report.value import Outcome
from idinf.search.enumeration import Search
from idinf.spec.reader import parse_spec
from idinf.work.limits import Limits

#: Regex over a and b, and the smaller space.
LANGUAGES = {
    "(a|b)*a": "preset = 'local'\nlayers = 1\nunits = 1\nprecision = 0",
    "a*b*": "preset = 'nope'\nlayers = 2\nunits = 1\nprecision = 1",
    "a*ba*": "preset = 'nope'\nlayers = 1\nunits = 2\nprecision = 1",
    "(a|b)*ab": "preset = 'local'\nlayers = 1\nunits = 1\nprecision = 1\nreach = 1\nlogit_max = 1",
    "(ba)*": "preset = 'periodic'\nlayers = 2\nunits = 1\nprecision = 0\nperiod = 2",
    "b*": "preset = 'nope'\nlayers = 1\nunits = 1\nprecision = 0",
}

#: Those that are asked about in the family, too; steps are longer there.
LONG = {"a*b*": pytest.mark.slow}
IN_FAMILY = ("(a|b)*a", "b*")
BUDGETS = (3, 10, 30, 100, 300, 1000)


def asked(regex, work, **more):
    spec = parse_spec(f"name = 'x'\nalphabet = 'ab'\nregex = '{regex}'\n[space]\n{LANGUAGES[regex]}\n")
    return Settings(max_n=3, bounds={"work": work}, **more).about(spec, "x")


def answer(report):
    """What must be the same for every budget that reaches it."""
    stages = [(stage.n, stage.r_star, stage.good, stage.counterexample) for stage in report.stages]
    records = [(record.r, record.fail, record.formula) for record in report.records]
    return report.outcome, report.n0, report.n0_canonical, report.complete_up_to_r, stages, records


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("regex", "space"),
    [
        *(pytest.param(regex, "spec", marks=LONG.get(regex, ())) for regex in LANGUAGES),
        *((regex, None) for regex in IN_FAMILY),
    ],
)
def test_answers_of_rising_budgets(regex, space):
    decided, known, names = {}, {}, set()
    for work in BUDGETS if space else BUDGETS[1:]:
        for report in run(asked(regex, work, space=space), Limits()).report.answers:
            name, low = report.space.name, report.n0_lower
            names.add(name)
            before, upper = known.get(name, (0.0, 0, math.inf)), math.inf
            if report.outcome is Outcome.OPEN:
                assert name not in decided, f"{name} is open again with {work}"
                end = report.upper_end
                upper = math.inf if end is None else end[0]
            else:
                assert decided.setdefault(name, answer(report)) == answer(report)
                upper = report.stages[-1].r_star
                low = before[1] if report.n0 is None else report.n0
            assert report.complete_up_to_r >= before[0]
            assert low >= before[1]
            assert report.complete_up_to_r <= upper + 1
            known[name] = report.complete_up_to_r, low, upper
    assert decided
    assert len(names) <= 3


def stable(report):
    return dump_report(without_clock(report))


def without_clock(report):
    inner = tuple(map(without_clock, report.smaller))
    return replace(report, seconds=0.0, peak_bytes=0, smaller=inner)


def test_neither_processes_nor_kills_change_a_report(tmp_path, monkeypatch):
    settings = asked("a*b*", 100)
    alone = run(settings, Limits()).report
    assert alone.upper_end is not None
    assert stable(run(settings, Limits(), jobs=2).report) == stable(alone)

    class Killed(BaseException):
        """As if the process had ended."""

    calls, whole = [], Search._over_starts

    def until(number):
        def over_starts(*arguments):
            calls.append(1)
            if len(calls) > number:
                raise Killed
            return whole(*arguments)

        return over_starts

    for number in (1, 3):
        calls.clear()
        monkeypatch.setattr(Search, "_over_starts", until(number))
        with pytest.raises(Killed):
            run(settings, Limits(), journal_of=keep_journals(settings, tmp_path / "run", resume=True))
    monkeypatch.setattr(Search, "_over_starts", whole)
    again = run(settings, Limits(), journal_of=keep_journals(settings, tmp_path / "run", resume=True))
    assert stable(again.report) == stable(alone)
    more = asked("a*b*", 200)
    further = run(more, Limits(), journal_of=keep_journals(more, tmp_path / "run", resume=True))
    assert stable(further.report) == stable(run(more, Limits()).report)


def test_the_judge_sees_an_answer_that_changes(monkeypatch):
    """A planted fault: with little work a bad n is called good."""
    whole = StageTable.stage

    def stage(self, n):
        found = whole(self, n)
        return replace(found, good=True) if found.good is False and self.complete > 5.4 else found

    monkeypatch.setattr(StageTable, "stage", stage)
    reports = [run(asked("b*", work), Limits()).report for work in (30, 400)]
    monkeypatch.setattr(StageTable, "stage", whole)
    reports.append(run(asked("b*", 400), Limits()).report)
    decided = [answer(each) for report in reports for each in report.answers if each.n0 is not None]
    assert len({str(each) for each in decided}) > 1
