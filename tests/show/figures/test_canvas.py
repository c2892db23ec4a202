"""Same figure, same bytes, whatever the machine is set to; nothing left in the file that changes."""

from __future__ import annotations

import matplotlib
import pytest
from IPython.core.formatters import DisplayFormatter

from idinf.errors import ArgumentError
from idinf.show.figures import canvas
from idinf.show.figures.canvas import Look, Sheet, apply_style, encode, read_caption
from idinf.show.figures.runs import draw_curve
from tests.show.figures.drawn import crowding, said


def drawn():
    with apply_style():
        sheet = Sheet(3.0)
        sheet.heading("a heading " * 9)
        axes = sheet.panel(1.0, 0.5)
        axes.plot([1, 2], [3, 4], label="$x$")
        axes.bar([1], [2], hatch="//")
        sheet.gap(0.4)
        sheet.legend(axes, 1, [(tuple(axes.plot([], [], marker="o")), "extra")])
        sheet.notes(["one line", "words " * 40])
        return sheet.finish()


@pytest.mark.thinned(3)
@pytest.mark.parametrize("suffix", canvas.SUFFIXES)
def test_bytes_do_not_depend_on_the_moment_or_the_settings(suffix):
    first = encode(drawn(), suffix)
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "x", "savefig.dpi": 50, "axes.grid": True}):
        assert encode(drawn(), suffix) == first
    figure = drawn()
    assert encode(figure, suffix) == encode(figure, suffix) == first


@pytest.mark.slow
def test_texts_of_svg_and_pdf_are_texts():
    svg = encode(drawn(), "svg").decode()
    assert "words words" in svg
    assert "'DejaVu Sans', Verdana" in svg
    pdf = encode(drawn(), "pdf")
    assert b"/FontFile2" in pdf  # TrueType, not shapes
    assert b"/Type3" not in pdf


def drawn_as(look):
    with apply_style():
        sheet = Sheet(7.0, look)
        sheet.heading("a heading")
        axes = sheet.panel(1.0, 0.5)
        axes.plot([1, 2], [3, 4], label="a label " * 8)
        sheet.gap(0.4)
        sheet.legend(axes, 2)
        sheet.notes(["first note", "second note"])
        return sheet.finish()


def test_a_reader_chooses_width_title_and_caption():
    plain = drawn_as(Look())
    bare = drawn_as(Look(4.0, title=False, caption=False))
    assert (plain.get_figwidth(), bare.get_figwidth()) == (7.0, 4.0)
    assert "a heading" in said(plain)
    assert "second note" in said(plain)
    assert "heading" not in said(bare)
    assert "note" not in said(bare)
    assert read_caption(bare) == read_caption(plain) == "a heading\nfirst note\nsecond note\n"
    assert crowding(bare) == []
    for width in (2.9, 40.1):
        with pytest.raises(ArgumentError, match=rf"width = {width} inches; expected from 3 to 40.* 84mm$"):
            drawn_as(Look(width))


def test_text_is_never_read_as_mathematics():
    with apply_style():
        sheet = Sheet(3.0)
        sheet.notes(["$\\frac{", "漢"])  # an error if parsed; no glyph in the font
        assert encode(sheet.finish(), "svg")


def test_a_notebook_shows_a_figure(majority):
    formats, _ = DisplayFormatter().format(draw_curve([("majority", majority)]))
    assert formats["image/png"].startswith(b"\x89PNG")
