"""The walkthrough: every number in it is one of the report, and it never says more than was proved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.experiments.reader import parse_spec
from idinf.render.sentences import list_caveats, sentences
from idinf.render.text.walkthrough import Table, WalkthroughStep, count_words, is_selected, tell
from idinf.report.value import Outcome, Report
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from idinf.words import words_up_to
from tests.render.reports import golden, opened, with_stages

LABELS = (("", "accept"), ("0", "reject"))


def told(report: Report | str, inside: str | None = None) -> dict[str, str]:
    """Title and text of every step; cells are joined by " | "."""
    given = golden(report) if isinstance(report, str) else report
    return {step.title: text(step) for step in tell(given, LABELS, inside)}


def text(step: WalkthroughStep) -> str:
    lines = []
    for block in step.blocks:
        rows = [block.header, *block.rows] if isinstance(block, Table) else [(block,)]
        lines += [" | ".join(row) for row in rows]
    return "\n".join(lines)


def test_majority_is_told_to_its_n0() -> None:
    steps = told("majority")
    assert list(steps) == [
        "The language majority, over 0 1",
        "The cheapest hypotheses",
        "All words up to length 1",
        "All words up to length 2",
        "All words up to length 3, and so on up to 64",
        "How R*_n moves",
        "What this run proves",
        "What it does not show",
    ]
    assert "\n  accept = zeros <= ones\n" in steps["The language majority, over 0 1"]
    assert "ε | accept\n0 | reject" in steps["The language majority, over 0 1"]
    assert "5.000000000 | 1 | 10 | accept iff last != 0" in steps["The cheapest hypotheses"]
    assert (
        "8.414213562 | 128, all that count | - | accept iff #1 - #0 >= 0" in steps["The cheapest hypotheses"]
    )
    second = steps["All words up to length 2"]
    assert second.startswith(
        "n = 2: the learner has seen 7 words. The word 10 rules out 'accept iff last != 0'."
    )
    assert "5.000000000 | accept iff last != 0 | ruled out by 10" in second
    assert "R*_2 = 8.414213562" in second
    assert "R*_2 + 1/4 = 8.664213562" in second
    assert "at least 2 functions, some of which the table does not list" in second
    assert second.endswith("is wrong on 001. The learner may still pick a wrong one: n = 2 is bad.")
    assert "'accept iff empty or #1 >= 1', with R = 8.414213562, " in second
    third = steps["All words up to length 3, and so on up to 64"]
    assert third.endswith("Selected: 1 function. None fails within length 2n: every n from 3 to 64 is good.")
    proved = steps["What this run proves"]
    assert proved.startswith("\n".join(sentences(golden("majority"))))
    assert "It agrees with majority on all words up to length 128; all of them were checked" in proved
    assert proved.endswith("It is proved to agree on all longer words too.")
    assert steps["What it does not show"] == "\n".join(list_caveats(golden("majority")))


def test_the_first_step_at_n_1_rules_out_what_fails_on_shorter_words_too() -> None:
    report = golden("majority")
    cheapest = replace(report.records[0], r=3.0, fail=0, counterexample="")
    _, hypotheses, step, *_ = tell(replace(report, records=(cheapest, *report.records)), LABELS)
    assert "The word ε rules out" in text(step)
    assert "3.000000000 | accept iff true | ruled out by ε" in text(step)
    assert "3.000000000 | none | ε | accept iff true" in text(hypotheses)


def test_a_unit_of_a_formula_is_explained() -> None:
    assert "#u1 counts the non-empty prefixes where u1 holds" in told("dyck-1")["The cheapest hypotheses"]


def test_parity_rises_and_the_run_proves_a_lower_bound_only() -> None:
    steps = told(opened(), "no")
    chart = steps["How R*_n moves"]
    assert "Longer words rule the cheap hypotheses out" in chart
    levels = [line.split(" | ")[1] for line in chart.splitlines()[2:]]
    assert levels == ["5.000000000", "9.242640687", "> 9.5"]
    assert chart.splitlines()[-1].endswith("=>")
    last = steps["All words up to length 3, and so on up to 64"]
    assert "No hypothesis with R <= 9.5 fits. So R*_3 > 9.5" in last
    assert "undetermined" in last
    proved = steps["What this run proves"]
    assert proved.startswith("\n".join(sentences(opened())))
    assert "if there is one, n0 >= 3" in proved
    assert "Not proved: that nothing fits. A larger --max-r looks further." in proved
    assert "that it never ends is the theorem, not the run" in steps["What the theory adds"]
    assert "So each of them is wrong on some word." in steps["What the theory adds"]


def test_without_n0_the_theorem_is_told_whatever_is_known_of_classes() -> None:
    for inside in ("no", "unknown", None):
        steps = told("parity", inside)
        assert (
            "A theorem: no net of the one-hot family decides parity: in words"
            in steps["What the theory adds"]
        )
        assert steps["What this run proves"].startswith("no n0 in nope, layers <= 2, ")
        assert "No run finds an n0" in steps["What this run proves"]
        assert "n0 >=" not in steps["What this run proves"]


def test_with_logits_the_theorem_is_told_with_its_condition() -> None:
    report = opened()
    space = replace(report.space, reach=1, logit_max=1)
    (*_, theory) = tell(replace(report, space=space), LABELS, "no")
    assert "If no hypothesis is right on all lengths, each of them" in text(theory)


@pytest.mark.parametrize(
    ("inside", "is_told"), [("yes", True), ("no", True), ("unknown", False), (None, False)]
)
def test_theory_is_added_only_where_something_is_known(inside: str | None, is_told: bool) -> None:
    assert ("What the theory adds" in told(opened(), inside)) is is_told
    assert "What the theory adds" not in told("majority", inside)


def test_a_target_inside_the_class_that_stays_open_is_not_called_unlearnable() -> None:
    theory = told(opened(), "yes")["What the theory adds"]
    assert "some Limit Transformer is right on all lengths" in theory
    assert "without end" not in theory


def test_a_run_without_n0_names_the_n_it_fails_at() -> None:
    report = golden("majority")
    report = with_stages(report, *report.stages[:2])
    report = replace(report, outcome=Outcome.NOT_IDENTIFIED, n0=None, n0_canonical=None, beyond=None)
    proved = told(report)["What this run proves"]
    assert proved.startswith("no n0 in the one-hot family for n <= 2: at n = 2 a selected")
    assert "A larger --max-n may find an n0." in proved
    assert "What is learned" not in proved


def test_an_open_run_with_every_level_known() -> None:
    report = opened()
    stages = (replace(stage, r_star=9.4, r_star_lower=9.4, num_selected=1) for stage in report.stages)
    steps = told(with_stages(report, *stages))
    assert "some selected sets may hold more with R > 9.5" in steps["What this run proves"]
    assert "R*_n does not move" in steps["How R*_n moves"]
    assert "The window reaches above what was searched" in "".join(steps.values())


def test_no_record_at_all() -> None:
    report = opened()
    nothing = {"good": None, "counterexample": None, "num_selected": 0, "num_selected_bad": 0}
    stages = (replace(stage, r_star=None, r_star_lower=3.5, **nothing) for stage in report.stages)
    report = with_stages(replace(report, records=(), complete_up_to_r=3.5), *stages)
    steps = told(report)
    assert steps["The cheapest hypotheses"] == "None with R <= 3.5 is right on the empty word."
    assert "No hypothesis with R <= 3.5 fits." in steps["All words up to length 1, and so on up to 64"]
    assert "A run up to the budget R = 9.5 looks further." in steps["What this run proves"]


@pytest.mark.parametrize("name", ["majority", "dyck-1", "parity"])
def test_what_is_said_to_be_selected_is_in_the_window(name: str) -> None:
    report = golden(name)
    for stage in report.stages:
        inside = [record for record in report.records if is_selected(report, record, stage)]
        assert all(record.fits(stage.n) for record in inside)
        assert bool(inside) is (stage.r_star is not None)
        assert len(inside) <= stage.num_selected


def test_the_tolerance_of_the_report_is_used() -> None:
    report = golden("majority")
    report = replace(report, regularizer=replace(report.regularizer, tolerance=4.0))
    first = told(report)["All words up to length 1"]
    assert "R*_1 + 4 = 9.000000000" in first
    assert "8.414213562 | accept iff #1 - #0 >= 0 | fits, selected" in first


def test_words_are_counted_in_the_domain() -> None:
    spec = parse_spec('name = "x"\nalphabet = "ab"\nregex = "a*"\ndomain = "(ab|a)*"')
    target = supervise(build_target(spec))
    for length in range(6):
        counted = sum(target.is_counted(word) for word in words_up_to(2, length))
        assert count_words(2, target, length) == counted
    assert count_words(3, None, 2) == 13
