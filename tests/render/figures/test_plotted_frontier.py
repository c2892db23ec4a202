"""The frontier shows the records and windows of the report, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.numbers import format_number
from idinf.render.figures.runs import draw_frontier
from tests.render.figures.drawn import crowding, said


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
