"""Refutations of C-RASP[periodic,local]: known languages, and never beside a proof."""

import random

import numpy as np

from idinf.base.words import Alphabet
from idinf.languages.classification.membership import (
    annotate_states,
    drop_last_symbol,
    find_inseparable,
    find_inseparable_idempotent,
    find_long_windows,
    is_separable,
    list_moduli,
)
from idinf.languages.classification.monoid import build_monoid, iter_local_tables
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import (
    is_decided_by_counts,
    is_in_crasp,
    minimal,
    random_dfa,
)


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


# Windows and moduli: known languages, long windows against windows spelled out, and the bounds


def table_of(regex: str, symbols: str = "ab") -> np.ndarray:
    return RegularTarget.from_regex(regex, Alphabet(tuple(symbols))).table


def test_long_windows_are_windows() -> None:
    """What the pairs of states say holds for the window and modulus named, spelled out symbol by symbol."""
    rng, proved = random.Random(41), 0
    for _ in range(few(100, 300)):
        table, _ = minimal(*random_dfa(rng, 4, 2))
        found = find_long_windows(np.array(table))
        if found is not None and found[0] <= 5 and find_inseparable(np.array(table)) is not None:
            assert is_separable(np.array(table), *found), table
            proved += 1
    assert proved > few(3, 10)


def test_a_modulus_beyond_the_period_helps() -> None:
    """Runs of a of even length: cycles of length 1 and 2, but the b stand at alternating parities."""
    table = table_of("(aa|b)*")
    assert (list_moduli(table, ()), list_moduli(table, (2,))) == ((1,), (1, 2))
    assert find_long_windows(table) is None
    assert is_separable(table, 0, 2)
    assert find_long_windows(np.array(annotate_states(table, 0, 2).table)) == (0, 2)


# The procedure for C-RASP[] against its text word for word: labels, garbage, simple cycles, fractions


def test_random_automata_agree_with_the_procedure_word_for_word() -> None:
    rng, verdicts = random.Random(8), []
    for _ in range(few(133, 400)):
        table, _ = minimal(*random_dfa(rng, 5, rng.choice((1, 2, 2, 3))))
        verdicts.append(is_decided_by_counts(table))
        assert (find_inseparable(np.array(table)) is None) is verdicts[-1], table
    assert few(13, 40) < sum(verdicts) < few(130, 390)


def test_the_last_symbol_is_what_quotients_by_it_say() -> None:
    rng, verdicts = random.Random(81), set()
    for _ in range(few(133, 400)):
        table, accepting = minimal(*random_dfa(rng, 5, rng.choice((1, 2, 2, 3))))
        merged, first = drop_last_symbol(np.array(table))
        by_counts, found = find_inseparable(np.array(table)) is None, find_inseparable(merged) is None
        assert found is is_in_crasp(table, accepting), table
        assert found or not by_counts
        assert first[0] == 0
        verdicts.add((by_counts, found))
    assert verdicts == {(True, True), (False, True), (False, False)}
