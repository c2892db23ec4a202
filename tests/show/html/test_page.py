"""The text of a page: self-contained and deterministic; what is asked is said, or refused."""

import copy
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from idinf.crasp.interpreter import trace_of
from idinf.crasp.programs import load
from idinf.errors import ReportFormatError
from idinf.show.html.page import render_page, trace_page
from idinf.spec.spec import Answer
from tests.show.html.next_reports import NETS, report_of_spec, spec_of
from tests.show.reports import golden, opened

#: Elements that have no end.
VOID = {"meta", "link", "input", "br", "img"}


class Reader(HTMLParser):
    """Elements, the text of some of them, and whether every one is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def plain(page):
    """A page whose numbers are those that it shows first."""
    return re.sub(r'<span class="r"[^>]*><span class="short">([^<]*)</span>.*?</span></span>', r"\1", page)


def test_a_page_loads_nothing():
    text = render_page(golden("dyck-1"))
    assert len(text.encode()) < 2_000_000
    assert not re.search(r"\b(url\(|@import|(?<!\")import\b|fetch\b|XMLHttpRequest|WebSocket|eval\()", text)
    assert not re.search("https?://", text)
    page = Reader(text)
    assert page.open == []
    assert not [attributes for _, attributes in page.elements if "src" in attributes]
    assert [each["href"] for _, each in page.elements if "href" in each] == ["data:,", "#consistent"]
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_the_same_report_gives_the_same_bytes():
    report = golden("dyck-1")
    first = render_page(report)
    assert render_page(copy.deepcopy(report)) == first
    assert render_page(replace(report, n0=6)) != first


def data_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', render_page(report))[1])


def test_what_ends_just_below_a_round_number_is_complete_below_it():
    least = 8.999999998
    report = opened()
    stages = tuple(replace(s, r_star_lower=least) if s.r_star is None else s for s in report.stages)
    net, bracket = golden("majority").records[-1].hypothesis, report.bracket
    bracket = replace(bracket, r_lower=least, r_upper=9.7, upper_length=40, hypothesis=net)
    changes = {"complete_up_to_r": least, "stages": stages, "bracket": bracket}
    page = plain(render_page(replace(report, **changes)))
    assert "R*ₙ ≥ 9 for every n ≥ 3: every hypothesis of this space with R &lt; 9 was enumerated" in page
    assert "lies in [9, 9.7]" in page


def test_an_upper_bound_is_shown_and_never_called_a_record():
    report = opened()
    net = golden("majority").records[-1].hypothesis
    bound = {"r_upper": 9.7, "upper_length": 40, "stop_bound_upper": 9.8}
    bounded = replace(report, bracket=replace(report.bracket, **bound, hypothesis=net))
    assert "R*ₙ for n in [3, 40] lies in (9.5, 9.7]" in plain(render_page(bounded))
    shown = data_of(bounded)["hypotheses"]
    assert [(h["record"], h["checked"]) for h in shown] == [(True, 0), (True, 1), (True, 2), (False, 40)]
    assert shown[-1]["text"] == "accept iff #1 - #0 >= 0"
    known = replace(report.bracket, **bound, hypothesis=report.records[-1].hypothesis)
    assert len(data_of(replace(report, bracket=known))["hypotheses"]) == 3


def test_what_is_asked_is_said_and_refused_if_broken():
    report = report_of_spec(spec_of("domain"), *NETS[Answer.SET])
    text = render_page(report)
    assert "every word that counts up to length n with what follows each prefix" in text
    assert (
        "Asked after every prefix that matches (a|b)*b: the set of next symbols.\n"
        "Only words of (ab)*|b* count." in text
    )
    with pytest.raises(ReportFormatError, match=r"target: domain: .*write the report again"):
        render_page(replace(report, target=replace(report.target, domain="<b>(")))


# The page of a trace: inert, and with every value


def page_of(name: str, word: tuple[int, ...], parts: bool = False) -> str:
    loaded = load(name)
    return trace_page(loaded, trace_of(loaded.program, loaded.alphabet(), word, parts))


def test_every_value_has_a_cell_with_headers() -> None:
    page = page_of("dyck-1", (0, 1, 1))
    table = page.split('aria-label="Values">')[1].split("</table>")[0]
    head, *rows = re.findall(r"<tr>(.*?)</tr>", table)
    places = re.findall(r'<th scope="col">(.*?)</th>', head)[1:]
    assert places == [f"{symbol}<small>{place}</small>" for place, symbol in enumerate("$abb")]
    names = [re.search(r'scope="row"><code>(.*?)</code>', row)[1] for row in rows]
    shown = [" ".join(re.findall(r"<td[^>]*>(.*?)</td>", row)) for row in rows]
    assert dict(zip(names, shown, strict=True)) == {
        "opened": "0 1 1 1",
        "closed": "0 0 1 2",
        "violation": "false false false true",
        "accept": "true false true false",
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
