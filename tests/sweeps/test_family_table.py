"""The table of a family: members, maxima, law; what is not settled is a bound and is left out of the law."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.errors import LimitReached
from idinf.experiments.catalogue import load_family
from idinf.inference.settings import Settings
from idinf.json_text import dump_json
from idinf.report.family import family_to_dict, read_family
from idinf.report.value import Outcome
from idinf.sweeps.family_table import build_family_report
from idinf.sweeps.sweep import RunAnswer, Sweep

FAMILY = load_family("ge-k-j")
SPACE = FAMILY.first.space.overridden(layers=1, units=1, precision=0)
QUESTIONS = [
    replace(
        Settings(max_n=8, anneal_steps=0, preset="spec").about(spec, "ge-k-j"), bounds=SPACE, max_n_cap=16
    )
    for spec in FAMILY.members(3)
]


@pytest.fixture(scope="module")
def answers() -> dict[int, RunAnswer]:
    return dict(Sweep(QUESTIONS).answers())


def test_members_say_what_their_reports_say(answers: dict[int, RunAnswer]) -> None:
    table = build_family_report(FAMILY, QUESTIONS, answers)
    assert (table.max_n, table.max_n_cap) == (8, 16)
    assert [member.name for member in table.members] == [question.spec.name for question in QUESTIONS]
    for place, member in enumerate(table.members):
        report = answers[place].report
        assert report is not None
        assert report.selected is not None
        for key in ("outcome", "max_n", "n0", "n0_canonical", "complete_up_to_r", "stop_reason", "seconds"):
            assert getattr(member, key) == getattr(report, key)
        assert member.digest == report.target.digest
        assert (member.r_star, member.formula) == (report.selected.r, report.selected.formula)
        assert member.n0_lower == member.n0


def test_a_member_that_is_not_settled_is_a_bound(answers: dict[int, RunAnswer]) -> None:
    short = RunAnswer.of_error(LimitReached("would need 9 bytes"))
    table = build_family_report(FAMILY, QUESTIONS, {**answers, len(QUESTIONS) - 2: short})
    assert [(m.size, m.n0, m.n0_lower, m.members) for m in table.maxima] == [
        (1, 3, 3, ("ge-1-1",)),
        (2, 5, 5, ("ge-1-2",)),
        (3, None, 8, ("ge-3-2",)),
    ]
    member = table.members[-2]
    assert (member.outcome, member.max_n, member.n0_lower) == (Outcome.OPEN, None, 1)
    assert member.stop_reason == "would need 9 bytes"
    assert table.fits == ()


def test_the_largest_bad_n_bounds_n0(answers: dict[int, RunAnswer]) -> None:
    question = replace(QUESTIONS[-1], max_n=6, max_n_cap=6)
    [(_, answer)] = Sweep([question]).answers()
    table = build_family_report(FAMILY, [question], {0: answer})
    assert [(m.outcome, m.n0, m.n0_lower) for m in table.members] == [(Outcome.NOT_IDENTIFIED, None, 7)]


def test_what_has_no_answer_was_interrupted(answers: dict[int, RunAnswer]) -> None:
    table = build_family_report(FAMILY, QUESTIONS, {0: answers[0]})
    assert [member.stop_reason for member in table.members[1:]] == ["interrupted"] * (len(QUESTIONS) - 1)


def test_a_limit_at_a_larger_max_n_is_told(answers: dict[int, RunAnswer]) -> None:
    table = build_family_report(
        FAMILY, QUESTIONS, {**answers, 0: replace(answers[0], limit="the time is over")}
    )
    assert (table.members[0].n0, table.members[0].stop_reason) == (3, "the time is over")


def test_json(answers: dict[int, RunAnswer]) -> None:
    table = build_family_report(FAMILY, QUESTIONS, answers)
    content = json.loads(dump_json(family_to_dict(table)))
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
    assert (last["n0"], last["r_star"], last["formula"]) == (8, 10.605551275, "accept iff 3 #1 - 2 #0 >= 0")
    assert content["maxima"][-1] == {"size": 3, "n0": 8, "n0_lower": 8, "members": ["ge-3-2"]}
    assert [fit["coefficients"] for fit in content["fits"]] == [["17/6", "5/2"]]
    assert [fit.coefficients for fit in table.fits] == [(Fraction(17, 6), Fraction(5, 2))]
    assert read_family(content, "f.json") == table
