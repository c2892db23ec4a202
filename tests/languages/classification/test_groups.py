"""Star-free and AC0 against their definitions, and what short words refute."""

import random

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.languages.classification.by_automaton import (
    decide_piecewise_testable,
    decide_r_trivial,
    is_finite_or_cofinite,
    unknown,
)
from idinf.languages.classification.by_monoid import (
    decide_star_free,
    find_nesting_depth,
    in_ac0,
    in_da,
    is_depth_one,
)
from idinf.languages.classification.monoid import build_monoid
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import (
    is_aperiodic,
    is_in_da,
    is_j_trivial,
    is_quasi_aperiodic,
    is_r_trivial,
    minimal,
    monoid,
    random_dfa,
    satisfies_knast,
)


def alphabet(size: int) -> Alphabet:
    return Alphabet(tuple("abc"[:size]))


def test_random_automata_agree_with_the_definitions() -> None:
    rng, seen = random.Random(11), set()
    for _ in range(few(116, 350)):
        size = rng.choice((1, 2, 2, 3))
        table, _ = minimal(*random_dfa(rng, 4, size))
        elements = monoid(table)
        if len(elements) > 80:
            continue
        found = build_monoid(np.array(table))
        aperiodic = decide_star_free(found, alphabet(size))
        quasi = in_ac0(found, alphabet(size), aperiodic)
        assert aperiodic.is_yes is is_aperiodic(elements)
        assert quasi.is_yes is is_quasi_aperiodic(table)
        seen.add((str(aperiodic.verdict), str(quasi.verdict)))
    assert seen == {("yes", "yes"), ("no", "yes"), ("no", "no")}


def test_an_incomplete_monoid_refutes_but_never_proves() -> None:
    rng, seen = random.Random(12), set()
    for _ in range(150):
        table, _ = minimal(*random_dfa(rng, 4, 2))
        elements = monoid(table)
        part = build_monoid(np.array(table), max(1, len(elements) // 2))
        if part.is_complete or len(elements) > 80:
            continue
        aperiodic = decide_star_free(part, alphabet(2))
        quasi = in_ac0(part, alphabet(2), aperiodic)
        assert not aperiodic.is_yes
        assert not quasi.is_yes
        assert not (aperiodic.is_no and is_aperiodic(elements))
        assert not (quasi.is_no and is_quasi_aperiodic(table)), table
        seen.add((str(aperiodic.verdict), str(quasi.verdict)))
    assert {("no", "no"), ("unknown", "unknown")} <= seen


# R-trivial and piecewise testable languages against ideals of the whole monoid; finite and cofinite ones


def test_random_automata_agree_with_the_ideals() -> None:
    rng, seen = random.Random(21), set()
    for _ in range(few(100, 300)):
        size = rng.choice((1, 2, 2, 3))
        table, accepting = minimal(*random_dfa(rng, 5, size))
        elements = monoid(table)
        if len(elements) > 30:
            continue
        machine = RegularTarget(Alphabet(tuple("abc"[:size])), np.array(table), np.array(accepting))
        ordered = decide_r_trivial(machine)
        testable = decide_piecewise_testable(machine, ordered)
        assert ordered.is_yes is is_r_trivial(elements)
        assert testable.is_yes is is_j_trivial(elements), table
        seen.add((str(ordered.verdict), str(testable.verdict)))
    assert seen == {("yes", "yes"), ("yes", "no"), ("no", "no")}


# DA and Knast's equation against all tuples of small monoids; D_n; the levels that are told


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
    ("regex", "expected"),
    [
        ("()", True),
        ("a|bb", True),
        (".*", True),
        ("..+", True),
        ("a*", False),
        (".*a", False),
        ("(..)*", False),
    ],
)
def test_finite_and_cofinite(regex: str, expected: bool) -> None:
    machine = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    assert is_finite_or_cofinite(machine) is expected
    # From the number of states on, all words of a length agree with one another.
    states = len(machine.table)
    last = set()
    for word in words_up_to(2, 2 * states):
        if len(word) >= states:
            state = 0
            for code in word:
                state = machine.table[state, code]
            last.add(bool(machine.accepting[state]))
    assert (len(last) == 1) is expected
