"""A hypothesis at work: rows and cells are the exact values of the reference."""

import re
from fractions import Fraction

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.nets.reference import trace
from idinf.show.coordinates import format_fraction
from idinf.show.figures.hypothesis import draw_hypothesis, trace_computation
from tests.show.figures.drawn import crowding, meshes, said

WORDS = [*words_up_to(2, 3), (0, 0, 1, 1), (1, 0, 1, 1, 0)]


def hypotheses(report):
    return [record.hypothesis for record in report.records]


@pytest.mark.parametrize("name", ["majority", "parity", "dyck"])
def test_rows_are_those_of_the_reference(name, request):
    for dense in hypotheses(request.getfixturevalue(name)):
        for word in WORDS:
            run, done = trace(dense, word), trace_computation(dense, word)
            for rows, layer in zip(done.layers, run.layers, strict=True):
                assert rows.attention == tuple(head.attention for head in layer.heads)
                assert [values for _, values in rows.units] == [
                    tuple(column) for column in zip(*layer.activations, strict=True)
                ]
                for (_, arguments), (_, units) in zip(rows.arguments, rows.units, strict=True):
                    assert [z > 0 for z in arguments] == [u == 1 for u in units]


def value(text, names):
    """A linear form as the notes write it, evaluated."""
    total = Fraction(0)
    for sign, number, name in re.findall(r"([−+]?) ?(\d+(?:/\d+)?)? ?(\[[^]]*\]|[cu]\d+)?", text):
        if number or name:
            term = Fraction(number or 1) * (names[name] if name else 1)
            total += -term if sign == "−" else term
    return total


def test_notes_define_what_the_rows_show(dyck):
    """Each argument and accumulator, computed again from the sentence below the figure."""
    dense = hypotheses(dyck)[-1]
    word = (0, 0, 1, 1, 0)
    done = trace_computation(dense, word)
    known = {f"[{symbol}]": [Fraction(s == symbol) for s in done.symbols] for symbol in ("$", "a", "b")}
    for layer in done.layers:
        notes = {note.split(" = ")[0]: note for note in layer.notes if " = " in note}
        for name, column in layer.accumulators:
            form = re.search(r"\((.*)\) of head 1$", notes[name])[1]
            for i, shown in enumerate(column):
                at = [value(form, {key: values[j] for key, values in known.items()}) for j in range(i + 1)]
                assert sum(a * x for a, x in zip(layer.attention[0][i], at, strict=True)) == shown
            known[name] = list(column)
        for (name, column), (_, arguments) in zip(layer.units, layer.arguments, strict=True):
            form = re.search(r"= 1 iff (.*) > 0$", notes[name])[1]
            for i, shown in enumerate(arguments):
                assert value(form, {key: values[i] for key, values in known.items()}) == shown
            known[name] = list(column)


def test_cells_are_the_reference_on_aabb(dyck):
    figure = draw_hypothesis(dyck, "aabb")
    run = trace(dyck.records[-1].hypothesis, (0, 0, 1, 1))
    heads = meshes(figure, "attention 1")
    shown = [text.get_text() for axes in figure.axes for text in axes.texts]
    for drawn, layer in zip(heads, run.layers, strict=True):
        for i, row in enumerate(layer.heads[0].attention):
            assert drawn[i, : len(row)].tolist() == list(map(float, row))
            assert np.isnan(drawn[i, len(row) :]).all()
            assert all(format_fraction(alpha) in shown for alpha in row), i
    last = meshes(figure, "units")[-1][-1]
    assert [bool(cell > 0.5) for cell in last] == [units[0] == 1 for units in run.layers[-1].activations]
    assert "so it is accepted" in said(figure)
    assert crowding(figure) == []


@pytest.mark.parametrize("record", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_output_rows_are_those_of_the_reference(next_report, record):
    figure = draw_hypothesis(next_report, "1101", record)
    net = next_report.records[record - 1].hypothesis
    run = trace(net, (1, 1, 0, 1))
    (drawn,) = meshes(figure, "outputs")
    for row, symbol in zip(drawn, net.output.symbols, strict=True):
        assert [cell > 0.5 for cell in row] == [symbol in named for named in run.next_symbols]
    right = [None, ("1", "$"), ("1", "$"), None, ()]
    wrong = [str(i) for i, s in enumerate(right) if s is not None and set(s) != set(run.next_symbols[i])]
    text = said(figure)
    assert (f"Wrong at positions {', '.join(wrong)}" if wrong else "Right; asked only at 1, 2, 4") in text
    assert "; asked only at 1, 2, 4." in text
    assert crowding(figure) == []
