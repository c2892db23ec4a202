"""The table (R, fail) of functions: everything about the procedure follows from it.

`FailTable` holds it, `StageTable` reads it as answers for every n, for any kind of hypotheses, and `examine`
answers f(n)-inference, [HYB25]_ Definition 22: other training lengths.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
from idinf.errors import UnsupportedBoundError
from idinf.inference.outcome import Hypothesis, TableRecord
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Regularizer, Stage, Training, TrainingStage, find_n0, round_r
from idinf.search.exact_check.nets import NetBatch
from idinf.search.exact_check.reachability import Frontier
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import HypothesisBatch
from idinf.space.grid import IntArray
from idinf.space.units import FloatArray
from idinf.spec.training import TrainingLength
from idinf.targets.supervised import SupervisedTarget
from idinf.work.limits import ENDS
from idinf.work.parallel import Workers

#: Long words that are looked for where no time is left.
LATE_WORDS = 16


class Batch(Protocol):
    """N hypotheses that were found together, with the attributes that the table reads."""

    @property
    def r(self) -> FloatArray:
        """R, (N,)."""
        ...

    @property
    def fail(self) -> IntArray:
        """Exact fail length, (N,), −1 if there is none up to 2 · max_n."""
        ...

    @property
    def outputs(self) -> NDArray[np.uint8]:
        """Answers on all short words, packed, (N, B)."""
        ...

    def __len__(self) -> int: ...

    def take(self, index: IntArray) -> Self:
        """The hypotheses at the given places."""
        ...


BatchT = TypeVar("BatchT", bound=Batch)


@dataclass(frozen=True, slots=True, eq=False)
class FailRow(Generic[BatchT]):
    """A function met by the search, or several that agree on all short words and have one fail length."""

    r: float  #: least R of its hypotheses
    fail: int | None  #: exact fail length; None if there is none up to 2 · max_n
    found: BatchT  #: the batch in which a hypothesis of it stands, and where
    index: int

    @classmethod
    def of(cls, found: BatchT, index: int) -> FailRow[BatchT]:
        """Row of one hypothesis of a batch."""
        fail = int(found.fail[index])
        return cls(float(found.r[index]), None if fail < 0 else fail, found, index)

    @property
    def key(self) -> tuple[bytes, int | None]:
        """The key of a row: outputs on short words, and the fail length."""
        return self.found.outputs[self.index].tobytes(), self.fail

    def consistent(self, n: int) -> bool:
        """True if it agrees with the target on all words up to length n."""
        return self.fail is None or self.fail > n


class FailTable(Generic[BatchT]):
    """Rows by behaviour, the cheapest hypothesis of each. Mutable: it grows slice by slice.

    Functions that differ on a short word, up to length ``screened``, or in their fail length have rows of
    their own; functions that agree in both share one. So counts of rows are lower bounds on counts of
    functions, and verdicts are exact. Up to ``window(n)`` above R*_n may be selected, for n up to ``max_n``;
    hypotheses up to ``reach(n)`` above R*_n are looked at, which is no less.
    """

    def __init__(
        self,
        screened: int,
        max_n: int,
        window: Callable[[int], float],
        reach: Callable[[int], float] | None = None,
    ) -> None:
        self.screened, self.max_n, self.window, self.reach = screened, max_n, window, reach or window
        self._rows: dict[tuple[bytes, int | None], FailRow[BatchT]] = {}
        self._batches: list[BatchT] = []
        self._levels: tuple[FailRow[BatchT], ...] | None = None
        self._sorted: list[FailRow[BatchT]] | None = None
        self._least_r: dict[int, float] = {}  #: by fail, −1 for none

    def add(self, found: BatchT) -> None:
        """Take in a batch."""
        self._batches.append(found)
        self._levels = self._sorted = None
        for fail in set(found.fail.tolist()):
            least = float(found.r[found.fail == fail].min())
            self._least_r[fail] = min(self._least_r.get(fail, math.inf), least)
        for index in range(len(found)):
            row = FailRow.of(found, index)
            known = self._rows.setdefault(row.key, row)
            if row.r < known.r:
                self._rows[row.key] = row

    @property
    def levels(self) -> tuple[FailRow[BatchT], ...]:
        """Rows that last longer than every cheaper one, by R; the first that is consistent at n has R*_n."""
        if self._levels is None:
            levels: list[FailRow[BatchT]] = []
            for row in self.rows():
                if not levels or (levels[-1].fail is not None and levels[-1].fail < (row.fail or math.inf)):
                    levels.append(row)
            self._levels = tuple(levels)
        return self._levels

    def members(self, rows: list[FailRow[BatchT]], high: float) -> list[FailRow[BatchT]]:
        """Every hypothesis of R ≤ ``high`` + ε behind rows of one fail, if short words do not decide it."""
        if not rows or rows[0].fail is None or rows[0].fail <= self.screened:
            return rows
        keys = {row.key for row in rows}
        return [other for other in self.listed(rows[0].fail, high) if other.key in keys]

    def listed(self, fail: int, high: float) -> Iterator[FailRow[BatchT]]:
        """Every hypothesis that was listed with a fail, −1 for none, and R ≤ ``high`` + ε.

        Of realisations of one function, proved to be one by normal forms, the cheapest alone is listed.
        """
        for found in self._batches:
            for index in np.flatnonzero((found.fail == fail) & (found.r <= high + EPSILON)):
                yield FailRow.of(found, int(index))

    def rows(self, high: float = math.inf) -> list[FailRow[BatchT]]:
        """Rows with R ≤ ``high``, by R, then the larger fail first."""
        if self._sorted is None:
            rows = self._rows.values()
            self._sorted = sorted(rows, key=lambda row: (row.r, -math.inf if row.fail is None else -row.fail))
        return self._sorted[: bisect_right(self._sorted, high, key=lambda row: row.r)]

    def r_star(self, n: int, high: float = math.inf) -> float | None:
        """R*_n, the least R with fail > n among rows with R ≤ ``high`` + ε; None if there is none."""
        least = next((row.r for row in self.levels if row.consistent(n)), None)
        return None if least is None or least > high + EPSILON else least

    def _r_stars(self, high: float) -> list[float | None]:
        """R*_n for n = 0 to ``max_n``, as `r_star` gives them."""
        found: list[float | None] = []
        for row in self.levels:
            if row.r > high + EPSILON:
                break
            end = self.max_n + 1 if row.fail is None else min(row.fail, self.max_n + 1)
            found += [row.r] * (end - len(found))
        return found + [None] * (self.max_n + 1 - len(found))

    def selected(self, n: int, high: float) -> list[FailRow[BatchT]]:
        """Rows with fail > n and R ≤ ``high`` + ε, by R: the selected set if ``high`` is its window's end."""
        return [row for row in self.rows(high + EPSILON) if row.consistent(n)]

    def tied(self, r: float, before: int) -> Iterator[BatchT]:
        """Batches of the hypotheses with R = ``r`` (within ε) and fail > ``before``."""
        for found in self._batches:
            lasts = (found.fail > before) | (found.fail < 0)
            index = np.flatnonzero((np.abs(found.r - r) <= EPSILON) & lasts)
            if len(index):
                yield found.take(index)

    def stop_bound(self, complete: float, at_most: float | None = None) -> float | None:
        """Largest R that can enter a selected set S_n with n ≤ max_n; None while some R*_n is unknown.

        The maximum of R*_n + 1/(2n) need not sit at max_n. With ``at_most``, an upper bound of every R*_n,
        unknown R*_n are replaced by it: the result is then an upper bound of the stop bound.
        """
        known, unknown = self.windows(complete)
        if unknown == -math.inf:
            return known
        return None if at_most is None else max(known, at_most + unknown)

    def windows(self, complete: float) -> tuple[float, float]:
        """End of the last window of a known R*_n, and greatest width of the windows of unknown ones.

        Either is −∞ where there is none.
        """
        levels = list(enumerate(self._r_stars(complete)))[1:]
        known = (level + self.reach(n) for n, level in levels if level is not None)
        unknown = (self.reach(n) for n, level in levels if level is None)
        return max(known, default=-math.inf), max(unknown, default=-math.inf)

    def needed_up_to(self, complete: float) -> float:
        """R up to which `words_needed` stays the same beyond ``complete``, if nothing else is found.

        Infinite where R*_n is not known, and where only windows of settled n are left.
        """
        n = self.words_needed(complete)
        level = self.r_star(n, complete) if n else None
        end = math.inf if level is None else level + self.reach(n)
        return end if end + EPSILON > complete else math.inf

    def words_needed(self, complete: float) -> int:
        """Least fail length minus one that still matters for hypotheses with R > ``complete``.

        A hypothesis of larger R can be selected at n only if R*_n is unknown yet, or if the window of n
        reaches beyond ``complete``; it must be consistent at such an n. An n that is settled needs no more
        hypotheses.
        """
        first, *levels = self._r_stars(complete)
        if first is None:
            return 0  # the first record is the cheapest hypothesis that is right on ε
        for n, level in enumerate(levels, start=1):
            if level is None or (
                level + self.reach(n) + EPSILON > complete and not self._is_settled(n, level, complete)
            ):
                return n
        return self.max_n

    def asks_for_nothing(self, complete: float) -> bool:
        """True if some hypothesis is right, so no record is above, and only windows of settled n are left."""
        is_right = self._least_r.get(-1, math.inf) <= complete + EPSILON
        return is_right and self.needed_up_to(complete) == math.inf

    @property
    def settles(self) -> bool:
        """True if an early fail settles an n, as only hypotheses are listed that may be selected."""
        return self.reach == self.window

    def _is_settled(self, n: int, level: float, complete: float) -> bool:
        """True if a hypothesis that is selected at n fails at n + 1, as early as any selected one can.

        Then n is bad, and further selected hypotheses change neither that nor the least fail, nor, as all up
        to ``complete`` are known, the cheapest hypothesis with that fail.
        """
        least = self._least_r.get(n + 1, math.inf)
        return self.settles and least <= min(level + self.window(n), complete) + EPSILON


#: The table of a search through the one-hot family, and its rows.
SearchTable: TypeAlias = FailTable[HypothesisBatch]
SearchRow: TypeAlias = FailRow[HypothesisBatch]


class StageTable(ABC, Generic[BatchT]):
    """Answers of a finished table, which is complete up to R = ``complete``.

    If no time is left, nothing is listed again, and questions that the table does not answer stay open.
    """

    def __init__(
        self,
        table: FailTable[BatchT],
        complete: float,
        target: SupervisedTarget,
        words: ShortWords,
        max_states: int,
        workers: Workers,
        has_time: bool = True,
    ) -> None:
        self.table, self.complete, self.target, self.words = table, complete, target, words
        self.max_states, self.workers, self.has_time = max_states, workers, has_time
        #: Values of R at which not all hypotheses of the records were listed.
        self.partial: set[float] = set()
        #: Least R of hypotheses that make no n bad where they are selected, but are not in the table.
        self.left_out = math.inf
        #: Least R of hypotheses that may go wrong beyond all lengths that were looked at.
        self.unseen = math.inf
        #: Reason why not everything could be listed; None: it could.
        self.limit: str | None = None
        self._words: dict[tuple[BatchT, int], Word | None] = {}
        self._late_words, self._is_late = 0, False

    @abstractmethod
    def hypothesis(self, row: FailRow[BatchT]) -> Hypothesis:
        """The first way to write a row that a batch lists."""

    @abstractmethod
    def nets(self, hypothesis: Hypothesis) -> NetBatch:
        """Write one hypothesis for the exact check."""

    @abstractmethod
    def formula(self, hypothesis: Hypothesis) -> str:
        """Write one hypothesis for people."""

    @abstractmethod
    def count_functions(self, rows: list[FailRow[BatchT]], high: float) -> int | None:
        """Exact number of distinct functions with R ≤ ``high`` behind selected rows; None: not known."""

    @abstractmethod
    def picks(self, r: float, before: int) -> list[tuple[int | None, Hypothesis]]:
        """(fail, hypothesis) at R = ``r`` with fail > ``before`` in total order, the first of each fail."""

    @abstractmethod
    def first_of(
        self, tied: list[FailRow[BatchT]], r: float, fail: int | None, word: Word | None
    ) -> Hypothesis:
        """First hypothesis, in the total order, of rows with one R and fail, that gets a word wrong.

        None, where no word was found, stands for any hypothesis with that fail.
        """

    def records(self) -> Iterator[TableRecord]:
        """One record per level, represented by the first hypothesis in the total order."""
        for r, before, best in self.levels:
            hypothesis = next(h for fail, h in self.picks(r, before) if fail == best)
            word = None if best is None else self.least_word(hypothesis, best)
            yield TableRecord(r, best, self._text(word), hypothesis, self.formula(hypothesis))

    def counterexample(self, rows: list[FailRow[BatchT]], high: float) -> str | None:
        """Shortlex-least word that a function of the rows, all of one fail length, gets wrong."""
        members = self.table.members(rows, high)
        if self.has_time:  # some take long
            new = [row for row in members if (row.found, row.index) not in self._words]
            with closing(self.workers.map(self._look_up, new)) as words:
                for row, word in zip(new, words, strict=True):
                    self._words[row.found, row.index] = word
        found = [word for member in members if (word := self.word(member)) is not None]
        return self._text(min(found, key=lambda word: (len(word), word), default=None))

    def word(self, row: FailRow[BatchT]) -> Word | None:
        """The shortlex-least word that a row gets wrong."""
        key = row.found, row.index
        if key not in self._words:
            self._words[key] = self._look_up(row)
        return self._words[key]

    def _look_up(self, row: FailRow[BatchT]) -> Word | None:
        """Find the result of `word`; where no time is left, long words of a few rows alone."""
        if row.fail is None:
            return None
        if row.fail > self.words.length or not self.target.plain:
            self._late_words += not self.has_time
            if self._late_words > LATE_WORDS:
                return None
            return self.least_word(self.hypothesis(row), row.fail)
        outputs = np.unpackbits(row.found.outputs[row.index], count=len(self.words.labels))
        return self.words.word(int(np.argmax(outputs.astype(bool) != self.words.labels)))

    def least_word(self, hypothesis: Hypothesis, fail: int) -> Word | None:
        """Least wrong word of a length; without time left, None after the first not found at once."""
        if self._is_late:
            return None
        try:
            return Frontier([self.nets(hypothesis)], self.target, self.max_states).least_word(fail)
        except ENDS:
            if self.has_time:
                raise
            self._is_late = True
            return None

    def _text(self, word: Word | None) -> str | None:
        return None if word is None else self.target.alphabet.decode(word)

    def stage(self, n: int) -> Stage:
        """The hypotheses selected at n, and the verdict if all of them are right up to length 2n.

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

    def worst(self, stages: Iterable[Stage]) -> Iterator[TableRecord]:
        """The worst hypothesis of every bad n, each once; see `idinf.report.value.Report.worst_of`."""
        seen: set[tuple[int, str | None]] = set()
        for stage in stages:
            level, fail = self.table.r_star(stage.n, self.complete), stage.fail_of_worst
            key = fail or 0, stage.counterexample
            if stage.good is False and level is not None and fail is not None and key not in seen:
                seen.add(key)
                high = min(level + self.table.window(stage.n), self.complete)
                rows = [row for row in self.table.selected(stage.n, high) if row.fail == fail]
                yield self._first_wrong(rows, high, fail, stage.counterexample)

    def _first_wrong(
        self, rows: list[FailRow[BatchT]], high: float, fail: int, text: str | None
    ) -> TableRecord:
        """The first hypothesis of the least R that rows with one fail stand for and that a word refutes.

        Of hypotheses that answer alike on all short words, if that settles their fail, a row names one only.
        """
        word = None if text is None else self.target.alphabet.encode(text)
        members = self.table.members(rows, high)
        wrong = [member for member in members if word is None or self.word(member) == word]
        r = min(member.r for member in wrong)
        tied = [member for member in wrong if member.r <= r + EPSILON]
        if fail <= self.table.screened:
            keys = {member.key for member in tied}
            tied = [member for member in self.table.listed(fail, r) if member.key in keys]
        hypothesis = self.first_of(sorted(tied, key=lambda member: member.r), r, fail, word)
        return TableRecord(r, fail, text, hypothesis, self.formula(hypothesis))

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
        """True if the canonical pick at the n of a stage has fail > 2n; None where that is not known.

        Where not all with R = R*_n were listed, it is known if all selected hypotheses are good, or all
        with R = R*_n fail too early.
        """
        n = stage.n
        for r, before, best in self.levels:
            if best is None or best > n:
                fail = next(fail for fail, _ in self.picks(r, before) if fail is None or fail > n)
                if r in self.partial:
                    return False if best is not None and best <= 2 * n else stage.good or None
                return fail is None or fail > 2 * n
        return None


def widen(rule: TrainingLength | None, regularizer: Regularizer, max_n: int) -> Callable[[int], float]:
    """Width of the window above R*_n, by n: the larger one of Definition 6 and of a training length.

    Raises `UnsupportedBoundError` if some training length is above ``max_n``, up to which R*_n is known, or a
    test length above twice of it.

    >>> from idinf.nets.regularizer import Aggregate
    >>> window = widen(TrainingLength("n/4"), Regularizer(Aggregate.MAX, None), 8)
    >>> window(1), window(4)
    (1.0, 0.125)
    """
    widest = {n: regularizer.window(n) for n in range(1, max_n + 1)}
    longest = 0 if rule is None or not rule.table else rule.table[-1][0] - rule.counts_sos
    if longest > 2 * max_n:
        raise UnsupportedBoundError(
            f"training length n = {longest}; expected at most 2 * max_n = {2 * max_n}, up to where fails are "
            "exact; raise --max-n"
        )
    if rule is not None and not rule.pairs(2 * max_n):
        raise UnsupportedBoundError(
            f"training length {rule.name}: no row is left; expected one that trains on some symbol; add rows"
        )
    for n, trained, tolerance in () if rule is None else rule.pairs(2 * max_n):
        if trained > max_n:
            raise UnsupportedBoundError(
                f"training length t({n}) = {trained}; expected at most max_n = {max_n}; raise --max-n"
            )
        width = tolerance if regularizer.tolerance is None else regularizer.tolerance
        widest[trained] = max(widest[trained], width)
    return partial(_window, widest, regularizer)


def _window(widest: dict[int, float], regularizer: Regularizer, n: int) -> float:
    return widest.get(n, regularizer.window(n))


def examine(
    rule: TrainingLength | None, answers: StageTable[BatchT], regularizer: Regularizer, max_n: int
) -> Training | None:
    """The selected hypotheses for every test length up to 2 · max_n, with verdicts.

    None without a rule; n is bad iff something with fail in (t(n), n] has R within the tolerance of R*_t(n).
    """
    if rule is None:
        return None
    stages = tuple(
        _stage(answers, n, trained, tolerance if regularizer.tolerance is None else regularizer.tolerance)
        for n, trained, tolerance in rule.pairs(2 * max_n)
    )
    start = find_n0([stage.good for stage in stages])
    return Training(rule.name, rule.counts_sos, None if start is None else stages[start - 1].n, stages)


def _stage(answers: StageTable[BatchT], n: int, trained: int, width: float) -> TrainingStage:
    table, complete = answers.table, answers.complete
    level = table.r_star(trained, complete)
    if level is None:
        return TrainingStage(n, trained, None, None, None, None)
    high = min(level + width, complete)
    selected = table.selected(trained, high)
    is_whole = level + width <= complete + EPSILON
    fails = [row.fail for row in selected if row.fail is not None]
    bad = [row for row in selected if row.fail is not None and row.fail <= n]
    worst = min(fails, default=None)
    good = False if bad else True if is_whole else None
    word = answers.counterexample([row for row in bad if row.fail == worst], high) if bad else None
    together = max(fails) if is_whole and len(fails) == len(selected) else None
    return TrainingStage(n, trained, round_r(level), good, word, together)
