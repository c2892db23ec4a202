"""Figures of lines: points are the tables, and what is proved is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.lab.communication.study import Growth, LowerRow, Study, Subject, UpperRow
from idinf.show.figures.lines import draw_communication, draw_family
from idinf.targets.tasks import TASKS
from tests.show.figures.drawn import artists, crowding, points, said


@pytest.fixture
def both() -> Study:
    upper = (
        UpperRow(2, 1, 5, 4, True, 7),
        UpperRow(4, 2, 7, 4, False, 9),
        UpperRow(64, 32, 13, 4, False, 15),
    )
    lower = (LowerRow(2, 2), LowerRow(4, 4), LowerRow(64, 32))
    return Study(Subject("dyck", "", None, None), upper, (2, 3), (), lower, Growth("logarithmic", ""))


def test_what_is_drawn_is_the_tables(both: Study) -> None:
    equality = Subject("equality", "", None, TASKS["equality"]).study(64, 1)
    figure = draw_communication([both, equality])
    assert points(figure, "behaviours 0") == [(2, 1), (4, 2), (64, 5)]
    assert points(figure, "protocol 0") == [(2, 5), (4, 7), (64, 13)]
    assert points(figure, "behaviours 1") == [(row.n, row.n / 2) for row in equality.lower]
    assert artists(figure, "protocol 1") == []
    text = said(figure)
    assert "dyck: the protocol sends" in text
    assert "equality: log2 of its behaviours is linear in n" in text
    assert "too few at some n shown for C < 5.333" in " ".join(text.split())
    assert crowding(figure) == []


def test_nothing_is_proved(both: Study) -> None:
    alone = Study(Subject("net", "", None, None), both.upper, None, ((2, 1, "values"),), (), None)
    figure = draw_communication([alone])
    assert "net: nothing is proved." in said(figure)
    assert crowding(figure) == []


def test_what_is_drawn_is_the_table(family):
    figure = draw_family(family)
    assert sorted(points(figure, "members")) == [(1, 3), (2, 4), (3, 5), (3, 8)]
    assert points(figure, "maxima") == [(1, 3), (2, 4), (3, 8)]
    assert points(figure, "unsettled") == [(4, 9)]
    law = points(figure, "fit 0")
    assert law[0] == (1, 2.5)
    assert law[-1] == (3, 7.5)
    text = said(figure)
    assert "×2" in text
    assert "n₀ ≈ 2.500(T - 1) + 2.500, least squares, root mean square 0.707" in text
    assert "Not settled, so not part of a law: T = 4." in text
    assert crowding(figure) == []


def test_an_exact_law_says_so(family):
    rows = [replace(row, n0=2 * row.size, n0_lower=2 * row.size) for row in family]
    figure = draw_family(rows)
    assert "n₀ = 2(T - 1) + 2, exact for T in 1..4" in said(figure)
    assert artists(figure, "fit 0")[0].get_linestyle() == "-"
