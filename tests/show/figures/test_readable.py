"""Every kind of figure in a column and on a page: texts apart, legends like the drawing, ticks at points."""

from dataclasses import replace

import pytest

from idinf.show.figures.canvas import Look
from idinf.show.figures.kinds import KINDS, draw
from idinf.tables.row import Row
from tests.show.figures.drawn import crowding, misplaced, points, ticks, unlike
from tests.show.figures.test_canvas import CASES, ROWS, accuracies
from tests.show.reports import golden

#: Inches: a column of a paper, and what each kind takes if it is not asked for.
WIDTHS = (3.3, 6.85, None)

#: Kinds with texts that belong to points; others have texts at cells or above columns.
POINTED = ("frontier", "curve", "batch", "family")


def longer(last, n0, name="majority"):
    """The report of majority with another largest n, n0 and name."""
    run = golden("majority")
    stages = [replace(run.stages[min(n, len(run.stages)) - 1], n=n) for n in range(1, last + 1)]
    return f"{name}.json", replace(
        run, max_n=last, n0=n0, stages=tuple(stages), target=replace(run.target, name=name)
    )


def crowded_family():
    """Members two by two, whose n0 lie close to each other."""
    return tuple(
        Row(f"f-{t}-{k}", family="f", size=t, outcome="identified-for-all-n", n0=n0, n0_lower=n0)
        for t in range(1, 11)
        for k, n0 in enumerate((4 * t, 2 * t + 1, 2 * t + 1, 2 * t + 2, 2 * t + 2, t, t))
    )


def close_records():
    """A run whose records differ little in R and fail at lengths beside each other."""
    run = golden("dyck-1")
    first, *_, last = run.records
    close = [replace(first, r=9.7 + 0.02 * k, fail=2 + k, counterexample="a" * (2 + k)) for k in range(5)]
    return "close.json", replace(run, records=(first, *close, last))


MORE = [
    *(("curve", [longer(last, n0)], {}) for last, n0 in ((4, 2), (16, 9), (64, 60), (1024, 999))),
    ("curve", [longer(8, 7, "W" * 24)], {}),
    ("curve", [longer(64, 3, "m" * 20), longer(32, 30, "w" * 20)], {}),
    ("family", [("f.csv", crowded_family())], {}),
    ("frontier", [close_records()], {}),
    ("batch", [("b.csv", tuple(replace(row, n0_lower=10**k) for k, row in enumerate(ROWS[:6])))], {}),
    ("batch", [("b.csv", ROWS[:1])], {}),
    ("batch", [("b.csv", tuple(replace(row, target="W" * 30) for row in ROWS))], {}),
    ("classes", [("b.csv", ROWS)], {"data": accuracies(["0-50"], [row.target for row in ROWS])}),
]


def test_every_kind_is_among_them():
    assert {kind for kind, _, _ in CASES + MORE} == set(KINDS)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("place", range(len(CASES + MORE)))
def test_a_column_and_a_page_are_readable(place):
    kind, named, more = (CASES + MORE)[place]
    for width in WIDTHS:
        figure = draw(kind, named, **more, look=Look(width))
        assert width is None or figure.get_figwidth() == pytest.approx(width)
        assert crowding(figure) == unlike(figure) == []
        assert misplaced(figure) == [] or kind not in POINTED


def test_ticks_are_where_points_are():
    for width in WIDTHS[::2]:
        look = Look(width)
        assert ticks(draw("curve", [longer(5, 3)], look=look).axes[0]) == {1, 2, 3, 4, 5}
        # R*_n changes at 2, and n0 is 11
        assert ticks(draw("curve", [longer(64, 11)], look=look).axes[0]) >= {1, 2, 11, 64}
        frontier = draw("frontier", [("m.json", golden("dyck-1"))], look=look)
        assert ticks(frontier.axes[0], "y") >= ({1, 2, 4} if width else {1, 2, 3, 4})  # 3 has no room
        rows = tuple(replace(ROWS[0], n0=n0, n0_lower=n0) for n0 in (1, 3, 5, 11))
        assert ticks(draw("batch", [("b.csv", rows)], look=look).axes[1]) == {1, 3, 5, 11}
        pairs = zip(crowded_family(), (2, 5, 9), strict=False)
        members = tuple(replace(row, n0=n0, n0_lower=n0) for row, n0 in pairs)
        family = draw("family", [("f.csv", members)], look=look)
        assert ticks(family.axes[0], "y") >= {2, 5, 9}
        assert {x for x, _ in points(family, "members")} <= ticks(family.axes[0])
