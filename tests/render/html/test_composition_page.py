"""The page of a protocol: its arrows and counts, and what axe-core and Chromium say of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from idinf.library.composition import composition_protocol, compositions, run_protocol
from idinf.library.composition_nets import composition_page
from idinf.render.html.composition_page import WORDS

TASK = compositions(2, [2], seed=4)[0]
NAMES = ("reveal", "slice", "compose", "silent")


def page(name, path=None):
    return composition_page(composition_protocol(name, 2, [2]), TASK, path=path)


@pytest.mark.parametrize("name", NAMES)
def test_an_arrow_and_a_row_for_each_message_that_is_not_empty(name):
    text = page(name)
    said = [m for m in run_protocol(composition_protocol(name, 2, [2]), TASK).messages if m.bits]
    assert text.count('class="arc strong"') == text.count('<td class="word">') == len(said)
    for message in said:
        assert f'<td class="word">{message.bits}</td>' in text
    assert ("the protocol is wrong on one of them" in text) == (name == "silent")
    assert page(name) == text
    assert "<script" not in text
    assert not re.search(r'(src|href)="(?!#|data:,")', text)


def test_notes_are_those_of_the_glossary():
    rows = (Path(__file__).parents[3] / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    for name, meaning in WORDS.values():
        assert f"| {name} | {meaning} |" in [re.sub(r"\\(.)|`", r"\1", row) for row in rows]


def test_in_a_browser(browser, tmp_path):
    """Nothing is refused by the policy, nothing is wider than a phone, and a word opens its note."""
    page("slice", tmp_path / "page.html")
    shown = browser.new_page(viewport={"width": 375, "height": 700})
    said = []
    shown.on("console", lambda message: said.append(message.text))
    shown.goto((tmp_path / "page.html").as_uri())
    assert shown.evaluate("document.documentElement.scrollWidth") == 375
    shown.get_by_role("button", name="epoch").first.click()
    assert shown.locator("#gloss-epoch").is_visible()
    assert said == []
    shown.close()
