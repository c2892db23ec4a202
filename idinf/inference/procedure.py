"""The idealized inference procedure on one target: enumerate by R, tabulate (R, fail), read off n0.

The procedure is the loop of [HYB25] Definition 6 turned inside out: instead of minimising R for every n anew,
the space is enumerated once in slices of R, and every n is answered from the one table.
"""

from __future__ import annotations

import math
import os
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from idinf.errors import BudgetError, UnsupportedBoundError
from idinf.inference.canonical import Canonical
from idinf.inference.outcome import Inference, Outcome, SearchCounts, Stage
from idinf.inference.selection import n0_of, stage_of, stop_bound, words_needed
from idinf.inference.table import FailTable
from idinf.search.enumeration import Search
from idinf.search.found import Counts, Found, Mode
from idinf.search.parallel import Pool
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target
from idinf.transformers.regularizer import EPSILON, Aggregate

__all__ = ["Budget", "Procedure", "Progress"]

#: Width of a slice of R. Wider slices look at more hypotheses than the stop bound asks for, narrower ones
#: walk the lower layers more often.
SLICE = 0.25

#: Below this R there are few hypotheses (two layers with heads start at 9), so slices may be wider.
COARSE_BELOW, COARSE_SLICE = 8.0, 0.5

#: Bytes that one joint state of the exact check takes, with its successors, while it is being merged.
BYTES_PER_STATE = 400

#: How much longer the lists may be that the report asks for: few behaviours, but every realisation of them.
REPORT_FACTOR = 16

#: Joint states that a counterexample may take however small the memory bound: a hundred megabytes.
LEAST_REPORT_STATES = 250_000

#: Largest n: fails are decided up to 2n, and the exactness of the kernels is argued for lengths of this size.
MAX_N = 1000

#: Bytes that one unit of a list takes, with what is computed from it.
BYTES_PER_UNIT = 500


class _Stop(Exception):
    """A limit was reached in the middle of a slice; the slice does not count."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Extra limits beside the deterministic ``max_r`` of the space.

    Attributes
    ----------
    time_limit_s : float or None
        Wall-clock seconds.
    memory_bytes : int
        Bound on the memory of the two stages that can grow: lists of units, and the exact check.
    """

    time_limit_s: float | None = None
    memory_bytes: int = 4 * 2**30


@dataclass(frozen=True, slots=True)
class Progress:
    """A heartbeat of a running search: complete up to ``complete``, now at ``high``."""

    complete: float
    high: float
    counts: Counts
    elapsed_s: float


@dataclass
class Procedure:
    """One run. Mutable: it is the state of the run.

    Parameters
    ----------
    target : Target
    bounds : SpaceBounds
    max_n : int
        Largest n; fail lengths are exact up to 2 · max_n.
    aggregate : Aggregate
    tolerance : float or None
        Replaces 1/(2n); 0 selects exact minimizers only.
    mode : Mode
        Shortcuts of the search; none changes a report.
    jobs : int
        Processes; the report is the same for any number.
    watch : callable
        Called with a Progress now and then.
    screening : int, optional
        Longest word that is screened before the exact check; no result depends on it.
    interrupted : callable
        Whether the user asked to stop; looked at wherever the time limit is.
    """

    target: Target
    bounds: SpaceBounds
    max_n: int
    aggregate: Aggregate = Aggregate.MAX
    tolerance: float | None = None
    budget: Budget = field(default_factory=Budget)
    mode: Mode = field(default_factory=Mode)
    jobs: int = 1
    watch: Callable[[Progress], None] | None = None
    screening: int | None = None
    interrupted: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        if not 1 <= self.max_n <= MAX_N:
            raise UnsupportedBoundError(
                f"max_n = {self.max_n}; expected an integer from 1 to {MAX_N}; give --max-n in that range"
            )
        self.search = Search(
            self.target,
            self.bounds,
            2 * self.max_n,
            self.aggregate,
            max(1, self.budget.memory_bytes // BYTES_PER_STATE),
            self._heartbeat,
            self.screening,
            max(1, self.budget.memory_bytes // BYTES_PER_UNIT),
        )
        self.table = FailTable(self.search.words.length)
        self.complete = 0.0
        self._high = 0.0
        self._started = time.perf_counter()
        self._last_beat = self._started

    def window(self, n: int) -> float:
        """1/(2n), or the tolerance the user chose."""
        return 1.0 / (2 * n) if self.tolerance is None else self.tolerance

    def run(self) -> Inference:
        """Run until the stop bound, the end of the budget, a limit or an interrupt; the report is valid."""
        reason, stopped = "", False
        try:
            jobs = min(self.jobs, os.cpu_count() or 1)
            if jobs > 1:
                with Pool(self.search, jobs) as pool:
                    self._enumerate(pool.slice)
            else:
                self._enumerate(self.search.slice)
        except _Stop as limit:
            reason, stopped = str(limit), True
        except BudgetError as limit:
            reason, stopped = str(limit), True
        except KeyboardInterrupt:
            reason, stopped = "interrupted", True
        # What was found is always reported: thin slices with every realisation may take longer lists.
        self.search.checkpoint = lambda: None
        self.search.most *= REPORT_FACTOR
        self.search.max_states = max(self.search.max_states, LEAST_REPORT_STATES)
        try:
            return self._report(reason, stopped)
        except KeyboardInterrupt:
            return self._report("interrupted", True)

    def _enumerate(self, enumerate_slice: Callable[[float, float, int, Mode], Iterator[Found]]) -> None:
        """Enumerate slice by slice until the stop bound or the end of the budget."""
        floor = self.search.structures[0].floor(self.aggregate)
        self.complete = min(floor, self.bounds.max_r) - SLICE
        while True:
            bound = stop_bound(self.table, self.max_n, self.window, self.complete)
            last = min(self.bounds.max_r, math.inf if bound is None else bound)
            if self.complete >= last + EPSILON:
                return
            needed = words_needed(self.table, self.max_n, self.window, self.complete)
            width = COARSE_SLICE if self.complete < COARSE_BELOW else SLICE
            # The last slice takes in what ties with the end of a window.
            self._high = min(self.complete + width, last + EPSILON)
            for found in list(enumerate_slice(self.complete, self._high, needed, self.mode)):
                self.table.add(found)
            self.complete = self._high

    def _heartbeat(self) -> None:
        now = time.perf_counter()
        elapsed = now - self._started
        if self.interrupted():
            raise _Stop("interrupted")
        if self.budget.time_limit_s is not None and elapsed > self.budget.time_limit_s:
            raise _Stop(f"the time limit of {self.budget.time_limit_s:g} s ended the run")
        if self.watch is not None and now - self._last_beat > 0.1:
            self._last_beat = now
            self.watch(Progress(self.complete, self._high, self.search.counts, elapsed))

    def _report(self, reason: str, stopped: bool) -> Inference:
        bound = stop_bound(self.table, self.max_n, self.window, self.complete)
        settled = bound is not None and self.complete >= bound - EPSILON
        complete = max(min(self.complete, self.bounds.max_r, math.inf if bound is None else bound), 0.0)
        canonical = Canonical(self.search, self.table, self.max_n, complete)
        stages = tuple(
            stage_of(
                n, self.table, self.window, complete, canonical.count_functions, canonical.counterexample
            )
            for n in range(1, self.max_n + 1)
        )
        if settled and canonical.limit is not None:
            settled, stopped, reason = False, True, canonical.limit
        outcome = _outcome(settled, stages)
        picks = [canonical.pick_is_good(n) for n in range(1, self.max_n + 1)]
        records = tuple(canonical.records())
        if settled:
            reason = f"complete to the stop bound R = {complete:.9f}"
        elif not stopped:
            reason = f"the budget max_r = {self.bounds.max_r:g} ended before the stop bound; raise --max-r"
        bad = [stage.n for stage in stages if stage.good is False]
        return Inference(
            max_n=self.max_n,
            outcome=outcome,
            n0=n0_of([stage.good for stage in stages]) if settled else None,
            n0_canonical=n0_of(picks),
            complete_up_to_r=complete,
            stop_bound=bound,
            stop_reason=reason,
            stopped=stopped and not settled,
            stages=stages,
            records=records,
            n0_lower=max(bad, default=0) + 1,
            counts=self._counts(complete),
            seconds=time.perf_counter() - self._started,
            peak_bytes=_peak_bytes(),
        )

    def _counts(self, complete: float) -> SearchCounts:
        counts = self.search.counts
        return SearchCounts(
            counts.enumerated, len(self.table.rows(complete + EPSILON)), counts.exact, counts.stacks
        )


def _peak_bytes() -> int:
    """Largest resident size of this process or of one of its workers.

    The kernel's own mark is read where there is one: what getrusage tells of this process also holds the
    peak of the program that started it.
    """
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        own = int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, ValueError, IndexError):
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(own, workers) * 1024


def _outcome(settled: bool, stages: tuple[Stage, ...]) -> Outcome:
    if not settled:
        return Outcome.OPEN
    return Outcome.IDENTIFIED if stages[-1].good else Outcome.NOT_IDENTIFIED
