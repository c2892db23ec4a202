"""Answers by counts, against the program on words."""

import random

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.languages.equivalence.one_layer import compute_answers_at, find_modulus
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from tests.languages.classification.test_symmetric import answers, random_text, target


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(8))
def test_random_programs_on_all_short_words(seed: int) -> None:
    program = target(random_text(random.Random(seed), (2, 3)))
    modulus = find_modulus(program.circuit)
    words = [word for word in words_up_to(2, 6) if word]
    for word, expected in zip(words, answers(program, words), strict=True):
        of = compute_answers_at(program, word[-1], len(word) % modulus)
        assert of is not None
        counts = [
            sum(code == symbol and i % modulus == rho for i, code in enumerate(word, start=1))
            for symbol in (0, 1)
            for rho in range(modulus)
        ] + [len(word) // modulus] * (modulus > 1)
        held = {number: row.holds(counts) for number, row in of.inequalities.items()}
        assert of.where(held) is expected


GUARDED = """
reading = # "#" == 0
lead = # ("1" && reading && i mod 2 == 1) - # ("0" && reading)
after = ! reading && i mod 2 == 0
wrong = "1" && after && lead > 0
accept = ! reading && (lead >= 2 || after) && # wrong == 0
"""


def test_counts_behind_a_separator() -> None:
    """Nested counts of what comes after it are known to be 0 before it."""
    sigma = Alphabet(("0", "1", "#"))
    program = CountingTarget(read_program(GUARDED, sigma), sigma)
    assert compute_answers_at(program, 2, 0) is None
    for word in words_up_to(2, 7):
        of = compute_answers_at(program, 2, (len(word) + 1) % 4, before=(0, 1), modulus=4)
        assert of is not None
        places = [(symbol, rho) for symbol in range(3) for rho in range(4)]
        met = [(code, i % 4) for i, code in enumerate(word, start=1)]
        counts = [met.count(place) for place in places]
        held = {number: row.holds([*counts, 0]) for number, row in of.inequalities.items()}
        assert of.where(held) is accepts(program, (*word, 2))
    assert compute_answers_at(program, 0, 0, before=(1,)) is not None
    assert compute_answers_at(program, 0, 0, before=(1, 2)) is None
