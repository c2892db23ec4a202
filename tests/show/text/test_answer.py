"""The text answer: honest sentences, and rows only where something changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.base.words import words_up_to
from idinf.report.value import Outcome, Report
from idinf.show.sentences import list_caveats, sentences
from idinf.show.text.answer import render_answer
from idinf.show.text.walkthrough import Table, WalkthroughStep, count_words, is_selected, tell
from idinf.spec.reader import parse_spec
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from tests.show.reports import golden, opened, with_stages


def test_open(opened) -> None:
    text = render_answer(opened.report)
    assert "Not decided: the budget max_r = 9.3 ended" in text
    assert text.startswith(
        "open in nope, layers <= 2, heads <= 1, units <= 2, precision <= 2: n0 >= 3, R* > 9.3"
    )
    assert (
        "R*_n > 9.3 for every n >= 3: every hypothesis of this space with R <= 9.3 was enumerated, and none "
        "agrees with parity on all words up to length 3. What lies above was not searched." in text
    )
    assert "  3..4  > 9.3        -         -            undetermined  -" in text.splitlines()
    assert "selected at" not in text
    assert "none exists" not in text


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


def test_signs_are_explained_once_where_they_are_met_first() -> None:
    sign = "#u1 counts the non-empty prefixes where u1 holds; u1 alone: it holds at the end."
    steps = tell(golden("dyck-1"))
    assert [step.title for step in steps if sign in text(step)] == ["The price of a hypothesis"]
    assert any("u1" in option.text for option in steps[1].question.options)
    beside = tell(golden("dyck-1"), is_second=True)
    assert [step.title for step in beside if sign in text(step)] == ["All words up to length 4"]
    assert "u1" not in "".join(text(step) for step in beside[:5])


def test_majority_is_told_to_its_n0() -> None:
    steps = told("majority")
    assert list(steps) == [
        "The language majority, over 0 1",
        "The price of a hypothesis",
        "All words up to length 1",
        "A rule that lasts",
        "All words up to length 2",
        "All words up to length 3",
        "The hypotheses that it went through",
        "How R*_n moves",
        "What this run proves",
        "Why n0 stays for ever",
        "What it does not show",
    ]
    assert "\n  accept = zeros <= ones\n" in steps["The language majority, over 0 1"]
    assert "ε | accept\n0 | reject" in steps["The language majority, over 0 1"]
    records = steps["The hypotheses that it went through"]
    assert "5.000000000 | 1 | 10 | accept iff last != 0" in records
    assert "8.414213562 | 128, all that count | - | accept iff #1 - #0 >= 0" in records
    second = steps["All words up to length 2"]
    assert second.startswith(
        "n = 2: the learner has seen 7 words.\nThe word 10 rules out 'accept iff last != 0'."
    )
    assert "5.000000000 | accept iff last != 0 | ruled out by 10" in second
    assert "R*_2 = 8.414213562" in second
    assert "R*_2 + 1/4 = 8.664213562" in second
    assert "at least 2 functions, some of which the table does not list" in second
    assert second.endswith("is wrong on 001. The learner may still pick a wrong one: n = 2 is bad.")
    assert "'accept iff empty or #1 >= 1', with R = 8.414213562, " in second
    first = steps["All words up to length 1"]
    assert "#1 - #0" not in first  # what comes later is not shown before
    third = steps["All words up to length 3"]
    assert "001 rules out 'accept iff empty or #1 >= 1', which could have been picked before." in third
    assert third.endswith("Selected: 1 function. None fails within length 2n: every n from 3 to 64 is good.")
    proved = steps["What this run proves"]
    assert proved.startswith("\n".join(sentences(golden("majority"))))
    assert "It agrees with majority on all words up to length 128; all of them were checked" in proved
    assert proved.endswith("It is proved to agree on all longer words too.")
    assert steps["What it does not show"] == "\n".join(list_caveats(golden("majority")))


def test_parity_rises_and_the_run_proves_a_lower_bound_only() -> None:
    steps = told(opened(), "no")
    chart = steps["How R*_n moves"]
    assert "Longer words rule the cheap hypotheses out" in chart
    levels = [line.split(" | ")[1] for line in chart.splitlines()[2:]]
    assert levels == ["5.000000000", "9.242640687", "> 9.5"]
    assert chart.splitlines()[-1].endswith("=>")
    last = steps["All words up to length 3"]
    assert "No hypothesis with R <= 9.5 fits. So R*_3 > 9.5" in last
    assert "undetermined" in last
    proved = steps["What this run proves"]
    assert proved.startswith("\n".join(sentences(opened())))
    assert "n0 >= 3" in proved
    assert "Not proved: that nothing fits. A larger --max-r looks further." in proved
    assert "that it never ends is the theorem, not the run" in steps["What the theory adds"]
    assert "So each of them is wrong on some word." in steps["What the theory adds"]


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
    assert "Some selected sets may hold more above, and are known in part" in steps["What this run proves"]
    assert "R*_n does not move" in steps["How R*_n moves"]
    assert "The window reaches above what was searched" in "".join(steps.values())


@pytest.mark.parametrize("name", ["majority", "dyck-1", "parity"])
def test_what_is_said_to_be_selected_is_in_the_window(name: str) -> None:
    report = golden(name)
    for stage in report.stages:
        inside = [record for record in report.records if is_selected(report, record, stage)]
        assert all(record.fits(stage.n) for record in inside)
        assert bool(inside) is (stage.r_star is not None)
        assert len(inside) <= stage.num_selected


def test_words_are_counted_in_the_domain() -> None:
    spec = parse_spec('name = "x"\nalphabet = "ab"\nregex = "a*"\ndomain = "(ab|a)*"')
    target = supervise(build_target(spec))
    for length in range(6):
        counted = sum(target.is_counted(word) for word in words_up_to(2, length))
        assert count_words(2, target, length) == counted
    assert count_words(3, None, 2) == 13
