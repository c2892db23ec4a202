"""Which figure fits which files, and the same bytes from the same reports."""

from __future__ import annotations

import copy

import pytest

from idinf.render.figures.canvas import encode
from idinf.render.figures.inputs import PlotError
from idinf.render.figures.kinds import KINDS, MOST, draw

RUN_KINDS = [kind for kind in KINDS if kind != "family"]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("suffix", ["svg", pytest.param("png", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_reports_give_the_same_bytes(kind, suffix, dyck, family):
    content = family if kind == "family" else dyck
    first = encode(draw(kind, [("r", content)]), suffix)
    again = copy.deepcopy(content)
    assert encode(draw(kind, [("r", again)]), suffix) == first
    assert again == content  # drawing changes nothing


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_a_family_is_no_report(kind, family):
    with pytest.raises(PlotError, match=r"f\.json: format = \"idinf-family/1\"; expected \"idinf-report/1\""):
        draw(kind, [("f.json", family)])


def test_a_report_is_no_family(dyck):
    with pytest.raises(PlotError, match=r"d\.json: format = \"idinf-report/1\"; expected \"idinf-family/1\""):
        draw("family", [("d.json", dyck)])


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_files(kind, dyck):
    with pytest.raises(PlotError, match=rf"{MOST[kind] + 1} files for --kind {kind}; expected"):
        draw(kind, [("d", dyck)] * (MOST[kind] + 1))
