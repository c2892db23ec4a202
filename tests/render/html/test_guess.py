"""Rules written by readers: the page reads them as the library does, and finds the same first mistake."""

from __future__ import annotations

import random
from importlib import resources

import pytest

import idinf
from idinf.crasp.checker import check
from idinf.crasp.parser import parse
from idinf.crasp.syntax import Symbol, iter_parts
from idinf.formulas.formula import write_formula
from idinf.render.html.page import render_page
from idinf.transformers.reference import accepts
from idinf.words import words_up_to
from tests.formulas.on_words import accepted
from tests.formulas.test_formula import random_hypothesis
from tests.render.reports import GOLDEN, golden

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
    "accept iff {last = a: #a >= 2, last = b and i even: #b = 1, else: empty}",
    "accept iff at least 2 of (last = a, #b >= 2, not nonempty, i mod 3 != 1)",
    "accept iff last-1 = a or last-2 not in {a}",
    "u1 := #a >= 1; u2 := #b >= 1; accept iff u1 - 2 u2 >= 0 or #u1 - #u2 = 1",
    "accept iff avg(#a) > 1/2",
    "accept iff avg(2 #a - #b) <= 1/3 or 2 avg(#b) - avg(#a) < 1/4",
    "accept iff avg[φ(1)=1](#a) > 1/2",
    "accept iff avg[φ(0)=2](#a - #b) >= 0",
    "u1 := last = a; accept iff avg[$=1](#u1) + u1 > 1 or not u1 and avg(#u1) > 1/2",
    'total = # true\naccept = min(# "a", 3) + max(total - 2, 2 * # "b") >= 4',
    'accept = (3 if "a" else # "b" - 1 if i mod 2 == 1 else 0) > 1',
    'accept = #[j = i-1] "a" + #[j >= i-2] "b" - #[j > i-2] !"b" == 1',
    'accept = #[j < i] "a" >= 2 || #[j <= i-2] (# "b" >= 1) == 1',
    '#import pred\n#import pred3 // both\naccept = #[pred] "a" + #[pred3] "a" >= 1',
    '#import pos_even\naccept = # pos_even > # ("a" && pos_even)',
    'accept = -# "a" * 2 + 3 * (# "b" - -1) > 0 && !(# !"b" == 2)',
    'last_a = "a" accept = # last_a == 2 * 1 // the last operation decides',
    'a = "b" accept = # a >= 2 && #"a" == 1',
    "accept = #[j < i] !(#[j < i] true > 0) == 0",
]

TRUTHS = """([text, words]) => {
  const rule = readRule(data, text);
  return words.map((codes) => runMachine(rule, codes).at(-1)[0]);
}"""

#: The same over any alphabet.


IN_ALPHABET = """([alphabet, text, words]) => {
  const rule = readRule({ alphabet }, text);
  const step = (state, code) => stepMachine(rule, state, code);
  return words.map((codes) => [null, ...codes].reduce(step, null).truths[0]);
}"""


@pytest.fixture(scope="module")
def dyck(browser):
    page = browser.new_page()
    page.set_content(render_page(golden("dyck-1")))
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("rule", RULES)
def test_rules_are_read_as_the_library_reads_them(dyck, rule):
    words = list(words_up_to(2, 6))
    told = dyck.evaluate(TRUTHS, [rule, words])
    text = rule if "accept" in rule else f"accept iff {rule}"
    language = idinf.target(text, alphabet="ab")
    assert told == ["".join("ab"[code] for code in word) in language for word in words]


SHIPPED = [file for file in resources.files("idinf.crasp.library").iterdir() if file.name.endswith(".crasp")]


@pytest.mark.slow
def test_shipped_programs_are_read(dyck):
    for file in sorted(SHIPPED, key=str):
        text = file.read_text(encoding="utf-8")
        tree = parse(text)
        check(tree)
        parts = [part for row in tree.definitions for part in iter_parts(row.expression)]
        symbols = sorted({part.symbol for part in parts if isinstance(part, Symbol)})
        words = list(words_up_to(len(symbols), 4 if len(symbols) > 3 else 6))
        told = dyck.evaluate(IN_ALPHABET, [symbols, text, words])
        language = idinf.target(text, alphabet="".join(symbols))
        assert told == ["".join(symbols[code] for code in word) in language for word in words], file.name


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.json")))
def test_the_formulas_of_records_are_read_and_true_to_them(dyck, name):
    report = golden(name)
    words = list(words_up_to(len(report.target.alphabet), 6))
    for record in report.records:
        told = dyck.evaluate(IN_ALPHABET, [report.target.alphabet, record.formula, words])
        assert told == [accepts(record.hypothesis, word) for word in words]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 12))])
def test_every_sign_that_is_printed_is_read(dyck, seed):
    """Averages of all weights among them, which no program expresses."""
    rng = random.Random(seed)
    formulas = [write_formula(random_hypothesis(rng)) for _ in range(20)]
    words = [list(words_up_to(len(formula.alphabet), 4)) for formula in formulas]
    for formula, some in zip(formulas, words, strict=True):
        told = dyck.evaluate(IN_ALPHABET, [formula.alphabet.symbols, str(formula), some])
        assert told == [accepted(formula, word) for word in some], str(formula)


@pytest.mark.thinned(10)
@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("#a >= ", "At the end: expected"),
        ("min(avg(#a), 1) > 0", "averages and fractions can only be added and compared"),
        ("#[j = k] a = 0", "a mask such as [j = i-1], [j >= i-2] or [j < i]"),
        ("x = 1 x = 2 x = 3", "a new name instead of a second x"),
        ("#a >= 1)", "expected the end"),
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
    mine, right = idinf.target(rule, alphabet="ab"), idinf.target(target)
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
