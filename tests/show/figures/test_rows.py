"""Figures of batches and of measured accuracies: what is drawn is in the rows and the data, and readable."""

from statistics import fmean

from idinf.show.figures.canvas import Look, read_caption
from idinf.show.figures.rows import draw_accuracies, draw_batch
from idinf.tables.accuracies import parse_accuracies
from idinf.tables.row import Row
from tests.show.figures.drawn import artists, crowding, points, said

ROWS = (
    Row("a", outcome="identified-for-all-n", n0=3, max_n=8, r_star=8.5, n0_lower=3, r_lower=8.5, crasp="yes"),
    Row("b", outcome="identified", n0=4, max_n=8, r_star=9.0, n0_lower=4, r_lower=9.0, r_upper=9.0),
    Row("c", outcome="open", max_n=8, n0_lower=5, r_lower=9.5, r_upper=12.0, crasp_periodic_local="yes"),
    Row("d" * 40, outcome="open", max_n=8, n0_lower=2, r_lower=9.75, crasp_periodic_local="no"),
    Row("not-identified", outcome="not-identified", max_n=8, r_star=8.0, n0_lower=9, r_lower=8.0),
    Row("failed", error="no such file"),
)
LABELLED = [(row.target, row) for row in ROWS]

TEXT = """target,encoding,bin,accuracy,seed
a,NoPE,0-50,1,1
a,NoPE,0-50,0.9,2
a,NoPE,51-100,0.5,1
a,APE,0-50,0.95,1
c,NoPE,0-50,0.25,1
elsewhere,NoPE,0-50,1,1
"""


def test_a_batch_has_a_line_for_each_target_with_an_answer():
    figure = draw_batch(LABELLED)
    assert points(figure, "levels 0") == [(8.5, 0)]
    assert points(figure, "levels 3") == [(9.0, 1), (8.0, 4)]
    assert points(figure, "bracket 2") == [(9.5, 2), (12.0, 2)]
    assert points(figure, "bracket 3") == [(9.75, 3), (9.75, 3)]
    assert [points(figure, f"n0 {y}") for y in (0, 1)] == [[(3, 0)], [(4, 1)]]
    assert [points(figure, f"least n0 {y}") for y in (2, 3, 4)] == [[(5, 2)], [(2, 3)], [(9, 4)]]
    fills = [artists(figure, f"n0 {y}")[0].get_markerfacecolor() for y in (0, 1)]
    assert fills[0] != "white" == fills[1]  # for every n, and up to max n
    assert "2 of 6 targets are identified" in read_caption(figure)
    assert "Not drawn: 1 target that failed." in read_caption(figure)
    assert "Not drawn" not in read_caption(draw_batch(LABELLED[:5]))
    assert crowding(figure) == []
    assert crowding(draw_batch(LABELLED * 4, Look(4.5))) == []


def test_marks_are_means_and_bars_are_ranges():
    data = parse_accuracies(TEXT, "mine.csv")
    figure = draw_accuracies(LABELLED, data)
    assert points(figure, "means a NoPE") == [(0, fmean([1, 0.9])), (1, 0.5)]
    assert points(figure, "range a NoPE") == [(0, 0.9), (0, 1.0)]
    assert points(figure, "means a APE") == [(0, 0.95)]
    assert points(figure, "means c NoPE") == [(0, 0.25)]
    assert artists(figure, "range c NoPE") == []
    for told in ("C-RASP[]", "8.5", "n₀ = 3 for every n", "C-RASP[periodic,local]", "> 9.5", "open, n₀ ≥ 5"):
        assert told in said(figure)
    caption = read_caption(figure)
    assert "Marks are means of 1 to 2 runs; bars reach from the least to the largest." in caption
    assert "not among the reports: elsewhere" in caption
    assert "Without accuracies, so not drawn: b" in caption
    assert "2410.02140" not in caption  # what is said of the published numbers is about them alone
    assert crowding(figure) == crowding(draw_accuracies(LABELLED, data, Look(7.1))) == []
