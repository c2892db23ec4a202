"""Same figure, same bytes, whatever the machine is set to; nothing left in the file that changes."""

from __future__ import annotations

import subprocess
import sys
from xml.dom import minidom

import matplotlib
import pytest

from idinf.errors import ArgumentError, PlotError
from idinf.render.figures import canvas
from idinf.render.figures.canvas import Look, Sheet, apply_style, encode, load_matplotlib, read_caption
from tests.render.figures.drawn import crowding, said


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


@pytest.mark.parametrize("suffix", canvas.SUFFIXES)
def test_bytes_do_not_depend_on_the_moment_or_the_settings(suffix):
    first = encode(drawn(), suffix)
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "x", "savefig.dpi": 50, "axes.grid": True}):
        assert encode(drawn(), suffix) == first
    figure = drawn()
    assert encode(figure, suffix) == encode(figure, suffix) == first


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


def test_files_hold_no_date_and_no_version_of_matplotlib():
    assert b"CreationDate" not in encode(drawn(), "pdf")
    svg = encode(drawn(), "svg").decode()
    assert "dc:date" not in svg
    assert "Matplotlib" not in svg
    assert "idinf" in svg
    assert b"Matplotlib" not in encode(drawn(), "png")


def test_the_style_is_gone_afterwards():
    before = dict(matplotlib.rcParams)
    encode(drawn(), "svg")
    assert dict(matplotlib.rcParams) == before


def test_no_other_module_of_matplotlib_keeps_state():
    code = (
        "import sys; from idinf.render.figures.canvas import Sheet, encode, apply_style\n"
        "with apply_style():\n    encode(Sheet(2).finish(), 'png')\n"
        "print('matplotlib.pyplot' in sys.modules, 'idinf.render.figures.canvas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "True"]


def test_text_is_never_read_as_mathematics():
    with apply_style():
        sheet = Sheet(3.0)
        sheet.notes(["$\\frac{", "漢"])  # an error if parsed; no glyph in the font
        assert encode(sheet.finish(), "svg")


def test_a_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotError, match=r"pip install 'idinf\[plot\]'"):
        load_matplotlib()


def test_notes_and_headings_are_wrapped_and_heights_add_up():
    figure = drawn()
    lines = [text.get_text() for text in figure.texts if text.get_visible()]
    assert sum(line.startswith("a heading") or "heading" in line for line in lines) > 1
    assert any(line.startswith("\u00a0\u00a0") for line in lines)
    tops = [text.get_position()[1] for text in figure.texts if text.get_visible()]
    assert tops == sorted(tops, reverse=True)
    assert all(0 < top < 1 for top in tops)
    panel = figure.axes[0].get_position()
    assert panel.height * figure.get_figheight() == pytest.approx(1.0)


def test_control_characters_of_a_report_leave_the_file_whole():
    with apply_style():
        sheet = Sheet(3.0)
        sheet.heading("evil \x1b[2J\x00\x9b\u202e")
        sheet.panel(1.0, 0.5).set_xlabel("\x07")
        svg = encode(sheet.finish(), "svg").decode()
    assert "\\u001b[2J\\u0000\\u009b\\u202e" in svg
    minidom.parseString(svg)
