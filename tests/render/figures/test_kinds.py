"""Which figure fits which files, and the same bytes from the same reports."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

from idinf.errors import AlphabetMismatchError, PlotError, ReportFormatError
from idinf.render.figures.canvas import encode
from idinf.render.figures.kinds import KINDS, MOST, choose_kind, draw, name_runs, read_drawable
from idinf.report.family import family_to_dict, read_family
from idinf.report.files import report_to_dict
from tests.render.reports import golden_dict

RUN_KINDS = [kind for kind in KINDS if kind != "family"]


@pytest.mark.thinned(8)
@pytest.mark.parametrize("suffix", ["svg", pytest.param("png", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_reports_give_the_same_bytes(kind, suffix, dyck, family):
    content = family if kind == "family" else dyck
    first = encode(draw(kind, [("r", content)]), suffix)
    assert encode(draw(kind, [("r", copy.deepcopy(content))]), suffix) == first


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


def test_the_kind_follows_from_what_is_given(dyck, family):
    assert [choose_kind(dyck, 1, False), choose_kind(dyck, 1, True)] == ["frontier", "hypothesis"]
    assert [choose_kind(dyck, 2, False), choose_kind(family, 1, False)] == ["curve", "family"]


def test_files_are_read_as_what_they_are(dyck, family, tmp_path):
    path = tmp_path / "x.json"
    for value, content in ((dyck, report_to_dict(dyck)), (family, family_to_dict(family))):
        path.write_text(json.dumps(content), encoding="utf-8")
        assert read_drawable(str(path)) == value


def test_labels_tell_runs_apart():
    assert name_runs([("m", "majority"), ("p", "parity")]) == ("majority", "parity")
    assert name_runs([("runs/one.json", "x"), ("runs/other.json", "x")]) == ("one (x)", "other (x)")
    assert name_runs([("m", "x" * 50)]) == ("x" * 19 + "…",)


def test_what_a_figure_refuses_names_the_file(dyck, family):
    with pytest.raises(PlotError, match=r"d\.json: there is no record 6; expected one from 1 to 5"):
        draw("hypothesis", [("d.json", dyck)], "ab", 6)
    with pytest.raises(AlphabetMismatchError, match=r"d\.json: word 'abc': symbol 'c' at position 3"):
        draw("hypothesis", [("d.json", dyck)], "abc")
    with pytest.raises(PlotError, match=r"f\.json: members is empty"):
        draw("family", [("f.json", replace(family, members=()))])
    for kind in ("frontier", "hypothesis"):
        with pytest.raises(PlotError, match=r"d\.json: records = \[\]; expected at least one record"):
            draw(kind, [("d.json", replace(dyck, records=()))])


@pytest.mark.parametrize("kind", ["curve", "observed"])
def test_a_run_without_records_has_a_curve(kind, parity):
    assert draw(kind, [("p.json", replace(parity, records=()))])


def test_a_planted_n0_is_not_drawn(majority):
    assert draw("curve", [("m.json", replace(majority, n0=10**17))])


@pytest.mark.parametrize("text", ["1e999999999", "1" * 10**6, "1/0", "1.5", "1/00", "+1", "1_0", " 1"])
def test_no_fraction_fills_the_memory(text, family):
    content = family_to_dict(family)
    content["fits"][0]["coefficients"] = [text]
    with pytest.raises(ReportFormatError, match=r"coefficients\[0\] = .*; expected a fraction") as caught:
        read_family(content, "f.json")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("bounds", [[], [1], [1, 2, 3], "ab", {}])
def test_ranges_have_two_ends(bounds, family):
    content = family_to_dict(family)
    content["family"]["parameters"]["k"] = bounds
    with pytest.raises(
        ReportFormatError, match=r"family\.parameters\.k = .*; expected (two integers|a list)"
    ):
        read_family(content, "f.json")


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


def test_other_formats_are_refused(tmp_path):
    path = tmp_path / "b.json"
    path.write_text(json.dumps(golden_dict("parity") | {"format": "idinf-bench/1"}), encoding="utf-8")
    with pytest.raises(ReportFormatError, match=r'format = "idinf-bench/1"; expected "idinf-report/1"'):
        read_drawable(str(path))
