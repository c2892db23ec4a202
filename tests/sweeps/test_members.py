"""The procedure on members: same rows for any number of processes, honest rows where a limit ends one."""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest

from idinf.errors import BudgetError, UnsupportedBoundError
from idinf.experiments.catalogue import load_family
from idinf.inference import run as module
from idinf.inference.procedure import Procedure
from idinf.report.value import Outcome
from idinf.runtime.limits import INTERRUPTED
from idinf.runtime.requests import Requests
from idinf.sweeps.members import Plan, run_member, run_members
from idinf.targets.build import build_target

FAMILY = load_family("ge-k-j")
SPACE = FAMILY.first.space
GE_3_2 = FAMILY.member((("k", 3), ("j", 2)))


def interrupted() -> Requests:
    """A request to stop that came before anything began."""
    requests = Requests()
    requests.signal = signal.SIGINT
    return requests


def alone(max_n: int) -> object:
    """What the procedure says of ge-3-2, without its times."""
    return _timeless(Procedure(build_target(GE_3_2), SPACE, max_n).run())


def _timeless(inference: object) -> object:
    return replace(inference, seconds=0.0, peak_bytes=0)


def test_max_n_is_doubled_until_n0_is_well_inside() -> None:
    run = run_member(GE_3_2, Plan(SPACE, 5, 64))
    assert (run.inference.max_n, run.n0, run.n0_lower, run.limit) == (20, 8, 8, None)
    assert _timeless(run.inference) == alone(20)


@pytest.mark.parametrize(
    ("max_n", "outcome", "n0", "lower"), [(12, "identified", 8, 8), (6, "not-identified", None, 7)]
)
def test_the_cap_is_the_last_max_n(max_n: int, outcome: str, n0: int | None, lower: int) -> None:
    run = run_member(GE_3_2, Plan(SPACE, 3, max_n))
    assert (run.inference.max_n, run.inference.outcome.value, run.n0, run.n0_lower) == (
        max_n,
        outcome,
        n0,
        lower,
    )


def test_an_open_member_is_not_tried_further() -> None:
    run = run_member(GE_3_2, Plan(replace(SPACE, max_r=9.5), 8, 64))
    assert (run.inference.max_n, run.inference.outcome, run.n0, run.limit) == (8, Outcome.OPEN, None, None)


@pytest.mark.slow
def test_rows_do_not_depend_on_the_processes() -> None:
    members, plan = FAMILY.members(2), Plan(SPACE, 4, 8)
    one, two = (run_members(members, plan, jobs) for jobs in (1, 2))
    assert [run.spec for run in one] == list(members)
    assert [(run.spec, _timeless(run.inference), run.limit) for run in one] == [
        (run.spec, _timeless(run.inference), run.limit) for run in two
    ]


def test_a_member_that_needs_too_much_memory_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Procedure):
        def __post_init__(self) -> None:
            if self.max_n > 8 or self.bounds.layers > 1:
                raise BudgetError("would need 9 bytes; budget 8; raise --memory")
            super().__post_init__()

    told = "would need 9 bytes; budget 8; raise --memory, before anything was searched"
    monkeypatch.setattr(module, "Procedure", Failing)
    run = run_member(GE_3_2, Plan(SPACE, 8, 64))
    assert (run.inference.max_n, run.n0, run.limit) == (8, 8, told)
    run = run_member(GE_3_2, Plan(replace(SPACE, layers=2), 8, 64))
    assert (run.inference.outcome, run.n0, run.n0_lower) == (Outcome.OPEN, None, 1)
    assert run.limit == told


def test_a_limit_at_a_larger_max_n_keeps_what_was_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Procedure):
        def run(self) -> object:
            found = super().run()
            if self.max_n <= 8:
                return found
            return replace(found, outcome=Outcome.OPEN, n0=None, stopped=True, stop_reason="the time is over")

    monkeypatch.setattr(module, "Procedure", Stopped)
    run = run_member(GE_3_2, Plan(SPACE, 8, 64))
    assert (run.inference.max_n, run.n0, run.limit) == (8, 8, "the time is over")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_time_limit_holds_for_every_member(jobs: int) -> None:
    runs = run_members(FAMILY.members(2), Plan(SPACE, 64, 64, time_limit_s=1e-6), jobs)
    assert [run.n0 for run in runs] == [None] * 3
    assert [run.limit for run in runs] == ["the time limit of 1e-06 s ended the run"] * 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_user_stops_it(jobs: int) -> None:
    runs = run_members(FAMILY.members(2), Plan(SPACE, 64, 64), jobs, interrupted())
    assert [(run.n0, run.limit) for run in runs] == [(None, INTERRUPTED)] * 3


def test_finished_members_survive_an_interrupt() -> None:
    requests = Requests()

    def watch(done: int) -> None:
        if done:
            requests.signal = signal.SIGINT

    runs = run_members(FAMILY.members(2), Plan(SPACE, 4, 4), 1, requests, watch)
    assert [run.limit for run in runs] == [None, INTERRUPTED, INTERRUPTED]
    assert runs[0].n0 == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_max_n_out_of_range_ends_the_whole(jobs: int) -> None:
    with pytest.raises(UnsupportedBoundError, match="max_n = 1001"):
        run_members(FAMILY.members(2), Plan(SPACE, 1001, 1001), jobs)


@pytest.mark.slow
def test_the_largest_n0_of_one_layer_and_one_unit_is_4_times_t_minus_1() -> None:
    members = FAMILY.members(6)
    runs = run_members(members, Plan(SPACE, FAMILY.first.max_n, FAMILY.max_n_cap), 2)
    largest: dict[int, int] = {}
    for member, run in zip(members, runs, strict=True):
        size = FAMILY.size_of(member)
        largest[size] = max(largest.get(size, 0), run.n0)
    assert largest == {1: 3, 2: 5, 3: 8, 4: 12, 5: 16, 6: 20}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "j", "layers", "units", "n0"), [(2, 1, 2, 1, 4), (3, 2, 2, 1, 8), (4, 3, 1, 2, 12)]
)
def test_rivals_from_wider_spaces_do_not_change_n0(k: int, j: int, layers: int, units: int, n0: int) -> None:
    space = replace(SPACE, layers=layers, units=units)
    assert run_member(FAMILY.member((("k", k), ("j", j))), Plan(space, 16, 32)).n0 == n0
