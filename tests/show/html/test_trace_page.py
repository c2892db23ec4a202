"""The page of a trace: inert, and with every value."""

from __future__ import annotations

import re
from pathlib import Path

from idinf.crasp.interpreter import trace_of
from idinf.crasp.programs import load
from idinf.show.html.page import trace_page
from tests.show.html.test_page import Reader


def page_of(name: str, word: tuple[int, ...], parts: bool = False) -> str:
    loaded = load(name)
    return trace_page(loaded, trace_of(loaded.program, loaded.alphabet(), word, parts))


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
