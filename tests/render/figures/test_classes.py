"""Classes against accuracies: groups by hand, and points that are the published numbers."""

from __future__ import annotations

from collections import Counter

import pytest

import idinf
from idinf.library.observed import CLASSES
from idinf.render.figures.classes import draw_classes
from idinf.render.figures.observed import ENCODINGS, load_published
from tests.classification.test_published_tables import TABLE_2
from tests.render.figures.drawn import crowding, points, said


@pytest.fixture(scope="module")
def found() -> idinf.Observed:
    return idinf.observed()


def test_groups_are_those_of_table_2(found: idinf.Observed) -> None:
    columns = {"C-RASP[]": 0, "C-RASP[periodic,local]": 1, "star-free": 2, "dot-depth": 3, "in AC0": 4}
    for group in found.groups:
        column = columns[group.title]
        own = {target for target, row in TABLE_2.items() if row[column] == group.value}
        assert set(group.targets) & set(TABLE_2) == own
    assert len({group.title for group in found.groups}) == len(CLASSES)


def test_points_are_the_published_numbers(found: idinf.Observed) -> None:
    figure = draw_classes(found.groups, 101)
    for encoding in ENCODINGS:
        drawn: dict[int, list[float]] = {}
        for x, y in points(figure, f"accuracies {encoding}"):
            drawn.setdefault(round(x), []).append(y)
        for column, group in enumerate(found.groups):
            known = [load_published().get((target, encoding, 101)) for target in group.targets]
            assert Counter(drawn.get(column, [])) == Counter(value for value in known if value is not None)
    assert {group.title for group in found.groups} <= set(said(figure).splitlines())
    assert crowding(figure) == []
