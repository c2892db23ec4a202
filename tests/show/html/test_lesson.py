"""The reading order of a page and its exercises, in a browser: by keyboard alone, at two widths."""

import pytest

from idinf.show.exercises import list_exercises
from idinf.show.html.guided_steps import tell_steps, typeset_prose
from idinf.show.quiz import Form
from idinf.show.rules import list_rules
from tests.show.reports import golden, opened

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 375, "height": 800}
PAIR = golden("majority"), golden("parity")

#: What is typed where a mark is compared, beside the right answer: read, and not read.
TRIED = {
    Form.NUMBER: ("0", "1", "2", "3", "4", "5", "6", "07", "none", "Never", "two", ""),
    Form.WORD: ("", "ε", "0", "1", "10", "01", "111", "0111", "100", "xyz", "11"),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["1280", "375"])
@pytest.mark.parametrize("name", ["majority", "parity"])
def test_the_order_is_read_by_the_space_bar_alone(open_page, name, size):
    page = open_page(golden(name), viewport=size)
    steps = tell_steps(golden(name), "no" if name == "parity" else "yes")
    column = page.locator("main").bounding_box()
    page.focus("#lesson button")
    page.keyboard.press("Enter")
    for number, step in enumerate(steps, start=1):
        assert page.inner_text("#lesson .panel .note >> nth=0") == f"step {number} of {len(steps)}"
        assert page.inner_text("#lesson h2") == step["title"]
        assert page.evaluate("document.activeElement.textContent") == step["title"]
        assert not page.is_visible(".lead.answers") or step["question"] is None
        if step["question"] is not None:
            assert page.locator("main > section[data-part]:visible").count() == 0
            assert page.locator("#lesson .told").count() == 0
            page.keyboard.press("Space")
            assert page.inner_text("#lesson .told").startswith("Answer: ")
        shown = [each.get_attribute("data-part") for each in page.locator("main > section:visible").all()]
        parts = {"picture": ["consistent"], "whole": ["consistent"]}
        assert shown == parts.get(step["part"], ["theory"] if step["part"] == "theory" else [])
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        for box in (page.locator("main").bounding_box(), page.locator("#lesson .panel").bounding_box()):
            assert (box["x"], box["width"]) == (column["x"], column["width"])
        if step["title"] == "A rule that lasts":
            assert page.inner_text("#lesson .told").count(step["question"]["answer"]) == 1
        page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.id") == "exercises"
    assert page.locator("main > section:visible").count() == 6


def test_the_picture_keeps_what_is_not_told_yet(open_page):
    page = open_page(golden("majority"), "#step=3&n=1")
    page.keyboard.press("Space")
    assert page.locator("#picture .point").count() == 2
    assert page.locator("#picture .verdict").count() == 1
    assert page.locator("#picture .flag-name").count() == 0
    line = page.locator("#picture .point.selected")
    line.focus()
    assert line.get_attribute("aria-label") == "Record 2: R = 5, right so far; selected"
    assert page.inner_text("#picture .caption") == ""
    assert "8.414" not in page.text_content("#picture")
    page.click("text=Leave the order")
    assert page.locator("#picture .point").count() == 3
    assert page.text_content("#picture .flag-name") == "n₀ = 3"


def test_a_guess_is_marked_and_then_told(open_page):
    page = open_page(golden("majority"), "#step=5")
    assert "The word 10 rules out accept iff last != 0." in page.inner_text("#lesson")
    page.fill("#lesson input", "1")
    page.keyboard.press("Enter")
    assert page.inner_text("#lesson .mark") == "No: both accept 1."
    told = page.inner_text("#lesson .told")
    assert "accept iff empty or #1 >= 1, with R = 8.414, is wrong on 001." in told  # the wrong rule by name
    assert page.inner_text("#lesson .moves button >> nth=1") == "Next"
    page.keyboard.press("Space")  # the button has the focus
    assert page.inner_text("#lesson h2") == "All words up to length 3"
    page.click("text=Back")
    assert page.inner_text("#lesson h2") == "All words up to length 2"
    assert page.locator("#lesson .told").count() == 1  # it has been read


@pytest.mark.slow
@pytest.mark.parametrize(
    "reports",
    [
        pytest.param(PAIR, id="pair"),
        pytest.param(golden("dyck-1"), id="dyck-1"),
        pytest.param(opened(), id="open"),
    ],
)
def test_every_exercise_is_marked_as_the_library_marks_it(open_page, reports):
    page = open_page(reports)
    questions = list_exercises(reports if isinstance(reports, tuple) else (reports,))
    for number, question in enumerate(questions, start=1):
        assert page.inner_text("#exercises h3") == f"Exercise {number} of {len(questions)}"
        choices = [str(k) for k in range(1, len(question.options) + 1)]
        rules = [rule.text for rule in list_rules(question.report)] if question.form is Form.RULE else []
        tried = choices or rules or (question.answer, *TRIED[question.form])
        for answer in tried:
            if choices:
                page.check(f"#exercises input >> nth={int(answer) - 1}")
            elif rules:
                page.select_option("#exercises form select", answer)
            else:
                page.fill("#exercises form input", answer)
            page.click("#exercises >> text=Answer >> nth=0")
            mark = question.mark(answer)
            kind = {True: "right", False: "wrong", None: "unread"}[mark.right]
            assert kind in page.get_attribute("#exercises .mark", "class"), (question.text, answer)
            if mark.right is not None:
                said = typeset_prose(mark.said).replace("'", "")
                if answer in {record.formula for record in question.report.records if record.fail is None}:
                    said = f"Right, on all words up to length {question.report.horizon}."  # looked at farther
                assert page.inner_text("#exercises .mark") == said
        page.click("#exercises >> text=Show the answer")
        assert page.inner_text("#exercises .told").startswith("Answer: ")
        if number < len(questions):
            page.click("#exercises >> text=Next")
    assert " right at the first answer." in page.inner_text("#exercises")


def test_exercises_are_answered_by_keyboard_alone(open_page):
    page = open_page(PAIR, "#exercise=2")
    focused = "document.activeElement.textContent || document.activeElement.value"
    page.evaluate("document.getElementById('exercises').focus()")
    for key in ("Tab", "1", "0", "Enter"):
        page.keyboard.press(key)
    assert page.inner_text("#exercises .mark").startswith("Right: 10")
    for _ in range(4):  # the answer, back, the right answer, next
        page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Next"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "Exercise 3 of 10"
    for key in ("Tab", "Space", "Enter"):
        page.keyboard.press(key)
    assert page.inner_text("#exercises .mark") == "Right."
    assert page.inner_text("#exercises > .note") == "2 of 2 right at the first answer."


def test_an_answer_that_was_shown_does_not_count(open_page):
    page = open_page(golden("majority"))
    page.click("#exercises >> text=Show the answer")
    page.fill("#exercises form input", "9")
    page.keyboard.press("Enter")
    assert page.inner_text("#exercises > .note") == ""
