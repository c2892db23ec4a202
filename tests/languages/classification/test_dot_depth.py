"""DA and Knast's equation against all tuples of small monoids; D_n; the levels that are told."""

from __future__ import annotations

import random

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.languages.classification.by_automaton import unknown
from idinf.languages.classification.by_monoid import find_nesting_depth, in_da, is_depth_one
from idinf.languages.classification.classes import classify
from idinf.languages.classification.monoid import build_monoid
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import (
    is_aperiodic,
    is_in_da,
    minimal,
    monoid,
    random_dfa,
    satisfies_knast,
)

AB = Alphabet(("a", "b"))
SIGMA = Alphabet(tuple("abc"))


def test_random_automata_agree_with_the_equations() -> None:
    rng, seen, asked = random.Random(31), set(), unknown("not asked")
    for _ in range(few(166, 500)):
        table, _ = minimal(*random_dfa(rng, 4, rng.choice((1, 2, 2, 3))))
        elements = monoid(table)
        if len(elements) > 14:
            continue
        found = build_monoid(np.array(table))
        expected = is_in_da(elements)
        assert in_da(found, SIGMA, asked, asked).is_yes is expected
        depth_one = None
        if is_aperiodic(elements):
            depth_one = satisfies_knast(table)
            assert is_depth_one(found) is depth_one
        seen.add((expected, depth_one))
    assert seen >= {(True, True), (True, False), (False, True), (False, None)}


def nested(depth: int) -> str:
    return "(ab)*" if depth == 1 else f"(a{nested(depth - 1)}b)*"


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_nested_brackets(depth: int) -> None:
    for symbols in ("ab", "ba"):
        machine = RegularTarget.from_regex(nested(depth), Alphabet(tuple(symbols)))
        assert find_nesting_depth(machine) == depth
    # Knast's equation, which knows nothing of brackets, agrees about the first level.
    assert is_depth_one(build_monoid(machine.table)) is (depth == 1)


@pytest.mark.parametrize(
    "regex", ["()", "a*", "(aab)*", "(a(ab)*b)*a", "(ab|ba)*", ".*", "(a(ab)*b)*|b", "a(ba)*"]
)
def test_other_languages_are_not_nested_brackets(regex: str) -> None:
    assert find_nesting_depth(RegularTarget.from_regex(regex, AB)) is None


@pytest.mark.parametrize(
    ("regex", "symbols", "depth"),
    [
        ("()", "ab", 0),
        (".*", "ab", 0),
        (".*a.*b.*", "abc", 1),
        (".*a", "ab", 1),
        (".*ab.*", "abc", 1),
        ("(a|b|c)*ac*", "abc", 2),
        ("(aa)*", "a", None),
    ],
)
def test_levels(regex: str, symbols: str, depth: int | None) -> None:
    found = classify(RegularTarget.from_regex(regex, Alphabet(tuple(symbols))))
    assert found.dot_depth == depth


def test_an_incomplete_monoid_refutes_da_of_no_language_of_da() -> None:
    rng, asked, refuted = random.Random(5), unknown("not asked"), 0
    for _ in range(300):
        table, _ = minimal(*random_dfa(rng, 4, rng.choice((1, 2, 2, 3))))
        elements = monoid(table)
        if not 3 < len(elements) <= 20:
            continue
        found = in_da(build_monoid(np.array(table), len(elements) - 1), SIGMA, asked, asked)
        assert not found.is_yes
        refuted += found.is_no
        assert not (found.is_no and is_in_da(elements))
    assert refuted > 5
