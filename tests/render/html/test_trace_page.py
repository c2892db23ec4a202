"""The page of a trace: self-contained, deterministic, inert, and with every value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from idinf.crasp.library import load
from idinf.crasp.trace import trace_of
from idinf.render.html.trace_page import trace_page
from tests.render.html.test_page import Reader


def page_of(name: str, word: tuple[int, ...], parts: bool = False) -> str:
    loaded = load(name)
    return trace_page(loaded, trace_of(loaded.program, loaded.alphabet(), word, parts))


@pytest.mark.parametrize(
    ("name", "word"), [("dyck-1", (0, 1, 1)), ("induction-argmax", ()), ("aa-star", (0,))]
)
def test_pages_are_whole_documents_that_load_nothing(name: str, word: tuple[int, ...]) -> None:
    page = page_of(name, word, parts=True)
    reader = Reader(page)
    assert reader.open == []
    assert page == page_of(name, word, parts=True)
    elements = [element for element, _ in reader.elements]
    assert "script" not in elements
    addresses = [
        value for _, found in reader.elements for key, value in found.items() if key in ("src", "href")
    ]
    assert [address for address in addresses if not address.startswith(("data:", "#"))] == []
    assert "url(" not in page
    assert "@import" not in page


def test_every_value_has_a_cell_with_headers() -> None:
    page = page_of("dyck-1", (0, 1, 1))
    table = page.split('aria-label="Values">')[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    assert re.findall(r'<th scope="col">(.*?)</th>', rows[0]) == [
        "operation",
        "$<small>0</small>",
        "a<small>1</small>",
        "b<small>2</small>",
        "b<small>3</small>",
    ]
    shown = {
        re.search(r'scope="row"><code>(.*?)</code>', row)[1]: re.findall(r"<td[^>]*>(.*?)</td>", row)
        for row in rows[1:]
    }
    assert shown == {
        "opened": ["0", "1", "1", "1"],
        "closed": ["0", "0", "1", "2"],
        "violation": ["false", "false", "false", "true"],
        "accept": ["true", "false", "true", "false"],
    }
    assert "abb: rejected" in page


def test_nothing_of_a_program_or_a_word_becomes_markup(tmp_path: Path) -> None:
    path = tmp_path / "<b>.crasp"
    path.write_text(
        '// <script>x</script> $title\naccept = # "<" >= 1 && # ">" < 2 && # "&" == 0 // </pre>\n'
    )
    loaded = load(str(path))
    page = trace_page(loaded, trace_of(loaded.program, loaded.alphabet(), (1, 2, 0), parts=True))
    reader = Reader(page)
    assert reader.open == []
    assert not {"script", "b"} & {element for element, _ in reader.elements}
    assert "&lt;script&gt;" in page


def test_the_page_in_a_browser(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "trace.html"
    path.write_text(page_of("dyck-1", (0, 1) * 40), encoding="utf-8")
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport={"width": 400, "height": 700})
        page, complaints, requests = context.new_page(), [], []
        page.on("console", lambda message, found=complaints: found.append(message.text))
        page.on("request", lambda request, found=requests: found.append(request.url))
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (paper == "rgb(253, 252, 249)") == (scheme == "light")
        assert complaints == []
        assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
        context.close()
