"""The procedure on a whole class of nets of any width: all of it below a proved floor of R, in seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np

from idinf.errors import UnsupportedBoundError
from idinf.experiments.bounds import HypothesisClass, SpaceBounds, WholeClass
from idinf.experiments.training import TrainingLength
from idinf.inference.all_lengths import carry_on
from idinf.inference.outcome import FoundRecord, Hypothesis, Inference, Progress
from idinf.inference.procedure import BYTES_PER_STATE, check_max_n
from idinf.inference.prover import Prover
from idinf.inference.stages import StageTable
from idinf.inference.table import FailRow, FailTable
from idinf.inference.training import examine, widen
from idinf.report.value import Outcome, Regularizer, SearchCounts, find_n0
from idinf.search.decided import FailLengths, name_functions
from idinf.search.exact_check.nets import Nets
from idinf.search.exact_check.reachability import agree, least_mistake
from idinf.search.found import Counts
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.regularizer import EPSILON
from idinf.upper_bound.bracket import Finder, UpperBound, choose_bound
from idinf.whole_class.floors import FLOOR, list_missing
from idinf.whole_class.formula import write_formula
from idinf.whole_class.functions import Functions
from idinf.whole_class.search import WholeClassSearch
from idinf.words import Word
from idinf.work.limits import ENDS, Ending, Limits, StopReason, tell_max_r, tell_stop_bound
from idinf.work.memory import measure_peak_bytes
from idinf.work.parallel import BEAT_S, Beat, Workers

#: A value of R just below another one: what has the latter belongs to the next level.
JUST = 2 * EPSILON


class WholeClassProcedure:
    """One run. Mutable: it is the state of the run.

    Parameters
    ----------
    max_n : int
        Largest n; fails are exact up to 2 · max_n.

    Raises
    ------
    UnsupportedBoundError
        If the target is not acceptance of every word.

    Notes
    -----
    Implements [HYB25]_ Definition 6 on all of Θ_N, or on all Limit Transformers, as far as
    `idinf.whole_class.floors` proves that nothing else of the class has so little R.
    """

    def __init__(
        self,
        target: Target,
        space: WholeClass,
        max_n: int,
        regularizer: Regularizer,
        limits: Limits,
        jobs: int = 1,
        watch: Callable[[Progress], None] | None = None,
        proves: bool = True,
        training: TrainingLength | None = None,
    ) -> None:
        check_max_n(max_n)
        self.target, self.watch, self._last_beat = supervise(target), watch, time.perf_counter()
        if not self.target.plain:
            raise UnsupportedBoundError(
                f"class = {space.preset}; expected a target of acceptance of every word; next symbols and "
                "domains are searched in the one-hot family alone, leave --class out"
            )
        self.space, self.max_n, self.limits, self.proves = space, max_n, limits, proves
        max_states = max(1, limits.memory_bytes // BYTES_PER_STATE)
        self.search = WholeClassSearch(target, space.kind, 2 * max_n, max_states, Beat(self._heartbeat))
        self.bounds, self.aggregate = SpaceBounds(), regularizer.aggregate
        self._finder = Finder(
            target, self.bounds, 2 * max_n, self.aggregate, max_states, FailLengths(self.target)
        )
        self._upper: list[UpperBound] = []
        self.regularizer, self.training = regularizer, training
        reach = widen(training, regularizer, max_n)
        self.table = FailTable[Functions](self.search.words.length, max_n, regularizer.window, reach)
        self.workers = Workers(jobs, Beat(self._heartbeat))
        self.complete = self.high = 0.0

    def run(self, ended: Ending | None = None) -> Inference:
        """Run until the stop bound, the floor of the class, the budget, or a limit; the result is valid."""
        try:
            with self.limits.held():
                ended = ended or self._search()
        except ENDS as end:
            ended = self.limits.ending(end)
        with self.limits.let_go():  # these tables are small
            report = self._report(ended)
        return self._bracketed(self._carried_on(report))

    def bound_by(self, hypothesis: OneHotTransformer, thorough: bool = True) -> UpperBound:
        """Take a one-hot hypothesis as an upper bound of R*, after an exact check.

        Without φ and positions it is a Limit Transformer and a transformer of every Θ_N alike.

        Raises
        ------
        HypothesisFormatError
            If it is wrong on a word of length at most 2 · max_n.
        UnsupportedBoundError
            If it is not in the class.
        """
        if hypothesis.threshold:
            raise UnsupportedBoundError(
                f"the hypothesis has the threshold {hypothesis.threshold}; expected 0, as in all of a whole "
                "class; give another one, or leave --class out"
            )
        heads = [head for layer in hypothesis.layers for head in layer.heads]
        has_positions = hypothesis.period > 1 or any(head.pattern.phi for head in heads)
        if self.space.kind is HypothesisClass.THETA and has_positions:
            raise UnsupportedBoundError(
                "the hypothesis has φ or positions; expected one without, which is in Θ_N as it stands; give "
                "another one, or use --class limit"
            )
        number = len(self._upper)
        for bound in self._finder.checked(hypothesis, thorough, self.limits.check):
            self._upper[number:] = [bound]
        return self._upper[-1]

    def _search(self) -> Ending | None:
        """Level by level; None if the stop bound was reached."""
        for r in (*self.search.levels, self.search.floor):
            self.complete = min(r - JUST, self.space.max_r)
            bound = self.table.stop_bound(self.complete)
            if bound is not None and bound <= self.complete + EPSILON:
                self.complete = bound
                return None
            if self.space.max_r < r - EPSILON:
                return Ending(StopReason.MAX_R, tell_max_r(self.space.max_r))
            self.high = r
            if r < self.search.floor:
                needed = self.table.words_needed(self.complete)
                for found in self.search.level(r, needed, self._last_needed(needed, r)):
                    self.table.add(found)
        return Ending(StopReason.FLOOR, describe_floor(self.space))

    def _heartbeat(self) -> None:
        self.limits.check()
        now = time.perf_counter()
        if self.watch is not None and now - self._last_beat > BEAT_S:
            self._last_beat = now
            upper = min((bound.r for bound in self._upper), default=None)
            counts = Counts(enumerated=self.search.listed)
            right = min((bound.r for bound in self._upper if bound.checked >= self.max_n), default=None)
            bound = self.table.stop_bound(math.inf, right)
            goal = min(self.space.max_r, self.search.floor, math.inf if bound is None else bound)
            beat = self.complete, self.high, counts, self.limits.elapsed_s, upper, goal, None
            self.watch(Progress(*beat))

    def _last_needed(self, needed: int, r: float) -> int | None:
        """The largest fail with which a net of some R still matters; None: any does."""
        last = needed
        if self.training is not None:  # other lengths may be asked
            return None
        for n in range(max(1, needed), self.max_n + 1):
            level = self.table.r_star(n, self.complete)
            if level is None:
                return None
            if r <= level + self.table.window(n) + EPSILON:
                last = 2 * n
        return last

    def _report(self, ended: Ending | None) -> Inference:
        answers = WholeClassAnswers(self)
        stages = tuple(map(answers.stage, range(1, self.max_n + 1)))
        settled = ended is None
        outcome = Outcome.OPEN
        if ended is None:
            outcome = Outcome.IDENTIFIED if stages[-1].good else Outcome.NOT_IDENTIFIED
            ended = Ending(StopReason.STOP_BOUND, tell_stop_bound(self.complete))
        rows = self.table.rows(self.complete + EPSILON)
        return Inference(
            max_n=self.max_n,
            outcome=outcome,
            n0=find_n0([stage.good for stage in stages]) if settled else None,
            n0_canonical=find_n0(list(map(answers.pick_is_good, stages))),
            complete_up_to_r=self.complete,
            stop_bound=self.table.stop_bound(self.complete),
            ending=ended,
            stages=stages,
            records=tuple(answers.records()),
            worst=tuple(answers.worst(stages)),
            counts=SearchCounts(self.search.listed, len(rows), self.search.exact, 0),
            seconds=self.limits.elapsed_s,
            peak_bytes=measure_peak_bytes(),
            training=examine(self.training, answers, self.regularizer, self.max_n),
        )

    def _bracketed(self, report: Inference) -> Inference:
        """With the best upper bound where R* at max_n is unknown."""
        unknown = next((stage.n for stage in report.stages if stage.r_star is None), None)
        upper = None if unknown is None else choose_bound(self._upper, unknown, self.max_n)
        if upper is None or upper.checked < self.max_n:
            return replace(report, upper=upper)
        return replace(report, upper=upper, stop_bound=self.table.stop_bound(self.complete, upper.r))

    def _carried_on(self, report: Inference) -> Inference:
        """With what is proved about n > max_n."""
        if not self.proves:
            return report
        answers = WholeClassAnswers(self)
        end = (report.stages[-1].r_star or 0.0) + self.table.window(self.max_n + 1) + EPSILON
        if report.outcome is Outcome.IDENTIFIED and self.search.unseen <= end:
            return replace(report, beyond="nets with a φ at larger distances can be selected")
        return carry_on(report, answers, Prover(self.target), self.limits, self._heartbeat)


def describe_floor(space: WholeClass) -> str:
    """Say where the class is no longer known, and what is missing there."""
    first, *others = list_missing(space.kind)
    more = ", ".join(f"{missing.what} from {missing.r:.6f}" for missing in others)
    return (
        f"the class {space.preset} is known below R = {FLOOR:.6f}, from where on there may be {first.what}, "
        f"which is not searched; nor is {more}"
    )


class WholeClassAnswers(StageTable[Functions]):
    """What the table of a run on a whole class says of every n."""

    def __init__(self, run: WholeClassProcedure) -> None:
        super().__init__(run.table, run.complete, run.target, run.workers)
        self.search, self.alphabet = run.search, run.target.alphabet
        self.left_out = run.search.left_out
        self._nets: dict[LimitTransformer, Nets] = {}

    def hypothesis(self, row: FailRow[Functions]) -> LimitTransformer:
        """Write the net of a row."""
        net = row.found.write(row.index, self.alphabet)
        self._nets[net] = row.found.take(np.array([row.index])).nets()
        return net

    def nets(self, hypothesis: Hypothesis) -> Nets:
        """Write one net, which came from here, for the exact check."""
        if not isinstance(hypothesis, LimitTransformer):
            raise TypeError("expected a net of a whole class")
        return self._nets[hypothesis]

    def pick_fails(self, r: float, before: int) -> Iterator[int | None]:
        """Fails of the nets with R = ``r`` and fail > ``before`` in order, the first of each fail."""
        yield from (row.fail for row in self._firsts(r, before))

    def _firsts(self, r: float, before: int) -> list[FailRow[Functions]]:
        """The first net of each fail, by p, τ, units, width and parameters in file order.

        Nets are those that were written, one for each function, as there is no end of others.
        """
        rows = [FailRow.of(found, i) for found in self.table.tied(r, before) for i in range(len(found))]
        firsts: dict[int | None, FailRow[Functions]] = {}
        for row in sorted(rows, key=self._order):
            firsts.setdefault(row.fail, row)
        return [*firsts.values()]

    def _order(self, row: FailRow[Functions]) -> tuple[object, ...]:
        net = row.found.write(row.index, self.alphabet)
        return (
            net.precision,
            net.reach,
            net.num_units,
            net.width,
            net.embedding,
            net.parameters_in_file_order(),
        )

    def records(self) -> Iterator[FoundRecord]:
        """One record per level, represented by the first net."""
        for r, before, best in self.levels:
            row = next(row for row in self._firsts(r, before) if row.fail == best)
            text = None if best is None else self.word(row)
            net = self.hypothesis(row)
            yield FoundRecord(r, best, text, net, write_formula(self._nets[net], self.alphabet))

    def counterexample(self, rows: list[FailRow[Functions]], high: float) -> str | None:
        """Shortlex-least word that a net of the rows, all of one fail length, gets wrong."""
        members = self.table.members(rows, high)
        with closing(self.workers.map(self._word, members)) as found:
            words = [word for word in found if word is not None]
        return self.alphabet.decode(min(words)) if words else None

    def first_wrong(
        self, rows: list[FailRow[Functions]], high: float, fail: int, word: str | None
    ) -> FoundRecord:
        """The first net that the rows stand for and that gets a word wrong."""
        r, tied = self.cheapest_wrong(rows, high, fail, word)
        net = self.hypothesis(min(tied, key=self._order))
        return FoundRecord(r, fail, word, net, write_formula(self._nets[net], self.alphabet))

    def word(self, row: FailRow[Functions]) -> str | None:
        """The shortlex-least word that a row gets wrong."""
        word = self._word(row)
        return None if word is None else self.alphabet.decode(word)

    def _word(self, row: FailRow[Functions]) -> Word | None:
        words = self.search.words
        if row.fail is None:
            return None
        if row.fail > words.length:
            nets = row.found.take(np.array([row.index])).nets()
            return least_mistake(self.target, nets, row.fail, self.search.max_states)
        outputs = np.unpackbits(row.found.outputs[row.index], count=len(words.labels))
        return words.word(int(np.argmax(outputs.astype(bool) != words.labels)))

    def count_functions(self, rows: list[FailRow[Functions]], high: float) -> int | None:
        """Exact number of distinct functions with R ≤ ``high`` behind selected rows.

        Those of one row are equal if their normal forms are, and are compared up to the horizon otherwise.
        """
        number = int(any(row.fail is None for row in rows))
        for row in rows:
            if row.fail is not None:
                number += self._count_members(row, high)
        return number

    def _count_members(self, row: FailRow[Functions], high: float) -> int:
        if row.fail is None:
            raise ValueError("a row without a fail; what never fails is one function")
        named: dict[bytes, Nets] = {}
        for member in self.table.listed(row.fail, high):
            if member.key == row.key:
                nets = member.found.take(np.array([member.index])).nets()
                named.setdefault(name_functions(nets)[0], nets)
        how = self.search.horizon, self.search.max_states, None, self.search.checkpoint
        distinct: list[Nets] = []
        for nets in named.values():
            if not any(agree(other, nets, *how) for other in distinct):
                distinct.append(nets)
        return len(distinct)
