"""R-trivial and piecewise testable languages against ideals of the whole monoid; finite and cofinite ones."""

from __future__ import annotations

import random

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.languages.classification.by_automaton import (
    decide_piecewise_testable,
    decide_r_trivial,
    is_finite_or_cofinite,
)
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import (
    is_j_trivial,
    is_r_trivial,
    minimal,
    monoid,
    random_dfa,
)


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
