"""The ladder: small named spaces and the parts of the family are asked beside it, on one budget of work.

For example, the family stays open for minutes at the words with "aa" somewhere. In ``local, layers <= 2,
heads <= 1, units <= 1, precision <= 1, reach <= 1, logit_max <= 1`` the same words have their n0 after two
seconds, and the hypothesis found there bounds R* of the family. Nobody knows beforehand which small space
answers. So all of them are asked in rounds: in each round a space may take twice as many steps as in the one
before, and continues from its last state. The family comes first in each round, and gets the steps that the
others leave.

Lemma (parts first). *Let C be a part of the family F. A net that is right in C is right in F, so R*_n(F) ≤
R*_n(C).* Proof: every net of C is one of F. So a right net of any rung is an upper end of R* in every space
that holds it. The set selected in C, and its n0, are answers about C alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from idinf.base.numbers import format_number
from idinf.inference.outcome import Progress, refuse_missed
from idinf.inference.procedure import Procedure
from idinf.inference.required_predicates import UNKNOWN
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import LADDER, PRESETS, SELDOM, SpaceBounds
from idinf.work.limits import ENDS, Ending, StopReason, tell_work

#: Steps that the family takes before any other space is asked, some seconds, and at most such a part of the
#: budget: easy targets end before. They are doubled from round to round.
FIRST_STEPS, FIRST_PART = 12_000, 6

#: Names of the usual spaces, and factors by which spaces take less in a round. Steps are quick in `nope`,
#: whose judged shapes serve the family; the spaces of a spec and of the best right hypothesis have an end.
USUAL, EAGER_PART, USUAL_PART, SELDOM_PART = {space.name for space in LADDER} - {"nope"}, 1, 3, 12

#: If the family has at most this much of R left to its known end, it takes so many times more steps before
#: others are asked: it may end.
NEAR, PATIENCE = 0.6, 8

#: Steps of work that synthesizing an upper bound may take, some seconds: such a part of the budget at most.
SYNTHESIS_STEPS, SYNTHESIS_PART = 6_000, 10

#: Reasons that end one space but not the others: too much had to be listed at once.
OWN_ENDS = (StopReason.SIZE, StopReason.MEMORY)

#: Reports of smaller spaces that stand beside an open one, at most.
MOST_BESIDE = 2


@dataclass(eq=False)
class Rung:
    """A space of the ladder, with its run. Mutable: the run takes steps until it is over."""

    procedure: Procedure
    space: SpaceBounds
    taken: float = 0  #: steps so far
    report: Report | None = None  #: once its question is answered
    is_over: bool = False


class Ladder:
    """Runs of one target in one space, and in smaller ones beside it. Mutable: the state of these runs.

    `first` is the run in the space whose answer is wanted. `smaller` are the spaces beside it, in their
    order; `enter` begins a run in one of them. `watch` is called with a `Progress` of the present run.
    """

    def __init__(
        self,
        first: Procedure,
        smaller: Sequence[SpaceBounds],
        enter: Callable[[SpaceBounds], Procedure],
        watch: Callable[[Progress], None] | None = None,
    ) -> None:
        self._smaller, self._enter, self._watch = smaller, enter, watch
        self._limits = first.limits
        self._work = inf if first.family.work is None else first.family.work
        self._steps = max(min(FIRST_STEPS, self._work // FIRST_PART), 1)  #: of the family, in this round
        self._synthesized = 0  #: steps that went into an upper bound
        self._rungs: list[Rung] = []
        self._tight: Rung | None = None  #: in the smallest space that holds the best right hypothesis
        self._counts_may_do = True  #: True if spaces without φ and positions are among those that are asked
        self._first = self._begin(first, first.family)

    def run(self) -> Report:
        """Ask until the first space is answered, or the budget or a limit ends it; the report is valid."""
        first, kept = self._first.procedure, min(SYNTHESIS_STEPS, self._work // SYNTHESIS_PART)
        ended = self._go_on(self._first, self._steps)
        if not first.walk.reached()[1] and not _ends_all(ended):
            try:
                self._synthesized = first.synthesize(int(kept))
                ended = self._climb(ended) if ended else None
            except ENDS as end:
                ended = self._limits.ending(end)
        report = first.report(ended)
        beside = () if report.outcome is not Outcome.OPEN else self._answers()
        seconds = round(self._limits.elapsed_s, 3)
        return _refuse_missed(replace(report, smaller=beside, seconds=seconds))

    def _climb(self, ended: Ending | None) -> Ending | None:
        """Ask all spaces in rounds; gives the ending of the first, None if it has nothing left to search."""
        needs = self._first.procedure.needs() if self._smaller else UNKNOWN
        self._counts_may_do = not needs.is_beyond_counts
        for space in self._smaller:
            if not needs.rules_out(space):
                self._begin(self._enter(space), space)
        while useful := list(filter(self._is_useful, self._rungs)):
            for rung in filter(self._is_useful, useful):
                is_first, is_alone = rung is self._first, useful == [rung]
                end = self._go_on(rung, inf if is_alone else self._steps_of(rung))
                ended = end if is_first else ended
                if _ends_all(end) or (is_first and end is None):
                    return end
                if self._left <= 0:
                    return ended if self._first.is_over else self._spent()
                if not self._first.is_over and self._first.taken < self._steps_of(self._first):
                    break  # a bound that was found brings the first space near its end
            else:
                self._steps *= 2
                self._enter_tight()
        return ended

    def _steps_of(self, rung: Rung) -> float:
        """Steps that a space may take in all by the end of this round."""
        if rung is not self._first:
            is_seldom = rung.space in self._smaller[-SELDOM:]
            part = SELDOM_PART if is_seldom and self._counts_may_do else USUAL_PART
            return max(self._steps // (part if rung.space.name in USUAL else EAGER_PART), 1)
        walk = rung.procedure.walk
        is_near = walk.goal() - walk.complete <= NEAR
        return self._steps * (PATIENCE if is_near and not rung.is_over else 1)

    def _spent(self) -> Ending:
        """The end of the budget, and how far the parts of the family were searched by then."""
        parts = {rung.space.name: rung for rung in self._rungs[1:] if rung.space.name in PRESETS}
        told = [
            f"{name} is complete to R = {format_number(round(rung.procedure.walk.reached()[0], 2))}"
            for name, rung in parts.items()
            if not rung.report
        ]
        return Ending(StopReason.WORK, "; ".join([tell_work(self._work), *told]))

    @property
    def _left(self) -> float:
        """Steps of the budget that are left."""
        return self._work - self._synthesized - sum(rung.taken for rung in self._rungs)

    def _begin(self, procedure: Procedure, space: SpaceBounds) -> Rung:
        """Add a space; its run takes over the known upper bound of R*, if there is one."""
        rung = Rung(procedure, space)
        if self._watch is not None:
            procedure.watch = partial(self._tell, rung)
        if self._rungs and (bound := self._first.procedure.upper) is not None:
            procedure.take(bound)
        self._rungs.append(rung)
        return rung

    def _tell(self, rung: Rung, progress: Progress) -> None:
        """Say where the search is, and how much of the budget is spent."""
        assert self._watch is not None
        spent = self._work - self._left - rung.taken + progress.counts.work
        share = None if self._work == inf else spent / self._work
        self._watch(replace(progress, where=rung.procedure.bounds.name, share=share))

    def _go_on(self, rung: Rung, steps: float) -> Ending | None:
        """Search one space up to so many steps in all; a right hypothesis there bounds R* in the others."""
        steps = min(steps, rung.taken + self._left)
        if steps <= rung.taken:
            return self._spent()
        ended = rung.procedure.go_on(steps)
        rung.is_over = ended is None or ended.reason is not StopReason.WORK
        rung.taken = rung.procedure.walk.counts.work if rung.is_over else steps
        if ended is None and rung is not self._first:
            report = rung.procedure.report(None)
            rung.report = report if report.is_complete else None
        if (bound := rung.procedure.upper) is not None:
            for other in self._rungs:
                other.procedure.take(bound)
        return ended

    def _enter_tight(self) -> None:
        """Ask in the smallest space of the best right hypothesis, unless it is a part of one that was."""
        best = self._first.procedure.upper
        if best is None or not self._smaller:
            return
        space = best.hypothesis.smallest_space(self._first.space)
        if any(rung.space == space or (rung.report and rung.space.holds(space)) for rung in self._rungs):
            return
        if self._tight is not None:
            self._tight.is_over = True
        self._tight = self._begin(self._enter(space), space)

    def _is_useful(self, rung: Rung) -> bool:
        """True if a space may still give a new answer or a better bound.

        A part of an answered space gives nothing more. Nor does a space whose R* is above a known upper
        end, once another space is answered.
        """
        answered = [other.space for other in self._rungs if other.report]
        if rung is self._first or rung.is_over or not answered:
            return not rung.is_over
        best = self._first.procedure.upper
        is_above = best is not None and rung.procedure.walk.complete > best.r + EPSILON
        return not is_above and not any(space.holds(rung.space) for space in answered)

    def _answers(self) -> tuple[Report, ...]:
        """The answers of spaces that are in no other answered one, the least R* first, then the largest."""
        found = [rung for rung in reversed(self._rungs) if rung.report]
        largest = [
            rung for rung in found if not any(o is not rung and o.space.holds(rung.space) for o in found)
        ]
        reports = sorted((rung.report for rung in largest if rung.report), key=lambda each: each.r_bounds[0])
        return tuple(reports[:MOST_BESIDE])


def _ends_all(ended: Ending | None) -> bool:
    """True if a limit or the user ended a search, so that all others end, too."""
    return ended is not None and ended.reason not in (StopReason.WORK, *OWN_ENDS)


def _refuse_missed(report: Report) -> Report:
    """The report, unless it contradicts a report beside it: an internal error, a `RuntimeError`."""
    for part in report.smaller:
        for record in part.records:
            right_to = part.horizon if record.fail is None else record.fail - 1
            refuse_missed(report, record.r, right_to, record.hypothesis)
    return report
