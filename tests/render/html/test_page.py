"""The text of a page: self-contained, deterministic, inert; and refusals."""

from __future__ import annotations

import copy
import json
import re
from html.parser import HTMLParser
from importlib import resources

import pytest

from idinf.experiments.spec import Answer
from idinf.render.html.page import page_text
from idinf.report.comparison import ReportFormatError
from tests.render.html.next_reports import NETS, report_of_spec, spec_of
from tests.render.html.page_reports import golden, half_logits, outside, periodic, report_of

#: Elements that have no end.
VOID = {"meta", "link", "input", "br", "img"}

PLANTED = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>&amp;$title ]]> -->"


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


def planted():
    """A report in which every text that can be is an attack."""
    report = golden("majority")
    report["target"] |= {"name": PLANTED, "source": PLANTED}
    report["stop_reason"] = report["idinf_version"] = report["space"]["preset"] = PLANTED
    report["regularizer"]["aggregate"] = PLANTED
    report["space"][PLANTED] = PLANTED
    for record in report["records"]:
        record["formula"] = record["counterexample"] = PLANTED
        record["r_terms"][PLANTED] = 1.0
    for stage in report["stages"]:
        stage["counterexample"] = PLANTED
    return report


@pytest.mark.parametrize("name", ["majority", "dyck-1", "parity"])
def test_a_page_loads_nothing(name):
    text = page_text(golden(name))
    assert len(text.encode()) < 2_000_000
    assert not re.search(r"\b(url\(|@import|import\b|fetch\b|XMLHttpRequest|WebSocket|eval\()", text)
    assert "http://" not in text
    assert "https://" not in text
    page = Reader(text)
    assert page.open == []
    assert [attributes for tag, attributes in page.elements if "src" in attributes] == []
    assert [attributes["href"] for tag, attributes in page.elements if "href" in attributes] == [
        "data:,",
        "#consistent",
    ]
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_the_same_report_gives_the_same_bytes():
    report = golden("dyck-1")
    first = page_text(report)
    assert report == golden("dyck-1")
    assert page_text(copy.deepcopy(report)) == first
    other = golden("dyck-1")
    other["n0"] = 6
    assert page_text(other) != first


def test_texts_of_a_report_stay_texts():
    plain, attacked = Reader(page_text(golden("majority"))), Reader(page_text(planted()))
    assert attacked.open == []
    kinds = [tag for tag, _ in plain.elements]
    assert kinds.count("script") == 2
    assert [tag for tag, _ in attacked.elements].count("script") == 2
    assert "img" not in [tag for tag, _ in attacked.elements]
    assert not any(name.startswith("on") for _, attributes in attacked.elements for name in attributes)
    assert attacked.texts["title"].startswith(PLANTED)
    assert PLANTED in attacked.texts["pre"]


def test_symbols_that_look_like_markup():
    report = json.loads(json.dumps(golden("majority")).replace('"0"', '"<"').replace('"1"', '"&"'))
    page = Reader(page_text(report))
    assert page.open == []
    assert "< &" in page.texts["summary"]


def test_numbers_of_a_hypothesis_are_texts():
    data = re.search(r'id="data">(.*?)</script>', page_text(report_of(half_logits())))[1]
    net = json.loads(data)["hypotheses"][0]["net"]
    assert net["layers"][0]["heads"][0]["phi"] == ["0", "1/2"]
    assert net["threshold"] == "0"


def test_coordinates_have_names_where_the_form_is_known():
    names = [h["names"] for h in data_of(report_of(half_logits(), periodic(), outside()))["hypotheses"]]
    assert names[0][:5] == ["$", "a", "b", "c", "unit 1.1"]
    assert names[0][-3:] == ["channel 1", "channel 2", "channel 3"]
    assert names[1][4:8] == ["i mod 3 = 0", "i mod 3 = 1", "i mod 3 = 2", "unit 1.1"]
    assert names[2] == ["y[0]", "y[1]", "y[2]"]


def data_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', page_text(report))[1])


def test_outcomes_in_words():
    assert "Identified: n0 = 3. From there on, for every n ≤ 64" in page_text(golden("majority"))
    parity = page_text(golden("parity"))
    assert "Proved: R*ₙ &gt; 9.5 for every n ≥ 3, because no hypothesis" in parity
    assert "No correct hypothesis is known, so there is no upper bound." in parity
    assert "n0 is not decided; if there is one, n0 ≥ 3." in parity
    assert "The run is open: it proves lower bounds and nothing more." in parity
    report = golden("majority") | {"outcome": "not-identified", "n0": None}
    assert "so there is no n0 in [1, 64]" in page_text(report)


def test_an_upper_bound_is_shown_and_never_called_a_record():
    report = golden("parity")
    net = golden("majority")["records"][-1]["hypothesis"]
    bound = {"r_upper": 9.7, "upper_length": 40, "stop_bound_upper": 9.8, "hypothesis": net}
    report["bracket"] |= bound
    text = page_text(report)
    assert "So R*ₙ lies in (9.5, 9.700000000] for n from 3 to 40." in text
    shown = data_of(report)["hypotheses"]
    assert [(h["record"], h["checked"]) for h in shown] == [(True, 0), (True, 1), (True, 2), (False, 40)]
    assert shown[-1]["text"] == "accept iff #1 - #0 >= 0"
    report["bracket"]["hypothesis"] = report["records"][-1]["hypothesis"]
    assert len(data_of(report)["hypotheses"]) == 3


def test_no_record_at_all():
    report = golden("parity") | {"records": []}
    assert "No hypothesis with R ≤ 9.5 is right on the empty word." in page_text(report)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "idinf-family/1", r"format = 'idinf-family/1'; expected idinf-report/1; give a file"),
        (("target",), 3, r"^target = 3; expected an object; write the report again"),
        (("target", "name"), None, r"^target.name = null; expected a string"),
        (("target", "alphabet"), ["0", 1], r"^target.alphabet = .*; expected a list of strings"),
        (("target", "alphabet"), ["a", "b"], r"records\[0\].hypothesis: alphabet 0 1; expected .*, a b;"),
        (("max_n",), 10**12, r"^stages: expected one for each n"),
        (("records", 0, "r"), 10**400, r"^records\[0\].r = 1000.*…; expected a number"),
        (("max_n",), True, r"^max_n = true; expected an integer"),
        (("max_n",), 63, r"^stages: expected one for each n from 1 to 63"),
        (("stages", 2, "n"), 4, r"^stages: expected one for each n from 1 to 64"),
        (("stages", 2), [], r"^stages = \[.*…; expected a list of objects"),
        (("stages", 0, "good"), "yes", r'^stages\[0\].good = "yes"; expected true or false'),
        (("stages", 0, "r_star"), float("nan"), r"^stages\[0\].r_star = NaN; expected a number"),
        (("regularizer", "tolerance"), "1/n", r'^regularizer.tolerance = "1/n"; expected a number'),
        (("records", 1, "r_terms", "phi"), "0", r'^records\[1\].r_terms.phi = "0"; expected a number'),
        (("records", 1, "hypothesis"), {}, r"^records\[1\].hypothesis: format is missing"),
        (("records", 1, "hypothesis", "precision"), 1.5, r"records\[1\].hypothesis: precision = 1.5"),
        (("bracket",), {"hypothesis": {}}, r"^bracket.hypothesis: format is missing"),
    ],
)
def test_what_is_no_report_is_refused(path, value, message):
    report = golden("majority")
    place = report
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ReportFormatError, match=message):
        page_text(report)


def test_a_missing_key_is_named():
    report = golden("majority")
    del report["stages"][4]["num_selected"]
    with pytest.raises(ReportFormatError, match=r"^stages\[4\].num_selected = missing; expected an integer"):
        page_text(report)


def test_the_parts_are_plain_text_files_of_the_package():
    for name in ("page.html", "page.css", "forward.js", "page.js"):
        text = resources.files("idinf.render.html").joinpath(name).read_text(encoding="utf-8")
        assert "\r" not in text
        assert max(map(len, text.splitlines())) < 300
    assert "</" not in resources.files("idinf.render.html").joinpath("page.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(scheme):
    style = resources.files("idinf.render.html").joinpath("page.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    block = blocks[0] if scheme == "light" else blocks[1]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
    for ground in ("paper", "wash"):
        for name in ("ink", "quiet", "accent"):
            assert contrast(colours[name], colours[ground]) >= 4.5


def contrast(one, other):
    """The ratio of luminances that accessibility guidelines ask for."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_hypothesis_answers_what_the_target_asks():
    report = report_of_spec(spec_of("regex"), *NETS[Answer.SYMBOL])
    with pytest.raises(ReportFormatError, match=r"records\[0\]\.hypothesis: it answers symbol; expected set"):
        page_text(report)
    report["target"] = golden("majority")["target"] | {"alphabet": ["a", "b"]}
    with pytest.raises(ReportFormatError, match=r"it answers symbol; expected accept, which the target asks"):
        page_text(report)


def test_what_is_asked_is_said_and_refused_if_broken():
    report = report_of_spec(spec_of("domain"), *NETS[Answer.SET])
    text = page_text(report)
    assert "every word that counts up to length n with what follows each prefix" in text
    assert (
        "Asked after every prefix that matches (a|b)*b: the set of next symbols.\n"
        "Only words of (ab)*|b* count." in text
    )
    report["target"]["domain"] = "<b>("
    with pytest.raises(ReportFormatError, match=r"target: domain: .*write the report again"):
        page_text(report)


def test_a_symbol_that_looks_like_markup_in_what_is_asked():
    report = report_of_spec(spec_of("constructs"), *NETS[Answer.SET])
    report["target"]["source"] = report["target"]["source"].replace("alive", "x") + "// <script>"
    report["target"]["next"] = {"b": "x"}
    assert "<script>" not in page_text(report).split("<pre>")[1].split("</pre>")[0]
