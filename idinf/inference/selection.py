"""Selected sets: which n are good, what is selected, and n0, all read off the table (R, fail)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from idinf.inference.table import FailRow, FailTable
from idinf.report.value import Stage, rounded
from idinf.transformers.regularizer import EPSILON

#: How much above R*_n the procedure may select: 1/(2n), or what the user chose.
Tolerance = Callable[[int], float]


def stop_bound(
    table: FailTable,
    max_n: int,
    tolerance: Tolerance,
    complete: float,
    at_most: float | None = None,
) -> float | None:
    """Largest R that can enter a selected set S_n with n ≤ max_n; None while some R*_n is unknown.

    The maximum of R*_n + 1/(2n) need not sit at max_n. With ``at_most``, a bound of every R*_n from above, it
    stands for what is unknown: the result is then what the true one is at most.
    """
    found = (table.r_star(n, complete) for n in range(1, max_n + 1))
    levels = [at_most if level is None else level for level in found]
    known = [level + tolerance(n) for n, level in enumerate(levels, start=1) if level is not None]
    return max(known) if len(known) == max_n else None


def words_needed(table: FailTable, max_n: int, tolerance: Tolerance, complete: float) -> int:
    """Least fail length minus one that still matters for hypotheses with R > ``complete``.

    A hypothesis of larger R can be selected at n only if R*_n is unknown yet, or if the window of n reaches
    beyond ``complete``; it must be consistent at such an n.
    """
    if table.r_star(0, complete) is None:
        return 0  # the first record is the cheapest hypothesis that is right on ε
    for n in range(1, max_n + 1):
        level = table.r_star(n, complete)
        if level is None or level + tolerance(n) + EPSILON > complete:
            return n
    return max_n


def stage_of(
    n: int,
    table: FailTable,
    tolerance: Tolerance,
    complete: float,
    count_functions: Callable[[list[FailRow], float], int | None],
    counterexample: Callable[[list[FailRow], float], str | None],
) -> Stage:
    """The stage n of a run that is complete up to R = ``complete``.

    Parameters
    ----------
    count_functions : callable
        Exact number of distinct functions behind the given selected rows, none of which fails within 2n,
        with R up to the given bound;
        None if the memory bound does not allow to count them, which leaves n undetermined.
    counterexample : callable
        Shortlex-least word that a function of the given rows, of R up to the given bound, gets wrong.

    Notes
    -----
    Implements good, bad and undetermined as defined with [HYB25] Definition 6: good needs the whole window,
    bad needs one wrong function and R*_n.
    """
    level = table.r_star(n, complete)
    if level is None:
        return Stage(n, None, rounded(complete), 0, 0, False, None, None, None)
    window = level + tolerance(n)
    selected = table.selected(n, min(window, complete))
    bad = [row for row in selected if row.fail is not None and row.fail <= 2 * n]
    whole = window <= complete + EPSILON
    good = False if bad else (True if whole else None)
    counted = count_functions(selected, min(window, complete)) if good else None
    good = None if good and counted is None else good
    number = len(selected) if counted is None else counted
    fails = [row.fail for row in selected if row.fail is not None]
    worst = min(fails, default=None)
    word = counterexample([row for row in bad if row.fail == worst], min(window, complete)) if bad else None
    return Stage(n, rounded(level), rounded(level), number, len(bad), bool(good), good, word, worst)


def n0_of(good: list[bool | None]) -> int | None:
    """Least n from which every examined n' is good; ``good[k]`` belongs to n = k + 1.

    Examples
    --------
    >>> n0_of([True, False, True, True]), n0_of([True, False])
    (3, None)
    """
    wrong = np.flatnonzero([value is not True for value in good])
    start = int(wrong[-1]) + 2 if len(wrong) else 1
    return start if start <= len(good) else None
