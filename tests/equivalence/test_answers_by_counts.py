"""Answers by counts, against the program on words."""

from __future__ import annotations

import random

import pytest

from idinf.equivalence.one_layer_programs import MAX_COUNTS, compute_answers_at, find_modulus
from idinf.words import words_up_to
from tests.classification.test_symmetric import answers, random_text, target


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


def test_large_moduli_are_refused() -> None:
    largest = MAX_COUNTS // 2
    assert compute_answers_at(target(f'i mod {largest} == 0 && # "0" > # "1"'), 0, 0) is not None
    assert compute_answers_at(target(f'i mod {largest + 1} == 0 && # "0" > # "1"'), 0, 0) is None


def test_undecided_inequalities_are_an_error() -> None:
    found = compute_answers_at(target('# "0" > # "1"'), 0, 0)
    assert found is not None
    with pytest.raises(RuntimeError, match="every inequality is decided"):
        found.where({})
