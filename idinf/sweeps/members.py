"""The procedure on every member of a family: how far each is examined, and in how many processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from idinf.errors import IdinfError
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Spec
from idinf.inference.run import Setup, run_further
from idinf.report.value import Inference
from idinf.runtime.isolated import Event, Isolated
from idinf.runtime.limits import DEFAULT_MEMORY, INTERRUPTED, Limits
from idinf.runtime.requests import Requests
from idinf.transformers.regularizer import Aggregate

__all__ = ["MemberRun", "Plan", "run_member", "run_members"]

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
        How far `run_further` may raise it; equal to ``max_n``, it is never raised.
    aggregate : Aggregate
    tolerance : float or None
    time_limit_s : float or None
        Of one member; it covers all values of ``max_n`` that are tried.
    memory_bytes : int
        Of one member.
    enforced : bool
        Whether the system sees to these limits.
    """

    bounds: SpaceBounds
    max_n: int
    max_n_cap: int
    aggregate: Aggregate = Aggregate.MAX
    tolerance: float | None = None
    time_limit_s: float | None = None
    memory_bytes: int = DEFAULT_MEMORY
    enforced: bool = False


@dataclass(frozen=True, slots=True)
class MemberRun:
    """How the procedure ended on one member.

    Attributes
    ----------
    spec : Spec
    inference : Inference or None
        The run at the largest ``max_n`` that counts; None if the member was not begun, or its process ended.
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


def run_member(spec: Spec, plan: Plan, requests: Requests | None = None) -> MemberRun:
    """Run the procedure on one member, for larger and larger ``max_n``.

    Parameters
    ----------
    spec : Spec
    plan : Plan
    requests : Requests, optional
        The user's wish to stop.

    Returns
    -------
    MemberRun
        Where a limit ends the run at a larger ``max_n``, an earlier one at which n0 was settled still counts.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load_family
    >>> family = load_family("ge-k-j")
    >>> run = run_member(family.member((("k", 1), ("j", 1))), Plan(family.first.space, 2, 64))
    >>> run.inference.max_n, run.n0
    (8, 3)
    """
    limits = Limits(plan.time_limit_s, plan.memory_bytes, plan.enforced, requests)
    setup = Setup(spec, plan.bounds, plan.max_n, plan.aggregate, plan.tolerance)
    best, last = run_further(setup, plan.max_n_cap, limits)
    limit = last.inference.stop_reason if last.inference.stopped else None
    return MemberRun(spec, best.inference, limit, limits.elapsed_s)


def run_members(
    members: Sequence[Spec],
    plan: Plan,
    jobs: int = 1,
    requests: Requests | None = None,
    watch: Callable[[int], None] = lambda done: None,
) -> tuple[MemberRun, ...]:
    """Run the procedure on every member.

    Parameters
    ----------
    members : sequence of Spec
    plan : Plan
    jobs : int
        Processes, one member each; the result is the same for any number, apart from seconds and bytes.
    requests : Requests, optional
        The user's wish to stop; members that were not finished then say so in their ``limit``.
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
        If a member is wrong; it ends the whole.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load_family
    >>> family = load_family("ge-k-j")
    >>> [(run.spec.name, run.n0) for run in run_members(family.members(2), Plan(family.first.space, 8, 8))]
    [('ge-1-1', 3), ('ge-1-2', 5), ('ge-2-1', 4)]
    """
    requests = Requests() if requests is None else requests
    jobs = min(jobs, os.cpu_count() or 1, len(members))
    if jobs > 1:
        return _in_processes(members, plan, jobs, requests, watch)
    runs: list[MemberRun] = []
    for member in members:
        watch(len(runs))
        runs.append(_unfinished(member) if requests.signal else run_member(member, plan, requests))
    return tuple(runs)


def _in_processes(
    members: Sequence[Spec],
    plan: Plan,
    jobs: int,
    requests: Requests,
    watch: Callable[[int], None],
) -> tuple[MemberRun, ...]:
    runs: dict[int, MemberRun] = {}
    waiting = list(range(len(members)))[::-1]
    with Isolated() as processes:
        while (waiting or len(processes)) and not requests.signal:
            while waiting and len(processes) < jobs:
                index = waiting.pop()
                processes.start(index, partial(_result, members[index], plan))
            for message in processes.messages(BEAT_S):
                if message.event is Event.LOST:
                    runs[message.key] = _unfinished(members[message.key], f"its process {message.value}")
                elif isinstance(message.value, IdinfError):
                    raise message.value
                else:
                    assert isinstance(message.value, MemberRun)
                    runs[message.key] = message.value
            watch(len(runs))
    return tuple(runs.get(index) or _unfinished(member) for index, member in enumerate(members))


def _result(member: Spec, plan: Plan, tell: Callable[[object], None]) -> MemberRun | IdinfError:
    """What a process sends: an error of one member is told, not raised."""
    try:
        return run_member(member, plan)
    except IdinfError as error:
        return error


def _unfinished(member: Spec, limit: str = INTERRUPTED) -> MemberRun:
    return MemberRun(member, None, limit, 0.0)
