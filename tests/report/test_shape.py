"""Texts that are no report are refused, with the place and what was expected."""

from __future__ import annotations

import json

import pytest

from idinf.report.shape import OPTIONAL, SHAPE, ReportError, read_report
from tests.verification.small_reports import RUNS, place_of, report_of, text_of


@pytest.mark.parametrize("name", RUNS)
def test_what_identify_writes_is_read(name):
    assert read_report(text_of(name), "r.json") == report_of(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "",
            r"r\.json: not JSON \(Expecting value, .*\); expected what 'idinf identify -o' wrote",
        ),
        ("{", "not JSON"),
        ("[" * 100_000, "nested more than 250 deep"),
        ("1" * 5000, "not JSON"),
        ("[]", r"format = None; expected 'idinf-report/1'"),
        ("null", "format = None"),
        ('{"format": 3}', "format = 3"),
        ('{"format": "idinf-family/1"}', "format = 'idinf-family/1'"),
        ('{"format": "idinf-report/1", "format": "idinf-report/1"}', "the key 'format' is given twice"),
        ('{"format": "idinf-report/1", "seconds": NaN}', "NaN is no number; expected what"),
        ('{"format": "idinf-report/1", "seconds": -Infinity}', "-Infinity is no number"),
        ('{"format": "idinf-report/1"}', "idinf_version is missing; write the report again"),
    ],
)
def test_other_texts_are_refused(text, expected):
    with pytest.raises(ReportError, match=expected):
        read_report(text, "r.json")


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("colour",), 1, "colour is an unknown key; expected only format, "),
        (("stages", 1, "god"), True, r"stages\[1\]\.god is an unknown key"),
        (("stages", 1), 3, r"stages\[1\] = 3; expected an object"),
        (("stages",), {}, r"stages = \{\}; expected a list"),
        (("max_n",), True, "max_n = True; expected an integer"),
        (("max_n",), 4.0, "max_n = 4.0; expected an integer"),
        (("n0",), "2", "n0 = '2'; expected an integer or null"),
        (("records", 0, "r"), "4", r"records\[0\]\.r = '4'; expected an integer or a finite number"),
        (("records", 0, "r"), 10**400, r"records\[0\]\.r = an integer of 1329 bits; expected"),
        (("records", 0, "fail"), 1.5, r"records\[0\]\.fail = 1\.5; expected an integer or null"),
        (("records", 0, "hypothesis"), None, r"records\[0\]\.hypothesis = None; expected an object"),
        (
            ("records", 0, "r_terms", "phi"),
            10**400,
            r"records\[0\]\.r_terms\.phi = an integer of 1329 bits; expected",
        ),
        (
            ("records", 0, "r_terms", "phi"),
            [1],
            r"records\[0\]\.r_terms\.phi = \[1\]; expected an integer or",
        ),
        (("records", 0, "r_terms", "phi"), True, r"records\[0\]\.r_terms\.phi = True; expected"),
        (("stages", 0, "good"), 1, r"stages\[0\]\.good = 1; expected true or false or null"),
        (("bracket",), [], r"bracket = \[\]; expected an object or null"),
        (("target",), None, "target = None; expected an object"),
        (("beyond",), 3, "beyond = 3; expected a text or null"),
    ],
)
def test_a_wrong_key_or_kind_is_named(path, value, expected):
    report = report_of("proved")
    place_of(report, path[:-1])[path[-1]] = value
    with pytest.raises(ReportError, match=r"r\.json: " + expected):
        read_report(json.dumps(report), "r.json")


@pytest.mark.parametrize("place", SHAPE)
def test_every_key_is_needed(place):
    report = report_of("open")
    report["proofs"] = report_of("proved")["proofs"]
    value = report if not place else report[place.removesuffix("[]")]
    holder = value[-1] if isinstance(value, list) else value
    for key in SHAPE[place]:
        spoilt = json.loads(json.dumps(report))
        inner = spoilt if not place else spoilt[place.removesuffix("[]")]
        del (inner[-1] if isinstance(inner, list) else inner)[key]
        with pytest.raises(ReportError, match="format = None" if key == "format" else f"{key} is missing"):
            read_report(json.dumps(spoilt), "r.json")
    assert list(holder) == [key for key in holder if key in SHAPE[place] or key in OPTIONAL.get(place, ())]


def test_a_number_that_overflows_is_refused():
    text = json.dumps(report_of("proved")).replace('"seconds": ', '"seconds": 1e999, "x": ', 1)
    with pytest.raises(ReportError, match=r"x is an unknown key|seconds = inf"):
        read_report(text, "r.json")
