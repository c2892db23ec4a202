"""Two reports side by side: one n, ids of their own, values as in the page of each."""

from __future__ import annotations

import re

from idinf.api.classification import classify
from idinf.api.pages import report_page
from idinf.show.sentences import describe_expectation, describe_theory
from tests.show.reports import golden, opened

PAIR = golden("majority"), opened()
LEFT, RIGHT = ".side >> nth=0 >> ", ".side >> nth=1 >> "


def test_one_n_moves_both_as_it_moves_each(open_page):
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
    ones = [open_page(report) for report in PAIR]
    for n in (1, 3, 64):
        page.locator("#control #n").fill(str(n))
        for side, one in zip((LEFT, RIGHT), ones, strict=True):
            one.locator("#n").fill(str(n))
            for part in ("#status", "#picture", "#records", "#verdict", "#trace", "#terms", "#stages"):
                assert page.text_content(f"{side}{part}") == one.text_content(part), (n, part)
    check_theory(page)


def plain(text):
    return re.sub(r"\s+", " ", text.replace("₀", "0").replace("ₙ", "_n").replace("≤", "<="))


def check_theory(page):
    """What theory adds, and classes, against the library."""
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


def test_the_same_reports_give_the_same_text_without_anything_from_elsewhere():
    text = report_page(*PAIR)
    assert text == report_page(*PAIR)
    assert not re.search(r"https?://", text)
    assert text.count("<h1>") == 1
    assert len(text.encode()) < 4_000_000
