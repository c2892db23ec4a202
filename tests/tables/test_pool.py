"""A pool of runs: the answers of `run` for any number of processes, and whatever goes wrong as an answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from idinf.errors import BudgetError, SpecError
from idinf.inference import run as module
from idinf.inference.procedure import Procedure
from idinf.inference.run import run
from idinf.inference.settings import RunSettings, Settings
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Outcome, Regularizer, Report
from idinf.spec.catalogue import load, load_family
from idinf.spec.spec import Spec, Verdict
from idinf.tables import pool as pool_module
from idinf.tables.pool import KeptReports, RunAnswer, RunPool, answer_request, name_run
from idinf.work.limits import Ending, Limits, StopReason
from tests.asked_for import few

FAMILY = load_family("ge-k-j")
SPACE = FAMILY.first.space.overridden(layers=1, units=1, precision=0)
GE_3_2 = load("ge-k-j", (("k", 3), ("j", 2)))

#: A language whose runs fail in some tests.
PARITY = replace(
    Settings(max_n=3, space="spec").about(load("parity"), "parity"),
    bounds=SPACE.overridden(max_r=6.0),
)


def member(first: int, cap: int, **bounds: float) -> RunSettings:
    """Ask about ge-3-2."""
    settings = replace(
        Settings(max_n=first, space="spec").about(GE_3_2, "ge-k-j"),
        bounds=replace(SPACE, **bounds),
    )
    return replace(settings, max_n_cap=cap)


def first_members(up_to: int) -> list[Spec]:
    """The members up to a size."""
    return [spec for spec in FAMILY.members() if FAMILY.parameters.size_of(spec.parameters) <= up_to]


def members(up_to: int, max_n: int, cap: int) -> list[RunSettings]:
    """Ask about the first members."""
    options = Settings(max_n=max_n, space="spec")
    members = [options.about(spec, "ge-k-j") for spec in first_members(up_to)]
    asked = [replace(member, bounds=SPACE) for member in members]
    return [replace(settings, max_n_cap=cap) for settings in asked]


def alone(settings: RunSettings) -> RunAnswer:
    """The answer in this process, without limits."""
    return answer_request(settings, Limits(), None)


def timeless(report: Report | None) -> Report:
    assert report is not None
    return replace(report, seconds=0.0, peak_bytes=0)


@pytest.mark.slow
def test_answers_are_those_of_run_for_any_number_of_processes() -> None:
    questions = members(2, 4, 8)
    want = [timeless(run(question, Limits()).report) for question in questions]
    for jobs in range(few(2, 1), 3):
        found = dict(RunPool(questions, jobs=jobs).answers())
        assert [timeless(found[index].report) for index in range(3)] == want


def test_a_limit_at_a_larger_max_n_keeps_what_was_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Procedure):
        def report(self, ended: Ending | None) -> Report:
            found = super().report(ended)
            if self.max_n <= 8:
                return found
            return replace(
                found, outcome=Outcome.OPEN, n0=None, stop=StopReason.TIME, stop_reason="time is over"
            )

    monkeypatch.setattr(module, "Procedure", Stopped)
    answer = alone(member(8, 64))
    assert answer.report is not None
    assert (answer.report.max_n, answer.report.n0, answer.limit, answer.error) == (8, 8, "time is over", None)


@pytest.mark.parametrize(
    ("error", "limited", "short"),
    [
        (SpecError("no sense"), False, False),
        (BudgetError("too large"), True, True),
        (MemoryError(), True, True),
        (KeyboardInterrupt(), True, False),
        (ZeroDivisionError("planted"), False, False),
    ],
)
def test_what_goes_wrong_is_an_answer(
    error: BaseException, limited: bool, short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.delenv("IDINF_DEBUG", raising=False)
    monkeypatch.setattr(pool_module, "run", failing)
    answer = alone(PARITY)
    assert (answer.report, answer.limit is not None, answer.short_of_memory) == (None, limited, short)
    assert isinstance(answer.error, BudgetError) == limited
    assert str(error) in str(answer.error)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_time_limit_holds_for_every_run(jobs: int) -> None:
    found = dict(RunPool(members(2, 64, 64), Limits(1e-6), jobs).answers())
    assert len(found) == 3
    for answer in found.values():
        assert answer.report is not None
        assert answer.report.n0 is None
        assert answer.limit == answer.report.stop_reason
        assert "the time limit of 1e-06 s ended the run" in answer.limit


# What a batch keeps: reports under all that they depend on, and work until a report is settled


def reported(name: str, **bounds: float) -> Report:
    """The report of a small run."""
    spec = load(name)
    return run(Settings(max_n=3, bounds=bounds, space="spec").about(spec, name), Limits()).report


CLASSES = {"states": None, "crasp": "yes"}

SETTLED, ENDED = reported("majority", layers=1, precision=0), reported("parity", max_r=6.0)


def test_what_is_kept_is_recalled(tmp_path: Path) -> None:
    path = str(tmp_path / "run")
    kept = KeptReports(path, False)
    assert kept.recall("a-1", "60s") is None
    kept.keep("a-1", SETTLED, CLASSES, None)
    kept.keep("b-1", ENDED, None, "60s")
    kept = KeptReports(path, True)
    assert kept.recall("a-1", "60s") == kept.recall("a-1", "9s") == (SETTLED, CLASSES, False)
    assert kept.recall("b-1", "60s") == (ENDED, None, True)
    assert kept.recall("b-1", "9s") is None
    kept.keep("b-1", SETTLED, CLASSES, None)
    assert kept.recall("b-1", "60s") == (SETTLED, CLASSES, False)


def test_the_key_names_all_that_a_report_depends_on() -> None:
    target = load("d-12")
    question = Settings(space="spec").about(target, "d-12")
    others = [
        replace(question, max_n=8),
        replace(question, max_n_cap=64 + question.max_n_cap),
        replace(question, bounds=target.space.overridden(max_r=9)),
        replace(question, regularizer=Regularizer(Aggregate.SUM, None)),
        replace(question, regularizer=Regularizer(Aggregate.MAX, 0.0)),
        replace(question, known=()),
        replace(question, proves=False),
        replace(question, spec=replace(target, expected=(("crasp", Verdict.NO),))),
        Settings(space="spec").about(load("parity"), "parity"),
    ]
    assert len({name_run(question), *map(name_run, others)}) == 1 + len(others)
    assert name_run(replace(question, max_n=question.max_n)) == name_run(question)
