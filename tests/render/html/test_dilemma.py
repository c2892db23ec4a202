"""The page of the dilemma in a browser: the slider tells the sentence of its row; all is there without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import idinf


def test_the_slider_tells_the_row(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "dilemma.html"
    idinf.dilemma("laplace", "(0)", most=8, path=path)
    for scripted in (True, False):
        context = browser.new_context(java_script_enabled=scripted)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(path.as_uri())
        if scripted:
            page.locator("#k").fill("7")
            assert page.locator("#said").inner_text() == "a is learned, b_7 is not learned."
            assert page.locator("#k-shown").inner_text() == "7"
            assert page.locator("tr[aria-current]").count() == 1
        assert page.locator("#k").is_visible() is scripted
        assert page.locator("tbody tr").count() == 7
        assert said == []
        context.close()
