"""The figure of a hypothesis: its cells are the exact values of the reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from idinf.errors import AlphabetMismatchError, PlotError, ReportFormatError
from idinf.numbers import format_number
from idinf.render.coordinates import format_fraction
from idinf.render.figures.hypothesis import MAX_WORD, draw_hypothesis
from idinf.report.value import Report
from idinf.transformers.reference import trace
from idinf.words import Alphabet
from tests.render.figures.drawn import crowding, meshes, said, texts


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


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    "word", ["", "a", "abababababab", pytest.param("ab" * (MAX_WORD // 2), marks=pytest.mark.slow)]
)
def test_words_of_every_length_fit(dyck, word):
    assert crowding(draw_hypothesis(dyck, word)) == []


def test_every_record_can_be_drawn(dyck):
    for number, record in enumerate(dyck.records, start=1):
        figure = draw_hypothesis(dyck, "ab", number)
        assert f"record {number}, R = {format_number(record.r)}" in said(figure)
        assert crowding(figure) == []
    with pytest.raises(PlotError, match=r"^there is no record 6; expected one from 1 to 5"):
        draw_hypothesis(dyck, "ab", 6)


def test_the_default_is_the_last_record_on_what_ends_the_one_before(dyck, bracketed):
    assert "dyck-1 on baab: record 5" in said(draw_hypothesis(dyck))
    assert "known upper bound, R = 12.5" in said(draw_hypothesis(bracketed))
    without = tuple(replace(record, counterexample=None) for record in dyck.records)
    assert "dyck-1 on ab: record 5" in said(draw_hypothesis(replace(dyck, records=without)))


def test_bad_words(dyck):
    with pytest.raises(AlphabetMismatchError, match=r"^word 'abc': symbol 'c' at position 3 is not in"):
        draw_hypothesis(dyck, "abc")
    with pytest.raises(PlotError, match=rf"^the word has length 30; expected at most {MAX_WORD}"):
        draw_hypothesis(dyck, "a" * 30)


def over(report: Report, alphabet: Alphabet) -> Report:
    """The same over other symbols."""
    records = tuple(
        replace(record, counterexample=None, hypothesis=replace(record.hypothesis, alphabet=alphabet))
        for record in report.records
    )
    return replace(report, records=records)


def test_long_symbols_fit(dyck):
    figure = draw_hypothesis(
        over(dyck, Alphabet(("opening", "closing"), spaced=True)), "opening closing " * 6
    )
    assert "1: open…" in said(figure)
    assert crowding(figure) == []


def test_symbols_are_written_as_they_are(dyck):
    figure = draw_hypothesis(over(dyck, Alphabet(("^", "\\"))), "^\\")
    assert {"1: ^", "2: \\"} <= {text.get_text() for text in texts(figure)}
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


def test_a_word_without_a_judged_position_or_outside_the_domain(next_report):
    assert "Right, as nothing is asked." in said(draw_hypothesis(next_report, "00"))

    def asking(**changed):
        return replace(next_report, target=replace(next_report.target, **changed))

    shown = said(draw_hypothesis(asking(domain="1*"), "10", 1))
    assert "The word is outside the domain: it does not count." in shown
    with pytest.raises(ReportFormatError, match=r"^target: domain: .* is never closed"):
        draw_hypothesis(asking(domain="("), "10", 1)
    plain = asking(mode="accept", output=None, domain=None, judged=None)
    assert "A symbol may follow, dark," in said(draw_hypothesis(plain, "10", 1))
