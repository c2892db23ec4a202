"""The text answer: honest sentences, and rows only where something changes."""

import re

import pytest

from idinf.report.value import Report
from idinf.show.sentences import list_caveats, sentences
from idinf.show.text.answer import render_answer
from idinf.show.text.walkthrough import Table, WalkthroughStep, is_selected, tell
from tests.show.reports import golden, opened


def test_open(opened) -> None:
    text = render_answer(opened.report)
    space = "nope, layers <= 2, heads <= 1, units <= 2, precision <= 2"
    assert text.startswith(f"open in {space}: n0 >= 3, R* > 9.3")
    assert "Not decided: the budget max_r = 9.3 ended" in text
    assert "R*_n > 9.3 for every n >= 3: every hypothesis of this space with R <= 9.3 was enumerated" in text
    assert "  3..4  > 9.3        -         -            undetermined  -" in text.splitlines()
    assert not re.search("selected at|none exists", text)


def test_open_with_a_correct_hypothesis(bracketed) -> None:
    text = render_answer(bracketed.report)
    assert "R*_n is known for every n <= 4: every hypothesis of this space with R <= 8.45 was" in text
    assert "selected at n = 4: accept iff #1 - #0 >= 0" in text
    assert "undetermined" in text
    assert "n0 = 3 (canonical pick), which the part above cannot change." in text


def test_not_identified(not_identified) -> None:
    text = render_answer(not_identified.report)
    assert text.startswith("no n0 in nope, ")
    assert " for n <= 2: at n = 2 a selected hypothesis is wrong within length 4\n" in text
    assert "001 (length 3)" in text


# The walkthrough: every number in it is one of the report, and it never says more than was proved


def told(report: Report | str, inside: str | None = None) -> dict[str, str]:
    """Title and text of every step; cells are joined by " | "."""
    given = golden(report) if isinstance(report, str) else report
    return {step.title: text(step) for step in tell(given, inside)}


def text(step: WalkthroughStep) -> str:
    lines = []
    for block in (*step.before, *step.blocks):
        rows = [block.header, *block.rows] if isinstance(block, Table) else [(block,)]
        lines += [" | ".join(row) for row in rows]
    return "\n".join(lines)


def test_majority_is_told_to_its_n0() -> None:
    steps = told("majority")
    assert "ε | accept\n0 | reject" in steps["The language majority, over 0 1"]
    records = steps["The hypotheses that it went through"]
    assert "8.414213562 | 128, all that count | - | accept iff #1 - #0 >= 0" in records
    assert "#1 - #0" not in steps["All words up to length 1"]  # what comes later is not shown before
    second = steps["All words up to length 2"]
    for said in (
        "n = 2: the learner has seen 7 words.\nThe word 10 rules out 'accept iff last != 0'.",
        "5.000000000 | accept iff last != 0 | ruled out by 10",
        "R*_2 = 8.414213562",
        "R*_2 + 1/4 = 8.664213562",
        "at least 2 functions, some of which the table does not list",
        "'accept iff empty or #1 >= 1', with R = 8.414213562, ",
        "is wrong on 001. The learner may still pick a wrong one: n = 2 is bad.",
    ):
        assert said in second
    third = steps["All words up to length 3"]
    assert "001 rules out 'accept iff empty or #1 >= 1', which could have been picked before." in third
    assert third.endswith("Selected: 1 function. None fails within length 2n: every n from 3 to 64 is good.")
    proved = steps["What this run proves"]
    assert proved.startswith("\n".join(sentences(golden("majority"))))
    assert proved.endswith("It is proved to agree on all longer words too.")
    assert steps["What it does not show"] == "\n".join(list_caveats(golden("majority")))


def test_parity_rises_and_the_run_proves_a_lower_bound_only() -> None:
    steps = told(opened(), "no")
    levels = [line.split(" | ")[1] for line in steps["How R*_n moves"].splitlines()[2:]]
    assert levels == ["5.000000000", "9.242640687", "> 9.5"]
    assert "No hypothesis with R <= 9.5 fits. So R*_3 > 9.5" in steps["All words up to length 3"]
    proved = steps["What this run proves"]
    assert proved.startswith("\n".join(sentences(opened())))
    assert "Not proved: that nothing fits. A larger --max-r looks further." in proved
    assert "that it never ends is the theorem, not the run" in steps["What the theory adds"]


@pytest.mark.parametrize("name", ["majority", "dyck-1", "parity"])
def test_what_is_said_to_be_selected_is_in_the_window(name: str) -> None:
    report = golden(name)
    for stage in report.stages:
        inside = [record for record in report.records if is_selected(report, record, stage)]
        assert all(record.fits(stage.n) for record in inside)
        assert bool(inside) is (stage.r_star is not None)
        assert len(inside) <= stage.num_selected
