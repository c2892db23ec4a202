"""Two reports side by side: one n, ids of their own, values as in the page of each."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from idinf.library.classification import classify
from idinf.library.pages import find_classes, report_page
from idinf.render.html.page import render_page
from idinf.render.sentences import describe_expectation, describe_theory
from tests.render.html.next_reports import NETS, report_of_spec, spec_of
from tests.render.reports import golden, opened

PAIR = golden("majority"), opened()
LEFT, RIGHT = ".side >> nth=0 >> ", ".side >> nth=1 >> "


def address(page):
    """The address, once it is written."""
    page.wait_for_timeout(200)
    return page.evaluate("location.hash")


def test_one_n_moves_both(open_page):
    page = open_page(PAIR)
    assert page.inner_text("#verdicts").split("\n") == [" majority: bad", " parity: bad"]
    page.locator("#control #n").fill("3")
    assert "n = 3 is good" in page.inner_text(f"{LEFT}#status")
    assert "n = 3 is undetermined" in page.inner_text(f"{RIGHT}#status")
    assert page.inner_text("#verdicts").split("\n") == [" majority: good", " parity: undetermined"]
    assert page.get_attribute("#control #n", "aria-valuetext") == "n = 3, majority good, parity undetermined"
    page.focus(f"{RIGHT}#picture [role=slider]")
    page.keyboard.press("ArrowLeft")
    assert [page.inner_text(f"{side}#status .answer") for side in (LEFT, RIGHT)] == ["n = 2 is bad"] * 2
    assert page.input_value("#control #n") == "2"


@pytest.mark.slow
def test_each_side_is_the_page_of_its_report_at_every_n(open_page):
    pair = open_page(PAIR)
    ones = [open_page(report) for report in PAIR]
    for n in (1, 2, 3, 7, 64):
        pair.locator("#control #n").fill(str(n))
        for side, one in zip((LEFT, RIGHT), ones, strict=True):
            one.locator("#n").fill(str(n))
            for part in ("#status", "#picture", "#records", "#verdict", "#trace", "#terms", "#stages"):
                assert pair.text_content(f"{side}{part}") == one.text_content(part), (n, part)


@pytest.mark.slow
def test_the_rest_of_a_side_is_its_own_and_kept_in_the_address(open_page):
    page = open_page(PAIR)
    page.locator("#control #n").fill("2")
    page.fill(f"{RIGHT}#word", "11")
    page.select_option(f"{LEFT}#hypothesis", "3")
    page.fill(f"{LEFT}#rule", "#1 >= 1")
    page.check(f"{LEFT}#digits")
    assert page.is_checked(f"{RIGHT}#digits")  # how numbers are written is linked
    assert page.input_value(f"{LEFT}#word") != "11"
    assert "Wrong on" in page.inner_text(f"{LEFT}#guess-answer")
    assert page.inner_text(f"{RIGHT}#guess-answer") == ""
    kept = address(page)
    assert kept == "#n=2&a.record=3&a.rule=%231+%3E%3D+1&nine=1&b.word=11"
    before = [page.inner_text(f"{side}#computed") for side in (LEFT, RIGHT)]
    again = open_page(PAIR, kept)
    assert [again.inner_text(f"{side}#computed") for side in (LEFT, RIGHT)] == before
    assert again.input_value(f"{LEFT}#rule") == "#1 >= 1"


@pytest.mark.slow
def test_lights_notes_and_words_stay_on_their_side(open_page):
    page = open_page(PAIR, "#n=2&a.records=open&b.records=open")
    page.locator(f"{LEFT}#picture [data-point='1']").focus()
    assert "lit" in page.get_attribute(f"{LEFT}#records tbody >> nth=1", "class")
    assert "lit" not in page.get_attribute(f"{RIGHT}#records tbody >> nth=1", "class")
    page.locator(f"{RIGHT}#status button.gloss").first.click()
    assert page.locator(f"{RIGHT}#gloss-good").is_visible()
    page.keyboard.press("Escape")
    page.locator(f"{RIGHT}#records button.word").first.click()
    assert page.input_value(f"{RIGHT}#word") == "1"
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.id") == "word"


@pytest.mark.slow
def test_verdicts_lead_to_their_sides(open_page):
    page = open_page(PAIR, viewport={"width": 375, "height": 700})
    assert page.locator(f"{RIGHT}h2 >> nth=0").bounding_box()["y"] > 2000
    page.locator("#verdicts button").nth(1).focus()
    page.keyboard.press("Enter")
    bar = page.locator("#control").bounding_box()
    assert bar["y"] + bar["height"] <= page.locator(f"{RIGHT}h2 >> nth=0").bounding_box()["y"] < 350
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "parity"


@pytest.mark.slow
def test_n_goes_as_far_as_both_were_examined(open_page):
    page = open_page((golden("dyck-1"), golden("majority")), "#n=9")
    assert page.inner_text("header >> nth=0 >> .lead").endswith("to 8; majority to 64.")
    assert page.get_attribute("#control #n", "max") == "8"
    assert page.inner_text("#n-shown") == "1"
    page.focus(f"{RIGHT}#picture [role=slider]")
    page.keyboard.press("End")
    assert page.inner_text("#n-shown") == "8"
    assert "n₀ = 3 for n ≤ 64" in page.text_content(f"{RIGHT}#what-if")  # what its report says is whole


@pytest.mark.slow
@pytest.mark.parametrize("width", [375, 800, 1280])
def test_nothing_leaves_the_window(open_page, width):
    at = "#n=3&a.records=open&b.records=open&a.what=open&b.what=open"
    page = open_page(PAIR, at, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    tops = [page.locator(f"{side}#theory").bounding_box()["y"] for side in (LEFT, RIGHT)]
    assert (tops[0] == tops[1]) == (width == 1280)  # sections stand beside each other, or below


@pytest.mark.slow
def test_the_keyboard_is_enough(open_page):
    page = open_page(PAIR)
    focused = """() => {
      let at = document.activeElement;
      while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      const host = at.getRootNode().host;
      const where = host ? host.getAttribute("aria-label") : "";
      return [where, at.id || at.tagName, getComputedStyle(at).outlineStyle];
    }"""
    order = []
    while not order or order[-1][1] != "BODY":
        page.keyboard.press("Tab")
        where, name, outline = page.evaluate(focused)
        order.append((where, name))
        assert (outline == "none") == (name == "BODY"), order[-1]
    for name in ("rule", "rules", "word", "hypothesis", "digits"):
        assert order.index(("majority", name)) < order.index(("parity", name))
    assert order.index(("", "n")) < order.index(("majority", "word"))


@pytest.mark.slow
def test_without_javascript_the_tables_are_there(browser, tmp_path):
    path = tmp_path / "pair.html"
    path.write_text(report_page(*PAIR), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    for side, report in zip((LEFT, RIGHT), PAIR, strict=True):
        assert page.locator(f"{side}#theory").is_visible()
        assert page.locator(f"{side}#computed").is_hidden()
        page.click(f"{side}#reveal > summary")
        assert page.locator(f"{side}#records tbody").count() == len(report.records)
    context.close()


# What theory adds


def plain(text):
    return re.sub(r"\s+", " ", text.replace("₀", "0").replace("ₙ", "_n").replace("≤", "<="))


def test_theory_and_classes_are_those_of_the_library(open_page):
    page = open_page(PAIR)
    for side, report in zip((LEFT, RIGHT), PAIR, strict=True):
        found = classify(report.target.spec())
        inside = str(found.crasp_periodic_local.verdict)
        told = plain(page.text_content(f"{side}#theory"))
        for text in (describe_expectation(report.target.title, inside), *describe_theory(report, inside)):
            assert plain(text) in told
        shown = page.eval_on_selector_all(
            f"{side}.classes div",
            "rows => rows.map((row) => [...row.children].map((cell) => cell.textContent))",
        )
        marks = {"yes": "✓ yes", "no": "✕ no", "none": "✕ none", "unknown": "? unknown"}
        assert shown == [[name, marks.get(verdict, verdict), why] for name, verdict, why in found.rows]
    assert "outside C-RASP[periodic, local], so no n₀ is expected" in page.text_content(f"{RIGHT}#theory")


def test_what_is_not_known_is_not_claimed():
    report = opened()
    assert "Nothing is said here of the classes" in render_page(report)
    known = replace(find_classes(report), inside="unknown")
    text = render_page(report, known)
    assert "It is not decided whether parity is in C-RASP[periodic, local]." in text
    assert "so no n₀ is expected" not in text


def test_of_next_symbols_there_are_the_classes_alone():
    from idinf.experiments.spec import Answer

    text = report_page(report_of_spec(spec_of("regex"), *NETS[Answer.SET]))
    assert "not of what is asked." in text
    assert "is expected" not in text


# The text


def test_the_same_reports_give_the_same_text_without_anything_from_elsewhere():
    text = report_page(*PAIR)
    assert text == report_page(*PAIR)
    assert not re.search(r"https?://", text)
    assert text.count("<h1>") == 1
    assert len(text.encode()) < 4_000_000


def test_two_runs_of_one_target_have_names_of_their_own():
    text = report_page(PAIR[0], PAIR[0])
    assert "<h1>majority (first) beside majority (second)</h1>" in text


def test_a_planted_text_stays_a_text(open_page):
    planted = "</template><script>window.hacked = 1</script>"
    report = replace(PAIR[0], target=replace(PAIR[0].target, name=planted))
    page = open_page((report, PAIR[1]))
    assert page.evaluate("window.hacked") is None
    assert page.inner_text(f"{LEFT}h2 >> nth=0") == planted
