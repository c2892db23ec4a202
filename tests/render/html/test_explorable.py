"""Every interaction of the explorable page: pictures, address, terms, arcs, numbers, notes."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from idinf.render.html.glossary import WORDS
from idinf.transformers.reference import trace
from tests.render.html.next_reports import NETS, report_of_spec, spec_of
from tests.render.html.page_reports import half_logits, report_of
from tests.render.reports import golden

HANDLE = "#picture [role=slider]"


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


@pytest.mark.slow
def test_touch_moves_the_window(open_page):
    page = open_page(golden("dyck-1"), has_touch=True, viewport={"width": 375, "height": 800})
    page.locator("#picture svg").scroll_into_view_if_needed()
    box = page.locator("#picture svg").bounding_box()
    at = page.evaluate("([n, w]) => lengthScale(data.horizon, 40, w - 54).at(n)", [6, box["width"]])
    page.touchscreen.tap(box["x"] + at, box["y"] + 150)
    assert page.inner_text("#n-shown") == "6"


@pytest.mark.slow
def test_the_window_is_moved_by_keys(open_page):
    page = open_page(golden("dyck-1"))
    page.focus(HANDLE)
    for key, n in [
        ("ArrowRight", 2),
        ("End", 8),
        ("ArrowRight", 8),
        ("PageDown", 7),
        ("ArrowDown", 6),
        ("Home", 1),
    ]:
        page.keyboard.press(key)
        assert page.get_attribute(HANDLE, "aria-valuenow") == str(n), key
        assert page.input_value("#n") == str(n)
    assert page.get_attribute(HANDLE, "aria-valuetext") == "n = 1, bad"


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


@pytest.mark.slow
def test_formulas_are_not_told_before_they_are_shown(open_page):
    page = open_page(golden("dyck-1"))
    page.locator("#picture [data-point='3']").focus()
    assert "accept iff" not in page.inner_text("#picture")
    assert not page.is_visible("#records")
    page.click("#reveal > summary")
    assert page.is_visible("#records")


@pytest.mark.slow
def test_a_selected_function_that_is_no_record_is_drawn(open_page):
    page = open_page(golden("majority"), "#n=2")
    assert page.locator("#picture .ghost-mark").count() == 1
    assert "001" in page.locator("#picture .lines > .word-label").all_text_contents()


# The address


@pytest.mark.slow
def test_the_address_keeps_every_control(open_page):
    page = open_page(golden("dyck-1"))
    page.locator("#n").fill("4")
    page.select_option("#hypothesis", "3")
    page.fill("#word", "aab")
    assert address(page) == "#n=4&record=3&word=aab"
    page.check("input[value=weights]")
    page.click("#what-if > summary")
    page.check("input[name=tolerance][value=half]")
    page.check("input[name=aggregate][value=sum]")
    page.check("input[name=pick][value=canonical]")
    page.click("#reveal > summary")
    page.fill("#rule", "#a = #b")
    page.click("#layers > summary")
    page.check("#digits")
    page.locator("#arcs [data-position='1']").click()
    kept = address(page)
    before = page.inner_text("main")
    page.evaluate("location.hash = '#n=1'")
    page.wait_for_function("document.getElementById('n-shown').textContent === '1'")
    assert page.input_value("#rule") == ""
    assert not page.is_checked("#digits")
    page.evaluate("(hash) => { location.hash = hash; }", kept)
    page.wait_for_function("document.getElementById('n-shown').textContent === '4'")
    assert page.inner_text("main") == before
    again = open_page(golden("dyck-1"), kept)
    assert again.inner_text("main") == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "at", ["#n=0&record=9", "#n=x&record=-1&head=7&query=99&show=no", "#n=999&word=xyz", "#consistent"]
)
def test_an_address_with_mistakes_is_read_as_far_as_it_goes(open_page, at):
    page = open_page(golden("dyck-1"), at)
    assert page.inner_text("#n-shown") == "1"
    assert page.input_value("#hypothesis") == "follow"
    if "xyz" in at:
        assert "Position 1 holds “x”" in page.inner_text("#word-error")


@pytest.mark.slow
def test_a_link_within_the_page_changes_nothing(open_page):
    page = open_page(golden("dyck-1"), "#n=4")
    page.evaluate("location.hash = '#consistent'")
    page.wait_for_timeout(50)
    assert page.inner_text("#n-shown") == "4"


# A word, computed


def test_word_and_record_follow_n_unless_they_are_chosen(open_page):
    page = open_page(golden("dyck-1"))
    for n, word in [(1, "ab"), (2, "aab"), (3, "baab"), (5, "baab")]:
        page.locator("#n").fill(str(n))
        assert page.input_value("#word") == word
    assert "(R = 9.825) is right" in page.inner_text("#verdict")
    assert page.locator("#follow-word").is_hidden()
    page.fill("#word", "ba")
    page.locator("#n").fill("1")
    assert page.input_value("#word") == "ba"
    page.click("#follow-word")
    assert page.input_value("#word") == "ab"


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
def test_units_are_explained_on_the_word(open_page):
    page = open_page(golden("dyck-1"), "#n=5&records=open&word=aabb&record=5")
    page.locator("#records tbody >> nth=4 >> .term", has_text="#u1").focus()
    assert "the number of prefixes at which unit 1 holds, 2 in aabb" in page.inner_text("#explained")
    assert "unit 1.1" in page.locator("#trace tr.lit th:first-child").all_text_contents()


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


@pytest.mark.slow
def test_nine_digits_are_shown_where_they_are_asked_for(open_page):
    page = open_page(golden("majority"), "#n=2")
    assert "R* = 8.414\n" not in page.inner_text("#status")
    assert "R* + 1/4 = 8.664." in page.inner_text("#status")
    assert page.get_attribute("#status .r >> nth=0", "title") == "8.414213562"
    page.check("#digits")
    assert "R* + 1/4 = 8.664213562." in page.inner_text("#status")


@pytest.mark.slow
def test_words_of_the_glossary_open_their_notes(open_page):
    page = open_page(golden("majority"))
    button = page.locator("button.gloss", has_text="Limit Transformers")
    button.focus()
    page.keyboard.press("Enter")
    note = page.locator("#gloss-transformer")
    assert note.is_visible()
    assert "an idealized transformer that reads inputs of any length" in note.inner_text()
    page.keyboard.press("Escape")
    assert note.is_hidden()
    opened = page.eval_on_selector_all(
        "[popovertarget]", "all => all.map((b) => b.getAttribute('popovertarget'))"
    )
    assert set(opened) <= {f"gloss-{key}" for key in WORDS}


def test_notes_are_those_of_the_glossary():
    rows = (Path(__file__).parents[3] / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    plain = [re.sub(r"\\(.)|`", r"\1", row) for row in rows]
    for name, meaning in WORDS.values():
        assert f"| {name} | {meaning} |" in plain


@pytest.mark.slow
def test_less_motion_where_it_is_asked_for(open_page):
    page = open_page(golden("majority"), reduced_motion="reduce")
    length = "getComputedStyle(document.querySelector('.life')).transitionDuration"
    assert page.evaluate(length) == "0s"
    moving = open_page(golden("majority"), reduced_motion="no-preference")
    assert moving.evaluate(length) != "0s"


@pytest.mark.slow
@pytest.mark.parametrize("width", [375, 800, 1280])
def test_nothing_leaves_the_window(open_page, width):
    page = open_page(
        golden("dyck-1"), "#n=4&what=open&records=open&rule=%23a", viewport={"width": width, "height": 800}
    )
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    outside = """() => [...document.querySelectorAll("#picture svg text")].filter((text) => {
      const [one, all] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
      return one.width && (one.left < all.left - 1 || one.right > all.right + 1);
    }).map((text) => text.textContent)"""
    assert page.evaluate(outside) == []
    page.set_viewport_size({"width": 600, "height": 800})
    page.wait_for_function("document.querySelector('#picture svg').clientWidth < 600")


@pytest.mark.slow
def test_next_symbols_have_no_guess(open_page):
    from idinf.experiments.spec import Answer

    page = open_page(report_of_spec(spec_of("regex"), *NETS[Answer.SET]))
    assert page.locator("#rule").count() == 0
    assert page.is_visible("#records")
    assert page.locator("#picture .point").count() == 2
    assert page.locator("#arcs .token").count() > 1
