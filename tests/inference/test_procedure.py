"""Whole runs: shortcuts change nothing, limits end open, outcomes, records against the reference."""

import math
from dataclasses import replace

import pytest

from idinf.base.words import Alphabet
from idinf.inference import walks
from idinf.nets.one_hot import to_one_hot
from idinf.report.value import Outcome
from idinf.search.slice_types import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from idinf.work.limits import StopReason
from tests.asked_for import few
from tests.small_runs import prepare
from tests.spaces import small_space


def run(name, max_n, max_r, space=None, **options):
    bounds = small_space(max_r=max_r, **{"layers": 2, **(space or {})})
    target = name if isinstance(name, RegularTarget) else build_target(load(name))
    return prepare(target, bounds, max_n, **options).run()


def answers_of(result):
    """Everything but how much work it was."""
    return replace(result, counts=None, seconds=0.0, peak_bytes=0)


def exact_answers_of(result):
    """The answers without lower bounds of how many are selected, which follow where slices end."""
    stages = [
        stage if stage.num_selected_exact else replace(stage, num_selected=0, num_selected_bad=0)
        for stage in result.stages
    ]
    return replace(answers_of(result), stages=tuple(stages))


THREE = RegularTarget.from_regex("(a|b)*c(a|b|c)*", Alphabet(("a", "b", "c")))
RUNS = {
    "majority": ("majority", 6, 8.7, {"units": 1}),
    "dyck-1": ("dyck-1", 4, 9.5, {"units": 1, "precision": 1}),
    "parity": ("parity", 4, 8.5, {"layers": 1}),
    "three": (THREE, 3, 8.5, {"units": 1, "precision": 0}),
    "local": ("tomita-7", 2, 9.5, {"units": 1, "precision": 0, "reach": 1, "logit_max": 1}),
}
SHORTCUTS = {
    "no certificates": {"mode": Mode(certified_above=math.inf)},
    "certificates from the start": {"mode": Mode(certified_above=0.0)},
    "no ceiling": {"mode": Mode(use_ceiling=False)},
    "no refutation": {"mode": Mode(use_longer_words=False)},
    "no confusion": {"mode": Mode(use_confusion=False)},
    "screening 1": {"screening": 1},
    "screening 2": {"screening": 2},
    "screening 3": {"screening": 3},
    "two jobs": {"jobs": 2},
}
LONG = {"majority", "dyck-1", "parity"}
SLOW = {("dyck-1", "screening 1"), ("dyck-1", "screening 2")}


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "target", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in RUNS]
)
def test_shortcuts_change_nothing(target, monkeypatch):
    plain = run(*RUNS[target])
    for name, options in SHORTCUTS.items():
        if (target, name) not in SLOW:
            assert answers_of(run(*RUNS[target], **options)) == answers_of(plain), name
    monkeypatch.setattr(walks, "SLICE", 0.1)
    monkeypatch.setattr(walks, "COARSE_SLICE", 0.7)
    assert exact_answers_of(run(*RUNS[target])) == exact_answers_of(plain)
    for name, value in {"CALM": math.inf, "LONG": 0, "WIDEST": 3.0, "COARSE_BELOW": 0.0}.items():
        monkeypatch.setattr(walks, name, value)
    assert exact_answers_of(run(*RUNS[target])) == exact_answers_of(plain)


def bounded_answers(least=lambda r: r):
    """A run, and the same run when its selected hypothesis was known before, with its R changed if asked."""
    bounds = small_space(layers=1, precision=1, max_r=10.0)
    target = build_target(load("majority"))
    first = prepare(target, bounds, 6).run()
    again = prepare(target, bounds, 6)
    again.bound_by(to_one_hot(first.records[-1].hypothesis))
    again.walk.known = lambda: least(first.records[-1].r)
    return first, again.run()


def test_a_known_hypothesis_changes_no_answer():
    """It says where slices end; were it wrong, they would end elsewhere, and the run would still go on."""
    for less in (0.1, -0.2, 0.0, 2.0)[: few(2, 4)]:
        without, bounded = bounded_answers(lambda r, less=less: r - less)
        assert answers_of(bounded) == answers_of(without)
        assert without.outcome is Outcome.IDENTIFIED


def test_outcomes():
    one = {"layers": 1}
    identified = run("majority", 6, 9.0, one)
    assert (identified.outcome, identified.stop) == (Outcome.IDENTIFIED, StopReason.STOP_BOUND)
    assert identified.complete_up_to_r == 8.664213562
    wrong = run("majority", 2, 9.0, one)
    assert (wrong.outcome, wrong.n0) == (Outcome.NOT_IDENTIFIED, None)
    still_open = run("parity", 6, 8.0, one)
    assert (still_open.outcome, still_open.n0) == (Outcome.OPEN, None)
    assert still_open.stop is StopReason.MAX_R
    assert still_open.complete_up_to_r == 8.0
    unknown = [stage for stage in still_open.stages if stage.r_star is None]
    assert unknown
    assert all(stage.r_star_lower == 8.0 for stage in unknown)


def test_a_budget_just_below_a_record_tells_one_story():
    """max_r as printed, with 9 decimals, lies within ε below the record: stage and record must agree."""
    bounds = small_space(layers=1, units=1, precision=0, max_r=8.414213562)
    run = prepare(build_target(load("majority")), bounds, 2).run()
    last = run.records[-1]
    assert (last.fail, last.r) == (None, run.stages[1].r_star)
    assert run.outcome is Outcome.OPEN
