"""The page of a report in a real browser, from the slider to a guess; what a reader can do, in one flow."""

import re
from pathlib import Path

import pytest

from idinf.show.html.page import render_page
from idinf.show.html.templates import TEMPLATES
from idinf.show.rules import list_rules
from tests.show.reports import golden

#: For every n: the answer, the sentences, and the state of every record.
EVERY_N = """() => data.stages.map((_, place) => {
  document.getElementById("n").value = place + 1;
  document.getElementById("n").dispatchEvent(new Event("input"));
  const states = [...document.querySelectorAll("#records .state")].map((cell) => cell.textContent);
  const status = document.getElementById("status").innerText;
  return [document.querySelector("#status .answer").textContent, status, ...states];
})"""


def kinds(page):
    return [
        re.sub(r"point |\s?lit", "", name)
        for name in page.eval_on_selector_all(
            "#picture .point", "points => points.map((p) => p.getAttribute('class'))"
        )
    ]


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The page of dyck-1, which one test leaves to the next; it complains about nothing."""
    path, complaints = tmp_path_factory.mktemp("flow") / "page.html", []
    path.write_text(render_page(golden("dyck-1")), encoding="utf-8")
    shown = browser.new_page(viewport={"width": 900, "height": 1000})
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.goto(f"{path.as_uri()}#records=open")
    shown.wait_for_selector("html[data-ready]")
    yield shown
    shown.close()
    assert complaints == []


@pytest.mark.parametrize(
    "name", ["parity", *(pytest.param(name, marks=pytest.mark.slow) for name in ("majority", "dyck-1"))]
)
def test_every_n_agrees_with_the_report(open_page, name):
    report = golden(name)
    page = open_page(report)
    told = page.evaluate(EVERY_N)
    for stage, (answer, status, *left_over) in zip(report.stages, told, strict=True):
        n = stage.n
        verdict = {True: "good", False: "bad", None: "undetermined"}[stage.good]
        assert answer == f"n = {n} is {verdict}"
        for record, state in zip(report.records, left_over, strict=True):
            left = record.fail is None or record.fail > n
            known = stage.r_star is not None
            chosen = left and known and record.r <= stage.r_star + 1 / (2 * n) + 1e-9
            assert state[2:] == ("selected" if chosen else "consistent" if left else "ruled out")
        if stage.r_star is not None:
            assert f"R* = {stage.r_star:.3f}".rstrip("0").rstrip(".") in status
        else:
            assert f"R* is above {stage.r_star_lower:g}" in status


def test_the_slider_the_picture_and_the_records_are_one(page):
    assert kinds(page) == ["out", "selected", "consistent", "consistent", "consistent"]
    page.locator("#n").fill("2")
    assert "Next to fall: R = " in page.inner_text("#status")
    page.locator("#n").fill("3")
    assert kinds(page) == ["out", "out", "out", "selected", "consistent"]
    assert page.get_attribute("#n", "aria-valuetext") == "n = 3, bad"
    assert page.locator("#picture .out .word-label").all_text_contents() == ["a", "ab", "aab"]
    assert page.locator("#picture .out .cross").count() == 6
    assert page.locator("#picture .verdict.bad").count() == 4
    assert page.locator("#picture .verdict.good").count() == 4
    assert page.locator("#picture .flag-name").text_content() == "n₀ = 5"
    page.locator("#picture [data-point='3']").focus()
    assert "lit" in page.get_attribute("#records tbody >> nth=3", "class")
    assert page.inner_text("#picture .caption") == (
        "record 4: R = 9.402, wrong from length 4 on: baab · accept iff last != a and #a - #b = 0"
    )
    page.keyboard.press("Enter")
    assert (page.input_value("#hypothesis"), page.input_value("#word")) == ("4", "baab")
    assert "is wrong: the target says reject." in page.inner_text("#verdict")
    page.locator("#records tbody >> nth=3 >> .term", has_text="#a").focus()
    assert lit(page, "#records tbody >> nth=3 >> .bar span") == ["L + H", "rank V", "‖V‖", "‖A‖"]
    assert lit(page, "#records tbody >> nth=2 >> .bar span") == []
    assert page.locator("#trace div.lit h4").all_text_contents() == ["Head 1"]
    assert page.inner_text("#explained") == (
        "#a: the number of a, 2 in baab. Read by head 1 of layer 1. Part of L + H, rank V, ‖V‖, ‖A‖ in R."
    )
    page.hover("#records tbody >> nth=1")
    assert "lit" in page.get_attribute("#picture [data-point='1']", "class")
    page.locator("#records button", has_text="aab").first.press("Enter")
    assert page.input_value("#word") == "aab"


def lit(page, selector):
    return page.locator(f"{selector}.lit").all_text_contents()


# Words and rules


def test_rules_are_chosen_and_say_their_first_mistake_and_their_price(page):
    rules = {rule.text: rule for rule in list_rules(golden("dyck-1"))}
    assert page.locator("#rule option").all_text_contents() == ["choose one", *rules]
    for text, said in (
        ("accept iff last = b", "Wrong on ε\nCompiled as it is written, it costs R = 5, an upper end: "),
        ("accept iff #a - #b = 0", "Wrong on ba, right on every shorter word\nCompiled as it is written"),
        ("accept iff i even", "the least of what is right up to length 1 is R* = 5."),
        (golden("dyck-1").records[-1].formula, "Right on all words up to length 16\nIt is record 5"),
    ):
        page.select_option("#rule", text)
        assert said in re.sub(r"\n+", "\n", page.inner_text("#guess [role=status]"))
    page.select_option("#rule", "accept iff last != a and #a - #b = 0")
    page.click("#guess button.word")
    assert page.input_value("#word") == "baab"
    page.select_option("#rule", "")
    assert page.inner_text("#guess [role=status]") == ""


# The page as a whole


def test_notes_are_those_of_the_glossary():
    rows = (Path(__file__).parents[3] / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    plain = [re.sub(r"\\(.)|`", r"\1", row) for row in rows]
    for name, meaning in TEMPLATES.get_template("parts.html").module.words.values():
        assert f"| {name} | {meaning} |" in plain
