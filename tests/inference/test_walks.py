"""A space that the tool chooses gives what a given space gives: of all of it, and of the cells it names."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import pytest
from click.testing import CliRunner

from idinf.commands import main
from idinf.errors import UnsupportedBoundError
from idinf.experiments.bounds import RANGES, SpaceBounds
from idinf.experiments.catalogue import load
from idinf.inference.needs import UNKNOWN, Needs, synthesize_hypothesis
from idinf.inference.procedure import Procedure
from idinf.inference.run import RunOptions, run
from idinf.report.value import Outcome
from idinf.runtime.journal import Journal
from idinf.runtime.limits import Ending, Limits, StopReason
from idinf.search.decided import FailLengths
from idinf.search.enumeration import Search
from idinf.search.found import STORED
from idinf.search.gathered import Begun
from idinf.space.cells import Cell
from idinf.space.structures import order_structures
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from idinf.transformers.regularizer import Aggregate
from idinf.upper_bound.bracket import Finder
from idinf.words import Alphabet

TWO = Alphabet(("a", "b"))


def answers_of(result):
    """Everything but how much work it was, and what it is said to hold for."""
    return replace(result, counts=None, seconds=0.0, peak_bytes=0, coverage=None)


def random_target(seed):
    rng = random.Random(seed)

    def draw(size):
        if size == 1:
            return rng.choice("ab")
        kind, left = rng.random(), rng.randint(1, size - 1)
        if kind < 0.3:
            return f"({draw(size - 1)})*"
        return f"({draw(left)}|{draw(size - left)})" if kind < 0.6 else draw(left) + draw(size - left)

    return RegularTarget.from_regex(draw(4), TWO)


def chosen(target, max_n, work=None, jobs=1, journal=None, needs=UNKNOWN, **bounds):
    space = SpaceBounds.from_preset("auto", **bounds, **({"work": work} if work else {}))
    return Procedure(target, space, max_n, jobs=jobs, journal=journal, anneal_steps=0, needs=needs)


SMALL = {"layers": 2, "heads": 1, "units": 1, "precision": 1, "reach": 1, "logit_max": 0, "content_max": 0}


@pytest.mark.parametrize("seed", range(8))
def test_the_whole_space_within_bounds(seed):
    bounds = {**SMALL, "period": 1 + seed % 2, "precision": seed % 2, "max_r": 9.6}
    target = random_target(seed)
    found = chosen(target, 3, **bounds).run()
    given = Procedure(target, SpaceBounds.from_preset("nope", **bounds), 3, anneal_steps=0).run()
    if found.outcome is Outcome.OPEN:
        assert given.outcome is Outcome.OPEN
        return
    assert found.coverage.whole
    assert answers_of(found) == answers_of(given)


@pytest.mark.parametrize("seed", [0, 2, 4, 9])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_slice_that_is_given_up_goes_on_where_it_stopped(seed, jobs, monkeypatch):
    """With so little patience that most slices are given up several times."""
    bounds = {**SMALL, "period": 1 + seed % 2, "precision": seed % 2, "max_r": 9.8}
    attempts, whole = [], Begun.give_up
    monkeypatch.setattr(Begun, "give_up", lambda begun, *a: attempts.append(begun) or whole(begun, *a))
    patient = chosen(random_target(seed), 3, **bounds).run()
    assert not attempts
    hasty = chosen(random_target(seed), 3, jobs=jobs, **bounds)
    hasty.walk.patience = 0.002
    found = hasty.run()
    assert max(begun.attempt for begun in attempts) > 3
    assert answers_of(found) == answers_of(patient)


class OfCells:
    """The structures of some cells, listed from all of them."""

    def __init__(self, procedure, cells):
        self._space, self._cells = procedure.search.structures, cells
        self.answer, self.floor = self._space.answer, self._space.floor

    def up_to(self, high):
        return tuple(
            s for s in self._space.up_to(high) if any(Cell.of(s).is_within(cell) for cell in self._cells)
        )


LOCAL, PERIODIC = Needs("a look-back of 1", window=1), Needs("positions modulo 2", modulus=2)


@pytest.mark.thinned(5)
@pytest.mark.parametrize(
    ("seed", "work", "needs"),
    [
        *[(seed, work, UNKNOWN) for seed, work in [(1, 300), (9, 200), (16, 500), (11, 4000), (13, 4000)]],
        *[(9, 200, PERIODIC), (16, 500, LOCAL), (11, 1500, LOCAL), (13, 2000, PERIODIC)],
    ],
)
def test_the_cells_that_are_named(seed, work, needs):
    bounds = {**SMALL, "layers": 3, "units": 2, "period": 2, "logit_max": 1}
    target = random_target(seed)
    found = chosen(target, 4, work, needs=needs, **bounds).run()
    cells = [Cell(*(getattr(sizes, key) for key in RANGES)) for sizes in found.coverage.cells]
    given = Procedure(
        target, SpaceBounds.from_preset("local", **bounds, max_r=found.complete_up_to_r), 4, anneal_steps=0
    )
    given.search.structures = OfCells(given, cells)
    result = given.run()
    if found.outcome is Outcome.OPEN:  # a synthesized program bounds what is open
        found = replace(found, ending=result.ending, upper=None, stop_bound=None)
        assert answers_of(found) == answers_of(replace(result, stop_bound=None))
    else:
        assert answers_of(found) == answers_of(result)


@pytest.mark.thinned(5)
@pytest.mark.parametrize(("seed", "work"), [(9, 200), (11, 2000), (11, 4000), (13, 4000), (16, 500)])
def test_nothing_else_can_change_it_up_to_where_that_is_said(seed, work):
    """What lasts longest at each R, in all of the space, as far as the rest is said to be searched."""
    bounds = {**SMALL, "layers": 3, "units": 2, "period": 2, "logit_max": 1}
    found = chosen(random_target(seed), 4, work, **bounds).run()
    rest = found.coverage.rest_complete_up_to_r
    end = min(found.complete_up_to_r, math.inf if rest is None else rest)
    given = SpaceBounds.from_preset("local", **bounds, max_r=end)
    records = Procedure(random_target(seed), given, 4, anneal_steps=0).run().records
    assert [(r.r, r.fail) for r in found.records if r.r <= end] == [(r.r, r.fail) for r in records]


@pytest.mark.parametrize("has_core", [True, False])
def test_what_a_language_needs_is_searched_first(has_core):
    """In this order alone the work is enough for an answer."""
    bounds = {**SMALL, "layers": 3, "units": 2, "period": 2, "logit_max": 1}
    procedure = chosen(RegularTarget.from_regex("(ab|b)*", TWO), 4, 1450, needs=LOCAL, **bounds)
    assert procedure.walk.core
    if not has_core:
        procedure.walk.core = ()
    assert (procedure.run().outcome is Outcome.OPEN) is not has_core


def test_a_budget_of_r_below_the_stop_bound_settles_nothing():
    target = build_target(load("majority"))
    found = chosen(target, 4, **SMALL, max_r=8.45).run()
    assert (found.outcome, found.ending.reason) == (Outcome.OPEN, StopReason.MAX_R)
    assert found.complete_up_to_r == 8.45
    assert [record.fail for record in found.records][-1] is None


@pytest.mark.parametrize(("name", "more"), [("tomita-1-next", {"units": 2}), ("majority-next", {})])
def test_next_symbols_in_a_chosen_space(name, more):
    bounds = {**SMALL, "precision": 0, "max_r": 9.0, **more}
    target = build_target(load(name))
    found = chosen(target, 3, **bounds).run()
    given = Procedure(target, SpaceBounds.from_preset("nope", **bounds), 3, anneal_steps=0).run()
    assert found.coverage.whole
    assert answers_of(replace(found, ending=given.ending)) == answers_of(given)


def test_the_sum_of_layers_in_a_chosen_space():
    bounds, target = {**SMALL, "max_r": 10.0}, random_target(4)
    spaces = (SpaceBounds.from_preset(preset, **bounds) for preset in ("auto", "nope"))
    found, given = (Procedure(target, space, 3, Aggregate.SUM, anneal_steps=0).run() for space in spaces)
    assert found.outcome is not Outcome.OPEN
    assert answers_of(found) == answers_of(given)


def test_a_program_outside_the_bounds_bounds_nothing():
    target = RegularTarget.from_regex("b(ba)*", TWO)
    hypothesis = synthesize_hypothesis(target, 1, Aggregate.MAX, 3000)
    layers = len(hypothesis.layers)

    def finder(**sizes):
        return Finder(
            target, SpaceBounds.from_preset("auto", **sizes), 8, Aggregate.MAX, 1000, FailLengths(target)
        )

    assert layers > 1
    assert finder(layers=layers).proved(hypothesis).checked == 8
    with pytest.raises(UnsupportedBoundError, match="layers"):
        finder(layers=layers - 1).proved(hypothesis)


def test_what_was_met_bounds_r_star_where_less_is_complete():
    procedure = chosen(build_target(load("majority")), 4, **SMALL)
    procedure.walk.run()
    for progress in procedure.walk.agenda._cells.values():
        progress.complete = min(progress.complete, 8.2)
    found = procedure._bracketed(procedure._reported(Ending(StopReason.WORK, "a test")))
    assert found.outcome is Outcome.OPEN
    assert found.complete_up_to_r == 8.2
    assert found.upper.r == pytest.approx(8.414213562)
    assert found.upper.checked == 8


@pytest.mark.slow
def test_a_run_goes_on_with_more_work(tmp_path, monkeypatch):
    listed = []
    whole = Search._over_starts
    monkeypatch.setattr(Search, "_over_starts", lambda *a: listed.append(1) or whole(*a))

    def answer(work, *more):
        asked = ["identify", "tomita-7", "--space", "auto", "--max-n", "4", "--work", str(work), "--json"]
        done = len(listed)
        result = CliRunner().invoke(main, [*asked, "-q", *more])
        assert result.exit_code == 0
        report = json.loads(result.stdout)
        return {**report, "seconds": 0, "peak_bytes": 0}, len(listed) - done

    kept = ("--run-dir", str(tmp_path / "run"), "--resume")
    _, done = answer(1000, *kept)
    for work in (1500, 2500):
        again, rest = answer(work, *kept)
        fresh, every = answer(work)
        assert again == fresh
        assert rest <= every - done + 5  # what was being done at the end, and wherever patience ended
        done = every
    assert done > 100


def test_jobs_and_journals_change_nothing(tmp_path):
    target = build_target(load("dyck-1"))
    bounds = {**SMALL, "units": 2, "work": 400}
    alone = chosen(target, 8, **bounds).run()
    assert alone.ending.reason is StopReason.WORK, alone.ending
    together = chosen(target, 8, jobs=2, **bounds).run()
    stable = replace(alone, seconds=0.0, peak_bytes=0)
    assert replace(together, seconds=0.0, peak_bytes=0) == stable
    for resume in (False, True):
        with Journal(tmp_path / "run", {"of": "a test"}, resume, STORED) as journal:
            again = chosen(target, 8, journal=journal, **bounds).run()
        assert replace(again, seconds=0.0, peak_bytes=0) == stable


@pytest.mark.parametrize("name", ["majority", "tomita-1", "aa-star"])
def test_the_whole_family(name):
    settings = RunOptions(max_n=16, preset="auto", proves=False).about(load(name), name)
    report = run(settings, Limits()).report
    assert report.outcome is Outcome.IDENTIFIED
    assert report.coverage.whole


def test_order_of_structures():
    space = chosen(build_target(load("majority")), 4, **SMALL).search.structures
    every = space.up_to(9.0)
    assert order_structures(reversed(every), space.aggregate, 9.0) == every


@pytest.mark.parametrize("max_r", [9.0, 9.1])
def test_ties_with_max_r_belong_to_the_last_slice(max_r, monkeypatch):
    """Whether slices end at it by themselves or not: no slice is made for them alone."""
    slices, slice_ = [], Search.slice

    def noted(self, low, high, *rest, **named):
        slices.append((low, high))
        return slice_(self, low, high, *rest, **named)

    monkeypatch.setattr(Search, "slice", noted)
    parity = RegularTarget.from_regex("b*(ab*ab*)*", TWO)
    space = SpaceBounds.from_preset("nope", layers=1, precision=1, max_r=max_r)
    Procedure(parity, space, 8, anneal_steps=0).run()
    assert max(high for _, high in slices) >= max_r
    # Below are the slices of records that are looked at once more.
    assert min(high - low for low, high in slices if high > 8.5) > 0.05
