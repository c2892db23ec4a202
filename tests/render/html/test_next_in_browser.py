"""The page of a report about next symbols: what it asks and shows equals target and reference."""

from __future__ import annotations

import pytest

from idinf.crasp import library
from idinf.experiments.catalogue import list_names, load
from idinf.experiments.spec import Answer
from idinf.render.html.script_data import describe_target
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.targets.supervised import SupervisedTarget, supervise
from idinf.transformers.reference import trace
from idinf.words import words_up_to
from tests.render.html.next_reports import NETS, SPECS, report_of_spec, spec_of
from tests.render.html.test_in_browser import TABLES, dot, values

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
    from idinf.render.html.page import render_page

    page = browser.new_page()
    page.set_content(render_page(report_of_spec(spec_of("regex"), *NETS[Answer.SET])))
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()


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


@pytest.mark.slow
@pytest.mark.parametrize("name", library.list_names())
def test_programs_run_in_the_page_as_the_target_runs_them(page_script, name):
    loaded = library.load(name)
    alphabet = loaded.alphabet(None)
    target = supervise(CountingTarget(loaded.program, alphabet))
    words = list(words_up_to(len(alphabet), 6 if len(alphabet) < 3 else 4))
    told = page_script.evaluate(ASKED, [describe_target(target), words])
    assert told == [said(target, word) for word in words]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "name",
    [
        "constructs, one symbol",
        "domain",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("constructs", "regex", "one symbol")),
    ],
)
def test_every_position_shows_hypothesis_and_target(open_page, name):
    spec = spec_of(name)
    target, nets = build_target(spec), NETS[spec.answer]
    page = open_page(report_of_spec(spec, *nets))
    for place, net in enumerate(nets):
        page.select_option("#hypothesis", str(place + 1))
        for text in ("", "b", "abab", "bbaab"):
            page.fill("#word", text)
            check(page, net, target, spec.alphabet.encode(text), text)


def check(page, net, target, word, text):
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
