"""Next symbols: the fast search gives the same table, selected sets and n0 as nested loops."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

import pytest

from idinf.base.words import Alphabet
from idinf.search.slice_types import Mode
from idinf.spec.spec import Answer
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Continuations, SingleSymbol, SupervisedTarget
from tests.search.brute_force import Space, table
from tests.search.comparison import bounds_of, compare, run_in
from tests.search.next_brute_force import NextTask, next_table

A, AB = Alphabet(("a",)), Alphabet(("a", "b"))


@dataclass(frozen=True)
class NextCase:
    task: NextTask
    space: Space
    max_n: int
    aggregate: str = "max"


#: Certificates in every slice, however cheap.
CERTIFIED = Mode(certified_above=0.0)

LOCAL = {"reach": 1, "logit_max": 1}
A_STAR = NextTask(AB, "a*", "a*")
AB_STAR = NextTask(AB, "(ab)*", "(ab)*a?")
A_STAR_B = NextTask(AB, "a*b", "a*b?")
ALIVE = NextTask(AB, "(ab)*", "(ab)*a?", "(ab)*a?")
WHOLE = NextTask(AB, "(ab)*", "(ab)*a?", "(ab)*")
TWO_AT_MOST = NextTask(A, "aa", "a?a?")
ALTERNATE = NextTask(AB, "(ab)*b", "(ab)*b?|(ab)*a", "(ab)*")
LONG_WORDS = NextTask(AB, "a*b", "a*b?", "(a|b)(a|b)(a|b)*")
ONE = NextTask(AB, "(ab)*a", "(ab)*a?", "(ab)*a?", Answer.SYMBOL)
STEPS = NextTask(A, "aa", "a?a?", "a?a?", Answer.SYMBOL)
AFTER_B = NextTask(AB, "(ab)*", "(ab)*a?", "(ab)*a?", judged="((a|b)*b)?")
EVEN = NextTask(AB, "a*b", "a*b?", judged="((a|b)(a|b))*")
ONE_IN_PLACES = NextTask(AB, "(ab)*b", "(ab)*b?|(ab)*a", "(ab)*b|(ab)*a", Answer.SYMBOL, "(ab)*(a|b)")
SHAPES_1 = (((0, 1),), ((1, 1),), ((0, 2),))

CASES = {
    "a-star": NextCase(A_STAR, Space(1, 1, 1, 0, 9.6), 3),
    "a-star-sum": NextCase(A_STAR, Space(1, 1, 1, 0, 9.6), 2, "sum"),
    "a-star-two-layers": NextCase(A_STAR, Space(2, 1, 1, 0, 9.5, (((0, 1), (1, 1)),)), 2),
    "two-units": NextCase(A_STAR_B, Space(1, 0, 2, 0, 7.3, (((0, 1),), ((0, 2),))), 2),
    "two-units-head": NextCase(TWO_AT_MOST, Space(1, 1, 2, 0, 9.9, (((1, 2),),)), 3),
    "two-units-shared": NextCase(TWO_AT_MOST, Space(1, 1, 2, 1, 9.6, (((1, 2),),), precisions=(1,)), 2),
    "alive-two-units": NextCase(ALIVE, Space(1, 0, 2, 0, 7.3, SHAPES_1), 3),
    "alive-three": NextCase(AB_STAR, Space(1, 0, 3, 0, 7.0, (((0, 3),), ((0, 2),))), 2),
    "whole-words": NextCase(WHOLE, Space(1, 0, 2, 0, 7.3, SHAPES_1), 3),
    "whole-words-head": NextCase(WHOLE, Space(1, 1, 1, 0, 9.3, (((1, 1),),)), 3),
    "after-b": NextCase(ALTERNATE, Space(1, 0, 2, 0, 7.3, SHAPES_1), 2),
    "long-words": NextCase(LONG_WORDS, Space(1, 0, 2, 0, 7.0, SHAPES_1), 3),
    "pair-above": NextCase(TWO_AT_MOST, Space(2, 1, 2, 0, 10.3, (((0, 1), (1, 2)),)), 3),
    "pair-above-sum": NextCase(TWO_AT_MOST, Space(2, 1, 2, 0, 11.6, (((0, 1), (1, 2)),)), 3, "sum"),
    "pair-on-pair": NextCase(TWO_AT_MOST, Space(2, 0, 2, 0, 7.6, (((0, 2), (0, 2)),)), 2),
    "period": NextCase(TWO_AT_MOST, Space(1, 0, 2, 0, 9.5, (((0, 1),), ((0, 2),)), period=2), 3),
    "local": NextCase(A_STAR, Space(1, 1, 1, 0, 9.9, (((1, 1),),), **LOCAL), 2),
    "local-half": NextCase(TWO_AT_MOST, Space(1, 1, 1, 1, 9.9, (((1, 1),),), **LOCAL, precisions=(1,)), 3),
    "local-domain": NextCase(WHOLE, Space(1, 1, 1, 0, 9.9, (((1, 1),),), **LOCAL), 3),
    "local-below": NextCase(ALIVE, Space(2, 1, 1, 0, 10.2, (((1, 1), (0, 1)),), **LOCAL), 2),
    "local-pair": NextCase(TWO_AT_MOST, Space(1, 1, 2, 0, 10.5, (((1, 2),),), **LOCAL), 2),
    "content": NextCase(TWO_AT_MOST, Space(1, 1, 1, 0, 9.9, (((1, 1),),), logit_max=1, content_max=1), 3),
    "one-symbol": NextCase(ONE, Space(1, 0, 2, 0, 7.3, SHAPES_1), 3),
    "one-symbol-head": NextCase(STEPS, Space(1, 1, 1, 0, 9.6), 3),
    "judged-after-b": NextCase(AFTER_B, Space(1, 0, 2, 0, 7.3, SHAPES_1), 3),
    "judged-even": NextCase(EVEN, Space(1, 1, 1, 0, 9.3, (((1, 1),),)), 2),
    "judged-local": NextCase(AFTER_B, Space(1, 1, 1, 0, 9.9, (((1, 1),),), **LOCAL), 3),
    "judged-below": NextCase(AFTER_B, Space(2, 1, 1, 0, 10.2, (((1, 1), (0, 1)),), **LOCAL), 2),
    "judged-symbol": NextCase(ONE_IN_PLACES, Space(1, 0, 2, 0, 7.3, SHAPES_1), 3),
    "judged-symbol-local": NextCase(ONE_IN_PLACES, Space(1, 1, 1, 0, 9.9, (((1, 1),),), **LOCAL), 3),
    "one-of-two-units": NextCase(ONE, Space(1, 0, 2, 0, 8.2, (((0, 2),),)), 2),
}


def target_of(task):
    language = RegularTarget.from_regex(task.language, task.alphabet)
    sets = Continuations(language)
    domain = None if task.domain is None else RegularTarget.from_regex(task.domain, task.alphabet)
    machine = sets if task.answer is Answer.SET else SingleSymbol(sets)
    if task.judged is None:
        return SupervisedTarget(machine, task.answer, domain)
    places = RegularTarget.from_regex(task.judged, task.alphabet)
    return SupervisedTarget(machine, task.answer, domain or RegularTarget.every_word(task.alphabet), places)


@lru_cache(maxsize=2)
def brute_table(name):
    case = CASES[name]
    return next_table(case.space, case.task, 2 * case.max_n, case.aggregate)


def run_of(case, **more):
    """The run of a case."""
    task = case.task
    return run_in(case.space, target_of(task), case.max_n, case.aggregate, answer=task.answer, **more)


#: Cases of more than a second.
LONG = (
    *("after-b", "judged-after-b", "alive-two-units", "one-symbol", "a-star", "local-half"),
    *("pair-above", "two-units-head", "judged-below", "judged-local", "alive-three", "local-pair"),
    *("long-words", "one-of-two-units", "pair-above-sum", "pair-on-pair", "period"),
    *("two-units-shared", "whole-words"),
)

#: Cases that are also judged with every decision left to the exact check.
SCREENED = ("alive-two-units", "local-domain", "local-below", "two-units", "one-symbol", "judged-symbol")


def runs():
    """Every case with several screening lengths; what takes longer is marked slow."""
    for name in CASES:
        for screening in (None, 1, 2):
            if (name, screening) == ("long-words", 1):  # no word of the domain is that short
                continue
            slow = name in LONG or screening == 2 or (screening == 1 and name not in SCREENED)
            yield pytest.param(name, screening, marks=pytest.mark.slow if slow else ())


@pytest.mark.thinned(18)
@pytest.mark.parametrize(("name", "screening"), list(runs()))
def test_report_equals_brute_force(name, screening):
    case = CASES[name]
    run = run_of(case, mode=CERTIFIED, screening=screening)
    compare(run, brute_table(name), case.task, case.space.max_r)


#: Acceptance in a domain: language, domain, space, max_n.
DOMAIN_CASES = {
    "ab-among-few": ("(ab)*", "(ab)*a?|b*", Space(1, 0, 2, 0, 7.0, SHAPES_1), 3),
    "no-empty-word": ("a*b", "(a|b)(a|b)*", Space(1, 0, 1, 0, 6.5, SHAPES_1), 3),
    "local-in-domain": ("(ab)*", "(ab)*a?", Space(1, 1, 1, 0, 9.9, (((1, 1),),), **LOCAL), 3),
    "local-below-in-domain": ("(ab)*", "(a|bb)*b*", Space(2, 1, 1, 0, 10.2, (((1, 1), (0, 1)),), **LOCAL), 2),
    "a-star-of-even": ("a*", "((a|b)(a|b))*", Space(1, 1, 1, 0, 9.6), 3),
}


@pytest.mark.thinned(11)
@pytest.mark.parametrize("screening", [None, 1])
@pytest.mark.parametrize("name", list(DOMAIN_CASES))
def test_acceptance_in_a_domain_equals_brute_force(name, screening):
    language, domain, space, max_n = DOMAIN_CASES[name]
    machine, regular = (RegularTarget.from_regex(text, AB) for text in (language, domain))
    target = SupervisedTarget(machine, Answer.ACCEPT, regular)
    run = run_in(space, target, max_n, screening=screening)
    compare(run, domain_table(name), InDomain(language, domain), space.max_r)


def test_functions_are_counted_at_threshold_zero():
    """The lemma about nets without heads reads complements, which cost more here: it may leave none out."""
    asked, space = InDomain("aa|(bb)*", "(aa(a|b))*"), Space(1, 0, 1, 0, 7.1)
    machine, regular = (RegularTarget.from_regex(text, AB) for text in (asked.language, asked.domain))
    target = SupervisedTarget(machine, Answer.ACCEPT, regular)
    run = run_in(space, target, 2, bounds=replace(bounds_of(space), threshold="zero"))
    entries = [entry for entry in table(space, AB, asked.label, 4) if not entry.hypothesis.threshold]
    compare(run, entries, asked, space.max_r)
    assert run.stages[0].num_selected == 4


@dataclass(frozen=True)
class InDomain:
    """Two patterns over ab, and what they say of a word."""

    language: str
    domain: str
    alphabet = AB

    def label(self, word):
        text = AB.decode(word)
        return bool(re.fullmatch(self.language, text)) if re.fullmatch(self.domain, text) else None


@lru_cache(maxsize=1)
def domain_table(name):
    language, domain, space, max_n = DOMAIN_CASES[name]
    return table(space, AB, InDomain(language, domain).label, 2 * max_n)
