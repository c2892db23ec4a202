"""The curve shows every stage of the reports: R*_n where known, bounds where not."""

from __future__ import annotations

import pytest

from idinf.render.figures.curve import MAX_RUNS, draw_curve
from idinf.render.figures.inputs import read_run
from tests.render.figures.drawn import artists, crowding, points, said


def test_what_is_drawn_is_the_reports(majority, parity):
    figure = draw_curve([read_run(majority, "m"), read_run(parity, "p")])
    for place, report in enumerate((majority, parity)):
        for good in (True, False):
            wanted = [(s["n"], s["r_star"]) for s in report["stages"] if s["good"] is good]
            gid = f"points {place} {good}"
            assert (points(figure, gid) if wanted else artists(figure, gid)) == wanted
        known = [(s["n"], s["r_star"]) for s in report["stages"] if s["r_star"] is not None]
        assert points(figure, f"line {place}") == known
    lower = [(s["n"], s["r_star_lower"]) for s in parity["stages"] if s["r_star"] is None]
    assert points(figure, "lower 1") == lower
    assert artists(figure, "lower 0") == []
    assert [x for x, _ in points(figure, "n0 0")] == [3, 3]
    assert artists(figure, "n0 1") == []
    text = said(figure)
    assert "majority: n₀ = 3" in text
    assert "parity: open, n₀ ≥ 3" in text
    assert "parity: R*ₙ > 9.5 proved" in text


def test_bad_n_always_have_their_marker(parity):
    figure = draw_curve([read_run(parity, "p")])
    (bad,) = artists(figure, "points 0 False")
    assert bad.get_markevery() is None
    (lower,) = artists(figure, "lower 0")
    kept = lower.get_markevery()
    assert kept[0] == 0
    assert kept[-1] == len(lower.get_xdata()) - 1


def test_the_upper_bound_reaches_as_far_as_it_was_checked(bracketed):
    figure = draw_curve([read_run(bracketed, "b")])
    assert points(figure, "upper 0") == [(n, 12.5) for n in range(3, 21)]
    assert "parity: R*ₙ ≤ 12.5" in said(figure)
    assert crowding(figure) == []


def test_undetermined_n_with_a_known_level_are_half_filled(majority):
    majority["stages"][5]["good"] = None
    figure = draw_curve([read_run(majority, "m")])
    assert points(figure, "points 0 None") == [(6, majority["stages"][5]["r_star"])]
    assert artists(figure, "points 0 None")[0].get_fillstyle() == "bottom"
    assert "n undetermined" in said(figure)


def test_series_differ_without_colour(majority):
    runs = [read_run(majority, f"{k}.json") for k in range(MAX_RUNS)]
    figure = draw_curve(runs)
    good = [artists(figure, f"points {k} True")[0] for k in range(MAX_RUNS)]
    lines = [artists(figure, f"line {k}")[0] for k in range(MAX_RUNS)]
    assert len({line.get_marker() for line in good}) == MAX_RUNS
    assert len({line.get_color() for line in good}) == MAX_RUNS
    # The pattern as drawn: "-" and "--" are one name for many.
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == MAX_RUNS
    assert crowding(figure) == []


def test_a_run_of_one_n_and_one_without_any_level(majority, parity):
    majority |= {"max_n": 1, "stages": majority["stages"][:1], "outcome": "not-identified", "n0": None}
    for stage in parity["stages"]:
        stage |= {"r_star": None, "good": None}
    figure = draw_curve([read_run(majority, "m"), read_run(parity, "p")])
    assert "majority: not identified" in said(figure)
    assert "parity: open, n₀ ≥ 3" in said(figure)
    assert draw_curve([read_run(majority, "m")]).axes[0].get_xscale() == "linear"


@pytest.mark.parametrize("n0", [1, 20, 64])
def test_the_label_of_n0_stays_inside(majority, n0):
    majority["n0"] = n0
    figure = draw_curve([read_run(majority, "m")])
    assert crowding(figure) == []
    label = next(text for text in figure.axes[0].texts if "n₀" in text.get_text())
    assert label.get_window_extent().x1 <= figure.axes[0].bbox.x1
