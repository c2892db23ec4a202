"""The figure of communication: points are the tables, notes are what is proved."""

from __future__ import annotations

import pytest

from idinf.labs.communication.behaviours import Growth
from idinf.labs.communication.study import LowerRow, Study, UpperRow, list_lengths_up_to, measure_study
from idinf.render.figures.communication import draw_communication
from idinf.targets.tasks import TASKS
from tests.render.figures.drawn import artists, crowding, points, said


@pytest.fixture
def both() -> Study:
    upper = (
        UpperRow(2, 1, 5, 4, True, 7),
        UpperRow(4, 2, 7, 4, False, 9),
        UpperRow(64, 32, 13, 4, False, 15),
    )
    lower = (LowerRow(2, 2), LowerRow(4, 4), LowerRow(64, 32))
    return Study("dyck", "", upper, (2, 3), (), lower, Growth("logarithmic", ""))


def test_what_is_drawn_is_the_tables(both: Study) -> None:
    equality = measure_study("equality", "", None, TASKS["equality"], list_lengths_up_to(64), 1)
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
    alone = Study("net", "", both.upper, None, ((2, 1, "values"),), (), None)
    figure = draw_communication([alone])
    assert "net: nothing is proved." in said(figure)
    assert crowding(figure) == []
