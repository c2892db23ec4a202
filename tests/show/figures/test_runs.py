"""Frontier and curve show the records, windows and stages of reports, and nothing else."""

from dataclasses import replace

import pytest

from idinf.base.numbers import format_number
from idinf.show.figures.runs import draw_curve, draw_frontier
from tests.show.figures.drawn import artists, crowding, points, said


def windows(figure):
    return [
        (patch.get_y(), patch.get_x(), patch.get_width())
        for container in figure.axes[0].containers
        for patch in container.patches
    ]


def records(figure):
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == "record"]
    return list(zip(line.get_xdata(), line.get_ydata(), strict=True))


@pytest.mark.parametrize("name", ["majority", "parity", "dyck"])
def test_what_is_drawn_is_the_report(name, request):
    report = request.getfixturevalue(name)
    figure = draw_frontier(report)
    top = figure.axes[0].get_yticks()[-1]
    assert records(figure) == [(r.r, top if r.fail is None else r.fail) for r in report.records]
    assert windows(figure) == [
        (s.n, s.r_star, pytest.approx(1 / (2 * s.n))) for s in report.stages if s.r_star is not None
    ]
    text = said(figure)
    assert f"> {2 * report.max_n}" in text
    assert f"not searched: R > {format_number(report.complete_up_to_r)}" in text
    flat = " ".join(text.split())
    for record in report.records:
        assert record.formula in flat
        assert f"R = {format_number(record.r)}" in flat


def test_good_and_bad_windows_differ_in_more_than_colour(majority):
    containers = draw_frontier(majority).axes[0].containers
    looks = {n: (c.patches[0].get_hatch() or "") for n, c in enumerate(containers, start=1)}
    assert [bool(looks[n]) for n in (1, 2, 3, 4)] == [True, True, False, False]


def test_a_tolerance_of_zero_and_fail_at_the_empty_word(majority):
    first, *records = majority.records
    first = replace(first, fail=0, counterexample="")
    rule = replace(majority.regularizer, tolerance=0.0)
    figure = draw_frontier(replace(majority, regularizer=rule, records=(first, *records)))
    assert {width for _, _, width in windows(figure)} == {0.0}
    assert "fails at length 0, on the empty word" in said(figure)
    assert crowding(figure) == []


def test_what_is_drawn_is_the_reports(majority, parity):
    figure = draw_curve([("majority", majority), ("parity", parity)])
    for place, report in enumerate((majority, parity)):
        for good in (True, False):
            wanted = [(s.n, s.r_star) for s in report.stages if s.good is good]
            gid = f"points {place} {good}"
            assert (points(figure, gid) if wanted else artists(figure, gid)) == wanted
        known = [(s.n, s.r_star) for s in report.stages if s.r_star is not None]
        assert points(figure, f"line {place}") == known
    lower = [(s.n, s.r_star_lower) for s in parity.stages if s.r_star is None]
    assert points(figure, "lower 1") == lower
    assert artists(figure, "lower 0") == []
    assert [x for x, _ in points(figure, "n0 0")] == [3, 3]
    assert artists(figure, "n0 1") == []
    text = said(figure)
    assert "majority: n₀ = 3" in text
    assert "majority: n₀ = 3 in the one-hot family, for every n." in " ".join(text.split())
    assert "parity: open, n₀ ≥ 3" in text
    assert "parity: R*ₙ > 9.5 proved" in text


def test_the_upper_bound_reaches_as_far_as_it_was_checked(bracketed):
    figure = draw_curve([("parity", bracketed)])
    assert points(figure, "upper 0") == [(n, 12.5) for n in range(3, 21)]
    assert "parity: R*ₙ ≤ 12.5" in said(figure)
    assert crowding(figure) == []
