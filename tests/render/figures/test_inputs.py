"""What is read from reports, and every refusal with file and key."""

from __future__ import annotations

import pytest

from idinf.render.figures.inputs import PlotError, labels_of, read_family, read_run


def test_a_run_is_read_as_it_is(majority):
    run = read_run(majority, "majority.json")
    assert (run.name, run.preset, run.max_n, run.horizon) == ("majority", "nope", 64, 128)
    assert [(s.n, s.r_star, s.good) for s in run.stages] == [
        (s["n"], s["r_star"], s["good"]) for s in majority["stages"]
    ]
    assert [(r.r, r.fail) for r in run.records] == [(r["r"], r["fail"]) for r in majority["records"]]
    assert (run.window(1), run.window(4), run.verdict()) == (0.5, 0.125, "n₀ = 3 for all n")


def test_a_tolerance_replaces_the_window(majority):
    majority["regularizer"]["tolerance"] = 0.25
    assert read_run(majority, "m").window(7) == 0.25


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        ("identified", "n₀ = 3"),
        ("identified-for-all-n", "n₀ = 3 for all n"),
        ("not-identified", "not identified"),
        ("open", "open"),
    ],
)
def test_outcomes_are_never_mixed_up(majority, outcome, verdict):
    majority["outcome"] = outcome
    assert read_run(majority, "m").verdict() == verdict


def test_an_open_run_says_what_it_proves(parity, bracketed):
    assert read_run(parity, "p").verdict() == "open, n₀ ≥ 3"
    run = read_run(bracketed, "b")
    assert (run.r_upper, run.upper_length) == (12.5, 20)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "idinf-bench/1", r'r\.json: format = "idinf-bench/1"; expected "idinf-report/1"'),
        (("max_n",), 0, r"r\.json: max_n = 0; expected an integer from 1 to"),
        (("max_n",), 10**400, r"max_n = 1000"),
        (("max_n",), True, r"max_n = true; expected an integer"),
        (("max_n",), 63, r"stages = .*; expected one row for each n from 1 to 63"),
        (("n0",), 65, r"n0 = 65; expected an n from 1 to 64"),
        (("n0",), "3", r'n0 = "3"; expected an integer'),
        (("target",), None, r"target = null; expected a table"),
        (("target", "name"), 7, r"target\.name = 7; expected a text"),
        (("records",), "x", r'records = "x"; expected a list'),
        (("regularizer", "tolerance"), "1/n", r'regularizer\.tolerance = "1/n"; expected a number'),
        (("complete_up_to_r",), float("nan"), r"complete_up_to_r = NaN; expected a number from 0"),
        (("records",), [], r"records = \[\]; expected at least one record"),
        (("records", 0, "r"), 99.0, r"records = .*; expected records by increasing R"),
        (("records", 1, "fail"), -1, r"records\[1\]\.fail = -1; expected an integer from 0"),
        (("stages", 2, "good"), 1, r"stages\[2\]\.good = 1; expected true or false"),
        (("stages", 0, "r_star"), -1.0, r"stages\[0\]\.r_star = -1\.0; expected a number from 0"),
        (("bracket",), {}, r"bracket\.n0_lower is missing"),
    ],
)
def test_one_planted_value_is_refused(majority, path, value, message):
    place = majority
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(PlotError, match=message):
        read_run(majority, "r.json")


@pytest.mark.parametrize("key", ["target", "stages", "records", "outcome", "n0", "max_n", "complete_up_to_r"])
def test_a_missing_key_is_named(majority, key):
    del majority[key]
    with pytest.raises(PlotError, match=rf"r\.json: {key} is missing; expected that key"):
        read_run(majority, "r.json")


def test_a_family_is_read_and_refused(family, majority):
    table = read_family(family, "f.json")
    assert [(m.name, m.size, m.n0) for m in table.members][-2:] == [("e", 3, 5), ("f", 4, None)]
    assert table.parameters == (("k", 1, 4), ("j", 1, 4))
    assert [table.fits[0].at(size) for size in (1, 3)] == [2.5, 7.5]
    with pytest.raises(PlotError, match=r"choose another --kind"):
        read_family(majority, "m.json")
    family["fits"][0]["coefficients"] = ["1/0"]
    with pytest.raises(PlotError, match=r"fits\[0\]\.coefficients\[0\] = \"1/0\"; expected a fraction"):
        read_family(family, "f.json")


def test_labels_tell_runs_apart(majority, parity):
    one, other = read_run(majority, "runs/one.json"), read_run(majority, "runs/other.json")
    assert labels_of([one, read_run(parity, "p")]) == ("majority", "parity")
    assert labels_of([one, other]) == ("one (majority)", "other (majority)")
    majority["target"]["name"] = "x" * 50
    assert labels_of([read_run(majority, "m")]) == ("x" * 19 + "…",)


@pytest.mark.parametrize("text", ["1e999999999", "1" * 10**6, "1/0", "1.5", "1/00", "+1", "1_0", " 1"])
def test_no_fraction_fills_the_memory(text):
    report = {"format": "idinf-family/1", "family": {"name": "f", "size": "max", "parameters": {}}}
    fit = {"formula": "", "coefficients": [text], "sizes": [], "exact": True, "residual": 0}
    content = {**report, "members": [], "maxima": [], "fits": [fit]}
    with pytest.raises(PlotError, match=r"coefficients\[0\] = .*; expected a fraction") as caught:
        read_family(content, "f.json")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("bounds", [[], [1], [1, 2, 3], "ab", {}])
def test_ranges_have_two_ends(bounds):
    family = {"name": "f", "size": "max", "parameters": {"k": bounds}}
    content = {"format": "idinf-family/1", "family": family, "members": [], "maxima": [], "fits": []}
    with pytest.raises(PlotError, match=r"family\.parameters\.k = .*; expected (two integers|a list)"):
        read_family(content, "f.json")
