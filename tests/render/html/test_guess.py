"""Rules written by readers: the page reads them as the library does, and finds the same first mistake."""

from __future__ import annotations

import pytest

import idinf
from idinf.render.html.page import render_page
from idinf.words import words_up_to
from tests.render.reports import golden

#: Rules that the library reads as well.
RULES = [
    "accept iff #a - #b >= 0",
    "accept iff 2 #a - 3 #b > 1",
    "accept iff last = b and #a >= 1",
    "accept iff last != a or i even",
    "accept iff empty or (last = b and not (#a = 2))",
    "accept iff last in {a, b} and i mod 3 in {0, 2}",
    "accept iff nonempty and i mod 3 = 1",
    "u1 := last = a or #b - #a > 0; accept iff #b - #u1 >= 0 and not u1",
    "accept iff #(i odd) - #b >= 0",
    'accept = # "a" <= # "b"',
    'opened = # "a"\nclosed = # "b"\nbad = opened < closed\naccept = opened == closed && # bad == 0',
    'accept = (# "a" >= 2 || ! (# "b" != 1)) && i mod 2 == 0',
    "true",
]

TRUTHS = """([text, words]) => {
  const rule = readRule(data, text);
  return words.map((codes) => runMachine(rule, codes).at(-1)[0]);
}"""


@pytest.fixture(scope="module")
def dyck(browser):
    page = browser.new_page()
    page.set_content(render_page(golden("dyck-1")))
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()


@pytest.mark.parametrize("rule", RULES)
def test_rules_are_read_as_the_library_reads_them(dyck, rule):
    words = list(words_up_to(2, 6))
    told = dyck.evaluate(TRUTHS, [rule, words])
    text = rule if "accept" in rule else f"accept iff {rule}"
    language = idinf.target(program=text, alphabet="ab")
    assert told == ["".join("ab"[code] for code in word) in language for word in words]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["dyck-1", "majority", "parity"])
def test_the_formulas_of_records_are_read_and_true_to_them(open_page, name):
    report = golden(name)
    page = open_page(report)
    words = list(words_up_to(2, 5))
    for place, record in enumerate(report.records):
        told = page.evaluate(TRUTHS, [record.formula, words])
        ran = page.evaluate(
            "([k, words]) => words.map((w) => runNet(data.nets[k], w).accepted)", [place, words]
        )
        assert told == ran


@pytest.mark.thinned(10)
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("#a >= ", "At the end: expected"),
        ("#c >= 1", "expected a symbol of a b behind #"),
        ("#a + 1", "expected a comparison"),
        ("#a >= last = b", "expected numbers and counts on both sides"),
        ("avg(#a) > 1/2", "averages and cases are not read here"),
        ("#a >= 1)", "expected the end"),
        ("last = 7", "expected a symbol of a b"),
        ("#a ? 1", "“? 1” is not read here"),
        ("i mod 0 = 1", "a modulus of at least 1"),
        ("u1 := #a >= 1", "a last part “accept iff …”"),
    ],
)
def test_what_is_no_rule_is_refused_in_one_line(open_page, rule, said):
    page = open_page(golden("dyck-1"))
    page.fill("#rule", rule)
    assert said in page.inner_text("#guess-answer .error")
    assert page.get_attribute("#rule", "aria-invalid") == "true"
    page.fill("#rule", "#a >= 1")
    assert page.get_attribute("#rule", "aria-invalid") == "false"


def first_mistake(rule, target, length):
    mine, right = idinf.target(program=rule, alphabet="ab"), idinf.target(target)
    for word in words_up_to(2, length):
        text = "".join("ab"[code] for code in word)
        if (text in mine) is not (text in right):
            return text
    return None


@pytest.mark.thinned(5)
@pytest.mark.parametrize("rule", ["#a = #b", "last = b", "true", "last != a and #a - #b = 0", "empty"])
def test_the_first_mistake_is_that_of_the_library(open_page, rule):
    page = open_page(golden("dyck-1"))
    page.fill("#rule", rule)
    word = first_mistake(f"accept iff {rule}", "dyck-1", 6)
    assert page.inner_text("#guess-answer .answer") == f"Wrong on {word or 'ε'}"
    if word:
        page.click("#guess-answer button.word")
        assert page.input_value("#word") == word


def test_r_of_a_guess_stands_beside_the_least(open_page):
    page = open_page(golden("dyck-1"))
    page.fill("#rule", "last != a and #a - #b = 0")
    assert (
        "Up to length 13 it is the same as record 4, with R = 9.402; "
        "the least of what is right up to length 3 is R* = 9.402." in page.inner_text("#guess-answer")
    )
    page.fill("#rule", "#a = #b")
    assert "It is none of the hypotheses below" in page.inner_text("#guess-answer")
    assert "the least of what is right up to length 1 is R* = 5." in page.inner_text("#guess-answer")


def test_a_right_guess_says_up_to_where_it_was_looked(open_page):
    page = open_page(golden("majority"))
    page.select_option("#rules", "#1 - #0 >= 0")
    assert page.input_value("#rule") == "#1 - #0 >= 0"
    assert page.inner_text("#guess-answer .answer") == "Right on all words up to length 13"
    assert "it is the same as record 3, with R = 8.414; the least" in page.inner_text("#guess-answer")
    page.fill("#rule", "#1 - #0 > 0")
    assert page.inner_text("#guess-answer .answer") == "Wrong on ε"


@pytest.mark.slow
def test_nets_run_where_their_formula_is_not_read(open_page):
    page = open_page(golden("dyck-1"))
    met = page.evaluate(
        """() => [3, 2].map(
          (place) => netDifference(data, place, readRule(data, data.hypotheses[3].text), null))"""
    )
    assert met[0] == {"word": None, "looked": 8}
    assert met[1]["word"] is not None
