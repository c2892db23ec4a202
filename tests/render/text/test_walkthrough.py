"""The story of a report: every number in it is one of the report, and it never says more than was proved."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from idinf.render.text.walkthrough import Table, WalkthroughStep, story
from idinf.render.text.walkthrough_terms import fits, upper_end

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
LABELS = (("", "accept"), ("0", "reject"))


def report(name: str) -> dict[str, Any]:
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def tell(name: str, inside: str | None = None) -> dict[str, str]:
    """Title and text of every step; cells are joined by " | "."""
    return {step.title: text(step) for step in story(report(name), LABELS, inside)}


def text(step: WalkthroughStep) -> str:
    lines = []
    for block in step.blocks:
        rows = [block.header, *block.rows] if isinstance(block, Table) else [(block,)]
        lines += [" | ".join(row) for row in rows]
    return "\n".join(lines)


def test_majority_is_told_to_its_n0() -> None:
    steps = tell("majority")
    assert list(steps) == [
        "The language majority, over 0 1",
        "The cheapest hypotheses",
        "All words up to length 1",
        "All words up to length 2",
        "All words up to length 3, and so on up to 64",
        "How R*_n moves",
        "What this run proves",
    ]
    assert "\n  accept = zeros <= ones\n" in steps["The language majority, over 0 1"]
    assert "ε | accept\n0 | reject" in steps["The language majority, over 0 1"]
    assert "5.0000 | 1 | 10 | accept iff last != 0" in steps["The cheapest hypotheses"]
    assert "8.4142 | 128, all that count | - | accept iff #1 - #0 >= 0" in steps["The cheapest hypotheses"]
    second = steps["All words up to length 2"]
    assert second.startswith(
        "n = 2: the learner has seen 7 words. The word 10 rules out 'accept iff last != 0'."
    )
    assert "5.0000 | accept iff last != 0 | ruled out by 10" in second
    assert "R*_2 = 8.4142" in second
    assert "R*_2 + 1/4 = 8.6642" in second
    assert "at least 2 functions, some of which the table does not list" in second
    assert second.endswith("is 001. The learner may still pick a wrong one: n = 2 is bad.")
    third = steps["All words up to length 3, and so on up to 64"]
    assert third.endswith("Selected: 1 function. None fails within length 2n: every n from 3 to 64 is good.")
    assert "n0 = 3: every n from 3 to 64 is good. n = 2 is not good." in steps["What this run proves"]
    assert "every hypothesis with R <= 8.664213562 was enumerated" in steps["What this run proves"]


def test_the_first_step_at_n_1_rules_out_what_fails_on_shorter_words_too() -> None:
    changed = report("majority")
    changed["records"].insert(0, {**changed["records"][0], "r": 3.0, "fail": 0, "counterexample": ""})
    step = story(changed, LABELS)[2]
    assert "The word ε rules out" in text(step)
    assert "3.0000 | accept iff true | ruled out by ε" in text(step)
    assert "3.0000 | none | ε | accept iff true" in text(story(changed, LABELS)[1])


def test_a_unit_of_a_formula_is_explained() -> None:
    assert "#u1 counts the non-empty prefixes where u1 holds" in tell("dyck-1")["The cheapest hypotheses"]


def test_parity_rises_and_the_run_proves_a_lower_bound_only() -> None:
    steps = tell("parity", "no")
    chart = steps["How R*_n moves"]
    assert "Longer words rule the cheap hypotheses out" in chart
    levels = [line.split(" | ")[1] for line in chart.splitlines()[2:]]
    assert levels == ["5.0000", "9.2426", "> 9.5"]
    assert chart.splitlines()[-1].endswith("=>")
    last = steps["All words up to length 3, and so on up to 64"]
    assert "No hypothesis with R <= 9.5 fits. So R*_3 > 9.5" in last
    assert "undetermined" in last
    proved = steps["What this run proves"]
    assert "with R <= 9.5 is wrong about parity on some word of length 3 or less. So R*_n > 9.5 for" in proved
    assert "if there is an n0, it is at least 3" in proved
    assert "Not proved: that nothing fits." in proved
    assert "that it never ends is the theorem, not the run" in steps["What the theory adds"]
    assert "So each of them is wrong on some word." in steps["What the theory adds"]


def test_with_logits_the_theorem_is_told_with_its_condition() -> None:
    changed = report("parity")
    changed["space"]["logit_max"] = 1
    (*_, theory) = story(changed, LABELS, "no")
    assert "If no hypothesis is right on all lengths, each of them" in text(theory)


@pytest.mark.parametrize(("inside", "told"), [("yes", True), ("no", True), ("unknown", False), (None, False)])
def test_theory_is_added_only_where_something_is_known(inside: str | None, told: bool) -> None:
    assert ("What the theory adds" in tell("parity", inside)) is told
    assert "What the theory adds" not in tell("majority", inside)


def test_a_target_inside_the_class_that_stays_open_is_not_called_unlearnable() -> None:
    theory = tell("parity", "yes")["What the theory adds"]
    assert "some Limit Transformer is right on all lengths" in theory
    assert "without end" not in theory


def test_a_run_without_n0_names_the_n_it_fails_at() -> None:
    changed = report("majority")
    changed.update(outcome="not-identified", n0=None, max_n=2, stages=changed["stages"][:2])
    proved = text(story(changed, LABELS)[-1])
    assert proved.startswith("At n = 2 a selected hypothesis is still wrong within length 4.")
    assert "What is learned" not in proved


def test_an_open_run_with_every_level_known_and_an_upper_bound() -> None:
    changed = report("parity")
    for stage in changed["stages"]:
        stage.update(r_star=9.4, r_star_lower=9.4, num_selected=1)
    changed["bracket"].update(r_upper=11.5, upper_length=128, n0_lower=None)
    steps = {step.title: text(step) for step in story(changed, LABELS)}
    assert "some windows reach above R = 9.5" in steps["What this run proves"]
    assert "R = 11.5000 is right on all words up to length 128" in steps["What this run proves"]
    assert "it is at least" not in steps["What this run proves"]
    assert "R*_n does not move" in steps["How R*_n moves"]
    assert "The window reaches above what was searched" in "".join(steps.values())


def test_no_record_at_all() -> None:
    changed = report("parity")
    changed.update(records=[], complete_up_to_r=3.5)
    for stage in changed["stages"]:
        stage.update(r_star=None, r_star_lower=3.5, good=None, counterexample=None)
        stage.update(num_selected=0, num_selected_bad=0)
    steps = {step.title: text(step) for step in story(changed, LABELS)}
    assert steps["The cheapest hypotheses"] == "None with R <= 3.5 is right on the empty word."
    assert "No hypothesis with R <= 3.5 fits." in steps["All words up to length 1, and so on up to 64"]


@pytest.mark.parametrize("name", ["majority", "dyck-1", "parity"])
def test_what_is_said_to_be_selected_is_in_the_window(name: str) -> None:
    content = report(name)
    for stage in content["stages"]:
        end = upper_end(content, stage)
        inside = [r for r in content["records"] if end is not None and fits(r, stage["n"]) and r["r"] <= end]
        assert bool(inside) is (stage["r_star"] is not None)
        assert len(inside) <= stage["num_selected"]


def test_the_tolerance_of_the_report_is_used() -> None:
    changed = report("majority")
    changed["regularizer"]["tolerance"] = 4.0
    first = text(story(changed, LABELS)[2])
    assert "R*_1 + 4 = 9.0000" in first
    assert "8.4142 | accept iff #1 - #0 >= 0 | fits, selected" in first


def test_a_report_is_not_changed_by_telling_it() -> None:
    content = report("dyck-1")
    before = copy.deepcopy(content)
    assert story(content, LABELS) == story(content, LABELS)
    assert content == before
