"""The page in a real browser: slider, words, and every number against the reference."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.render.html.page import render_page
from idinf.transformers.dense import Layer
from idinf.transformers.reference import trace
from idinf.transformers.rounding import compute_rounded_weight
from tests.render.html.page_reports import half_logits, outside, periodic, report_of
from tests.render.reports import golden, opened

#: Every table of section 2: the cells of its rows, and the first cell of each.
TABLES = """() => Object.fromEntries([...document.querySelectorAll("#trace table")].map((table) => [
  table.dataset.of,
  [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
]))"""

#: For every n: the answer, the sentences, and the state of every record.
EVERY_N = """() => data.stages.map((_, place) => {
  document.getElementById("n").value = place + 1;
  document.getElementById("n").dispatchEvent(new Event("input"));
  const states = [...document.querySelectorAll("#records .state")].map((cell) => cell.textContent);
  const status = document.getElementById("status").innerText;
  return [document.querySelector("#status .answer").textContent, status, ...states];
})"""


def fractions(cells):
    return tuple(Fraction(cell.replace("−", "-")) for cell in cells if cell)


def values(rows):
    return [fractions(cells) for _, *cells in rows]


def set_n(page, n):
    page.locator("#n").fill(str(n))


def states(page):
    return [text.split(" ", 1)[1] for text in page.locator("#records .state").all_text_contents()]


# The slider


@pytest.mark.thinned(2)
def test_the_slider_shows_what_is_left(open_page):
    page = open_page(golden("majority"))
    assert states(page) == ["ruled out", "selected", "consistent"]
    assert "n = 1 is bad" in page.inner_text("#status")
    assert "Next to fall: R = 5, at n = 2, by the word 10" in page.inner_text("#status")
    set_n(page, 2)
    assert states(page) == ["ruled out", "ruled out", "selected"]
    status = page.inner_text("#status")
    assert "n = 2 is bad" in status
    assert "R* + 1/4 = 8.664" in status
    assert "Selected: at least 2 functions, at least 1 of them wrong on a word of length ≤ 4" in status
    assert "for example on 001." in status
    assert "The table has one of them" in status
    set_n(page, 3)
    status = page.inner_text("#status")
    assert "n = 3 is good" in status
    assert "Selected: 1 function, all right up to length 6." in status
    assert "no word up to length 128 rules it out" in status
    assert page.get_attribute("#n", "aria-valuetext") == "n = 3, good"


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.slow) for name in ("majority", "dyck-1")), "parity"]
)
def test_every_n_agrees_with_the_report(open_page, name):
    report = golden(name)
    page = open_page(report)
    told = page.evaluate(EVERY_N)
    for stage, (answer, status, *left_over) in zip(report.stages, told, strict=True):
        n = stage.n
        verdict = {True: "good", False: "bad", None: "undetermined"}[stage.good]
        assert answer == f"n = {n} is {verdict}"
        for record, state in zip(report.records, left_over, strict=True):
            left = record.fail is None or record.fail > n
            known = stage.r_star is not None
            chosen = left and known and record.r <= stage.r_star + 1 / (2 * n) + 1e-9
            assert state[2:] == ("selected" if chosen else "consistent" if left else "ruled out")
        if stage.r_star is not None:
            assert f"R* = {stage.r_star:.3f}".rstrip("0").rstrip(".") in status
        else:
            assert f"R* is above {stage.r_star_lower:g}" in status


def test_a_word_that_kills_is_computed_at_a_press(open_page):
    page = open_page(golden("majority"))
    page.locator("#records button", has_text="10").press("Enter")
    assert page.input_value("#word") == "10"
    assert page.inner_text("#verdict .answer") == "10 → reject"
    assert "accept iff last != 0 (R = 5) is wrong: the target says accept." in page.inner_text("#verdict")


# Words


def test_an_invalid_symbol_is_named(open_page):
    page = open_page(golden("majority"))
    page.fill("#word", "01x1")
    message = "Position 3 holds “x”, which is not in the alphabet; expected symbols of 0 1."
    assert page.inner_text("#word-error") == message
    assert page.get_attribute("#word", "aria-invalid") == "true"
    assert page.locator("#trace table").count() == 0
    page.fill("#word", "0 1")
    assert "Position 2 holds a blank" in page.inner_text("#word-error")
    page.fill("#word", "011")
    assert page.inner_text("#word-error") == ""
    assert page.get_attribute("#word", "aria-invalid") == "false"
    assert page.locator("#trace table").count() > 0


@pytest.mark.slow
def test_what_the_target_says_is_known_or_left_open(open_page):
    report = opened()
    page = open_page(report, "#record=3")
    page.fill("#word", "0111")
    assert "is wrong: the target says reject." in page.inner_text("#verdict")
    broken = replace(report, target=replace(report.target, source="("))
    page = open_page(broken, "#record=3&word=11")
    assert "is right: the target says accept." in page.inner_text("#verdict")
    page.fill("#word", "111")
    assert "is wrong: the target says reject." in page.inner_text("#verdict")
    page.fill("#word", "0111")
    assert "what the target says on it does not follow from this report." in page.inner_text("#verdict")
    assert page.locator("#guess").is_hidden()  # without the target there is nothing to compare a guess with


# Numbers

NETS = {
    "majority": lambda: golden("majority").records[-1].hypothesis,
    "dyck-1": lambda: golden("dyck-1").records[-1].hypothesis,
    "half logits": half_logits,
    "periodic": periodic,
    "outside the family": outside,
}
WORDS = {
    "majority": ("", "0", "0110", "10011010"),
    "dyck-1": ("", "ab", "aabbab", "abba", "bbbaaa"),
    "half logits": ("", "c", "abcab", "ccbbaa", "bacbacbac"),
    "periodic": ("", "b", "cabcab", "aabbccb", "cccccccccc"),
    "outside the family": ("", "a", "cb", "abcabc", "bbacca"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "dyck-1" else pytest.mark.slow) for name in NETS],
)
def test_values_are_those_of_the_reference(open_page, name):
    net = NETS[name]()
    page = open_page(report_of(net))
    for text in WORDS[name]:
        page.fill("#word", text)
        check(page, net, text)


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


@pytest.mark.slow
def test_numbers_beyond_the_bound_are_refused_not_guessed(open_page):
    net = golden("majority").records[-1].hypothesis
    ((head,), mlp) = net.layers[0].heads, net.layers[0].mlp
    layer = Layer((replace(head, phi=(Fraction(1, 1 << 40),)),), mlp)
    page = open_page(report_of(replace(net, precision=40, layers=(layer,))))
    page.fill("#word", "01")
    assert "Rounding at precision 40 needs integers of" in page.inner_text("#word-error")
    assert page.locator("#trace table").count() == 0


# The page as a whole


def test_the_policy_stops_foreign_code(browser, tmp_path):
    path = tmp_path / "page.html"
    foreign = "<script>window.hacked = 1</script><style>h1 { display: none }</style></body>"
    path.write_text(render_page(golden("majority")).replace("</body>", foreign), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("window.hacked === undefined")
    assert page.is_visible("h1")
    page.close()
