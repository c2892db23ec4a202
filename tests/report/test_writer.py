"""The JSON object of a report: every key and type of idinf-report/1, and the invariant on R."""

from __future__ import annotations

import dataclasses

import pytest

from idinf import __version__
from idinf.report.writer import checked_terms, report_object
from idinf.transformers.json_format import from_json_object
from idinf.transformers.reference import accepts
from idinf.transformers.regularizer import Aggregate, r_terms

NUMBER = (int, float)
OPTIONAL_NUMBER = (*NUMBER, type(None))
OPTIONAL_INT = (int, type(None))
OPTIONAL_TEXT = (str, type(None))

REPORT = {
    "format": str,
    "idinf_version": str,
    "target": dict,
    "space": dict,
    "regularizer": dict,
    "max_n": int,
    "outcome": str,
    "n0": OPTIONAL_INT,
    "n0_canonical": OPTIONAL_INT,
    "complete_up_to_r": float,
    "stop_reason": str,
    "stages": list,
    "bracket": (dict, type(None)),
    "records": list,
    "proofs": list,
    "beyond": OPTIONAL_TEXT,
    "counts": dict,
    "seconds": float,
    "peak_bytes": int,
    "method": str,
}
TARGET = {"name": str, "alphabet": list, "kind": str, "source": str, "digest": str}
#: Types of what is not an integer bound.
SPACE = {"preset": str, "max_r": float, "realisation": str}
STAGE = {
    "n": int,
    "r_star": OPTIONAL_NUMBER,
    "r_star_lower": NUMBER,
    "num_selected": int,
    "num_selected_bad": int,
    "num_selected_exact": bool,
    "good": (bool, type(None)),
    "counterexample": OPTIONAL_TEXT,
    "fail_of_worst": OPTIONAL_INT,
}
BRACKET = {
    "r_lower": NUMBER,
    "r_upper": OPTIONAL_NUMBER,
    "upper_length": OPTIONAL_INT,
    "hypothesis": (dict, type(None)),
    "stop_bound_upper": OPTIONAL_NUMBER,
    "n0_lower": OPTIONAL_INT,
}
RECORD = {
    "r": float,
    "r_terms": dict,
    "fail": OPTIONAL_INT,
    "proved_all_n": bool,
    "counterexample": OPTIONAL_TEXT,
    "formula": str,
    "hypothesis": dict,
}
COUNTS = dict.fromkeys(("enumerated", "distinct", "exact", "dp"), int)


def check(value, schema) -> None:
    assert list(value) == list(schema)
    for key, kind in schema.items():
        assert isinstance(value[key], kind), key


@pytest.mark.parametrize("name", ["identified", "opened", "bracketed", "not_identified"])
def test_keys_and_types(name, request) -> None:
    run = request.getfixturevalue(name)
    report = report_object(*run.arguments)
    check(report, REPORT)
    check(report["target"], TARGET)
    assert list(report["space"]) == ["preset", *run.bounds.to_dict(), "realisation"]
    for key, value in report["space"].items():
        assert isinstance(value, SPACE.get(key, int)), key
    check(report["regularizer"], {"aggregate": str, "tolerance": (str, float)})
    check(report["counts"], COUNTS)
    assert [stage["n"] for stage in report["stages"]] == list(range(1, report["max_n"] + 1))
    for stage in report["stages"]:
        check(stage, STAGE)
    for record in report["records"]:
        check(record, RECORD)
        assert list(record["r_terms"])[:3] == ["layers_plus_heads", "precision", "rank_V"]
    assert (report["bracket"] is not None) is (report["outcome"] == "open")
    if report["bracket"]:
        check(report["bracket"], BRACKET)


def test_values_of_an_identified_run(identified) -> None:
    report = report_object(*identified.arguments)
    assert (report["format"], report["idinf_version"]) == ("idinf-report/1", __version__)
    assert report["target"]["source"].startswith("\nzeros = ") or "zeros" in report["target"]["source"]
    assert report["target"]["digest"] == identified.spec.digest
    assert report["space"]["realisation"] == "one-hot"
    assert report["regularizer"] == {"aggregate": "max", "tolerance": "1/(2n)"}
    assert (report["outcome"], report["n0"], report["n0_canonical"]) == ("identified", 3, 3)
    last = report["records"][-1]
    assert (last["r"], last["fail"], last["counterexample"]) == (8.414213562, None, None)
    assert last["formula"] == "accept iff #1 - #0 >= 0"
    assert (last["proved_all_n"], report["method"]) == (False, "exact")
    assert report["stages"][0]["counterexample"] == "10"


def test_a_wrong_empty_word_is_the_empty_text(identified) -> None:
    stage = dataclasses.replace(identified.inference.stages[0], counterexample=())
    inference = dataclasses.replace(identified.inference, stages=(stage,))
    report = report_object(identified.spec, identified.bounds, inference, Aggregate.MAX, None)
    assert report["stages"][0]["counterexample"] == ""


def test_an_embedded_hypothesis_gives_back_its_record(identified) -> None:
    for record, row in zip(
        identified.inference.records, report_object(*identified.arguments)["records"], strict=True
    ):
        dense = from_json_object(row["hypothesis"])
        assert r_terms(dense).total == pytest.approx(row["r"], abs=1e-9)
        assert sum(row["r_terms"].values()) == pytest.approx(row["r"], abs=1e-8)
        if record.counterexample is not None:
            zeros, ones = (record.counterexample.count(code) for code in (0, 1))
            assert accepts(dense, record.counterexample) is not (zeros <= ones)


def test_brackets_of_open_runs(opened, bracketed) -> None:
    bracket = report_object(*opened.arguments)["bracket"]
    unknown = dict.fromkeys(("r_upper", "upper_length", "hypothesis", "stop_bound_upper"))
    assert bracket == {"r_lower": 9.3, "n0_lower": 3, **unknown}
    known = report_object(*bracketed.arguments)
    assert known["bracket"]["r_lower"] == known["bracket"]["r_upper"] == 8.414213562
    assert known["bracket"]["hypothesis"] == known["records"][-1]["hypothesis"]


def test_a_tolerance_is_named(identified) -> None:
    report = report_object(identified.spec, identified.bounds, identified.inference, Aggregate.MAX, 0.25)
    assert report["regularizer"]["tolerance"] == 0.25


def test_an_r_that_is_not_that_of_the_matrices_is_an_internal_error(identified) -> None:
    record = dataclasses.replace(identified.inference.records[-1], r=8.4142)
    with pytest.raises(RuntimeError, match=r"reported R = 8\.414200000 .* have R = 8\.414213562"):
        checked_terms(record, Aggregate.MAX)
    inference = dataclasses.replace(identified.inference, records=(record,))
    with pytest.raises(RuntimeError, match="reported R"):
        report_object(identified.spec, identified.bounds, inference, Aggregate.MAX, None)
