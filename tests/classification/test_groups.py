"""Star-free and AC0 against their definitions, and what short words refute."""

from __future__ import annotations

import random

import numpy as np
import pytest

from idinf.classification.groups import decide_star_free, find_cycling, in_ac0, list_cycle_lengths
from idinf.classification.monoid import build_monoid
from idinf.targets.regular import RegularTarget
from idinf.words import Alphabet
from tests.asked_for import few
from tests.classification.classes_by_definition import (
    is_aperiodic,
    is_quasi_aperiodic,
    minimal,
    monoid,
    random_dfa,
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


def test_stability_indices_beyond_any_listing_are_not_needed() -> None:
    """Runs of one of 7 letters, of lengths divisible by 7 primes: the images of Σ^t repeat after 510510."""
    lengths = {"a": 2, "b": 3, "c": 5, "d": 7, "e": 11, "f": 13, "g": 17}
    machine = RegularTarget.from_regex(
        "|".join(f"({letter * n})*" for letter, n in lengths.items()), Alphabet(tuple(lengths))
    )
    found = build_monoid(machine.table)
    assert found.is_complete
    assert in_ac0(found, machine.alphabet, decide_star_free(found, machine.alphabet)).is_yes


@pytest.mark.parametrize(
    ("regex", "symbols", "reason"),
    [
        ("b*(ab*ab*)*", "ab", "u = a moves 2 states of the minimal DFA in a cycle, so u^n"),
        ("(aaa)*", "a", "u = a moves 3 states of the minimal DFA in a cycle, so u^n"),
    ],
)
def test_a_refutation_names_a_word_and_its_cycle(regex: str, symbols: str, reason: str) -> None:
    machine = RegularTarget.from_regex(regex, Alphabet(tuple(symbols)))
    assert reason in decide_star_free(build_monoid(machine.table), machine.alphabet).reason


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


def test_cycles() -> None:
    assert find_cycling(np.array([[0, 1, 2], [1, 2, 0], [1, 1, 0], [2, 1, 0]])).tolist() == [
        False,
        True,
        False,
        True,
    ]
    blocks = RegularTarget.from_regex("(a|bab)*", Alphabet(("a", "b")))
    assert list_cycle_lengths(build_monoid(blocks.table)) == (4,)
    assert 4 in list_cycle_lengths(build_monoid(blocks.table, 8))
