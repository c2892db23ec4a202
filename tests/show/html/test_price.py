"""The price of a reader's rule: R in the page is R of the compiled program, or the page names the command."""

from __future__ import annotations

import random
import shlex

import pytest

from idinf.api.programs import program
from idinf.base.words import Alphabet
from idinf.crasp.programs import loads
from idinf.errors import IdinfError
from idinf.nets.regularizer import EPSILON, Aggregate
from idinf.show.html.page import render_page
from idinf.translate.compilation.compiler import compile_by_any_route, compile_cheapest
from tests.show.html.test_questions import RULES, SHIPPED
from tests.show.reports import golden

#: R of rules over alphabets; null where the page does not say it.
PRICED = """(asked) => asked.map(([alphabet, aggregate, text]) => priceRule({ alphabet, aggregate }, text))"""

WRITTEN = [
    ("01", "accept iff empty or #1 >= 1"),
    ("01", "accept iff true"),
    ("01", "accept iff false"),
    ("01", "accept iff last = 1"),
    ("01", "accept iff last-3 = 1"),
    ("01", "accept iff #1 = #0"),
    ("01", "accept iff 6 #1 - 4 #0 >= 3"),
    ("01", "accept iff i mod 3 = 1 or i mod 2 = 0"),
    ("abc", "accept iff last in {a, b} and not (#c >= 2)"),
    ("abc", "accept iff last-1 in {a, b}"),
    ("abc", "accept iff last-1 in {b, c} and last-2 in {b, c}"),
    ("abc", "accept iff last-1 not in {a, b} and last in {c}"),
    ("abc", "u1 := #a >= 1; u2 := #u1 + #b >= 3; accept iff #u2 >= 2 or u1 and not u2"),
    ("ab", "u1 := last-2 = a; accept iff #b >= 1"),  # u1 is not needed
    ("ab", "u1 := i mod 5 = 0; accept iff #b >= 1"),
    ("ab", 'accept = (#[j = i-1] "a" if # "b" >= 1 else 2 * # "a") > 1'),
    ("ab", 'accept = min(# "a", 3) > max(# "b" - 1, 0)'),
    ("ab", 'accept = #[j < i] "a" >= 2'),
    ("ab", 'accept = #[j >= i-2] "a" >= 2'),
    ("ab", "accept iff last-2 != b and last-1 != b"),
]

#: An average; a constant, which leaves out what is read there; a mask that may hold at SOS.
UNPRICED = [
    "avg[φ(1)=1](#1) > 1/2",
    "(2 #1 >= 0 or last-1 = 1) and #0 + 1 >= 2 and #0 + #1 >= 4",
    "accept = #[j < i] !(#[j < i] true > 0) == 0",
]


class Writer:
    """Writes rules at random, as a reader might: formulas of reports and programs."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.letters, self.units = "", list[str]()

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def number(self, above: int) -> int:
        return self.random.randrange(above)

    def letter(self) -> str:
        return self.pick(*self.letters)

    def rule(self) -> tuple[str, str]:
        self.letters, self.units = self.pick("01", "ab", "abc", "abcd"), []
        if self.random.random() < 0.35:
            return self.letters, f"accept = {self.program(2)}"
        parts = []
        for name in ["u1", "u2"][: self.random.choice((0, 0, 1, 2))]:
            parts.append(f"{name} := {self.formula(1)}; ")
            self.units.append(name)
        return self.letters, f"{''.join(parts)}accept iff {self.formula(self.random.choice((0, 1, 2, 3)))}"

    def sum(self) -> str:
        terms = []
        for _ in range(self.random.choice((1, 2, 2, 3))):
            counted = self.pick(self.letter(), self.letter(), f"(i mod 2 = {self.number(2)})", *self.units)
            terms.append(f"{self.pick('', '', '2 ', '3 ')}#{counted}")
        return self.pick(" + ", " - ").join(terms) + (
            f" + {self.units[0]}" if self.units and self.number(4) == 0 else ""
        )

    def atom(self) -> str:
        compared = f"{self.sum()} {self.pick('>=', '<=', '>', '<', '=', '!=')} {self.number(4)}"
        return self.pick(
            *(compared, compared, compared, f"{self.sum()} <= {self.sum()}", "empty", "nonempty", "i even"),
            *(f"last {self.pick('=', '!=')} {self.letter()}", f"last-{1 + self.number(3)} = {self.letter()}"),
            *("i mod 3 in {0, 2}", *self.units),
        )

    def formula(self, depth: int) -> str:
        if depth == 0:
            return self.atom()
        one, other = self.formula(depth - 1), self.atom()
        return self.pick(
            *(one, f"{one} and {other}", f"({one} or {other})", f"not ({one})"),
            *(f"at least 2 of ({one}, {other}, {self.atom()})", f"{{{other}: {self.atom()}, else: {one}}}"),
        )

    def count(self, depth: int) -> str:
        plain = f'# "{self.letter()}"'
        if depth == 0:
            return plain
        one = self.count(depth - 1)
        back = self.pick("j = i-1", "j = i-2", "j < i", "j >= i-1")
        return self.pick(
            *(plain, plain, f'#[{back}] "{self.letter()}"', f"# ({self.program(depth - 1)})", f"2 * {one}"),
            *(f"({one} if {self.program(0)} else {self.number(3)})", f"{one} - {self.count(0)}"),
            f"{self.pick('min', 'max')}({one}, {self.number(4)})",
        )

    def program(self, depth: int) -> str:
        one, other = self.count(depth), self.pick(str(self.number(4)), self.count(0))
        compared = f"({one} {self.pick('>=', '<=', '==', '<', '>', '!=')} {other})"
        if depth == 0:
            return self.pick(compared, f'"{self.letter()}"', "(i mod 2 == 1)")
        part = self.program(depth - 1)
        return self.pick(compared, compared, f"!{part}", f"({part} && {compared})", f"({part} || {compared})")


@pytest.fixture(scope="module")
def price(browser):
    """R of rules as the page of a report says it."""
    page = browser.new_page()
    page.set_content(render_page(golden("majority")))
    page.wait_for_selector("html[data-ready]")
    yield lambda asked: page.evaluate(PRICED, asked)
    page.close()


def compare(price, rules, aggregate=Aggregate.MAX):
    """The share of rules that are priced; each price must be that of the library."""
    told = price([[list(letters), aggregate.value, text] for letters, text in rules])
    for (letters, text), r in zip(rules, told, strict=True):
        if r is not None:
            alphabet = Alphabet(tuple(letters))
            _, own = compile_cheapest(loads(text, "it", alphabet).program, alphabet, None, aggregate)
            assert r == pytest.approx(own, abs=EPSILON), (letters, text)
    return sum(r is not None for r in told) / len(told)


@pytest.mark.parametrize("aggregate", Aggregate)
def test_written_rules_have_the_price_of_the_library(price, aggregate):
    assert compare(price, WRITTEN, aggregate) == 1.0
    asked = [("ab", rule) for rule in RULES if "accept" in rule and "avg" not in rule]
    assert compare(price, asked, aggregate) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(9))
def test_random_rules_have_the_price_of_the_library(price, seed):
    writer = Writer(seed)
    rules: list[tuple[str, str]] = []
    while len(rules) < 160:
        letters, text = writer.rule()
        try:
            alphabet = Alphabet(tuple(letters))
            found = compile_by_any_route(loads(text, "it", alphabet).program, alphabet)
        except IdinfError:  # a formula that counts do not express
            continue
        if not found.outside:
            rules.append((letters, text))
    assert compare(price, rules) >= 0.9


@pytest.mark.slow
def test_shipped_programs_have_the_price_of_the_library(price):
    files = sorted(SHIPPED, key=str)
    names = [file.name.removesuffix(".crasp") for file in files]
    rules = [
        (program(name).alphabet.symbols, file.read_text("utf-8"))
        for name, file in zip(names, files, strict=True)
    ]
    assert compare(price, rules) == 1.0


def sentence(open_page, rule):
    page = open_page(golden("majority"))
    page.fill("#rule", rule)
    return page.inner_text("#guess-answer")


@pytest.mark.parametrize("rule", UNPRICED)
def test_what_has_no_price_here_has_its_command(open_page, rule):
    told = sentence(open_page, rule)
    command = told[told.index("idinf crasp compile") : told.index(" says its R")]
    _, _, _, text, option, letters = shlex.split(command)
    assert (option, letters) == ("--alphabet", "01")
    assert program(text, alphabet=letters)


def test_the_sentence_says_the_price_or_the_record(open_page):
    told = sentence(open_page, "empty or #1 >= 2")
    assert "none of the hypotheses below. Compiled as it is written, it costs R = 10.975" in told
    told = sentence(open_page, "#1 - #0 >= 0")
    assert "it is the same as record 3, with R = 8.414" in told
    assert "none of the hypotheses" not in told
    assert "Compiled" not in told
