"""Same figure, same bytes, whatever the machine is set to; nothing left in the file that changes."""

from dataclasses import replace

import matplotlib
import pytest

from idinf.errors import ArgumentError
from idinf.report.value import Outcome
from idinf.show.figures import canvas
from idinf.show.figures.canvas import Look, Sheet, apply_style, encode, read_caption
from idinf.tables.accuracies import parse_accuracies
from idinf.tables.row import Row
from tests.show.figures.drawn import crowding, said
from tests.show.reports import family_rows, golden


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


# Every kind of `idinf plot` fits a column and a page of a paper: nothing overlaps, and nothing is cut


ROWS = tuple(
    Row(
        f"{'a-long-name-' * (k % 3)}{k}",
        outcome=outcome.value,
        max_n=1024,
        n0=2**k if outcome.is_identified else None,
        n0_lower=2**k,
        r_star=None if outcome is Outcome.OPEN else 6.5 + k,
        r_lower=6.5 + k,
        r_upper=20.0 if k % 2 else None,
        star_free="yes" if k % 2 else "no",
        crasp="yes" if k % 2 else "no",
        crasp_periodic_local=("yes", "no", "unknown")[k % 3],
    )
    for k, outcome in enumerate([*Outcome] * 2)
)


def accuracies(bins, targets):
    lines = [
        f"{target},{encoding},{lengths},{1 - 0.04 * place - 0.02 * seed},{seed}"
        for target in targets
        for place, lengths in enumerate(bins)
        for encoding in ("NoPE", "APE")
        for seed in (1, 2)
    ]
    return parse_accuracies("target,encoding,bin,accuracy,seed\n" + "\n".join(lines), "mine.csv")


def many(count):
    """Reports in the order of a paper, as files with their names."""
    found = [golden(name) for name in ("majority", "parity", "dyck-1")]
    hypothesis = found[0].records[-1].hypothesis
    bracket = replace(found[1].bracket, r_upper=12.5, upper_length=20, hypothesis=hypothesis)
    found += [replace(found[1], bracket=bracket)] * (count - 3)
    return [(f"run-{k}.json", run) for k, run in enumerate(found[:count])]


def cases():
    """A kind with what it is drawn from, and more of `draw`."""
    for name, run in many(4):
        yield "frontier", [(name, run)], {}
        yield "hypothesis", [(name, run)], {}
    for word in ("", "a", "aabbab"):
        yield "hypothesis", many(3)[2:], {"word": word}
    for count in (1, 3, 7):
        yield "curve", many(count), {}
    yield "family", [("f.csv", family_rows())], {}
    for named in (many(3), [("batch.csv", ROWS)]):
        yield "batch", named, {}
    yield "observed", many(3), {}
    names = [row.target for row in ROWS]
    for bins in (["0-50", "51-100", "101-150"], list(range(10, 70, 10)), list(range(10, 210, 10))):
        yield "observed", [("batch.csv", ROWS)], {"data": accuracies(bins, names)}
        yield "classes", [("batch.csv", ROWS)], {"data": accuracies(bins, names)}


CASES = list(cases())
