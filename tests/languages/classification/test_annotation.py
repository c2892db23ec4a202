"""Windows and moduli: known languages, long windows against windows spelled out, and the bounds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.languages.classification.membership import (
    annotate_states,
    find_inseparable,
    find_long_windows,
    is_separable,
    list_moduli,
)
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import minimal, random_dfa


def table_of(regex: str, symbols: str = "ab") -> np.ndarray:
    return RegularTarget.from_regex(regex, Alphabet(tuple(symbols))).table


@pytest.mark.parametrize(
    ("regex", "symbols", "window", "modulus"),
    [
        ("(1|01|001)*(0|00)?", "01", 2, 1),
        (".*ab.*", "abc", 1, 1),
        ("(aaaa)*", "a", 0, 4),
        ("(abab)*", "ab", 0, 4),
        (".*abaab", "ab", 5, 1),
    ],
)
def test_least_windows(regex: str, symbols: str, window: int, modulus: int) -> None:
    table = table_of(regex, symbols)
    found = find_long_windows(table)
    assert found is not None
    assert found[1] == modulus
    assert is_separable(table, *found)
    assert is_separable(table, window, modulus)
    assert window == 0 or not is_separable(table, window - 1, modulus)
    assert modulus == 1 or not is_separable(table, window, modulus // 2)


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


def test_more_notes_never_hurt() -> None:
    rng, met = random.Random(42), 0
    for _ in range(60):
        table = np.array(minimal(*random_dfa(rng, 4, 2))[0])
        for window in (0, 1, 2):
            if is_separable(table, window, 1):
                assert is_separable(table, window + 1, 1)
                assert is_separable(table, window, 3)
                met += 1
    assert 30 < met < 180


def test_a_modulus_beyond_the_period_helps() -> None:
    """Runs of a of even length: cycles of length 1 and 2, but the b stand at alternating parities."""
    table = table_of("(aa|b)*")
    assert (list_moduli(table, ()), list_moduli(table, (2,))) == ((1,), (1, 2))
    assert find_long_windows(table) is None
    assert is_separable(table, 0, 2)
    assert find_long_windows(np.array(annotate_states(table, 0, 2).table)) == (0, 2)
