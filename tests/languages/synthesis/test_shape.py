"""Short programs of locally, piecewise and threshold testable languages, over many letters."""

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.syntax import format_program
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.synthesis.synthesize import synthesize
from idinf.targets.machine import explore
from idinf.targets.regular import RegularTarget
from tests.languages.classification.classes_by_definition import minimal
from tests.languages.equivalence.test_affine import agree

LETTERS = "abcdefghijklmnop"

#: For each class how many factors of the word are counted, and whether these numbers are of an accepted word.
#: Numbers are of occurrences, at most 2; or of letters that followed each other at any distance, or factors.
SHAPES = {
    "SL": (2, lambda found: not any(found)),
    "coSL": (2, any),
    "LT": (2, lambda found: found[0] or not found[1]),
    "LTT": (1, lambda found: found[0] >= 2),
    "SP": (2, lambda found: 2 not in found),
    "PT": (2, lambda found: found[0] == 2 or found[1] < 2),
    "PLT": (2, lambda found: found[0] == 2),
}


@cache
def language(shape, size, seed):
    """A language of a shape over so many letters; its factors are two letters long."""
    rng, (number, accepts) = random.Random(seed), SHAPES[shape]
    factors = rng.sample(["ab", "ba", "aa", "bb", "ac", "cb"], number)
    if shape in ("SP", "PT"):
        factors = rng.sample(["ab", "ba", "ac", "cb"], number)

    def follow(state, letter):
        last, found = state
        if shape in ("SP", "PT"):
            seen = [k + (k < 2 and letter == word[k]) for k, word in zip(found, factors, strict=True)]
        elif shape == "PLT":  # the second factor after the first
            done = found[0]
            seen = [done + (done < 2 and last + letter == factors[done]), 0]
        else:
            seen = [min(k + (last + letter == word), 2) for k, word in zip(found, factors, strict=True)]
        return letter, tuple(seen)

    letters = LETTERS[:size]
    start = ("", (0,) * number)
    states, table, _ = explore(start, lambda found: ([follow(q, a) for a in letters] for q in found))
    rows, accepting = minimal(tuple(map(tuple, table)), tuple(bool(accepts(found)) for _, found in states))
    return RegularTarget(Alphabet(tuple(letters)), np.array(rows), np.array(accepting))


@cache
def program_of(shape, size, seed):
    return synthesize(language(shape, size, seed)).program


CASES = [(shape, size, seed) for shape in SHAPES for size in (4, 16) for seed in range(4)]


@pytest.mark.thinned(8)
@pytest.mark.parametrize(("shape", "size", "seed"), CASES)
def test_a_language_of_a_simple_shape_has_a_short_program(shape, size, seed):
    machine, program = language(shape, size, seed), program_of(shape, size, seed)
    assert len(format_program(program)) <= 100
    assert agree(program, machine, 5 if size == 4 else 3)
    if size == 4:
        assert AffineProof(machine, 10**8).decides(program)


@given(st.sampled_from(CASES[::9]), st.lists(st.integers(0, 15), max_size=40))
def test_random_words_over_all_letters(case, word):
    machine = language(*case)
    codes = tuple(code % len(machine.alphabet) for code in word)
    state = 0
    for code in codes:
        state = machine.table[state, code]
    found = compute_labels(program_of(*case), machine.alphabet, lay_out_words([codes]))
    assert found.tolist() == [machine.accepting[state]]
