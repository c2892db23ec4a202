"""Which figure fits which files, and the same bytes from the same reports."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

from idinf.errors import ReportFormatError
from idinf.render.figures.canvas import encode
from idinf.render.figures.kinds import KINDS, choose_kind, draw, read_drawable
from idinf.report.family import family_to_dict, read_family
from idinf.report.files import report_to_dict


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
    for value, content in ((dyck, report_to_dict(dyck)), (family, family_to_dict(family))):
        path.write_text(json.dumps(content), encoding="utf-8")
        assert read_drawable(str(path)) == value


def test_a_planted_n0_is_not_drawn(majority):
    assert draw("curve", [("m.json", replace(majority, n0=10**17))])


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("fits", 0, "coefficients"), ["1"] * 99, r"fits\[0\]\.coefficients = .*; expected at most 3"),
        (("fits", 0, "sizes"), [], r"fits\[0\]\.sizes = \[\]; expected at least one size"),
        (("members", 1, "size"), -1, r"members\[1\]\.size = -1; expected an integer of at least 0"),
        (("members", 1, "n0"), "4", r'members\[1\]\.n0 = "4"; expected an integer'),
    ],
)
def test_a_planted_value_of_a_family_is_refused(path, value, message, family):
    content = family_to_dict(family)
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ReportFormatError, match=rf"^f\.json: {message}"):
        read_family(content, "f.json")
