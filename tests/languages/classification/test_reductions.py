"""Refutations of C-RASP[periodic,local]: known languages, and never beside a proof."""

from __future__ import annotations

import random

import numpy as np

from idinf.languages.classification.membership import (
    find_inseparable,
    find_inseparable_idempotent,
    is_separable,
)
from idinf.languages.classification.monoid import build_monoid, iter_local_tables
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import is_decided_by_counts, minimal, random_dfa


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
