"""Refutations of C-RASP[periodic,local]: known languages, and never beside a proof."""

from __future__ import annotations

import random

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.languages.classification.membership import (
    find_inseparable,
    find_inseparable_idempotent,
    is_separable,
)
from idinf.languages.classification.monoid import build_monoid, iter_local_tables
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import is_decided_by_counts, minimal, random_dfa


@pytest.mark.parametrize("name", ["parity", "012-02", "tomita-3", "tomita-5", "tomita-6"])
def test_refuted_languages(name: str) -> None:
    """[HYB25] Lemmas 35, 36 and 41 and Table 2."""
    machine = build_target(load(name))
    assert isinstance(machine, RegularTarget)
    assert find_inseparable_idempotent(build_monoid(machine.table)) is not None


@pytest.mark.parametrize(
    ("regex", "symbols"),
    [
        ("(aa)*", "a"),
        ("(abab)*", "ab"),
        (".*ab.*", "abc"),
        ("(aa|b)*", "ab"),
        ("(a|bab)*", "ab"),
        ("()", "a"),
    ],
)
def test_languages_in_the_class_are_not_refuted(regex: str, symbols: str) -> None:
    monoid = build_monoid(RegularTarget.from_regex(regex, Alphabet(tuple(symbols))).table)
    assert find_inseparable_idempotent(monoid) is None
    assert all(find_inseparable(table) is None for _, table in iter_local_tables(monoid))


def test_no_language_is_both_proved_and_refuted() -> None:
    rng, seen = random.Random(51), []
    for _ in range(few(83, 250)):
        table = np.array(minimal(*random_dfa(rng, 4, 2))[0])
        monoid = build_monoid(table)
        refuted = find_inseparable_idempotent(monoid) is not None
        by_short_words = any(find_inseparable(local) is not None for _, local in iter_local_tables(monoid))
        proved = any(is_separable(table, window, d) for window in (0, 2) for d in (1, 2, 3, 4))
        assert not (proved and (refuted or by_short_words)), table.tolist()
        assert refuted or not by_short_words
        seen.append((refuted, by_short_words))
    assert seen.count((True, True)) > few(3, 10)
    assert seen.count((False, False)) > few(30, 100)


def test_with_a_neutral_symbol_predicates_decide_nothing() -> None:
    """The refutation then is the verdict on C-RASP[] itself."""
    rng, refuted = random.Random(52), 0
    for _ in range(few(66, 200)):
        table, accepting = random_dfa(rng, 4, 2)
        table = tuple((*row, state) for state, row in enumerate(table))
        table, _ = minimal(table, accepting)
        monoid = build_monoid(np.array(table))
        assert (find_inseparable_idempotent(monoid) is None) is is_decided_by_counts(table), table
        refuted += not is_decided_by_counts(table)
    assert refuted > few(6, 20)
