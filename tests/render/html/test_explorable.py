"""Every interaction of the explorable page: pictures, terms, arcs, numbers, notes."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from idinf.render.html.templates import WORDS
from idinf.transformers.reference import trace
from tests.render.html.page_reports import half_logits, report_of
from tests.render.reports import golden


def address(page):
    """The address, once it is written."""
    page.wait_for_timeout(200)
    return page.evaluate("location.hash")


def kinds(page):
    return [
        re.sub(r"point |\s?lit", "", name)
        for name in page.eval_on_selector_all(
            "#picture .point", "points => points.map((p) => p.getAttribute('class'))"
        )
    ]


# The pictures


def test_words_end_the_lines_of_hypotheses(open_page):
    page = open_page(golden("dyck-1"))
    assert kinds(page) == ["out", "selected", "consistent", "consistent", "consistent"]
    page.locator("#n").fill("3")
    assert kinds(page) == ["out", "out", "out", "selected", "consistent"]
    assert page.locator("#picture .out .word-label").all_text_contents() == ["a", "ab", "aab"]
    assert page.locator("#picture .out .cross").count() == 6
    assert page.locator("#picture .verdict.bad").count() == 4
    assert page.locator("#picture .verdict.good").count() == 4
    assert page.locator("#picture .flag-name").text_content() == "n₀ = 5"


def test_the_window_is_moved_by_mouse_and_touch(open_page):
    page = open_page(golden("dyck-1"), viewport={"width": 900, "height": 1000})
    x = """(n) => {
      const box = document.querySelector("#picture svg").getBoundingClientRect();
      return [box.x + lengthScale(data.horizon, 40, box.width - 54).at(n), box.y + 150];
    }"""
    for n in (4, 7):
        page.mouse.move(*page.evaluate(x, n))
        page.mouse.down()
        assert page.inner_text("#n-shown") == str(n)
        page.mouse.move(*page.evaluate(x, n - 2), steps=3)
        assert page.inner_text("#n-shown") == str(n - 2)
        page.mouse.up()
        page.mouse.move(*page.evaluate(x, 1))
        assert page.inner_text("#n-shown") == str(n - 2)  # released
    left, top = page.evaluate(x, 6)
    page.dispatch_event(
        "#picture svg",
        "pointerdown",
        {"clientX": left, "clientY": top, "pointerType": "touch", "pointerId": 1, "button": 1},
    )
    assert page.inner_text("#n-shown") == "5"  # another button moves nothing
    line = page.evaluate("document.querySelector('[data-point=\"4\"] .life').getBoundingClientRect().y")
    page.mouse.click(page.evaluate(x, 7)[0], line)
    assert (page.inner_text("#n-shown"), page.input_value("#hypothesis")) == ("5", "5")  # pressed, not drawn
    page.mouse.down()
    page.mouse.move(page.evaluate(x, 8)[0], line, steps=4)
    page.mouse.up()
    assert page.inner_text("#n-shown") == "8"
    assert page.locator("#picture svg").evaluate("svg => getComputedStyle(svg).touchAction") == "pan-y"


def test_a_point_is_linked_to_its_row_and_formula(open_page):
    page = open_page(golden("dyck-1"), "#records=open&n=2")
    page.locator("#picture [data-point='3']").focus()
    assert "lit" in page.get_attribute("#records tbody >> nth=3", "class")
    assert page.inner_text("#picture .caption") == (
        "record 4: R = 9.402, wrong from length 4 on: baab · accept iff last != a and #a - #b = 0"
    )
    page.keyboard.press("Enter")
    assert page.input_value("#hypothesis") == "4"
    assert page.input_value("#word") == "baab"
    assert "is wrong: the target says reject." in page.inner_text("#verdict")
    page.hover("#records tbody >> nth=1")
    assert "lit" in page.get_attribute("#picture [data-point='1']", "class")


# The address


# A word, computed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dyck-1", "half"])
def test_arcs_are_the_shares_of_the_reference(open_page, name):
    net = golden("dyck-1").records[-1].hypothesis if name == "dyck-1" else half_logits()
    report = golden("dyck-1") if name == "dyck-1" else report_of(net)
    place, text = (5, "aabb") if name == "dyck-1" else (1, "abcab")
    page = open_page(report, f"#record={place}&word={text}")
    told = trace(net, net.alphabet.encode(text))
    for number, layer in enumerate(told.layers, start=1):
        page.select_option("#head", f"{number}.1")
        for query in range(len(text) + 1):
            page.locator(f"#arcs [data-position='{query}']").focus()
            page.keyboard.press("Enter")
            shares = layer.heads[0].attention[query]
            shown = page.locator("#arcs .token .share").all_text_contents()
            assert [Fraction(cell) for cell in shown if cell] == [share for share in shares if share]
            widths = page.eval_on_selector_all(
                "#arcs .arc.strong", "arcs => arcs.map((a) => +a.getAttribute('stroke-width'))"
            )
            expected = [0.8 + 9 * float(share) for share in shares if share]
            assert widths == pytest.approx(expected, abs=0.01)
            assert page.get_attribute(f"#arcs [data-position='{query}']", "aria-pressed") == "true"


@pytest.mark.slow
def test_twenty_words_are_as_the_library_says(open_page):
    report = golden("dyck-1")
    net = report.records[-1].hypothesis
    page = open_page(report, "#record=5&layers=closed")
    words = ["", "a", "b", "ab", "ba", "aab", "abb", "aabb", "abab", "abba", "baba", "bbaa", "aabab"]
    words += ["aaabbb", "ababab", "aababb", "abbaab", "aabbab", "bababa", "aaaabbbb"]
    assert len(words) == 20
    for text in words:
        page.fill("#word", text)
        told = trace(net, net.alphabet.encode(text))
        verdict = "accept" if told.accepted else "reject"
        assert page.inner_text("#verdict .answer") == f"{text or 'ε'} → {verdict}"
        assert f"= {told.logits[net.accept_row]}. A word".replace("-", "−") in page.text_content("#output")


# Terms of formulas


def lit(page, selector):
    return page.locator(f"{selector}.lit").all_text_contents()


def test_a_term_lights_what_it_is_made_of(open_page):
    page = open_page(golden("dyck-1"), "#n=3&records=open&record=4")
    page.locator("#records tbody >> nth=3 >> .term", has_text="#a").focus()
    assert lit(page, "#records tbody >> nth=3 >> .bar span") == ["L + H", "rank V", "‖V‖", "‖A‖"]
    assert lit(page, "#records tbody >> nth=2 >> .bar span") == []
    assert set(lit(page, "#records .word span")) == {"a"}
    assert page.locator("#trace div.lit h4").all_text_contents() == ["Head 1"]
    assert page.locator("#trace tr.lit th:first-child").all_text_contents() == [
        "attended",
        "unit 1.1",
        "unit 1.2",
    ]
    assert page.inner_text("#explained") == (
        "#a: the number of a, 2 in baab. Read by head 1 of layer 1. Part of L + H, rank V, ‖V‖, ‖A‖ in R."
    )
    page.locator("#records tbody >> nth=3 >> .term", has_text="last != a").hover()
    assert "the symbol at the end, b in baab" in page.inner_text("#explained")
    assert "‖A‖" in lit(page, "#records tbody >> nth=3 >> .bar span")


@pytest.mark.slow
def test_bars_are_r_term_by_term(open_page):
    report = golden("dyck-1")
    page = open_page(report, "#records=open")
    titles = page.eval_on_selector_all(
        "#records .bar", "bars => bars.map((bar) => [...bar.children].map((c) => c.title))"
    )
    for record, own in zip(report.records, titles, strict=True):
        values = [float(title.split(" = ")[1]) for title in own]
        assert values == pytest.approx([value for value in record.r_terms.as_dict().values() if value])
        assert sum(values) == pytest.approx(record.r, abs=1e-6)


# Numbers, notes, and what surrounds them


def test_notes_are_those_of_the_glossary():
    rows = (Path(__file__).parents[3] / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    plain = [re.sub(r"\\(.)|`", r"\1", row) for row in rows]
    for name, meaning in WORDS.values():
        assert f"| {name} | {meaning} |" in plain
