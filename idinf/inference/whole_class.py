"""The procedure on a whole class of nets of any width: all of it below a proved floor of R, in seconds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from idinf.base.words import Word
from idinf.errors import UnsupportedBoundError
from idinf.inference.outcome import Hypothesis
from idinf.inference.table import FailRow, FailTable, StageTable
from idinf.inference.walks import Walk
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Regularizer
from idinf.search.exact_check.nets import NetBatch
from idinf.search.exact_check.reachability import Frontier
from idinf.search.fail_lengths import name_functions
from idinf.search.slice_types import Counts
from idinf.spec.bounds import HypothesisClass, WholeClass
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise
from idinf.whole.floors import FLOOR, list_missing
from idinf.whole.functions import Functions, write_formula
from idinf.whole.search import WholeClassSearch
from idinf.work.limits import Ending, StopReason, tell_max_r
from idinf.work.parallel import Workers

#: Step to a value of R just below another one, which belongs to the next level.
JUST = 2 * EPSILON


class LevelWalk(Walk[Functions]):
    """The way through a whole class: all values of R that its nets have below its floor.

    Implements [HYB25]_ Definition 6 on all of Θ_N, or on all Limit Transformers, below the R up to which
    `idinf.whole.floors` proves that no other net of the class has so little R.
    """

    search: WholeClassSearch

    def __init__(
        self,
        target: Target,
        space: WholeClass,
        max_n: int,
        regularizer: Regularizer,
        reach: Callable[[int], float],
        max_states: int,
        jobs: int,
        beat: Callable[[], None],
        known: Callable[[], float | None],
        skips: bool,
    ) -> None:
        """``known``: the least R of known right hypotheses; ``skips``: nets whose late fail cannot matter."""
        self.target, self.space, self.max_n = supervise(target), space, max_n
        self.search = WholeClassSearch(target, space.kind, 2 * max_n, max_states, beat)
        self.table = FailTable[Functions](self.search.words.length, max_n, regularizer.window, reach)
        self.workers, self.known, self.skips = Workers(jobs, beat), known, skips
        self._is_decided, self._end = False, Ending(StopReason.FLOOR, describe_floor(space))

    def check_bound(self, hypothesis: OneHotTransformer) -> None:
        """Without φ and positions one is a Limit Transformer and a transformer of every Θ_N alike."""
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

    def run(self) -> None:
        """Search level by level until the stop bound, ``max_r`` or the floor of the class."""
        for r in (*self.search.levels, self.search.floor):
            self.complete = min(r - JUST, self.space.max_r)
            bound = self.table.stop_bound(self.complete)
            if bound is not None and bound <= self.complete + EPSILON:
                self.complete, self._is_decided = bound, True
                return
            if self.space.max_r < r - EPSILON:
                self._end = Ending(StopReason.MAX_R, tell_max_r(self.space.max_r))
                return
            self.high = r
            if r < self.search.floor:
                needed = self.table.words_needed(self.complete)
                for found in self.search.level(r, needed, self._last_needed(needed, r)):
                    self.table.add(found)

    def goal(self) -> float:
        """The least of the stop bound, if known, ``max_r`` and the floor."""
        bound = self.table.stop_bound(math.inf, self.known())
        return min(self.space.max_r, self.search.floor, math.inf if bound is None else bound)

    def reached(self) -> tuple[float, bool]:
        """The R below the next level."""
        return self.complete, self._is_decided

    def end(self) -> Ending:
        """The floor, or ``max_r``."""
        return self._end

    @property
    def counts(self) -> Counts:
        """The nets that were listed and decided."""
        return Counts(enumerated=self.search.listed, exact=self.search.exact)

    def answers(self, complete: float, has_time: bool = True) -> StageTable[Functions]:
        """The table holds every net, so there is nothing to list again."""
        return WholeClassAnswers(self)

    def _last_needed(self, needed: int, r: float) -> int | None:
        """The largest fail with which a net of some R still matters; None: any does."""
        last = needed
        if not self.skips:  # other lengths may be asked
            return None
        for n in range(max(1, needed), self.max_n + 1):
            level = self.table.r_star(n, self.complete)
            if level is None:
                return None
            if r <= level + self.table.window(n) + EPSILON:
                last = 2 * n
        return last


def describe_floor(space: WholeClass) -> str:
    """Say from which R on the class is not known, and which nets are missing there."""
    first, *others = list_missing(space.kind)
    more = ", ".join(f"{missing.what} from {missing.r:.6f}" for missing in others)
    return (
        f"the class {space.preset} is known below R = {FLOOR:.6f}, from where on there may be {first.what}, "
        f"which is not searched; nor is {more}"
    )


class WholeClassAnswers(StageTable[Functions]):
    """The answers of the table of a whole class for every n."""

    def __init__(self, walk: LevelWalk) -> None:
        self.search, self.alphabet = walk.search, walk.target.alphabet
        how = walk.target, walk.search.words, walk.search.max_states, walk.workers
        super().__init__(walk.table, walk.complete, *how)
        self.left_out, self.unseen = walk.search.left_out, walk.search.unseen
        self._nets: dict[LimitTransformer, NetBatch] = {}

    def hypothesis(self, row: FailRow[Functions]) -> LimitTransformer:
        """Write the net of a row."""
        net = row.found.write(row.index, self.alphabet)
        self._nets[net] = row.found.take(np.array([row.index])).nets()
        return net

    def nets(self, hypothesis: Hypothesis) -> NetBatch:
        """Write one net, which came from here, for the exact check."""
        if not isinstance(hypothesis, LimitTransformer):
            raise TypeError("expected a net of a whole class")
        return self._nets[hypothesis]

    def formula(self, hypothesis: Hypothesis) -> str:
        """Write one net, which came from here, for people."""
        return write_formula(self.nets(hypothesis), self.alphabet)

    def picks(self, r: float, before: int) -> list[tuple[int | None, Hypothesis]]:
        """The first net of each fail, by p, τ, units, width and parameters in file order.

        Nets are those that were written, one for each function, as there are infinitely many others.
        """
        rows = [FailRow.of(found, i) for found in self.table.tied(r, before) for i in range(len(found))]
        firsts: dict[int | None, FailRow[Functions]] = {}
        for row in sorted(rows, key=self._order):
            firsts.setdefault(row.fail, row)
        return [(fail, self.hypothesis(row)) for fail, row in firsts.items()]

    def first_of(
        self, tied: list[FailRow[Functions]], r: float, fail: int | None, word: Word | None
    ) -> LimitTransformer:
        """The first net; the word refutes each that was written."""
        return self.hypothesis(min(tied, key=self._order))

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

    def count_functions(self, rows: list[FailRow[Functions]], high: float) -> int | None:
        """Exact number of distinct functions with R ≤ ``high`` behind selected rows.

        Hypotheses of one row are equal if their normal forms are, else they are compared up to the horizon.
        """
        number = int(any(row.fail is None for row in rows))
        for row in rows:
            if row.fail is not None:
                number += self._count_members(row, high)
        return number

    def _count_members(self, row: FailRow[Functions], high: float) -> int:
        if row.fail is None:
            raise ValueError("a row without a fail; what never fails is one function")
        named: dict[bytes, NetBatch] = {}
        for member in self.table.listed(row.fail, high):
            if member.key == row.key:
                nets = member.found.take(np.array([member.index])).nets()
                named.setdefault(name_functions(nets)[0], nets)
        how, horizon = (None, self.search.max_states, self.search.checkpoint), self.search.horizon
        distinct: list[NetBatch] = []
        for nets in named.values():
            if all(Frontier([other, nets], *how).fail_lengths(horizon)[0] >= 0 for other in distinct):
                distinct.append(nets)
        return len(distinct)
