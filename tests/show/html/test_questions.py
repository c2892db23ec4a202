"""What the page answers by itself: rules of readers as the library reads them, other questions as by runs."""

from __future__ import annotations

import re
from importlib import resources

import numpy as np
import pytest

import idinf
from idinf.base.words import words_up_to
from idinf.crasp.checker import check
from idinf.crasp.parser import parse
from idinf.crasp.syntax import Symbol, iter_parts
from idinf.nets.reference import accepts
from idinf.report.value import Outcome
from idinf.show.html.page import render_page
from idinf.show.html.templates import shorten_numbers
from idinf.translate.formulas.formula import write_formula
from tests.show.reports import GOLDEN, golden, opened
from tests.translate.formulas.on_words import accepted
from tests.translate.formulas.test_formula import random_hypothesis

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
def ask(browser):
    """Evaluate a script in the page of a report; pages stay open for the next question."""
    pages = {}

    def asked(report, script, argument):
        if id(report) not in pages:
            page = browser.new_page()
            page.set_content(render_page(report))
            page.wait_for_selector("html[data-ready]")
            pages[id(report)] = page, report
        return pages[id(report)][0].evaluate(script, argument)

    yield asked
    for page, _ in pages.values():
        page.close()


@pytest.fixture(scope="module")
def dyck():
    return golden("dyck-1")


SENTENCES = [
    "(arXiv 2410.02140, Theorem 1), as arXiv 2404.04393 and 2506.03085",
    "R*_2 ≤ 9.242640687 lies in (9.9501407, 10.500000001], with R = 8.414213562.",
]


def test_only_values_of_r_are_shortened(ask, dyck):
    """As texts of the page, and as those that its script writes."""
    script = "(text) => formulasIn(text).map((each) => each.title ?? null).filter((each) => each)"
    shown = [re.findall('title="(.*?)"', shorten_numbers(text)) for text in SENTENCES]
    assert shown == [[], ["9.242640687", "9.9501407", "10.500000001", "8.414213562"]]
    numbers = [[float(number) for number in ask(dyck, script, text)] for text in SENTENCES]
    assert numbers == [list(map(float, numbers)) for numbers in shown]


@pytest.mark.parametrize("turn", [0, *(pytest.param(turn, marks=pytest.mark.slow) for turn in (1, 2, 3))])
def test_rules_are_read_as_the_library_reads_them(ask, dyck, turn):
    words = list(words_up_to(2, 6))
    for rule in RULES[turn::4]:
        told = ask(dyck, TRUTHS, [rule, words])
        language = idinf.target(rule if "accept" in rule else f"accept iff {rule}", alphabet="ab")
        assert told == ["".join("ab"[code] for code in word) in language for word in words], rule


SHIPPED = [file for file in resources.files("idinf.crasp.programs").iterdir() if file.name.endswith(".crasp")]


@pytest.mark.slow
def test_shipped_programs_are_read(ask, dyck):
    for file in sorted(SHIPPED, key=str):
        text = file.read_text(encoding="utf-8")
        tree = parse(text)
        check(tree)
        parts = [part for row in tree.definitions for part in iter_parts(row.expression)]
        symbols = sorted({part.symbol for part in parts if isinstance(part, Symbol)})
        words = list(words_up_to(len(symbols), 4 if len(symbols) > 3 else 6))
        told = ask(dyck, IN_ALPHABET, [symbols, text, words])
        language = idinf.target(text, alphabet="".join(symbols))
        assert told == ["".join(symbols[code] for code in word) in language for word in words], file.name


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", sorted({path.stem for path in GOLDEN.glob("*.json")} - {"hypothesis"}))
def test_the_formulas_of_records_are_read_and_true_to_them(ask, dyck, name):
    report = golden(name)
    words = list(words_up_to(len(report.target.alphabet), 6))
    for record in report.records:
        told = ask(dyck, IN_ALPHABET, [report.target.alphabet, record.formula, words])
        assert told == [accepts(record.hypothesis, word) for word in words]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_every_sign_that_is_printed_is_read(ask, dyck, seed):
    """Averages of all weights among them, which no program expresses."""
    rng = np.random.default_rng(seed)
    formulas = [write_formula(random_hypothesis(rng)) for _ in range(20)]
    words = [list(words_up_to(len(formula.alphabet), 4)) for formula in formulas]
    for formula, some in zip(formulas, words, strict=True):
        told = ask(dyck, IN_ALPHABET, [formula.alphabet.symbols, str(formula), some])
        assert told == [accepted(formula, word) for word in some], str(formula)


# Other tolerances, aggregates and picks

#: For every n what is said under a question, and n0.
ASK = """(asked) => [data.stages.map((_, k) => {
  const judged = judge(data, asked, k + 1);
  return [judged.good, judged.rStar, judged.selected, judged.bad, judged.exact, judged.worst, judged.word];
}), findStart(data, asked)]"""


def compare(told, start, run, n_max):
    """Check that nothing is said that the run denies; returns how many n are decided."""
    decided = 0
    for (good, r_star, selected, bad, exact, worst, word), stage in zip(told, run.stages, strict=True):
        where = (run.target.name, stage.n, run.regularizer)
        if r_star is not None and stage.r_star is not None:
            assert abs(r_star - stage.r_star) < 1e-9, where
        if good is None:
            continue
        decided += 1
        assert good is stage.good, where
        known = stage.num_selected_exact
        assert selected <= stage.num_selected or not known, where
        assert not exact or not known or selected == stage.num_selected, where
        assert bad <= max(stage.num_selected_bad, 1) or not known, where
        if worst is not None and stage.fail_of_worst is not None:
            assert stage.fail_of_worst <= worst or not good, where
        assert word is None or worst is None or len(word) <= 2 * stage.n, where
    if run.outcome is not Outcome.OPEN:
        check_start(start, run.n0, n_max)
    return decided


def check_start(start, n0, n_max):
    """Check what is said of n0."""
    if "n0" in start:
        assert start["n0"] == n0
    elif "none" in start:
        assert n0 is None
    else:
        assert start["least"] <= (n0 or n_max + 1)
        assert start["most"] is None or (n0 or n_max + 1) <= start["most"]


#: Kinds of runs that take a second, and targets for each.
KINDS = {
    "one-hot": (
        *("majority", "parity", "dyck-1", "aa-star", "contains-ab", "ge-2-3", "at-least-3-ones", "d-2"),
        *("tomita-1", "tomita-2", "tomita-4", "tomita-7", "aa-bb-cc", "012-02"),
    ),
    "theta": ("majority", "parity", "tomita-1", "at-least-3-ones", "ge-2-3", "dyck-1", "tomita-4"),
    "limit": ("majority", "aa-star", "ge-2-3"),
}

SMALL = {"space": "nope", "layers": 1, "max_r": 9.0}

#: Tolerance and aggregate of runs and of what is asked.
OPTIONS = [(tolerance, aggregate) for aggregate in ("max", "sum") for tolerance in (None, 0.0, 0.5)]


@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        ("one-hot", "tomita-1", OPTIONS[::4]),
        *(
            pytest.param(kind, name, OPTIONS, marks=pytest.mark.slow)
            for kind, names in KINDS.items()
            for name in names
        ),
    ],
)
def test_every_question_to_every_report_is_answered_as_by_a_run(ask, kind, name, options):
    """Whole classes among them, and the canonical pick."""
    which = SMALL if kind == "one-hot" else {"hypothesis_class": kind}
    runs = {
        (tolerance, aggregate): idinf.identify(
            name,
            max_n=6,
            tolerance=tolerance,
            aggregate=aggregate,
            prove=False,
            time_limit=60.0,
            **which,
        )
        for tolerance, aggregate in options
    }
    for own, report in runs.items():
        for option, run in runs.items():
            asked = {"tolerance": option[0], "aggregate": option[1]}
            told, start = ask(report, ASK, {**asked, "pick": "all"})
            decided = compare(told, start, run, 6)
            assert own != option or decided == sum(stage.good is not None for stage in run.stages)
            compare_picks(*ask(report, ASK, {**asked, "pick": "canonical"}), run, 6)


def compare_picks(told, start, run, n_max):
    """Check the same of the pick alone, of which a run knows from where on it is good."""
    n0 = run.n0_canonical
    check_start(start, n0, n_max)
    for (good, *_), stage in zip(told, run.stages, strict=True):
        if n0 is not None and stage.n >= n0:
            assert good is not False
        if run.outcome is not Outcome.OPEN and stage.n == (n0 or n_max + 1) - 1:
            assert good is not True


@pytest.mark.parametrize("name", ["dyck-1", pytest.param("majority", marks=pytest.mark.slow)])
def test_the_pick_alone_has_the_n0_of_the_report(ask, name):
    report = golden(name)
    told, start = ask(report, ASK, {"tolerance": None, "aggregate": "max", "pick": "canonical"})
    assert start.get("n0", start.get("most")) == report.n0_canonical
    for (good, *_), stage in zip(told, report.stages, strict=True):
        if stage.n >= report.n0_canonical:
            assert good is True
        if stage.n == report.n0_canonical - 1:
            assert good is False
        if stage.good:
            assert good is True


def test_nothing_is_guessed(ask):
    """What is no record may lie in a wider window: it is not decided."""
    majority = golden("majority")
    wide = {"tolerance": 0.5, "aggregate": "max", "pick": "all"}
    told, start = ask(majority, ASK, wide)
    assert [row[0] for row in told[:3]] == [False, False, None]
    assert start == {"least": 3, "most": None}
    narrow, start = ask(majority, ASK, {**wide, "tolerance": 0})
    assert [row[0] for row in narrow[:3]] == [False, None, True]
    assert start == {"least": 2, "most": 3}
    told, _ = ask(opened(), ASK, wide)
    assert all(row[0] is None for row in told[2:])
