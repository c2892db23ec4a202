"""Figures of lines: points are the tables, and what is proved is said."""

import copy
import json
from dataclasses import replace

import pytest

from idinf.lab.communication.study import Growth, LowerRow, Study, Subject, UpperRow
from idinf.lab.figures import draw_communication
from idinf.report.files import report_to_dict
from idinf.show.figures.canvas import encode
from idinf.show.figures.kinds import KINDS, choose_kind, draw, read_drawable
from idinf.show.figures.lines import draw_family
from idinf.tables.row import format_csv
from idinf.targets.tasks import TASKS
from tests.show.figures.drawn import artists, crowding, points, said


@pytest.fixture
def both() -> Study:
    upper = (
        UpperRow(2, 1, 5, 4, True, 7),
        UpperRow(4, 2, 7, 4, False, 9),
        UpperRow(64, 32, 13, 4, False, 15),
    )
    lower = (LowerRow(2, 2), LowerRow(4, 4), LowerRow(64, 32))
    return Study(Subject("dyck", "", None, None), upper, (2, 3), (), lower, Growth("logarithmic", ""))


def test_what_is_drawn_is_the_tables(both: Study) -> None:
    equality = Subject("equality", "", None, TASKS["equality"]).study(64, 1)
    figure = draw_communication([both, equality])
    assert points(figure, "behaviours 0") == [(2, 1), (4, 2), (64, 5)]
    assert points(figure, "protocol 0") == [(2, 5), (4, 7), (64, 13)]
    assert points(figure, "behaviours 1") == [(row.n, row.n / 2) for row in equality.lower]
    assert artists(figure, "protocol 1") == []
    text = " ".join(said(figure).split())
    assert "dyck: the protocol sends" in text
    assert "equality: log2 of its behaviours is linear in n" in text
    assert "too few at some n shown for C < 5.333" in text
    alone = Study(Subject("net", "", None, None), both.upper, None, ((2, 1, "values"),), (), None)
    assert "net: nothing is proved." in said(draw_communication([alone]))
    assert crowding(figure) == crowding(draw_communication([alone])) == []


def test_what_is_drawn_is_the_table(family):
    figure = draw_family(family)
    assert sorted(points(figure, "members")) == [(1, 3), (2, 4), (3, 5), (3, 8)]
    assert points(figure, "maxima") == [(1, 3), (2, 4), (3, 8)]
    assert points(figure, "unsettled") == [(4, 9)]
    assert points(figure, "fit 0")[:: len(points(figure, "fit 0")) - 1] == [(1, 2.5), (3, 7.5)]
    for text in ("×2", "n₀ ≈ 2.500(T - 1) + 2.500, least squares, root mean square 0.707", "Not settled, so"):
        assert text in said(figure)
    assert crowding(figure) == []
    exact = draw_family([replace(row, n0=2 * row.size, n0_lower=2 * row.size) for row in family])
    assert "n₀ = 2(T - 1) + 2, exact for T in 1..4" in said(exact)
    assert artists(exact, "fit 0")[0].get_linestyle() == "-"


# Which figure fits which files, and the same bytes from the same reports


@pytest.mark.thinned(8)
@pytest.mark.parametrize("suffix", ["svg", pytest.param("png", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_reports_give_the_same_bytes(kind, suffix, dyck, family):
    content = family if kind == "family" else dyck
    first = encode(draw(kind, [("r", content)]), suffix)
    assert encode(draw(kind, [("r", copy.deepcopy(content))]), suffix) == first


def test_the_kind_follows_from_what_is_given(dyck, family):
    assert [choose_kind(dyck, 1, False), choose_kind(dyck, 1, True)] == ["frontier", "hypothesis"]
    assert [choose_kind(dyck, 2, False), choose_kind(family, 1, False)] == ["curve", "family"]
    assert choose_kind(family, 2, False) == "batch"


def test_files_are_read_as_what_they_are(dyck, family, tmp_path):
    for name, text, value in (
        ("x.json", json.dumps(report_to_dict(dyck)), dyck),
        ("x.csv", format_csv(family), family),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_drawable(str(tmp_path / name)) == value


def test_a_planted_n0_is_not_drawn(majority):
    assert draw("curve", [("m.json", replace(majority, n0=10**17))])
