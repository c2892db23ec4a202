"""For which cells an answer is decided, and up to which R others cannot change it, on hand-made tables."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Answer
from idinf.inference.agenda import FIRST_CEILING, Agenda
from idinf.inference.table import FailTable
from idinf.space.cells import Cell
from idinf.space.structures import LayerShape, Structure
from idinf.transformers.attention import UNIFORM
from idinf.transformers.regularizer import Aggregate
from tests.inference.test_table import batch, half

ONE = Structure((LayerShape((UNIFORM,), 1),), 0)
TWO = Structure((LayerShape((UNIFORM,), 1),) * 2, 0)


def agenda_with(**complete):
    """All listed cells complete for ever, but those of given numbers of layers only up to some R."""
    agenda = Agenda(SpaceBounds.from_preset("auto"), Aggregate.MAX, 2, Answer.ACCEPT, lambda cell: 1.0)
    for cell, progress in agenda._cells.items():
        progress.complete = complete.get(f"layers_{cell.layers}", math.inf)
    return agenda


def table_of(*batches):
    table = FailTable(9, 3, half)
    for number, (structure, rows) in enumerate(batches):
        found = replace(batch(rows), structure=structure)
        table.add(replace(found, outputs=found.outputs + 10 * number))
    return table


LEVELS = (ONE, [(4.0, 1), (8.5, 2), (9.0, None)])


def test_the_answer_is_that_of_all_cells_below_the_ceiling():
    settled = agenda_with().settled(table_of(LEVELS))
    assert settled.decided
    assert settled.bound == 9.0 + 1 / 4  # that of n = 2
    assert settled.rest == math.inf


def test_cells_that_are_not_listed_yet_may_change_it():
    high = FIRST_CEILING + 1
    settled = agenda_with().settled(table_of((ONE, [(4.0, 1), (high, None)])))
    assert settled.bound > FIRST_CEILING
    assert settled.rest == FIRST_CEILING


@pytest.mark.parametrize(
    ("row", "rest"),
    [
        ((8.7, None), 8.7),  # a cheaper right one
        ((8.8, 3), 8.8),  # selected at 2, and wrong
        ((8.9, 1), 8.95),  # never selected
        ((9.0, None), 8.95),  # right, and no cheaper
    ],
)
def test_what_was_found_elsewhere_may_change_it(row, rest):
    settled = agenda_with(layers_2=8.95).settled(table_of(LEVELS, (TWO, [row])))
    assert settled.decided
    assert Cell.of(TWO) not in settled.cells
    assert settled.rest == pytest.approx(rest, abs=1e-6)


def test_without_a_right_hypothesis_nothing_is_decided():
    agenda = agenda_with(layers_2=9.25)
    table = table_of((ONE, [(4.0, 1), (8.5, 2)]))
    assert agenda.settled(table) is None
    everything = agenda.undecided(table, [], 100.0)
    assert everything.bound == 9.25
    assert agenda.undecided(table, [], 9.0).bound == pytest.approx(9.0)


def test_where_nothing_is_decided_the_cells_as_far_as_a_right_hypothesis_are_compared():
    agenda = agenda_with(layers_2=9.25)
    one = agenda._cells[Cell.of(ONE)]
    one.complete = 9.4
    settled = agenda.undecided(table_of((ONE, [(4.0, 1), (8.5, 2)])), [Cell.of(ONE)], 100.0)
    assert settled.bound == 9.4
    assert Cell.of(ONE) in settled.cells
    assert Cell.of(TWO) not in settled.cells
    assert settled.rest == 9.25


def test_what_is_wanted_comes_first_also_above_the_ceiling():
    agenda, table = agenda_with(), table_of()
    wanted = Cell(3, 1, 1, 1, reach=1, logit_max=1)
    assert wanted not in agenda._cells
    agenda.want([wanted])
    for cell, progress in agenda._cells.items():
        progress.complete = 10.5 if cell.is_within(wanted) else FIRST_CEILING
    task = agenda.next(table, math.inf)
    assert task.cell.is_within(wanted)
    assert agenda._ceiling == FIRST_CEILING
    assert wanted in agenda._cells
    agenda.want([])
    assert not agenda.next(table, math.inf).cell.is_within(wanted)
    other = max(cell for cell in agenda._cells if not cell.is_within(wanted))
    agenda.want([wanted])
    agenda._cells[other].complete = 8.75  # a slice of few steps, where there are few
    assert agenda.next(table, math.inf).cell == other


def test_a_known_hypothesis_says_where_the_last_slices_end():
    agenda, table = agenda_with(layers_1=9.1), table_of((ONE, [(4.0, 1), (8.5, 2)]))
    assert agenda.next(table, math.inf, 8.9).high == pytest.approx(8.9 + half(2))
    assert agenda.next(table, math.inf).high == 9.25
    agenda = agenda_with(layers_1=8.9 + half(2))
    assert agenda.next(table, math.inf, 8.9) is None


def test_wanted_cells_above_the_ceiling_are_compared_where_nothing_is_decided():
    agenda = agenda_with()
    wanted = Cell(4, 1, 1, 1)
    agenda.want([wanted])
    for cell, progress in agenda._cells.items():
        progress.complete = 11.5 if cell.is_within(wanted) else 9.0
    settled = agenda.undecided(table_of((ONE, [(4.0, 1)])), [wanted], 100.0)
    assert settled.bound == 11.5
    assert wanted in settled.cells
