"""The figure of a family: members, the largest of each size, the law."""

from __future__ import annotations

from dataclasses import replace

from idinf.render.figures.lines import draw_family
from tests.render.figures.drawn import artists, crowding, points, said


def test_what_is_drawn_is_the_table(family):
    figure = draw_family(family)
    assert sorted(points(figure, "members")) == [(1, 3), (2, 4), (3, 5), (3, 8)]
    assert points(figure, "maxima") == [(1, 3), (2, 4), (3, 8)]
    assert points(figure, "unsettled") == [(4, 9)]
    law = points(figure, "fit 0")
    assert law[0] == (1, 2.5)
    assert law[-1] == (3, 7.5)
    text = said(figure)
    assert "×2" in text
    assert "n₀ ≈ 2.500(T - 1) + 2.500, least squares, root mean square 0.707" in text
    assert "Not settled, so not part of a law: T = 4." in text
    assert crowding(figure) == []


def test_an_exact_law_says_so(family):
    rows = [replace(row, n0=2 * row.size, n0_lower=2 * row.size) for row in family]
    figure = draw_family(rows)
    assert "n₀ = 2(T - 1) + 2, exact for T in 1..4" in said(figure)
    assert artists(figure, "fit 0")[0].get_linestyle() == "-"
