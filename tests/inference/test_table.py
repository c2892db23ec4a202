"""The cheapest hypothesis of every behaviour; selected sets, stop bound and n0 on hand-made tables."""

import numpy as np
import pytest

from idinf.inference.table import FailTable, StageTable
from idinf.search.slice_types import HypothesisBatch


def batch(rows):
    """A batch of (R, fail) rows, each with outputs of its own; fail None is −1."""
    r = np.array([float(x) for x, _ in rows])
    fail = np.array([-1 if f is None else f for _, f in rows])
    some = np.zeros((len(rows), 1), dtype=np.int64)
    outputs = np.arange(len(rows), dtype=np.uint8)[:, None]

    class Top:
        def take(self, _):
            return self

    return HypothesisBatch(None, Top(), some, some[:, 0], r, (), np.zeros((1, 4)), fail, outputs)


def half(n):
    return 1 / (2 * n)


def table_of(*rows, max_n=3, window=half):
    table = FailTable(9, max_n, window)
    table.add(batch(rows))
    return table


ROWS = ((4.0, 1), (5.0, 2), (6.0, 3), (6.2, None))


class Questions(StageTable):
    """What is selected, counted and refuted without a search."""

    def hypothesis(self, row):
        raise NotImplementedError

    nets = formula = picks = first_of = hypothesis

    def count_functions(self, rows, high):
        return 10 * len(rows)

    def counterexample(self, rows, high):
        return (0,) * rows[0].fail


def stage(n, table, complete):
    return Questions(table, complete, None, None, 0, None).stage(n)


def test_stop_bound_need_not_sit_at_the_last_n():
    assert table_of(*ROWS).stop_bound(7.0) == pytest.approx(max(5.0 + 0.5, 6.0 + 0.25, 6.2 + 1 / 6))
    assert table_of((4.0, 1), (5.0, None), max_n=2).stop_bound(7.0) == 5.5
    assert table_of(*ROWS).stop_bound(6.1) is None
    assert table_of(*ROWS, window=lambda _: 0.0).stop_bound(7.0) == 6.2


def test_an_n_that_is_bad_at_once_asks_for_no_more():
    """Whatever else is selected at 1 changes nothing after one was met that fails at 2; so at 2 for 3."""
    table = table_of(*ROWS)
    needed = [table.words_needed(complete) for complete in (3.9, 4.2, 5.2, 5.6, 6.1, 6.3, 6.5)]
    assert needed == [0, 1, 2, 2, 3, 3, 3]


def test_good_bad_and_undetermined():
    table = table_of(*ROWS)
    bad = stage(1, table, 7.0)
    assert (bad.r_star, bad.good, bad.num_selected, bad.num_selected_bad) == (5.0, False, 1, 1)
    assert (bad.fail_of_worst, bad.counterexample, bad.num_selected_exact) == (2, (0, 0), False)
    good = stage(3, table, 7.0)
    assert (good.good, good.num_selected, good.num_selected_exact, good.fail_of_worst) == (
        True,
        10,
        True,
        None,
    )
    assert stage(3, table, 6.25).good is None
    unknown = stage(3, table, 6.1)
    assert (unknown.r_star, unknown.r_star_lower, unknown.good) == (None, 6.1, None)


def test_ties_within_epsilon_are_selected_at_tolerance_zero():
    for gap, good in ((5e-10, False), (5e-9, True)):
        assert stage(2, table_of((6.0, None), (6.0 + gap, 4), window=lambda _: 0.0), 7.0).good is good
