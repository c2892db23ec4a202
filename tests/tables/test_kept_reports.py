"""What a batch keeps: reports under all that they depend on, and work until a report is settled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Regularizer, Report
from idinf.spec.catalogue import load
from idinf.spec.spec import Verdict
from idinf.tables.pool import KeptReports, name_run
from idinf.work.journal import Journal
from idinf.work.limits import Limits


def reported(name: str, **bounds: float) -> Report:
    """The report of a small run."""
    spec = load(name)
    return run(
        Settings(max_n=3, bounds=bounds, anneal_steps=0, space="spec").about(spec, name), Limits()
    ).report


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


def test_work_is_forgotten_once_the_report_is_settled(tmp_path: Path) -> None:
    kept = KeptReports(str(tmp_path / "run"), False)
    with Journal(kept.folder, {}, run="a") as work, Journal(kept.folder, {}, run="b") as other:
        work.keep(("unit",), 1)
        other.keep(("unit",), 2)
    kept.keep("b", ENDED, None, "60s")
    kept.keep("a", SETTLED, CLASSES, None)
    with Journal(kept.folder, {}, run="a") as work, Journal(kept.folder, {}, run="b") as other:
        assert (work.recall(("unit",)), other.recall(("unit",))) == (None, 2)
    kept.remove()
    assert list(tmp_path.iterdir()) == []


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
        replace(question, anneal_steps=7),
        replace(question, proves=False),
        replace(question, spec=replace(target, expected=(("crasp", Verdict.NO),))),
        Settings(space="spec").about(load("parity"), "parity"),
    ]
    assert len({name_run(question), *map(name_run, others)}) == 1 + len(others)
    assert name_run(replace(question, max_n=question.max_n)) == name_run(question)
