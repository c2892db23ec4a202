"""Reports as files: read back they are the same; wrong values are named with their place."""

import dataclasses
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from idinf.base.documents import telling
from idinf.errors import ReportFormatError
from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.languages.equivalence.conditions import Inequality
from idinf.nets.regularizer import Aggregate, RTerms
from idinf.report.files import (
    build_schema,
    dump_report,
    parse_report,
    report_from_dict,
    report_to_dict,
)
from idinf.report.proof import Invariant, Split, Sum
from idinf.report.value import PROOF as FORM
from idinf.report.value import Bracket, Outcome, Proof, Regularizer, Report, SearchCounts, Stage
from idinf.spec.reader import parse_spec
from idinf.work.limits import Limits, StopReason
from tests.asked_for import few
from tests.proofs.check.small_reports import RUNS, place_of, read, report_of, text_of
from tests.spaces import small_space

NUMBERS = st.floats(-1e9, 1e9)
SMALL = st.integers(-3, 10**12)
TEXTS = st.text(max_size=20)
WORDS = st.none() | st.text("01", max_size=5)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Values of every kind in every place; the hypotheses, proofs and targets are those of real runs."""
    base = read(draw(st.sampled_from(["proved", "next", "open"])))
    max_n = draw(st.integers(1, 4))
    stage = st.builds(
        Stage,
        n=st.just(0),
        r_star=st.none() | NUMBERS,
        r_star_lower=NUMBERS,
        num_selected=SMALL,
        num_selected_bad=SMALL,
        num_selected_exact=st.booleans(),
        good=st.none() | st.booleans(),
        counterexample=WORDS,
        fail_of_worst=st.none() | SMALL,
    )
    nets = st.sampled_from([record.hypothesis for record in base.records])
    terms = st.builds(RTerms, *(NUMBERS for _ in dataclasses.fields(RTerms)))
    bracket = st.builds(
        Bracket,
        r_lower=NUMBERS,
        r_upper=st.none() | NUMBERS,
        upper_length=st.none() | SMALL,
        hypothesis=st.none() | nets,
        stop_bound_upper=st.none() | NUMBERS,
        n0_lower=SMALL,
    )
    records = tuple(
        replace(
            record, r=draw(NUMBERS), r_terms=draw(terms), fail=draw(st.none() | SMALL), formula=draw(TEXTS)
        )
        for record in draw(st.lists(st.sampled_from(base.records), max_size=3))
    )
    return replace(
        base,
        idinf_version=draw(TEXTS),
        space=small_space("full", max_r=draw(st.floats(0.1, 99.0))),
        regularizer=Regularizer(draw(st.sampled_from(Aggregate)), draw(st.none() | st.floats(0, 9))),
        max_n=max_n,
        outcome=draw(st.sampled_from(Outcome)),
        n0=draw(st.none() | SMALL),
        stop=draw(st.sampled_from(StopReason)),
        stop_reason=draw(TEXTS),
        stages=tuple(replace(draw(stage), n=n) for n in range(1, max_n + 1)),
        bracket=draw(st.none() | bracket),
        records=records,
        worst=draw(st.sampled_from([(), records[:1], base.worst])),
        proofs=draw(st.sampled_from([(), base.proofs])),
        beyond=draw(st.none() | TEXTS),
        counts=draw(st.builds(SearchCounts, SMALL, SMALL, SMALL, SMALL)),
        seconds=draw(NUMBERS),
    )


@settings(max_examples=few(2, 100), deadline=None)
@given(reports())
def test_random_reports_come_back_and_fit_the_schema(report: Report) -> None:
    content = report_to_dict(report)
    assert report_from_dict(content) == report
    assert parse_report(dump_report(report), "r.json") == report
    assert json.loads(dump_report(report)) == content
    assert not list(Draft202012Validator(build_schema()).iter_errors(content))


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", RUNS)
def test_what_identify_writes_is_read_and_written_again(name: str) -> None:
    assert dump_report(read(name)) == text_of(name)
    assert report_to_dict(read(name)) == report_of(name)


def test_what_is_read_is_what_was_run() -> None:
    """Symbols of one character, written with blanks: hypotheses in files do not say that."""
    spec = parse_spec('name = "x"\nalphabet = "a b"\ntokens = "space"\nregex = "(a b)*|a"')
    assert spec.alphabet.spaced
    space = small_space(layers=1, units=1, precision=0, max_r=9.0)
    report = run(replace(Settings(max_n=2, space="spec").about(spec, ""), bounds=space), Limits()).report
    assert " " in "".join(stage.counterexample or "" for stage in report.stages)
    assert parse_report(dump_report(report), "r.json") == report


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("colour",), 1, "colour is an unknown key; expected only idinf_version, "),
        (("max_n",), True, "max_n = true; expected an integer"),
        (("records", 0, "fail"), 1.5, r"records\[0\]\.fail = 1\.5; expected an integer"),
        (("records", 0, "r_terms", "phi"), [1], r"records\[0\]\.r_terms\.phi = \[1\]; expected a number"),
        (
            ("target", "alphabet"),
            ["a", "b"],
            r'records\[0\]\.hypothesis\.alphabet = \["0", "1"\]; expected that',
        ),
        (("proofs", 0, "hypothesis", "alphabet"), ["0"], r"proofs\[0\]\.hypothesis\.embedding"),
    ],
)
def test_a_wrong_value_is_named(path: tuple[str | int, ...], value: object, expected: str) -> None:
    report = report_of("proved")
    place_of(report, path[:-1])[path[-1]] = value
    with pytest.raises(ReportFormatError, match=rf"^r\.json: {expected}"):
        report_from_dict(report, "r.json")


# Proofs as JSON: there and back, and each kind of garbage is refused where it stands


SPLIT = Split(
    Inequality((1, -2), 3),
    Sum(((0, Fraction(2)), (4, Fraction(1, 3)))),
    Split(X := Inequality((0, 1), 0), Sum(()), Sum(())),
)
PROOF = Invariant(
    ("#a", "layer 1 unit 0"),
    {"0//": (Inequality((1, 0), 0), Inequality((-1, 2), -5)), "0//0:1": ()},
    {("0//", 0, "1"): (SPLIT, Sum(((1, Fraction(7, 2)),))), ("0//", 0, "0"): ()},
    2,
)


def read_back(value):
    """Read a parsed proof."""
    with telling("r.json", ReportFormatError):
        return FORM.read(value)


def written():
    """What is written of it, as a text holds it."""
    return json.loads(json.dumps(FORM.write(Proof(1.5, read("proved").proofs[0].hypothesis, PROOF))))


def test_there_and_back():
    assert read_back(written()).invariant == PROOF
    assert written()["detail"] == 2
    assert written()["claims"]["0//"] == [[1, 0, 0], [-1, 2, -5]]
    assert written()["reasons"][0][:3] == ["0//", 0, "1"]
    assert written()["reasons"][0][3][1] == [[1, "7/2"]]
    assert written()["reasons"][0][3][0]["case"] == [1, -2, 3]
