"""Star-free and AC0 against their definitions, and what short words refute."""

from __future__ import annotations

import random

import numpy as np

from idinf.base.words import Alphabet
from idinf.languages.classification.by_monoid import decide_star_free, in_ac0
from idinf.languages.classification.monoid import build_monoid
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import (
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
