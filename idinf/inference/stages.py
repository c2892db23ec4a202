"""The answers of a table for every n, and its records, for any kind of hypotheses."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Generic

from idinf.inference.outcome import FoundRecord, Hypothesis
from idinf.inference.table import BatchT, FailRow, FailTable
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Stage, round_r
from idinf.search.exact_check.nets import Nets
from idinf.targets.supervised import SupervisedTarget
from idinf.work.parallel import Workers


class StageTable(ABC, Generic[BatchT]):
    """A finished table, which is complete up to R = ``complete``, and what it says."""

    def __init__(
        self, table: FailTable[BatchT], complete: float, target: SupervisedTarget, workers: Workers
    ) -> None:
        self.table, self.complete, self.target, self.workers = table, complete, target, workers
        #: Values of R at which not all hypotheses of the records were listed.
        self.partial: set[float] = set()
        #: Least R of hypotheses that make no n bad where they are selected, but are not in the table.
        self.left_out = math.inf
        #: Least R of hypotheses that may go wrong beyond all lengths that were looked at.
        self.unseen = math.inf
        #: Why not everything could be listed; None: it could.
        self.limit: str | None = None

    @abstractmethod
    def hypothesis(self, row: FailRow[BatchT]) -> Hypothesis:
        """The first way to write a row that a batch lists."""

    @abstractmethod
    def nets(self, hypothesis: Hypothesis) -> Nets:
        """Write one hypothesis for the exact check."""

    @abstractmethod
    def count_functions(self, rows: list[FailRow[BatchT]], high: float) -> int | None:
        """Exact number of distinct functions with R ≤ ``high`` behind selected rows; None: not known."""

    @abstractmethod
    def counterexample(self, rows: list[FailRow[BatchT]], high: float) -> str | None:
        """Shortlex-least word that a function of the rows, all of one fail length, gets wrong."""

    @abstractmethod
    def records(self) -> Iterator[FoundRecord]:
        """One record per level, represented by its first hypothesis."""

    @abstractmethod
    def word(self, row: FailRow[BatchT]) -> str | None:
        """The shortlex-least word that a row gets wrong."""

    @abstractmethod
    def first_wrong(
        self, rows: list[FailRow[BatchT]], high: float, fail: int, word: str | None
    ) -> FoundRecord:
        """The first hypothesis in the total order that the rows stand for and that gets a word wrong.

        The rows have one fail, the length of the word; None, where none was found, asks for any with it.
        """

    @abstractmethod
    def pick_fails(self, r: float, before: int) -> Iterable[int | None]:
        """Fails above ``before`` of the hypotheses with R = ``r``, each once, in the total order."""

    def stage(self, n: int) -> Stage:
        """The hypotheses selected at n, and whether all of them are right up to length 2n.

        Implements good, bad and undetermined as defined with [HYB25] Definition 6: good needs the whole
        window, bad needs one wrong function and R*_n.
        """
        level = self.table.r_star(n, self.complete)
        if level is None:
            return Stage(n, None, round_r(self.complete), 0, 0, False, None, None, None)
        high = min(level + self.table.window(n), self.complete)
        selected = self.table.selected(n, high)
        fails = [row.fail for row in selected if row.fail is not None]
        worst, num_bad = min(fails, default=None), sum(fail <= 2 * n for fail in fails)
        whole = level + self.table.window(n) <= self.complete + EPSILON
        counted = self.count_functions(selected, high) if whole and not num_bad else None
        good = False if num_bad else None if counted is None else True
        number = len(selected) if counted is None else counted
        word = self._word_of_cheapest([row for row in selected if row.fail == worst]) if num_bad else None
        exact = good is True and self.left_out > high + EPSILON
        return Stage(n, round_r(level), round_r(level), number, num_bad, exact, good, word, worst)

    def _word_of_cheapest(self, rows: list[FailRow[BatchT]]) -> str | None:
        """Shortlex-least word that the cheapest of rows with one fail get wrong.

        Costlier ones are not all listed where one fails as early as anything can.
        """
        least = min(row.r for row in rows)
        return self.counterexample([row for row in rows if row.r <= least + EPSILON], least)

    def worst(self, stages: Iterable[Stage]) -> Iterator[FoundRecord]:
        """The worst hypothesis of every bad n, each once; see `idinf.report.value.Report.worst_of`."""
        seen: set[tuple[int, str | None]] = set()
        for stage in stages:
            level, fail = self.table.r_star(stage.n, self.complete), stage.fail_of_worst
            key = fail or 0, stage.counterexample
            if stage.good is False and level is not None and fail is not None and key not in seen:
                seen.add(key)
                high = min(level + self.table.window(stage.n), self.complete)
                rows = [row for row in self.table.selected(stage.n, high) if row.fail == fail]
                yield self.first_wrong(rows, high, fail, stage.counterexample)

    def cheapest_wrong(
        self, rows: list[FailRow[BatchT]], high: float, fail: int, word: str | None
    ) -> tuple[float, list[FailRow[BatchT]]]:
        """Of what rows with one fail stand for and a word refutes, the least R, and all with that R.

        Of hypotheses that answer alike on all short words, if that settles their fail, a row names one only.
        """
        members = self.table.members(rows, high)
        wrong = [member for member in members if word is None or self.word(member) == word]
        r = min(member.r for member in wrong)
        tied = [member for member in wrong if member.r <= r + EPSILON]
        if fail <= self.table.screened:
            keys = {member.key for member in tied}
            tied = [member for member in self.table.listed(fail, r) if member.key in keys]
        return r, sorted(tied, key=lambda member: member.r)

    @cached_property
    def levels(self) -> list[tuple[float, int, int | None]]:
        """Records as (R, longest fail of every smaller R, fail): where the largest fail so far rises."""
        levels: list[tuple[float, int, int | None]] = []
        longest: int | None = 0
        rows = self.table.rows(self.complete + EPSILON)
        start = 0
        while start < len(rows) and longest is not None:
            end = start
            while end < len(rows) and rows[end].r <= rows[start].r + EPSILON:
                end += 1
            fails = [row.fail for row in rows[start:end]]
            best = None if None in fails else max(fail for fail in fails if fail is not None)
            if best is None or best > longest:
                levels.append((rows[start].r, longest, best))
                longest = best
            start = end
        return levels

    def pick_is_good(self, stage: Stage) -> bool | None:
        """Whether the canonical pick at the n of a stage has fail > 2n; None where that is not known.

        Where not all with R = R*_n were listed, it is known if all that is selected is good, or all of
        them fail too early.
        """
        n = stage.n
        for r, before, best in self.levels:
            if best is None or best > n:
                fail = next(fail for fail in self.pick_fails(r, before) if fail is None or fail > n)
                if r in self.partial:
                    return False if best is not None and best <= 2 * n else stage.good or None
                return fail is None or fail > 2 * n
        return None
