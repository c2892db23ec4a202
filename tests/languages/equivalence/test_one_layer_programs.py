"""Programs of one layer as conditions on counts, against the programs on all words up to a length."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.languages.equivalence.conditions import Conditions, WordSlice
from idinf.languages.equivalence.one_layer import build_condition_of_program
from tests.languages.equivalence.languages_by_words import accepted, holds_on, program, random_one_layer


def check(target, modulus, length):
    symbols = len(target.alphabet)
    for word in words_up_to(symbols, length):
        if word:
            part, conditions = WordSlice(symbols, modulus, word[-1], len(word) % modulus), Conditions()
            condition = build_condition_of_program(target.circuit, part, conditions)
            assert condition is not None
            assert holds_on(condition, conditions, part, word) == accepted(target, word), word


@pytest.mark.thinned(9)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("periodic", "modulus"), [(False, 1), (True, 2), (True, 4)])
def test_random_programs(seed, periodic, modulus):
    rng = np.random.default_rng([101, seed, modulus])
    check(program(random_one_layer(rng, "ab", periodic)), modulus, 5)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    "text",
    [
        'p = "a" && #[j >= i] "b" == 0  x = # p > # (!p)',
        'x = #[j = i] "a" + # "b" > 2 * (3 if "a" else # (i mod 3 == 1))',
        'p = min(#[j >= i] "a", 1) >= 1  x = # p == 2 || max(# "a", # "b") == 3',
        "x = # true < 0",
        'x = (# "a" if # "b" > 1 else 5 if # "a" > 2 else # "b") >= 2',
    ],
)
def test_chosen_programs(text):
    check(program(text), 3, 5)


@pytest.mark.parametrize(
    "text", ['v = # "a" < # "b" x = # v > 1', 'x = #[j = i-1] "a" > 0', 'p = #[j >= i-1] "a" > 1 x = # p > 2']
)
def test_nested_and_local_counts_are_beyond(text):
    assert build_condition_of_program(program(text).circuit, WordSlice(2, 1, 0, 0), Conditions()) is None
