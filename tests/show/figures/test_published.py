"""The published numbers: complete, of shipped targets, with a source each; and classes against them."""

import csv
from collections import Counter
from importlib.resources import files

import pytest

from idinf.show.figures.rows import describe_groups, draw_classes, group_accuracies, read_published
from idinf.spec.catalogue import list_names, load
from idinf.tables.accuracies import Bin
from idinf.tables.classes import list_class_cells
from idinf.tables.row import Row
from tests.languages.classification.test_published_tables import TABLE_2
from tests.show.figures.drawn import crowding, points, said

ENCODINGS = ("NoPE", "APE", "later")
BINS = (Bin(0, 50), Bin(51, 100), Bin(101, 150))


def test_every_row_is_a_bin_of_a_shipped_target_with_a_source():
    text = files("idinf.show.figures").joinpath("observed.csv").read_text(encoding="utf-8")
    found = list(csv.DictReader(text.splitlines()))
    data = read_published()
    assert set(data.targets) <= set(list_names())
    assert data.bins == BINS
    assert data.encodings == ENCODINGS
    assert set(Counter((row["target"], row["encoding"]) for row in found).values()) == {len(BINS)}
    assert len(data.values) == len(found)
    sources = {"NoPE": "arXiv 2410.02140: ", "APE": "arXiv 2410.02140: ", "later": "arXiv 2602.08857: "}
    assert all(row["source"].startswith(sources[row["encoding"]]) for row in found)
    assert all((row["runs"] == "1") == (row["encoding"] == "later") for row in found)
    assert all((not row["std"]) == (row["runs"] in ("", "1")) for row in found)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Some targets with published numbers, and what is known of their classes."""
    names = ("majority", "parity", "tomita-2", "tomita-5", "d-12", "aa-star")
    return [Row(target, **list_class_cells(load(target))) for target in names]


def test_groups_are_those_of_table_2(rows):
    columns = {"C-RASP[]": 0, "C-RASP[periodic,local]": 1, "star-free": 2, "dot-depth": 3, "in AC0": 4}
    groups = group_accuracies(rows, read_published())
    for group in groups:
        if group.title == "LTL[P]":  # the rival, which Table 2 does not have
            assert group.value == "no"
            assert {"majority", "parity", "d-12"} <= set(group.targets)
            continue
        column = columns[group.title]
        own = {row.target for row in rows if TABLE_2.get(row.target, {column: None})[column] == group.value}
        assert set(group.targets) & set(TABLE_2) == own
    assert {group.title for group in groups} == {*columns, "LTL[P]"}
    assert [group.targets for group in groups if group.title == "dot-depth"][-1] == ("d-12",)
    told = describe_groups(rows, read_published())
    assert (
        "disagree on 4 of 6 targets: majority, tomita-2, d-12, aa-star, which are in the latter alone."
        in told
    )
    assert all(f"{group.value}" in told and group.describe("APE") in told for group in groups)


def test_points_are_the_published_numbers(rows):
    data = read_published()
    figure, groups = draw_classes(rows, data), group_accuracies(rows, data)
    for encoding in ENCODINGS:
        drawn: dict[int, list[float]] = {}
        for x, y in points(figure, f"accuracies {encoding}"):
            drawn.setdefault(round(x), []).append(y)
        for column, group in enumerate(groups):
            known = [data.values.get((target, encoding, BINS[-1])) for target in group.targets]
            assert Counter(drawn.get(column, [])) == Counter(value[0] for value in known if value)
    assert {group.title for group in groups} <= set(said(figure).splitlines())
    assert crowding(figure) == []
