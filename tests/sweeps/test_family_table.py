"""The table of a family: rows, maxima, law; what is not settled is a bound and is left out of the law."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from idinf.report.json_text import dumps
from idinf.sweeps.members import MemberRun, Plan, run_members

from idinf.experiments.catalogue import load_family
from idinf.sweeps.family_table import family_object, family_text, maxima_of

FAMILY = load_family("ge-k-j")
PLAN = Plan(FAMILY.first.space, 8, 16)


@pytest.fixture(scope="module")
def runs() -> tuple[MemberRun, ...]:
    return tuple(replace(run, seconds=1.25) for run in run_members(FAMILY.members(3), PLAN))


def test_text(runs: tuple[MemberRun, ...]) -> None:
    assert family_text(FAMILY, PLAN, runs[:3]).splitlines()[:14] == [
        "family  ge-k-j over 0 1: k in 1..16, j in 1..16, gcd 1; T = max(k, j)",
        f"space   nope: at most {', '.join(f'{k} {v:g}' for k, v in PLAN.bounds.to_dict().items())}; "
        "aggregate max, tolerance 1/(2n)",
        "",
        "  member  T  outcome     R*           n0  max n  seconds",
        "  ge-1-1  1  identified  8.414213562  3   8      1.25",
        "  ge-1-2  2  identified  9.118033989  5   16     1.25",
        "  ge-2-1  2  identified  9.118033989  4   8      1.25",
        "",
        "  T  max n0  reached by",
        "  1  3       ge-1-1",
        "  2  5       ge-1-2",
        "",
        "no fit: 2 of 2 sizes settled, at least 3 are needed",
        "every n0 is exact for n from 1 to the max n of its row; nothing is claimed beyond",
    ]


def test_the_law_and_its_exceptions(runs: tuple[MemberRun, ...]) -> None:
    text = family_text(FAMILY, PLAN, runs)
    assert "  3  8       ge-3-2\n\nlinear least squares over T in 1..3: n0 ~ 2.500(T - 1) + 2.833" in text


def test_a_member_that_is_not_settled_is_a_bound(runs: tuple[MemberRun, ...]) -> None:
    broken = (*runs[:-2], MemberRun(runs[-2].spec, None, "would need 9 bytes", 0.5), runs[-1])
    assert [(m.size, m.n0, m.n0_lower, m.members) for m in maxima_of(FAMILY, broken)] == [
        (1, 3, 3, ("ge-1-1",)),
        (2, 5, 5, ("ge-1-2",)),
        (3, None, 8, ("ge-3-2",)),
    ]
    text = family_text(FAMILY, PLAN, broken)
    assert "  ge-3-1  3  open        -            >= 1  -      0.50\n" in text
    assert "\nge-3-1: would need 9 bytes\n" in text
    assert "  3  >= 8    ge-3-2\n" in text
    content = family_object(FAMILY, PLAN, broken)
    assert [row["n0"] for row in content["maxima"]] == [3, 5, None]
    member = content["members"][-2]
    assert (member["outcome"], member["max_n"], member["stop_reason"]) == ("open", None, "would need 9 bytes")


def test_json(runs: tuple[MemberRun, ...]) -> None:
    content = json.loads(dumps(family_object(FAMILY, PLAN, runs)))
    assert (content["format"], content["max_n"], content["max_n_cap"]) == ("idinf-family/1", 8, 16)
    assert content["family"] == {
        "name": "ge-k-j",
        "alphabet": ["0", "1"],
        "parameters": {"k": [1, 16], "j": [1, 16]},
        "gcd": 1,
        "size": "max",
    }
    last = content["members"][-1]
    assert (last["name"], last["parameters"], last["size"]) == ("ge-3-2", {"k": 3, "j": 2}, 3)
    assert (last["n0"], last["r_star"], last["formula"]) == (8, 9.802775638, "accept iff 3 #1 - 2 #0 >= 0")
    assert content["maxima"][-1] == {"size": 3, "n0": 8, "n0_lower": 8, "members": ["ge-3-2"]}
    assert [fit["coefficients"] for fit in content["fits"]] == [["17/6", "5/2"]]
