"""The figure of a hypothesis: its cells are the exact values of the reference."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.errors import AlphabetMismatchError, HypothesisFormatError
from idinf.render.figures.computation import fraction_text
from idinf.render.figures.hypothesis import MAX_WORD, draw_hypothesis
from idinf.render.figures.inputs import PlotError, level_text, read_run
from idinf.transformers.json_format import from_json_object
from idinf.transformers.reference import trace
from tests.render.figures.drawn import crowding, meshes, said, texts


def test_cells_are_the_reference_on_aabb(dyck):
    figure = draw_hypothesis(read_run(dyck, "d"), "aabb")
    run = trace(from_json_object(dyck["records"][-1]["hypothesis"]), (0, 0, 1, 1))
    heads = meshes(figure, "attention 1")
    assert len(heads) == len(run.layers) == 2
    for drawn, layer in zip(heads, run.layers, strict=True):
        for j in range(5):
            for i in range(5):
                if j > i:
                    assert np.isnan(drawn[j, i])
                else:
                    assert drawn[j, i] == float(layer.heads[0].attention[i][j])
    shown = [text.get_text() for axes in figure.axes for text in axes.texts]
    for layer in run.layers:
        for i, row in enumerate(layer.heads[0].attention):
            assert all(fraction_text(alpha) in shown for alpha in row), i
    last = meshes(figure, "units")[-1][-1]
    assert [bool(cell > 0.5) for cell in last] == [units[0] == 1 for units in run.layers[-1].activations]
    assert "so it is accepted" in said(figure)
    assert crowding(figure) == []


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "word", ["", "a", "abababababab", pytest.param("ab" * (MAX_WORD // 2), marks=pytest.mark.slow)]
)
def test_words_of_every_length_fit(dyck, word):
    assert crowding(draw_hypothesis(read_run(dyck, "d"), word)) == []


def test_every_record_can_be_drawn(dyck):
    run = read_run(dyck, "d")
    for number, record in enumerate(dyck["records"], start=1):
        figure = draw_hypothesis(run, "ab", number)
        assert f"record {number}, R = {level_text(record['r'])}" in said(figure)
        assert crowding(figure) == []
    with pytest.raises(PlotError, match=r"d: there is no record 6; expected one from 1 to 5"):
        draw_hypothesis(run, "ab", 6)


def test_the_default_is_the_last_record_on_what_ends_the_one_before(dyck, bracketed):
    assert "dyck-1 on baab: record 5" in said(draw_hypothesis(read_run(dyck, "d")))
    assert "known upper bound, R = 12.5" in said(draw_hypothesis(read_run(bracketed, "b")))
    for record in dyck["records"]:
        record["counterexample"] = None
    assert "dyck-1 on ab: record 5" in said(draw_hypothesis(read_run(dyck, "d")))


def test_bad_words_and_hypotheses(dyck):
    run = read_run(dyck, "d.json")
    with pytest.raises(
        AlphabetMismatchError, match=r"d\.json: word 'abc': symbol 'c' at position 3 is not in"
    ):
        draw_hypothesis(run, "abc")
    with pytest.raises(PlotError, match=rf"the word has length 30; expected at most {MAX_WORD}"):
        draw_hypothesis(run, "a" * 30)
    dyck["records"][4]["hypothesis"]["precision"] = -1
    with pytest.raises(HypothesisFormatError, match=r"d\.json: records\[4\]\.hypothesis: precision = -1"):
        draw_hypothesis(read_run(dyck, "d.json"), "ab")


def test_long_symbols_fit(dyck):
    for record in dyck["records"]:
        content = record["hypothesis"]
        content["alphabet"] = ["opening", "closing"]
        rows = content["embedding"]
        content["embedding"] = {"$": rows["$"], "opening": rows["a"], "closing": rows["b"]}
    figure = draw_hypothesis(read_run(dyck, "d"), "opening closing " * 6)
    assert "1: open…" in said(figure)
    assert crowding(figure) == []


def test_symbols_are_written_as_they_are(dyck):
    for record in dyck["records"]:
        content = record["hypothesis"]
        content["alphabet"] = ["^", "\\"]
        rows = content["embedding"]
        content["embedding"] = {"$": rows["$"], "^": rows["a"], "\\": rows["b"]}
        record["counterexample"] = None
    figure = draw_hypothesis(read_run(dyck, "d"), "^\\")
    assert {"1: ^", "2: \\"} <= {text.get_text() for text in texts(figure)}
    assert crowding(figure) == []


@pytest.mark.parametrize("record", [1, 2])
def test_output_rows_are_those_of_the_reference(next_report, record):
    figure = draw_hypothesis(read_run(next_report, "n"), "1101", record)
    net = from_json_object(next_report["records"][record - 1]["hypothesis"])
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
    assert "Right, as nothing is asked." in said(draw_hypothesis(read_run(next_report, "n"), "00"))
    next_report["target"]["domain"] = "1*"
    shown = said(draw_hypothesis(read_run(next_report, "n"), "10", 1))
    assert "The word is outside the domain: it does not count." in shown
    next_report["target"]["domain"] = "("
    with pytest.raises(PlotError, match=r"n: target: domain: .* is never closed"):
        draw_hypothesis(read_run(next_report, "n"), "10", 1)
    for key in ("kind", "mode", "output", "domain", "judged"):
        next_report["target"].pop(key)
    assert "A symbol may follow, dark," in said(draw_hypothesis(read_run(next_report, "n"), "10", 1))
