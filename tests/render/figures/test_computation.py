"""Rows of a computation against the trace of the reference, and what their names mean."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.render.figures.hypothesis import trace_computation
from idinf.transformers.reference import trace
from idinf.words import words_up_to

WORDS = [*words_up_to(2, 3), (0, 0, 1, 1), (1, 0, 1, 1, 0)]


def hypotheses(report):
    return [record.hypothesis for record in report.records]


@pytest.mark.parametrize("name", ["majority", "parity", "dyck"])
def test_rows_are_those_of_the_reference(name, request):
    for dense in hypotheses(request.getfixturevalue(name)):
        for word in WORDS:
            run, done = trace(dense, word), trace_computation(dense, word)
            assert (done.accepted, done.output) == (run.accepted, run.logits[dense.accept_row])
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


def test_another_basis_has_numbered_coordinates(dyck):
    net = dyck.records[2].hypothesis
    start, (entry, *rest), *others = net.embedding
    done = trace_computation(replace(net, embedding=(start, (entry + 1, *rest), *others)), (0,))
    assert all("[a]" not in note for layer in done.layers for note in layer.notes)
    assert any("y1" in note for layer in done.layers for note in layer.notes)
