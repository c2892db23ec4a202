"""Which figure fits which files, and the same bytes from the same reports."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

from idinf.report.files import report_to_dict
from idinf.show.figures.canvas import encode
from idinf.show.figures.kinds import KINDS, choose_kind, draw, read_drawable
from idinf.tables.row import format_csv


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


def test_files_are_read_as_what_they_are(dyck, family, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(report_to_dict(dyck)), encoding="utf-8")
    assert read_drawable(str(path)) == dyck
    path = tmp_path / "x.csv"
    path.write_text(format_csv(family), encoding="utf-8")
    assert read_drawable(str(path)) == family


def test_a_planted_n0_is_not_drawn(majority):
    assert draw("curve", [("m.json", replace(majority, n0=10**17))])
