"""What a page says of other tolerances, the other aggregate and the canonical pick, beside runs of these."""

from __future__ import annotations

from functools import cache

import pytest

import idinf
from idinf.render.html.page import render_page
from idinf.report.value import Outcome
from tests.render.reports import golden, opened

#: Targets and how far they are looked at.
RUNS = {"majority": 16, "dyck-1": 8, "tomita-1": 8, "aa-star": 8, "contains-ab": 6, "ge-2-3": 8, "parity": 6}

#: What is searched: the search for proofs and upper bounds changes no verdict.
SEARCH = {"space": "nope", "layers": 2, "max_r": 10.0, "prove": False, "anneal_steps": 0, "time_limit": 30.0}

TOLERANCES = (None, 0.0, 0.5, 0.125)

#: For every n what is said under a question, and n0.
ASK = """(asked) => [data.stages.map((_, k) => {
  const judged = judge(data, asked, k + 1);
  return [judged.good, judged.rStar, judged.selected, judged.bad, judged.exact, judged.worst, judged.word];
}), findStart(data, asked)]"""


@pytest.fixture
def script(browser):
    """Pages of reports, whose functions are asked."""
    pages = []

    def load(report):
        pages.append(browser.new_page())
        pages[-1].set_content(render_page(report))
        assert pages[-1].get_attribute("html", "data-ready") is not None
        return pages[-1]

    yield load
    for page in pages:
        page.close()


def compare(told, start, run, n_max):
    """Check that nothing is said that the run denies; returns how many n are decided."""
    decided = 0
    for (good, r_star, selected, bad, exact, worst, word), stage in zip(told, run.stages, strict=True):
        where = (run.target.name, stage.n, run.regularizer)
        if r_star is not None and stage.r_star is not None:
            assert abs(r_star - stage.r_star) < 1e-9, where
        if good is None:
            continue
        decided += 1
        assert good is stage.good, where
        known = stage.num_selected_exact
        assert selected <= stage.num_selected or not known, where
        assert not exact or not known or selected == stage.num_selected, where
        assert bad <= max(stage.num_selected_bad, 1) or not known, where
        if worst is not None and stage.fail_of_worst is not None:
            assert stage.fail_of_worst <= worst or not good, where
        assert word is None or worst is None or len(word) <= 2 * stage.n, where
    if run.outcome is not Outcome.OPEN:
        check_start(start, run.n0, n_max)
    return decided


def check_start(start, n0, n_max):
    """Check what is said of n0."""
    if "n0" in start:
        assert start["n0"] == n0
    elif "none" in start:
        assert n0 is None
    else:
        assert start["least"] <= (n0 or n_max + 1)
        assert start["most"] is None or (n0 or n_max + 1) <= start["most"]


@cache
def run_of(name, tolerance=None, aggregate="max"):
    return idinf.identify(name, max_n=RUNS[name], tolerance=tolerance, aggregate=aggregate, **SEARCH)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "tomita-1" else pytest.mark.slow) for name in RUNS]
)
def test_tolerances_are_as_in_runs_of_their_own(script, name):
    own = run_of(name)
    page = script(own)
    decided = 0
    for tolerance in TOLERANCES:
        asked = {"tolerance": tolerance, "aggregate": "max", "pick": "all"}
        told, start = page.evaluate(ASK, asked)
        decided += compare(told, start, run_of(name, tolerance), own.max_n)
    assert decided >= own.max_n


#: Kinds of runs that take a second, and targets for each.
KINDS = {
    "one-hot": (
        *("majority", "parity", "dyck-1", "aa-star", "contains-ab", "ge-2-3", "at-least-3-ones", "d-2"),
        *("tomita-1", "tomita-2", "tomita-4", "tomita-7", "aa-bb-cc", "012-02"),
    ),
    "theta": ("majority", "parity", "tomita-1", "at-least-3-ones", "ge-2-3", "dyck-1", "tomita-4"),
    "limit": ("majority", "aa-star", "ge-2-3"),
}

SMALL = {"space": "nope", "layers": 1, "max_r": 9.0, "anneal_steps": 0}

#: Tolerance and aggregate of runs and of what is asked.
OPTIONS = [(tolerance, aggregate) for aggregate in ("max", "sum") for tolerance in (None, 0.0, 0.5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind, names in KINDS.items() for name in names],
)
def test_every_question_to_every_report_is_answered_as_by_a_run(script, kind, name):
    """Whole classes among them, and the canonical pick."""
    which = SMALL if kind == "one-hot" else {"hypothesis_class": kind}
    runs = {
        (tolerance, aggregate): idinf.identify(
            name,
            max_n=6,
            tolerance=tolerance,
            aggregate=aggregate,
            prove=False,
            time_limit=60.0,
            **which,
        )
        for tolerance, aggregate in OPTIONS
    }
    for own, report in runs.items():
        page = script(report)
        for option, run in runs.items():
            asked = {"tolerance": option[0], "aggregate": option[1]}
            told, start = page.evaluate(ASK, {**asked, "pick": "all"})
            decided = compare(told, start, run, 6)
            assert own != option or decided == sum(stage.good is not None for stage in run.stages)
            compare_picks(*page.evaluate(ASK, {**asked, "pick": "canonical"}), run, 6)
        page.close()


def compare_picks(told, start, run, n_max):
    """Check the same of the pick alone, of which a run knows from where on it is good."""
    n0 = run.n0_canonical
    check_start(start, n0, n_max)
    for (good, *_), stage in zip(told, run.stages, strict=True):
        if n0 is not None and stage.n >= n0:
            assert good is not False
        if run.outcome is not Outcome.OPEN and stage.n == (n0 or n_max + 1) - 1:
            assert good is not True


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_max_and_sum_are_as_in_runs_of_their_own(script, name):
    runs = {aggregate: run_of(name, aggregate=aggregate) for aggregate in ("max", "sum")}
    for own, other in (("max", "sum"), ("sum", "max")):
        page = script(runs[own])
        for tolerance in (None, 0.0, 0.5):
            told, start = page.evaluate(ASK, {"tolerance": tolerance, "aggregate": other, "pick": "all"})
            compare(told, start, run_of(name, tolerance, other), runs[own].max_n)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["dyck-1", "majority"])
def test_the_pick_alone_has_the_n0_of_the_report(script, name):
    report = golden(name)
    told, start = script(report).evaluate(ASK, {"tolerance": None, "aggregate": "max", "pick": "canonical"})
    assert start.get("n0", start.get("most")) == report.n0_canonical
    for (good, *_), stage in zip(told, report.stages, strict=True):
        if stage.n >= report.n0_canonical:
            assert good is True
        if stage.n == report.n0_canonical - 1:
            assert good is False
        if stage.good:
            assert good is True


def test_nothing_is_guessed(script):
    """What is no record may lie in a wider window: it is not decided."""
    page = script(golden("majority"))
    wide = {"tolerance": 0.5, "aggregate": "max", "pick": "all"}
    told, start = page.evaluate(ASK, wide)
    assert [row[0] for row in told[:3]] == [False, False, None]
    assert start == {"least": 3, "most": None}
    narrow, start = page.evaluate(ASK, {**wide, "tolerance": 0})
    assert [row[0] for row in narrow[:3]] == [False, None, True]
    assert start == {"least": 2, "most": 3}
    open_run = script(opened())
    told, _ = open_run.evaluate(ASK, wide)
    assert all(row[0] is None for row in told[2:])
