"""f(n)-inference, [HYB25]_ Definition 22: other training lengths, answered from the table (R, fail)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from idinf.errors import UnsupportedBoundError
from idinf.inference.stages import StageTable
from idinf.inference.table import BatchT
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Regularizer, Training, TrainingStage, find_n0, round_r
from idinf.spec.training import TrainingLength


def widen(rule: TrainingLength | None, regularizer: Regularizer, max_n: int) -> Callable[[int], float]:
    """The widest window that is asked for above R*_n, of Definition 6 and of a training length.

    Raises `UnsupportedBoundError` if some training length is above ``max_n``, up to which R*_n is looked for,
    or a test length above twice of it.

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
    """The selected hypotheses for every test length up to 2 · max_n, and whether they are right.

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
