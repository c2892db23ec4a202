"""The idealized inference procedure on one target: enumerate by R, tabulate (R, fail), read off n0.

The procedure is the loop of [HYB25] Definition 6 turned inside out: instead of minimising R for every n anew,
the space is enumerated once in slices of R, and every n is answered from the one table.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from idinf.errors import BudgetError, UnsupportedBoundError
from idinf.inference.all_lengths import Prover, add_proofs_for_all_n
from idinf.inference.outcome import (
    Progress,
    TableRecord,
    build_report,
    refuse_missed,
    with_bracket,
    write_record,
)
from idinf.inference.required_predicates import UNKNOWN, RequiredPredicates, synthesize_hypothesis
from idinf.inference.table import SearchTable, examine, widen
from idinf.inference.walks import SliceWalk, Walk
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON, Aggregate
from idinf.proofs.check.floors import NetShape, digest_shapes, floor_of_a_head
from idinf.report.target import TargetDescription
from idinf.report.value import Outcome, Regularizer, Report, SearchCounts, Shapes, find_n0, round_r
from idinf.search.enumeration import Judged, Search
from idinf.search.fail_lengths import FailLengths
from idinf.search.hypotheses import first_hypothesis
from idinf.search.meter import Meter
from idinf.search.slice_types import HypothesisBatch, Mode, SearchLimits, WorkDone
from idinf.search.upper_bounds import BoundChecker, UpperBound, choose_bound
from idinf.space.structures import StructureSpace
from idinf.spec.bounds import LOGITS, ZERO, Space, SpaceBounds, WholeClass
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise
from idinf.work.limits import ENDS, PARTIAL, Ending, Limits, StopReason, tell_stop_bound, tell_work
from idinf.work.memory import share_memory

if TYPE_CHECKING:
    from idinf.spec.training import TrainingLength
    from idinf.work.deterministic_map import Remembered
    from idinf.work.journal import Journal

#: Bytes that one unit of a list takes, with the arrays that are computed from it.
BYTES_PER_UNIT = 500

#: Bytes that one joint state of the exact check takes, with its successors, while it is being merged: 90 to
#: 110 were measured, 260 where it carries a set of N, 330 where the steps to it are remembered.
BYTES_PER_STATE = 350

#: The part of a time limit that the check of a hypothesis may take that the user did not give.
QUICK_PART = 0.2

#: Largest n: fails are decided up to 2n, and the exactness of the kernels is argued for lengths of this size.
MAX_N = 1000


def check_max_n(max_n: int) -> None:
    """Refuse a value that is no largest n.

    Raises `UnsupportedBoundError` if it is below 1 or above `MAX_N`.
    """
    if not 1 <= max_n <= MAX_N:
        raise UnsupportedBoundError(
            f"max_n = {max_n}; expected an integer from 1 to {MAX_N}; give --max-n in that range"
        )


@dataclass(eq=False)
class Procedure:
    """One run on the one-hot family or a whole class of nets. Mutable: it is the state of the run.

    Raises `UnsupportedBoundError` if a bound or an option cannot be had for the target.
    """

    target: Target
    bounds: Space
    max_n: int  #: largest n; fail lengths are exact up to 2 · max_n
    aggregate: Aggregate = Aggregate.MAX
    tolerance: float | None = None  #: replaces 1/(2n); 0 selects exact minimizers only
    #: Time and memory of the run, and the requests of its user, beside the deterministic ``max_r`` of the
    #: space.
    limits: Limits = field(default_factory=Limits)
    mode: Mode = field(default_factory=Mode)  #: shortcuts of the search; none changes a report
    jobs: int = 1  #: processes; the report is the same for any number
    watch: Callable[[Progress], None] | None = None  #: called with a Progress now and then
    #: Longest word that is screened before the exact check; no result depends on it.
    screening: int | None = None
    #: Where finished units of work are kept and recalled; the report is the same with any or none.
    journal: Journal | Remembered | None = None
    #: Another one for this target and ``max_n``: both share decided fails, proofs and judged shapes.
    beside: Procedure | None = None
    #: Look for proofs that n0 holds for every n, once the target is identified.
    proves: bool = False
    #: Known needs of the target: where no program decides it, none is synthesized.
    needs: Callable[[], RequiredPredicates] = lambda: UNKNOWN
    training: TrainingLength | None = None  #: another one than n / 2 that is asked about, too
    about: TargetDescription = field(kw_only=True)  #: the target as the report describes it

    def __post_init__(self) -> None:
        check_max_n(self.max_n)
        plain = supervise(self.target).plain
        is_whole = isinstance(self.bounds, WholeClass)
        if is_whole and not plain:
            raise UnsupportedBoundError(
                f"class = {self.bounds.preset}; expected a target of acceptance of every word; next symbols "
                "and domains are searched in the one-hot family alone, leave --class out"
            )
        #: Bounds of the hypotheses of the family that may bound R* from above.
        self.family = SpaceBounds() if isinstance(self.bounds, WholeClass) else self.bounds
        if self.family.threshold == ZERO:
            if supervise(self.target).everywhere:
                raise UnsupportedBoundError(
                    f"threshold = {ZERO}; expected a target of acceptance; next symbols have their own, "
                    "leave --threshold out"
                )
            if self.family.match == LOGITS:
                self.target = replace(supervise(self.target), by_logits=True)
        #: True while a program may still bound R* from above: its compiled hypothesis has a threshold.
        self._synthesizes = plain and not is_whole and self.family.threshold != ZERO
        known = self.beside if self.beside is not None and self.beside.target is self.target else None
        target = supervise(self.target)
        self._prover: Prover = known._prover if known else Prover(target)
        prove = self._prover.proves if self.mode.use_proofs else None
        self._fail_lengths: FailLengths = known._fail_lengths if known else FailLengths(target, prove)
        self._judged: Judged = known._judged if known else {}
        self.regularizer = Regularizer(self.aggregate, self.tolerance)
        self.max_states = max(1, self.limits.memory_bytes // BYTES_PER_STATE)
        self._upper: list[UpperBound] = []
        self._seconds = 0.0  #: that went into it, as others may be asked meanwhile
        self._right: TableRecord | None = None  #: the record that never fails
        self._last_beat = time.perf_counter()
        self.walk: Walk[Any] = self._enter_class() if is_whole else self._enter_family()
        horizon, by = 2 * self.max_n, (self.aggregate, self.max_states, self._fail_lengths)
        self._checker = BoundChecker(self.target, self.family, horizon, *by)

    def _enter_family(self) -> Walk[HypothesisBatch]:
        """The walk through slices of the one-hot family."""
        limits = SearchLimits(
            self.max_states,
            max(1, self.limits.memory_bytes // BYTES_PER_UNIT),
            self._heartbeat,
            self._share_memory,
        )
        search = Search(
            self.target,
            self.family,
            2 * self.max_n,
            self.aggregate,
            limits,
            self.screening,
            min(self.jobs, os.cpu_count() or 1),
            self.journal,
            self._fail_lengths,
            self._judged,
        )
        search.workers.memories.append(self._prover.known)
        if (least := search.structures.floor) > self.family.max_r + EPSILON:
            raise UnsupportedBoundError(
                f"max_r = {self.family.max_r:g}: the space is empty, its least R is at least {least:.9g}; "
                "raise --max-r"
            )
        table = SearchTable(search.words.length, self.max_n, self.regularizer.window, self._reach())
        return SliceWalk(search, self.family, table, self.mode, self._least_known, self._keep)

    def _enter_class(self) -> Walk[Any]:
        """The walk through the levels of a whole class."""
        from idinf.inference.whole_class import LevelWalk  # most runs have no use for it

        assert isinstance(self.bounds, WholeClass)
        how = self._reach(), self.max_states, self.jobs, self._heartbeat, self._least_known
        return LevelWalk(self.target, self.bounds, self.max_n, self.regularizer, *how, self.training is None)

    def _reach(self) -> Callable[[int], float]:
        """Width above R*_n up to which hypotheses are listed, by n.

        A whole class has a function of its own, so that at a settled n, too, all of a window is listed.
        """
        if self.training is None and self.bounds is self.family:
            return self.regularizer.window
        return widen(self.training, self.regularizer, self.max_n)

    @property
    def search(self) -> Any:
        """The search that the walk goes through."""
        return self.walk.search

    def run(self) -> Report:
        """Run until the stop bound, the end of the budget, a limit or an interrupt; the report is valid."""
        return self.report(self.go_on(math.inf if self.family.work is None else self.family.work))

    def go_on(self, work: float) -> Ending | None:
        """Search on up to so many steps in all; gives the ending, None where no more is to be searched."""
        began = time.perf_counter()
        self.walk.allow(work)
        try:
            with self.limits.held():
                self.walk.run()
        except WorkDone:
            return Ending(StopReason.WORK, tell_work(work if self.family.work is None else self.family.work))
        except ENDS as end:
            return self.limits.ending(end)
        finally:
            self._seconds += time.perf_counter() - began
        return None

    def report(self, ended: Ending | None) -> Report:
        """Report of the present state; ``ended`` is the result of `go_on`. It is valid after any of them."""
        began = time.perf_counter()
        report = self._bracketed(self._carried_on(self._reported(ended)))
        self._seconds += time.perf_counter() - began
        return replace(report, seconds=round(self._seconds, 3))

    def bound_by(self, hypothesis: OneHotTransformer, thorough: bool = True) -> UpperBound:
        """Take a hypothesis of the family as an upper bound of R*, after an exact check.

        A thorough check may take all the memory there is; another one ends after seconds, at a length that
        the result states. Raises `HypothesisFormatError` if it is wrong on a word of length at most
        2 · max_n, `UnsupportedBoundError` if it is not in the space, `BudgetError` if it needs more memory,
        or more than its part of the time, before any length is decided. A limit ends the check as it ends a
        run; lengths decided by then still count.
        """
        self.walk.check_bound(hypothesis)
        number = len(self._upper)
        until = 0.0 if thorough else self.limits.left_s * (1.0 - QUICK_PART)

        def beat() -> None:
            self._heartbeat()
            if self.limits.left_s < until:
                raise BudgetError("checking it takes too large a part of the time limit; raise --time-limit")

        with self.limits.held():
            try:
                for bound in self._checker.checked(hypothesis, thorough, beat):
                    self._upper[number:] = [bound]
            except BudgetError:
                if len(self._upper) == number:
                    raise
        return self._upper[-1]

    def _reported(self, ended: Ending | None) -> Report:
        """Report of the table; a stopped run gets a little time for it, and leaves out the rest.

        Answers that need no further search are always in it: no limit ends them.
        """
        if ended:
            self.limits.closing()
        self.walk.allow_report(self._report_beat)
        try:
            with self.limits.held():
                return self._report(ended)
        except ENDS as end:
            ended = ended or self.limits.ending(end)
        self.limits.closing()
        with self.limits.let_go():
            return self._report(ended, has_time=False)

    def _carried_on(self, report: Report) -> Report:
        """The report with proofs about n > max_n of an identified target."""
        if not self.proves or report.outcome is not Outcome.IDENTIFIED or self._right is None:
            return report
        answers = self.walk.answers(self.walk.reached()[0])
        return add_proofs_for_all_n(report, answers, self._right, self._prover, self.limits, self._heartbeat)

    def synthesize(self, steps: int) -> int:
        """Bound R* by a program that is made from the automaton of a regular target; gives the steps it took.

        Nothing is done where a right hypothesis is known, or no program decides the target. Nothing but the
        bracket of an open run depends on it. A limit raises, as one of `ENDS`.
        """
        if not self._synthesizes or self._upper or self.needs().is_outside:
            return 0
        meter = Meter(self._heartbeat)
        how = self.family.precision, self.aggregate, steps, meter.count
        with self.limits.held():
            hypothesis = synthesize_hypothesis(self.target, *how)
        if hypothesis is not None:
            with suppress(UnsupportedBoundError):
                self._upper.append(self._checker.proved(hypothesis))
        return int(meter.counts.work)

    @property
    def upper(self) -> UpperBound | None:
        """The cheapest hypothesis that is known to be right up to 2 · max_n; None if there is none."""
        right = (bound for bound in self._upper if bound.checked >= 2 * self.max_n)
        return min(right, key=lambda bound: bound.r, default=None)

    def take(self, bound: UpperBound) -> None:
        """Take over a bound that was found elsewhere, if its hypothesis is of this space and cheaper."""
        known = self.upper
        if known is None or bound.r < known.r - EPSILON:
            with suppress(UnsupportedBoundError):
                self._checker.refuse_outside(bound.hypothesis)
                self._upper.append(bound)

    def _keep(self, found: HypothesisBatch) -> None:
        """Bound R* by the cheapest right one of some hypotheses, if it is cheaper than all known ones."""
        right = np.flatnonzero(found.fail < 0)
        if not len(right):
            return
        best = right[[found.r[right].argmin()]]
        r, known = float(found.r[best[0]]), self._least_known()
        if known is None or r < known - EPSILON:
            alphabet, aggregate = self.target.alphabet, self.aggregate
            hypothesis = first_hypothesis(found, best, r + EPSILON, alphabet, aggregate)
            self._upper.append(UpperBound(r, hypothesis, 2 * self.max_n))

    def _least_known(self) -> float | None:
        """The least R of the known hypotheses that are right up to max_n."""
        return min((bound.r for bound in self._upper if bound.checked >= self.max_n), default=None)

    def _bracketed(self, report: Report) -> Report:
        """The report with the best upper bound where R* at max_n is unknown; no bound may contradict it."""
        for bound in self._upper:
            refuse_missed(report, bound.r, bound.checked, bound.hypothesis)
        complete, unknown = self.walk.reached()[0], report.first_unknown
        upper = None if unknown is None else choose_bound(self._upper, unknown, self.max_n)
        is_long = upper is not None and upper.checked >= self.max_n
        end = self.walk.table.stop_bound(complete, upper.r if upper is not None and is_long else None)
        if self._right is not None:
            return with_bracket(report, self._right.r, 2 * self.max_n, self._right.hypothesis, end)
        if upper is not None:
            return with_bracket(report, upper.r, upper.checked, upper.hypothesis, end)
        return with_bracket(report, stop_bound=end)

    def _report_beat(self) -> None:
        """Leave out of the report all that does not fit the time that is left."""
        if (ending := self.limits.why_stop()) is not None:
            raise BudgetError(ending.text)

    def _share_memory(self, sharers: int) -> None:
        """In a worker process: a share of the memory, and no progress line."""
        self.watch = None
        if self.limits.enforced:
            share_memory(self.limits.memory_bytes, sharers + 1)  # the parent gathers the results of workers

    def _heartbeat(self) -> None:
        now = time.perf_counter()
        self.limits.check()
        if self.watch is not None and now - self._last_beat > 0.1:
            self._last_beat = now
            upper = min((bound.r for bound in self._upper), default=None)
            walk, counts, work = self.walk, self.walk.counts, getattr(self.bounds, "work", None)
            share = None if work is None else counts.work / work
            beat = walk.complete, walk.high, counts, self.limits.elapsed_s, upper, walk.goal(), share
            self.watch(Progress(*beat))

    def _report(self, ended: Ending | None, has_time: bool = True) -> Report:
        complete, settled = self.walk.reached()
        answers, table = self.walk.answers(complete, has_time), self.walk.table
        stages = tuple(map(answers.stage, range(1, self.max_n + 1)))
        if settled and answers.limit is not None:
            settled, ended = False, Ending(StopReason.SIZE, answers.limit)
        outcome = Outcome.IDENTIFIED if stages[-1].good else Outcome.NOT_IDENTIFIED
        picks = list(map(answers.pick_is_good, stages))
        records = tuple(answers.records())
        worst = tuple(answers.worst(stages))
        self._right = next((record for record in records if record.fail is None), None)
        if settled:
            ended = Ending(StopReason.STOP_BOUND, tell_stop_bound(complete))
        elif ended is None:
            ended = self.walk.end()
        if answers.partial:
            ended = replace(ended, text=ended.text + PARTIAL)
        counts, rows = self.walk.counts, table.rows(complete + EPSILON)
        return build_report(
            *(self.about, self.bounds, self.regularizer, ended, stages, self.limits),
            outcome=outcome if settled else Outcome.OPEN,
            n0=find_n0([stage.good for stage in stages]) if settled else None,
            n0_canonical=find_n0(picks),
            complete_up_to_r=round_r(complete),
            records=tuple(write_record(record, self.regularizer) for record in records),
            worst=tuple(write_record(record, self.regularizer) for record in worst),
            counts=SearchCounts(counts.enumerated, len(rows), counts.exact, counts.lower_layers),
            training=examine(self.training, answers, self.regularizer, self.max_n),
            shapes=list_shapes(self.bounds, self.aggregate, self.target, complete),
        )


def list_shapes(bounds: Space, aggregate: Aggregate, target: Target, complete: float) -> Shapes | None:
    """The shapes of the family with floors of at most R that a report names: see `list_net_shapes`.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> majority = build_target(load("majority"))
    >>> list_shapes(SpaceBounds.from_preset("nope"), Aggregate.MAX, majority, 8.5).number
    368
    """
    if not isinstance(bounds, SpaceBounds):
        return None
    asked = supervise(target)
    space, high = StructureSpace(bounds, aggregate, len(asked.alphabet), asked.answer), round_r(complete)
    headless = (
        space.headless(min(high, floor_of_a_head(period)), period) for period in range(1, bounds.period + 1)
    )
    found = [
        NetShape(
            tuple((len(layer.heads), layer.units) for layer in structure.layers),
            structure.precision,
            structure.period,
            structure.readers,
        )
        for _, structure in (*chain.from_iterable(headless), *space.shapes(high))
    ]
    return Shapes(len(found), digest_shapes(found))
