"""The figure of a hypothesis: its cells are the exact values of the reference."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.render.coordinates import format_fraction
from idinf.render.figures.hypothesis import draw_hypothesis
from idinf.transformers.reference import trace
from tests.render.figures.drawn import crowding, meshes, said


def test_cells_are_the_reference_on_aabb(dyck):
    figure = draw_hypothesis(dyck, "aabb")
    run = trace(dyck.records[-1].hypothesis, (0, 0, 1, 1))
    heads = meshes(figure, "attention 1")
    assert len(heads) == len(run.layers) == 2
    for drawn, layer in zip(heads, run.layers, strict=True):
        for j in range(5):
            for i in range(5):
                if j > i:
                    assert np.isnan(drawn[i, j])
                else:
                    assert drawn[i, j] == float(layer.heads[0].attention[i][j])
    shown = [text.get_text() for axes in figure.axes for text in axes.texts]
    for layer in run.layers:
        for i, row in enumerate(layer.heads[0].attention):
            assert all(format_fraction(alpha) in shown for alpha in row), i
    last = meshes(figure, "units")[-1][-1]
    assert [bool(cell > 0.5) for cell in last] == [units[0] == 1 for units in run.layers[-1].activations]
    assert "so it is accepted" in said(figure)
    assert crowding(figure) == []


@pytest.mark.parametrize("record", [1, 2])
def test_output_rows_are_those_of_the_reference(next_report, record):
    figure = draw_hypothesis(next_report, "1101", record)
    net = next_report.records[record - 1].hypothesis
    run = trace(net, (1, 1, 0, 1))
    (drawn,) = meshes(figure, "outputs")
    assert drawn.shape == (3, 5)
    for row, symbol in enumerate(net.output.symbols):
        assert [cell > 0.5 for cell in drawn[row]] == [symbol in named for named in run.next_symbols]
    right = [None, ("1", "$"), ("1", "$"), None, ()]
    wrong = [str(i) for i, s in enumerate(right) if s is not None and set(s) != set(run.next_symbols[i])]
    assert (f"Wrong at positions {', '.join(wrong)}" if wrong else "Right; asked only at 1, 2, 4") in said(
        figure
    )
    assert "; asked only at 1, 2, 4." in said(figure)
    assert crowding(figure) == []
