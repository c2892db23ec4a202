"""The table keeps the cheapest hypothesis of every behaviour."""

from __future__ import annotations

from tests.inference.test_selection import batch, table_of


def test_cheapest_row_of_each_behaviour_and_fail():
    table = table_of((6.0, 2), (5.0, None))
    table.add(batch([(5.5, 2), (5.2, None), (5.2, 3)]))
    assert [(row.r, row.fail) for row in table.rows()] == [(5.0, None), (5.2, 3), (5.5, 2)]
    assert len(table) == 3


def test_least_r_and_selection():
    table = table_of((4.0, 1), (5.0, 2), (6.0, None))
    assert [table.r_star(n) for n in range(4)] == [4.0, 5.0, 6.0, 6.0]
    assert table.r_star(1, 4.9) is None
    assert [row.r for row in table.selected(1, 6.0 - 5e-10)] == [5.0, 6.0]
    assert [row.r for row in table.selected(1, 6.0 - 5e-9)] == [5.0]


def test_tied_batches():
    table = table_of((4.0, 1), (5.0, 2), (5.0 + 5e-10, None), (5.1, None))
    assert [found.fail.tolist() for found in table.tied(5.0, 1)] == [[2, -1]]
    assert [found.fail.tolist() for found in table.tied(5.0, 2)] == [[-1]]
    assert list(table.tied(4.0, 1)) == []
