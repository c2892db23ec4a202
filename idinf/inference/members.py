"""The procedure on every member of a family: how far each is examined, and in how many processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace

from idinf.errors import BudgetError
from idinf.inference.outcome import Inference, Outcome
from idinf.inference.procedure import MAX_N, Budget, Procedure
from idinf.spec.bounds import SpaceBounds
from idinf.spec.experiment import Spec
from idinf.targets.build import build_target
from idinf.transformers.regularizer import Aggregate

__all__ = ["INTERRUPTED", "MemberRun", "Plan", "run_member", "run_members"]

#: What a run that the user stopped gives as its reason.
INTERRUPTED = "interrupted"

#: Seconds between two looks at the user's wish to stop while members run elsewhere.
BEAT_S = 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """What all members of a family have in common.

    Parameters
    ----------
    bounds : SpaceBounds
    max_n : int
        The first ``max_n`` of every member.
    max_n_cap : int
        ``max_n`` is doubled while the member is not identified with n0 ≤ max_n / 2, and never above this;
        equal to ``max_n``, it is never raised.
    aggregate : Aggregate
    tolerance : float or None
    budget : Budget
        Of one member; its time covers all values of ``max_n`` that are tried.
    """

    bounds: SpaceBounds
    max_n: int
    max_n_cap: int
    aggregate: Aggregate = Aggregate.MAX
    tolerance: float | None = None
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class MemberRun:
    """How the procedure ended on one member.

    Attributes
    ----------
    spec : Spec
    inference : Inference or None
        The run at the largest ``max_n`` that counts; None if none could be made.
    limit : str or None
        What ended the member early: a limit of time or memory, or the user.
    seconds : float
        Wall-clock seconds of all values of ``max_n``.
    """

    spec: Spec
    inference: Inference | None
    limit: str | None
    seconds: float

    @property
    def n0(self) -> int | None:
        """n0, where it is settled."""
        return None if self.inference is None else self.inference.n0

    @property
    def n0_lower(self) -> int:
        """The least value n0 can have, from what is proved."""
        if self.inference is None:
            return 1
        return self.inference.n0 or self.inference.n0_lower or 1


def run_member(spec: Spec, plan: Plan, interrupted: Callable[[], bool] = lambda: False) -> MemberRun:
    """Run the procedure on one member, for larger and larger ``max_n``.

    A ``max_n`` is large enough when the member is identified with n0 ≤ max_n / 2: beyond the last bad n as
    many good ones were seen again. This is a rule for choosing the range; within the range n0 is exact.
    An outcome ``open`` is not tried at a larger ``max_n``, whose stop bound is no smaller.

    Parameters
    ----------
    spec : Spec
    plan : Plan
    interrupted : callable
        Whether the user asked to stop.

    Returns
    -------
    MemberRun
        Where a limit ends the run at a larger ``max_n``, an earlier one at which n0 was settled still counts.

    Examples
    --------
    >>> from idinf.spec.catalogue import load_family
    >>> family = load_family("ge-k-j")
    >>> run = run_member(family.member((("k", 1), ("j", 1))), Plan(family.first.space, 2, 64))
    >>> run.inference.max_n, run.n0
    (8, 3)
    """
    started = time.perf_counter()
    target, max_n, best, limit = build_target(spec), plan.max_n, None, None
    cap = max(plan.max_n, min(plan.max_n_cap, MAX_N))
    while True:
        try:
            inference = Procedure(
                target,
                plan.bounds,
                max_n,
                plan.aggregate,
                plan.tolerance,
                _rest(plan.budget, started),
                interrupted=interrupted,
            ).run()
        except BudgetError as error:
            limit = str(error)
            break
        if inference.stopped:
            limit = _limit_text(inference.stop_reason, plan.budget)
        if best is None or best.n0 is None or inference.outcome is not Outcome.OPEN:
            best = inference
        if inference.outcome is Outcome.OPEN or max_n >= cap or _is_well_inside(inference):
            break
        max_n = min(2 * max_n, cap)
    return MemberRun(spec, best, limit, time.perf_counter() - started)


def run_members(
    members: Sequence[Spec],
    plan: Plan,
    jobs: int = 1,
    interrupted: Callable[[], bool] = lambda: False,
    watch: Callable[[int], None] = lambda done: None,
) -> tuple[MemberRun, ...]:
    """Run the procedure on every member.

    Parameters
    ----------
    members : sequence of Spec
    plan : Plan
    jobs : int
        Processes, one member each; the result is the same for any number, apart from seconds and bytes.
    interrupted : callable
        Whether the user asked to stop; members that were not finished then say so in their ``limit``.
    watch : callable
        Called now and then with the number of finished members.

    Returns
    -------
    tuple of MemberRun
        In the order of the members.

    Raises
    ------
    UnsupportedBoundError
        If ``plan.max_n`` is above what the procedure examines.
    SpecError, ProgramError
        If a member is wrong; before anything is run.

    Examples
    --------
    >>> from idinf.spec.catalogue import load_family
    >>> family = load_family("ge-k-j")
    >>> [(run.spec.name, run.n0) for run in run_members(family.members(2), Plan(family.first.space, 8, 8))]
    [('ge-1-1', 3), ('ge-1-2', 5), ('ge-2-1', 4)]
    """
    for member in members:
        build_target(member)
    jobs = min(jobs, os.cpu_count() or 1, len(members))
    if jobs > 1:
        return _in_processes(members, plan, jobs, interrupted, watch)
    runs: list[MemberRun] = []
    for member in members:
        watch(len(runs))
        runs.append(_unfinished(member) if interrupted() else run_member(member, plan, interrupted))
    return tuple(runs)


def _in_processes(
    members: Sequence[Spec],
    plan: Plan,
    jobs: int,
    interrupted: Callable[[], bool],
    watch: Callable[[int], None],
) -> tuple[MemberRun, ...]:
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), initializer=_leave_ctrl_c)
    futures: list[Future[MemberRun]] = []
    try:
        futures.extend(pool.submit(run_member, member, plan) for member in members)
        pending = set(futures)
        while pending and not interrupted():
            done, pending = wait(pending, timeout=BEAT_S)
            for future in done:
                future.result()  # an error of one member ends the whole
            watch(len(futures) - len(pending))
        return tuple(
            future.result() if future not in pending else _unfinished(member)
            for future, member in zip(futures, members, strict=True)
        )
    finally:
        if not all(future.done() for future in futures):
            for process in list((pool._processes or {}).values()):
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_ctrl_c() -> None:
    """Start of a worker: Ctrl-C is for its parent, which ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _unfinished(member: Spec) -> MemberRun:
    return MemberRun(member, None, INTERRUPTED, 0.0)


def _is_well_inside(inference: Inference) -> bool:
    return inference.n0 is not None and 2 * inference.n0 <= inference.max_n


def _limit_text(reason: str, budget: Budget) -> str:
    """Name the time limit of the member, not what was left of it for its last ``max_n``."""
    if budget.time_limit_s is None or "time limit" not in reason:
        return reason
    return f"the time limit of {budget.time_limit_s:g} s ended the run"


def _rest(budget: Budget, started: float) -> Budget:
    """What is left of the time; a limit in the past ends a run at its first look at the clock."""
    if budget.time_limit_s is None:
        return budget
    return replace(budget, time_limit_s=max(budget.time_limit_s - (time.perf_counter() - started), 0.0))
