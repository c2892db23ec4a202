"""Every number of a page against the reference: values on words, next symbols, rounding, terms of R."""

import re
from fractions import Fraction

import pytest

from idinf.base.words import words_up_to
from idinf.nets.attention import compute_rounded_weight
from idinf.nets.reference import trace
from idinf.show.html.page import render_page
from idinf.show.html.script_data import describe_target
from idinf.show.html.templates import shorten_numbers
from idinf.spec.catalogue import list_names, load
from idinf.spec.spec import Answer
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.supervised import SupervisedTarget
from tests.show.html.next_reports import NETS as NEXT_NETS
from tests.show.html.next_reports import SPECS, report_of_spec, spec_of
from tests.show.html.page_reports import half_logits, outside, periodic, report_of
from tests.show.reports import golden

#: Every table of section 2: the cells of its rows, and the first cell of each.
TABLES = """() => Object.fromEntries([...document.querySelectorAll("#trace table")].map((table) => [
  table.dataset.of,
  [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
]))"""


def fractions(cells):
    return tuple(Fraction(cell.replace("−", "-")) for cell in cells if cell)


def values(rows):
    return [fractions(cells) for _, *cells in rows]


NETS = {
    "majority": lambda: golden("majority").records[-1].hypothesis,
    "dyck-1": lambda: golden("dyck-1").records[-1].hypothesis,
    "half logits": half_logits,
    "periodic": periodic,
    "outside the family": outside,
}
WORDS = {
    "majority": ("", "0", "10011010"),
    "dyck-1": ("", "aabbab", "bbbaaa"),
    "half logits": ("", "bacbacbac"),
    "periodic": ("", "b", "aabbccb", "cccccccccc"),
    "outside the family": ("", "cb", "abcabc", "bbacca"),
}


#: Words whose shares are written as fractions.
ARCS = {"dyck-1": "aabb", "half logits": "abcab"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "half logits" else pytest.mark.slow) for name in NETS],
)
def test_values_are_those_of_the_reference(open_page, name):
    net = NETS[name]()
    page = open_page(report_of(net))
    for text in WORDS[name]:
        page.fill("#word", text)
        check(page, net, text)
    if name in ARCS:
        page.fill("#word", ARCS[name])
        check_arcs(page, net, ARCS[name])


def check(page, net, text):
    """Compare everything the page shows of one word with the reference."""
    told = trace(net, net.alphabet.encode(text))
    for kind in ("logits", "weights", "attention"):
        page.check(f"input[value={kind}]")
        tables = page.evaluate(TABLES)
        for place, layer in enumerate(told.layers):
            for h, head in enumerate(layer.heads):
                assert values(tables[f"{kind}-{place}-{h}"]) == list(getattr(head, kind))
    names = page.evaluate("data.hypotheses[0].names")
    assert stream(tables["inputs"], names) == told.inputs
    before = told.inputs
    for place, (parameters, layer) in enumerate(zip(net.layers, told.layers, strict=True)):
        for h, (head, heads) in enumerate(zip(parameters.heads, layer.heads, strict=True)):
            shown = values(tables.get(f"attended-{place}-{h}", []))
            assert shown == list(attended(head, heads, before))
        units = values(tables[f"units-{place}"])
        for u, row in enumerate(parameters.mlp.A):
            assert units[2 * u] == tuple(dot(row, y) + parameters.mlp.b[u] for y in layer.mixed)
            assert units[2 * u + 1] == tuple(unit[u] for unit in layer.activations)
        assert stream(tables[f"stream-{place}"], names) == layer.outputs
        before = layer.outputs
    said = page.inner_text("#output")
    assert f"= {told.logits[net.accept_row]}. A word".replace("-", "−") in said
    assert said.endswith("accept." if told.accepted else "reject.")
    assert page.inner_text("#verdict .answer").endswith("→ accept" if told.accepted else "→ reject")


def dot(row, y):
    return sum((a * b for a, b in zip(row, y, strict=True)), Fraction(0))


def attended(head, told, before):
    """Rows of values and of their averages, for the coordinates that V writes."""
    for row in head.V:
        if any(row):
            value = tuple(dot(row, y) for y in before)
            yield value
            yield tuple(dot(shares, value[: len(shares)]) for shares in told.attention)


def stream(rows, names):
    """The stream, one row a position, from a table that leaves out coordinates of zeros."""
    shown = {name: fractions(cells) for name, *cells in rows}
    length = max((len(cells) for cells in shown.values()), default=0)
    columns = [shown.get(name, (Fraction(0),) * length) for name in names]
    return tuple(zip(*columns, strict=True))


@pytest.mark.slow
def test_weights_are_rounded_as_in_the_reference(open_page):
    page = open_page(golden("majority"))
    cases = [(N, k, p) for p in range(5) for N in (1, 2, 3, 5, 8, 9, 16, 65) for k in range(-20, 25)]
    asked = [[str(N), str(k), p] for N, k, p in cases]
    script = "(cases) => cases.map(([N, k, p]) => weightSteps(BigInt(N), BigInt(k), p).toString())"
    for case, steps in zip(cases, page.evaluate(script, asked), strict=True):
        assert Fraction(int(steps), 1 << case[2]) == compute_rounded_weight(*case), case
    rounded = page.evaluate(
        "(cases) => cases.map(([n, d]) => roundHalfEven(BigInt(n), BigInt(d)).toString())",
        [[n, d] for d in (1, 2, 3, 8) for n in range(-20, 21)],
    )
    assert [int(r) for r in rounded] == [round(Fraction(n, d)) for d in (1, 2, 3, 8) for n in range(-20, 21)]


def check_arcs(page, net, text):
    """The shares that arcs show, and their widths, for every query."""
    told = trace(net, net.alphabet.encode(text))
    for number, layer in enumerate(told.layers, start=1):
        for head, seen in enumerate(layer.heads, start=1):
            if page.locator("#head").count():  # there is more than one
                page.select_option("#head", f"{number}.{head}")
            for query, shares in enumerate(seen.attention):
                page.locator(f"#arcs [data-position='{query}']").focus()
                page.keyboard.press("Enter")
                shown = page.locator("#arcs .token .share").all_text_contents()
                assert [Fraction(cell) for cell in shown if cell] == [share for share in shares if share]
                widths = page.eval_on_selector_all(
                    "#arcs .arc.strong", "arcs => arcs.map((a) => +a.getAttribute('stroke-width'))"
                )
                expected = [0.8 + 9 * float(share) for share in shares if share]
                assert widths == pytest.approx(expected, abs=0.01)


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


#: What a target of a page says about words: what is asked after every prefix, and whether they count.
ASKED = """([target, words]) => words.map((codes) => [askedOf(target, codes), inDomain(target, codes)])"""


def said(target, word):
    """The same by the target itself."""
    if target.everywhere:
        asked = [None if symbols is None else list(symbols) for symbols in target.next_symbols(word)]
    else:
        asked = [accepts(target, word[:end]) for end in range(len(word) + 1)]
    return [asked, target.is_counted(word)]


@pytest.fixture(scope="module")
def page_script(browser):
    """A page whose functions can be called."""
    page = browser.new_page()
    page.set_content(render_page(report_of_spec(spec_of("regex"), *NEXT_NETS[Answer.SET])))
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()


SENTENCES = [
    "(arXiv 2410.02140, Theorem 1), as arXiv 2404.04393 and 2506.03085",
    "R*_2 ≤ 9.242640687 lies in (9.9501407, 10.500000001], with R = 8.414213562.",
]


def test_only_values_of_r_are_shortened(page_script):
    """As texts of the page, and as those that its script writes."""
    script = "(text) => formulasIn(text).map((each) => each.title ?? null).filter((each) => each)"
    shown = [re.findall('title="(.*?)"', shorten_numbers(text)) for text in SENTENCES]
    assert shown == [[], ["9.242640687", "9.9501407", "10.500000001", "8.414213562"]]
    numbers = [[float(number) for number in page_script.evaluate(script, text)] for text in SENTENCES]
    assert numbers == [list(map(float, numbers)) for numbers in shown]


SHIPPED = [pytest.param(name, marks=pytest.mark.slow) for name in list_names() if name.endswith("-next")]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", [*SPECS, *SHIPPED])
def test_the_page_asks_what_the_target_asks(page_script, name):
    spec = spec_of(name) if name in SPECS else load(name)
    target = build_target(spec)
    assert isinstance(target, SupervisedTarget)
    words = list(words_up_to(len(spec.alphabet), {2: 5, 27: 1}.get(len(spec.alphabet), 3)))
    told = page_script.evaluate(ASKED, [describe_target(target), words])
    assert told == [said(target, word) for word in words]


@pytest.mark.parametrize(
    "name", ["domain", *(pytest.param(name, marks=pytest.mark.slow) for name in ("constructs", "one symbol"))]
)
def test_every_position_shows_hypothesis_and_target(open_page, name):
    spec = spec_of(name)
    target, nets = build_target(spec), NEXT_NETS[spec.answer]
    page = open_page(report_of_spec(spec, *nets))
    for place, net in enumerate(nets):
        page.select_option("#hypothesis", str(place + 1))
        for text in ("", "abab", "bbaab"):
            page.fill("#word", text)
            check_next(page, net, target, spec.alphabet.encode(text), text)


def check_next(page, net, target, word, text):
    told, asked = trace(net, word), target.next_symbols(word)
    tables = page.evaluate(TABLES)
    (_, *hypothesis), (_, *right), (_, *marks) = tables["next"]
    assert hypothesis == [" ".join(symbols) or "–" for symbols in told.next_symbols]
    assert right == ["·" if symbols is None else " ".join(symbols) or "–" for symbols in asked]
    wrong = [
        i
        for i, symbols in enumerate(asked)
        if symbols is not None and set(symbols) != set(told.next_symbols[i])
    ]
    assert [i for i, mark in enumerate(marks) if mark == "✕"] == wrong
    assert [i for i, mark in enumerate(marks) if mark == "·"] == [i for i, s in enumerate(asked) if s is None]
    stream = told.layers[-1].outputs
    rows = [tuple(dot(net.unembedding[row], y) for y in stream) for row in net.output.rows]
    assert values(tables["output"]) == rows
    answer = page.inner_text("#verdict .answer")
    positions = "position" if len(wrong) == 1 else "positions"
    if wrong:
        assert answer == f"{text or 'ε'} → wrong at {positions} {', '.join(map(str, wrong))}"
    elif any(symbols is not None for symbols in asked):
        assert answer == f"{text or 'ε'} → right at every position asked"
    else:
        assert answer == f"{text or 'ε'} → nothing is asked"
    outside = "This word is outside the domain: it does not count." in page.inner_text("#verdict")
    assert outside is not target.is_counted(word)
    assert page.locator('table[data-of="next"] .wrong').count() == 3 * len(wrong)
